import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { WatchEvent } from '../../../../../src/app/ports.ts';
import { KubeClient } from '../../../../../src/adapters/kube/api/client.ts';
import { watch, type WatchSource } from '../../../../../src/adapters/kube/api/watch.ts';
import { NODES } from '../../../../../src/domain/kubernetes/resource.ts';
import { ClusterError, InterruptedError } from '../../../../../src/errors.ts';
import { connectionTo, failure, sendJson, startLoopbackApi } from '../../../../support/loopback-api.ts';

const event = (type: string, name: string, resourceVersion: string): string => `${JSON.stringify({ type, object: { kind: 'Node', apiVersion: 'v1', metadata: { name, resourceVersion } } })}\n`;

interface Script {
  readonly source: WatchSource;
  readonly opened: readonly string[];
  readonly slept: readonly number[];
  /** Outages that were told. */
  readonly lost: readonly string[];
}

/** Plays one answer per opening: chunks of a stream, or an error. After the last one the watch is interrupted. */
function script(answers: readonly (readonly (string | Buffer)[] | Error)[], controller: AbortController, relists: readonly (() => Awaited<ReturnType<WatchSource['relist']>>)[] = []): Script {
  const opened: string[] = [];
  const slept: number[] = [];
  const lost: string[] = [];
  const queue = [...answers];
  const lists = [...relists];
  return {
    opened,
    slept,
    lost,
    source: {
      open: async (resourceVersion) => {
        opened.push(resourceVersion);
        const next = queue.shift();
        if (next === undefined) {
          controller.abort(new InterruptedError('interrupted'));
          throw new InterruptedError('interrupted');
        }
        if (next instanceof Error) throw next;
        return Readable.from(next.map((chunk) => Buffer.from(chunk)));
      },
      relist: async () => {
        const next = lists.shift();
        assert.ok(next !== undefined, 'unexpected list');
        return next();
      },
      errorOf: (status) => {
        const { reason, message, code } = status as { reason: 'Expired'; message: string; code: number };
        return new ClusterError(message, { reason, status: code });
      },
      sleep: async (milliseconds) => void slept.push(milliseconds),
      random: () => 0,
      lost: (error) => void lost.push(String(error)),
    },
  };
}

