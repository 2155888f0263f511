import assert from 'node:assert/strict';
import net from 'node:net';
import type { CredentialSource, RequestCredentials } from '../../../../src/adapters/kube/connection.ts';
import { KubeClient } from '../../../../src/adapters/kube/api/client.ts';
import type { Trace } from '../../../../src/adapters/http/trace.ts';
import { retryAfterSeconds, Transport, type TransportClock, type TransportLimits, type TransportRequest } from '../../../../src/adapters/http/transport.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { ClusterError, InterruptedError } from '../../../../src/errors.ts';
import { connectionTo, failure, listen, sendJson, startLoopbackApi, withLoopbackApi, type LoopbackHandler } from '../../../support/loopback-api.ts';
import { errorOfRawAnswer } from './raw-answer.ts';

/** Time that passes only by sleeping, so that waits are counted instead of waited for. */
function fakeClock(): TransportClock & { readonly slept: number[] } {
  const slept: number[] = [];
  let now = 0;
  return {
    slept,
    now: () => now,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
}

const NODE = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } };

describe('Transport', () => {
  describe('#8: retries', () => {
    it('obeys Retry-After of a 429 storm, gives up after ten more tries and says so', async () => {
      await withLoopbackApi((_request, response) => sendJson(response, 429, failure(429, 'TooManyRequests', 'too many requests'), { 'Retry-After': '2' }), async (api) => {
        const clock = fakeClock();
        const client = new KubeClient(connectionTo(api), { clock });
        await assert.rejects(client.get(NODES, 'n'), (error) => {
          assert.ok(error instanceof ClusterError);
          assert.equal(error.message, 'Error from server (TooManyRequests): too many requests');
          assert.equal(error.exitCode, 3);
          assert.deepEqual(error.suggestions, ['tried 11 times; the server asks to wait 2 s before the next try']);
          return true;
        });
        assert.equal(api.requests.length, 11);
        assert.deepEqual(clock.slept, Array.from({ length: 10 }, () => 2000));
        client.close();
      });
    });

    it('sends the body of a write again, too', async () => {
      let calls = 0;
      await withLoopbackApi((_request, response) => {
        calls += 1;
        if (calls < 3) sendJson(response, 503, failure(503, 'ServiceUnavailable', 'not yet'), { 'Retry-After': '1' });
        else sendJson(response, 201, NODE);
      }, async (api) => {
        const client = new KubeClient(connectionTo(api), { clock: fakeClock() });
        assert.deepEqual(await client.create(NODES, NODE), NODE);
        assert.deepEqual(api.requests.map(({ body }) => body), Array.from({ length: 3 }, () => JSON.stringify(NODE)));
        client.close();
      });
    });

    it('does not repeat a 500 or 503 without Retry-After', async () => {
      for (const code of [500, 503]) {
        await withLoopbackApi((_request, response) => sendJson(response, code, failure(code, code === 500 ? 'InternalError' : 'ServiceUnavailable', 'etcdserver: leader changed')), async (api) => {
          const client = new KubeClient(connectionTo(api), { clock: fakeClock() });
          await assert.rejects(client.get(NODES, 'n'), { message: `Error from server (${code === 500 ? 'InternalError' : 'ServiceUnavailable'}): etcdserver: leader changed` });
          assert.equal(api.requests.length, 1);
          client.close();
        });
      }
    });

    it('holds every request of the connection back, not only the one that was refused', async () => {
      let refused = false;
      await withLoopbackApi((_request, response) => {
        if (refused) return sendJson(response, 200, NODE);
        refused = true;
        sendJson(response, 429, failure(429, 'TooManyRequests', 'wait'), { 'Retry-After': '5' });
      }, async (api) => {
        let wake: () => void = () => undefined;
        const asleep: number[] = [];
        let now = 0;
        const clock: TransportClock = {
          now: () => now,
          sleep: (milliseconds) => {
            asleep.push(milliseconds);
            return new Promise<void>((resolve) => {
              const before = wake;
              wake = () => {
                before();
                resolve();
              };
            });
          },
        };
        const client = new KubeClient(connectionTo(api), { clock });
        const first = client.get(NODES, 'n');
        while (asleep.length < 1) await new Promise((resolve) => setImmediate(resolve));
        const second = client.get(NODES, 'n');
        while (asleep.length < 2) await new Promise((resolve) => setImmediate(resolve));
        assert.equal(api.requests.length, 1);
        assert.deepEqual(asleep, [5000, 5000]);
        now = 5000;
        wake();
        await Promise.all([first, second]);
        assert.equal(api.requests.length, 3);
        client.close();
      });
    });

    it('reports instead of waiting when the server asks for minutes, or for more than --request-timeout', async () => {
      for (const [retryAfter, requestTimeoutSeconds] of [['3600', 0], ['30', 20]] as const) {
        await withLoopbackApi((_request, response) => sendJson(response, 429, failure(429, 'TooManyRequests', 'later'), { 'Retry-After': retryAfter }), async (api) => {
          const client = new KubeClient(connectionTo(api), { clock: fakeClock(), requestTimeoutSeconds });
          await assert.rejects(client.get(NODES, 'n'), (error) => error instanceof ClusterError && error.suggestions[0] === `the server asks to wait ${retryAfter} s before the next try`);
          assert.equal(api.requests.length, 1);
          client.close();
        });
      }
    });

    it('ends a storm with the last answer of the server where another wait would pass --request-timeout', async () => {
      await withLoopbackApi((_request, response) => sendJson(response, 429, failure(429, 'TooManyRequests', 'later'), { 'Retry-After': '8' }), async (api) => {
        const client = new KubeClient(connectionTo(api), { clock: fakeClock(), requestTimeoutSeconds: 20 });
        await assert.rejects(client.get(NODES, 'n'), (error) => error instanceof ClusterError && error.reason === 'TooManyRequests' && error.suggestions[0] === 'tried 3 times; the server asks to wait 8 s before the next try');
        assert.equal(api.requests.length, 3);
        client.close();
      });
    });

    it('waits a second at least where the server asks for none, and takes an invalid Retry-After for none', async () => {
      for (const [retryAfter, slept] of [['0', [1000, 1000]], ['-5', []], ['garbage 1', []]] as const) {
        let calls = 0;
        await withLoopbackApi((_request, response) => {
          calls += 1;
          if (calls < 3) sendJson(response, 429, failure(429, 'TooManyRequests', 'wait'), { 'Retry-After': retryAfter });
          else sendJson(response, 200, NODE);
        }, async (api) => {
          const clock = fakeClock();
          const client = new KubeClient(connectionTo(api), { clock });
          if (slept.length > 0) assert.deepEqual(await client.get(NODES, 'n'), NODE);
          else await assert.rejects(client.get(NODES, 'n'), { message: 'Error from server (TooManyRequests): wait' });
          assert.deepEqual(clock.slept, slept);
          client.close();
        });
      }
    });

    it('reads Retry-After as seconds and as a date', () => {
      const now = Date.parse('2026-11-30T10:00:00Z');
      assert.equal(retryAfterSeconds('7', now), 7);
      assert.equal(retryAfterSeconds('Mon, 30 Nov 2026 10:00:30 GMT', now), 30);
      assert.equal(retryAfterSeconds('Mon, 30 Nov 2026 09:00:00 GMT', now), 0);
      assert.equal(retryAfterSeconds('Sunday, 06-Dec-26 10:00:00 GMT', now), null);
      for (const invalid of ['soon', '', '-5', '1.5', '+3', '5 s', 'garbage 1', '2026-12-06', 'Mon, 99 Nov 2026 10:00:30 GMT']) assert.equal(retryAfterSeconds(invalid, now), null, invalid);
      assert.equal(retryAfterSeconds(undefined, now), null);
    });

    it('takes a Retry-After of more than a day for none', () => {
      const now = Date.parse('2026-11-30T10:00:00Z');
      assert.equal(retryAfterSeconds('86400', now), 86_400);
      for (const absurd of ['86401', '9'.repeat(400), 'Mon, 30 Nov 2099 10:00:30 GMT']) assert.equal(retryAfterSeconds(absurd, now), null);
    });

    it('repeats a GET once after a reset of a kept connection, and never a write', async () => {
      let drop = 0;
      await withLoopbackApi((_request, response, raw) => {
        if (drop > 0) {
          drop -= 1;
          return void raw.socket.destroy();
        }
        sendJson(response, 200, NODE);
      }, async (api) => {
        const client = new KubeClient(connectionTo(api));
        await client.get(NODES, 'n');
        drop = 1;
        assert.deepEqual(await client.get(NODES, 'n'), NODE);
        assert.equal(api.requests.length, 3);
        drop = 2;
        await assert.rejects(client.get(NODES, 'n'), (error) => error instanceof ClusterError && error.reason === 'ConnectionLost');
        assert.equal(api.requests.length, 5);
        drop = 1;
        await assert.rejects(client.create(NODES, NODE), (error) => error instanceof ClusterError && error.reason === 'ConnectionLost');
        assert.equal(api.requests.length, 6);
        client.close();
      });
    });
  });

  it('refreshes credentials once after a 401 and goes on', async () => {
    const tokens = ['old', 'new'];
    let refreshes = 0;
    await withLoopbackApi((request, response) => {
      if (request.headers.authorization === 'Bearer new') sendJson(response, 200, NODE);
      else sendJson(response, 401, failure(401, 'Unauthorized', 'Unauthorized'));
    }, async (api) => {
      const client = new KubeClient(connectionTo(api, {
        credentials: {
          get: async () => ({ authorization: `Bearer ${tokens[0]}` }),
          refresh: async () => {
            refreshes += 1;
            tokens.shift();
            return true;
          },
        },
      }));
      assert.deepEqual(await client.get(NODES, 'n'), NODE);
      assert.equal(refreshes, 1);
      client.close();
    });
  });

  it('tells the source which credentials were refused, so that a late 401 fetches no third ones', async () => {
    let fetched = 0;
    let current: RequestCredentials | null = null;
    const credentials: CredentialSource = {
      get: async () => (current ??= { authorization: `Bearer t${++fetched}` }),
      refresh: async (_signal, used) => {
        if (used === current) current = null;
        return true;
      },
    };
    let refuseLate: (() => void) | null = null;
    await withLoopbackApi((request, response) => {
      if (request.headers.authorization !== 'Bearer t1') return sendJson(response, 200, NODE);
      const refuse = (): void => sendJson(response, 401, failure(401, 'Unauthorized', 'Unauthorized'));
      if (refuseLate === null) refuseLate = refuse;
      else refuse();
    }, async (api) => {
      const client = new KubeClient(connectionTo(api, { credentials }));
      const late = client.get(NODES, 'late');
      while (refuseLate === null) await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await client.get(NODES, 'n'), NODE);
      (refuseLate as () => void)();
      assert.deepEqual(await late, NODE);
      assert.equal(fetched, 2);
      assert.deepEqual(api.requests.map(({ headers }) => headers.authorization), ['Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2']);
      client.close();
    });
  });

  it('says who must log in when a fresh token does not help either', async () => {
    let refreshes = 0;
    await withLoopbackApi((_request, response) => sendJson(response, 401, failure(401, 'Unauthorized', 'Unauthorized')), async (api) => {
      const client = new KubeClient(connectionTo(api, { credentials: { get: async () => ({}), refresh: async () => { refreshes += 1; return true; } } }));
      await assert.rejects(client.get(NODES, 'n'), (error) => error instanceof ClusterError && error.reason === 'Unauthorized' && error.message === 'error: You must be logged in to the server (Unauthorized)' && /the user "tester"/.test(error.suggestions.join()));
      assert.equal(refreshes, 1);
      assert.equal(api.requests.length, 2);
      client.close();
    });
  });

  it('says once that the clocks differ, before the answer is used', async () => {
    await withLoopbackApi((_request, response) => {
      response.setHeader('Date', new Date(Date.now() - 3600_000).toUTCString());
      sendJson(response, 200, NODE);
    }, async (api) => {
      const said: string[] = [];
      const client = new KubeClient(connectionTo(api), { onNotice: (text) => said.push(text) });
      await client.get(NODES, 'n');
      assert.match(said.join('|'), /^the clock of this machine is (59|60)m ahead of that of the server https:[^|]*$/);
      await Promise.all([client.get(NODES, 'n'), client.get(NODES, 'n')]);
      assert.equal(said.length, 1);
      client.close();
    });
  });

  describe('#9: deadlines', () => {
    it('ends a server that accepts and says nothing by --request-timeout', async () => {
      const sockets: net.Socket[] = [];
      const silent = net.createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => undefined);
      });
      const port = await listen(silent);
      try {
        for (const scheme of ['http', 'https']) {
          const client = new KubeClient(connectionTo({ url: `${scheme}://127.0.0.1:${port}`, ca: undefined }, { tls: { insecureSkipVerify: true } }), { requestTimeoutSeconds: 0.1 });
          await assert.rejects(client.serverVersion(), (error) => {
            assert.ok(error instanceof ClusterError);
            assert.equal(error.reason, 'DeadlineExceeded');
            assert.equal(error.message, `Unable to connect to the server: context deadline exceeded: no complete answer from 127.0.0.1:${port} in 0.1 s`);
            return true;
          });
          client.close();
        }
      } finally {
        for (const socket of sockets) socket.destroy();
        silent.close();
      }
    });

    it('covers the body as well: a slow drip ends in time', async () => {
      await withLoopbackApi(async (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        while (!response.destroyed) {
          response.write(' ');
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      }, async (api) => {
        const client = new KubeClient(connectionTo(api), { requestTimeoutSeconds: 0.15 });
        await assert.rejects(client.get(NODES, 'n'), (error) => error instanceof ClusterError && error.reason === 'DeadlineExceeded');
        assert.equal(api.requests[0]?.url, '/api/v1/nodes/n?timeout=0.15s');
        client.close();
      });
    });

    it('stops at once when the caller is interrupted, in the head and in the body', async () => {
      for (const withHead of [false, true]) {
        const controller = new AbortController();
        await withLoopbackApi((_request, response) => {
          if (withHead) response.writeHead(200, { 'Content-Type': 'application/json' }).write('{');
          setTimeout(() => controller.abort(new InterruptedError('interrupted by SIGINT')), 20);
        }, async (api) => {
          const client = new KubeClient(connectionTo(api));
          await assert.rejects(client.get(NODES, 'n', { signal: controller.signal }), (error) => error instanceof InterruptedError && error.message === 'interrupted by SIGINT');
          client.close();
        });
      }
    });

    it('covers the wait for a place among the requests under way, which an interruption ends as well', async () => {
      const held: (() => void)[] = [];
      await withLoopbackApi((_request, response) => void held.push(() => sendJson(response, 200, NODE)), async (api) => {
        const client = new KubeClient(connectionTo(api));
        const running = Array.from({ length: 10 }, () => client.get(NODES, 'n'));
        while (held.length < 10) await new Promise((resolve) => setImmediate(resolve));
        const controller = new AbortController();
        const waiting = client.get(NODES, 'interrupted', { signal: controller.signal });
        const next = client.get(NODES, 'next');
        controller.abort(new InterruptedError('interrupted by SIGINT'));
        await assert.rejects(waiting, (error) => error instanceof InterruptedError && error.message === 'interrupted by SIGINT');
        held.splice(0).forEach((answer) => answer());
        await Promise.all(running);
        while (held.length < 1) await new Promise((resolve) => setImmediate(resolve));
        held.forEach((answer) => answer());
        assert.deepEqual(await next, NODE);
        assert.deepEqual(api.requests.map(({ url }) => url.split('/').at(-1)), [...Array.from({ length: 10 }, () => 'n'), 'next']);
        client.close();
      });
    });

    it('sends nothing under a signal that was aborted before', async () => {
      await withLoopbackApi((_request, response) => sendJson(response, 200, NODE), async (api) => {
        const client = new KubeClient(connectionTo(api));
        await assert.rejects(client.get(NODES, 'n', { signal: AbortSignal.abort() }), (error) => error instanceof InterruptedError);
        assert.equal(api.requests.length, 0);
        client.close();
      });
    });
  });

  it('hands each warning of the server over once', async () => {
    await withLoopbackApi((_request, response) => sendJson(response, 200, NODE, { Warning: ['299 - "v1 Node is deprecated"', '299 - "second"'] }), async (api) => {
      const warnings: string[] = [];
      const client = new KubeClient(connectionTo(api), { onWarning: (text) => warnings.push(text) });
      await client.get(NODES, 'n');
      await client.get(NODES, 'n');
      assert.deepEqual(warnings, ['v1 Node is deprecated', 'second']);
      client.close();
    });
  });

  it('#22: does not follow a redirect, which could give the token away', async () => {
    await withLoopbackApi((_request, response) => {
      response.writeHead(302, { Location: 'https://login.example/' });
      response.end();
    }, async (api) => {
      const client = new KubeClient(connectionTo(api, { credentials: { get: async () => ({ authorization: 'Bearer secret' }), refresh: async () => false } }));
      await assert.rejects(client.get(NODES, 'n'), (error) => error instanceof ClusterError && error.reason === 'NotKubernetes' && /redirect to https:\/\/login\.example\/ \(status 302\)/.test(error.message));
      assert.equal(api.requests.length, 1);
      client.close();
    });
  });

  it('traces requests at the levels of kubectl, with credentials masked', async () => {
    await withLoopbackApi((_request, response) => sendJson(response, 200, { ...NODE, text: 'x'.repeat(3000) }), async (api) => {
      for (const verbosity of [5, 6, 7, 8]) {
        const lines: string[] = [];
        const client = new KubeClient(connectionTo(api, { credentials: { get: async () => ({ authorization: 'Bearer secret' }), refresh: async () => false } }), { trace: { verbosity, write: (text) => lines.push(text) } });
        await client.get(NODES, 'n');
        client.close();
        const all = lines.join('\n');
        assert.equal(lines.length, { 5: 0, 6: 1, 7: 2, 8: 3 }[verbosity], all);
        assert.ok(!all.includes('secret'));
        assert.equal(/Authorization: Bearer <masked>/.test(all), verbosity >= 7);
        assert.equal(/ \[truncated/.test(all), verbosity >= 8);
        if (verbosity >= 6) assert.match(all, /"Response" verb="GET" url="https:\/\/127\.0\.0\.1:\d+\/api\/v1\/nodes\/n" status="200 OK" milliseconds=\d+/);
      }
    });
  });

  for (const [title, headers] of [['with', 'Upgrade: websocket\r\nConnection: Upgrade\r\n'], ['without', '']] as const) {
    it(`ends a request that is answered 101 ${title} an upgrade, which nobody asked for`, async () => {
      for (const ends of [false, true]) {
        const error = await errorOfRawAnswer(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`, { ends });
        assert.match(error.message, /^the server 127\.0\.0\.1:\d+ sent the unexpected answer 101 \(Switching Protocols\); is it a Kubernetes API server\?$/);
        assert.deepEqual([error.reason, error.status, error.exitCode], ['NotKubernetes', 101, 3]);
        assert.deepEqual(error.attempt, { verb: 'get', group: '', resource: 'nodes', name: 'n' });
      }
    });
  }

  it('has as much time as a timer can have where it is given more', async () => {
    await withLoopbackApi((_request, response) => void setTimeout(() => sendJson(response, 200, NODE), 30), async (api) => {
      const client = new KubeClient(connectionTo(api), { requestTimeoutSeconds: 2_147_484 });
      assert.deepEqual(await client.get(NODES, 'n'), NODE);
      client.close();
    });
  });

  it('keeps the path of the server in front, as Rancher needs it', async () => {
    await withLoopbackApi((_request, response) => sendJson(response, 200, NODE), async (api) => {
      const client = new KubeClient(connectionTo({ url: `${api.url}/k8s/clusters/c-1/`, ca: api.ca }));
      await client.get(NODES, 'n');
      assert.equal(api.requests[0]?.url, '/k8s/clusters/c-1/api/v1/nodes/n');
      client.close();
    });
  });

  describe('limits other than those for an API server', () => {
    const answerOf = async (handler: LoopbackHandler, limits: TransportLimits, more: Partial<TransportRequest> = {}, trace?: Trace) => {
      const api = await startLoopbackApi(handler);
      const transport = new Transport(connectionTo(api), { limits, clock: fakeClock(), trace });
      try {
        return { answer: await transport.request({ method: 'GET', path: '/x', ...more }), requests: api.requests };
      } finally {
        transport.close();
        await api.close();
      }
    };

    it('hand over a 429 at once where nothing is to be repeated, or not for so long', async () => {
      const busy: LoopbackHandler = (_request, response) => sendJson(response, 429, {}, { 'Retry-After': '5' });
      assert.equal((await answerOf(busy, { maxRetries: 0 })).requests.length, 1);
      assert.equal((await answerOf(busy, { maxRetries: 2 })).requests.length, 3);
      assert.equal((await answerOf(busy, { maxRetryAfterSeconds: 4 })).requests.length, 1);
    });

    it('read no more of an error than a MiB, whose status says enough', async () => {
      const { status, body } = (await answerOf((_request, response) => sendJson(response, 404, { text: 'x'.repeat(3 * 2 ** 20) }), {})).answer;
      assert.deepEqual([status, body.length], [404, 2 ** 20]);
    });

    it('end a body that is too large', async () => {
      const large: LoopbackHandler = (_request, response) => sendJson(response, 200, { text: 'x'.repeat(100) });
      assert.equal((await answerOf(large, {})).answer.status, 200);
      await assert.rejects(answerOf(large, { maxBodyBytes: 50 }), (error) => error instanceof ClusterError && error.reason === 'RequestEntityTooLarge');
    });

    it('let no more requests out at a time', async () => {
      let running = 0;
      let most = 0;
      const api = await startLoopbackApi(async (_request, response) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        sendJson(response, 200, {});
      });
      const transport = new Transport(connectionTo(api), { limits: { maxParallel: 2 } });
      await Promise.all(Array.from({ length: 8 }, () => transport.request({ method: 'GET', path: '/x' })));
      transport.close();
      await api.close();
      assert.ok(most <= 2, `${most} at a time`);
    });

    it('take the head of an answer alone, whose body does not come', async () => {
      const { answer } = await answerOf((_request, response) => {
        response.writeHead(200, { 'Content-Length': 1000, 'Content-Encoding': 'gzip', 'Docker-Content-Digest': 'x' });
        response.end();
      }, {}, { method: 'HEAD' });
      assert.deepEqual([answer.status, answer.headers['docker-content-digest'], answer.body.length], [200, 'x', 0]);
    });

    it('trace no body that holds secrets', async () => {
      const lines: string[] = [];
      await answerOf((_request, response) => sendJson(response, 200, { token: 'hush' }), {}, { method: 'POST', body: 'password=hush', hasSecretBodies: true }, { verbosity: 10, write: (text) => lines.push(text) });
      assert.doesNotMatch(lines.join('\n'), /hush/);
      assert.equal(lines.filter((line) => line.endsWith('body=<masked>')).length, 2);
    });

    it('give a connection up that is not taken in time', async () => {
      const server = net.createServer();
      const sockets = new Set<net.Socket>();
      server.on('connection', (socket) => sockets.add(socket));
      const port = await listen(server);
      const transport = new Transport({ ...connectionTo({ url: `https://127.0.0.1:${port}`, ca: undefined }), connectTimeoutMs: 30 });
      await assert.rejects(transport.request({ method: 'GET', path: '/x' }), /TLS handshake timeout/);
      transport.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });
  });

  it('refuses a server that is no URL', () => {
    for (const server of ['', 'localhost:8080', 'ftp://x']) {
      assert.throws(() => new Transport(connectionTo({ url: server, ca: undefined })), (error) => error instanceof ClusterError && error.reason === 'BadConfiguration');
    }
  });
});
