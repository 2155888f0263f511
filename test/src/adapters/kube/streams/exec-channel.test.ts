import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecRequest } from '../../../../../src/app/ports.ts';
import type { Connection } from '../../../../../src/adapters/kube/connection.ts';
import { agentFor } from '../../../../../src/adapters/http/agent.ts';
import { openAttach, openExec, type ExecTiming } from '../../../../../src/adapters/kube/streams/exec-channel.ts';
import { WebSocketUnsupportedError } from '../../../../../src/adapters/kube/streams/upgrade-errors.ts';
import { ClusterError, InputError, InterruptedError, UsageError } from '../../../../../src/errors.ts';
import { CLOSE, fixedCredentials, RESIZE, startExecServer, STDERR, STDIN, STDOUT, type Call, type ExecServer } from './exec-server.ts';

/** Keeps what is written. */
class Sink extends Writable {
  readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(Buffer.from(chunk));
    done();
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }
}

describe('exec and attach', () => {
  let server: ExecServer | undefined;

  const start = async (script: (call: Call) => void, scheme?: 'http'): Promise<ExecServer> => (server = await startExecServer(script, scheme));
  const request = (overrides: Partial<ExecRequest> = {}): ExecRequest & { stdout: Sink; stderr: Sink } =>
    ({ namespace: 'default', pod: 'web', container: 'app', command: ['cmd', '/c', 'ver'], stdout: new Sink(), stderr: new Sink(), tty: false, ...overrides }) as ExecRequest & { stdout: Sink; stderr: Sink };
  const failureOf = async (promise: Promise<unknown>): Promise<ClusterError> => {
    const error: unknown = await promise.then(() => assert.fail('it did not fail'), (reason: unknown) => reason);
    assert.ok(error instanceof ClusterError, String(error));
    return error;
  };
  const echo = (call: Call): void => {
    const stream = call.accept();
    stream.onMessage((channel, payload) => {
      if (channel === STDIN) stream.send(STDOUT, payload);
      if (channel === CLOSE && payload[0] === STDIN) stream.succeed();
    });
  };

  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  describe('the request', () => {
    it('names container, command and streams, and offers v5 only', async () => {
      const { calls, connection } = await start((call) => call.accept().succeed());
      await openExec(connection(), request({ command: ['cmd', '/c', 'echo a&b "c" ü+%20', ''], pod: 'a.b-1' }));
      const call = calls[0];
      assert.equal(call?.request.method, 'GET');
      assert.equal(call.url.pathname, '/api/v1/namespaces/default/pods/a.b-1/exec');
      assert.deepEqual([...call.url.searchParams], [
        ['container', 'app'],
        ['command', 'cmd'],
        ['command', '/c'],
        ['command', 'echo a&b "c" ü+%20'],
        ['command', ''],
        ['stdout', 'true'],
        ['stderr', 'true'],
      ]);
      assert.deepEqual(call.header('sec-websocket-protocol'), ['v5.channel.k8s.io']);
      assert.deepEqual(call.header('sec-websocket-extensions'), []);
    });

    it('asks for stdin only when there is one, and for no stderr of a terminal', async () => {
      const { calls, connection } = await start((call) => call.accept().succeed());
      await openExec(connection(), request({ stdin: Readable.from([]), tty: true }));
      const query = calls[0]?.url.searchParams;
      assert.deepEqual([query?.get('stdin'), query?.get('stdout'), query?.get('stderr'), query?.get('tty')], ['true', 'true', null, 'true']);
    });

    it('needs a command', async () => {
      const { calls, connection } = await start(echo);
      await assert.rejects(openExec(connection(), request({ command: [] })), UsageError);
      assert.equal(calls.length, 0);
    });

    it('keeps the path of the server', async () => {
      const { calls, connection } = await start((call) => call.accept().succeed());
      const plain = connection();
      await openExec({ ...plain, server: `${plain.server}/k8s/clusters/c-1` }, request());
      assert.equal(calls[0]?.url.pathname, '/k8s/clusters/c-1/api/v1/namespaces/default/pods/web/exec');
    });

    it('dials anew: a kept socket that is dying would leave open whether the command ran', async () => {
      const { calls, connection } = await start(echo);
      const one = connection();
      const { port } = new URL(one.server);
      const agent = agentFor(one, {});
      const kept = await new Promise<number | undefined>((resolve, reject) => {
        https.get({ agent, host: '127.0.0.1', port, path: '/' }, (response) => {
          const { localPort } = response.socket;
          response.resume().once('end', () => resolve(localPort));
        }).once('error', reject);
      });
      while (Object.keys(agent.freeSockets).length === 0) await delay(5);
      await openExec(one, request({ stdin: Readable.from([]) }));
      await openExec(one, request({ stdin: Readable.from([]) }));
      assert.equal(new Set([kept, ...calls.map((call) => call.port)]).size, 3);
    });

    it('speaks plain http where the kubeconfig says so', async () => {
      const { connection } = await start(echo, 'http');
      const run = request({ stdin: Readable.from([Buffer.from('plain')]) });
      assert.deepEqual(await openExec(connection(), run), { exitCode: 0 });
      assert.equal(run.stdout.text, 'plain');
    });

    it('attaches without a command', async () => {
      const { calls, connection } = await start((call) => {
        const stream = call.accept();
        stream.send(STDOUT, 'hello');
        stream.succeed();
      });
      const { command: _, ...attach } = request();
      assert.deepEqual(await openAttach(connection(), attach), { exitCode: 0 });
      assert.equal(calls[0]?.url.pathname, '/api/v1/namespaces/default/pods/web/attach');
      assert.equal(calls[0].url.searchParams.has('command'), false);
      assert.equal((attach.stdout).text, 'hello');
    });

    it('sends token and impersonation, one line per group', async () => {
      const { calls, connection } = await start((call) => call.accept().succeed());
      await openExec(connection({ impersonate: { user: 'jane', groups: ['a', 'b, c'], extra: { scopes: ['x', 'y'] } } }), request());
      assert.deepEqual(calls[0]?.header('authorization'), ['Bearer secret']);
      assert.deepEqual(calls[0].header('impersonate-user'), ['jane']);
      assert.deepEqual(calls[0].header('impersonate-group'), ['a', 'b, c']);
      assert.deepEqual(calls[0].header('impersonate-extra-scopes'), ['x', 'y']);
    });

    it('honours tls-server-name', async () => {
      const { connection, authority } = await start((call) => call.accept().succeed());
      const result = await openExec(connection({ tls: { ca: authority.cert, insecureSkipVerify: false, serverName: 'api.example.com' } }), request());
      assert.equal(result.exitCode, 0);
      const error = await failureOf(openExec(connection({ tls: { ca: authority.cert, insecureSkipVerify: false, serverName: 'other.example.com' } }), request()));
      assert.match(error.message, /other\.example\.com/);
    });

    it('goes through the proxy of the kubeconfig', async () => {
      const seen: string[] = [];
      const proxy = http.createServer();
      proxy.on('connect', (connect: http.IncomingMessage, client: net.Socket) => {
        seen.push(connect.url ?? '');
        const [host, port] = (connect.url ?? '').split(':');
        const target = net.connect(Number(port), host, () => {
          client.write('HTTP/1.1 200 Connection established\r\n\r\n');
          target.pipe(client).pipe(target);
        });
        for (const socket of [client, target]) socket.on('error', () => undefined);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      try {
        const { connection } = await start(echo);
        const via = connection({ proxyUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
        const run = request({ stdin: Readable.from([Buffer.from('through')]) });
        assert.equal((await openExec(via, run)).exitCode, 0);
        assert.equal(run.stdout.text, 'through');
        assert.deepEqual(seen, [new URL(via.server).host]);
      } finally {
        proxy.closeAllConnections();
        proxy.close();
      }
    });

    it('takes new credentials once after a 401', async () => {
      const { calls, connection } = await start((call) => (call.header('authorization')[0] === 'Bearer new' ? call.accept().succeed() : call.refuse(401, { kind: 'Status', status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 })));
      let token = 'old';
      let refreshes = 0;
      const credentials: Connection['credentials'] = {
        get: () => Promise.resolve({ authorization: `Bearer ${token}` }),
        refresh(_signal, used) {
          assert.deepEqual(used, { authorization: 'Bearer old' });
          refreshes += 1;
          token = 'new';
          return Promise.resolve(true);
        },
      };
      assert.deepEqual(await openExec(connection({ credentials }), request()), { exitCode: 0 });
      assert.deepEqual([calls.length, refreshes], [2, 1]);
    });

    it('gives up at the second 401', async () => {
      const { calls, connection } = await start((call) => call.refuse(401, ''));
      const error = await failureOf(openExec(connection({ credentials: { ...fixedCredentials({}), refresh: () => Promise.resolve(true) } }), request()));
      assert.deepEqual([error.reason, error.status, calls.length], ['Unauthorized', 401, 2]);
    });
  });

  describe('the streams', () => {
    it('brings back 20 MiB unchanged and closes stdin at its end', async () => {
      const { connection } = await start(echo);
      const bytes = randomBytes(20 * 1024 * 1024);
      const hash = createHash('sha256');
      let length = 0;
      const stdout = new Writable({
        write(chunk: Buffer, _encoding, done) {
          hash.update(chunk);
          length += chunk.length;
          done();
        },
      });
      const pieces = Array.from({ length: 320 }, (_, index) => bytes.subarray(index * 65536, (index + 1) * 65536));
      assert.deepEqual(await openExec(connection(), request({ stdin: Readable.from(pieces), stdout })), { exitCode: 0 });
      assert.equal(length, bytes.length);
      assert.equal(hash.digest('hex'), createHash('sha256').update(bytes).digest('hex'));
      assert.equal(stdout.writableEnded, false);
    });

    it('takes stdin from an async iterable, in messages of at most 32 KiB', async () => {
      const sizes: number[] = [];
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.onMessage((channel, payload) => (channel === STDIN ? sizes.push(payload.length) : stream.succeed()));
      });
      async function* stdin(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(70_000);
        yield new Uint8Array(0);
        yield new Uint8Array(1);
      }
      await openExec(connection(), request({ stdin: stdin() }));
      assert.deepEqual(sizes, [32768, 32768, 4464, 1]);
    });

    it('keeps stdout and stderr apart and decodes nothing', async () => {
      const half = Buffer.from('ü');
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.send(STDOUT, half.subarray(0, 1));
        stream.send(STDERR, Buffer.from([0xff, 0xfe, 0x00]));
        stream.send(STDOUT, half.subarray(1));
        stream.succeed();
      });
      const run = request();
      await openExec(connection(), run);
      assert.deepEqual(run.stdout.bytes, half);
      assert.deepEqual(run.stderr.bytes, Buffer.from([0xff, 0xfe, 0x00]));
    });

    it('reads messages in fragments and a status in two messages', async () => {
      const status = Buffer.from(JSON.stringify({ status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '42' }] } }));
      const { connection } = await start((call) => {
        const { socket, send } = call.accept();
        socket.send(Buffer.from([STDOUT, 0x61]), { fin: false, binary: true });
        socket.send(Buffer.from('b'), { fin: false, binary: true });
        socket.send(Buffer.from('c'), { fin: true, binary: true });
        send(3, status.subarray(0, 20));
        send(3, status.subarray(20));
        socket.close();
      });
      const run = request();
      assert.deepEqual(await openExec(connection(), run), { exitCode: 42 });
      assert.equal(run.stdout.text, 'abc');
    });

    it('ignores channels it does not know, empty messages and CLOSE', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        for (const channel of [0, 4, 5, 9, 200]) stream.send(channel, 'x');
        for (const channel of [STDOUT, STDERR, 3]) stream.send(channel, '');
        stream.send(CLOSE, Uint8Array.of(STDOUT));
        stream.socket.send(Buffer.alloc(0));
        stream.send(STDOUT, 'seen');
        stream.succeed();
      });
      const run = request();
      assert.deepEqual(await openExec(connection(), run), { exitCode: 0 });
      assert.deepEqual([run.stdout.text, run.stderr.text], ['seen', '']);
    });

    it('reads messages that come in one packet with the 101', async () => {
      const { connection } = await start((call) => {
        call.raw.cork();
        const stream = call.accept();
        stream.send(STDOUT, 'early');
        stream.succeed();
        call.raw.uncork();
      });
      const run = request();
      assert.deepEqual(await openExec(connection(), run), { exitCode: 0 });
      assert.equal(run.stdout.text, 'early');
    });

    it('stops reading while stdout is full, and loses nothing', async () => {
      const message = Buffer.alloc(32 * 1024, 7);
      const total = 1024; // 32 MiB
      let sent = 0;
      const { connection } = await start((call) => {
        const stream = call.accept();
        const next = (): void => {
          if (sent === total) stream.succeed();
          else {
            sent += 1;
            stream.socket.send(Buffer.concat([Uint8Array.of(STDOUT), message]), next);
          }
        };
        next();
      });
      let release: (() => void) | undefined;
      let length = 0;
      const stdout = new Writable({
        highWaterMark: 1,
        write(chunk: Buffer, _encoding, done) {
          length += chunk.length;
          if (release === undefined) release = done;
          else done();
        },
      });
      const run = openExec(connection(), request({ stdout }));
      let before = -1;
      while (before !== sent || release === undefined) {
        before = sent;
        await delay(100);
      }
      // What is under way lies in the kernel's socket buffers, not in our memory.
      assert.ok(sent < total / 2, `${sent} messages were taken from the server`);
      assert.ok(stdout.writableLength < 1024 * 1024, `${stdout.writableLength} bytes wait for stdout`);
      release();
      assert.deepEqual(await run, { exitCode: 0 });
      assert.equal(length, total * message.length);
    });

    for (const kind of ['iterable', 'Readable'] as const) it(`stops reading stdin (${kind}) while the server does not take it`, async () => {
      let raw: Call['raw'] | undefined;
      const { connection } = await start((call) => {
        raw = call.raw;
        echo(call);
        call.raw.pause();
      });
      let read = 0;
      async function* stdin(): AsyncGenerator<Uint8Array> {
        for (; read < 512; read += 1) yield new Uint8Array(64 * 1024);
      }
      let length = 0;
      const stdout = new Writable({
        write(chunk: Buffer, _encoding, done) {
          length += chunk.length;
          done();
        },
      });
      const run = openExec(connection(), request({ stdin: kind === 'Readable' ? Readable.from(stdin(), { objectMode: false }) : stdin(), stdout }));
      let before = -1;
      while (before !== read || read === 0) {
        before = read;
        await delay(100);
      }
      assert.ok(read < 256, `${read} chunks of 64 KiB were read`);
      raw?.resume();
      assert.deepEqual(await run, { exitCode: 0 });
      assert.equal(length, 512 * 64 * 1024);
    });

    it('waits for a slow stdout after the socket has closed', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        for (let count = 0; count < 20; count += 1) stream.send(STDOUT, 'x'.repeat(1000));
        stream.succeed();
      });
      let length = 0;
      const stdout = new Writable({
        highWaterMark: 1_000_000,
        write(chunk: Buffer, _encoding, done) {
          length += chunk.length;
          setTimeout(done, 5);
        },
      });
      await openExec(connection(), request({ stdout }));
      assert.equal(length, 20_000);
      assert.equal(stdout.writableLength, 0);
    });

    it('tells when stdin is read, which a kubelet that is dialled later may never get', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.onMessage((channel) => {
          if (channel !== STDIN) return;
          stream.status({ status: 'Failure', reason: 'InternalError', code: 500, message: 'error sending request: Post "https://10.0.0.4:10250/exec": dial tcp: i/o timeout' });
          stream.socket.close();
        });
        if (call.url.searchParams.get('stdin') === null) stream.succeed();
      });
      let count = 0;
      const onStdin = (): void => void (count += 1);
      await failureOf(openExec(connection(), request({ stdin: Readable.from([Buffer.from('gone')]), onStdin })));
      assert.equal(count, 1);
      await openExec(connection(), request({ onStdin }));
      assert.equal(count, 1);
    });

    it('ends when the command ends, with stdin still open and usable', async () => {
      const { connection } = await start((call) => call.accept().succeed());
      const stdin = new PassThrough();
      assert.deepEqual(await openExec(connection(), request({ stdin })), { exitCode: 0 });
      assert.equal(stdin.destroyed, false);
      assert.equal(stdin.isPaused(), true);
      assert.deepEqual([stdin.listenerCount('data'), stdin.listenerCount('error'), stdin.listenerCount('end')], [0, 0, 0].map((_, index) => [0, new PassThrough().listenerCount('error'), new PassThrough().listenerCount('end')][index]));
    });

    it('throws an error of stdout as it is (EPIPE) and closes the socket', async () => {
      let closed = false;
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.send(STDOUT, 'x');
        stream.socket.on('close', () => (closed = true));
      });
      const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
      const stdout = new Writable({ write: (_chunk, _encoding, done) => done(broken) });
      await assert.rejects(openExec(connection(), request({ stdout })), broken);
      while (!closed) await delay(5);
    });

    it('throws an error that stdout has between two writes', async () => {
      const { connection } = await start((call) => call.accept().send(STDOUT, 'x'));
      const stdout = new Sink();
      const run = openExec(connection(), request({ stdout }));
      while (stdout.text === '') await delay(5);
      const broken = new Error('disk full');
      stdout.destroy(broken);
      await assert.rejects(run, broken);
    });

    it('tells that stdin cannot be read', async () => {
      const { connection } = await start(echo);
      async function* stdin(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('x');
        throw new Error('read EIO');
      }
      await assert.rejects(openExec(connection(), request({ stdin: stdin() })), (error) => error instanceof InputError && error.message === 'stdin: unable to read it: read EIO');
      const stream = new PassThrough();
      const run = openExec(connection(), request({ stdin: stream }));
      stream.write('x');
      setTimeout(() => stream.destroy(), 20);
      await assert.rejects(run, (error) => error instanceof InputError && error.message === 'stdin: unable to read it: the stream was closed before its end');
    });

    it('sends the size of a terminal, at first and later, and no impossible one', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.onMessage((channel, payload) => {
          if (channel === RESIZE) stream.send(STDOUT, payload);
          if (payload.includes('"Width":99')) stream.succeed();
        });
      });
      async function* resizes(): AsyncGenerator<{ width: number; height: number }> {
        yield { width: 0, height: 10 };
        yield { width: 70_000, height: 10 };
        yield { width: 99, height: 31 };
        await new Promise(() => undefined);
      }
      const run = request({ tty: true, initialSize: { width: 80, height: 24 }, resizes: resizes() });
      await openExec(connection(), run);
      assert.equal(run.stdout.text, '{"Width":80,"Height":24}{"Width":99,"Height":31}');
    });

    it('sends no size without a terminal', async () => {
      let sizes = 0;
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.onMessage((channel) => {
          if (channel === RESIZE) sizes += 1;
          if (channel === CLOSE) stream.succeed();
        });
      });
      await openExec(connection(), request({ initialSize: { width: 80, height: 24 }, stdin: Readable.from([]) }));
      assert.equal(sizes, 0);
    });

    it('runs more commands at a time than an agent keeps sockets', async () => {
      const { connection } = await start(echo);
      const one = connection();
      const results = await Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          const run = request({ stdin: Readable.from([Buffer.from(`run ${index}`)]) });
          await openExec(one, run);
          return run.stdout.text;
        }),
      );
      assert.deepEqual(results, Array.from({ length: 30 }, (_, index) => `run ${index}`));
    });
  });

  describe('the end', () => {
    const ending = async (status: object): Promise<{ exitCode: number }> => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.status(status);
        stream.socket.close();
      });
      return openExec(connection(), request());
    };

    it('takes a 32-bit exit code from the cause', async () => {
      assert.deepEqual(await ending({ status: 'Failure', reason: 'NonZeroExitCode', message: 'x', details: { causes: [{ reason: 'ExitCode', message: '3221225477' }] } }), { exitCode: 3221225477 });
    });

    it("takes it from the API server's sentence", async () => {
      assert.deepEqual(await ending({ status: 'Failure', reason: 'InternalError', message: 'error stream protocol error: invalid exit code value "3221225477"', code: 500 }), { exitCode: 3221225477 });
    });

    it('tells any other failure with its reason', async () => {
      const error = await failureOf(ending({ status: 'Failure', reason: 'InternalError', message: 'Internal error occurred: error executing command in container: not running', code: 500 }));
      assert.deepEqual([error.reason, error.status, error.exitCode], ['InternalError', 500, 3]);
      assert.equal(error.message, 'Internal error occurred: error executing command in container: not running');
      assert.deepEqual(error.attempt, { verb: 'create', resource: 'pods/exec', name: 'web', namespace: 'default' });
    });

    it('is ConnectionLost when the line is cut', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.send(STDOUT, 'half');
        setTimeout(() => call.raw.destroy(), 50);
      });
      const run = request();
      const error = await failureOf(openExec(connection(), run));
      assert.equal(error.reason, 'ConnectionLost');
      assert.match(error.message, /^lost the connection to pod default\/web before its exit code came \(.*WebSocket close code 1006\); the command may still be running$/);
      assert.equal(run.stdout.text, 'half');
    });

    it('is ConnectionLost when the server closes politely without a status', async () => {
      const { connection } = await start((call) => call.accept().socket.close(1001, 'shutting down'));
      const error = await failureOf(openExec(connection(), request()));
      assert.equal(error.reason, 'ConnectionLost');
      assert.match(error.message, /\(shutting down, WebSocket close code 1001\)/);
    });

    it('is ConnectionLost after half a status', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.send(3, '{"status":"Succ');
        stream.socket.close();
      });
      assert.equal((await failureOf(openExec(connection(), request()))).reason, 'ConnectionLost');
    });

    it('needs no close after the status', async () => {
      const { connection } = await start((call) => call.accept().status({ status: 'Success' }));
      assert.deepEqual(await openExec(connection(), request(), { closeSeconds: 0.05 }), { exitCode: 0 });
    });

    it('refuses text messages', async () => {
      const { connection } = await start((call) => call.accept().socket.send('MTIz'));
      assert.match((await failureOf(openExec(connection(), request()))).message, /sent text on v5\.channel\.k8s\.io/);
    });

    const quick: Partial<ExecTiming> = { pingIntervalSeconds: 0.05, silenceSeconds: 0.4 };

    it('is ConnectionLost when nobody answers the pings', async () => {
      const { connection } = await start((call) => {
        call.accept();
        call.raw.pause();
      });
      const error = await failureOf(openExec(connection(), request(), quick));
      assert.equal(error.reason, 'ConnectionLost');
      assert.match(error.message, /has not answered for 0\.4 s; the command may still be running/);
    });

    it('lives as long as pings are answered, though the command is quiet', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        let pings = 0;
        stream.socket.on('ping', () => {
          pings += 1;
          if (pings === 12) stream.succeed();
        });
      });
      assert.deepEqual(await openExec(connection(), request(), quick), { exitCode: 0 });
    });

    it('does not take a command that leaves its stdin unread for a dead server', async () => {
      const { connection } = await start((call) => {
        echo(call);
        call.raw.pause();
        setTimeout(() => call.raw.resume(), 700);
      });
      const stdin = Readable.from([new Uint8Array(500_000)]);
      assert.deepEqual(await openExec(connection(), request({ stdin }), quick), { exitCode: 0 });
    });

    it('takes silence after a few typed bytes for what it is', async () => {
      const { connection } = await start((call) => {
        call.accept();
        call.raw.pause();
      });
      assert.equal((await failureOf(openExec(connection(), request({ stdin: Readable.from([new Uint8Array(1000)]) }), quick))).reason, 'ConnectionLost');
    });

    it('finds a server that dies after it has read much stdin', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.socket.on('ping', (payload) => {
          if (Number(payload.toString()) > 500_000) call.raw.pause();
        });
      });
      const stdin = new PassThrough();
      stdin.write(new Uint8Array(500_000));
      assert.equal((await failureOf(openExec(connection(), request({ stdin }), quick))).reason, 'ConnectionLost');
    });

    it('loses no output of a server that has closed already to a ping', async () => {
      const message = Buffer.alloc(32 * 1024, 7);
      const { connection } = await start((call) => {
        const stream = call.accept();
        for (let count = 0; count < 64; count += 1) stream.send(STDOUT, message);
        stream.status({ status: 'Success' });
        // As the API server does: closes without a close frame as soon as its kernel has everything.
        (call.raw as net.Socket).destroySoon();
      });
      let length = 0;
      const stdout = new Writable({
        highWaterMark: 1,
        write(chunk: Buffer, _encoding, done) {
          length += chunk.length;
          setTimeout(done, length > 1024 * 1024 ? 0 : 20);
        },
      });
      assert.deepEqual(await openExec(connection(), request({ stdout }), { pingIntervalSeconds: 0.03 }), { exitCode: 0 });
      assert.equal(length, 64 * message.length);
    });

    it('does not take its own full stdout for a dead server', async () => {
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.send(STDOUT, 'x');
        setTimeout(() => stream.succeed(), 50);
      });
      const stdout = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void setTimeout(done, 700) });
      assert.deepEqual(await openExec(connection(), request({ stdout }), quick), { exitCode: 0 });
    });
  });

  describe('an abort', () => {
    it("closes the socket and throws the signal's reason", async () => {
      let closed = false;
      const controller = new AbortController();
      const { connection } = await start((call) => {
        call.accept().socket.on('close', () => (closed = true));
        setTimeout(() => controller.abort(new InterruptedError('interrupted')), 20);
      });
      await assert.rejects(openExec(connection(), request({ signal: controller.signal, stdin: new PassThrough() })), InterruptedError);
      while (!closed) await delay(5);
    });

    it('throws InterruptedError when the signal has no reason of its own', async () => {
      const controller = new AbortController();
      const { connection } = await start((call) => {
        call.accept();
        controller.abort();
      });
      await assert.rejects(openExec(connection(), request({ signal: controller.signal })), InterruptedError);
    });

    it('needs no request when it came before', async () => {
      const { calls, connection } = await start(echo);
      await assert.rejects(openExec(connection(), request({ signal: AbortSignal.abort() })), InterruptedError);
      assert.equal(calls.length, 0);
    });

    it('ends an upgrade that nobody answers', async () => {
      const controller = new AbortController();
      const { connection } = await start(() => controller.abort());
      await assert.rejects(openExec(connection(), request({ signal: controller.signal })), InterruptedError);
    });

    it('ends the wait for a full stdout', async () => {
      const controller = new AbortController();
      const { connection } = await start((call) => {
        const stream = call.accept();
        stream.send(STDOUT, 'x');
        stream.succeed();
        setTimeout(() => controller.abort(), 50);
      });
      const stdout = new Writable({ write: () => undefined });
      await assert.rejects(openExec(connection(), request({ signal: controller.signal, stdout })), InterruptedError);
    });
  });

  describe('a refused upgrade', () => {
    const refusing = async (status: number, body: string | object, headers?: Readonly<Record<string, string>>): Promise<ClusterError> => {
      const { connection } = await start((call) => call.refuse(status, body, headers));
      return failureOf(openExec(connection(), request()));
    };
    const status = (code: number, reason: string, message: string): object => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code });

    it('403: the message of the server, and both verbs that are needed', async () => {
      const message = 'pods "web" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "default"';
      const error = await refusing(403, status(403, 'Forbidden', message));
      assert.deepEqual([error.reason, error.status], ['Forbidden', 403]);
      assert.ok(error.message.includes(message), error.message);
      assert.equal(error.attempt?.verb, 'create');
      assert.deepEqual(error.suggestions, [
        'missing right: verb "create" on "pods/exec" in the namespace "default"; "get" and "create" are both needed (since Kubernetes 1.35)',
        'ask an administrator for: kubectl create role kubectl-win-pods-exec -n default --verb=get,create --resource=pods/exec',
        "and for: kubectl create rolebinding kubectl-win-pods-exec -n default --role=kubectl-win-pods-exec --user='jane'",
      ]);
    });

    it('403 without a reason, as for a missing create', async () => {
      const error = await refusing(403, { ...status(403, 'Forbidden', 'pods "web" is forbidden: '), details: { name: 'web', kind: 'pods' } });
      assert.equal(error.message, 'Error from server (Forbidden): pods "web" is forbidden: the server gave no reason, which is how it refuses the verb "create" on "pods/exec"');
      assert.equal(error.attempt?.verb, 'create');
      assert.equal(error.suggestions[2], 'and for: kubectl create rolebinding kubectl-win-pods-exec -n default --role=kubectl-win-pods-exec --user=USER');
    });

    it('404: the pod is named', async () => {
      const error = await refusing(404, status(404, 'NotFound', 'pods "web" not found'));
      assert.deepEqual([error.reason, error.status], ['NotFound', 404]);
      assert.match(error.message, /pods "web" not found/);
    });

    it('400 with a Status: the message', async () => {
      const error = await refusing(400, status(400, 'BadRequest', 'container app is not valid for pod web'));
      assert.deepEqual([error.reason, error.status], ['BadRequest', 400]);
      assert.match(error.message, /container app is not valid for pod web/);
    });

    it('reads a long body whole', async () => {
      const message = 'y'.repeat(50_000);
      assert.ok((await refusing(500, status(500, 'InternalError', message))).message.includes(message));
    });

    const unsupported: readonly (readonly [name: string, code: number, body: string, type: string, expected: RegExp])[] = [
      ['403 without a Status (a server before 1.30)', 403, '', 'text/plain', /the answer was HTTP 403 without a reason$/],
      ['400 in plain text', 400, 'unable to upgrade: unsupported protocol', 'text/plain', /HTTP 400: unable to upgrade: unsupported protocol/],
      ['400 of an API server that the Upgrade header did not reach', 400, JSON.stringify(status(400, 'BadRequest', 'Upgrade request required')), 'application/json', /HTTP 400: Upgrade request required$/],
      ['404 as HTML', 404, '<html><title>Not\n here</title><body>nope</body></html>', 'text/html', /HTTP 404: an HTML page with the title "Not here"/],
      ['426', 426, 'Upgrade Required', 'text/plain', /HTTP 426: Upgrade Required/],
      ['200, an answer instead of an upgrade', 200, 'hello', 'text/plain', /HTTP 200: hello/],
    ];
    for (const [name, code, body, type, expected] of unsupported) {
      it(`${name}: says that WebSockets do not get through`, async () => {
        const error = await refusing(code, body, { 'Content-Type': type });
        assert.ok(error instanceof WebSocketUnsupportedError);
        assert.equal(error.reason, 'UpgradeRefused');
        assert.match(error.message, expected);
        assert.equal(error.status, code);
        assert.ok(error.suggestions.some((line) => line.includes('1.30')));
      });
    }

    const otherwise: readonly (readonly [name: string, code: number, body: string, headers: Readonly<Record<string, string>>, reason: ClusterError['reason'], expected: RegExp])[] = [
      ['a login page', 200, '<html><title>Sign in</title>', { 'Content-Type': 'text/html' }, 'NotKubernetes', /answered with HTML.*Sign in/],
      ['a redirect, which could carry the token away', 302, '', { Location: 'https://login.example.com/' }, 'NotKubernetes', /redirect to https:\/\/login\.example\.com\//],
      ['a gateway without a server', 503, 'no healthy upstream', {}, 'ServiceUnavailable', /currently unable to handle the request/],
      ['too many requests', 429, '', {}, 'TooManyRequests', /too many requests/],
    ];
    for (const [name, code, body, headers, reason, expected] of otherwise) {
      it(`${name}: is told as for any request`, async () => {
        const error = await refusing(code, body, headers);
        assert.ok(!(error instanceof WebSocketUnsupportedError));
        assert.equal(error.reason, reason);
        assert.match(error.message, expected);
      });
    }

    it('403 that is not about RBAC: no role is proposed', async () => {
      const error = await refusing(403, status(403, 'Forbidden', 'pods "web" is forbidden: admission webhook "no-exec.example.com" denied the request'));
      assert.equal(error.reason, 'Forbidden');
      assert.deepEqual(error.suggestions, []);
    });

    for (const protocol of [null, 'v4.channel.k8s.io']) {
      it(`101 with protocol ${protocol ?? 'missing'}: is not used`, async () => {
        const { connection } = await start((call) => void call.accept(protocol));
        const error = await failureOf(openExec(connection(), request()));
        assert.ok(error instanceof WebSocketUnsupportedError, String(error));
        assert.match(error.message, /subprotocol/);
      });
    }

    it('a server that says nothing: gives up in time', async () => {
      const { connection } = await start(() => undefined);
      const error = await failureOf(openExec(connection(), request(), { handshakeTimeoutSeconds: 0.1 }));
      assert.equal(error.reason, 'DeadlineExceeded');
    });

    it('a server that is not there', async () => {
      const probe = net.createServer();
      await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
      const { port } = probe.address() as AddressInfo;
      await new Promise((resolve) => probe.close(resolve));
      const { connection } = await start(echo);
      const error = await failureOf(openExec(connection({ server: `https://127.0.0.1:${port}` }), request()));
      assert.equal(error.reason, 'Unreachable');
      assert.match(error.message, new RegExp(String(port)));
    });

    it('a certificate of another authority', async () => {
      const { connection } = await start(echo);
      const error = await failureOf(openExec(connection({ tls: { ca: undefined, insecureSkipVerify: false } }), request()));
      assert.equal(error.reason, 'UntrustedCertificate');
    });
  });
});
