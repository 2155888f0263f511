import { defineWorkloadRule } from '../../rule.ts';
import { baseImageFix } from './shared-base-image-edit.ts';
import { aboutImage, answersOn, buildNumbersText, buildsOf, imageBuilds, imagesOfPod, isFailure, nodesForImages, nodesOf } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** HostProcess containers need no build to run, but containerd does not know that when it pulls. */
export const hostProcessImageRefused = defineWorkloadRule({
  id: 'host-process-image-refused',
  facts: ['IMG-007', 'C11'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Index of a HostProcess container\'s image has no entry that the node may pull',
  rationale: 'A HostProcess container runs on every build, but containerd chooses from an index by os.version all the same: where no entry fits the node the pull ends with "no match for platform in manifest". A single image, and an entry without os.version, are pulled everywhere.',
  remediation: 'Use a single image or an index with an entry for each build of the nodes; images made from the HostProcess base image fit all of them.',
  reference: 'https://github.com/containerd/containerd/issues/7431',
  asOf: '2026-11-30',
  messages: { refused: '{image} of HostProcess {containers} cannot be pulled on {builds}: {because}' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/nanoserver:ltsc2019', pin: '', hostProcess: true }), cluster: nodesSample({ build: 20348 }), path: 'spec.containers[0].image' }],
    good: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/nanoserver:ltsc2022', pin: '', hostProcess: true }), cluster: nodesSample({ build: 20348 }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', pin: '', hostProcess: true }), cluster: nodesSample({ build: 20348 }, { build: 26100 }) },
      { yaml: imageSample({ image: 'registry.example/agent:1.0-nanoserver-1809', pin: '', hostProcess: true }), cluster: nodesSample({ build: 20348 }) },
    ],
  },
  * check({ workload, placement }, facts) {
    const images = imagesOfPod(workload, facts.images).filter((image) => image.isHostProcess && image.platforms.shape === 'index' && imageBuilds(image).length > 0);
    if (placement === null) return;
    for (const image of images) {
      const answers = answersOn(image, nodesForImages(placement));
      const failing = answers.filter(isFailure);
      const [first] = failing;
      if (first === undefined) continue;
      const { nodes, names } = nodesOf(failing);
      const builds = buildsOf(nodes);
      const about = aboutImage(image);
      const fix = failing.length === answers.length && builds.length === 1 && builds[0] !== undefined ? baseImageFix(image.parsed, image.containers, builds[0]) : null;
      yield {
        ...about, messageId: 'refused', data: { ...about.data, builds: buildNumbersText(builds), because: first.answer.because }, nodes: names,
        ...(failing.length === answers.length ? {} : { severity: 'warning', effect: 'may-fail' }),
        ...(fix === null ? {} : { fix }),
      };
    }
  },
});
