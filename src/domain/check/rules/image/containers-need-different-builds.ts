import { containersText } from '../../../workload/container-names.ts';
import { buildRunsImage } from '../../../image/image-on-node.ts';
import { CLIENT_BUILDS, SERVER_RELEASES } from '../../../windows/releases.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, answersOn, buildNumbersText, buildsOf, imageBuilds, imagesOfPod, isFailure, nodesForImages, type PodImage } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** Containers of one pod share a node, so their images must have a build in common. */
export const containersNeedDifferentBuilds = defineWorkloadRule({
  id: 'containers-need-different-builds',
  facts: ['C11', 'C9'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'process',
  summary: 'No build of Windows runs the images of all containers of the pod',
  rationale: 'All containers of a pod run on one node, so one build of Windows has to fit all their images, init containers included. An image on a moving base such as dotnet/framework/sdk:4.8 changes its build with a rebuild, and the pod no longer starts anywhere.',
  remediation: 'Build all images of the pod from the same release of Windows.',
  reference: 'https://github.com/jenkinsci/google-kubernetes-engine-plugin/issues/117',
  asOf: '2026-11-30',
  messages: { differ: 'no node can run both {image} of {containers} ({builds}) and {other} of {otherContainers} ({otherBuilds})' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', second: 'registry.example/log:1.0-ltsc2019', pin: '' }), path: 'spec.containers[1].image' }],
    good: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', second: 'registry.example/log:1.0-ltsc2025', pin: '' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', second: 'registry.k8s.io/pause:3.10.2', pin: '' }), cluster: nodesSample({ build: 20348 }) },
    ],
  },
  * check({ workload, placement }, facts) {
    const images = imagesOfPod(workload, facts.images).filter((image) => imageBuilds(image).length > 0);
    if (images.length < 2) return;
    const nodes = placement === null ? [] : nodesForImages(placement);
    // An image that fits no node at all is told by itself.
    if (nodes.length > 0 && images.some((image) => answersOn(image, nodes).every(isFailure))) return;
    const hosts = [...new Set(nodes.length > 0 ? buildsOf(nodes) : [...SERVER_RELEASES, ...CLIENT_BUILDS].map(({ build }) => build))];
    const runs = (image: PodImage, host: number): boolean => buildRunsImage(image.platforms, host) !== false;
    for (const [index, image] of images.entries()) {
      const other = images.slice(0, index).find((one) => hosts.length > 0 && !hosts.some((host) => runs(one, host) && runs(image, host)));
      if (other === undefined) continue;
      const about = aboutImage(image);
      const text = (one: PodImage): string => buildNumbersText(imageBuilds(one));
      yield {
        ...about, messageId: 'differ', evidence: [other.platforms.because, image.platforms.because],
        data: { ...about.data, image: other.image, containers: containersText(other.containers), builds: text(other), other: image.image, otherContainers: about.data.containers, otherBuilds: text(image) },
        ...(image.platforms.isGuess === true || other.platforms.isGuess === true ? { severity: 'warning', effect: 'may-fail' } : {}),
      };
      return;
    }
  },
});
