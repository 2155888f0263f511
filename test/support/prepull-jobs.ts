import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { pullJob, runJob, runJobName, type RunOptions } from '../../src/domain/prepull/run-objects.ts';
import { writeRecord, type RunRecord } from '../../src/domain/prepull/run-record.ts';

const STARTED = '2026-11-30T11:48:00Z';

/** Jobs as a run has left them in the cluster. */
export function jobsOfRun(run: string, { namespace = 'default', record = {}, active = [], aliveForSeconds = 0, isDetached = false }: {
  readonly namespace?: string; readonly record?: Partial<RunRecord>; readonly active?: readonly { readonly node: string; readonly image: string }[];
  /** How long its program has moved its deadline. */
  readonly aliveForSeconds?: number;
  readonly isDetached?: boolean;
} = {}): readonly KubeObject[] {
  const options: RunOptions = { run, namespace, origin: 'kubectl win 0.1.0 prepull', timeoutSeconds: 2700, serviceAccount: null, pullSecrets: [], isDetached };
  const owner = { name: runJobName(run), uid: `uid-${run}` };
  const own = runJob(options, writeRecord({ startedAt: STARTED, phase: 'running', planned: 4, refused: 0, skipped: 0, results: [], ...record }));
  const spec = own['spec'] as { readonly activeDeadlineSeconds: number };
  return [
    { ...own, spec: { ...spec, activeDeadlineSeconds: spec.activeDeadlineSeconds + aliveForSeconds }, metadata: { ...own.metadata as object, uid: owner.uid, creationTimestamp: STARTED }, status: { startTime: STARTED } } as unknown as KubeObject, // a Job, as the API server stores it
    ...active.map(({ node, image }, index) => {
      const job = pullJob(options, { index, attempt: 1, node, image, isRefreshed: false }, owner);
      return { ...job, metadata: { ...job.metadata as object, uid: `uid-${run}-${index}`, creationTimestamp: STARTED }, status: { active: 1 } } as unknown as KubeObject; // as above
    }),
  ];
}
