import { listText } from '../../../list-text.ts';
import { parseOsVersion } from '../../../windows/containerd.ts';
import { defineWorkloadRule } from '../../rule.ts';
import type { CheckFacts } from '../../facts.ts';
import { evidenceOf } from '../../../workload/pod-evidence.ts';
import type { Workload } from '../../../workload/workload.ts';
import { aboutImage, answersOn, imagesOfPod, nodesForImages, nodesOf } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** Builds agree, revisions do not. */
export const imageRevisionNewer = defineWorkloadRule({
  id: 'image-revision-newer',
  facts: ['IMG-017', 'C11'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Image has a newer revision of Windows than the node within one build',
  rationale: 'From Windows Server 2019 on revisions need not agree, yet an image that is patched further than its node was seen to fail with 0xc0370106 (The container is exiting unexpectedly). On Windows Server 2016 they have to be equal.',
  remediation: 'Patch the nodes before the images.',
  reference: 'https://github.com/actions/runner-images/issues/11582',
  asOf: '2026-11-30',
  messages: {
    newer: '{image} of {containers} is of {version}, newer than {nodes}',
    unequal: '{image} of {containers} is of {version}, and Windows Server 2016 needs an equal revision: not so on {nodes}',
  },
  samples: {
    bad: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:10.0.20348.5499' }), cluster: nodesSample({ build: 20348, revision: 5386 }), path: 'spec.containers[0].image' }],
    good: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:10.0.20348.5256' }), cluster: nodesSample({ build: 20348, revision: 5386 }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }), cluster: nodesSample({ build: 20348, revision: 5386 }) },
    ],
  },
  * check({ workload, placement }, facts) {
    if (placement === null) return;
    for (const image of imagesOfPod(workload, facts.images)) {
      const answers = answersOn(image, nodesForImages(placement));
      const newer = answers.filter(({ answer }) => answer.isNewerRevision && answer.start !== 'mismatch');
      const unequal = answers.filter(({ node, answer }) => node.build === 14393 && node.revision !== null && answer.start === 'mismatch' && parseOsVersion(answer.entry ?? image.platforms.platforms[0]?.osVersion ?? '')?.build === 14393);
      for (const [messageId, found] of [['newer', newer], ['unequal', unequal]] as const) {
        const [first] = found;
        if (first === undefined) continue;
        const about = aboutImage(image);
        const version = first.answer.entry ?? image.platforms.platforms[0]?.osVersion ?? '';
        yield {
          ...about, messageId, nodes: nodesOf(found).names,
          data: { ...about.data, version, nodes: listText(nodesOf(found).nodes.slice(0, 6).map((node) => `${node.name} (10.0.${node.build ?? 0}.${node.revision ?? 0})`)) },
          ...(messageId === 'newer' && hasFailed(workload, facts) ? { severity: 'warning', confidence: 'observed' } : {}),
        };
      }
    }
  },
});

/** Whether pods of the workload were seen to end with the code of a revision that is too new. */
function hasFailed({ ref }: Workload, facts: CheckFacts): boolean {
  const evidence = evidenceOf(ref, facts.pods);
  return evidence?.symptoms.some(({ message }) => /0xc0370106/i.test(message)) ?? false;
}
