import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { KubeClient } from '../../../../../src/adapters/kube/api/client.ts';
import { followLog, type LogLine, type LogSource } from '../../../../../src/adapters/kube/api/follow-log.ts';
import { ClusterError, InterruptedError } from '../../../../../src/errors.ts';
import { connectionTo, failure, sendJson, startLoopbackApi } from '../../../../support/loopback-api.ts';

/** A log with times in the last digits of a second: `12:00:01.5`. */
const line = (time: string, text: string): string => {
  const [clock = '', fraction = '0'] = time.split('.');
  return `2026-11-30T${clock}.${fraction.padEnd(9, '0')}Z ${text}\n`;
};

const reset = (): Error => Object.assign(new Error('aborted'), { code: 'ECONNRESET' });

interface Opening {
  readonly chunks?: readonly (string | Buffer)[];
  /** The stream breaks after its chunks. */
  readonly isCut?: boolean;
  /** Nothing is opened at all. */
  readonly refusal?: Error;
}

interface Played {
  readonly source: LogSource;
  /** sinceTime of each opening. */
  readonly opened: readonly (string | null)[];
  readonly slept: readonly number[];
}

/** Plays one opening after another; the container runs as long as there are more. */
function play(openings: readonly Opening[]): Played {
  const opened: (string | null)[] = [];
  const slept: number[] = [];
  return {
    opened,
    slept,
    source: {
      open: async (sinceTime) => {
        const { chunks = [], isCut = false, refusal } = openings[opened.length] ?? assert.fail('opened once too often');
        opened.push(sinceTime);
        if (refusal !== undefined) throw refusal;
        return Readable.from((async function* () {
          for (const chunk of chunks) yield Buffer.from(chunk);
          if (isCut) throw reset();
        })());
      },
      stillRuns: async () => opened.length < openings.length,
      sleep: async (milliseconds) => void slept.push(milliseconds),
      random: () => 0,
    },
  };
}

async function textsOf(log: AsyncIterable<LogLine>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { text } of log) texts.push(text);
  return texts;
}

const texts = (played: Played): Promise<readonly string[]> => textsOf(followLog(played.source, new AbortController().signal));

