import { describeNode } from '../node/describe-node.ts';
import { parseKubernetesVersion } from '../kubernetes/version.ts';
import { nameOf, stringAt, type KubeObject } from '../kubernetes/object.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { ImagePlatformSource } from '../image/image-platforms.ts';
import { factTable, type CheckFacts, type FactTable } from './facts.ts';
import { kindKey } from './run-rules.ts';

export interface FactsOptions {
  /** `v1.36.3`, `1.36`; null when not known. */
  readonly kubernetesVersion: string | null;
  readonly asOf: Date;
  readonly images: ImagePlatformSource;
  /**
   * What is known of a kind (`group/Kind`): all objects of the cluster, some of them, or none, so that nothing follows from
   * their absence.
   */
  readonly completeness: (kind: string) => 'all' | 'some' | 'none';
}

/** Kinds that rules take as facts, with the field of CheckFacts that holds them. */
const FACT_KINDS = {
  '/Namespace': 'namespaces',
  'node.k8s.io/RuntimeClass': 'runtimeClasses',
  'storage.k8s.io/StorageClass': 'storageClasses',
  '/PersistentVolume': 'persistentVolumes',
  '/PersistentVolumeClaim': 'persistentVolumeClaims',
  'storage.k8s.io/CSINode': 'csiNodes',
  '/Service': 'services',
  '/ServiceAccount': 'serviceAccounts',
  'apps/DaemonSet': 'daemonSets',
  'apiextensions.k8s.io/CustomResourceDefinition': 'customResourceDefinitions',
  'windows.k8s.io/GMSACredentialSpec': 'gmsaCredentialSpecs',
} as const satisfies Readonly<Record<string, keyof CheckFacts>>;

const CLUSTER_SCOPED = new Set(['/Namespace', 'node.k8s.io/RuntimeClass', 'storage.k8s.io/StorageClass', '/PersistentVolume', 'storage.k8s.io/CSINode', 'apiextensions.k8s.io/CustomResourceDefinition', 'windows.k8s.io/GMSACredentialSpec']);

/** Facts from objects that are in memory: a recorded inventory, files, a sample. A live cluster's are gathered by the use case. */
export function factsOfObjects(objects: readonly KubeObject[], options: FactsOptions): CheckFacts {
  const version = options.kubernetesVersion === null ? null : parseKubernetesVersion(options.kubernetesVersion);
  const byKind = new Map<string, Map<string, KubeObject>>();
  const nodes = new Map<string, WindowsNode>();
  for (const object of objects) {
    const kind = kindKey(object);
    if (kind === '/Node') nodes.set(nameOf(object), describeNode(object, { asOf: options.asOf, serverVersion: options.kubernetesVersion }));
    else if (Object.hasOwn(FACT_KINDS, kind)) {
      const table = byKind.get(kind) ?? new Map<string, KubeObject>();
      table.set(factKey(object, kind), object);
      byKind.set(kind, table);
    }
  }
  const table = (kind: keyof typeof FACT_KINDS): FactTable<KubeObject> | null => {
    const completeness = options.completeness(kind);
    const entries = byKind.get(kind);
    return entries === undefined && completeness === 'none' ? null : factTable(entries ?? new Map<string, KubeObject>(), completeness === 'all');
  };
  const tables = Object.fromEntries(Object.entries(FACT_KINDS).map(([kind, field]) => [field, table(kind as keyof typeof FACT_KINDS)])) as Pick<CheckFacts, (typeof FACT_KINDS)[keyof typeof FACT_KINDS]>; // one entry per kind, made just here
  const nodeCompleteness = options.completeness('/Node');
  return {
    ...tables,
    kubernetesVersion: version,
    asOf: options.asOf,
    nodes: nodes.size === 0 && nodeCompleteness === 'none' ? null : factTable(nodes, nodeCompleteness === 'all'),
    workloads: null,
    images: options.images,
    pods: null,
  };
}

/** Name, or `namespace/name`; an object without a namespace goes to `default`, as kubectl puts it. */
export function factKey(object: KubeObject, kind: string = kindKey(object)): string {
  return CLUSTER_SCOPED.has(kind) ? nameOf(object) : `${stringAt(object, 'metadata', 'namespace') ?? 'default'}/${nameOf(object)}`;
}