/** Events until the watch ends, and the error that ended it. */
async function run(played: Script, controller: AbortController, from = '1'): Promise<{ readonly events: readonly string[]; readonly error: unknown }> {
  const events: string[] = [];
  const told = (change: WatchEvent): string => (change.type === 'RELISTED' ? `RELISTED ${change.objects.map((object) => String(object.metadata?.name)).join(',')}` : `${change.type} ${String(change.object.metadata?.name)}`);
  try {
    for await (const change of watch(played.source, from, controller.signal)) events.push(told(change));
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

describe('#18: watch', () => {
  it('yields changes, swallows bookmarks and resumes from the last version seen', async () => {
    const controller = new AbortController();
    const played = script([[event('ADDED', 'a', '5'), event('BOOKMARK', '', '9')], [event('MODIFIED', 'a', '12')], []], controller);
    const { events, error } = await run(played, controller);
    assert.deepEqual(events, ['ADDED a', 'MODIFIED a']);
    assert.deepEqual(played.opened, ['1', '9', '12', '12']);
    assert.deepEqual(played.lost, [], 'an end in good order is no outage');
    assert.ok(error instanceof InterruptedError);
  });

  it('lists anew after 410, as an event and as an answer', async () => {
    for (const expired of [[`${JSON.stringify({ type: 'ERROR', object: failure(410, 'Expired', 'too old') })}\n`], new ClusterError('too old', { reason: 'Expired', status: 410 })]) {
      const controller = new AbortController();
      const played = script([expired, [event('DELETED', 'b', '31')]], controller, [() => ({ objects: [{ metadata: { name: 'b' } }, { metadata: { name: 'c' } }], resourceVersion: '30' })]);
      const { events } = await run(played, controller);
      assert.deepEqual(events, ['RELISTED b,c', 'DELETED b']);
      assert.deepEqual(played.opened, ['1', '30', '31']);
    }
  });

  it('waits longer each time while the server is away, from 0.8 to 30 s, and starts over after an event', async () => {
    const controller = new AbortController();
    const away = new ClusterError('refused', { reason: 'Unreachable' });
    const played = script([...Array.from({ length: 8 }, () => away), [event('ADDED', 'a', '2')], away], controller);
    const { events } = await run(played, controller);
    assert.deepEqual(events, ['ADDED a']);
    // random() is 0 here, which halves each pause.
    assert.deepEqual(played.slept, [400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 400, 800]);
    assert.deepEqual(played.lost, ['ClusterError: refused', 'ClusterError: refused'], 'each outage is told once');
  });

  it('stops when the right is refused, and at other errors that do not pass', async () => {
    for (const reason of ['Forbidden', 'Unauthorized', 'BadRequest', 'NotFound', 'NotKubernetes'] as const) {
      const controller = new AbortController();
      const { error } = await run(script([new ClusterError('no', { reason, status: 400 })], controller), controller);
      assert.ok(error instanceof ClusterError && error.reason === reason);
    }
  });

  it('reports a Failure that came as an event', async () => {
    const controller = new AbortController();
    const played = script([[`${JSON.stringify({ type: 'ERROR', object: failure(403, 'Forbidden', 'no more') })}\n`]], controller);
    assert.equal(((await run(played, controller)).error as Error).message, 'no more');
  });

  it('joins lines over chunks, also within a character of several bytes', async () => {
    const controller = new AbortController();
    const bytes = Buffer.from(`${event('ADDED', 'größe-日本', '2')}${event('MODIFIED', 'größe-日本', '3')}`);
    for (const size of [1, 2, 3, 7, 1000]) {
      const inner = new AbortController();
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
      assert.deepEqual((await run(script([chunks], inner), inner)).events, ['ADDED größe-日本', 'MODIFIED größe-日本']);
    }
    controller.abort();
  });

  it('drops a last line that was cut and resumes before it', async () => {
    const controller = new AbortController();
    const played = script([[event('ADDED', 'a', '2'), event('ADDED', 'b', '3').slice(0, 30)], [event('ADDED', 'b', '3')]], controller);
    assert.deepEqual((await run(played, controller)).events, ['ADDED a', 'ADDED b']);
    assert.deepEqual(played.opened, ['1', '2', '3']);
  });

  it('takes a line that is no event for an error, not for silence', async () => {
    for (const line of ['<html>\n', '{"type":"SOMETHING","object":{}}\n', '{"type":"ADDED"}\n', '[]\n']) {
      const controller = new AbortController();
      const { error } = await run(script([[line]], controller), controller);
      assert.ok(error instanceof ClusterError && error.reason === 'NotKubernetes', line);
    }
  });

  it('asks for bookmarks and a timeout, on a real connection, and ends when the reader leaves', async () => {
    const api = await startLoopbackApi((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write(event('ADDED', 'a', '8'));
    });
    const client = new KubeClient(connectionTo(api), { requestTimeoutSeconds: 5 });
    try {
      for await (const change of client.watch(NODES, { resourceVersion: '7', labelSelector: 'a=b' })) {
        assert.equal(change.type, 'ADDED');
        break;
      }
      const query = new URL(api.requests[0]?.url ?? '', api.url).searchParams;
      assert.equal(query.get('watch'), 'true');
      assert.equal(query.get('allowWatchBookmarks'), 'true');
      assert.equal(query.get('resourceVersion'), '7');
      assert.equal(query.get('labelSelector'), 'a=b');
      assert.ok(Number(query.get('timeoutSeconds')) >= 300 && Number(query.get('timeoutSeconds')) < 600);
      assert.equal(query.get('timeout'), null);
    } finally {
      client.close();
      await api.close();
    }
  });

  it('tells HTML from a watch, keeps the Status of a refusal and can be interrupted while it waits', async () => {
    const controller = new AbortController();
    const api = await startLoopbackApi((request, response) => {
      if (request.url.includes('labelSelector=html')) return void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');
      if (request.url.includes('labelSelector=no')) return sendJson(response, 403, failure(403, 'Forbidden', 'nodes is forbidden: User "jane" cannot watch resource "nodes" in API group "" at the cluster scope'));
      response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders();
      setTimeout(() => controller.abort(new InterruptedError('interrupted by SIGINT')), 20);
    });
    const client = new KubeClient(connectionTo(api));
    const first = async (labelSelector: string): Promise<unknown> => client.watch(NODES, { resourceVersion: '7', labelSelector, signal: controller.signal }).next();
    try {
      await assert.rejects(first('html'), (error) => error instanceof ClusterError && error.reason === 'NotKubernetes');
      await assert.rejects(first('no'), (error) => error instanceof ClusterError && error.reason === 'Forbidden' && error.attempt?.verb === 'watch');
      await assert.rejects(first('wait'), (error) => error instanceof InterruptedError && error.message === 'interrupted by SIGINT');
    } finally {
      client.close();
      await api.close();
    }
  });
});
