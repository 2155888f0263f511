/** What would keep a run from working, asked of the API server before anything is created. */
import { nameOf, recordAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { EVENTS, JOBS, PODS } from '../../domain/kubernetes/resource.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { judgeAdmittedPod } from '../../domain/prepull/admitted-objects.ts';
import { judgeAdmittedJob } from '../../domain/runs/admitted-job.ts';
import { pullJob, runJob, type RunOptions } from '../../domain/prepull/run-objects.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { accepted, placesIn, requireRights, tryObject, tryPod, type Fix, type Need, type TryOptions } from '../runs/admission.ts';

export interface Preflight {
  /** Pulls at a time that the namespace's quota leaves room for; null for no limit. */
  readonly places: number | null;
  /** What is worth saying and stops nothing. */
  readonly notes: readonly string[];
}

const NEEDED: readonly Need[] = [
  ...['create', 'get', 'list', 'patch', 'delete'].map((verb) => ({ verb, resource: JOBS })), ...['list', 'watch'].map((verb) => ({ verb, resource: PODS })),
];
/** Events tell why a pull takes so long, and are no must. */
const RULES: readonly Need[] = [...NEEDED, ...['list', 'watch'].map((verb) => ({ verb, resource: EVENTS }))];

const JOB_WORDS = { cleanUp: 'kubectl win prepull cleanup', isRecord: true };

/** Identities that are tried: more would be a plan of hundreds of service accounts. */
const MOST_IDENTITIES = 20;

/** Throws ClusterError where the run could not work, with the fix. `items`: those that will be pulled, one at least. */
export async function checkBeforehand(items: readonly PlanItem[], options: RunOptions, { reader, writer }: { readonly reader: ClusterReader; readonly writer: ClusterWriter }, signal: AbortSignal): Promise<Preflight> {
  const { namespace } = options;
  await requireRights(NEEDED, { name: 'kubectl-win-prepull', namespace, rules: RULES }, writer, signal);
  const trying = tryingIn(namespace, writer, signal);
  const own = runJob(options, '{}');
  const notes = [...accepted(judgeAdmittedJob(own, await tryObject(JOBS, own, 'Jobs', trying), JOB_WORDS))];
  const samples = onePerIdentity(items, options);
  let pod: KubeObject | null = null;
  for (const item of samples.slice(0, MOST_IDENTITIES)) {
    const job = withoutOwner(pullJob(options, { index: 0, attempt: 1, node: item.node, image: item.image, isRefreshed: false }, { name: '', uid: '' }));
    const made = await tryObject(JOBS, job, 'Jobs', trying);
    notes.push(...accepted(judgeAdmittedJob(job, made, JOB_WORDS)), ...accepted(judgeAdmittedPod(recordAt(made, 'spec', 'template'), item)));
    // As the Job controller makes it: policies may look at its labels.
    pod = await tryPod({ apiVersion: 'v1', kind: 'Pod', metadata: { ...recordAt(made, 'spec', 'template', 'metadata'), generateName: `${nameOf(job)}-`, namespace }, spec: recordAt(made, 'spec', 'template', 'spec') }, trying);
    notes.push(...pod === null ? [`whether pods are admitted in ${namespace} is not known beforehand: that takes the right to create pods`] : accepted(judgeAdmittedPod(pod, item)));
  }
  if (samples.length > MOST_IDENTITIES) notes.push(`of ${samples.length} combinations of service account and pull secrets ${MOST_IDENTITIES} were tried beforehand`);
  return { places: await placesIn({ namespace, pod, otherJobs: 1 }, reader, signal), notes: [...new Set(notes)] };
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

function fixesIn(namespace: string): readonly Fix[] {
  return [
    [/violates PodSecurity/i, `run it in another namespace (-n), ask for the label pod-security.kubernetes.io/enforce of ${namespace} to be lowered, or see what adds to the pods: as this program makes them they meet the level restricted`],
    [/service account .* not found|serviceaccount ".*" not found/i, `create the service account in ${namespace}, or name another one (--service-account)`],
  ];
}

/** How objects of prepull are tried in a namespace. */
export function tryingIn(namespace: string, writer: ClusterWriter, signal: AbortSignal): TryOptions {
  return { namespace, writer, signal, fixes: fixesIn(namespace) };
}

function withoutOwner(job: KubeObject): KubeObject {
  const { ownerReferences: _, ...metadata } = recordAt(job, 'metadata') as Record<string, unknown>;
  return { ...job, metadata };
}

