import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** The registry was asked, and has no such image. */
export const imageNotFound = defineWorkloadRule({
  id: 'image-not-found',
  facts: ['IMG-011', 'C10'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Registry has no such image, or does not show it',
  rationale: 'The registry answered that it has no image of this name and tag: a misspelt name, a tag that was never pushed or was removed, or an image that these credentials may not see, for which many registries say the same. A pull ends with "not found" then; nodes that have the image go on with it until they need it anew.',
  remediation: 'Correct the name or the tag, push the image, or give the pod imagePullSecrets that may see it.',
  reference: 'https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests',
  asOf: '2026-11-30',
  messages: { missing: '{image} of {containers} was not found: {problem}' },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'registry.example/web:1.4-ltsc2023' }), images: { 'registry.example/web:1.4-ltsc2023': [] }, path: 'spec.containers[0].image' },
    ],
    good: [
      { yaml: imageSample({ image: 'registry.example/web:1.4-ltsc2022' }) },
      { yaml: imageSample({ image: 'registry.example/web:1.4', os: 'linux', pin: '' }), images: { 'registry.example/web:1.4': [] } },
    ],
  },
  * check({ workload }, facts) {
    for (const image of imagesOfPod(workload, facts.images)) {
      const { missing } = image.platforms;
      if (missing === undefined) continue;
      const about = aboutImage(image);
      // the registry's own words are the evidence, whatever its name says
      yield { ...about, messageId: 'missing', confidence: 'registry', evidence: [], data: { ...about.data, problem: missing } };
    }
  },
});
