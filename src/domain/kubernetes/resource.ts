/** A resource of the API: what a URL path and an RBAC rule need. */
export interface Resource {
  /** API group, '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in URLs and RBAC rules. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** What people type in place of the plural, as the server tells it: the singular, and short names such as `cm`. Absent where nobody asked. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
}

export const NODES = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false } as const satisfies Resource;
export const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true } as const satisfies Resource;
export const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false } as const satisfies Resource;
export const POD_TEMPLATES = { group: '', version: 'v1', plural: 'podtemplates', kind: 'PodTemplate', namespaced: true } as const satisfies Resource;
export const REPLICATION_CONTROLLERS = { group: '', version: 'v1', plural: 'replicationcontrollers', kind: 'ReplicationController', namespaced: true } as const satisfies Resource;
export const SERVICES = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true } as const satisfies Resource;
export const SERVICE_ACCOUNTS = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true } as const satisfies Resource;
export const SECRETS = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true } as const satisfies Resource;
export const RESOURCE_QUOTAS = { group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota', namespaced: true } as const satisfies Resource;
export const EVENTS = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true } as const satisfies Resource;
export const PERSISTENT_VOLUMES = { group: '', version: 'v1', plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false } as const satisfies Resource;
export const PERSISTENT_VOLUME_CLAIMS = { group: '', version: 'v1', plural: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', namespaced: true } as const satisfies Resource;
export const DEPLOYMENTS = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true } as const satisfies Resource;
export const REPLICA_SETS = { group: 'apps', version: 'v1', plural: 'replicasets', kind: 'ReplicaSet', namespaced: true } as const satisfies Resource;
export const STATEFUL_SETS = { group: 'apps', version: 'v1', plural: 'statefulsets', kind: 'StatefulSet', namespaced: true } as const satisfies Resource;
export const JOBS = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true } as const satisfies Resource;
export const CRON_JOBS = { group: 'batch', version: 'v1', plural: 'cronjobs', kind: 'CronJob', namespaced: true } as const satisfies Resource;
export const NETWORK_POLICIES = { group: 'networking.k8s.io', version: 'v1', plural: 'networkpolicies', kind: 'NetworkPolicy', namespaced: true } as const satisfies Resource;
export const RUNTIME_CLASSES = { group: 'node.k8s.io', version: 'v1', plural: 'runtimeclasses', kind: 'RuntimeClass', namespaced: false } as const satisfies Resource;
export const STORAGE_CLASSES = { group: 'storage.k8s.io', version: 'v1', plural: 'storageclasses', kind: 'StorageClass', namespaced: false } as const satisfies Resource;
export const CSI_NODES = { group: 'storage.k8s.io', version: 'v1', plural: 'csinodes', kind: 'CSINode', namespaced: false } as const satisfies Resource;
export const CUSTOM_RESOURCE_DEFINITIONS = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false } as const satisfies Resource;
export const LEASES = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease', namespaced: true } as const satisfies Resource;
/** https://github.com/kubernetes-sigs/windows-gmsa, read 2026-11-30 */
export const GMSA_CREDENTIAL_SPECS = { group: 'windows.k8s.io', version: 'v1', plural: 'gmsacredentialspecs', kind: 'GMSACredentialSpec', namespaced: false } as const satisfies Resource;
export const DAEMON_SETS = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true } as const satisfies Resource;

/** `apiVersion` of a resource: `v1` or `apps/v1`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Group of an `apiVersion`: `apps`; '' for the core group, and for what is no text. */
export function groupOf(apiVersion: unknown): string {
  if (typeof apiVersion !== 'string') return '';
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

/** `apps/Deployment`, `/Service`: versions of a group are the same kind. */
export function kindKey(object: { readonly apiVersion?: unknown; readonly kind?: unknown }): string {
  return `${groupOf(object.apiVersion)}/${typeof object.kind === 'string' ? object.kind : ''}`;
}

/** kindKey of the objects of a resource. */
export function resourceKindKey({ group, kind }: Pick<Resource, 'group' | 'kind'>): string {
  return `${group}/${kind}`;
}
