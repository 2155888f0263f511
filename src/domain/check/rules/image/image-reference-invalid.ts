import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** An image name that nothing can be pulled by. */
export const imageReferenceInvalid = defineWorkloadRule({
  id: 'image-reference-invalid',
  facts: ['IMG-013'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'any',
  summary: 'Image is no valid reference, or a placeholder that nothing has replaced',
  rationale: 'The API server takes almost any text for an image. The kubelet then cannot parse it: the container waits with InvalidImageName ("couldn\'t parse image name"). Text such as ${IMAGE} or __tag__ is left over from a tool that should have filled it in.',
  remediation: 'Write the image as registry/repository:tag in lower-case letters, or run the tool that fills it in.',
  reference: 'https://kubernetes.io/docs/concepts/containers/images/#image-names',
  asOf: '2026-11-30',
  messages: {
    placeholder: 'the image of {containers} holds {placeholder}, a placeholder that nothing has replaced: {image}',
    invalid: 'the image of {containers} is no image reference, {reason}: {image}',
  },
  samples: {
    bad: [
      { yaml: imageSample({ image: '$(IMAGE)' }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: 'registry.example/shop/web:__imageTag__' }) },
      { yaml: imageSample({ image: 'registry.example/Shop/web:1.0-windowsservercore-ltsc2022' }) },
      { yaml: imageSample({ image: '<image-name>', os: 'linux', pin: '' }), severity: 'info' },
    ],
    good: [{ yaml: imageSample({ image: 'registry.example/shop/web__api:1.0-windowsservercore-ltsc2022' }) }],
  },
  * check({ workload, os }, facts) {
    for (const image of imagesOfPod(workload, facts.images)) {
      const { parsed } = image;
      if (parsed.kind === 'reference') continue;
      const about = aboutImage(image);
      // Other tools judge Linux workloads; theirs is only mentioned.
      const isForWindows = os.os === 'windows' || os.os === 'contradictory';
      const common = { ...about, confidence: 'proven', evidence: [], ...(isForWindows ? {} : { severity: 'info' as const }) } as const;
      if (parsed.kind === 'placeholder') {
        yield { ...common, messageId: 'placeholder', data: { ...about.data, placeholder: parsed.placeholder } };
      } else {
        // The API server refuses white space around the image of a Pod, and nothing else (validateContainerOnlyForPod of
        // https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/validation/validation.go, read 2026-11-30).
        yield { ...common, messageId: 'invalid', data: { ...about.data, reason: parsed.reason }, ...(image.image.trim() === image.image || workload.template.path.length > 0 ? {} : { effect: 'rejected' as const }) };
      }
    }
  },
});
