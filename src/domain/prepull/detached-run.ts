/** A run that no program follows: what it is made of, for `--detach` and for whoever applies it (`--dry-run=client -o yaml`). */
import { recordAt, type KubeObject } from '../kubernetes/object.ts';
import { isToPull, type PlanItem } from './prepull-plan.ts';
import { pullJob, runJob, runJobName, type RunOptions } from './run-objects.ts';
import { writeRecord } from './run-record.ts';

/**
 * All pulls begin at once, and a node's kubelet does its own one after the other, so that the time of each begins when all do.
 * Nobody tries again but the kubelet itself, as long as the time lasts.
 */
export function detachedOptions(options: RunOptions, items: readonly PlanItem[]): RunOptions {
  const perNode = new Map<string, number>();
  for (const { node } of items.filter(isToPull)) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  return { ...options, isDetached: true, timeoutSeconds: options.timeoutSeconds * Math.max(1, ...perNode.values()) };
}

/** The run's Job, then a Job for each pull, in the order of the plan. Pulls have no owner here: its UID is given by the API server. */
export function detachedObjects(items: readonly PlanItem[], options: RunOptions, startedAt: Date): readonly KubeObject[] {
  const toPull = items.filter(isToPull);
  if (toPull.length === 0) return [];
  const detached = detachedOptions(options, items);
  const count = (action: PlanItem['action']): number => items.filter((item) => item.action === action).length;
  const record = writeRecord({ startedAt: startedAt.toISOString(), phase: 'running', planned: toPull.length, refused: count('refuse'), skipped: count('skip'), results: [] });
  const pulls = toPull.map(({ node, image, reason }, index) => withoutOwner(pullJob(detached, { index, attempt: 1, node, image, isRefreshed: reason === 'TagMoved' }, { name: runJobName(options.run), uid: '' })));
  return [runJob(detached, record), ...pulls];
}

function withoutOwner(job: KubeObject): KubeObject {
  const { ownerReferences: _, ...metadata } = recordAt(job, 'metadata');
  return { ...job, metadata };
}
