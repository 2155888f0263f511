import assert from 'node:assert/strict';
import { parseAllDocuments } from 'yaml';
import { nameOf, stringAt } from '../../../../src/domain/kubernetes/object.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { readRecord } from '../../../../src/domain/prepull/run-record.ts';
import { prepullObjects, renderObjects } from '../../../../src/output/views/prepull-objects.ts';
import { planItem } from '../../../support/plan-item.ts';

const OPTIONS = { run: 'a1b2c3', namespace: 'shop', origin: 'kubectl win 0.1.0 prepull', timeoutSeconds: 60, serviceAccount: null, pullSecrets: [] };
const item = (node: string, action: PlanItem['action'], reason: PlanItem['reason'] = 'NotListed'): PlanItem => planItem({ node, action, reason });
const at = new Date('2026-11-30T12:00:00Z');

describe('prepullObjects', () => {
  it('are the Job of the run and one for each pull, without an owner that is not there yet', () => {
    const objects = prepullObjects([item('win-1', 'skip', 'Present'), item('win-2', 'pull'), item('win-3', 'unknown', 'PlatformsUnknown'), item('win-4', 'refuse', 'OsMismatch')], OPTIONS, at);
    assert.deepEqual(objects.map(nameOf), ['kubectl-win-prepull-a1b2c3', 'kubectl-win-prepull-a1b2c3-0', 'kubectl-win-prepull-a1b2c3-1']);
    assert.ok(objects.every(({ metadata }) => (metadata as { ownerReferences?: unknown }).ownerReferences === undefined));
    const record = readRecord(stringAt(objects[0], 'metadata', 'annotations', 'kubectl-win/record'));
    assert.deepEqual([record?.planned, record?.refused, record?.skipped], [2, 1, 1]);
  });

  it('are none where nothing is to be pulled', () => assert.deepEqual(prepullObjects([item('win-1', 'skip', 'Present')], OPTIONS, at), []));
});

describe('renderObjects', () => {
  it('writes a document for each', async () => {
    const objects = prepullObjects([item('win-2', 'pull'), item('win-3', 'pull')], OPTIONS, at);
    let text = '';
    for await (const chunk of renderObjects(objects)) text += chunk;
    assert.deepEqual(parseAllDocuments(text).map((document) => document.toJS() as unknown), objects);
    assert.ok(!text.startsWith('---'));
  });

  it('writes nothing for none', async () => {
    for await (const chunk of renderObjects([])) assert.fail(chunk);
  });
});
