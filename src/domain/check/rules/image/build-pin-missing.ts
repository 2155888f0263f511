import { listText } from '../../../list-text.ts';
import { buildMatches, STABLE_ABI_BUILDS } from '../../../windows/containerd.ts';
import { NO_PLATFORMS } from '../../../image/no-platforms.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, buildsOf, imagesOfPod, namesOf, nodesForImages } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** Nothing tells which build the image needs, and the pod can land on several. */
export const buildPinMissing = defineWorkloadRule({
  id: 'build-pin-missing',
  facts: ['NOD-007', 'C12'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Pod can land on Windows nodes of several builds, and its image\'s build is not known',
  rationale: 'An image for one build of Windows runs on nodes that fit it alone, and the scheduler does not look at builds. Whether this image holds several builds is not known, so where the pod lands may decide whether it runs.',
  remediation: 'Add a nodeSelector for node.kubernetes.io/windows-build with the image\'s build, or a RuntimeClass that has it; an image that holds all builds needs neither.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#handling-multiple-windows-versions-in-the-same-cluster',
  asOf: '2026-11-30',
  messages: { unpinned: 'the pod can land on builds {builds}, and which of them {image} of {containers} fits is not known' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'registry.example/shop/web:1.4', pin: '' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }), path: 'spec.containers[0].image' }],
    good: [
      { yaml: imageSample({ image: 'registry.example/shop/web:1.4' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }) },
      { yaml: imageSample({ image: 'registry.example/shop/agent:1.4', pin: '', kind: 'DaemonSet' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }) },
      { yaml: imageSample({ image: 'registry.k8s.io/pause:3.10.2', pin: '' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }) },
      { yaml: imageSample({ image: 'registry.example/web:1.4', pin: '' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }), images: { 'registry.example/web:1.4': ['windows/10.0.17763.1', 'windows/10.0.20348.1'] } },
    ],
  },
  * check({ workload, placement }, facts) {
    // A DaemonSet means all nodes, whatever their builds: its images are made for that, or shown as unknown.
    if (placement === null || workload.object.kind === 'DaemonSet' || facts.images === NO_PLATFORMS) return;
    const builds = buildsOf(nodesForImages(placement));
    if (builds.length < 2) return;
    const [image, ...more] = imagesOfPod(workload, facts.images).filter(({ parsed, platforms }) => parsed.kind === 'reference' && platforms.platforms.length === 0 && platforms.os !== 'linux');
    if (image === undefined) return;
    const about = aboutImage({ ...image, containers: [image, ...more].flatMap(({ containers }) => containers) });
    yield {
      ...about, messageId: 'unpinned', nodes: namesOf(nodesForImages(placement)), evidence: [image, ...more].map((one) => `${one.image}: ${one.platforms.because}`),
      data: { ...about.data, image: listText([image, ...more].map((one) => one.image), 3), builds: listText(builds.map((build) => `10.0.${build}`)) },
      // One image of an older build may run on all of them; where that cannot be, an image of one build must fail somewhere.
      ...(hasCommonImage(builds) ? { severity: 'info', effect: 'advice' } : {}),
    };
  },
});

function hasCommonImage(builds: readonly number[]): boolean {
  return [...builds, ...STABLE_ABI_BUILDS].some((image) => builds.every((host) => buildMatches('previous-ltsc', host, image)));
}
