import { listText } from '../../../list-text.ts';
import { hostOfNode } from '../../../image/image-on-node.ts';
import { matcherEra } from '../../../windows/containerd.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, answersOn, buildsText, imageBuilds, imagesOfPod, isFailure, nodesForImages, nodesOf } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** The kernel could run it, the node's containerd does not take it from the index. */
export const runtimeRefusesImage = defineWorkloadRule({
  id: 'runtime-refuses-image',
  facts: ['IMG-012', 'IMG-001', 'IMG-002', 'C11'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Node\'s containerd refuses an image that the node could run',
  rationale: 'containerd before 1.6.23 and 1.7.6 takes only entries of the node\'s very build, and 2.1.6 to 2.3.4 none of Windows Server 2022 on hosts newer than Windows Server 2025, although Windows would run them. The pull ends with "no match for platform in manifest".',
  remediation: 'Upgrade containerd on these nodes: 1.7.6 takes older images on Windows Server 2025, 2.3.5 on newer hosts too.',
  reference: 'https://github.com/containerd/platforms/pull/34',
  asOf: '2026-11-30',
  messages: { refused: '{image} of {containers} is refused by containerd {versions} on {builds}: {because}' },
  samples: {
    // Older versions that refuse it, too, are past their support, which is another finding.
    bad: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: 'node.kubernetes.io/windows-build: 10.0.27000' }), cluster: nodesSample({ build: 27000, runtime: '2.3.4' }), path: 'spec.containers[0].image', severity: 'error' }],
    good: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: 'node.kubernetes.io/windows-build: 10.0.26100' }), cluster: nodesSample({ build: 26100, runtime: '2.3.4' }) }],
  },
  * check({ workload, placement }, facts) {
    if (placement === null) return;
    for (const image of imagesOfPod(workload, facts.images).filter((one) => imageBuilds(one).length > 0)) {
      const answers = answersOn(image, nodesForImages(placement));
      const refused = answers.filter((one) => isFailure(one) && one.answer.blame === 'runtime');
      const [first] = refused;
      if (first === undefined) continue;
      const { nodes, names } = nodesOf(refused);
      const isExact = refused.some(({ node }) => matcherEra(hostOfNode(node).containerd)?.builds === 'exact');
      const isEverywhere = answers.every(isFailure);
      const about = aboutImage(image);
      yield {
        ...about, messageId: 'refused', nodes: names,
        data: { ...about.data, because: first.answer.because, builds: buildsText(nodes), versions: listText([...new Set(refused.map(({ node }) => node.containerRuntime?.version ?? 'of an unknown version'))]) },
        facts: [isExact ? (isEverywhere ? 'IMG-001' : 'IMG-002') : 'IMG-012'],
        ...(isEverywhere ? { severity: 'error', effect: 'cannot-run' } : {}),
      };
    }
  },
});
