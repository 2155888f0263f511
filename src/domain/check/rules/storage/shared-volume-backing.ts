/** What stands behind the volumes of a pod: a kind of volume in the pod itself, or claim, PersistentVolume and StorageClass. */
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, isRecord, stringAt, stringMapAt, valueAt, type KubeObject } from '../../../kubernetes/object.ts';
import type { Workload } from '../../../workload/workload.ts';
import type { CheckFacts, FactName } from '../../facts.ts';
import type { FactTable } from '../../../kubernetes/fact-table.ts';
import { volumesOf } from './shared-volumes.ts';

/** What a volume is made of, as far as it could be found out. */
export interface VolumeBacking {
  /** `csi`, or the name of the field of a volume or PersistentVolume: `nfs`, `azureDisk`; null for a StorageClass whose provisioner is no known kind. */
  readonly kind: string | null;
  /** Name of the CSI driver, or of a provisioner that may be one; null for all others. */
  readonly driver: string | null;
  /** Whether `driver` certainly is a CSI driver and not another sort of provisioner. */
  readonly isCsi: boolean;
  readonly fsType: string | null;
  /** Field that sets fsType, where it is one of the workload. */
  readonly fsTypePath: FieldPath | null;
  /** How it was found: `claim data uses StorageClass fast`. */
  readonly evidence: readonly string[];
}

