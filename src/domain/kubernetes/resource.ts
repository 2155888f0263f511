/** A resource of the API: what a URL path and an RBAC rule need. */
export interface Resource {
  /** API group, '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in URLs and RBAC rules. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export const NODES = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false } as const satisfies Resource;
export const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true } as const satisfies Resource;
export const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false } as const satisfies Resource;
export const DAEMON_SETS = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet', namespaced: true } as const satisfies Resource;

/** `apiVersion` of a resource: `v1` or `apps/v1`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}
