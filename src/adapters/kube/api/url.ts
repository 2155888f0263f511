/** Paths of the Kubernetes API (https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris, read 2026-11-30). */
import type { Resource } from '../../../domain/kubernetes/resource.ts';

export interface ResourcePlace {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Encoded path of a resource, an object or a subresource; case is kept, as names of RBAC objects may have capitals. */
export function resourcePath(resource: Pick<Resource, 'group' | 'version' | 'plural'>, { namespace, name, subresource }: ResourcePlace = {}): string {
  return [
    resource.group === '' ? '/api' : `/apis/${segment(resource.group)}`,
    segment(resource.version),
    ...(namespace === undefined ? [] : ['namespaces', segment(namespace)]),
    segment(resource.plural),
    ...(name === undefined ? [] : [segment(name)]),
    ...(subresource === undefined ? [] : subresource.split('/').map(segment)),
  ].join('/');
}

/** `?a=b&c=d`, or nothing; undefined values are left out, arrays repeat their key. */
export function queryString(query: Query): string {
  const parts = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((one: unknown) => `${encodeURIComponent(key)}=${encodeURIComponent(String(one))}`),
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** `.` and `..` survive encodeURIComponent and would climb the path. */
function segment(text: string): string {
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text);
}
