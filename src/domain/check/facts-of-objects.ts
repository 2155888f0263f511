import { describeNode } from '../node/describe-node.ts';
import { judgeCluster } from '../node/judge-cluster.ts';
import { compareKubernetesVersions, parseKubernetesVersion, type KubernetesVersion } from '../kubernetes/version.ts';
import { isRecord, nameOf, namespaceOf, stringAt, type KubeObject } from '../kubernetes/object.ts';
import { kindKey } from '../kubernetes/resource.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { ImagePlatformSource } from '../image/image-platforms.ts';
import type { LifecycleOverrides } from '../windows/providers.ts';
import type { CheckFacts } from './facts.ts';
import { factTable, type FactTable } from '../kubernetes/fact-table.ts';

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
  readonly overrides?: LifecycleOverrides;
  readonly poolLabels?: readonly string[];
}

/** Kinds that rules take as facts, with the field of CheckFacts that holds them. */
const FACT_KINDS = {
  '/Namespace': 'namespaces',
  'node.k8s.io/RuntimeClass': 'runtimeClasses',
  'storage.k8s.io/StorageClass': 'storageClasses',
  '/PersistentVolume': 'persistentVolumes',
  '/PersistentVolumeClaim': 'persistentVolumeClaims',
  'storage.k8s.io/CSINode': 'csiNodes',
  '/ServiceAccount': 'serviceAccounts',
  'apps/DaemonSet': 'daemonSets',
  'apiextensions.k8s.io/CustomResourceDefinition': 'customResourceDefinitions',
  'windows.k8s.io/GMSACredentialSpec': 'gmsaCredentialSpecs',
} as const satisfies Readonly<Record<string, keyof CheckFacts>>;

const CLUSTER_SCOPED = new Set(['/Namespace', 'node.k8s.io/RuntimeClass', 'storage.k8s.io/StorageClass', '/PersistentVolume', 'storage.k8s.io/CSINode', 'apiextensions.k8s.io/CustomResourceDefinition', 'windows.k8s.io/GMSACredentialSpec']);

/** The object in a namespace, where it names none and its kind has one. */
export function inNamespace(object: KubeObject, namespace: string): KubeObject {
  const kind = kindKey(object);
  if (kind === '/Node' || CLUSTER_SCOPED.has(kind) || stringAt(object, 'metadata', 'namespace') !== undefined || !isRecord(object.metadata)) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Gathers facts object by object; of a node only its description is kept. */
export class FactsBuilder {
  readonly #options: FactsOptions;
  readonly #byKind = new Map<string, Map<string, KubeObject>>();
  readonly #nodes = new Map<string, WindowsNode>();

  constructor(options: FactsOptions) {
    this.#options = options;
  }

  /** Takes an object if it is of a kind that rules take as facts; the last one of a name counts. */
  add(object: KubeObject): void {
    const kind = kindKey(object);
    if (kind === '/Node') {
      const { asOf, kubernetesVersion: serverVersion, overrides = {}, poolLabels = [] } = this.#options;
      this.#nodes.set(nameOf(object), describeNode(object, { asOf, serverVersion, overrides, poolLabels }));
    } else if (Object.hasOwn(FACT_KINDS, kind)) {
      let table = this.#byKind.get(kind);
      if (table === undefined) this.#byKind.set(kind, table = new Map<string, KubeObject>());
      table.set(factKey(object, kind), object);
    }
  }

  /** The facts gathered so far, without workloads and pods. */
  facts(): CheckFacts {
    const { completeness, asOf, images, kubernetesVersion } = this.#options;
    const table = (kind: keyof typeof FACT_KINDS): FactTable<KubeObject> | null => {
      const known = completeness(kind);
      const entries = this.#byKind.get(kind);
      return entries === undefined && known === 'none' ? null : factTable(entries ?? new Map<string, KubeObject>(), known === 'all');
    };
    const tables = Object.fromEntries(Object.entries(FACT_KINDS).map(([kind, field]) => [field, table(kind as keyof typeof FACT_KINDS)])) as Pick<CheckFacts, (typeof FACT_KINDS)[keyof typeof FACT_KINDS]>; // one entry per kind, made just here
    const nodesKnown = completeness('/Node');
    const nodes = judgeCluster([...this.#nodes.values()], { asOf, complete: nodesKnown === 'all' });
    return {
      ...tables,
      kubernetesVersion: versionToJudgeBy(kubernetesVersion, nodes),
      asOf,
      nodes: nodes.length === 0 && nodesKnown === 'none' ? null : factTable(new Map(nodes.map((node) => [node.name, node])), nodesKnown === 'all'),
      workloads: null,
      images,
      pods: null,
    };
  }
}

/**
 * The server's version where it is known, else that of the newest kubelet: no kubelet is newer than its API server.
 * https://kubernetes.io/releases/version-skew-policy/#kubelet, read 2026-11-30
 */
function versionToJudgeBy(given: string | null, nodes: readonly WindowsNode[]): KubernetesVersion | null {
  if (given !== null) return parseKubernetesVersion(given);
  const kubelets = nodes.flatMap(({ kubeletVersion }) => parseKubernetesVersion(kubeletVersion ?? '') ?? []);
  return kubelets.toSorted(compareKubernetesVersions).at(-1) ?? null;
}

/** Facts from objects that are in memory: a recorded inventory, files, a sample. */
export function factsOfObjects(objects: Iterable<KubeObject>, options: FactsOptions): CheckFacts {
  const builder = new FactsBuilder(options);
  for (const object of objects) builder.add(object);
  return builder.facts();
}

/** Name, or `namespace/name`. */
function factKey(object: KubeObject, kind: string): string {
  return CLUSTER_SCOPED.has(kind) ? nameOf(object) : `${namespaceOf(object)}/${nameOf(object)}`;
}
