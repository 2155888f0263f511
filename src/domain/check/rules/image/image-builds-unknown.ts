import { defineWorkloadRule } from '../../rule.ts';
import { movingTagOf } from './shared-moving-tags.ts';
import { aboutImage, imagesOfPod, listText } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** Nothing at hand tells on which builds an image runs. */
export const imageBuildsUnknown = defineWorkloadRule({
  id: 'image-builds-unknown',
  facts: ['IMG-011', 'C10'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'Which builds of Windows the image holds is not known',
  rationale: 'The name of the image tells no build, and its registry was not asked or did not answer. Whether it runs on the nodes that the pod can land on is therefore not known, and not guessed.',
  remediation: 'Let the registry be asked (--images registry), or use a tag that names the release, such as 1.4-windowsservercore-ltsc2022.',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
  asOf: '2026-11-30',
  messages: {
    one: 'which builds of Windows {image} of {containers} holds is not known: {because}',
    several: 'which builds of Windows {count} images hold is not known: {images}',
  },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'registry.example/web:1.4' }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: `registry.example/web:1.4-ltsc2022@sha256:${'0123456789abcdef'.repeat(4)}` }) },
    ],
    good: [
      { yaml: imageSample({ image: 'registry.example/web:1.4-windowsservercore-ltsc2022' }) },
      { yaml: imageSample({ image: 'registry.example/web:1.4', os: 'linux', pin: '' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', hostProcess: true, pin: '' }) },
    ],
  },
  * check({ workload }, facts) {
    // Of a moving tag the rule on it says as much.
    const unknown = imagesOfPod(workload, facts.images).filter(({ parsed, platforms }) => parsed.kind === 'reference' && platforms.platforms.length === 0 && movingTagOf(parsed) === null);
    const [first] = unknown;
    if (first === undefined) return;
    const about = aboutImage({ ...first, containers: unknown.flatMap(({ containers }) => containers) });
    if (unknown.length === 1) {
      yield { ...about, evidence: [], messageId: 'one', data: { ...about.data, because: first.platforms.because } };
      return;
    }
    yield { ...about, messageId: 'several', data: { images: listText(unknown.map(({ image }) => image), 4), count: unknown.length }, evidence: unknown.map(({ image, platforms }) => `${image}: ${platforms.because}`) };
  },
});
