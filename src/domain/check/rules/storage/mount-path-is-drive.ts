import { containerName } from '../../../workload/container-names.ts';
import type { WindowsNode } from '../../../node/windows-node.ts';
import { compareContainerdVersions, parseContainerdVersion } from '../../../windows/containerd.ts';
import { windowsPathOf } from '../../../windows/paths.ts';
import type { Placement } from '../../../scheduling/placement.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { allVolumeMountsOf } from './shared-volumes.ts';

/**
 * First containerd that takes a drive as mount path: https://github.com/containerd/containerd/pull/6929 is in v1.6.5, read
 * 2026-11-30. (https://github.com/containerd/containerd/issues/6589 names 1.6.14, with which somebody tried it.)
 */
const TAKES_DRIVES = { major: 1, minor: 6, patch: 5, preRelease: null };

/** A volume mounted over the whole C: drive of a container, or at another drive where containerd cannot do that. */
export const mountPathIsDrive = defineWorkloadRule({
  id: 'mount-path-is-drive',
  facts: ['VOL-009', 'C41'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'process',
  summary: 'The volume is mounted over drive C: of the container',
  rationale: 'Drive C: of a Windows container is its own system disk and cannot be replaced by a volume. containerd refuses mountPath C: with "destination path can not be C drive"; C:\\ and / fail when the container is started.',
  remediation: 'Mount the volume in a folder of C:, or as another drive.',
  reference: 'https://github.com/containerd/containerd/blob/main/internal/cri/opts/spec_windows_opts.go',
  asOf: '2026-11-30',
  messages: {
    drive: 'volume {volume} is mounted over C: in container {container}: "destination path can not be C drive"',
    root: 'mountPath {mountPath} of volume {volume} in container {container} is the whole of drive C:, the system disk of the container',
    oldRuntime: 'mountPath {mountPath} of volume {volume} in container {container} is a drive, which containerd before 1.6.5 cannot mount: "The parameter is incorrect"',
  },
  samples: {
    bad: [{ path: 'spec.containers[0].volumeMounts[0].mountPath', yaml: samplePod(withVolumes({ data: 'emptyDir: {}' }, ['data', "mountPath: 'C:'"])) }],
    good: [
      { yaml: samplePod(withVolumes({ data: 'emptyDir: {}' }, ['data', "mountPath: 'G:'"])) },
      { yaml: samplePod(withVolumes({ data: 'emptyDir: {}' }, ['data', 'mountPath: /data'])) },
    ],
  },
  * check({ workload, placement }) {
    for (const mount of allVolumeMountsOf(workload)) {
      if (mount.mountPath !== null && /^[abd-z]:$/i.test(mount.mountPath)) {
        const old = nodesWithoutDrives(placement);
        const isEverywhere = old.length === placement?.windowsCandidates.length;
        const path = [...mount.path, 'mountPath'];
        const folder = `C:\\${mount.name}`;
        if (old.length > 0) {
          yield {
            messageId: 'oldRuntime', path, container: mount.container.name, nodes: old.map(({ name }) => name),
            data: { volume: mount.name, container: containerName(mount.container), mountPath: mount.mountPath },
            ...(isEverywhere ? {} : { severity: 'warning', effect: 'may-fail' }),
            remediation: 'Upgrade containerd, or mount the volume in a folder of C:.', reference: 'https://github.com/containerd/containerd/issues/6589',
            fix: { title: `mount volume ${mount.name} at ${folder}`, edits: [{ op: 'set', path, value: folder }], isSafe: false },
          };
        }
      }
      // an empty or relative path is another matter
      if (mount.mountPath === null || !/^(?:c:)?[\\/.]*$/i.test(mount.mountPath) || !/^(?:c:|[\\/])/i.test(mount.mountPath) || windowsPathOf(mount.mountPath).toLowerCase() !== 'c:\\') continue;
      const path = [...mount.path, 'mountPath'];
      const folder = `C:\\${mount.name}`;
      yield {
        messageId: mount.mountPath.length === 2 && mount.mountPath.endsWith(':') ? 'drive' : 'root', path, container: mount.container.name,
        data: { volume: mount.name, container: containerName(mount.container), mountPath: mount.mountPath },
        fix: { title: `mount volume ${mount.name} at ${folder}`, edits: [{ op: 'set', path, value: folder }], isSafe: false },
      };
    }
  },
});

function nodesWithoutDrives(placement: Placement | null): readonly WindowsNode[] {
  return (placement?.windowsCandidates ?? []).filter(({ containerRuntime }) => {
    const version = containerRuntime?.name === 'containerd' ? parseContainerdVersion(containerRuntime.version) : null;
    return version !== null && compareContainerdVersions(version, TAKES_DRIVES) < 0;
  });
}
