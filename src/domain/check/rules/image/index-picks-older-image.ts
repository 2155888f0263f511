import { listText } from '../../../list-text.ts';
import { buildMatches, parseOsVersion } from '../../../windows/containerd.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, answersOn, imageBuilds, imagesOfPod, nodesForImages, nodesOf } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** An index with an image for the node, before which an older one stands. */
export const indexPicksOlderImage = defineWorkloadRule({
  id: 'index-picks-older-image',
  facts: ['IMG-004', 'C11'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Older image than the node\'s own comes first in the index',
  rationale: 'containerd 1.7, 2.0 and 2.1 before 2.1.6 take the first entry of an index that matches, 1.6 the one with the highest revision. An index that lists ltsc2022 before ltsc2025 then gives a Windows Server 2025 node the older image, although its own is there.',
  remediation: 'List the newest build first when the index is made, or run containerd 2.1.6 or newer on the nodes.',
  reference: 'https://github.com/containerd/containerd/issues/11366',
  asOf: '2026-11-30',
  messages: { older: '{image} of {containers} has an image for build {own}, but {nodes} will take that of {taken}' },
  samples: {
    bad: [{
      yaml: imageSample({ image: 'registry.example/app:1.4', pin: '' }), cluster: nodesSample({ build: 26100, runtime: '2.0.4' }),
      images: { 'registry.example/app:1.4': ['linux', 'windows/10.0.20348.5386', 'windows/10.0.26100.4061'] }, path: 'spec.containers[0].image',
    }],
    good: [{
      yaml: imageSample({ image: 'registry.example/app:1.4', pin: '' }), cluster: nodesSample({ build: 26100, runtime: '2.0.4' }),
      images: { 'registry.example/app:1.4': ['windows/10.0.26100.4061', 'windows/10.0.20348.5386'] },
    }, { yaml: imageSample({ image: 'registry.k8s.io/pause:3.10.2', pin: '' }), cluster: nodesSample({ build: 26100, runtime: '2.0.4' }) }],
  },
  * check({ workload, placement }, facts) {
    if (placement === null) return;
    for (const image of imagesOfPod(workload, facts.images)) {
      const builds = imageBuilds(image);
      if (image.platforms.shape !== 'index' || builds.length < 2) continue;
      const older = answersOn(image, nodesForImages(placement)).flatMap((one) => {
        const { node, answer } = one;
        const taken = answer.entry === null ? null : parseOsVersion(answer.entry);
        const host = node.build;
        const own = host === null ? undefined : builds.findLast((build) => buildMatches('previous-ltsc', host, build));
        return taken === null || own === undefined || taken.build >= own ? [] : [{ ...one, taken: taken.build, own }];
      });
      const [first] = older;
      if (first === undefined) continue;
      const about = aboutImage(image);
      const { names } = nodesOf(older);
      yield { ...about, messageId: 'older', data: { ...about.data, own: `10.0.${first.own}`, taken: `10.0.${first.taken}`, nodes: listText(names) }, nodes: names };
    }
  },
});
