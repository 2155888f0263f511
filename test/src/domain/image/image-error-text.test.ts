import assert from 'node:assert/strict';
import { explainSymptom } from '../../../../src/domain/check/symptoms/symptom-kinds.ts';
import { imageErrorText } from '../../../../src/domain/image/image-error-text.ts';

describe('the error text of an image that fails', () => {
  for (const [outcome, role, reason, kind] of [
    ['fails-at-pull', 'container', 'ErrImagePull', 'no-matching-platform'],
    ['fails-at-start', 'container', 'StartError', 'image-of-another-build'],
    ['fails-at-pull', 'sandbox', 'FailedCreatePodSandBox', 'sandbox-image-of-another-build'],
    ['fails-at-start', 'sandbox', 'FailedCreatePodSandBox', 'sandbox-image-of-another-build'],
  ] as const) {
    it(`is what check explains as ${kind} when it is seen (${outcome}, ${role})`, () => {
      const text = imageErrorText('registry.example/web:1', { outcome }, role);
      assert.equal(text?.reason, reason);
      assert.equal(explainSymptom(text?.reason ?? '', text?.message ?? '')?.id, kind);
    });
  }

  it('names the image, and is none where nothing fails', () => {
    assert.match(imageErrorText('registry.example/web:1', { outcome: 'fails-at-pull' })?.message ?? '', /"registry\.example\/web:1"/);
    for (const outcome of ['runs', 'runs-down-level', 'unknown'] as const) assert.equal(imageErrorText('a', { outcome }), null);
  });
});
