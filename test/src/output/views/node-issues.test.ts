import assert from 'node:assert/strict';
import type { NodeIssue, WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { explainIssues, groupIssues } from '../../../../src/output/views/node-issues.ts';
import { READY_NODE } from '../sample-view.ts';

const issue = (id: string, severity: NodeIssue['severity'], message: string): NodeIssue => ({ id, facts: ['NOD-001'], severity, message, remedy: 'do', reference: 'https://example.com' });
const node = (name: string, ...issues: NodeIssue[]): WindowsNode => ({ ...READY_NODE, name, issues });

describe('groupIssues', () => {
  it('one group per issue and severity, worst first, then the most frequent', () => {
    const groups = groupIssues([node('a', issue('x', 'info', '1'), issue('y', 'error', '2')), node('b', issue('x', 'info', '1'), issue('z', 'info', '3')), node('c', issue('x', 'info', '4'), issue('x', 'warning', '5'))]);
    assert.deepEqual(groups.map(({ issue: { id, severity }, nodes }) => [id, severity, nodes.join(' ')]), [['y', 'error', 'a'], ['x', 'warning', 'c'], ['x', 'info', 'a b c'], ['z', 'info', 'b']]);
    assert.deepEqual(groups[2]?.messages, [{ message: '1', nodes: ['a', 'b'] }, { message: '4', nodes: ['c'] }]);
  });
});

describe('groups of one issue', () => {
  it('differ by what is to be done', () => {
    const other = { ...issue('x', 'info', '1'), remedy: 'do it in the console of the provider' };
    assert.deepEqual(groupIssues([node('a', issue('x', 'info', '1')), node('b', other)]).map(({ nodes }) => nodes), [['a'], ['b']]);
  });
});

describe('explainIssues', () => {
  it('names few nodes and messages and counts the rest', () => {
    const { rows: [row] } = explainIssues(groupIssues(Array.from({ length: 9 }, (_, index) => node(`n${index}`, issue('x', 'warning', `m${index}`)))));
    assert.equal(row?.[0], 'warning\nx\nNOD-001');
    assert.equal(row?.[1], 'n0\nn1\nn2\nn3\n+5 more');
    assert.equal(row?.[2], 'n0: m0\nn1: m1\nn2: m2\nn3: m3\n(and 5 more like these; -o json has them all)\n→ do [1]');
  });
  it('gives each link one number', () => {
    const other = { ...issue('z', 'info', 'm'), reference: 'https://example.com/z' };
    const { rows, references } = explainIssues(groupIssues([node('a', issue('x', 'error', 'm'), issue('y', 'warning', 'm'), other)]));
    assert.deepEqual(references, ['[1] https://example.com', '[2] https://example.com/z']);
    assert.deepEqual(rows.map((row) => /\[\d\]/.exec(row[2] ?? '')?.[0]), ['[1]', '[1]', '[2]']);
  });
});
