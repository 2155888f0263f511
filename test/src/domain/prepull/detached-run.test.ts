import assert from 'node:assert/strict';
import { nameOf, numberAt, stringAt } from '../../../../src/domain/kubernetes/object.ts';
import { detachedObjects, detachedOptions } from '../../../../src/domain/prepull/detached-run.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import type { RunOptions } from '../../../../src/domain/prepull/run-objects.ts';
import { readRecord } from '../../../../src/domain/prepull/run-record.ts';
import { planItem } from '../../../support/plan-item.ts';

const OPTIONS: RunOptions = { run: 'a1b2c3', namespace: 'shop', origin: 'kubectl win 0.1.0 prepull', timeoutSeconds: 60, serviceAccount: null, pullSecrets: [] };
const item = (node: string, action: PlanItem['action'], reason: PlanItem['reason'] = 'NotListed', image = 'a:1'): PlanItem => planItem({ node, image, action, reason });
const at = new Date('2026-11-30T12:00:00Z');

describe('detachedOptions', () => {
  it('gives the pulls of a node the time of all, since its kubelet does one after the other', () => {
    assert.equal(detachedOptions(OPTIONS, [item('a', 'pull'), item('a', 'unknown', 'PlatformsUnknown', 'b:1'), item('a', 'skip', 'Present', 'c:1'), item('b', 'pull')]).timeoutSeconds, 120);
    assert.equal(detachedOptions(OPTIONS, []).timeoutSeconds, 60);
  });
});

describe('detachedObjects', () => {
  const objects = detachedObjects([item('win-1', 'skip', 'Present'), item('win-2', 'pull'), item('win-2', 'unknown', 'PlatformsUnknown', 'b:1'), item('win-4', 'refuse', 'OsMismatch')], OPTIONS, at);

  it('are the Job of the run and one for each pull, without an owner that is not there yet', () => {
    assert.deepEqual(objects.map(nameOf), ['kubectl-win-prepull-a1b2c3', 'kubectl-win-prepull-a1b2c3-0', 'kubectl-win-prepull-a1b2c3-1']);
    assert.ok(objects.every(({ metadata }) => metadata?.['ownerReferences'] === undefined));
    const record = readRecord(stringAt(objects[0], 'metadata', 'annotations', 'kubectl-win/record'));
    assert.deepEqual([record?.planned, record?.refused, record?.skipped], [2, 1, 1]);
  });

  it('say that nobody follows them, have the time of all pulls of a node, and are on record for a day', () => {
    assert.equal(stringAt(objects[0], 'metadata', 'annotations', 'kubectl-win/detached'), 'true');
    assert.deepEqual(objects.map((one) => numberAt(one, 'spec', 'activeDeadlineSeconds')), [240, 120, 120]);
    assert.deepEqual(objects.map((one) => numberAt(one, 'spec', 'ttlSecondsAfterFinished')), [86_400, 86_640, 86_640]);
  });

  it('are none where nothing is to be pulled', () => assert.deepEqual(detachedObjects([item('win-1', 'skip', 'Present')], OPTIONS, at), []));
});
