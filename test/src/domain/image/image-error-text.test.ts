import assert from 'node:assert/strict';
import { explainSymptom } from '../../../../src/domain/check/symptoms/symptom-kinds.ts';
import { imageErrorTexts } from '../../../../src/domain/image/image-error-text.ts';
import { imageOnNode } from '../../../../src/domain/image/image-on-node.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { parseContainerdVersion } from '../../../../src/domain/windows/containerd.ts';

/** Texts as they were seen, by what fails: of the events in https://github.com/containerd/containerd/issues/6989 and of containerd's pull request 7856. */
const SEEN = {
  pull: 'Failed to pull image "golang:1": rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/golang:1": no match for platform in manifest: not found',
  start: 'failed to create containerd task: failed to create shim task: hcs::CreateComputeSystem 5f1c: The container operating system does not match the host operating system.: unknown',
  sandbox: 'rpc error: code = NotFound desc = failed to get sandbox image "registry.k8s.io/pause:3.5": failed to pull image "registry.k8s.io/pause:3.5": failed to pull and unpack image "registry.k8s.io/pause:3.5": no match for platform in manifest: not found',
} as const;

describe('the error texts of an image that fails', () => {
  for (const [failure, role, image, seen, reason, kind] of [
    ['no-match', 'container', 'golang:1', SEEN.pull, 'ErrImagePull', 'no-matching-platform'],
    ['other-build', 'container', 'golang:1', SEEN.start, 'StartError', 'image-of-another-build'],
    ['no-match', 'sandbox', 'registry.k8s.io/pause:3.5', SEEN.sandbox, 'FailedCreatePodSandBox', 'sandbox-image-of-another-build'],
    ['other-build', 'sandbox', 'registry.k8s.io/pause:3.5', SEEN.start, 'FailedCreatePodSandBox', 'sandbox-image-of-another-build'],
  ] as const) {
    it(`are part of what was seen, which check explains as ${kind} (${failure}, ${role})`, () => {
      const [text, ...more] = imageErrorTexts(image, { failures: [failure] }, role);
      assert.deepEqual(more, []);
      assert.equal(text?.reason, reason);
      assert.ok(seen.includes(text.message), text.message);
      assert.equal(explainSymptom(text.reason, text.message)?.id, kind);
    });
  }

  it('name a digest without its tag, as containerd does', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    assert.match(imageErrorTexts(`golang:1@${digest}`, { failures: ['no-match'] })[0]?.message ?? '', new RegExp(`"docker\\.io/library/golang@${digest}"`));
  });

  it('are both where a tag does not tell whether it is an index', () => {
    const answer = imageOnNode(TAG_PLATFORMS.platformsOf('golang:1.22-windowsservercore-ltsc2019'), { build: 20348, revision: null, containerd: parseContainerdVersion('2.0.4') }, 'process');
    assert.deepEqual(imageErrorTexts('golang:1.22-windowsservercore-ltsc2019', answer).map(({ reason }) => reason), ['ErrImagePull', 'StartError']);
  });

  it('are none where nothing fails, or the words are not known', () => {
    assert.deepEqual(imageErrorTexts('a', { failures: [] }), []);
    assert.deepEqual(imageErrorTexts('a', { failures: ['other'] }), []);
  });
});
