import assert from 'node:assert/strict';
import { EventMessages, isOfContainer } from '../../../../src/app/runs/event-messages.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { fakeCluster, forbidden } from '../../../support/fake-cluster.ts';

const event = (message: string, at: string, more: Readonly<Record<string, unknown>> = {}): KubeObject => ({
  apiVersion: 'v1', kind: 'Event', metadata: { name: message, namespace: 'ops' }, reason: 'Failed', type: 'Warning', message, lastTimestamp: at, involvedObject: { kind: 'Pod', name: 'p', uid: 'u', ...more },
});

const scope = { namespace: 'ops', signal: new AbortController().signal, container: 'hostprocess' };

describe('EventMessages', () => {
  it('are of the object with that UID and of the container that is meant, the oldest first', async () => {
    const objects = { events: [
      event('late', '2026-11-30T12:00:09Z', { fieldPath: 'spec.containers{hostprocess}' }), event('early', '2026-11-30T12:00:01Z'), event('of another of that name', '2026-11-30T12:00:02Z', { uid: 'other' }),
      event('of a sidecar', '2026-11-30T12:00:03Z', { fieldPath: 'spec.containers{proxy}' }), event('', '2026-11-30T12:00:04Z'),
    ] };
    const messages = new EventMessages(fakeCluster({ objects, pageSize: 10 }), scope);
    assert.deepEqual(await messages.messagesOf({ kind: 'Pod', name: 'p', uid: 'u' }, 'Failed'), ['early', 'late']);
    assert.deepEqual(await messages.messagesOf({ kind: 'Pod', name: 'p', uid: 'u' }, null), ['early', 'late']);
    assert.deepEqual(await messages.messagesOf({ kind: 'Pod', name: 'p', uid: 'u' }, 'Pulled'), []);
    assert.deepEqual((await messages.ofAllPods('Failed')).map(({ of, message }) => `${of} ${message}`), ['u early', 'other of another of that name', 'u late']);
  });

  it('are none where they may not be read, which is asked once', async () => {
    const cluster = fakeCluster({ errors: { 'list events': forbidden('list', 'events') } });
    const messages = new EventMessages(cluster, scope);
    assert.equal(messages.isRefused, false);
    assert.deepEqual(await messages.messagesOf({ kind: 'Pod', name: 'p', uid: 'u' }, 'Failed'), []);
    assert.equal(messages.isRefused, true);
    assert.deepEqual(await messages.ofAllPods('Failed'), []);
    assert.equal(cluster.calls.length, 1);
  });
});

describe('isOfContainer', () => {
  it('takes what is said of the pod as a whole', () => {
    assert.deepEqual(['', 'spec.containers{pull}', 'spec.initContainers{pull}'].map((fieldPath) => isOfContainer({ apiVersion: 'v1', kind: 'Event', involvedObject: { fieldPath } }, 'pull')), [true, true, false]);
  });
});
