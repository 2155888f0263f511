import { defineWorkloadRule } from '../../rule.ts';
import { CLAIMED, sampleClaim, sampleList, samplePod, sampleVolume, withVolumes } from '../../samples.ts';
import { backedVolumesOf, LINUX_VOLUME_KINDS } from './shared-volume-backing.ts';

const LINUX: ReadonlySet<string> = new Set(LINUX_VOLUME_KINDS);

/** A volume of a kind that only Linux can mount, in the pod or behind its claim. */
export const volumeKindOfLinux = defineWorkloadRule({
  id: 'volume-kind-of-linux',
  facts: ['VOL-004', 'C45'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Volume of a kind that Windows nodes cannot mount',
  rationale: 'The kubelet on Windows mounts nothing but SMB shares itself; for NFS, iSCSI, Fibre Channel, RBD, CephFS and the like the pod stays in ContainerCreating with FailedMount: "only cifs mount is supported now, fstype: …".',
  remediation: 'Use SMB (smb.csi.k8s.io, file.csi.azure.com), or a CSI driver with a node plugin for Windows.',
  reference: 'https://kubernetes.io/docs/concepts/storage/windows-storage/',
  asOf: '2026-11-30',
  messages: {
    inline: 'volume {volume} is of kind {kind}, which the kubelet cannot mount on Windows: "only cifs mount is supported now, fstype: …"',
    claimed: '{text} leads to a volume of kind {kind}, which the kubelet cannot mount on Windows: "only cifs mount is supported now, fstype: …"',
  },
  samples: {
    bad: [{ path: 'spec.volumes[0].nfs', yaml: samplePod(withVolumes({ data: 'nfs:\n  server: nfs.example.com\n  path: /exports/data' })) }, {
      path: 'spec.volumes[0].persistentVolumeClaim.claimName',
      yaml: samplePod(withVolumes(CLAIMED)),
      cluster: sampleList(sampleClaim('volumeName: pv-1'), sampleVolume('pv-1', ['nfs:', '  server: nfs.example.com', '  path: /exports/data'])),
    }],
    good: [{ yaml: samplePod(withVolumes({ data: 'csi:\n  driver: smb.csi.k8s.io' })) }],
  },
  * check({ workload }, facts) {
    const open = new Map<'persistentVolumeClaims' | 'persistentVolumes' | 'storageClasses', string[]>();
    for (const { name, path, text, backing, missing } of backedVolumesOf(workload, facts)) {
      if (missing === 'persistentVolumeClaims' || missing === 'persistentVolumes' || missing === 'storageClasses') open.set(missing, [...open.get(missing) ?? [], text]);
      // a provisioner that is no CSI driver may make volumes of any kind; only the bound volume tells
      if (backing !== null && backing.kind === null && backing.driver !== null && !backing.isCsi) open.set('persistentVolumes', [...open.get('persistentVolumes') ?? [], `${text} by ${backing.driver}`]);
      if (backing?.kind === null || backing === null || !LINUX.has(backing.kind)) continue;
      yield path.at(-1) === backing.kind
        ? { messageId: 'inline', data: { volume: name, kind: backing.kind }, path }
        : { messageId: 'claimed', data: { text, kind: backing.kind }, path, evidence: backing.evidence };
    }
    for (const [fact, texts] of open) yield { notEvaluated: fact, about: `whether Windows can mount ${texts.join(', ')}` };
  },
});