export interface BackedVolume {
  /** Of the volume or the claim template. */
  readonly name: string;
  /** Field of the workload that leads to it: `….claimName`, `….nfs`, `….storageClassName`. */
  readonly path: FieldPath;
  /** null where nothing follows from what is there: no such claim, no class yet. */
  readonly backing: VolumeBacking | null;
  /** Fact without which it stays open; null where it does not. */
  readonly missing: FactName | null;
  /** Words for a report on what is missing: `claim data`. */
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Resolved = Pick<BackedVolume, 'backing' | 'missing'>;

/**
 * In-tree names that the CSI migration hands to drivers, all of them since 1.26.
 * https://github.com/kubernetes/csi-translation-lib/tree/v0.37.2/plugins, read 2026-11-30
 */
const MIGRATED: readonly { readonly field: string; readonly provisioner: string; readonly driver: string }[] = [
  { field: 'azureDisk', provisioner: 'kubernetes.io/azure-disk', driver: 'disk.csi.azure.com' },
  { field: 'azureFile', provisioner: 'kubernetes.io/azure-file', driver: 'file.csi.azure.com' },
  { field: 'gcePersistentDisk', provisioner: 'kubernetes.io/gce-pd', driver: 'pd.csi.storage.gke.io' },
  { field: 'awsElasticBlockStore', provisioner: 'kubernetes.io/aws-ebs', driver: 'ebs.csi.aws.com' },
  { field: 'vsphereVolume', provisioner: 'kubernetes.io/vsphere-volume', driver: 'csi.vsphere.vmware.com' },
  { field: 'cinder', provisioner: 'kubernetes.io/cinder', driver: 'cinder.csi.openstack.org' },
];

/** In-tree kinds of volumes that the kubelet mounts with tools of Linux. */
export const LINUX_VOLUME_KINDS = ['nfs', 'iscsi', 'fc', 'rbd', 'cephfs', 'glusterfs', 'quobyte', 'storageos', 'scaleIO', 'flocker'] as const;

/** Their provisioners in StorageClasses, of servers that still have them. */
const LINUX_PROVISIONERS: Readonly<Record<string, string>> = {
  'kubernetes.io/rbd': 'rbd', 'kubernetes.io/glusterfs': 'glusterfs', 'kubernetes.io/quobyte': 'quobyte', 'kubernetes.io/storageos': 'storageos', 'kubernetes.io/scaleio': 'scaleIO',
};

const DEFAULT_CLASS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** All volumes of a workload that something outside the container runtime has to mount; configMap, emptyDir and the like are none. */
export function backedVolumesOf(workload: Workload, facts: CheckFacts): readonly BackedVolume[] {
  const namespace = workload.ref.namespace ?? 'default';
  const found: BackedVolume[] = [];
  for (const { name, path, fields } of volumesOf(workload)) {
    const claimName = stringAt(fields, 'persistentVolumeClaim', 'claimName');
    const template = valueAt(fields, 'ephemeral', 'volumeClaimTemplate', 'spec');
    if (claimName !== undefined) {
      const text = `claim ${claimName}`;
      found.push({ name, path: [...path, 'persistentVolumeClaim', 'claimName'], text, ...resolveClaim(claimName, namespace, facts, text) });
    } else if (isRecord(template)) {
      const text = `ephemeral volume ${name}`;
      found.push({ name, path: [...path, 'ephemeral', 'volumeClaimTemplate', 'spec', 'storageClassName'], text, ...resolveClaimSpec(template, facts, [], text) });
    } else {
      const kind = [...LINUX_VOLUME_KINDS, 'csi', 'flexVolume', ...MIGRATED.map(({ field }) => field)].find((field) => isRecord(fields[field]));
      if (kind === undefined) continue;
      found.push({ name, path: [...path, kind], text: `volume ${name}`, backing: backingOfSource(kind, fields[kind] as Fields, [], facts, [...path, kind]), missing: null });
    }
  }
  return [...found, ...claimTemplatesOf(workload, namespace, facts)];
}

/** spec.volumeClaimTemplates of a StatefulSet (and of the like); a claim that its first pod made tells more than the template. */
function claimTemplatesOf(workload: Workload, namespace: string, facts: CheckFacts): readonly BackedVolume[] {
  if (workload.template.path.join('.') !== 'spec.template') return [];
  return arrayAt(workload.object, 'spec', 'volumeClaimTemplates').flatMap((template, index) => {
    const spec = valueAt(template, 'spec');
    if (!isRecord(spec)) return [];
    const name = stringAt(template, 'metadata', 'name') ?? '';
    const text = `claim template ${name}`;
    const made = facts.persistentVolumeClaims?.get(`${namespace}/${name}-${workload.ref.name}-0`);
    const madeSpec = made === undefined ? undefined : valueAt(made, 'spec');
    return [{
      name, text, path: ['spec', 'volumeClaimTemplates', index, 'spec', 'storageClassName'],
      ...(isRecord(madeSpec) ? resolveClaimSpec(madeSpec, facts, [`claim ${name}-${workload.ref.name}-0 exists`], text) : resolveClaimSpec(spec, facts, [], text)),
    }];
  });
}

function resolveClaim(claimName: string, namespace: string, facts: CheckFacts, text: string): Resolved {
  const looked = lookUp(facts.persistentVolumeClaims, `${namespace}/${claimName}`, 'persistentVolumeClaims');
  if (looked.object === null) return { backing: null, missing: looked.missing };
  const spec = valueAt(looked.object, 'spec');
  return isRecord(spec) ? resolveClaimSpec(spec, facts, [], text) : { backing: null, missing: null };
}

function resolveClaimSpec(spec: Fields, facts: CheckFacts, evidence: readonly string[], text: string): Resolved {
  const volumeName = stringAt(spec, 'volumeName') ?? '';
  if (volumeName !== '') {
    const looked = lookUp(facts.persistentVolumes, volumeName, 'persistentVolumes');
    if (looked.object !== null) return { backing: backingOfPersistentVolume(looked.object, volumeName, facts, [...evidence, `${text} is bound to PersistentVolume ${volumeName}`]), missing: null };
    const byClass = resolveClass(spec, facts, evidence, text);
    return byClass.backing === null ? { backing: null, missing: looked.missing } : byClass;
  }
  return resolveClass(spec, facts, evidence, text);
}

function resolveClass(spec: Fields, facts: CheckFacts, evidence: readonly string[], text: string): Resolved {
  const named = stringAt(spec, 'storageClassName');
  if (named === '') return { backing: null, missing: null }; // binds to a volume that someone made by hand, not known which
  if (named !== undefined) {
    const looked = lookUp(facts.storageClasses, named, 'storageClasses');
    return looked.object === null ? { backing: null, missing: looked.missing } : backingOfClass(looked.object, named, facts, [...evidence, `${text} uses StorageClass ${named}`]);
  }
  if (facts.storageClasses === null) return { backing: null, missing: 'storageClasses' };
  for (const one of facts.storageClasses.values()) {
    const annotations = stringMapAt(one, 'metadata', 'annotations');
    if (DEFAULT_CLASS.some((key) => annotations[key] === 'true')) {
      const name = stringAt(one, 'metadata', 'name') ?? '';
      return backingOfClass(one, name, facts, [...evidence, `${text} names no StorageClass, the default one is ${name}`]);
    }
  }
  return { backing: null, missing: facts.storageClasses.isComplete ? null : 'storageClasses' };
}

function backingOfClass(storageClass: KubeObject, name: string, facts: CheckFacts, evidence: readonly string[]): Resolved {
  const provisioner = stringAt(storageClass, 'provisioner');
  if (provisioner === undefined || provisioner === 'kubernetes.io/no-provisioner') return { backing: null, missing: null };
  const fsType = Object.entries(stringMapAt(storageClass, 'parameters')).find(([key]) => /^(?:csi\.storage\.k8s\.io\/)?fstype$/i.test(key))?.[1] ?? null;
  const seen = [...evidence, `StorageClass ${name} is provisioned by ${provisioner}`];
  const linux = Object.hasOwn(LINUX_PROVISIONERS, provisioner) ? LINUX_PROVISIONERS[provisioner] : undefined;
  if (linux !== undefined) return { backing: { kind: linux, driver: null, isCsi: false, fsType, fsTypePath: null, evidence: seen }, missing: null };
  const migrated = MIGRATED.find((one) => one.provisioner === provisioner);
  if (migrated !== undefined) return { backing: { kind: migrated.field, driver: migratedDriver(migrated.driver, facts), isCsi: true, fsType, fsTypePath: null, evidence: seen }, missing: null };
  if (provisioner.startsWith('kubernetes.io/')) return { backing: { kind: null, driver: null, isCsi: false, fsType, fsTypePath: null, evidence: seen }, missing: null };
  // other provisioners (nfs-subdir, local-path) make volumes of in-tree kinds, so a name alone is no CSI driver
  const isCsi = /(?:^|[.-])csi(?:[.-]|$)/.test(provisioner) || isKnownCsiDriver(provisioner, facts);
  return { backing: { kind: isCsi ? 'csi' : null, driver: provisioner, isCsi, fsType, fsTypePath: null, evidence: seen }, missing: null };
}

function backingOfPersistentVolume(volume: KubeObject, name: string, facts: CheckFacts, evidence: readonly string[]): VolumeBacking | null {
  const spec = valueAt(volume, 'spec');
  if (!isRecord(spec)) return null;
  const kind = [...LINUX_VOLUME_KINDS, 'csi', ...MIGRATED.map(({ field }) => field)].find((field) => isRecord(spec[field]));
  return kind === undefined ? null : backingOfSource(kind, spec[kind] as Fields, [...evidence, `PersistentVolume ${name} is of kind ${kind}`], facts, null);
}

function backingOfSource(kind: string, source: Fields, evidence: readonly string[], facts: CheckFacts, path: FieldPath | null): VolumeBacking {
  const driver = kind === 'csi' ? stringAt(source, 'driver') ?? null : migratedDriver(MIGRATED.find(({ field }) => field === kind)?.driver ?? null, facts);
  // the API server writes ext4 into every azureDisk without fsType and xfs into scaleIO, so they say nothing of what anybody wanted
  const isDefaulted = kind === 'azureDisk' || kind === 'scaleIO';
  const fsType = isDefaulted ? null : stringAt(source, 'fsType') ?? null;
  return { kind, driver, isCsi: driver !== null, fsType, fsTypePath: fsType === null || path === null ? null : [...path, 'fsType'], evidence };
}

function migratedDriver(driver: string | null, facts: CheckFacts): string | null {
  const version = facts.kubernetesVersion;
  return version !== null && version.major === 1 && version.minor < 26 ? null : driver;
}

function isKnownCsiDriver(name: string, facts: CheckFacts): boolean {
  for (const node of facts.csiNodes?.values() ?? []) {
    if (driversOf(node).includes(name)) return true;
  }
  return false;
}

/** Names of the drivers that are registered on the node of a CSINode. */
export function driversOf(csiNode: KubeObject): readonly string[] {
  return arrayAt(csiNode, 'spec', 'drivers').flatMap((driver) => stringAt(driver, 'name') ?? []);
}

function lookUp(table: FactTable<KubeObject> | null, key: string, fact: FactName): { readonly object: KubeObject | null; readonly missing: FactName | null } {
  const object = table?.get(key);
  if (object !== undefined) return { object, missing: null };
  return { object: null, missing: table?.isComplete === true ? null : fact };
}
