import assert from 'node:assert/strict';
import { factTable } from '../../../../src/domain/kubernetes/fact-table.ts';
import { recordAt } from '../../../../src/domain/kubernetes/object.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { leavingTaints, passingTaints, settledNode, withSettledNodes } from '../../../../src/domain/scheduling/settled-node.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

const OWN = { key: 'os', value: 'windows', effect: 'NoSchedule' };

function node(name: string, taints: readonly (readonly [key: string, effect: string])[] = [], { unschedulable = false, pods = '30' } = {}): WindowsNode {
  const raw = rawNode(name, { taints: [OWN, ...taints.map(([key, effect]) => ({ key, effect }))] });
  const status = recordAt(raw, 'status');
  return describeNode({ ...raw, spec: { ...recordAt(raw, 'spec'), unschedulable }, status: { ...status, allocatable: { ...recordAt(status, 'allocatable'), pods } } }, { asOf: new Date('2026-11-30T12:00:00Z'), serverVersion: null });
}

describe('a node when what passes has passed', () => {
  for (const key of [
    'node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable', 'node.kubernetes.io/disk-pressure', 'node.kubernetes.io/memory-pressure', 'node.kubernetes.io/pid-pressure',
    'node.kubernetes.io/network-unavailable', 'node.cloudprovider.kubernetes.io/uninitialized', 'karpenter.sh/unregistered', 'ebs.csi.aws.com/agent-not-ready',
  ]) {
    it(`has no taint ${key}`, () => {
      const tainted = node('w', [[key, 'NoSchedule']]);
      assert.deepEqual([settledNode(tainted).taints, passingTaints(tainted).map((taint) => taint.key), leavingTaints(tainted)], [[OWN], [key], []]);
    });
  }

  it('is not cordoned, and takes pods', () => {
    const cordoned = node('w', [['node.kubernetes.io/unschedulable', 'NoSchedule']], { unschedulable: true, pods: '0' });
    const settled = settledNode(cordoned);
    assert.deepEqual([settled.unschedulable, settled.taints, settled.allocatable['pods'], passingTaints(cordoned)], [false, [OWN], '1', []]);
  });

  it('tells taints of nodes that are being removed', () => {
    for (const key of ['ToBeDeletedByClusterAutoscaler', 'karpenter.sh/disrupted', 'karpenter.sh/disruption']) {
      const leaving = node('w', [[key, 'NoSchedule']]);
      assert.deepEqual([leavingTaints(leaving).map((taint) => taint.key), passingTaints(leaving)], [[key], []]);
    }
  });

  it('is the very node where nothing passes, and keeps the taints of the operator', () => {
    const settled = node('w', [['team', 'NoExecute']]);
    assert.equal(settledNode(settled), settled);
  });

  it('stands beside what it is now, under the same name', () => {
    const [fine, cordoned] = [node('fine'), node('cordoned', [], { unschedulable: true })];
    const { nodes, settled } = withSettledNodes(factTable(new Map([fine, cordoned].map((one) => [one.name, one])), true));
    assert.deepEqual([[...nodes.values()].map(({ name }) => name), [...settled].map(({ name }) => name), nodes.get('cordoned'), nodes.isComplete], [['fine', 'cordoned', 'cordoned'], ['cordoned'], cordoned, true]);
  });
});