describe('#2: followLog', () => {
  it('gives times and texts, the empty ones and the last one without its line break too', async () => {
    const read: LogLine[] = [];
    const { source } = play([{ chunks: [line('12:00:01.5', 'größe'), line('12:00:02', ''), '2026-11-30T13:00:03.000000007+01:00 end'] }]);
    for await (const one of followLog(source, new AbortController().signal)) read.push(one);
    assert.deepEqual(read, [
      { time: '2026-11-30T12:00:01.500000000Z', text: 'größe' },
      { time: '2026-11-30T12:00:02.000000000Z', text: '' },
      { time: '2026-11-30T13:00:03.000000007+01:00', text: 'end' },
    ]);
  });

  it('goes on after a cut from the second of the last line, nothing twice and nothing left out', async () => {
    const played = play([
      { chunks: [line('12:00:01', 'a'), line('12:00:02.1', 'b'), line('12:00:02.2', 'c'), line('12:00:02.3', 'd').slice(0, 33)], isCut: true },
      { chunks: [line('12:00:02.1', 'b'), line('12:00:02.2', 'c'), line('12:00:02.3', 'd'), line('12:00:03', 'e')] },
    ]);
    assert.deepEqual(await texts(played), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(played.opened, [null, '2026-11-30T12:00:02Z']);
  });

  it('knows lines of the same nanosecond apart, and those that two streams wrote out of order', async () => {
    const first = [line('12:00:02.5', 'same'), line('12:00:02.5', 'same'), line('12:00:02.4', 'earlier')];
    const played = play([
      { chunks: [line('12:00:01.9', 'before'), ...first], isCut: true },
      { chunks: [...first, line('12:00:02.5', 'same'), line('12:00:02.3', 'late')], isCut: true },
      { chunks: [...first, line('12:00:02.5', 'same'), line('12:00:02.3', 'late'), line('12:00:04', 'end')] },
    ]);
    assert.deepEqual(await texts(played), ['before', 'same', 'same', 'earlier', 'same', 'late', 'end']);
  });

  it('takes what comes later for new when the log was rotated meanwhile', async () => {
    const played = play([
      { chunks: [line('12:00:02.1', 'a'), line('12:00:02.2', 'b')], isCut: true },
      { chunks: [line('12:00:02.7', 'c'), line('12:00:02.8', 'd')] },
    ]);
    assert.deepEqual(await texts(played), ['a', 'b', 'c', 'd']);
  });

  it('opens anew after an end in good order while the container runs, and is done when it does not', async () => {
    const played = play([{ chunks: [line('12:00:01', 'a')] }, { chunks: [line('12:00:01', 'a')] }, { chunks: [line('12:00:01', 'a'), line('12:00:02', 'b')] }]);
    assert.deepEqual(await texts(played), ['a', 'b']);
    // random() is 0, which halves each pause; without a new line the next one is longer
    assert.deepEqual(played.slept, [400, 800]);
  });

  it('waits for a server that is away, once the log was open', async () => {
    const away = { refusal: new ClusterError('refused', { reason: 'Unreachable' }) };
    assert.deepEqual(await texts(play([{ chunks: [line('12:00:01', 'a')], isCut: true }, away, away, { chunks: [line('12:00:02', 'b')] }])), ['a', 'b']);
    await assert.rejects(texts(play([away])), { message: 'refused' });
  });

  it('is done when the pod is gone, and tells any other refusal', async () => {
    const gone = { refusal: new ClusterError('pods "web" not found', { reason: 'NotFound', status: 404 }) };
    assert.deepEqual(await texts(play([{ chunks: [line('12:00:01', 'a')], isCut: true }, gone])), ['a']);
    await assert.rejects(texts(play([gone])), { message: 'pods "web" not found' });
    await assert.rejects(texts(play([{ isCut: true }, { refusal: new ClusterError('no', { reason: 'Forbidden', status: 403 }) }])), { message: 'no' });
  });

  it("passes on the kubelet's own words, which have no time, and an endless line in pieces", async () => {
    const long = 'x'.repeat(3 * 2 ** 20);
    const { source } = play([{ chunks: ['unable to retrieve container logs for containerd://1\n', ...long.match(/.{1,65536}/g) ?? [], '\n'] }]);
    const read: LogLine[] = [];
    for await (const one of followLog(source, new AbortController().signal)) read.push(one);
    assert.deepEqual(read[0], { time: null, text: 'unable to retrieve container logs for containerd://1' });
    assert.ok(read.length > 2 && read.every(({ text }) => text.length <= 2 ** 20 + 65_536));
    assert.equal(read.slice(1).map(({ text }) => text).join(''), long);
  });

  describe('on a real connection', () => {
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' }, status: { containerStatuses: [{ name: 'other', state: { running: {} } }, { name: 'app', state: { terminated: { exitCode: 0 } } }] } };

    it('asks for times, resumes after a cut, and ends with the container', async () => {
      const answers: ((response: ServerResponse) => void)[] = [
        (response) => response.write(line('12:00:01', 'a'), () => response.destroy()),
        (response) => response.end(line('12:00:01', 'a') + line('12:00:02', 'b')),
      ];
      const api = await startLoopbackApi((request, response) => {
        if (!request.url.includes('/log')) return sendJson(response, 200, pod);
        response.writeHead(200, { 'Content-Type': 'text/plain' });
        answers.shift()?.(response);
      });
      const client = new KubeClient(connectionTo(api));
      try {
        assert.deepEqual(await textsOf(client.followLog({ namespace: 'shop', name: 'web', container: 'app' }, { tailLines: 10 })), ['a', 'b']);
        assert.deepEqual(api.requests.map(({ url }) => url), [
          '/api/v1/namespaces/shop/pods/web/log?container=app&follow=true&timestamps=true&tailLines=10',
          '/api/v1/namespaces/shop/pods/web/log?container=app&follow=true&timestamps=true&sinceTime=2026-11-30T12%3A00%3A01Z',
          '/api/v1/namespaces/shop/pods/web',
        ]);
      } finally {
        client.close();
        await api.close();
      }
    });

    it('ends the request when the reader leaves or the signal fires, though the log is quiet', async () => {
      let closed = 0;
      const api = await startLoopbackApi((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain' });
        response.write(line('12:00:01', 'a'));
        response.once('close', () => { closed += 1; });
      });
      const client = new KubeClient(connectionTo(api));
      const place = { namespace: 'shop', name: 'web', container: 'app' };
      try {
        for await (const { text } of client.followLog(place)) {
          assert.equal(text, 'a');
          break;
        }
        const controller = new AbortController();
        const log = client.followLog(place, { signal: controller.signal });
        await log.next();
        const next = log.next();
        controller.abort(new InterruptedError('interrupted by SIGINT'));
        await assert.rejects(next, (error) => error instanceof InterruptedError && error.message === 'interrupted by SIGINT');
        while (closed < 2) await new Promise((resolve) => setImmediate(resolve));
      } finally {
        client.close();
        await api.close();
      }
    });

    it('tells a container that does not run yet', async () => {
      const api = await startLoopbackApi((_request, response) => sendJson(response, 400, failure(400, 'BadRequest', 'container "app" in pod "web" is waiting to start: ContainerCreating')));
      const client = new KubeClient(connectionTo(api));
      try {
        await assert.rejects(client.followLog({ namespace: 'shop', name: 'web', container: 'app' }).next(), { message: 'Error from server (BadRequest): container "app" in pod "web" is waiting to start: ContainerCreating' });
      } finally {
        client.close();
        await api.close();
      }
    });
  });
});
