import assert from 'node:assert/strict';
import { seePods, seeRunningPods } from '../../../../src/app/images/live-images.ts';
import { Reading } from '../../../../src/app/workloads/reading.ts';
import { factsOfObjects } from '../../../../src/domain/check/facts-of-objects.ts';
import { LiveImageEvidence } from '../../../../src/domain/image/live-evidence.ts';
import { NO_PLATFORMS } from '../../../../src/domain/image/no-platforms.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { fakeCluster, forbidden, rawNode } from '../../../support/fake-cluster.ts';

const pod = (name: string, nodeName: string, image: string): KubeObject => ({
  apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'a' }, spec: { nodeName, containers: [{ name: 'c', image }] }, status: { containerStatuses: [{ name: 'c', image, state: { running: {} } }] },
});
const nodesOf = (...objects: readonly KubeObject[]) => factsOfObjects(objects, { kubernetesVersion: null, asOf: new Date('2026-11-30'), images: NO_PLATFORMS, completeness: () => 'all' }).nodes;
const PODS = [pod('1', 'w', 'win:1'), pod('2', 'l', 'lin:1'), pod('3', 'gone', 'lost:1')];

describe('seePods', () => {
  it('takes what runs on the Windows nodes that are known', () => {
    const live = new LiveImageEvidence();
    seePods(live, PODS, nodesOf(rawNode('w'), rawNode('l', { os: 'linux' })));
    assert.deepEqual(['win:1', 'lin:1', 'lost:1'].map((image) => live.evidenceOf(image)?.seenOn), [[20348], undefined, undefined]);
  });

  it('takes nothing where nodes are not known', () => {
    const live = new LiveImageEvidence();
    seePods(live, PODS, null);
    assert.ok(live.isEmpty);
  });
});

describe('seeRunningPods', () => {
  it('reads the pods of all namespaces', async () => {
    const live = new LiveImageEvidence();
    await seeRunningPods(live, new Reading(fakeCluster({ objects: { pods: PODS } }), {}), nodesOf(rawNode('w')));
    assert.deepEqual(live.evidenceOf('win:1')?.seenOn, [20348]);
  });

  it('reads none where no Windows node could run them', async () => {
    const cluster = fakeCluster({ objects: { pods: PODS } });
    for (const nodes of [null, nodesOf(rawNode('l', { os: 'linux' }))]) await seeRunningPods(new LiveImageEvidence(), new Reading(cluster, {}), nodes);
    assert.deepEqual(cluster.calls, []);
  });

  it('goes on where they may not be read', async () => {
    const reading = new Reading(fakeCluster({ errors: { 'list pods': forbidden('list', 'pods') } }), {});
    await seeRunningPods(new LiveImageEvidence(), reading, nodesOf(rawNode('w')));
    assert.deepEqual(reading.notes, ['not allowed to list pods: what needs them was not evaluated']);
  });
});
