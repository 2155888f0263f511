import assert from 'node:assert/strict';
import { nodesPrometheus } from '../../../../src/output/views/nodes-prometheus.ts';
import { READY_NODE } from '../sample-view.ts';

describe('nodesPrometheus', () => {
  it('has no sample for what is not known', () => {
    const text = nodesPrometheus([{ ...READY_NODE, ready: null, support: { ...READY_NODE.support, daysLeft: null }, patch: { ...READY_NODE.patch, monthsBehind: null }, issues: [] }]);
    assert.deepEqual([...text.matchAll(/^kubectl_win_\w+/gm)].map(([name]) => name), ['kubectl_win_node_info']);
  });
  it('escapes label values', () => {
    const text = nodesPrometheus([{ ...READY_NODE, name: 'a"b\\c\nd' }]);
    assert.ok(text.includes('kubectl_win_node_ready{node="a\\"b\\\\c\\nd"} 1\n'));
  });
  it('every line is a comment or a sample', () => {
    for (const line of nodesPrometheus([READY_NODE]).trimEnd().split('\n')) assert.match(line, /^(# (HELP|TYPE) kubectl_win_\w+ .+|kubectl_win_\w+\{[^\n]*\} -?\d+)$/);
  });
});
