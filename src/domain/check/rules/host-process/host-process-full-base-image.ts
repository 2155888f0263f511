import { containersText } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';

/** A HostProcess container on a base image whose files it does not need. */
export const hostProcessFullBaseImage = defineWorkloadRule({
  id: 'host-process-full-base-image',
  facts: ['HPC-011'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  isolation: 'host-process',
  summary: 'HostProcess container on a full Windows base image',
  rationale: 'A HostProcess container runs on the files of the node and needs none of the base image\'s. Server Core has gigabytes, comes in one image per build of Windows and is refused at pull where none matches; the HostProcess base image has a few kilobytes and suits every build.',
  remediation: 'Build from mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image.',
  reference: 'https://github.com/microsoft/windows-host-process-containers-base-image',
  asOf: '2026-11-30',
  messages: { full: 'HostProcess {containers} use {image}, of which the container needs no file' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', spec: ['tolerations: []'] }), path: 'spec.containers[0].image' }],
    good: [{ yaml: sampleHostProcessPod() }],
  },
  * check({ workload }) {
    const full = workload.containers.filter(({ isHostProcess, image }) => isHostProcess && image !== null && /^(mcr\.microsoft\.com|microsoft)\/(windows\/server|windows\/servercore|windowsservercore|windows)(:|@|$)/.test(image));
    const [first] = full;
    if (first === undefined) return;
    yield { messageId: 'full', data: { containers: containersText(full), image: first.image ?? '' }, path: [...first.path, 'image'], ...(full.length === 1 ? { container: first.name } : {}) };
  },
});
