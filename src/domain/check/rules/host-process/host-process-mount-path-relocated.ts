import { containerName } from '../../../workload/container-names.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';
import type { Container } from '../../../workload/workload.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod, sampleNode, withVolumes } from '../../samples.ts';
import { containerMountsOf } from './shared-container-mounts.ts';
import { bindsHostPaths } from '../../../node/host-process-runtime.ts';
import { pathOnSystemDrive, windowsNodesOf } from './shared-host-process-nodes.ts';

const MOUNTED = withVolumes({ settings: ['configMap:', '  name: agent'] }, ['settings', 'mountPath: /etc/agent']);

/** On older nodes the mounts of HostProcess containers are not where mountPath says. */
export const hostProcessMountPathRelocated = defineWorkloadRule({
  id: 'host-process-mount-path-relocated',
  facts: ['HPC-008', 'C29'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Mount path of a HostProcess container that older nodes move',
  rationale: 'With containerd 1.6, and on Windows Server 2019, a volume of a HostProcess container does not appear at its mountPath but below the container\'s own folder, whose path the variable CONTAINER_SANDBOX_MOUNT_POINT holds. Programs that open the mountPath itself do not find it; client libraries do not find the service account token in C:\\var\\run\\secrets\\kubernetes.io\\serviceaccount either.',
  remediation: 'Open mounted files below $env:CONTAINER_SANDBOX_MOUNT_POINT (%CONTAINER_SANDBOX_MOUNT_POINT% in command, args and env), or by a relative path; or use nodes with containerd 1.7 or later on Windows Server 2022 or later.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#volume-mounts',
  asOf: '2026-11-30',
  messages: { moved: 'container {container} mounts {mountPath}, which {nodes} put below %CONTAINER_SANDBOX_MOUNT_POINT%' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod(MOUNTED), cluster: sampleNode({ build: '10.0.17763', containerd: '2.0.4' }), path: 'spec.containers[0].volumeMounts[0].mountPath' }],
    good: [
      { yaml: sampleHostProcessPod(MOUNTED), cluster: sampleNode({ build: '10.0.20348', containerd: '2.0.4' }) },
      { yaml: sampleHostProcessPod({ ...MOUNTED, command: "['powershell.exe', '-File', '%CONTAINER_SANDBOX_MOUNT_POINT%/etc/agent/run.ps1']" }), cluster: sampleNode({ build: '10.0.17763', containerd: '2.0.4' }) },
      { yaml: sampleHostProcessPod({ ...MOUNTED, command: "['agent.exe', '-c', 'etc/agent/agent.conf']" }), cluster: sampleNode({ build: '10.0.17763', containerd: '2.0.4' }) },
    ],
  },
  * check(subject) {
    const mounts = containerMountsOf(subject.workload);
    const mountsOf = (container: Container): readonly string[] => mounts.filter((mount) => mount.container === container).map(({ mountPath }) => mountPath);
    const moved = mounts.filter(({ container, mountPath, hostPath }) => container.isHostProcess
      && pathOnSystemDrive(mountPath) !== null
      // A folder of the host mounted onto itself is found either way.
      && (hostPath === null || pathOnSystemDrive(hostPath) !== pathOnSystemDrive(mountPath))
      && !JSON.stringify(container.fields).includes('CONTAINER_SANDBOX_MOUNT_POINT')
      && !opensRelatively(container, mountsOf(container)));
    const [first] = moved;
    if (first === undefined) return;
    const nodes = windowsNodesOf(subject);
    if (nodes === null) {
      yield { notEvaluated: 'nodes', about: 'whether nodes have containerd 1.6 or Windows Server 2019, which move mounts of HostProcess containers' };
      return;
    }
    const old = nodes.filter((node) => bindsHostPaths(node) === false);
    if (old.length === 0) return;
    yield {
      messageId: 'moved',
      data: { container: containerName(first.container), mountPath: first.mountPath, nodes: old.length === 1 ? `node ${old[0]?.name ?? ''}` : `${old.length} nodes` },
      path: [...first.path, 'mountPath'],
      container: first.container.name,
      nodes: old.map(({ name }) => name),
      evidence: moved.length > 1 ? [`${moved.length} mounts: ${moved.map(({ container, mountPath }) => `${mountPath} in ${containerName(container)}`).join(', ')}.`] : [],
    };
  },
});

/**
 * Whether command and args name what is mounted by a relative path, which is taken from the container's own folder wherever
 * the mount is: `-c fluent-bit.conf` for /fluent-bit.conf. A program that is told one of its mounts in that way is made for it.
 */
function opensRelatively({ fields }: Container, mountPaths: readonly string[]): boolean {
  if (stringAt(fields, 'workingDir') !== undefined) return false;
  const words = [...arrayAt(fields, 'command'), ...arrayAt(fields, 'args')].filter((word) => typeof word === 'string').map((word) => word.replaceAll('\\', '/').toLowerCase());
  const paths = mountPaths.flatMap((mountPath) => pathOnSystemDrive(mountPath) ?? []).filter((path) => path.length > 1);
  const names = (before: string, path: string): boolean => words.some((word) => new RegExp(`${before}${path.replaceAll(/[.*+?^${}()|[\]]/g, '\\$&')}(?:$|[/\\s"',;])`).test(word));
  return paths.some((path) => names('(?:^|[\\s"\'=])(?:\\./)?', path.slice(1))) && !paths.some((path) => names('(?:^|[\\s"\'=:])', path));
}
