import { defineWorkloadRule } from '../../rule.ts';
import { CLAIMED, sampleClaim, sampleList, samplePod, sampleStorageClass, withVolumes } from '../../samples.ts';
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
    bad: [{ path: 'spec.volumes[0].csi.fsType', yaml: samplePod(withVolumes({ data: 'csi:\n  driver: disk.csi.azure.com\n  fsType: ext4' })) }, {
      path: 'spec.volumes[0].persistentVolumeClaim.claimName',
      yaml: samplePod(withVolumes(CLAIMED)),
      cluster: sampleList(sampleClaim('storageClassName: fast'), sampleStorageClass('fast', 'ebs.csi.aws.com', 'csi.storage.k8s.io/fstype: ext4')),
    }],
    good: [{ yaml: samplePod(withVolumes({ data: 'csi:\n  driver: disk.csi.azure.com\n  fsType: ntfs' })) }],
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
