/** Whether a cluster would let in what a run creates, asked of the API server before anything is created: rights, dry runs, and places that quotas leave. */
import { arrayAt, numberAt, stringAt, stringMapAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import { PODS, RESOURCE_QUOTAS, type Resource } from '../../domain/kubernetes/resource.ts';
import type { Admission } from '../../domain/runs/admitted-job.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';

/** A right in a namespace. */
export interface Need {
  readonly verb: string;
  readonly resource: Resource;
  readonly subresource?: string;
}

export interface RoleParts {
  readonly name: string;
  readonly namespace: string;
}

/** Those that the user does not have; what the server does not say counts as given. */
export async function missingRights(needs: readonly Need[], namespace: string, writer: ClusterWriter, signal: AbortSignal): Promise<readonly Need[]> {
  const answers = await writer.review(needs.map(({ verb, resource, subresource }) => ({ verb, group: resource.group, resource: resource.plural, ...(subresource === undefined ? {} : { subresource }), namespace })), { signal });
  return needs.filter((_, at) => answers[at]?.allowed === false);
}

/** Throws ClusterError, with a Role of `rules`, where one of `needs` is missing. */
export async function requireRights(needs: readonly Need[], { rules, ...role }: RoleParts & { readonly rules: readonly Need[] }, writer: ClusterWriter, signal: AbortSignal): Promise<void> {
  const missing = await missingRights(needs, role.namespace, writer, signal);
  if (missing.length > 0) throw lackOfRights(missing, role.namespace, [askFor(rules, role)]);
}

export function lackOfRights(missing: readonly Need[], namespace: string, suggestions: readonly string[]): ClusterError {
  return new ClusterError(`not allowed in the namespace ${namespace}: ${missing.map((need) => `${need.verb} ${resourceText(need)}`).join(', ')}`, { reason: 'Forbidden', status: 403, suggestions });
}

export function askFor(rules: readonly Need[], role: RoleParts): string {
  return `ask for a Role in ${role.namespace}:\n${roleText(rules, role)}`;
}

/** As YAML that kubectl applies; resources with the same verbs stand together. */
export function roleText(rules: readonly Need[], { name, namespace }: RoleParts): string {
  const verbs = new Map<string, { readonly group: string; readonly verbs: string[] }>();
  for (const need of rules) {
    const resource = resourceText(need);
    const known = verbs.get(resource) ?? { group: need.resource.group, verbs: [] };
    known.verbs.push(need.verb);
    verbs.set(resource, known);
  }
  const lines = Map.groupBy(verbs, ([, rule]) => `${rule.group} ${rule.verbs.join()}`);
  return [
    'apiVersion: rbac.authorization.k8s.io/v1', 'kind: Role', `metadata: { name: ${name}, namespace: ${namespace} }`, 'rules:',
    ...[...lines.values()].map((rows) => {
      const rule = rows[0]?.[1];
      return `- { apiGroups: [${rule?.group === '' ? '""' : rule?.group ?? ''}], resources: [${rows.map(([resource]) => resource).join(', ')}], verbs: [${rule?.verbs.join(', ') ?? ''}] }`;
    }),
  ].join('\n');
}

function resourceText({ resource, subresource }: Need): string {
  return subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
}

/** What to do about a refusal whose text matches. */
export type Fix = readonly [matches: RegExp, fix: string];

export interface TryOptions {
  readonly namespace: string;
  readonly writer: ClusterWriter;
  readonly signal: AbortSignal;
  /** Of these objects; they go before those of all. */
  readonly fixes?: readonly Fix[];
}

/** As the cluster would make it; nothing is created. Throws ClusterError with the fix. `what`: `Jobs`. */
export async function tryObject(resource: Resource, object: KubeObject, what: string, { namespace, writer, signal, fixes }: TryOptions): Promise<KubeObject> {
  try {
    return await writer.create(resource, object, { namespace, dryRun: true, signal });
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    throw explainRefusal(error, namespace, what, fixes);
  }
}

/** null where pods may not be created by the user, which controllers do for them: then events will tell. */
export async function tryPod(pod: KubeObject, options: TryOptions): Promise<KubeObject | null> {
  try {
    return await tryObject(PODS, pod, 'pods', options);
  } catch (error) {
    if (error instanceof ClusterError && error.reason === 'Forbidden' && /cannot create resource/i.test(error.message)) return null;
    throw error;
  }
}

/** Gives the notes. Throws ClusterError for what is refused. */
export function accepted({ refusal, notes }: Admission): readonly string[] {
  if (refusal !== null) throw new ClusterError(refusal.message, { reason: 'Invalid', suggestions: [refusal.fix] });
  return notes;
}

export function explainRefusal(error: ClusterError, namespace: string, what: string, fixes: readonly Fix[] = []): ClusterError {
  const fix = [...fixes, ...commonFixes(namespace)].find(([matches]) => matches.test(error.message))?.[1];
  return new ClusterError(`its ${what} are refused in the namespace ${namespace}: ${error.message}`, { reason: error.reason, ...(error.status === null ? {} : { status: error.status }), suggestions: [...(fix === undefined ? [] : [fix]), ...error.suggestions], cause: error });
}

function commonFixes(namespace: string): readonly Fix[] {
  return [
    [/exceeded quota|must specify|insufficient quota/i, `kubectl describe quota -n ${namespace} shows what is left; use another namespace (-n)`],
    [/(?:maximum|minimum) .*usage|max limit to request ratio/i, `kubectl describe limitrange -n ${namespace} shows the limits; run it in another namespace (-n)`],
    [/service account .* not found|serviceaccount ".*" not found/i, `create the service account in ${namespace}, or use another namespace (-n)`],
    [/namespaces? ".*" not found/i, `kubectl create namespace ${namespace}, or name another one (-n)`],
    [/pod node (?:label|node) ?selector|node selector/i, 'run it in a namespace whose node selector fits Windows nodes (-n)'],
  ];
}

export interface PlaceOptions {
  readonly namespace: string;
  /** As it was admitted, or as it is sent where that is not known. */
  readonly pod: KubeObject | null;
  /** Jobs that a run has beside one for each pod; null: there are no Jobs. */
  readonly otherJobs: number | null;
}

/** Pods that the quotas of a namespace leave room for; null for no limit, and where quotas may not be read. Throws ClusterError where there is none. */
export async function placesIn({ namespace, pod, otherJobs }: PlaceOptions, reader: ClusterReader, signal: AbortSignal): Promise<number | null> {
  let places: number | null = null;
  const take = (left: number): void => {
    places = Math.min(places ?? Number.MAX_SAFE_INTEGER, left);
  };
  try {
    for await (const { items } of reader.list(RESOURCE_QUOTAS, { namespace, signal })) {
      for (const quota of items) {
        for (const left of ['pods', 'count/pods'].flatMap((resource) => leftIn(quota, resource))) if (countsPod(quota, pod)) take(left);
        if (otherJobs !== null) for (const left of leftIn(quota, 'count/jobs.batch')) take(left - otherJobs);
      }
    }
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return null;
  }
  if (places !== null && places < 1) {
    throw new ClusterError(`the quota of the namespace ${namespace} leaves no room for a pod`, { reason: 'Forbidden', status: 403, suggestions: [`kubectl describe quota -n ${namespace} shows what is used; use another namespace (-n)`] });
  }
  return places;
}

/** None for what the quota does not count. */
function leftIn(quota: KubeObject, resource: string): readonly number[] {
  const hard = quantityAt(quota, 'hard', resource);
  return hard === null ? [] : [hard - (quantityAt(quota, 'used', resource) ?? 0)];
}

function quantityAt(quota: KubeObject, which: 'hard' | 'used', resource: string): number | null {
  const text = stringAt(quota, 'status', which, resource) ?? numberAt(quota, 'status', which, resource)?.toString();
  return text === undefined ? null : parseQuantity(text) ?? null;
}

/**
 * Whether a quota counts a pod, by its scopes: those with a deadline of their own are Terminating, and none has affinity across namespaces
 * (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/quota/v1/evaluator/core/pods.go, podMatchesScopeFunc, read 2026-11-30). Of priorities
 * nothing is said here, since the API server decides them: such a quota limits no window, and the Job controller's events tell when it is full.
 */
function countsPod(quota: KubeObject, pod: KubeObject | null): boolean {
  const hasRequests = arrayAt(pod, 'spec', 'containers').some((container) => ['requests', 'limits'].some((kind) => Object.values(stringMapAt(container, 'resources', kind)).some((text) => (parseQuantity(text) ?? 0) > 0)));
  const isTerminating = numberAt(pod, 'spec', 'activeDeadlineSeconds') !== undefined;
  const own = [isTerminating ? 'Terminating' : 'NotTerminating', hasRequests ? 'NotBestEffort' : 'BestEffort'];
  const scopes = [...arrayAt(quota, 'spec', 'scopes'), ...arrayAt(quota, 'spec', 'scopeSelector', 'matchExpressions').map((one) => stringAt(one, 'scopeName'))];
  return scopes.every((scope) => typeof scope === 'string' && own.includes(scope));
}
