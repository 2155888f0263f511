import assert from 'node:assert/strict';
import { PAUSE_IMAGES, isPauseImage, pauseImageBuilds } from '../../../../src/domain/windows/pause-images.ts';

describe('pause images', () => {
  it('have unique tags, ascending builds and sources', () => {
    assert.equal(new Set(PAUSE_IMAGES.map((row) => row.tag)).size, PAUSE_IMAGES.length);
    for (const row of PAUSE_IMAGES) {
      assert.deepEqual(row.builds, [...row.builds].toSorted((a, b) => a - b), row.tag);
      assert.match(row.source, /^https:\/\//);
    }
  });

  it('are told by their name', () => {
    for (const name of ['registry.k8s.io/pause:3.9', 'mcr.microsoft.com/oss/kubernetes/pause@sha256:aa', 'x.amazonaws.com/eks/pause-windows:latest', 'pause:3.5']) assert.equal(isPauseImage(name), true, name);
    for (const name of ['example.com/unpause:1', 'example.com/pause/app:1', 'pause', 'example.com/kubelet-pause:1']) assert.equal(isPauseImage(name), false, name);
  });

  it('have builds by tag, rebuilds included', () => {
    assert.deepEqual(pauseImageBuilds('mcr.microsoft.com/oss/kubernetes/pause:3.9-hotfix-20230808'), [17763, 19042, 20348]);
    assert.deepEqual(pauseImageBuilds('registry.k8s.io/pause:3.10.2'), [17763, 20348, 26100]);
    for (const name of ['registry.k8s.io/pause:4.0', 'registry.k8s.io/pause@sha256:aa', 'x/eks/pause-windows:latest']) assert.equal(pauseImageBuilds(name), null, name);
  });
});
