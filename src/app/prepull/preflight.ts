/** What would keep a run from working, asked of the API server before anything is created. */
import { arrayAt, numberAt, recordAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import { JOBS, PODS, RESOURCE_QUOTAS, type Resource } from '../../domain/kubernetes/resource.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { pullJob, pullPodSpec, runJob, type RunOptions } from '../../domain/prepull/run-objects.ts';
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

/** Throws ClusterError where the run could not work, with the fix. `item`: one that will be pulled. */
export async function checkBeforehand(item: PlanItem, options: RunOptions, { reader, writer }: { readonly reader: ClusterReader; readonly writer: ClusterWriter }, signal: AbortSignal): Promise<Preflight> {
  await requireRights(options.namespace, writer, signal);
  const { namespace } = options;
  const pull = { index: 0, attempt: 1, node: item.node, image: item.image, isRefreshed: false };
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'kubectl-win-prepull-', namespace }, spec: pullPodSpec(options, pull) };
  await writer.create(JOBS, runJob(options, '{}'), { namespace, dryRun: true, signal });
  await writer.create(JOBS, withoutOwner(pullJob(options, pull, { name: '', uid: '' })), { namespace, dryRun: true, signal });
  const made = await tryPod(pod, options, writer, signal);
  return { places: await placesIn(namespace, reader, signal), notes: made === null ? [] : changesOf(made, item) };
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

/** null where pods may not be created by the user, which Jobs do for them: then the Job controller's events will tell. */
async function tryPod(pod: KubeObject, { namespace }: RunOptions, writer: ClusterWriter, signal: AbortSignal): Promise<KubeObject | null> {
  try {
    return await writer.create(PODS, pod, { namespace, dryRun: true, signal });
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    if (error.reason === 'Forbidden' && /cannot create resource/i.test(error.message)) return null;
    throw explained(error, namespace);
  }
}

function explained(error: ClusterError, namespace: string): ClusterError {
  const fix = /violates PodSecurity/i.test(error.message) ? [`run it in another namespace (-n), or ask for the label pod-security.kubernetes.io/enforce of ${namespace} to be lowered`]
    : /exceeded quota|must specify/i.test(error.message) ? [`kubectl describe quota -n ${namespace} shows what is left; a quota of requests also wants pods that have some: run it in a namespace without (-n)`]
      : /(?:maximum|minimum) .* usage/i.test(error.message) ? [`kubectl describe limitrange -n ${namespace} shows the limits; run it in another namespace (-n)`] : [];
  return new ClusterError(`its pods are refused in the namespace ${namespace}: ${error.message}`, { reason: error.reason, ...(error.status === null ? {} : { status: error.status }), suggestions: [...fix, ...error.suggestions], cause: error });
}

/** What admission made of the pod. Throws ClusterError where that keeps it from pulling. */
function changesOf(made: KubeObject, { node, image }: PlanItem): readonly string[] {
  const spec = recordAt(made, 'spec');
  const [container] = arrayAt(spec, 'containers');
  const policy = stringAt(container, 'imagePullPolicy');
  const refuse = (message: string, fix: string): never => {
    throw new ClusterError(`the cluster changes the pods so that they cannot pull: ${message}`, { reason: 'Invalid', suggestions: [fix] });
  };
  if (policy === 'Never') refuse('imagePullPolicy becomes Never', 'a mutating webhook or policy does so; exempt pods with the label app.kubernetes.io/managed-by: kubectl-win, or use another namespace (-n)');
  const bound = stringAt(spec, 'nodeName');
  if (bound !== undefined && bound !== '' && bound !== node) refuse(`they are bound to ${bound}`, 'a mutating webhook does so; use another namespace (-n)');
  const notes: string[] = [];
  const pulled = stringAt(container, 'image');
  if (pulled !== undefined && pulled !== image) notes.push(`the cluster changes the image of the pods, as it does with those of workloads: ${image} becomes ${pulled}`);
  const memory = parseQuantity(stringAt(container, 'resources', 'requests', 'memory') ?? '0') ?? 0;
  const cpu = parseQuantity(stringAt(container, 'resources', 'requests', 'cpu') ?? '0') ?? 0;
  if (memory > 0 || cpu > 0) notes.push('a LimitRange or webhook gives the pods requests of their own: a full node may have no room for them');
  const injected = arrayAt(spec, 'containers').length + arrayAt(spec, 'initContainers').length - 1;
  if (injected > 0) notes.push(`the cluster adds ${injected} container${injected === 1 ? '' : 's'} to the pods (a sidecar injector): they have to be pulled, too`);
  return notes;
}

/** Pods that the quotas of a namespace leave room for. */
async function placesIn(namespace: string, reader: ClusterReader, signal: AbortSignal): Promise<number | null> {
  let places: number | null = null;
  try {
    for await (const { items } of reader.list(RESOURCE_QUOTAS, { namespace, signal })) {
      for (const quota of items) {
        for (const resource of ['pods', 'count/pods', 'count/jobs.batch']) {
          const hard = stringAt(quota, 'status', 'hard', resource) ?? numberAt(quota, 'status', 'hard', resource)?.toString();
          if (hard === undefined) continue;
          const left = (parseQuantity(hard) ?? 0) - (parseQuantity(stringAt(quota, 'status', 'used', resource) ?? '0') ?? 0) - (resource === 'count/jobs.batch' ? 1 : 0);
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

function withoutOwner(job: KubeObject): KubeObject {
  const { ownerReferences: _, ...metadata } = recordAt(job, 'metadata') as Record<string, unknown>;
  return { ...job, metadata };
}

