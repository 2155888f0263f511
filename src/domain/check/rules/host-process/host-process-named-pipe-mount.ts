import { containerName } from '../../../workload/container-names.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';
import { isNamedPipe } from '../../../windows/paths.ts';
import type { Workload } from '../../../workload/workload.ts';
import type { Fix } from '../../finding.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';
import { containerMountsOf, type ContainerMount } from './shared-container-mounts.ts';

/** A named pipe mounted into a HostProcess container. */
export const hostProcessNamedPipeMount = defineWorkloadRule({
  id: 'host-process-named-pipe-mount',
  facts: ['HPC-005'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Named pipe mounted into a HostProcess container',
  rationale: 'A HostProcess container sees the pipes of the host as they are, and mounting one fails: "named pipe mounts not supported for job containers - interact with the pipe directly".',
  remediation: 'Remove the mount and its volume; open the pipe by its path, \\\\.\\pipe\\NAME.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#limitations',
  asOf: '2026-11-30',
  messages: { pipe: 'container {container} mounts the named pipe {pipe}, which fails in a HostProcess container' },
  samples: {
    bad: [{
      yaml: sampleHostProcessPod({ container: ['volumeMounts:', '- name: pipe', "  mountPath: '\\\\.\\pipe\\containerd-containerd'"], spec: ['volumes:', '- name: pipe', '  hostPath:', "    path: '\\\\.\\pipe\\containerd-containerd'"] }),
      path: 'spec.containers[0].volumeMounts[0]',
    }],
    good: [{ yaml: sampleHostProcessPod() }],
  },
  * check({ workload }) {
    const mounts = containerMountsOf(workload);
    for (const mount of mounts) {
      const { container, path } = mount;
      const pipe = pipeOf(mount);
      if (pipe === null) continue;
      yield { messageId: 'pipe', data: { container: containerName(container), pipe }, path, container: container.name, fix: fixOf(mount, mounts, workload) };
    }
  },
});

/** The pipe that a HostProcess container mounts; null for another mount. What is mounted counts, not where to. */
function pipeOf({ container, hostPath }: ContainerMount): string | null {
  return container.isHostProcess && hostPath !== null && isNamedPipe(hostPath) ? hostPath : null;
}

/** A volume goes with the last of its mounts: the API server refuses a mount without a volume. */
function fixOf(mount: ContainerMount, mounts: readonly ContainerMount[], workload: Workload): Fix {
  const volume = arrayAt(workload.spec, 'volumes').findIndex((one) => stringAt(one, 'name') === mount.volumeName);
  const ofVolume = mounts.filter(({ volumeName }) => volumeName === mount.volumeName);
  const isUsedAsDevice = workload.containers.some(({ fields }) => arrayAt(fields, 'volumeDevices').some((device) => stringAt(device, 'name') === mount.volumeName));
  if (volume === -1 || isUsedAsDevice || ofVolume.some((one) => pipeOf(one) === null)) return { title: 'remove the mount of the pipe', edits: [{ op: 'remove', path: mount.path }], isSafe: false };
  return {
    title: `remove the ${ofVolume.length === 1 ? 'mount' : 'mounts'} of the pipe and the volume`,
    edits: [...ofVolume.map(({ path }) => ({ op: 'remove', path } as const)), { op: 'remove', path: [...workload.specPath, 'volumes', volume] }], isSafe: false,
  };
}
