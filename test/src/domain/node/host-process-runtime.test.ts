import assert from 'node:assert/strict';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { bindsHostPaths, isContainerdBefore } from '../../../../src/domain/node/host-process-runtime.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

function node(runtime: string, kernelVersion = '10.0.20348.5386'): WindowsNode {
  return describeNode(rawNode('win-1', { runtime, kernelVersion }), { serverVersion: null, asOf: new Date('2026-11-30') });
}

describe('how a node runs HostProcess containers', () => {
  it('an older containerd is told from a newer one, from another runtime and from none that is known', () => {
    assert.deepEqual(['containerd://1.6.33', 'containerd://1.7.0-rc.1', 'containerd://1.7.0', 'containerd://2.1.6', 'docker://20.10.24', 'containerd://unknown'].map((text) => isContainerdBefore(node(text), 1, 7)), [true, true, false, false, null, null]);
  });

  it('R107: paths of the host are bound from containerd 1.7 and Server 2022 on', () => {
    assert.equal(bindsHostPaths(node('containerd://1.7.20')), true);
    assert.equal(bindsHostPaths(node('containerd://1.6.33')), false);
    assert.equal(bindsHostPaths(node('containerd://2.1.6', '10.0.17763.7009')), false);
    assert.equal(bindsHostPaths(node('containerd://unknown')), null);
    assert.equal(bindsHostPaths(node('containerd://unknown', '10.0.17763.7009')), false);
  });
});
