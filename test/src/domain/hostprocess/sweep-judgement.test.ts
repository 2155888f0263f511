import assert from 'node:assert/strict';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { isBeingDeleted, judgeLeftover } from '../../../../src/domain/hostprocess/sweep-judgement.ts';
import { execObject, type ExecObjectOptions } from '../../../../src/domain/hostprocess/run-objects.ts';
import { execJob, execLabels, execPod, execPodOfJob, execPodSpec, recordOf } from '../../../support/hostprocess-objects.ts';

const judged = (object: KubeObject, ...records: Parameters<typeof judgeLeftover>[1]): string | null => judgeLeftover(object, records)?.judgement ?? null;

describe('judgeLeftover', () => {
  it('takes for its own what is on record by its UID, whatever became of its labels and shape', () => {
    for (const object of [execJob('aaaaaa'), execJob('aaaaaa', { metadata: { labels: {}, name: 'renamed' } }), execJob('aaaaaa', { spec: { containers: [] } })]) {
      assert.deepEqual({ judgement: judged(object, recordOf('aaaaaa')), run: judgeLeftover(object, [recordOf('aaaaaa')])?.run }, { judgement: 'own', run: 'aaaaaa' });
    }
    assert.equal(judged(execPod('aaaaaa'), recordOf('aaaaaa', { objects: [{ resource: 'pods', name: 'any', uid: 'uid-aaaaaa-0', node: 'win-1' }] })), 'own');
    assert.equal(judged(execPodOfJob('aaaaaa'), recordOf('aaaaaa')), 'own', 'a pod through its Job');
  });

  it('takes for others\' what is made as its own, and not on record', () => {
    for (const object of [execJob('aaaaaa'), execPod('aaaaaa'), execPodOfJob('aaaaaa'), execJob('aaaaaa', { spec: { securityContext: {}, containers: [{ name: 'sidecar' }, { name: 'hostprocess', securityContext: { windowsOptions: { hostProcess: true } } }] } })]) {
      assert.equal(judged(object), 'others');
      assert.equal(judged(object, recordOf('bbbbbb')), 'others');
    }
    assert.equal(judged(execJob('aaaaaa', { uid: 'a namesake' }), recordOf('aaaaaa')), 'others');
    assert.equal(judged(execJob('aaaaaa', { uid: '' }), recordOf('aaaaaa', { uids: [''] })), 'others', 'no UID is no proof');
  });

  it('knows what runs make, however they are asked to', () => {
    const options: ExecObjectOptions = {
      run: 'ab12c', namespace: 'ops', origin: 'test', image: 'registry.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', anchor: 'job', deadlineSeconds: 900, sessionSeconds: 660, pullSecrets: ['s'], priorityClass: 'p', requests: { cpu: '1' }, labels: { team: 'x' }, annotations: { why: 'y' },
    };
    for (const [title, object] of Object.entries({ job: execObject(options, { index: 3, node: 'win-1' }), pod: execObject({ ...options, anchor: 'pod' }, { index: 3, node: 'win-1' }), 'by log': execObject({ ...options, command: { argv: ['cmd'], env: {} } }, { index: 0, node: 'win-1' }) })) {
      assert.equal(judged({ ...object, metadata: { ...object.metadata, uid: 'u' } }), 'others', title);
    }
  });

  describe('an object whose UID never came', () => {
    const record = recordOf('aaaaaa', { uids: [null] });
    it('is its own by its name', () => assert.equal(judged(execJob('aaaaaa'), record), 'own'));
    it('unless it stands elsewhere', () => assert.equal(judged(execJob('aaaaaa', { namespace: 'shop' }), record), 'others'));
    it('or is another', () => assert.equal(judged(execJob('aaaaaa', { index: 1 }), record), 'others'));
    it('or is of another kind', () => assert.equal(judged(execPod('aaaaaa'), record), 'others'));
    it('or of another run by its label', () => assert.equal(judged(execJob('aaaaaa', { metadata: { labels: execLabels('bbbbbb') } }), record), 'forged'));
    it('or was there before the run', () => assert.equal(judged(execJob('aaaaaa', { createdAt: '2026-11-30T11:52:00Z' }), record), 'others'));
    it('or has another shape', () => assert.equal(judged(execJob('aaaaaa', { spec: { securityContext: {} } }), record), 'forged'));
  });

  describe('forged labels', () => {
    const deployments = { metadata: { name: 'web-7d9f8b-x2x4z', ownerReferences: [{ kind: 'ReplicaSet', name: 'web-7d9f8b', uid: 'uid-of-web' }] } };
    const cases: readonly [string, KubeObject, RegExp][] = [
      ['on the pod of a Deployment', execPod('aaaaaa', deployments), /belongs to replicaset\/web-7d9f8b/],
      ['on the pod of a DaemonSet with the name of ours', execPod('aaaaaa', { metadata: { ownerReferences: [{ kind: 'DaemonSet', name: 'kubectl-win-hostprocess-aaaaaa-0', uid: 'u' }] } }), /belongs to daemonset\//],
      ['on the pod of another Job', execPodOfJob('aaaaaa', { metadata: { ownerReferences: [{ kind: 'Job', name: 'backup', uid: 'u' }] } }), /belongs to job\/backup/],
      ['on a pod with two owners', execPodOfJob('aaaaaa', { metadata: { ownerReferences: [{ kind: 'Job', name: 'kubectl-win-hostprocess-aaaaaa-0', uid: 'u' }, { kind: 'Node', name: 'win-1', uid: 'v' }] } }), /belongs to job\//],
      ['on the Job of a CronJob', execJob('aaaaaa', { metadata: { ownerReferences: [{ kind: 'CronJob', name: 'nightly', uid: 'u' }] } }), /belongs to cronjob\/nightly/],
      ['on a pod without a HostProcess container', execPod('aaaaaa', { spec: { securityContext: { windowsOptions: { hostProcess: false } } } }), /is no HostProcess pod/],
      ['on a pod with the option as a text', execPod('aaaaaa', { spec: { securityContext: { windowsOptions: { hostProcess: 'true' } } } }), /is no HostProcess pod/],
      ['on a pod of Linux', execPod('aaaaaa', { spec: { os: { name: 'linux' } } }), /not for Windows/],
      ['on a pod that is restarted', execPod('aaaaaa', { spec: { restartPolicy: 'Always' } }), /again and again/],
      ['on a pod with another container', execPod('aaaaaa', { spec: { containers: [{ name: 'web' }] } }), /called hostprocess/],
      ['on an object with another name', execJob('aaaaaa', { metadata: { name: 'web' } }), /another name/],
      ['on one whose name goes on', execJob('aaaaaa', { metadata: { name: 'kubectl-win-hostprocess-aaaaaa-0x' } }), /another name/],
      ['with the run of nobody', execJob('aaaaaa', { metadata: { labels: execLabels('.*') } }), /no run has such an id/],
      ['without a run', execJob('aaaaaa', { metadata: { labels: { ...execLabels('aaaaaa'), 'kubectl-win/run': undefined } } }), /no run has such an id/],
      ['on an object without a spec', { kind: 'Pod', metadata: execPod('aaaaaa').metadata ?? {} }, /not for Windows/],
    ];
    for (const [title, object, because] of cases) {
      it(`are seen ${title}`, () => {
        const leftover = judgeLeftover(object, [recordOf('bbbbbb')]);
        assert.equal(leftover?.judgement, 'forged');
        assert.match(leftover?.because ?? '', because);
      });
    }

    it('and an owner that is on record make the pod of a Deployment no own one', () => {
      const pod = execPod('aaaaaa', { uid: 'uid-of-web-1', metadata: { name: 'web-1', ownerReferences: [{ kind: 'ReplicaSet', name: 'web', uid: 'u' }, { kind: 'Job', name: 'kubectl-win-hostprocess-aaaaaa-0', uid: 'uid-aaaaaa-0' }] } });
      assert.equal(judged(pod, recordOf('aaaaaa')), 'forged');
    });
  });

  it('has nothing to do with objects of others', () => {
    assert.equal(judged({ kind: 'Pod', metadata: { name: 'web', uid: 'u' }, spec: execPodSpec() }), null);
    assert.equal(judged(execJob('aaaaaa', { metadata: { labels: { ...execLabels('aaaaaa'), 'app.kubernetes.io/component': 'prepull' } } })), null);
    assert.equal(judged({}), null);
  });

  describe('the end', () => {
    const endOf = (object: KubeObject): readonly [boolean, string | null] => {
      const leftover = judgeLeftover(object, []);
      return [leftover?.isAlive ?? false, leftover?.endsBy ?? null];
    };
    const condition = (type: string): unknown => ({ type, status: 'True', lastTransitionTime: '2026-11-30T12:00:00Z' });
    it('of a Job is its deadline and what is kept of it after that', () => {
      assert.deepEqual(endOf(execJob('aaaaaa')), [true, '2026-11-30T12:13:31.000Z']);
      assert.deepEqual(endOf(execJob('aaaaaa', { status: {} })), [true, '2026-11-30T12:13:30.000Z'], 'from its creation where it has not begun');
    });
    it('of a Job that has ended comes soon after', () => {
      assert.deepEqual(endOf(execJob('aaaaaa', { status: { conditions: [condition('Failed')] } })), [false, '2026-11-30T12:00:30.000Z']);
      assert.deepEqual(endOf(execJob('aaaaaa', { status: { completionTime: '2026-11-30T11:59:00Z', conditions: [condition('Complete')] } })), [false, '2026-11-30T11:59:30.000Z']);
      assert.deepEqual(endOf(execJob('aaaaaa', { status: { conditions: [condition('Suspended')] } }))[0], true);
    });
    it('of a pod is that of its containers, and nothing removes it then', () => {
      assert.deepEqual(endOf(execPod('aaaaaa')), [true, '2026-11-30T12:09:02.000Z']);
      assert.deepEqual(endOf(execPod('aaaaaa', { status: { phase: 'Failed', startTime: '2026-11-30T11:58:02Z' } })), [false, null]);
      assert.deepEqual(endOf(execPod('aaaaaa', { spec: { activeDeadlineSeconds: undefined } })), [true, null]);
    });
    it('may lie beyond all dates', () => assert.deepEqual(endOf(execJob('aaaaaa', { deadline: Number.MAX_SAFE_INTEGER })), [true, null]));
  });

  it('tells node, origin and time', () => {
    assert.deepEqual(judgeLeftover(execJob('aaaaaa', { node: 'win-7' }), []), {
      resource: 'jobs', namespace: 'default', name: 'kubectl-win-hostprocess-aaaaaa-0', uid: 'uid-aaaaaa-0', run: 'aaaaaa', node: 'win-7', origin: 'kubectl win 0.1.0 hostprocess exec by ada@laptop', createdAt: '2026-11-30T11:58:00Z',
      judgement: 'others', isAlive: true, endsBy: '2026-11-30T12:13:31.000Z', because: 'it is made as those of a run, and not in the record of this machine',
    });
  });

  it('knows what is being deleted', () => {
    assert.deepEqual([execPod('aaaaaa'), execPod('aaaaaa', { metadata: { deletionTimestamp: '2026-11-30T12:00:00Z' } })].map(isBeingDeleted), [false, true]);
  });
});
