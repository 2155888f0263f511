import assert from 'node:assert/strict';
import { recordAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { pullJob, runJob, type RunOptions } from '../../../../src/domain/prepull/run-objects.ts';
import { judgeAdmittedJob } from '../../../../src/domain/runs/admitted-job.ts';

const OPTIONS: RunOptions = { run: 'r1', namespace: 'web', origin: 'test', timeoutSeconds: 600, serviceAccount: null, pullSecrets: [] };
const RUN = runJob(OPTIONS, '{}');
const PULL = pullJob(OPTIONS, { index: 0, attempt: 1, node: 'win', image: 'r.example/x:1', isRefreshed: false }, { name: 'o', uid: 'u' });
const WORDS = { cleanUp: 'kubectl win sweep-it', isRecord: true };
const withSpec = (job: KubeObject, spec: Readonly<Record<string, unknown>>): KubeObject => ({ ...job, spec: { ...recordAt(job, 'spec'), ...spec } });

describe('judgeAdmittedJob', () => {
  it('has nothing to say of what it was sent, with more defaults', () => {
    for (const job of [RUN, PULL]) assert.deepEqual(judgeAdmittedJob(job, withSpec(job, { suspend: false, completionMode: 'NonIndexed', managedBy: 'kubernetes.io/job-controller' }), WORDS), { refusal: null, notes: [] });
  });

  for (const [what, job, spec, says] of [
    ['a Job of a run that is suspended', RUN, { suspend: true }, /suspended.*/], ['a pull that is', PULL, { suspend: true }, /suspended/], ['a Job for another controller', PULL, { managedBy: 'kueue.x-k8s.io/multikueue' }, /left to kueue\.x-k8s\.io\/multikueue/],
    ['a Job of a run that makes pods', RUN, { parallelism: 1 }, /parallelism becomes 1/], ['a pull of several pods', PULL, { completions: 3 }, /completions becomes 3/], ['a Job without an end', RUN, { activeDeadlineSeconds: undefined }, /no activeDeadlineSeconds any more/],
  ] as const) {
    it(`refuses ${what}, with the fix`, () => {
      const { refusal } = judgeAdmittedJob(job, withSpec(job, spec), WORDS);
      assert.match(refusal?.message ?? '', says);
      assert.match(refusal?.fix ?? '', /app\.kubernetes\.io\/managed-by: kubectl-win.*|another namespace/);
    });
  }

  for (const [what, spec, says] of [
    ['less time', { activeDeadlineSeconds: 300 }, /gives Jobs no more than 5m \(activeDeadlineSeconds\)/], ['no removal', { ttlSecondsAfterFinished: undefined }, /stays until kubectl win sweep-it/], ['an early one', { ttlSecondsAfterFinished: 60 }, /removes Jobs 60s after their end/],
  ] as const) it(`notes ${what}`, () => assert.match(judgeAdmittedJob(PULL, withSpec(PULL, spec), WORDS).notes.join(), says));

  it('has nothing to say of more time', () => assert.deepEqual(judgeAdmittedJob(PULL, withSpec(PULL, { activeDeadlineSeconds: 9e6, ttlSecondsAfterFinished: 9e6 }), WORDS).notes, []));

  it('an early removal is nobody\'s loss where nothing is on record', () => assert.deepEqual(judgeAdmittedJob(PULL, withSpec(PULL, { ttlSecondsAfterFinished: 60 }), { ...WORDS, isRecord: false }).notes, []));
});
