/** What would keep a run from its nodes, asked of the API server before anything privileged is there. */
import { judgeAdmittedPod } from '../../domain/hostprocess/admitted-pod.ts';
import { execObject, type ExecObjectOptions, type ExecObjectTarget } from '../../domain/hostprocess/run-objects.ts';
import { nameOf, recordAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { EVENTS, JOBS, NAMESPACES, PODS } from '../../domain/kubernetes/resource.ts';
import { parseKubernetesVersion } from '../../domain/kubernetes/version.ts';
import { judgeAdmittedJob } from '../../domain/runs/admitted-job.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter, ExecChannel } from '../ports.ts';
import { accepted, askFor, lackOfRights, missingRights, placesIn, tryObject, tryPod, type Fix, type Need, type TryOptions } from '../runs/admission.ts';

export interface ExecPreflight {
  readonly anchor: 'job' | 'pod';
  /** Whether the deadline of Jobs can be moved while a session lives. */
  readonly mayMoveDeadline: boolean;
  /** Pods at a time that the namespace's quota leaves room for; null for no limit. */
  readonly places: number | null;
  /** What is worth saying and stops nothing. */
  readonly notes: readonly string[];
}

export interface ExecPreflightRequest {
  /** One of the nodes. */
  readonly sample: ExecObjectTarget;
  readonly objects: ExecObjectOptions;
  /** auto: Jobs, or pods alone where Jobs may not be created. */
  readonly anchor: 'auto' | 'job' | 'pod';
  readonly needsLease: boolean;
  readonly serverVersion: string | null;
  /** How output comes: over a WebSocket, or from the log of the pod. */
  readonly via?: 'exec' | 'logs';
}

export interface PreflightCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly exec: Pick<ExecChannel, 'probe'>;
}

const need = (resource: Need['resource'], ...verbs: readonly string[]): readonly Need[] => verbs.map((verb) => ({ verb, resource }));

const OF_JOBS = need(JOBS, 'create', 'get', 'delete');
const OF_PODS_ALONE = need(PODS, 'create', 'get', 'delete');
const WATCH_PODS = need(PODS, 'list', 'watch');
const OF_LOGS: readonly Need[] = [{ verb: 'get', resource: PODS, subresource: 'log' }];
const LEASE: Need = { verb: 'patch', resource: JOBS };
/** Why a pod does not start; no must. */
const OF_EVENTS = need(EVENTS, 'list');

/**
 * A WebSocket is a GET, and asks for `get`; from 1.35 on the API server asks for `create` as well
 * (https://github.com/kubernetes/kubernetes/pull/134577, read 2026-11-30).
 */
function needsOfExec(serverVersion: string | null): readonly Need[] {
  const isOld = minorOf(serverVersion) < 35;
  return (isOld ? ['get'] : ['get', 'create']).map((verb) => ({ verb, resource: PODS, subresource: 'exec' }));
}

/** Throws ClusterError where the run could not work, with the fix. Creates nothing. */
export async function checkExec(request: ExecPreflightRequest, cluster: PreflightCluster, signal: AbortSignal): Promise<ExecPreflight> {
  const { objects: { namespace }, via = 'exec' } = request;
  const rights = await checkRights(request, cluster.writer, signal);
  const [admitted, passes] = await Promise.allSettled([checkAdmission(request, rights.anchor, cluster, signal), via === 'exec' ? checkWebSockets(request, cluster.exec, signal) : []]);
  // What keeps pods out comes first: with it nobody needs a WebSocket.
  if (admitted.status === 'rejected') throw admitted.reason;
  if (passes.status === 'rejected') throw passes.reason;
  const { pod, notes } = admitted.value;
  const places = await placesIn({ namespace, pod, otherJobs: rights.anchor === 'job' ? 0 : null }, cluster.reader, signal);
  return { anchor: rights.anchor, mayMoveDeadline: rights.mayMoveDeadline, places, notes: [...new Set([...rights.notes, ...notes, ...passes.value])] };
}

interface Rights {
  readonly anchor: 'job' | 'pod';
  readonly mayMoveDeadline: boolean;
  readonly notes: readonly string[];
}

