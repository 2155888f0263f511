import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** A Linux image in a pod for Windows. */
export const imageWithoutWindows = defineWorkloadRule({
  id: 'image-without-windows',
  facts: ['IMG-005', 'C13', 'C10'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Image has no variant for Windows, and the pod is for Windows',
  rationale: 'A Windows node cannot run Linux containers. containerd finds no entry for windows/amd64 in the index and ends the pull with "no match for platform in manifest".',
  remediation: 'Use an image that is published for Windows, or select Linux nodes.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#windows-nodes-in-kubernetes',
  asOf: '2026-11-30',
  messages: { linux: '{image} of {containers} has no image for Windows: {because}' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'registry.example/etcd:3.5' }), images: { 'registry.example/etcd:3.5': ['linux'] } }, { yaml: imageSample({ image: 'busybox:1.36' }), path: 'spec.containers[0].image', severity: 'warning' }],
    good: [
      { yaml: imageSample({ image: 'busybox:1.36', os: 'linux', pin: '' }) },
      { yaml: imageSample({ image: 'registry.example/e2e/nginx:1.15-alpine' }) },
    ],
  },
  * check({ workload, os }, facts) {
    // Hints alone would let one image accuse the other.
    if (!os.evidence.some((one) => one.os === 'windows' && one.strength !== 'hint')) return;
    for (const image of imagesOfPod(workload, facts.images)) {
      const { platforms } = image.platforms;
      if (platforms.length === 0 || platforms.some((platform) => platform.os === 'windows') || image.platforms.isGuess === true) continue;
      const about = aboutImage(image);
      yield {
        ...about, messageId: 'linux', data: { ...about.data, because: image.platforms.because },
        ...(image.platforms.confidence === 'registry' ? {} : { severity: 'warning', effect: 'may-fail' }),
      };
    }
  },
});
