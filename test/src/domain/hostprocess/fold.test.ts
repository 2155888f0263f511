import assert from 'node:assert/strict';
import { foldItems, type FoldableItem, type KeptOutput } from '../../../../src/domain/hostprocess/fold.ts';
import type { ExecErrorReason } from '../../../../src/domain/hostprocess/outcome.ts';

const kept = (text: string): KeptOutput => ({ text, base64: null, isTruncated: false, sizeBytes: text.length, digest: `sha-of-${text}` });

function item(node: string, more: { readonly stdout?: string; readonly stderr?: string; readonly exitCode?: number; readonly error?: readonly [ExecErrorReason, string] } = {}): FoldableItem {
  const { stdout = '', stderr = '', exitCode = 0, error } = more;
  return { node, stdout: kept(stdout), stderr: kept(stderr), outcome: { exitCode: error === undefined ? exitCode : null, error: error === undefined ? null : { reason: error[0], message: error[1] } } };
}

describe('foldItems', () => {
  it('makes 200 nodes with three outputs three groups, the largest first', () => {
    const items = Array.from({ length: 200 }, (_, index) => item(`win-${index}`, { stdout: index % 10 === 3 ? 'b' : index === 150 ? 'c' : 'a' }));
    const groups = foldItems(items);
    assert.deepEqual(groups.map(({ nodes, stdout }) => [nodes.length, nodes[0], stdout?.text]), [[179, 'win-0', 'a'], [20, 'win-3', 'b'], [1, 'win-150', 'c']]);
    assert.deepEqual(groups.flatMap(({ nodes }) => nodes).toSorted(), items.map(({ node }) => node).toSorted(), 'each node once');
  });

  it('puts groups of one size in the order of their first nodes, and nodes in that of the items', () => {
    assert.deepEqual(foldItems([item('c', { stdout: 'x' }), item('a', { stdout: 'y' }), item('b', { stdout: 'x' }), item('d', { stdout: 'y' })]).map(({ nodes }) => nodes), [['c', 'b'], ['a', 'd']]);
  });

  const differing: readonly [string, FoldableItem, FoldableItem][] = [
    ['stdout', item('a', { stdout: 'x' }), item('b', { stdout: 'x ' })],
    ['stderr', item('a', { stderr: 'x' }), item('b')],
    ['the same text in the other stream', item('a', { stderr: 'x' }), item('b', { stdout: 'x' })],
    ['exit code', item('a', { exitCode: 0 }), item('b', { exitCode: 1 })],
    ['an error in place of an exit code', item('a'), item('b', { error: ['Timeout', 'late'] })],
    ['the reason of the error', item('a', { error: ['Timeout', 'late'] }), item('b', { error: ['StartTimeout', 'late'] })],
    ['its message', item('a', { error: ['Timeout', 'late'] }), item('b', { error: ['Timeout', 'later'] })],
    ['a command that was not begun', item('a'), { ...item('b'), outcome: null }],
    ['a stream that was not captured', item('a'), { ...item('b'), stderr: null }],
    ['what was not kept', { ...item('a'), stdout: { ...kept('x'), isTruncated: true, digest: '1' } }, { ...item('b'), stdout: { ...kept('x'), isTruncated: true, digest: '2' } }],
  ];
  for (const [title, one, other] of differing) it(`keeps apart what differs in ${title}`, () => assert.equal(foldItems([one, other]).length, 2));

  it('takes messages for equal that differ in the name of their node alone, and says so', () => {
    const late = (node: string): FoldableItem => item(node, { error: ['NotReady', `node ${node} is not ready; see ${node}.` ] });
    const [group] = foldItems([late('win-1'), late('win-12'), late('10.0.0.1')]);
    assert.deepEqual([group?.nodes, group?.outcome?.error?.message], [['win-1', 'win-12', '10.0.0.1'], 'node <node> is not ready; see <node>.']);
    assert.equal(foldItems([late('win-1')])[0]?.outcome?.error?.message, 'node win-1 is not ready; see win-1.', 'of one node as it is');
  });

  it('does not take another node for its own', () => {
    const of = (node: string, message: string): FoldableItem => item(node, { error: ['Unknown', message] });
    assert.equal(foldItems([of('win-1', 'as win-12 said'), of('win-2', 'as win-22 said')]).length, 2);
    assert.equal(foldItems([of('win-1', 'win-1.example is down'), of('win-2', 'win-2.example is down')]).length, 2);
    assert.equal(foldItems([of('a.b', 'axb'), of('c.d', 'cxd')]).length, 2);
  });
});
