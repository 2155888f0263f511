/** `prepull status`: all that is on record, whatever does the pulls. */
import type { ClusterReader } from '../ports.ts';
import { findStanding, findStandingPods, standingStatus } from './keep-warm.ts';
import { findKruiseRuns } from './kruise-pulls.ts';
import { runStatuses, type RunStatus } from './run-status.ts';

export interface ListRunsOptions {
  /** undefined for all. */
  readonly namespace: string | undefined;
  /** null for all. */
  readonly run: string | null;
  readonly now: Date;
  readonly signal?: AbortSignal | undefined;
}

export interface ListedRuns {
  readonly runs: readonly RunStatus[];
  readonly notes: readonly string[];
}

/** Those who may not list DaemonSets are told so, and see the rest. */
export async function listRuns(reader: ClusterReader, options: ListRunsOptions): Promise<ListedRuns> {
  const { namespace, run, signal } = options;
  const standing = await findStanding(reader, namespace, signal);
  const pods = standing === null || standing.length === 0 ? [] : await findStandingPods(reader, namespace, signal);
  const kruise = await findKruiseRuns(reader, namespace, signal);
  const runs = [...await runStatuses(reader, options), ...(standing ?? []).map((one) => standingStatus(one, pods)), ...kruise.map(({ status }) => status)];
  return { runs: runs.filter((one) => run === null || one.run === run), notes: standing === null ? ['daemonsets may not be listed: what --keep-warm made is not looked at'] : pods === null ? ['pods may not be listed: failures of what --keep-warm made are not known'] : [] };
}
