import assert from 'node:assert/strict';
import { currentVersion, follow } from '../../../../src/app/runs/follow.ts';
import type { ClusterReader, WatchEvent } from '../../../../src/app/ports.ts';
import { nameOf, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { PODS } from '../../../../src/domain/kubernetes/resource.ts';
import { error, ExecCluster } from '../../../support/exec-cluster.ts';
import { fakeCluster } from '../../../support/fake-cluster.ts';

const pod = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ops' } });

function textOf(event: WatchEvent): string {
  return event.type === 'RELISTED' ? `RELISTED ${event.objects.map(nameOf).join(' ')}` : `${event.type} ${nameOf(event.object)}`;
}

describe('follow', () => {
  it('lists, then watches from there, until the signal', async () => {
    const cluster = new ExecCluster([]);
    cluster.pods.set('a', pod('a'));
    const stop = new AbortController();
    const told: string[] = [];
    cluster.clock.later(5, () => cluster.tell('pods', { type: 'ADDED', object: pod('b') }));
    cluster.clock.later(6, () => stop.abort(new Error('enough')));
    await assert.rejects(follow(cluster.reader, PODS, { namespace: 'ops' }, (event) => told.push(textOf(event)), { clock: cluster.clock, signal: stop.signal }), /enough/);
    assert.deepEqual(told, ['RELISTED a', 'ADDED b']);
  });

  it('lists again after failures that pass, and throws others', async () => {
    const cluster = new ExecCluster([]);
    const stop = new AbortController();
    cluster.onCall = ({ verb, at }) => (verb === 'list' && at < 5 ? error('ServiceUnavailable', 'away', 503) : null);
    cluster.clock.later(20, () => stop.abort(new Error('enough')));
    await assert.rejects(follow(cluster.reader, PODS, {}, () => undefined, { clock: cluster.clock, signal: stop.signal }), /enough/);
    assert.equal(cluster.callsOf('list').length, 4);
    const refused = new ExecCluster([]);
    refused.onCall = ({ verb }) => (verb === 'list' ? error('Forbidden', 'cannot list pods', 403) : null);
    await assert.rejects(follow(refused.reader, PODS, {}, () => undefined, { clock: refused.clock, signal: new AbortController().signal }), /cannot list pods/);
  });

  it('forgets the pages of a list that was begun anew', async () => {
    const reader: ClusterReader = { ...fakeCluster({ objects: { pods: ['a', 'b', 'c'].map(pod) }, pageSize: 2, restartsAfterFirstPage: true }) };
    const told: string[] = [];
    await follow(reader, PODS, {}, (event) => told.push(textOf(event)), { clock: new ExecCluster([]).clock, signal: new AbortController().signal });
    assert.deepEqual(told, ['RELISTED a b c']);
  });
});

describe('currentVersion', () => {
  it('asks for one object at the most', async () => {
    const sizes: (number | undefined)[] = [];
    const cluster = fakeCluster({ objects: { pods: ['a', 'b', 'c'].map(pod) }, pageSize: 1 });
    const reader: ClusterReader = { ...cluster, list: (resource, options) => {
      sizes.push(options?.chunkSize);
      return cluster.list(resource, options);
    } };
    assert.equal(await currentVersion(reader, PODS, {}, { clock: new ExecCluster([]).clock, signal: new AbortController().signal }), '7');
    assert.deepEqual(sizes, [1]);
  });
});
