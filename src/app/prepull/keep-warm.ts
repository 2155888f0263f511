/** `--keep-warm`: makes DaemonSets that stand, and finds and removes them. */
import { arrayAt, nameOf, namespaceOf, numberAt, recordAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { DAEMON_SETS, PODS, type Resource } from '../../domain/kubernetes/resource.ts';
import { judgeAdmittedStandingPod } from '../../domain/prepull/admitted-objects.ts';
import { KEEP_WARM_CONTAINER, KEEP_WARM_ROLE, keepWarmName, WARM_HASH_ANNOTATION } from '../../domain/prepull/keep-warm.ts';
import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { MANAGED_BY } from '../../domain/prepull/run-objects.ts';
import { pullStateOf } from '../../domain/prepull/pull-state.ts';
import { NO_RESULTS, type RecordedResult } from '../../domain/prepull/run-record.ts';
import { ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { someOf } from '../../domain/some-of.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import type { RunStatus } from './run-status.ts';
import { accepted, lackOfRights, missingRights, tryObject, tryPod } from '../runs/admission.ts';
import { tryingIn } from './preflight.ts';

/** What stands of one call with --keep-warm. */
export interface StandingRun {
  readonly run: string;
  readonly namespace: string;
  readonly origin: string | null;
  readonly startedAt: string | null;
  readonly images: readonly string[];
  /** Pods that there should be, one on each node of each DaemonSet, and those whose containers all run. */
  readonly desired: number;
  readonly ready: number;
  readonly daemonSets: readonly KubeObject[];
}

/** Images that a note names. */
const MOST_NAMED = 3;

const CLEAN_UP_MS = 10_000;
const SELECTOR = [...Object.entries(MANAGED_BY), [ROLE_LABEL, KEEP_WARM_ROLE]].map(([key, value]) => `${key}=${value}`).join(',');

/** Throws ClusterError where the cluster would not take them, or their pods, with the fix. */
export async function checkKeepWarm(daemonSets: readonly KubeObject[], namespace: string, writer: ClusterWriter, signal: AbortSignal): Promise<void> {
  const missing = await missingRights(['create', 'list', 'delete'].map((verb) => ({ verb, resource: DAEMON_SETS })), namespace, writer, signal);
  if (missing.length > 0) throw lackOfRights(missing, namespace, ['-o yaml --dry-run=client prints the DaemonSets for somebody who may apply them']);
  const trying = tryingIn(namespace, writer, signal);
  for (const daemonSet of daemonSets) {
    const made = await tryObject(DAEMON_SETS, daemonSet, 'DaemonSets', trying);
    const template = recordAt(made, 'spec', 'template');
    accepted(judgeAdmittedStandingPod(template));
    const pod = await tryPod({ apiVersion: 'v1', kind: 'Pod', metadata: { ...recordAt(template, 'metadata'), generateName: `${nameOf(daemonSet)}-`, namespace }, spec: recordAt(template, 'spec') }, trying);
    if (pod !== null) accepted(judgeAdmittedStandingPod(pod));
  }
}

/** What a call asks for, beside what stands in its namespace. */
export interface WarmDifference {
  /** Those that nothing does yet. */
  readonly missing: readonly KubeObject[];
  /** The run that does all of it already; null where there is none, or it takes several. */
  readonly standsAs: string | null;
  readonly notes: readonly string[];
}

/** A DaemonSet that does the same is not made twice. Where they may not be listed, all are missing. */
export async function compareWithStanding(daemonSets: readonly KubeObject[], namespace: string, reader: ClusterReader, signal: AbortSignal): Promise<WarmDifference> {
  const runs = await findStanding(reader, namespace, signal) ?? [];
  const hashOf = (one: KubeObject): string | null => stringAt(one, 'metadata', 'annotations', WARM_HASH_ANNOTATION) ?? null;
  const there = runs.map(({ run, daemonSets: own }) => ({ run, own: own.filter((one) => stringAt(one, 'metadata', 'deletionTimestamp') === undefined) })).filter(({ own }) => own.length > 0);
  const wanted = new Set(daemonSets.map(hashOf));
  const byHash = new Map(there.flatMap(({ run, own }) => own.map((one) => [hashOf(one), run] as const)));
  const missing = daemonSets.filter((one) => !byHash.has(hashOf(one)));
  const same = [...new Set(daemonSets.flatMap((one) => byHash.get(hashOf(one)) ?? []))];
  const notes = same.map((run) => {
    const images = imagesOfAll(daemonSets.filter((one) => byHash.get(hashOf(one)) === run));
    return `run ${run} keeps ${someOf(images, MOST_NAMED)} warm already, on the same nodes and as the same account: no second DaemonSet is made`;
  });
  const foreign = there.flatMap(({ run, own }) => {
    const other = own.filter((one) => !wanted.has(hashOf(one)));
    if (other.length === 0) return [];
    const remedy = other.length === own.length ? `kubectl win prepull cleanup ${run} -n ${namespace}` : `kubectl delete ${other.map((one) => `daemonset/${nameOf(one)}`).join(' ')} -n ${namespace}`;
    return [`run ${run} also keeps ${someOf(imagesOfAll(other), MOST_NAMED)} warm in ${namespace}, in a way that is not of this plan; where it is no longer wanted: ${remedy}`];
  });
  return { missing, standsAs: missing.length === 0 && same.length === 1 ? same[0] ?? null : null, notes: [...notes, ...foreign] };
}

/** All of them, or none. */
export async function* keepWarm(daemonSets: readonly KubeObject[], { run, namespace, items, signal }: { readonly run: string; readonly namespace: string; readonly items: number; readonly signal: AbortSignal }, { reader, writer }: { readonly reader: ClusterReader; readonly writer: ClusterWriter }): AsyncGenerator<PrepullEvent, void, undefined> {
  yield { type: 'began', run, namespace, items };
  try {
    for (const daemonSet of daemonSets) await writer.create(DAEMON_SETS, daemonSet, { namespace, signal });
  } catch (error) {
    try {
      const late = AbortSignal.timeout(CLEAN_UP_MS);
      // also one whose answer was lost
      for (const standing of await findStanding(reader, namespace, late) ?? []) if (standing.run === run) await removeStanding(standing, writer, late);
    } catch (problem) {
      if (!(problem instanceof ClusterError)) throw problem;
      yield { type: 'note', message: `what was made of ${run} could not be removed (${problem.message}); kubectl win prepull cleanup ${run} -n ${namespace} does so` };
    }
    throw error;
  }
}

export async function removeStanding({ namespace, daemonSets }: StandingRun, writer: ClusterWriter, signal: AbortSignal | undefined): Promise<void> {
  for (const one of daemonSets) await writer.delete(DAEMON_SETS, nameOf(one), { namespace, uid: stringAt(one, 'metadata', 'uid') ?? '', signal });
}

/** As `status` shows it among runs. `pods`: those of all that stands; null where they may not be listed. */
export function standingStatus({ run, namespace, origin, startedAt, images, desired, ready, daemonSets }: StandingRun, pods: readonly KubeObject[] | null): RunStatus {
  const owners = new Set(daemonSets.map((one) => stringAt(one, 'metadata', 'uid') ?? ''));
  const own = (pods ?? []).filter((pod) => namespaceOf(pod) === namespace && arrayAt(pod, 'metadata', 'ownerReferences').some((owner) => stringAt(owner, 'kind') === 'DaemonSet' && owners.has(stringAt(owner, 'uid') ?? '')));
  const seen = own.filter((pod) => stringAt(pod, 'metadata', 'deletionTimestamp') === undefined).map(warmPod);
  const failing = seen.filter(({ failed }) => failed.length > 0);
  return {
    run, namespace, origin, startedAt, phase: 'standing', planned: desired, ready, images, refused: null, skipped: null, held: [], removedBy: null, ...(pods === null ? { isUnseen: true } : {}),
    counts: { ...NO_RESULTS, failed: failing.length },
    results: failing.flatMap(({ node, failed }) => failed.map(({ image, reason }): RecordedResult => ({ node, image, result: 'failed', reason }))),
    // failures too: the kubelet tries again
    active: seen.flatMap(({ node, failed, pulling }) => [...failed.map((failure) => ({ node, ...failure })), ...pulling.map((image) => ({ node, image, reason: null, message: null }))]),
  };
}

/** Pods of what stands, which have no Job. null where pods may not be listed. */
export async function findStandingPods(reader: ClusterReader, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly KubeObject[] | null> {
  return listUnlessForbidden(reader, PODS, namespace, signal);
}

interface WarmPod {
  readonly node: string;
  /** Images that do not come, or whose containers do not stay, so that they are not kept. */
  readonly failed: readonly { readonly image: string; readonly reason: string; readonly message: string }[];
  readonly pulling: readonly string[];
}

/** Waiting reasons of a container whose image is there, and which does not run. */
const NOT_STARTED = new Set(['CrashLoopBackOff', 'CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

function warmPod(pod: KubeObject): WarmPod {
  const containers = arrayAt(pod, 'spec', 'containers').map((one) => ({ name: stringAt(one, 'name') ?? '', image: stringAt(one, 'image') ?? '' })).filter(({ name }) => KEEP_WARM_CONTAINER.test(name));
  const names = new Set(containers.map(({ name }) => name));
  const failed: { image: string; reason: string; message: string }[] = [];
  const pulling: string[] = [];
  for (const { name, image } of containers) {
    const state = pullStateOf(pod, name, names);
    const waiting = arrayAt(pod, 'status', 'containerStatuses').find((one) => stringAt(one, 'name') === name);
    const reason = stringAt(waiting, 'state', 'waiting', 'reason') ?? '';
    if (state.state === 'failed') failed.push({ image, reason: state.reason, message: state.message });
    else if (state.state === 'pulled' && NOT_STARTED.has(reason)) failed.push({ image, reason, message: `it is on the node, and its container does not run: ${stringAt(waiting, 'state', 'waiting', 'message') ?? reason}` });
    else if (state.state === 'pulling') pulling.push(image);
  }
  return { node: stringAt(pod, 'spec', 'nodeName') ?? '', failed, pulling };
}

/** `namespace`: undefined for all. null where DaemonSets may not be listed. */
export async function findStanding(reader: ClusterReader, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly StandingRun[] | null> {
  const found = await listUnlessForbidden(reader, DAEMON_SETS, namespace, signal);
  if (found === null) return null;
  const runs = new Map<string, KubeObject[]>();
  for (const one of found) {
    const run = stringAt(one, 'metadata', 'labels', RUN_LABEL) ?? '';
    // A forged label makes none of them.
    if (!nameOf(one).startsWith(keepWarmName(run, 0).slice(0, -1))) continue;
    const key = `${namespaceOf(one)}/${run}`;
    runs.set(key, [...runs.get(key) ?? [], one]);
  }
  const sum = (daemonSets: readonly KubeObject[], field: string): number => daemonSets.reduce((total, one) => total + (numberAt(one, 'status', field) ?? 0), 0);
  return [...runs].map(([key, daemonSets]): StandingRun => ({
    run: key.slice(key.indexOf('/') + 1), namespace: key.slice(0, key.indexOf('/')), daemonSets,
    origin: stringAt(daemonSets[0], 'metadata', 'annotations', ORIGIN_ANNOTATION) ?? null,
    startedAt: stringAt(daemonSets[0], 'metadata', 'creationTimestamp') ?? null,
    images: imagesOfAll(daemonSets),
    desired: sum(daemonSets, 'desiredNumberScheduled'), ready: sum(daemonSets, 'numberReady'),
  }));
}

async function listUnlessForbidden(reader: ClusterReader, resource: Resource, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly KubeObject[] | null> {
  let found: KubeObject[] = [];
  try {
    for await (const { items, restarted } of reader.list(resource, { namespace, labelSelector: SELECTOR, signal })) {
      if (restarted === true) found = [];
      found.push(...items);
    }
  } catch (error) {
    if (error instanceof ClusterError && error.reason === 'Forbidden') return null;
    throw error;
  }
  return found;
}

function imagesOfAll(daemonSets: readonly KubeObject[]): readonly string[] {
  return [...new Set(daemonSets.flatMap((one) => arrayAt(one, 'spec', 'template', 'spec', 'containers').map((container) => stringAt(container, 'image') ?? '')))];
}
