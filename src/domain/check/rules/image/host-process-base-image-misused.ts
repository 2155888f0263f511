import { isHostProcessBase } from '../../../image/known-repositories.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** The base image for HostProcess containers in a container that is none. */
export const hostProcessBaseImageMisused = defineWorkloadRule({
  id: 'host-process-base-image-misused',
  facts: ['IMG-016'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'process',
  summary: 'HostProcess base image in a container that is no HostProcess container',
  rationale: 'The HostProcess base image holds no Windows at all: a HostProcess container finds its programs on the node. Under process isolation there is nothing to start.',
  remediation: 'Make the pod a HostProcess pod (windowsOptions.hostProcess and hostNetwork), or use an image on Nano Server or Server Core.',
  reference: 'https://github.com/microsoft/windows-host-process-containers-base-image#overview',
  asOf: '2026-11-30',
  messages: { misused: '{image} of {containers} holds no Windows and cannot start outside of a HostProcess container' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0' }), path: 'spec.containers[0].image' }],
    good: [{ yaml: imageSample({ image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', hostProcess: true }) }],
  },
  * check({ workload }, facts) {
    for (const image of imagesOfPod(workload, facts.images)) {
      if (image.parsed.kind === 'reference' && isHostProcessBase(image.parsed.reference)) yield { ...aboutImage(image), messageId: 'misused' };
    }
  },
});
