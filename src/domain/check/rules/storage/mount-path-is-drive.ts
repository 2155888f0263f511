import { windowsPathOf } from '../../../windows/paths.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { allVolumeMountsOf } from './shared-volumes.ts';

/** A volume mounted over the whole C: drive of a container. */
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
  },
  samples: {
    bad: [{
      path: 'spec.containers[0].volumeMounts[0].mountPath',
      yaml: `
apiVersion: v1
kind: Pod
metadata:
  name: iis
spec:
  os:
    name: windows
  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348
  volumes:
  - name: data
    emptyDir: {}
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
    volumeMounts:
    - name: data
      mountPath: 'C:'
`,
    }],
    good: [{
      yaml: `
apiVersion: v1
kind: Pod
metadata:
  name: iis
spec:
  os:
    name: windows
  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348

  volumes:
  - name: data
    emptyDir: {}
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
    volumeMounts:
    - name: data
      mountPath: 'G:'
`,
    }, {
      yaml: `
apiVersion: v1
kind: Pod
metadata:
  name: iis
spec:
  os:
    name: windows
  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348

  volumes:
  - name: data
    emptyDir: {}
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
    volumeMounts:
    - name: data
      mountPath: /data
`,
    }],
  },
  * check({ workload }) {
    for (const mount of allVolumeMountsOf(workload)) {
      // an empty or relative path is another matter
      if (mount.mountPath === null || !/^(?:c:)?[\\/.]*$/i.test(mount.mountPath) || !/^(?:c:|[\\/])/i.test(mount.mountPath) || windowsPathOf(mount.mountPath).toLowerCase() !== 'c:\\') continue;
      const path = [...mount.path, 'mountPath'];
      const folder = `C:\\${mount.name}`;
      yield {
        messageId: mount.mountPath.length === 2 && mount.mountPath.endsWith(':') ? 'drive' : 'root', path, container: mount.container.name,
        data: { volume: mount.name, container: mount.container.name, mountPath: mount.mountPath },
        fix: { title: `mount volume ${mount.name} at ${folder}`, edits: [{ op: 'set', path, value: folder }], isSafe: false },
      };
    }
  },
});
