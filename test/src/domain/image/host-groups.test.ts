import assert from 'node:assert/strict';
import { hostGroupsOf, joinGroups } from '../../../../src/domain/image/host-groups.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';

function node(name: string, kernelVersion: string, runtime = 'containerd://2.3.4'): WindowsNode {
  return describeNode({ kind: 'Node', metadata: { name }, status: { nodeInfo: { operatingSystem: 'windows', kernelVersion, containerRuntimeVersion: runtime } } }, { asOf: new Date('2026-11-30'), serverVersion: null });
}

describe('groups of nodes that are alike', () => {
  const nodes = [node('a', '10.0.20348.1'), node('b', '10.0.26100.1'), node('c', '10.0.20348.1'), node('d', '10.0.20348.2'), node('e', '10.0.20348.1', 'containerd://1.7.5')];

  it('are by build, revision and runtime, in the order of the list', () => {
    assert.deepEqual(hostGroupsOf(nodes).map((group) => group.nodes.map(({ name }) => name)), [['a', 'c'], ['b'], ['d'], ['e']]);
    assert.equal(hostGroupsOf(nodes), hostGroupsOf(nodes), 'made once for a list');
  });

  it('join to one shared list of names', () => {
    const [first, second] = hostGroupsOf(nodes);
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(joinGroups([first, second]).names, ['a', 'c', 'b']);
    assert.equal(joinGroups([first, second]), joinGroups([first, second]));
    assert.deepEqual(joinGroups([]).names, []);
  });
});
