import { defineWorkloadRule } from '../../rule.ts';
import { baseImageFix } from './shared-base-image-edit.ts';
import { buildPinOf } from './shared-build-pin.ts';
import { aboutImage, answersOn, buildsOf, buildsText, imageBuilds, imagesOfPod, isFailure, namesOf, nodesForImages } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** An image that starts on none of the nodes its pods can land on. */
export const imageBuildMismatch = defineWorkloadRule({
  id: 'image-build-mismatch',
  facts: ['IMG-001', 'IMG-006', 'IMG-009', 'C11', 'C9', 'C10'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'process',
  summary: 'Image fits the build of no Windows node that the pod can land on',
  rationale: 'Under process isolation a container shares the node\'s kernel: before Windows Server 2022 the builds must be equal, from then on the image may be older down to the previous LTSC, never newer. containerd refuses an index at pull ("no match for platform in manifest"), a single image is pulled and then does not start ("The container operating system does not match the host operating system", 0xc0370101).',
  remediation: 'Use an image that is built from the node\'s release of Windows, or pin the pod to nodes of the image\'s build.',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
  asOf: '2026-11-30',
  messages: { mismatch: '{image} of {containers} fits none of the Windows nodes it can land on ({builds}): {because}' },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2019', pin: '' }), cluster: nodesSample({ build: 20348 }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: 'registry.example/web:1.0-windowsservercore-ltsc2025', pin: '' }), cluster: nodesSample({ build: 20348 }) },
      { yaml: imageSample({ image: 'registry.example/curl:1803', pin: '' }), cluster: nodesSample({ build: 20348 }), severity: 'warning' },
    ],
    good: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: '' }), cluster: nodesSample({ build: 26100 }) },
      { yaml: imageSample({ image: 'registry.example/web:1.0', pin: '' }), cluster: nodesSample({ build: 20348 }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2019', pin: 'node.kubernetes.io/windows-build: 10.0.17763' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }) },
    ],
  },
  * check({ workload, placement }, facts) {
    const images = imagesOfPod(workload, facts.images).filter((image) => imageBuilds(image).length > 0);
    if (placement === null) {
      if (images.length > 0) yield { notEvaluated: 'nodes', about: 'whether they can run the image\'s build' };
      return;
    }
    const nodes = nodesForImages(placement);
    const builds = buildsOf(nodes);
    for (const image of images) {
      const answers = answersOn(image, nodes);
      const [first] = answers.filter((one) => isFailure(one) && one.answer.blame === 'image');
      if (first === undefined || !answers.every(isFailure)) continue;
      const pin = buildPinOf(workload, facts.runtimeClasses);
      const about = aboutImage(image);
      const fix = builds.length === 1 && builds[0] !== undefined ? baseImageFix(image.parsed, image.containers, builds[0]) : null;
      yield {
        ...about, messageId: 'mismatch', data: { ...about.data, builds: buildsText(nodes), because: first.answer.because }, nodes: namesOf(nodes),
        facts: ['IMG-001', ...(image.platforms.shape === 'manifest' ? ['IMG-006'] : []), ...(pin === null ? [] : ['IMG-009'])],
        ...(image.platforms.isGuess === true ? { severity: 'warning', effect: 'may-fail' } : {}),
        ...(fix === null ? {} : { fix }),
      };
    }
  },
});
