import { containerName } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod, withVolumes } from '../../samples.ts';
import { containerMountsOf } from './shared-container-mounts.ts';
import { bindsHostPaths } from '../../../node/host-process-runtime.ts';
import { pathOnSystemDrive, windowsNodesOf } from './shared-host-process-nodes.ts';

/** Folders that every Windows Server has and needs. */
const OF_WINDOWS = new Set(['/', '/windows', '/program files', '/program files (x86)', '/programdata', '/users']);

const mounting = (mountPath: string): string => sampleHostProcessPod(withVolumes({ data: ['hostPath:', "  path: 'C:\\agent'"] }, ['data', `mountPath: '${mountPath}'`]));

/** A mount of a HostProcess container lies over a folder of Windows. */
export const hostProcessMountShadowsHost = defineWorkloadRule({
  id: 'host-process-mount-shadows-host',
  facts: ['HPC-009'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Mount of a HostProcess container over a folder of Windows',
  rationale: 'Where a mount is bound to its mountPath (containerd 1.7 and later on Windows Server 2022 and later), the process sees the volume in place of the folder that the host has there. Over C:\\Windows or C:\\ProgramData that hides what Windows and its services keep there.',
  remediation: 'Mount the volume at a path of its own, for example C:\\hpc-data.',
  reference: 'https://github.com/microsoft/hcsshim/blob/v0.11.7/internal/jobcontainers/mounts.go',
  asOf: '2026-11-30',
  messages: { shadows: 'container {container} mounts a volume at {mountPath}, over a folder of Windows' },
  samples: {
    bad: [{ yaml: mounting('C:\\ProgramData'), path: 'spec.containers[0].volumeMounts[0].mountPath' }],
    good: [{ yaml: mounting('C:\\ProgramData\\agent') }],
  },
  * check(subject) {
    const nodes = windowsNodesOf(subject);
    if (nodes !== null && nodes.length > 0 && nodes.every((node) => bindsHostPaths(node) === false)) return;
    for (const { container, mountPath, hostPath, path } of containerMountsOf(subject.workload)) {
      const place = pathOnSystemDrive(mountPath);
      if (!container.isHostProcess || place === null || (hostPath !== null && pathOnSystemDrive(hostPath) === place)) continue;
      if (!OF_WINDOWS.has(place) && !place.startsWith('/windows/')) continue;
      yield { messageId: 'shadows', data: { container: containerName(container), mountPath }, path: [...path, 'mountPath'], container: container.name, confidence: nodes === null ? 'unknown' : 'proven' };
    }
  },
});
