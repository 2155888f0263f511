import { defineWorkloadRule } from '../../rule.ts';
import { backedVolumesOf } from './shared-volume-backing.ts';

/** A volume that is to be formatted with a file system of Linux. */
export const linuxFileSystem = defineWorkloadRule({
  id: 'linux-file-system',
  facts: ['VOL-012', 'C44'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The volume is to have a file system of Linux',
  rationale: 'Windows formats disks with NTFS (or ReFS) and reads neither ext4 nor xfs. Some drivers take NTFS whatever fsType says; the others fail to format or mount the disk, and the pod stays in ContainerCreating. A disk that Linux has formatted cannot be read at all.',
  remediation: 'Set fsType to ntfs, in a StorageClass of its own for Windows.',
  reference: 'https://kubernetes.io/docs/concepts/storage/windows-storage/',
  asOf: '2026-11-30',
  messages: {
    inline: 'volume {volume} has fsType {fsType}, which Windows cannot mount',
    claimed: '{text} leads to a volume with fsType {fsType}, which Windows cannot mount',
  },
  samples: {
    bad: [{
      path: 'spec.volumes[0].csi.fsType',
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
    csi:
      driver: disk.csi.azure.com
      fsType: ext4
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`,
    }, {
      path: 'spec.volumes[0].persistentVolumeClaim.claimName',
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
    persistentVolumeClaim:
      claimName: data
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`,
      cluster: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: default
spec:
  storageClassName: fast
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: fast
provisioner: ebs.csi.aws.com
parameters:
  csi.storage.k8s.io/fstype: ext4
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
    csi:
      driver: disk.csi.azure.com
      fsType: ntfs
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`,
    }],
  },
  * check({ workload }, facts) {
    const open = new Map<'persistentVolumeClaims' | 'persistentVolumes' | 'storageClasses', string[]>();
    for (const { name, path, text, backing, missing } of backedVolumesOf(workload, facts)) {
      if (missing === 'persistentVolumeClaims' || missing === 'persistentVolumes' || missing === 'storageClasses') open.set(missing, [...open.get(missing) ?? [], text]);
      const fsType = backing?.fsType ?? '';
      if (backing === null || !/^(?:ext[234]|xfs|btrfs|zfs)$/i.test(fsType)) continue;
      const { fsTypePath } = backing;
      yield fsTypePath === null
        ? { messageId: 'claimed', data: { text, fsType }, path, evidence: [...backing.evidence, `its fsType is ${fsType}`] }
        : { messageId: 'inline', data: { volume: name, fsType }, path: fsTypePath, fix: { title: `set fsType of volume ${name} to ntfs`, edits: [{ op: 'set', path: fsTypePath, value: 'ntfs' }], isSafe: false } };
    }
    for (const [fact, texts] of open) yield { notEvaluated: fact, about: `which file system ${texts.join(', ')} will have` };
  },
});
