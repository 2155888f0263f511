import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { windowsPathKey } from '../../../windows/paths.ts';
import type { FieldEdit } from '../../finding.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { allVolumeMountsOf, volumesOf, type Volume } from './shared-volumes.ts';

const DOCKER = '\\\\.\\pipe\\docker_engine';

/**
 * Sockets of Linux with the pipe that stands for them on Windows.
 * https://github.com/containerd/containerd/blob/main/defaults/defaults_windows.go, read 2026-11-30
 */
const PIPES: Readonly<Record<string, string>> = {
  'c:\\var\\run\\docker.sock': DOCKER,
  'c:\\run\\docker.sock': DOCKER,
  'c:\\run\\containerd\\containerd.sock': '\\\\.\\pipe\\containerd-containerd',
  'c:\\var\\run\\containerd\\containerd.sock': '\\\\.\\pipe\\containerd-containerd',
};

/** Folders that only Linux has, with everything in them. */
const FOLDERS = ['proc', 'sys', 'dev', 'boot', 'bin', 'sbin', 'lib', 'lib64', 'usr', 'run/systemd', 'run/udev', 'run/dbus', 'run/containerd', 'var/run/dbus', 'var/lib/docker', 'var/lib/containerd', 'var/log/journal', 'etc/ssl', 'etc/ssh', 'etc/systemd', 'etc/pam.d', 'etc/apparmor.d', 'etc/pki'];

/** Files and folders of Linux, but not what else is in these folders: C:\etc\kubernetes and C:\var\log are real on Windows nodes. */
const EXACT = ['etc', 'run', 'etc/passwd', 'etc/group', 'etc/shadow', 'etc/hosts', 'etc/hostname', 'etc/resolv.conf', 'etc/os-release', 'etc/lsb-release', 'etc/localtime', 'etc/timezone', 'etc/machine-id', 'etc/nsswitch.conf', 'etc/fstab', 'etc/ld.so.cache', 'etc/ld.so.conf', 'var/log/syslog', 'var/log/messages', 'var/log/auth.log', 'var/log/wtmp'];

const inC = (path: string): string => `c:\\${path.replaceAll('/', '\\')}`;
const FOLDER_KEYS = FOLDERS.map(inC);
const EXACT_KEYS = new Set(EXACT.map(inC));

/** A hostPath to what exists on Linux nodes only. */
export const linuxHostPath = defineWorkloadRule({
  id: 'linux-host-path',
  facts: ['VOL-010', 'C41', 'C43'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The hostPath is a file or folder of Linux',
  rationale: 'A path without a drive is taken from C: of the node, so /var/run/docker.sock means C:\\var\\run\\docker.sock. Where it does not exist containerd makes an empty folder of that name and starts the container: nothing fails until the program looks for what should be there.',
  remediation: 'Use the path of the Windows node; for sockets the named pipe, such as \\\\.\\pipe\\containerd-containerd.',
  reference: 'https://kubernetes.io/docs/concepts/storage/volumes/#hostpath',
  asOf: '2026-11-30',
  messages: {
    path: 'hostPath {path} of volume {volume} exists on Linux only: on a Windows node it is an empty folder {resolved}',
    socket: 'hostPath {path} of volume {volume} is a socket of Linux; on Windows it is the named pipe {pipe}',
    docker: 'hostPath {path} of volume {volume} is the socket of Docker on Linux; on Windows nodes it is the named pipe {pipe}, and only where Docker runs: with containerd there is none',
  },
  samples: {
    bad: [{
      path: 'spec.volumes[0].hostPath.path',
      yaml: samplePod(withVolumes({ docker: 'hostPath:\n  path: /var/run/docker.sock' }, ['docker', 'mountPath: /var/run/docker.sock'])),
    }, {
      path: 'spec.volumes[0].hostPath.path',
      yaml: samplePod(withVolumes({ containerd: 'hostPath:\n  path: /run/containerd/containerd.sock' }, ['containerd', 'mountPath: /run/containerd/containerd.sock'])),
    }, { path: 'spec.volumes[0].hostPath.path', yaml: samplePod(withVolumes({ proc: 'hostPath:\n  path: /proc' })) }],
    good: [{
      yaml: samplePod(withVolumes(
        { logs: 'hostPath:\n  path: /var/log/shop', kubelet: 'hostPath:\n  path: \\var\\lib\\kubelet', docker: 'hostPath:\n  path: \\\\.\\pipe\\docker_engine' },
        ['docker', 'mountPath: \\\\.\\pipe\\docker_engine'],
      )),
    }],
  },
  * check({ workload, placement }) {
    if (workload.osName === 'linux') return; // it contradicts itself; its paths are meant for Linux
    for (const volume of volumesOf(workload)) {
      const path = stringAt(volume.fields, 'hostPath', 'path');
      // C:\etc with its drive is what somebody wrote for Windows; two slashes at the start are as good as one, two backslashes are not
      if (path === undefined || !/^(?:\/|\\(?!\\))/.test(path)) continue;
      const key = windowsPathKey(path);
      const at = [...volume.path, 'hostPath', 'path'];
      const pipe = Object.hasOwn(PIPES, key) ? PIPES[key] : undefined;
      if (pipe !== undefined) {
        const edits = pipeEdits(volume, pipe, allVolumeMountsOf(workload).filter((mount) => mount.name === volume.name).map((mount) => [...mount.path, 'mountPath']));
        const isDocker = pipe === DOCKER;
        const isThere = !isDocker || (placement?.windowsCandidates ?? []).some(({ containerRuntime }) => containerRuntime?.name === 'docker');
        yield {
          messageId: isDocker ? 'docker' : 'socket', data: { path, volume: volume.name, pipe }, path: at,
          ...(isThere ? {} : { remediation: 'Do without Docker: use what speaks to containerd (\\\\.\\pipe\\containerd-containerd), or build images elsewhere.' }),
          ...(workload.isHostProcess || !isThere ? {} : { fix: { title: `use the named pipe ${pipe}`, edits, isSafe: false } }),
        };
      } else if (EXACT_KEYS.has(key) || FOLDER_KEYS.some((folder) => key === folder || key.startsWith(`${folder}\\`)) || /\\run\\.*\.sock$/.test(key)) {
        yield { messageId: 'path', data: { path, volume: volume.name, resolved: key.replace('c:', 'C:') }, path: at };
      }
    }
  },
});

function pipeEdits(volume: Volume, pipe: string, mountPaths: readonly FieldPath[]): readonly FieldEdit[] {
  return [
    { op: 'set', path: [...volume.path, 'hostPath', 'path'], value: pipe },
    ...((stringAt(volume.fields, 'hostPath', 'type') ?? '') === '' ? [] : [{ op: 'remove', path: [...volume.path, 'hostPath', 'type'] } as const]),
    ...mountPaths.map((path) => ({ op: 'set', path, value: pipe } as const)),
  ];
}
