/** What would keep a run from working, asked of the API server before anything is created. */
import { arrayAt, nameOf, numberAt, recordAt, stringAt, stringMapAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import { JOBS, PODS, RESOURCE_QUOTAS, type Resource } from '../../domain/kubernetes/resource.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { judgeAdmittedJob, judgeAdmittedPod, type Admission } from '../../domain/prepull/admitted-objects.ts';
import { pullJob, runJob, type RunOptions } from '../../domain/prepull/run-objects.ts';
import { ClusterError } from '../../errors.ts';
import type { AccessQuestion, ClusterReader, ClusterWriter } from '../ports.ts';

export interface Preflight {
  /** Pulls at a time that the namespace's quota leaves room for; null for no limit. */
  readonly places: number | null;
  /** What is worth saying and stops nothing. */
  readonly notes: readonly string[];
}

const NEEDED: readonly { readonly verb: string; readonly resource: Resource }[] = [
  ...['create', 'get', 'list', 'patch', 'delete'].map((verb) => ({ verb, resource: JOBS })), ...['list', 'watch'].map((verb) => ({ verb, resource: PODS })),
];

/** Identities that are tried: more would be a plan of hundreds of service accounts. */
const MOST_IDENTITIES = 20;

/** Throws ClusterError where the run could not work, with the fix. `items`: those that will be pulled, one at least. */
export async function checkBeforehand(items: readonly PlanItem[], options: RunOptions, { reader, writer }: { readonly reader: ClusterReader; readonly writer: ClusterWriter }, signal: AbortSignal): Promise<Preflight> {
  const { namespace } = options;
  await requireRights(namespace, writer, signal);
  const own = runJob(options, '{}');
  const notes = [...accepted(judgeAdmittedJob(own, await tryJob(own, options, writer, signal)))];
  const samples = onePerIdentity(items, options);
  let pod: KubeObject | null = null;
  for (const item of samples.slice(0, MOST_IDENTITIES)) {
    const job = withoutOwner(pullJob(options, { index: 0, attempt: 1, node: item.node, image: item.image, isRefreshed: false }, { name: '', uid: '' }));
    const made = await tryJob(job, options, writer, signal);
    notes.push(...accepted(judgeAdmittedJob(job, made)), ...accepted(judgeAdmittedPod(recordAt(made, 'spec', 'template'), item)));
    // As the Job controller makes it: policies may look at its labels.
    pod = await tryPod({ apiVersion: 'v1', kind: 'Pod', metadata: { ...recordAt(made, 'spec', 'template', 'metadata'), generateName: `${nameOf(job)}-`, namespace }, spec: recordAt(made, 'spec', 'template', 'spec') }, options, writer, signal);
    notes.push(...pod === null ? [`whether pods are admitted in ${namespace} is not known beforehand: that takes the right to create pods`] : accepted(judgeAdmittedPod(pod, item)));
  }
  if (samples.length > MOST_IDENTITIES) notes.push(`of ${samples.length} combinations of service account and pull secrets ${MOST_IDENTITIES} were tried beforehand`);
  return { places: await placesIn(namespace, pod, reader, signal), notes: [...new Set(notes)] };
}

/** Pods of another service account, or with other secrets, may be refused where the rest is let in. */
function onePerIdentity(items: readonly PlanItem[], { identities, serviceAccount, pullSecrets }: RunOptions): readonly PlanItem[] {
  const samples = new Map<string, PlanItem>();
  for (const item of items) {
    const key = JSON.stringify(identities?.get(item.image) ?? { serviceAccount, pullSecrets });
    if (!samples.has(key)) samples.set(key, item);
  }
  return [...samples.values()];
}

/** Gives the notes. Throws ClusterError for what is refused. */
export function accepted({ refusal, notes }: Admission): readonly string[] {
  if (refusal !== null) throw new ClusterError(refusal.message, { reason: 'Invalid', suggestions: [refusal.fix] });
  return notes;
}

async function requireRights(namespace: string, writer: ClusterWriter, signal: AbortSignal): Promise<void> {
  const questions = NEEDED.map(({ verb, resource }): AccessQuestion => ({ verb, group: resource.group, resource: resource.plural, namespace }));
  const missing = (await writer.review(questions, { signal })).filter(({ allowed }) => allowed === false).map(({ question }) => question);
  if (missing.length === 0) return;
  const words = missing.map(({ verb, resource }) => `${verb} ${resource}`).join(', ');
  throw new ClusterError(`not allowed in the namespace ${namespace}: ${words}`, {
    reason: 'Forbidden', status: 403,
    suggestions: [`ask for a Role in ${namespace}:\n${roleText(namespace)}`],
  });
}

function roleText(namespace: string): string {
  return [
    'apiVersion: rbac.authorization.k8s.io/v1', 'kind: Role', `metadata: { name: kubectl-win-prepull, namespace: ${namespace} }`, 'rules:',
    '- { apiGroups: [batch], resources: [jobs], verbs: [create, get, list, patch, delete] }', '- { apiGroups: [""], resources: [pods, events], verbs: [list, watch] }',
  ].join('\n');
}

async function tryJob(job: KubeObject, { namespace }: RunOptions, writer: ClusterWriter, signal: AbortSignal): Promise<KubeObject> {
  try {
    return await writer.create(JOBS, job, { namespace, dryRun: true, signal });
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    throw explained(error, namespace, 'Jobs');
  }
}

/** null where pods may not be created by the user, which Jobs do for them: then the Job controller's events will tell. */
export async function tryPod(pod: KubeObject, { namespace }: Pick<RunOptions, 'namespace'>, writer: ClusterWriter, signal: AbortSignal): Promise<KubeObject | null> {
  try {
    return await writer.create(PODS, pod, { namespace, dryRun: true, signal });
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (error.reason === 'Forbidden' && /cannot create resource/i.test(error.message)) return null;
    throw explained(error, namespace, 'pods');
  }
}

export function explained(error: ClusterError, namespace: string, what: 'pods' | 'Jobs' | 'DaemonSets' | 'ImagePullJobs'): ClusterError {
  const fixes: readonly [RegExp, string][] = [
    [/violates PodSecurity/i, `run it in another namespace (-n), ask for the label pod-security.kubernetes.io/enforce of ${namespace} to be lowered, or see what adds to the pods: as this program makes them they meet the level restricted`],
    [/exceeded quota|must specify|insufficient quota/i, `kubectl describe quota -n ${namespace} shows what is left; a quota of limits also wants pods that have some: run it in a namespace without (-n)`],
    [/(?:maximum|minimum) .*usage|max limit to request ratio/i, `kubectl describe limitrange -n ${namespace} shows the limits; run it in another namespace (-n)`],
    [/service account .* not found|serviceaccount ".*" not found/i, `create the service account in ${namespace}, or name another one (--service-account)`],
    [/namespaces? ".*" not found/i, `kubectl create namespace ${namespace}, or name another one (-n)`],
    [/pod node (?:label|node) ?selector|node selector/i, 'run it in a namespace whose node selector fits Windows nodes (-n)'],
  ];
  const fix = fixes.find(([matches]) => matches.test(error.message))?.[1];
  return new ClusterError(`its ${what} are refused in the namespace ${namespace}: ${error.message}`, { reason: error.reason, ...(error.status === null ? {} : { status: error.status }), suggestions: [...(fix === undefined ? [] : [fix]), ...error.suggestions], cause: error });
}

/** Pods that the quotas of a namespace leave room for. `pod`: as it was admitted; null when that is not known. */
async function placesIn(namespace: string, pod: KubeObject | null, reader: ClusterReader, signal: AbortSignal): Promise<number | null> {
  let places: number | null = null;
  try {
    for await (const { items } of reader.list(RESOURCE_QUOTAS, { namespace, signal })) {
      for (const quota of items) {
        for (const resource of ['pods', 'count/pods', 'count/jobs.batch']) {
          if (resource !== 'count/jobs.batch' && !countsPod(quota, pod)) continue;
          const hard = quantityAt(quota, 'hard', resource);
          if (hard === null) continue;
          // The Job of the run is one, too.
          const left = hard - (quantityAt(quota, 'used', resource) ?? 0) - (resource === 'count/jobs.batch' ? 1 : 0);
          places = Math.min(places ?? Number.MAX_SAFE_INTEGER, left);
        }
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

function quantityAt(quota: KubeObject, which: 'hard' | 'used', resource: string): number | null {
  const text = stringAt(quota, 'status', which, resource) ?? numberAt(quota, 'status', which, resource)?.toString();
  return text === undefined ? null : parseQuantity(text) ?? null;
}

/**
 * Whether a quota counts these pods, by its scopes: they have no deadline of their own, no requests unless they were given some, and no
 * affinity across namespaces (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/quota/v1/evaluator/core/pods.go, podMatchesScopeFunc, read 2026-11-30). Of priorities
 * nothing is said here, since the API server decides them: such a quota limits no window, and the Job controller's events tell when it is full.
 */
function countsPod(quota: KubeObject, pod: KubeObject | null): boolean {
  const hasRequests = arrayAt(pod, 'spec', 'containers').some((container) => ['requests', 'limits'].some((kind) => Object.values(stringMapAt(container, 'resources', kind)).some((text) => (parseQuantity(text) ?? 0) > 0)));
  const scopes = [...arrayAt(quota, 'spec', 'scopes'), ...arrayAt(quota, 'spec', 'scopeSelector', 'matchExpressions').map((one) => stringAt(one, 'scopeName'))];
  return scopes.every((scope) => scope === 'NotTerminating' || (scope === 'BestEffort' && !hasRequests) || (scope === 'NotBestEffort' && hasRequests));
}

function withoutOwner(job: KubeObject): KubeObject {
  const { ownerReferences: _, ...metadata } = recordAt(job, 'metadata') as Record<string, unknown>;
  return { ...job, metadata };
}

