import { newestBaseFor } from './shared-newest-base.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, answersOn, buildsText, imageBuilds, imagesOfPod, nodesForImages, nodesOf } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** An older image on newer nodes: allowed since Windows Server 2022. */
export const imageRunsDownLevel = defineWorkloadRule({
  id: 'image-runs-down-level',
  facts: ['IMG-003', 'C11'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  isolation: 'process',
  summary: 'Image of an older Windows Server runs on newer nodes',
  rationale: 'Windows Server 2025 runs images of Windows Server 2022 under process isolation: the nodes can move first, the images later. Some vendors support images of the node\'s own release only.',
  remediation: 'Nothing has to be done; plan an image of the node\'s release before the older one leaves support.',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
  asOf: '2026-11-30',
  messages: { older: '{image} of {containers} runs on {builds} as an image of an older release: {because}' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: 'node.kubernetes.io/windows-build: 10.0.26100' }), cluster: nodesSample({ build: 26100 }), path: 'spec.containers[0].image' }],
    good: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }), cluster: nodesSample({ build: 20348 }) },
    ],
  },
  * check({ workload, placement }, facts) {
    if (placement === null) return;
    for (const image of imagesOfPod(workload, facts.images)) {
      const newest = Math.max(...imageBuilds(image));
      const older = answersOn(image, nodesForImages(placement)).filter(({ node, answer }) => answer.outcome === 'runs-down-level' && (newestBaseFor(node.build) ?? 0) > newest);
      const [first] = older;
      if (first === undefined) continue;
      const about = aboutImage(image);
      const { nodes, names } = nodesOf(older);
      yield { ...about, messageId: 'older', data: { ...about.data, builds: buildsText(nodes), because: first.answer.because }, nodes: names };
    }
  },
});
