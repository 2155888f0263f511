/** `--keep-warm`: makes DaemonSets that stand, and finds and removes them. */
import { arrayAt, nameOf, namespaceOf, numberAt, recordAt, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { DAEMON_SETS } from '../../domain/kubernetes/resource.ts';
import { judgeAdmittedStandingPod } from '../../domain/prepull/admitted-objects.ts';
import { KEEP_WARM_ROLE, keepWarmName } from '../../domain/prepull/keep-warm.ts';
import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { MANAGED_BY } from '../../domain/prepull/run-objects.ts';
import { ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../../domain/runs/run-labels.ts';
import { NO_RESULTS } from '../../domain/prepull/run-record.ts';
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

/** As `status` shows it among runs. */
export function standingStatus({ run, namespace, origin, startedAt, images, desired, ready }: StandingRun): RunStatus {
  return { run, namespace, origin, startedAt, phase: 'standing', planned: desired, ready, images, results: [], counts: NO_RESULTS, refused: null, skipped: null, active: [], held: [], removedBy: null };
}

/** `namespace`: undefined for all. null where DaemonSets may not be listed. */
export async function findStanding(reader: ClusterReader, namespace: string | undefined, signal: AbortSignal | undefined): Promise<readonly StandingRun[] | null> {
  let found: KubeObject[] = [];
  try {
    for await (const { items, restarted } of reader.list(DAEMON_SETS, { namespace, labelSelector: SELECTOR, signal })) {
      if (restarted === true) found = [];
      found.push(...items);
    }
  } catch (error) {
    if (error instanceof ClusterError && error.reason === 'Forbidden') return null;
    throw error;
  }
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
    images: [...new Set(daemonSets.flatMap((one) => arrayAt(one, 'spec', 'template', 'spec', 'containers').map((container) => stringAt(container, 'image') ?? '')))],
    desired: sum(daemonSets, 'desiredNumberScheduled'), ready: sum(daemonSets, 'numberReady'),
  }));
}
