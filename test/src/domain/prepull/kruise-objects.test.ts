import assert from 'node:assert/strict';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { IMAGE_PULL_JOBS, kruisePulls, kruiseStateOf, kruiseWindow, outcomeOnNode } from '../../../../src/domain/prepull/kruise-objects.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { planItem } from '../../../support/plan-item.ts';

const item = (node: string, image: string, reason: PlanItem['reason'] = 'NotListed', action: PlanItem['action'] = 'pull'): PlanItem => planItem({ node, image, action, reason });
const OPTIONS = { run: 'a1b2c3', namespace: 'shop', origin: 'x', timeoutSeconds: 600, serviceAccount: null, pullSecrets: ['s'], parallel: 4, retries: 1 };

describe('kruisePulls', () => {
  it('makes an ImagePullJob for each image, with its share of the window', () => {
    const pulls = kruisePulls([item('a', 'x:1'), item('b', 'x:1', 'TagMoved'), item('c', 'x:1'), item('a', 'y:1', 'PlatformsUnknown', 'unknown'), item('b', 'y:1', 'Present', 'skip')], OPTIONS, { ...IMAGE_PULL_JOBS, version: 'v1beta1' });
    assert.deepEqual(pulls.map(({ job }) => [job.apiVersion, job['spec']]), [
      ['apps.kruise.io/v1beta1', {
        image: 'x:1', selector: { names: ['a', 'b', 'c'] }, parallelism: 2, pullPolicy: { timeoutSeconds: 600, backoffLimit: 1 },
        completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 * 2 * 2 + 120, ttlSecondsAfterFinished: 300 }, pullSecrets: ['s'], imagePullPolicy: 'Always',
      }],
      ['apps.kruise.io/v1beta1', {
        image: 'y:1', selector: { names: ['a'] }, parallelism: 1, pullPolicy: { timeoutSeconds: 600, backoffLimit: 1 }, completionPolicy: { type: 'Always', activeDeadlineSeconds: 600 * 2 + 120, ttlSecondsAfterFinished: 300 }, pullSecrets: ['s'],
      }],
    ]);
  });

  it('never waits for longer than a week', () => {
    const many = Array.from({ length: 500 }, (_, at) => item(`n${at}`, 'x:1'));
    assert.equal(kruisePulls(many, { ...OPTIONS, parallel: 1, timeoutSeconds: 86_400 }, IMAGE_PULL_JOBS)[0]?.deadlineSeconds, 7 * 86_400);
  });
});

describe('kruiseWindow', () => {
  it('shares the window out among images', () => assert.deepEqual([kruiseWindow(10, 3), kruiseWindow(2, 5), kruiseWindow(0, 5), kruiseWindow(10, 1)], [3, 1, 0, 10]));
});

describe('kruiseStateOf', () => {
  it('reads a status, and that there is none', () => {
    assert.deepEqual(kruiseStateOf({}), { hasStarted: false, hasEnded: false, desired: 0, succeeded: 0, failedNodes: [], message: '' });
    assert.deepEqual(kruiseStateOf({ status: { startTime: 'x', completionTime: 'y', desired: 2, succeeded: 1, failedNodes: ['a', 3], message: 'm' } }), { hasStarted: true, hasEnded: true, desired: 2, succeeded: 1, failedNodes: ['a'], message: 'm' });
  });
});

describe('outcomeOnNode', () => {
  const nodeImage = (name: string, tag: string, status: object, uid = 'u'): KubeObject => ({ metadata: { name: 'n' }, spec: { images: { [name]: { tags: [{ tag, version: 1, ownerReferences: [{ uid }] }] } } }, status: { imageStatuses: { [name]: { tags: [{ tag, version: 1, ...status }] } } } });
  const digest = `sha256:${'a'.repeat(64)}`;

  it('finds the image under the name that OpenKruise gives it', () => {
    const done = { phase: 'Succeeded', startTime: '2026-11-30T12:00:00Z', completionTime: '2026-11-30T12:01:00Z' };
    for (const [image, name, tag] of [['nginx', 'docker.io/library/nginx', 'latest'], ['r.example/a/b:1', 'r.example/a/b', '1'], [`r.example/a@${digest}`, 'r.example/a', digest]] as const) {
      assert.deepEqual(outcomeOnNode(nodeImage(name, tag, done), image, 'u')?.seconds, 60, image);
    }
  });

  it('takes no other round, tag or job for it', () => {
    for (const [name, tag, status, uid] of [['r.example/a', '2', { phase: 'Succeeded' }, 'u'], ['r.example/b', '1', { phase: 'Succeeded' }, 'u'], ['r.example/a', '1', { phase: 'Succeeded' }, 'v'], ['r.example/a', '1', { phase: 'Succeeded', version: 0 }, 'u'], ['r.example/a', '1', { phase: 'Pulling' }, 'u']] as const) {
      assert.equal(outcomeOnNode(nodeImage(name, tag, status, uid), 'r.example/a:1', 'u'), null);
    }
  });

  it('says why it failed, as far as it knows', () => {
    assert.deepEqual([outcomeOnNode(nodeImage('a.example/a', '1', { phase: 'Failed', message: 'no match for platform in manifest' }), 'a.example/a:1', 'u')?.reason, outcomeOnNode(nodeImage('a.example/a', '1', { phase: 'Failed' }), 'a.example/a:1', 'u')?.reason], ['NoMatchForPlatform', 'PullFailed']);
  });
});
