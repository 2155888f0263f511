/** The objects that a run would create, as --dry-run -o yaml prints them. */
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { pullJob, runJob, runJobName, type RunOptions } from '../../domain/prepull/run-objects.ts';
import { writeRecord } from '../../domain/prepull/run-record.ts';
import { renderYaml } from '../yaml.ts';

/**
 * The run's Job, then a Job for each pull, in the order of the plan. Pulls have no owner here: its UID is given by the API server.
 * Applied as they are, all pulls begin at once; the time of each is limited all the same.
 */
export function prepullObjects(items: readonly PlanItem[], options: RunOptions, startedAt: Date): readonly KubeObject[] {
  const toPull = items.filter(({ action }) => action === 'pull' || action === 'unknown');
  if (toPull.length === 0) return [];
  const count = (action: PlanItem['action']): number => items.filter((item) => item.action === action).length;
  const record = writeRecord({ startedAt: startedAt.toISOString(), phase: 'running', planned: toPull.length, refused: count('refuse'), skipped: count('skip'), results: [] });
  const pulls = toPull.map(({ node, image, reason }, index) => withoutOwner(pullJob(options, { index, attempt: 1, node, image, isRefreshed: reason === 'TagMoved' }, { name: runJobName(options.run), uid: '' })));
  return [runJob(options, record), ...pulls];
}

function withoutOwner(job: KubeObject): KubeObject {
  const { ownerReferences: _, ...metadata } = job['metadata'] as Readonly<Record<string, unknown>>; // made above
  return { ...job, metadata };
}

/** Documents of one YAML stream, as kubectl takes them. */
export async function* renderObjects(objects: readonly KubeObject[]): AsyncGenerator<string, void, undefined> {
  for (const [index, object] of objects.entries()) {
    if (index > 0) yield '---\n';
    yield* await renderYaml(object);
  }
}
