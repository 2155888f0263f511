import assert from 'node:assert/strict';
import { readAccount, type Account } from '../../../../src/domain/hostprocess/account.ts';
import { planExec, type ExecPlan, type TargetNode, type TargetRefusal } from '../../../../src/domain/hostprocess/exec-plan.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { rawNode, type NodeParts } from '../../../support/fake-cluster.ts';

const NOW = new Date('2026-11-30T12:00:00Z');

function target(name: string, parts: NodeParts = {}): TargetNode {
  return { node: describeNode(rawNode(name, parts), { serverVersion: null, asOf: NOW }), by: null, heartbeat: { at: null, from: null }, isBeingDeleted: false };
}

function plan(nodes: readonly TargetNode[], batchSize: number | null = null, refusals: readonly TargetRefusal[] = [], notes: readonly string[] = []): ExecPlan {
  return planExec({ nodes, refusals, notes }, { account: readAccount('system') as Account, image: 'r.example/x:1', hasTerminal: false, now: NOW, batchSize });
}

const short = ({ items }: ExecPlan): readonly string[] => items.map(({ index, node, batch, refusal }) => `${index} ${node} ${batch}${refusal === null ? '' : ` ${refusal.reason}`}`);

describe('the plan of a run', () => {
  it('keeps the order, names each node once, and numbers what stands in names of objects', () => {
    assert.deepEqual(short(plan([target('b'), target('a'), target('b'), target('c')])), ['0 b 0', '1 a 0', '2 c 0']);
  });

  it('fills batches with nodes that can be reached', () => {
    const nodes = [target('a'), target('l', { os: 'linux' }), target('b'), target('c'), target('d', { runtime: 'docker://20.10.24' }), target('e')];
    assert.deepEqual(short(plan(nodes, 2)), ['0 a 0', '1 l 0 NotWindows', '2 b 0', '3 c 1', '4 d 1 NotSupported', '5 e 1']);
    assert.deepEqual(short(plan(nodes.slice(0, 4), 3)), ['0 a 0', '1 l 0 NotWindows', '2 b 0', '3 c 0']);
  });

  it('ends with what was not found, and says why and what to do', () => {
    const { items } = plan([target('a'), target('b')], 1, [{ node: 'x', reason: 'NotFound', message: 'there is no such node', remedy: 'Did you mean a?' }, { node: 'a', reason: 'NotFound', message: 'twice' }]);
    assert.deepEqual(items.at(-1), { index: 2, node: 'x', pool: null, batch: 1, refusal: { reason: 'NotFound', message: 'there is no such node', remedy: 'Did you mean a?' } });
    assert.equal(items.length, 3);
  });

  it('a refusal of a node says what to do', () => {
    assert.deepEqual(plan([target('l', { os: 'linux' })]).items[0]?.refusal, { reason: 'NotWindows', message: 'it runs Linux, not Windows', remedy: 'For Linux nodes there is kubectl debug node/NAME.' });
  });

  it('says which node a pod stands for, and of a refusal, too', () => {
    const { items, notes } = plan([{ ...target('a'), by: 'pod/web' }, { ...target('l', { os: 'linux' }), by: 'pod/shop/db' }]);
    assert.deepEqual([notes, items[1]?.refusal?.message], [['pod/web is on a'], 'it runs Linux, not Windows (the node of pod/shop/db)']);
  });

  it('says once what is to be known of several nodes', () => {
    const old = ['a', 'b', 'c', 'd', 'e'].map((name) => target(name, { kubeletVersion: 'v1.22.4' }));
    assert.deepEqual(plan([...old, target('f', { ready: false })], null, [], ['first']).notes, ['first', 'a, b, c and 2 more: kubelet 1.22 takes HostProcess pods only with the feature gate WindowsHostProcessContainers', 'f: not Ready; its kubelet is tried all the same']);
  });

  it('of nothing is nothing', () => assert.deepEqual(plan([]), { items: [], notes: [] }));
});
