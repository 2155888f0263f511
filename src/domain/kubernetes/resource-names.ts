/** What kubectl users type for the kinds that `check` judges. Short names: `kubectl api-resources` of v1.37.2, read 2026-11-30. */
import {
  CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, JOBS, NAMESPACES, NETWORK_POLICIES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, POD_TEMPLATES, PODS, REPLICA_SETS,
  REPLICATION_CONTROLLERS, RUNTIME_CLASSES, SERVICES, STATEFUL_SETS, STORAGE_CLASSES, type Resource,
} from './resource.ts';

const SHORT_NAMES: readonly (readonly [Resource, readonly string[]])[] = [
  [PODS, ['po']], [POD_TEMPLATES, []], [DEPLOYMENTS, ['deploy']], [REPLICA_SETS, ['rs']], [STATEFUL_SETS, ['sts']], [DAEMON_SETS, ['ds']],
  [JOBS, []], [CRON_JOBS, ['cj']], [REPLICATION_CONTROLLERS, ['rc']], [SERVICES, ['svc']], [NETWORK_POLICIES, ['netpol']],
  [RUNTIME_CLASSES, []], [STORAGE_CLASSES, ['sc']], [PERSISTENT_VOLUMES, ['pv']], [PERSISTENT_VOLUME_CLAIMS, ['pvc']], [NAMESPACES, ['ns']],
];

/** Kubernetes' own kinds by plural, singular or short name, with `.group` or without, in any case; null for others. */
export function builtInResource(word: string): Resource | null {
  const text = word.toLowerCase();
  return SHORT_NAMES.find(([resource, short]) => namesOf(resource, short).includes(text))?.[0] ?? null;
}

/**
 * The resources of a server that a word may mean: plural, singular, kind or, where none is called so, short name, each with
 * `.group` or without, in any case. Several where several groups have it.
 */
export function resourcesNamed(word: string, resources: readonly Resource[]): readonly Resource[] {
  const text = word.toLowerCase();
  const found = resources.filter((resource) => namesOf(resource, []).includes(text));
  return found.length > 0 ? found : resources.filter((resource) => namesOf(resource, resource.shortNames ?? []).includes(text));
}

function namesOf({ plural, singular, kind, group, version }: Resource, short: readonly string[]): readonly string[] {
  const names = [plural, kind.toLowerCase(), ...(singular === undefined ? [] : [singular]), ...short];
  return group === '' ? names : [...names, ...names.map((name) => `${name}.${group}`), ...names.map((name) => `${name}.${version}.${group}`)];
}

/** All words that builtInResource knows, for suggestions. */
export function builtInResourceWords(): readonly string[] {
  return SHORT_NAMES.flatMap(([{ plural }, short]) => [plural, ...short]);
}
