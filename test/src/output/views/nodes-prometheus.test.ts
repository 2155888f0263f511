import assert from 'node:assert/strict';
import { nodesPrometheus } from '../../../../src/output/views/nodes-prometheus.ts';
import type { ListedNode } from '../../../../src/app/report-nodes.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { READY_NODE } from '../sample-view.ts';

const listed = (node: WindowsNode, context: string | null = null): ListedNode => ({ node, pods: null, context, serverVersion: null });
const text = (nodes: readonly WindowsNode[]): string => nodesPrometheus(nodes.map((node) => listed(node)), { showContext: false });

describe('nodesPrometheus', () => {
  it('has no sample for what is not known', () => {
    const metrics = text([{ ...READY_NODE, ready: null, support: { ...READY_NODE.support, daysLeft: null }, patch: { ...READY_NODE.patch, monthsBehind: null }, issues: [] }]);
    assert.deepEqual([...metrics.matchAll(/^kubectl_win_\w+/gm)].map(([name]) => name), ['kubectl_win_node_info']);
  });
  it('escapes label values', () => {
    assert.ok(text([{ ...READY_NODE, name: 'a"b\\c\nd' }]).includes('kubectl_win_node_ready{node="a\\"b\\\\c\\nd"} 1\n'));
  });
  it('every line is a comment or a sample', () => {
    for (const line of text([READY_NODE]).trimEnd().split('\n')) assert.match(line, /^(# (HELP|TYPE) kubectl_win_\w+ .+|kubectl_win_\w+\{[^\n]*\} -?\d+)$/);
  });
  it('tells nodes of one name in two clusters apart', () => {
    const metrics = nodesPrometheus([listed(READY_NODE, 'a'), listed(READY_NODE, 'b')], { showContext: true });
    const series = metrics.split('\n').filter((line) => !line.startsWith('#') && line !== '').map((line) => line.slice(0, line.lastIndexOf(' ')));
    assert.equal(new Set(series).size, series.length);
    assert.ok(series[0]?.startsWith('kubectl_win_node_info{context="a",node="akswin000000"'));
  });
});
