import assert from 'node:assert/strict';
import { arrayAt, booleanAt, nameOf, numberAt, recordAt, stringAt, stringMapAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ISOLATION_ANNOTATION, isPullJobOf, pullJob, pullJobName, runJob, type RunOptions } from '../../../../src/domain/prepull/run-objects.ts';

const OPTIONS: RunOptions = { run: 'ab12c', namespace: 'web', origin: 'kubectl win 1 prepull', timeoutSeconds: 2700, serviceAccount: null, pullSecrets: [] };
const PULL = { index: 3, attempt: 1, node: 'win-1', image: 'r.example/x:1', isRefreshed: false };
const OWNER = { name: 'kubectl-win-prepull-ab12c', uid: 'u' };

describe('objects of a run', () => {
  it('the Job of the run makes no pod, ends after its deadline and goes after that', () => {
    const job = runJob(OPTIONS, '{}');
    assert.deepEqual([numberAt(job, 'spec', 'parallelism'), numberAt(job, 'spec', 'activeDeadlineSeconds'), numberAt(job, 'spec', 'ttlSecondsAfterFinished')], [0, 2820, 300]);
    assert.deepEqual(stringMapAt(job, 'metadata', 'annotations'), { 'kubectl-win/origin': 'kubectl win 1 prepull', 'kubectl-win/record': '{}', 'kubectl-win/deadline-ahead-seconds': '2820' });
    const short = runJob({ ...OPTIONS, timeoutSeconds: 5, marginSeconds: 4, recordTtlSeconds: 3 }, '{}');
    assert.deepEqual([numberAt(short, 'spec', 'activeDeadlineSeconds'), numberAt(short, 'spec', 'ttlSecondsAfterFinished')], [9, 3]);
  });

  it('the Job of a pull belongs to it, lives as long as it, and puts one pod on one node', () => {
    const job = pullJob(OPTIONS, PULL, OWNER);
    assert.equal(nameOf(job), 'kubectl-win-prepull-ab12c-3');
    assert.deepEqual(recordAt(job, 'metadata')['ownerReferences'], [{ apiVersion: 'batch/v1', kind: 'Job', ...OWNER, controller: false, blockOwnerDeletion: false }]);
    assert.deepEqual([numberAt(job, 'spec', 'activeDeadlineSeconds'), numberAt(job, 'spec', 'ttlSecondsAfterFinished'), numberAt(job, 'spec', 'backoffLimit')], [2700, 3120, 0]);
    const spec = recordAt(job, 'spec', 'template', 'spec');
    assert.deepEqual(spec['tolerations'], [{ operator: 'Exists' }]);
    assert.deepEqual(spec['os'], { name: 'windows' });
    assert.deepEqual([spec['serviceAccountName'], spec['imagePullSecrets'], spec['automountServiceAccountToken'], spec['restartPolicy']], [undefined, undefined, false, 'Never']);
    assert.equal(stringAt(arrayAt(spec, 'containers')[0], 'imagePullPolicy'), 'IfNotPresent');
    assert.deepEqual(recordAt(job, 'spec', 'template', 'metadata'), { labels: recordAt(job, 'metadata')['labels'], annotations: recordAt(job, 'metadata')['annotations'] });
  });

  it('the Job of a pull for HostProcess containers alone says so, on its pod too', () => {
    const isolations = (images: readonly string[]): readonly unknown[] => {
      const job = pullJob({ ...OPTIONS, hostProcessImages: new Set(images) }, PULL, OWNER);
      return [recordAt(job, 'metadata', 'annotations'), recordAt(job, 'spec', 'template', 'metadata', 'annotations')].map((annotations) => annotations[ISOLATION_ANNOTATION]);
    };
    assert.deepEqual([isolations([PULL.image]), isolations(['other:1'])], [['host-process', 'host-process'], [undefined, undefined]]);
  });

  it('R151: the pod of a pull ends and is not begun anew, and no part of a run is without an end', () => {
    const jobs = [runJob(OPTIONS, '{}'), pullJob(OPTIONS, PULL, OWNER), pullJob({ ...OPTIONS, holdSeconds: 3600 }, PULL, OWNER)];
    for (const job of jobs) {
      assert.deepEqual([stringAt(job, 'kind'), stringAt(job, 'spec', 'template', 'spec', 'restartPolicy'), numberAt(job, 'spec', 'backoffLimit'), numberAt(job, 'spec', 'completions')], ['Job', 'Never', 0, 1]);
      assert.ok((numberAt(job, 'spec', 'activeDeadlineSeconds') ?? 0) > 0 && (numberAt(job, 'spec', 'ttlSecondsAfterFinished') ?? 0) > 0);
    }
    const [container] = arrayAt(jobs[1], 'spec', 'template', 'spec', 'containers');
    assert.deepEqual([arrayAt(container, 'command'), booleanAt(container, 'stdin') ?? false], [['cmd.exe', '/c', 'exit', '0'], false]);
  });

  it('asks the registry anew for a tag that has moved, with the account and secrets that are named', () => {
    const spec = recordAt(pullJob({ ...OPTIONS, serviceAccount: 'web', pullSecrets: ['a', 'b'] }, { ...PULL, isRefreshed: true, attempt: 2 }, OWNER), 'spec', 'template', 'spec');
    assert.deepEqual([stringAt(arrayAt(spec, 'containers')[0], 'imagePullPolicy'), spec['serviceAccountName'], spec['imagePullSecrets']], ['Always', 'web', [{ name: 'a' }, { name: 'b' }]]);
  });

  it('has names that are no longer than names of Jobs may be, and differ', () => {
    const name = pullJobName('a'.repeat(20), 99_999, 99);
    assert.ok(name.length <= 57, `${name.length}, and pods of it get 6 more`);
    assert.notEqual(pullJobName('a', 1, 12), pullJobName('a', 11, 2));
  });
});

describe('isPullJobOf', () => {
  const named = (name: string, ownerReferences?: readonly unknown[]): KubeObject => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, ...(ownerReferences === undefined ? {} : { ownerReferences }) } });
  for (const [job, is] of [
    [pullJob(OPTIONS, PULL, OWNER), true], [pullJob(OPTIONS, { ...PULL, attempt: 12 }, OWNER), true], [named('kubectl-win-prepull-ab12c-0'), true], [named('kubectl-win-prepull-ab12c'), false], [named('kubectl-win-prepull-ab12c-web'), false],
    [named('kubectl-win-prepull-ab12c-1-2-3'), false], [named('important'), false], [named('kubectl-win-prepull-ab12c-0', [{ kind: 'CronJob', name: 'kubectl-win-prepull-ab12c' }]), false], [named('kubectl-win-prepull-ab12c-0', [{ kind: 'Job', name: 'other' }]), false],
  ] as const) it(`${nameOf(job)} ${JSON.stringify(job.metadata?.['ownerReferences'] ?? null)} is ${is ? 'one' : 'none'}`, () => assert.equal(isPullJobOf('ab12c', job), is));
});
