/** What rules may know beyond the object they look at. Rules never fetch: a fact is here, or it is missing and said to be. */
import type { ImagePlatformSource } from '../image/image-platforms.ts';
import type { FactTable } from '../kubernetes/fact-table.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import type { KubernetesVersion } from '../kubernetes/version.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { PodEvidenceSource } from '../workload/pod-evidence.ts';

export interface CheckFacts {
  /** Version of the API server, or the one to judge by; null when not known. */
  readonly kubernetesVersion: KubernetesVersion | null;
  /** The day to judge by. */
  readonly asOf: Date;
  /** All nodes, Linux ones too. */
  readonly nodes: FactTable<WindowsNode> | null;
  /** true when the nodes are made up (--windows without a cluster): nothing but their builds is meant. */
  readonly areNodesAssumed?: boolean;
  readonly namespaces: FactTable<KubeObject> | null;
  readonly runtimeClasses: FactTable<KubeObject> | null;
  readonly storageClasses: FactTable<KubeObject> | null;
  readonly persistentVolumes: FactTable<KubeObject> | null;
  readonly persistentVolumeClaims: FactTable<KubeObject> | null;
  readonly csiNodes: FactTable<KubeObject> | null;
  readonly serviceAccounts: FactTable<KubeObject> | null;
  readonly daemonSets: FactTable<KubeObject> | null;
  /** CustomResourceDefinitions by name: `gmsacredentialspecs.windows.k8s.io`. */
  readonly customResourceDefinitions: FactTable<KubeObject> | null;
  readonly gmsaCredentialSpecs: FactTable<KubeObject> | null;
  /** Who may use which credential spec, as a live API server answers; absent or null in files. */
  readonly credentialSpecAccess?: CredentialSpecAccess | null;
  /** Workloads seen so far that are not bound to Linux, for rules on Services and NetworkPolicies: what their selectors can meet. */
  readonly workloads: FactTable<SelectableWorkload> | null;
  readonly images: ImagePlatformSource;
  /** Statuses and events of pods; null in files. */
  readonly pods: PodEvidenceSource | null;
}

/** Answers of access reviews (verb `use` on gmsacredentialspecs.windows.k8s.io), asked before the rules run. */
export interface CredentialSpecAccess {
  /** null where nobody asked or the review was refused. */
  mayUse(namespace: string, serviceAccount: string, credentialSpec: string): boolean | null;
}

/** As much of a workload as a selector needs. Key: `Kind/namespace/name#path of its pod template`. */
export interface SelectableWorkload {
  readonly namespace: string | null;
  readonly kind: string;
  readonly name: string;
  /** Labels of its pods. */
  readonly labels: Readonly<Record<string, string>>;
  readonly os: 'windows' | 'linux' | 'either' | 'contradictory';
  /** OS that scheduling constraints alone keep its pods on; null when none do, absent when that was not looked at. */
  readonly pinned?: 'windows' | 'linux' | null;
  readonly isHostProcess: boolean;
  /** Names of the Windows nodes it can land on; null when nodes are not known. */
  readonly windowsNodes: readonly string[] | null;
  readonly replicas: number | null;
}

/** Facts that a rule can ask for, by the names that reports show. */
export const FACT_NAMES = {
  kubernetesVersion: 'Kubernetes version',
  nodes: 'nodes',
  namespaces: 'namespaces',
  runtimeClasses: 'RuntimeClasses',
  storageClasses: 'StorageClasses',
  persistentVolumes: 'PersistentVolumes',
  persistentVolumeClaims: 'PersistentVolumeClaims',
  csiNodes: 'CSINodes',
  serviceAccounts: 'ServiceAccounts',
  daemonSets: 'DaemonSets',
  customResourceDefinitions: 'CustomResourceDefinitions',
  gmsaCredentialSpecs: 'GMSACredentialSpecs',
  credentialSpecAccess: 'access to GMSACredentialSpecs',
  workloads: 'workloads',
  pods: 'pods',
} as const satisfies Readonly<Partial<Record<keyof CheckFacts, string>>>;

export type FactName = keyof typeof FACT_NAMES;
