import assert from 'node:assert/strict';
import { SandboxImages } from '../../../../src/app/images/sandbox-images.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('SandboxImages', () => {
  it('are the pause images of Windows nodes, by tag where they have one', () => {
    const sandboxes = new SandboxImages();
    const images = [{ names: [`registry.k8s.io/pause@${DIGEST}`, 'registry.k8s.io/pause:3.10'] }, { names: ['x/pause-tool:1'] }];
    sandboxes.addNodes([rawNode('a', { images }), rawNode('b', { images: [...images, { names: [`r/eks/pause-windows@${DIGEST}`] }] }), rawNode('l', { os: 'linux', images: [{ names: ['r/pause:1'] }] })]);
    assert.deepEqual(sandboxes.images().map(({ image, nodes }) => [image, [...nodes]]), [[`r/eks/pause-windows@${DIGEST}`, ['b']], ['registry.k8s.io/pause:3.10', ['a', 'b']]]);
  });
});
