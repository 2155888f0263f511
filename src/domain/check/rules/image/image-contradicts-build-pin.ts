import { buildRunsImage } from '../../../image/image-on-node.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { buildPinOf } from './shared-build-pin.ts';
import { aboutImage, buildNumbersText, imageBuilds, imagesOfPod, nodesForImages } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** What the pod says of its build and what its image's tag says do not go together, whatever the cluster. */
export const imageContradictsBuildPin = defineWorkloadRule({
  id: 'image-contradicts-build-pin',
  facts: ['IMG-009', 'C9', 'C12'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Image is of another build of Windows than the one that the pod selects',
  rationale: 'The pod selects nodes of one build, and its image is of one that these cannot run: the pull ends with "no match for platform in manifest", or the container does not start (0xc0370101).',
  remediation: 'Make the selector and the image\'s tag name the same release.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#handling-multiple-windows-versions-in-the-same-cluster',
  asOf: '2026-11-30',
  messages: { differs: '{image} of {containers} is of {builds}, but the pod selects {pinned} ({pin}), which cannot run it' },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2019' }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: 'registry.example/web:1.0-nanoserver-1809' }) },
    ],
    good: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: 'node.kubernetes.io/windows-build: 10.0.26100' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2019', pin: 'kubernetes.azure.com/os-sku: Windows2019' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2019', pin: 'node.kubernetes.io/windows-build: 10.0.17763' }), cluster: nodesSample({ build: 17763 }) },
    ],
  },
  * check({ workload, placement }, facts) {
    const pin = buildPinOf(workload, facts.runtimeClasses);
    // On known nodes the mismatch is judged on each of them.
    if (pin === null || (placement !== null && nodesForImages(placement).length > 0)) return;
    for (const image of imagesOfPod(workload, facts.images)) {
      const builds = imageBuilds(image);
      if (builds.length === 0 || !pin.builds.every((build) => buildRunsImage(image.platforms, build) === false)) continue;
      const [only] = builds;
      const about = aboutImage(image);
      const canPin = builds.length === 1 && pin.key === 'node.kubernetes.io/windows-build' && pin.path.at(-1) === pin.key;
      yield {
        ...about, messageId: 'differs',
        ...(image.platforms.confidence === 'registry' ? { remediation: 'Select the build that the registry\'s image holds, or push an image of the build that the pod selects.' } : {}),
        data: { ...about.data, builds: `${buildNumbersText(builds)}${image.platforms.confidence === 'registry' ? ' by its registry' : ''}`, pinned: buildNumbersText(pin.builds), pin: pin.text },
        ...(canPin && only !== undefined ? { fix: { title: `select build 10.0.${only}`, edits: [{ op: 'set', path: pin.path, value: `10.0.${only}` }], isSafe: false } } : {}),
      };
    }
  },
});
