import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import net, { type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listen } from '../../../support/loopback-api.ts';
import { fakeClock, failureIn, lookUp, LoopbackRegistry, open, platformsIn, send, sendError, withFolder, withOpen } from './loopback-registry.ts';

const WINDOWS = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.5386' };

describe('HostConnection', () => {
  let registry: LoopbackRegistry;
  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
    registry.index('a', [WINDOWS], 'v1');
  });
  afterEach(() => registry.close());

  const image = (): string => `${registry.host}/a:v1`;

  /** Answers the first requests with a status. */
  const failFirst = (count: number, status: number, headers: Readonly<Record<string, string>> = {}): void => {
    registry.fault = (_request, response) => registry.requests.length <= count && sendError(response, status, 'TOOMANYREQUESTS', 'slow down', headers);
  };

  describe('waits', () => {
    it('as long as it is asked to, where the time is enough', async () => {
      const clock = fakeClock();
      failFirst(2, 429, { 'Retry-After': '3' });
      platformsIn(await lookUp(image(), { clock }));
      assert.deepEqual(clock.slept, [3000, 3000]);
    });

    it('by itself where it is not told for how long', async () => {
      const clock = fakeClock();
      failFirst(3, 429);
      platformsIn(await lookUp(image(), { clock }));
      assert.deepEqual(clock.slept, [1000, 2000, 4000]);
    });

    for (const absurd of ['9'.repeat(400), '99999999', 'Mon, 30 Nov 2099 10:00:30 GMT']) {
      it(`as without a word where it is asked to for ages: ${absurd.slice(0, 20)}`, async () => {
        const clock = fakeClock();
        let isBusy = true;
        registry.fault = (_request, response) => isBusy && sendError(response, 429, 'TOOMANYREQUESTS', 'slow down', { 'Retry-After': absurd });
        await withOpen({ clock }, async (opened) => {
          assert.equal(failureIn(await opened.lookUp(image())).message, `${registry.host} answered 429 Too Many Requests (toomanyrequests: slow down)`);
          isBusy = false;
          clock.pass(60_000);
          platformsIn(await opened.lookUp(`${registry.host}/a@${registry.stored('a', 'v1')?.digest}`));
        });
      });
    }

    it('not at all where the pause is longer than the lookup may take, and tells all others so without asking', async () => {
      const clock = fakeClock();
      failFirst(99, 429, { 'Retry-After': '3600' });
      await withOpen({ clock }, async (opened) => {
        const failure = failureIn(await opened.lookUp(image()));
        assert.equal(failure.reason, 'TooManyRequests');
        assert.equal(failure.message, `${registry.host} answered 429 Too Many Requests (toomanyrequests: slow down; to be asked again in 3600 s)`);
        const next = failureIn(await opened.lookUp(`${registry.host}/a:v2`));
        assert.equal(next.reason, 'TooManyRequests');
        assert.equal(next.message, `${registry.host} answered 429 Too Many Requests before, and is not to be asked for 3600 s`);
      });
      assert.equal(registry.requests.length, 1);
      assert.deepEqual(clock.slept, []);
    });

    it('shortly for a server that fails, and gives up after three tries', async () => {
      const clock = fakeClock();
      failFirst(99, 503);
      const failure = failureIn(await lookUp(image(), { clock }));
      assert.equal(failure.reason, 'ServerError');
      assert.equal(failure.message, `${registry.host} answered 503 Service Unavailable (toomanyrequests: slow down)`);
      assert.deepEqual(clock.slept, [500, 1000]);
      assert.equal(registry.requests.length, 3);
    });

    it('no longer for one that has failed three lookups', async () => {
      const clock = fakeClock();
      failFirst(99, 500);
      await withOpen({ clock }, async (opened) => {
        for (let index = 0; index < 5; index += 1) failureIn(await opened.lookUp(`${registry.host}/a:t${index}`));
      });
      assert.equal(registry.requests.length, 3 + 3 + 3 + 1 + 1);
    });
  });

  const statuses: readonly (readonly [status: number, reason: string])[] = [[401, 'Unauthorized'], [403, 'Forbidden'], [404, 'NotFound'], [410, 'NotFound'], [400, 'Malformed'], [418, 'Malformed'], [204, 'Malformed'], [501, 'ServerError']];
  for (const [status, reason] of statuses) {
    it(`takes ${status} for ${reason}`, async () => {
      failFirst(99, status);
      assert.equal(failureIn(await lookUp(image())).reason, reason);
    });
  }

  describe('a server that is not there', () => {
    it('is asked once, and the rest is told why', async () => {
      await registry.close();
      await withOpen({}, async (opened) => {
        const first = failureIn(await opened.lookUp(image()));
        assert.equal(first.reason, 'Unreachable');
        assert.equal(first.message, `${registry.host} refused the connection`);
        const second = failureIn(await opened.lookUp(`${registry.host}/b:v1`));
        assert.equal(second.reason, 'Unreachable');
        assert.equal(second.message, `${registry.host} was not asked again: before, it refused the connection`);
      });
    });

    it('is one that says nothing, too', async () => {
      registry.fault = () => true;
      await withOpen({ timeoutSeconds: 0.2 }, async (opened) => {
        const first = failureIn(await opened.lookUp(image()));
        assert.equal(first.reason, 'Timeout');
        assert.equal(first.message, `${registry.host} gave no answer within 0.2 s`);
        const before = registry.requests.length;
        const second = failureIn(await opened.lookUp(`${registry.host}/b:v1`));
        assert.equal(second.reason, 'Timeout');
        assert.match(second.message, /was not asked again: before, it gave no answer within 0\.2 s$/);
        assert.equal(registry.requests.length, before);
      });
    });

    it('is not one that is slow with a single image', async () => {
      registry.fault = ({ url }) => url.includes('/slow/');
      await withOpen({ timeoutSeconds: 0.4 }, async (opened) => {
        const slow = opened.lookUp(`${registry.host}/slow:v1`).then(failureIn);
        const slower = opened.lookUp(`${registry.host}/slow/er:v1`);
        while (registry.requests.length < 2) await new Promise(setImmediate);
        platformsIn(await opened.lookUp(image()));
        assert.equal((await slow).reason, 'Timeout');
        assert.equal(failureIn(await slower).reason, 'Timeout');
        registry.index('b', [WINDOWS], 'v1');
        platformsIn(await opened.lookUp(`${registry.host}/b:v1`));
      });
    });

    it('is not one that broke a connection once', async () => {
      let resets = 0;
      registry.fault = ({ url }, response) => {
        if (!url.includes('/reset/')) return false;
        resets += 1;
        response.destroy();
        return true;
      };
      await withOpen({}, async (opened) => {
        const failure = failureIn(await opened.lookUp(`${registry.host}/reset/a:v1`));
        assert.equal(failure.reason, 'Unreachable');
        assert.match(failure.message, /broke the connection off$/);
        platformsIn(await opened.lookUp(image()));
      });
      assert.equal(resets, 2, 'once more, as a kept connection may have been given up');
    });
  });

  describe('TLS', () => {
    it('is taken where the server speaks it', async () => {
      const secure = await LoopbackRegistry.start({});
      secure.index('a', [WINDOWS], 'v1');
      platformsIn(await lookUp(`${secure.host}/a:v1`));
      await secure.close();
    });

    it('is verified by the authority of the configuration, on loopback as elsewhere', async () => {
      const secure = await LoopbackRegistry.start({});
      secure.index('a', [WINDOWS], 'v1');
      await withFolder(async (folder) => {
        const good = join(folder, 'good.pem');
        await writeFile(good, secure.ca ?? '');
        const settings = (more: object) => ({ registries: { [secure.host]: more } });
        platformsIn(await lookUp(`${secure.host}/a:v1`, settings({ certificateAuthority: good })));
        const failure = failureIn(await lookUp(`${secure.host}/a:v1`, settings({ insecureSkipTLSVerify: false })));
        assert.equal(failure.reason, 'UntrustedCertificate');
        assert.equal(failure.message, `${secure.host} has a certificate that is not trusted: certificate signed by unknown authority`);
        assert.deepEqual(failure.suggestions, [`name the authority of ${secure.host} in the configuration: registries."${secure.host}".certificateAuthority`]);
        for (const [file, message] of [[join(folder, 'none.pem'), /certificateAuthority .*none\.pem cannot be read \(ENOENT\)$/], [join(folder, 'bad.pem'), /holds no PEM certificate$/]] as const) {
          if (file.endsWith('bad.pem')) await writeFile(file, 'bad');
          const bad = failureIn(await lookUp(`${secure.host}/a:v1`, settings({ certificateAuthority: file })));
          assert.equal(bad.reason, 'BadConfiguration');
          assert.match(bad.message, message);
        }
      });
      assert.equal(secure.requests.length, 1);
      await secure.close();
    });

    it('names what is wrong with a certificate', async () => {
      const secure = await LoopbackRegistry.start({ tls: { notAfter: new Date(Date.now() - 1000) } });
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'ca.pem'), secure.ca ?? '');
        const failure = failureIn(await lookUp(`${secure.host}/a:v1`, { registries: { [secure.host]: { certificateAuthority: join(folder, 'ca.pem') } } }));
        assert.equal(failure.reason, 'UntrustedCertificate');
        assert.match(failure.message, /certificate has expired or is not yet valid/);
      });
      await secure.close();
    });

    it('is not tried where plain HTTP is configured', async () => {
      const server = await LoopbackRegistry.start();
      server.index('a', [WINDOWS], 'v1');
      platformsIn(await lookUp(`${server.host}/a:v1`, { registries: { [server.host]: { plainHTTP: true } } }));
      await server.close();
    });

    it('is not given up for plain HTTP by a server that breaks the handshake off', async () => {
      const heads: string[] = [];
      const sockets = new Set<Socket>();
      const server = net.createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.once('data', (data) => {
          heads.push(data.toString('latin1').slice(0, 4));
          socket.destroy();
        });
      });
      const port = await listen(server);
      assert.equal(failureIn(await lookUp(`127.0.0.1:${port}/a:v1`)).reason, 'Unreachable');
      assert.ok(heads.every((head) => head !== 'GET '));
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });
  });

  it('has a place for all who have one among the lookups, whose time is running', async () => {
    const all = Promise.withResolvers<void>();
    registry.fault = async () => {
      if (registry.requests.length === 10) all.resolve();
      await all.promise;
      return false;
    };
    for (let index = 0; index < 10; index += 1) registry.index(`p${index}`, [WINDOWS], 'v1');
    await withOpen({ timeoutSeconds: 5 }, async (opened) => {
      for (const answer of await Promise.all(Array.from({ length: 10 }, (_, index) => opened.lookUp(`${registry.host}/p${index}:v1`)))) platformsIn(answer);
    });
  });

  it('has as much time as a timer can have where it is given more', async () => {
    platformsIn(await lookUp(image(), { timeoutSeconds: 2_147_484 }));
  });

  it('says that a port is none', async () => {
    const failure = failureIn(await lookUp('127.0.0.1:99999/x:v1'));
    assert.deepEqual([failure.reason, failure.message], ['BadConfiguration', '127.0.0.1:99999 cannot be asked: 99999 is no port']);
    assert.equal(failureIn(await lookUp('300.0.0.1/x:v1')).message, '300.0.0.1 cannot be asked: it is no address');
  });

  it('says how long a millisecond is', async () => {
    registry.fault = () => true;
    assert.match(failureIn(await lookUp(image(), { timeoutSeconds: 0.001 })).message, /gave no answer within 0\.001 s$/);
  });

  for (const [what, bytes] of [
    ['HTTP/0.9', '<html>hello</html>'], ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n{}'], ['headers without end', `HTTP/1.1 200 OK\r\n${`X: ${'x'.repeat(1000)}\r\n`.repeat(2000)}\r\n`],
  ] as const) {
    it(`takes ${what} for no answer of a registry`, async () => {
      registry.fault = (_request, response) => {
        response.socket?.end(bytes);
        return true;
      };
      const failure = failureIn(await lookUp(image(), { registries: { [registry.host]: { plainHTTP: true } } }));
      assert.equal(failure.reason, 'Malformed', failure.message);
      assert.doesNotMatch(failure.message, /HTTPS/);
    });
  }

  it('believes the status of an error whose body has no end', async () => {
    registry.fault = (_request, response) => send(response, 404, 'x'.repeat(3 * 2 ** 20));
    assert.equal(failureIn(await lookUp(image())).reason, 'NotFound');
  });

  for (const [what, head] of [
    ['is marked as what was not asked for', 'Content-Encoding: br\r\nContent-Length: 2\r\n\r\n{}'], ['is cut off', 'Content-Length: 200\r\n\r\n{}'], ['is no gzip', 'Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}'], ['has chunks that are none', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ] as const) {
    it(`believes the status of an error whose body ${what}`, async () => {
      registry.fault = (_request, response) => {
        response.socket?.end(`HTTP/1.1 404 Not Found\r\n${head}`);
        return true;
      };
      assert.equal(failureIn(await lookUp(image())).message, `${registry.host} answered 404 Not Found`);
    });
  }

  it('reads no certificateAuthority that is a pipe or a device', async function () {
    if (process.platform === 'win32') this.skip();
    await withFolder(async (folder) => {
      await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
      for (const path of [join(folder, 'pipe'), '/dev/zero', folder]) {
        const failure = failureIn(await lookUp(image(), { registries: { [registry.host]: { certificateAuthority: path } } }));
        assert.deepEqual([failure.reason, failure.message], ['BadConfiguration', `${registry.host} cannot be asked: its certificateAuthority ${path} is no ordinary file`]);
      }
    });
  });

  it('says which program asks', async () => {
    await lookUp(image(), { userAgentVersion: '1.2.3' });
    assert.match(registry.requests[0]?.headers['user-agent'] ?? '', /^kubectl-win\/1\.2\.3 \(/);
    assert.equal(registry.requests[0]?.headers['accept-encoding'], 'identity');
  });

  it('asks for all four kinds of manifests', async () => {
    await lookUp(image());
    assert.equal(registry.requests[0]?.headers.accept, [
      'application/vnd.oci.image.index.v1+json', 'application/vnd.docker.distribution.manifest.list.v2+json',
      'application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json',
    ].join(', '));
  });

  it('reads no answer that is no HTTP', async () => {
    registry.fault = (_request, response) => {
      response.socket?.end('HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n{}');
      return true;
    };
    assert.equal(failureIn(await lookUp(image())).reason, 'Malformed');
    registry.fault = (_request, response) => send(response, 200, '{}', { 'Content-Encoding': 'zstd' });
    assert.equal(failureIn(await lookUp(image())).reason, 'Malformed');
  });

  it('leaves no connection open after close', async () => {
    const opened = await open();
    platformsIn(await opened.lookUp(image()));
    await opened.close();
    failureIn(await opened.lookUp(`${registry.host}/b:v1`));
  });
});
