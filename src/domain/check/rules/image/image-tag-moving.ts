import { defineWorkloadRule } from '../../rule.ts';
import { movingTagOf } from './shared-moving-tags.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** `canary`, `edge`, `nightly` … in a pod for Windows. */
export const imageTagMoving = defineWorkloadRule({
  id: 'image-tag-moving',
  facts: ['IMG-015', 'C16'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'Image has a tag that is made to be moved',
  rationale: 'Tags such as canary, edge or nightly are pushed again and again. On Windows the build in the image may change with them, and nodes that have it already run another one than nodes that pull it now.',
  remediation: 'Use the tag of a version, or a digest.',
  reference: 'https://kubernetes.io/docs/concepts/containers/images/#image-names',
  asOf: '2026-11-30',
  messages: { moving: '{image} of {containers} has the moving tag {tag}' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'registry.example/csi:canary-windows-hp' }), path: 'spec.containers[0].image' }],
    good: [{ yaml: imageSample({ image: 'registry.example/csi:v1.2.0-windows-hp' }) }, { yaml: imageSample({ image: 'registry.example/canary/headmaster:v1' }) }],
  },
  * check({ workload }, facts) {
    for (const image of imagesOfPod(workload, facts.images)) {
      const moving = movingTagOf(image.parsed);
      if (moving?.kind !== 'moving') continue;
      const about = aboutImage(image);
      yield { ...about, confidence: 'proven', evidence: [], messageId: 'moving', data: { ...about.data, tag: moving.tag } };
    }
  },
});
