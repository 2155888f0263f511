import { stringAt } from '../../../kubernetes/object.ts';
import { isNamedPipe } from '../../../windows/paths.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { volumesOf } from './shared-volumes.ts';

/** A hostPath that the kubelet is to check for something that Windows does not have. */
export const hostPathTypeOfLinux = defineWorkloadRule({
  id: 'host-path-type-of-linux',
  facts: ['VOL-011'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The type of the hostPath is one of Linux',
  rationale: 'Before it starts the pod the kubelet looks whether a hostPath is what its type says. Windows has no character and block devices among its files, and named pipes are no sockets for it, so the check fails: "hostPath type check failed".',
  remediation: 'Remove hostPath.type, or set it to an empty text.',
  reference: 'https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types',
  asOf: '2026-11-30',
  messages: {
    type: 'hostPath type {type} of volume {volume} does not exist on Windows: "hostPath type check failed: {path} is not a {what}"',
    pipe: 'hostPath type {type} of volume {volume} does not fit the named pipe {path}, which is no {what} for the kubelet',
  },
  samples: {
    bad: [{ path: 'spec.volumes[0].hostPath.type', yaml: samplePod(withVolumes({ agent: 'hostPath:\n  path: C:\\agent\\agent.sock\n  type: Socket' })) }],
    good: [{ yaml: samplePod(withVolumes({ docker: "hostPath:\n  path: \\\\.\\pipe\\docker_engine\n  type: ''", logs: 'hostPath:\n  path: C:\\logs\n  type: DirectoryOrCreate' })) }],
  },
  * check({ workload }) {
    const names: Readonly<Record<string, string>> = { Socket: 'socket file', CharDevice: 'character device', BlockDevice: 'block device' };
    for (const { name, path, fields } of volumesOf(workload)) {
      const type = stringAt(fields, 'hostPath', 'type') ?? '';
      const what = Object.hasOwn(names, type) ? names[type] : undefined;
      if (what === undefined) continue;
      const host = stringAt(fields, 'hostPath', 'path') ?? '';
      const at = [...path, 'hostPath', 'type'];
      yield {
        messageId: isNamedPipe(host) ? 'pipe' : 'type', data: { type, volume: name, path: host, what }, path: at,
        // A socket of the Windows kind (AF_UNIX) passes the check on newer nodes.
        confidence: type === 'Socket' ? 'unknown' : 'proven',
        fix: { title: `remove hostPath.type of volume ${name}`, edits: [{ op: 'remove', path: at }], isSafe: true },
      };
    }
  },
});
