import { repositoryOf } from '../../../image/reference.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

const FULL = new Set(['mcr.microsoft.com/windows', 'mcr.microsoft.com/windows/server', 'docker.io/microsoft/windows']);

/** The biggest base images, which few programs need. */
export const fullWindowsBaseImage = defineWorkloadRule({
  id: 'full-windows-base-image',
  facts: ['C15'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  isolation: 'process',
  summary: 'Full Windows or Server base image where Server Core or Nano Server may do',
  rationale: 'The images windows and windows/server hold the whole API set of Windows and are several gigabytes larger than Server Core: pulls take longer, and nodes fill up sooner. Few programs need more than Server Core has.',
  remediation: 'Try the program on windows/servercore or windows/nanoserver.',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/manage-containers/container-base-images',
  asOf: '2026-11-30',
  messages: { full: '{image} of {containers} is one of the largest base images' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/server:ltsc2022' }), path: 'spec.containers[0].image' }],
    good: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }) }],
  },
  * check({ workload }, facts) {
    for (const image of imagesOfPod(workload, facts.images)) {
      if (image.parsed.kind === 'reference' && FULL.has(repositoryOf(image.parsed.reference))) yield { ...aboutImage(image), messageId: 'full', confidence: 'proven', evidence: [] };
    }
  },
});
