import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeClock, failureIn, lookUp, LoopbackRegistry, platformsIn, send, sendError, sendStored, withFolder } from './loopback-registry.ts';

const WINDOWS = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.5386' };
const NEWER = { ...WINDOWS, 'os.version': '10.0.20348.5400' };
const WRONG = `sha256:${'0'.repeat(64)}`;

describe('RepositoryContent', () => {
  let registry: LoopbackRegistry;
  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
  });
  afterEach(() => registry.close());

  const image = (): string => `${registry.host}/a:v1`;

  describe('verifies', () => {
    it('what a tag brings by the digest that the registry says', async () => {
      const stored = registry.index('a', [WINDOWS], 'v1');
      registry.fault = (_request, response) => send(response, 200, stored.body.toString(), { 'Docker-Content-Digest': WRONG });
      const failure = failureIn(await lookUp(image()));
      assert.equal(failure.reason, 'DigestMismatch');
      assert.equal(failure.message, `${registry.host} sent other bytes than those of ${WRONG}: theirs is ${stored.digest}`);
    });

    it('in the algorithm that the registry uses', async () => {
      const { body, type } = registry.index('a', [WINDOWS], 'v1');
      const digest = `sha512:${createHash('sha512').update(body).digest('hex')}`;
      registry.fault = (_request, response) => {
        sendStored(response, { digest, body, type }, 'GET');
        return true;
      };
      assert.equal(platformsIn(await lookUp(image())).digest, digest);
      assert.equal(platformsIn(await lookUp(`${registry.host}/a@${digest}`)).digest, digest);
    });

    it('nothing against a header that is no digest, and takes its own', async () => {
      const stored = registry.index('a', [WINDOWS], 'v1');
      registry.fault = (_request, response) => send(response, 200, stored.body.toString(), { 'Docker-Content-Digest': 'md5:x' });
      assert.equal(platformsIn(await lookUp(image())).digest, stored.digest);
    });

    it('what a digest names', async () => {
      const stored = registry.index('a', [WINDOWS], 'v1');
      registry.fault = (_request, response) => send(response, 200, stored.body.toString().replace('20348', '26100'), { 'Docker-Content-Digest': stored.digest });
      assert.equal(failureIn(await lookUp(`${registry.host}/a@${stored.digest}`)).reason, 'DigestMismatch');
    });

    it('configurations by the digest in the manifest', async () => {
      registry.image('a', WINDOWS, 'v1');
      registry.fault = ({ url }, response) => url.includes('/blobs/') && send(response, 200, { ...NEWER, filler: 'x'.repeat(500) });
      assert.equal(failureIn(await lookUp(image())).reason, 'DigestMismatch');
    });

    it('that bodies come to their end', async () => {
      const stored = registry.image('a', WINDOWS, 'v1');
      registry.fault = (_request, response) => {
        response.writeHead(200, { 'Content-Type': stored.type, 'Content-Length': stored.body.length });
        response.write(stored.body.subarray(0, 20));
        setImmediate(() => response.destroy());
        return true;
      };
      const failure = failureIn(await lookUp(image()));
      assert.equal(failure.reason, 'Malformed');
      assert.match(failure.message, /sent an answer that was cut off after \d+ bytes$/);
    });

    it('that there are as many bytes as the manifest says', async () => {
      registry.image('a', WINDOWS, 'v1');
      registry.fault = ({ url }, response) => url.includes('/blobs/') && send(response, 200, '{}');
      const failure = failureIn(await lookUp(image()));
      assert.equal(failure.reason, 'Malformed');
      assert.match(failure.message, /sent 2 of \d+ bytes: the answer was cut off$/);
    });

    it('that nobody sends without an end', async () => {
      registry.fault = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const chunk = Buffer.alloc(256 * 1024, ' ');
        const more = (): void => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
        return true;
      };
      assert.match(failureIn(await lookUp(image())).message, /sent more than 8 MiB, which no manifest has$/);
    });
  });

  describe('the cache', () => {
    it('answers within five minutes without a request, and after that with a head alone', async () => {
      await withFolder(async (cacheFolder) => {
        const clock = fakeClock();
        registry.image('a', WINDOWS, 'v1');
        const first = platformsIn(await lookUp(image(), { cacheFolder, clock }));
        assert.equal(registry.requests.length, 2);
        assert.deepEqual(platformsIn(await lookUp(image(), { cacheFolder, clock })), first);
        assert.equal(registry.requests.length, 2);
        clock.pass(5 * 60_000);
        assert.deepEqual(platformsIn(await lookUp(image(), { cacheFolder, clock })), first);
        assert.deepEqual(registry.paths.slice(2), ['HEAD /v2/a/manifests/v1']);
        assert.deepEqual(platformsIn(await lookUp(image(), { cacheFolder, clock })), first);
        assert.equal(registry.requests.length, 3);
      });
    });

    it('is passed by when the tag has moved', async () => {
      await withFolder(async (cacheFolder) => {
        const clock = fakeClock();
        registry.index('a', [WINDOWS], 'v1');
        await lookUp(image(), { cacheFolder, clock });
        clock.pass(5 * 60_000);
        const moved = registry.index('a', [NEWER], 'v1');
        assert.equal(platformsIn(await lookUp(image(), { cacheFolder, clock })).digest, moved.digest);
        assert.deepEqual(registry.paths.slice(1), ['HEAD /v2/a/manifests/v1', 'GET /v2/a/manifests/v1']);
      });
    });

    for (const [what, headers, status] of [['does not know the method', {}, 405], ['says 404 to it', {}, 404], ['gives no digest in it', { 'Docker-Content-Digest': '' }, 200]] as const) {
      it(`does without the head where the registry ${what}`, async () => {
        await withFolder(async (cacheFolder) => {
          const clock = fakeClock();
          const stored = registry.index('a', [WINDOWS], 'v1');
          await lookUp(image(), { cacheFolder, clock });
          clock.pass(5 * 60_000);
          registry.fault = ({ method }, response) => {
            if (method !== 'HEAD') return false;
            response.writeHead(status, headers);
            response.end();
            return true;
          };
          assert.equal(platformsIn(await lookUp(image(), { cacheFolder, clock })).digest, stored.digest);
        });
      });
    }

    it('answers for digests without a request', async () => {
      await withFolder(async (cacheFolder) => {
        const { digest } = registry.index('a', [WINDOWS], 'v1');
        await lookUp(`${registry.host}/a@${digest}`, { cacheFolder });
        await registry.close();
        assert.equal(platformsIn(await lookUp(`${registry.host}/a@${digest}`, { cacheFolder })).digest, digest);
      });
    });

    it('asks by a head, after five minutes, whether what a digest names is still there', async () => {
      await withFolder(async (cacheFolder) => {
        const clock = fakeClock();
        const { digest } = registry.index('a', [WINDOWS], 'v1');
        const pinned = (): ReturnType<typeof lookUp> => lookUp(`${registry.host}/a@${digest}`, { cacheFolder, clock });
        await pinned();
        clock.pass(5 * 60_000 - 1);
        assert.equal(platformsIn(await pinned()).digest, digest);
        assert.deepEqual(registry.paths, [`GET /v2/a/manifests/${digest}`]);
        clock.pass(1);
        for (let times = 0; times < 2; times += 1) assert.equal(platformsIn(await pinned()).digest, digest);
        assert.deepEqual(registry.paths.slice(1), [`HEAD /v2/a/manifests/${digest}`]);
      });
    });

    it('asks for a digest that it has from a tag alone', async () => {
      await withFolder(async (cacheFolder) => {
        const { digest } = registry.index('a', [WINDOWS], 'v1');
        await lookUp(image(), { cacheFolder });
        platformsIn(await lookUp(`${registry.host}/a@${digest}`, { cacheFolder }));
        assert.deepEqual(registry.paths.slice(1), [`HEAD /v2/a/manifests/${digest}`]);
      });
    });

    for (const [status, reason] of [[404, 'NotFound'], [403, 'Forbidden'], [401, 'Unauthorized'], [500, 'ServerError']] as const) {
      it(`hides no ${status} to what a digest names`, async () => {
        await withFolder(async (cacheFolder) => {
          const clock = fakeClock();
          const { digest } = registry.index('a', [WINDOWS], 'v1');
          await lookUp(`${registry.host}/a@${digest}`, { cacheFolder, clock });
          clock.pass(5 * 60_000);
          registry.fault = (_request, response) => sendError(response, status, 'X', 'no');
          assert.equal(failureIn(await lookUp(`${registry.host}/a@${digest}`, { cacheFolder, clock })).reason, reason);
        });
      });
    }

    it('does without the head for a digest where the registry does not know the method', async () => {
      await withFolder(async (cacheFolder) => {
        const clock = fakeClock();
        const { digest } = registry.index('a', [WINDOWS], 'v1');
        await lookUp(`${registry.host}/a@${digest}`, { cacheFolder, clock });
        clock.pass(5 * 60_000);
        registry.fault = ({ method }, response) => method === 'HEAD' && send(response, 405, '');
        assert.equal(platformsIn(await lookUp(`${registry.host}/a@${digest}`, { cacheFolder, clock })).digest, digest);
        assert.deepEqual(registry.paths.slice(1), [`HEAD /v2/a/manifests/${digest}`, `GET /v2/a/manifests/${digest}`]);
      });
    });

    it('believes no mirror that is one no longer', async () => {
      await withFolder(async (cacheFolder) => {
        const mirror = await LoopbackRegistry.start();
        const lie = mirror.index('a', [{ ...WINDOWS, 'os.version': '10.0.1.1' }], 'v1');
        const truth = registry.index('a', [WINDOWS], 'v1');
        const digestWith = async (mirrors: readonly string[]): Promise<string | null | undefined> => platformsIn(await lookUp(image(), { cacheFolder, registries: { [registry.host]: { mirrors } } })).digest;
        assert.equal(await digestWith([mirror.host]), lie.digest);
        assert.equal(await digestWith([]), truth.digest);
        assert.equal(await digestWith([mirror.host]), lie.digest);
        assert.deepEqual([mirror.requests.length, registry.requests.length], [1, 1]);
        await mirror.close();
      });
    });

    it('keeps no login page that came with 200, so that the next try is a real one', async () => {
      await withFolder(async (cacheFolder) => {
        registry.manifest('a', '<html>', 'text/html', 'v1');
        failureIn(await lookUp(image(), { cacheFolder }));
        registry.index('a', [WINDOWS], 'v1');
        platformsIn(await lookUp(image(), { cacheFolder }));
      });
    });

    it('is mended where files of it were spoilt', async () => {
      await withFolder(async (cacheFolder) => {
        registry.image('a', WINDOWS, 'v1');
        const first = platformsIn(await lookUp(image(), { cacheFolder }));
        for (const entry of await readdir(cacheFolder, { recursive: true, withFileTypes: true })) if (entry.isFile()) await writeFile(join(entry.parentPath, entry.name), 'spoilt');
        assert.deepEqual(platformsIn(await lookUp(image(), { cacheFolder })), first);
      });
    });

    it('and traces and messages hold no secret', async () => {
      await withFolder(async (folder) => {
        const cacheFolder = join(folder, 'cache');
        const secrets = ['hunter22', Buffer.from('u:hunter22').toString('base64'), 'bearer-token-1'];
        await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { [registry.host]: { username: 'u', password: 'hunter22' } } }));
        registry.image('a', WINDOWS, 'v1');
        registry.fault = ({ url, headers }, response) => {
          if (url.startsWith('/token')) return send(response, 200, { token: 'bearer-token-1' });
          if (headers.authorization === 'Bearer bearer-token-1' && !url.endsWith('/v2')) return false;
          return sendError(response, url.endsWith('/v2') ? 403 : 401, 'DENIED', headers.authorization === undefined ? 'who?' : `not with ${headers.authorization} nor hunter22`, { 'WWW-Authenticate': `Bearer realm="${registry.url}/token",service="s"` });
        };
        const trace: string[] = [];
        const options = { cacheFolder, env: { DOCKER_CONFIG: folder }, verbosity: 10, onTrace: (line: string) => trace.push(line) };
        platformsIn(await lookUp(image(), options));
        const failure = failureIn(await lookUp(`${registry.host}/a:v2`, options));
        assert.equal(failure.reason, 'Forbidden');
        const texts = [trace.join('\n'), JSON.stringify(failure)];
        for (const entry of await readdir(cacheFolder, { recursive: true, withFileTypes: true })) if (entry.isFile()) texts.push(await readFile(join(entry.parentPath, entry.name), 'utf8'));
        assert.ok(texts.length > 4);
        for (const secret of secrets) assert.ok(texts.every((text) => !text.includes(secret)), secret);
      });
    });
  });
});