async function checkRights({ objects: { namespace }, anchor, needsLease, serverVersion, via = 'exec' }: ExecPreflightRequest, writer: ClusterWriter, signal: AbortSignal): Promise<Rights> {
  const ofOutput = via === 'exec' ? needsOfExec(serverVersion) : OF_LOGS;
  const all = [...OF_JOBS, LEASE, ...OF_PODS_ALONE, ...WATCH_PODS, ...ofOutput];
  const missing = new Set(await missingRights(all, namespace, writer, signal));
  const lackOf = (needs: readonly Need[]): readonly Need[] => needs.filter((one) => missing.has(one));
  const byJobs = lackOf([...OF_JOBS, ...WATCH_PODS]);
  const byPods = lackOf([...OF_PODS_ALONE, ...WATCH_PODS]);
  const isByPods = anchor === 'pod' || (anchor === 'auto' && byJobs.length > 0 && byPods.length === 0);
  const lacking = isByPods ? byPods : byJobs;
  const mayMoveDeadline = !isByPods && !missing.has(LEASE);
  const rules = [...(isByPods ? [...OF_PODS_ALONE, ...WATCH_PODS] : [...OF_JOBS, ...(needsLease ? [LEASE] : []), ...WATCH_PODS]), ...ofOutput, ...OF_EVENTS];
  const role = { name: 'kubectl-win-hostprocess', namespace };
  const lackingOfOutput = lackOf(ofOutput);
  if (lacking.length > 0 || lackingOfOutput.length > 0) {
    const waysOn = lacking.length === 0 && via === 'exec' ? waysWithoutExec(namespace, false) : [];
    const byOther = !isByPods && anchor === 'job' && byPods.length === 0 && lackingOfOutput.length === 0 ? ['--anchor=pod makes pods without Jobs'] : [];
    throw lackOfRights([...lacking, ...lackingOfOutput], namespace, [askFor(rules, role), ...byOther, ...waysOn]);
  }
  return { anchor: isByPods ? 'pod' : 'job', mayMoveDeadline, notes: [
    ...(isByPods && anchor === 'auto' ? [`Jobs may not be created in ${namespace} (${byJobs.map(({ verb, resource }) => `${verb} ${resource.plural}`).join(', ')}), so that pods are made without: their nodes end them, but what a killed program leaves stays as a pod that has failed until kubectl win hostprocess sweep`] : []),
    ...(needsLease && !isByPods && !mayMoveDeadline ? [`Jobs may not be changed in ${namespace} (patch jobs), so that a session that this program leaves behind ends with --timeout and not sooner`] : []),
  ] };
}

/** For who has no WebSocket, or no right to exec. `isByKubectl`: whether kubectl may get further. */
function waysWithoutExec(namespace: string, isByKubectl: boolean): readonly string[] {
  return [
    `--via=logs lets the pod itself run the command and reads its log at the end: whoever may read pods and logs in ${namespace} then sees command and output`,
    ...(isByKubectl ? [`kubectl may get further, with other protocols: kubectl win hostprocess exec NODE --dry-run=client -o yaml | kubectl create -n ${namespace} -f -, then kubectl exec -n ${namespace} -it job/NAME -- powershell.exe, and at the end kubectl delete -n ${namespace} job/NAME`] : []),
  ];
}

/** API servers before it do not speak the protocol that tells the end of stdin and the exit code apart (v5.channel.k8s.io, https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets, read 2026-11-30). */
const FIRST_MINOR = 30;

/** Gives notes. */
async function checkWebSockets({ objects: { namespace }, serverVersion }: ExecPreflightRequest, exec: Pick<ExecChannel, 'probe'>, signal: AbortSignal): Promise<readonly string[]> {
  if (minorOf(serverVersion) < FIRST_MINOR) {
    throw new ClusterError(`the API server is ${serverVersion ?? ''}, and running commands in containers takes 1.${FIRST_MINOR} (v5.channel.k8s.io over WebSockets)`, { reason: 'UpgradeRefused', suggestions: waysWithoutExec(namespace, true) });
  }
  const problem = await exec.probe({ namespace, signal });
  if (problem === null) return [];
  if (problem.reason === 'Forbidden') return [`whether WebSockets reach the API server is not known beforehand: ${problem.message}`];
  throw new ClusterError(problem.message, { reason: problem.reason, ...(problem.status === null ? {} : { status: problem.status }), suggestions: [...problem.suggestions, ...(problem.reason === 'UpgradeRefused' ? waysWithoutExec(namespace, true) : [])], cause: problem });
}

/** Infinity where it is not known. */
function minorOf(serverVersion: string | null): number {
  const version = serverVersion === null ? null : parseKubernetesVersion(serverVersion);
  return version === null || version.major !== 1 ? Number.POSITIVE_INFINITY : version.minor;
}

const JOB_WORDS = { cleanUp: 'kubectl win hostprocess sweep', isRecord: false };

