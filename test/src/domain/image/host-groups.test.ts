import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { hostGroupsOf, imageOnGroup, joinGroups } from '../../../../src/domain/image/host-groups.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
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
    assert.notEqual(joinGroups([second, first]), joinGroups([first, second]));
  });

  it('are asked about an image once for all lists, so that answers do not heap up with the parts of divided groups', () => {
    const platforms = TAG_PLATFORMS.platformsOf('mcr.microsoft.com/windows/nanoserver:ltsc2022');
    const answers = new Set(Array.from({ length: 100 }, () => hostGroupsOf([node('a', '10.0.20348.1')]).map((group) => imageOnGroup(platforms, group, 'process'))).flat());
    assert.equal(answers.size, 1);
    const [other] = hostGroupsOf([node('b', '10.0.17763.1')]);
    assert.ok(other !== undefined && !answers.has(imageOnGroup(platforms, other, 'process')));
  });

  it('leave nothing behind beside a group that stays', async () => {
    const [first] = hostGroupsOf(nodes);
    assert.ok(first !== undefined);
    const joinWithNew = (): WeakRef<object> => new WeakRef(joinGroups([first, ...hostGroupsOf([node('x', '10.0.26100.1')])]));
    const left = Array.from({ length: 10 }, joinWithNew);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let round = 0; round < 10 && left.some((one) => one.deref() !== undefined); round++) {
      await pause(1);
      collect();
    }
    assert.deepEqual(left.filter((one) => one.deref() !== undefined), []);
  });
});
