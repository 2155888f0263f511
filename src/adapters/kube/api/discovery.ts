/**
 * Which resources an API server has: two requests where it answers with aggregated discovery (on by default since
 * Kubernetes 1.27), one per group version where it does not.
 * https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery, read 2026-11-30
 */
import { ClusterError } from '../../../errors.ts';
import { arrayAt, booleanAt, isRecord, stringAt, valueAt } from '../../../domain/kubernetes/object.ts';
import type { Resource } from '../../../domain/kubernetes/resource.ts';

/** GETs a path below the server's URL; throws ClusterError. */
export type GetDocument = (path: string, accept: string) => Promise<Readonly<Record<string, unknown>>>;

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

/** Resources with the verb list, in the version that their group puts first. Groups that fail are left out. */
export async function discoverResources(get: GetDocument): Promise<readonly Resource[]> {
  const answers = await Promise.all(['/api', '/apis'].map((path) => get(path, AGGREGATED)));
  const found = (await Promise.all(answers.map(async (answer) => (stringAt(answer, 'kind') === 'APIGroupDiscoveryList' ? aggregated(answer) : oneByOne(answer, get))))).flat();
  // the first version that has a resource is the one its group prefers
  const preferred = new Map<string, Resource>();
  for (const resource of found) {
    const key = `${resource.group}/${resource.plural}`;
    if (!preferred.has(key)) preferred.set(key, resource);
  }
  return [...preferred.values()];
}

function aggregated(answer: Readonly<Record<string, unknown>>): readonly Resource[] {
  return arrayAt(answer, 'items').flatMap((group) =>
    arrayAt(group, 'versions').flatMap((version) =>
      arrayAt(version, 'resources').flatMap((resource) => {
        const plural = stringAt(resource, 'resource');
        const kind = stringAt(resource, 'responseKind', 'kind');
        const versionName = stringAt(version, 'version');
        if (plural === undefined || kind === undefined || versionName === undefined || !arrayAt(resource, 'verbs').includes('list')) return [];
        return [{ group: stringAt(group, 'metadata', 'name') ?? '', version: versionName, plural, kind, namespaced: stringAt(resource, 'scope') === 'Namespaced', ...otherNames(resource, 'singularResource') }];
      })));
}

/** APIVersions (of /api) or APIGroupList (of /apis), as servers before 1.26 answer, and aggregated API servers behind old ones. */
async function oneByOne(answer: Readonly<Record<string, unknown>>, get: GetDocument): Promise<readonly Resource[]> {
  const paths = stringAt(answer, 'kind') === 'APIVersions'
    ? arrayAt(answer, 'versions').filter((version) => typeof version === 'string').map((version) => ({ path: `/api/${version}`, group: '', version }))
    : arrayAt(answer, 'groups').flatMap((group) => {
      const preferred = stringAt(group, 'preferredVersion', 'groupVersion');
      const versions = arrayAt(group, 'versions').flatMap((version) => stringAt(version, 'groupVersion') ?? []);
      return [...new Set([...(preferred === undefined ? [] : [preferred]), ...versions])].map((groupVersion) => ({ path: `/apis/${groupVersion}`, group: stringAt(group, 'name') ?? '', version: groupVersion.slice(groupVersion.indexOf('/') + 1) }));
    });
  const lists = await Promise.all(paths.map(async ({ path, group, version }) => {
    try {
      return { group, version, list: await get(path, 'application/json') };
    } catch (error) {
      // a group whose own server is down takes nothing from the others
      if (error instanceof ClusterError && (error.status ?? 0) >= 400 && error.reason !== 'Unauthorized') return { group, version, list: {} };
      throw error;
    }
  }));
  return lists.flatMap(({ group, version, list }) => arrayAt(list, 'resources').flatMap((resource) => {
    const plural = stringAt(resource, 'name');
    const kind = stringAt(resource, 'kind');
    if (!isRecord(resource) || plural === undefined || kind === undefined || plural.includes('/') || !arrayAt(resource, 'verbs').includes('list')) return [];
    return [{ group, version: typeof valueAt(resource, 'version') === 'string' && resource['version'] !== '' ? String(resource['version']) : version, plural, kind, namespaced: booleanAt(resource, 'namespaced') === true, ...otherNames(resource, 'singularName') }];
  }));
}

/** Only what is there: servers before 1.27 name no singular of their own kinds. */
function otherNames(resource: unknown, singularField: string): Pick<Resource, 'singular' | 'shortNames'> {
  const singular = stringAt(resource, singularField) ?? '';
  const shortNames = arrayAt(resource, 'shortNames').filter((name) => typeof name === 'string');
  return { ...(singular === '' ? {} : { singular }), ...(shortNames.length === 0 ? {} : { shortNames }) };
}