/** `pod`: as it was admitted, or would be sent. */
async function checkAdmission({ sample, objects }: ExecPreflightRequest, anchor: 'job' | 'pod', { reader, writer }: PreflightCluster, signal: AbortSignal): Promise<{ readonly pod: KubeObject; readonly notes: readonly string[] }> {
  const { namespace } = objects;
  const trying: TryOptions = { namespace, writer, signal, fixes: fixesIn(namespace, objects.priorityClass) };
  const notes: string[] = [];
  let pod: KubeObject = execObject({ ...objects, anchor: 'pod' }, sample);
  if (anchor === 'job') {
    const sent = execObject({ ...objects, anchor: 'job' }, sample);
    const made = await orUntried(tryObject(JOBS, sent, 'Jobs', trying));
    if (typeof made === 'string') notes.push(`whether Jobs are admitted in ${namespace} is not known beforehand: ${made}`);
    else {
      notes.push(...accepted(judgeAdmittedJob(sent, made, JOB_WORDS)), ...accepted(judgeAdmittedPod(recordAt(made, 'spec', 'template'), sample.node, objects)));
      // As the Job controller makes it: policies may look at its labels.
      pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...recordAt(made, 'spec', 'template', 'metadata'), generateName: `${nameOf(sent)}-`, namespace }, spec: recordAt(made, 'spec', 'template', 'spec') };
    }
  }
  const admitted = await orUntried(tryPod(pod, trying));
  if (typeof admitted === 'string') return { pod, notes: [...notes, `whether pods are admitted in ${namespace} is not known beforehand: ${admitted}`] };
  if (admitted === null) return { pod, notes: [...notes, ...await judgeLabel(namespace, reader, signal)] };
  return { pod: admitted, notes: [...notes, ...accepted(judgeAdmittedPod(admitted, sample.node, objects))] };
}

/** Why it cannot be tried, where a webhook takes no part in dry runs. */
async function orUntried<Tried>(trying: Promise<Tried>): Promise<Tried | string> {
  try {
    return await trying;
  } catch (error) {
    const said = error instanceof ClusterError ? /(?:admission webhook )?"[^"]*" does not support dry run/i.exec(error.message)?.[0] : undefined;
    if (said === undefined) throw error;
    return said;
  }
}

const ENFORCE = 'pod-security.kubernetes.io/enforce';

/** Of a user who may not create pods, which Jobs do: the label says what the Job controller will be told. Gives notes. */
async function judgeLabel(namespace: string, reader: ClusterReader, signal: AbortSignal): Promise<readonly string[]> {
  const level = await levelOf(namespace, reader, signal);
  if (level === 'baseline' || level === 'restricted') throw new ClusterError(`HostProcess pods are refused in the namespace ${namespace}: it has the label ${ENFORCE}=${level}`, { reason: 'Forbidden', status: 403, suggestions: [ofPodSecurity(namespace)] });
  const unknown = `whether pods are admitted in ${namespace} is not known beforehand: that takes the right to create pods`;
  return [level === 'privileged' ? `${unknown}; its Pod Security level, privileged, lets them in` : unknown];
}

/** null where it has none, or may not be looked at. */
async function levelOf(namespace: string, reader: ClusterReader, signal: AbortSignal): Promise<string | null> {
  try {
    return stringAt(await reader.get(NAMESPACES, namespace, { signal }), 'metadata', 'labels', ENFORCE) ?? null;
  } catch (error) {
    if (error instanceof ClusterError && error.reason === 'Forbidden') return null;
    throw error;
  }
}

function ofPodSecurity(namespace: string): string {
  return `use a namespace for this alone (-n): kubectl create namespace kubectl-win && kubectl label namespace kubectl-win ${ENFORCE}=privileged; whoever may exec there is SYSTEM on nodes, so let few in. Or lower the label of ${namespace}`;
}

function fixesIn(namespace: string, priorityClass: string | null): readonly Fix[] {
  return [
    [/violates PodSecurity/i, ofPodSecurity(namespace)],
    [/hostProcess containers are disallowed by cluster policy/i, 'the API server runs with --allow-privileged=false: no HostProcess pod starts there until it is true'],
    [/all containers must be HostProcess/i, 'something adds containers to the pods (a sidecar injector): exempt pods with the label app.kubernetes.io/managed-by: kubectl-win, or use another namespace (-n)'],
    [/must specify limits/i, `a quota of limits in ${namespace} takes no pod that requests something without a limit: leave --cpu and --memory away, or use another namespace (-n)`],
    ...(priorityClass === null ? [] : [[/no PriorityClass with name/i, `kubectl get priorityclasses shows those that there are; --priority-class ${priorityClass} names none`] as const]),
    [/serviceaccount ".*" not found|service account .* not found/i, `kubectl create serviceaccount default -n ${namespace}: the namespace has lost the account that its pods run with`],
    [/ValidatingAdmissionPolicy|denied the request/i, `a policy of the cluster refuses it: have pods with the label app.kubernetes.io/managed-by: kubectl-win exempted in ${namespace}, or use a namespace that it does not concern (-n)`],
    [/failed calling webhook/i, 'a webhook does not answer: repair it, or use a namespace that it does not concern (-n)'],
  ];
}
