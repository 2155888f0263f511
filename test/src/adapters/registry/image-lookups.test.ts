import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeHelper } from './helper-script.ts';
import { fakeClock, failureIn, lookUp, LoopbackRegistry, open, platformsIn, sendError, withFolder, withOpen, type Fault } from './loopback-registry.ts';

const WINDOWS = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.5386' };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const secretFor = (key: string, user: string): string => JSON.stringify({ auths: { [key]: { username: user, password: 'p' } } });

const onlyFor = (...users: readonly string[]): Fault => ({ headers }, response) =>
  users.some((user) => headers.authorization === basic(`${user}:p`)) ? false : sendError(response, 401, 'UNAUTHORIZED', 'who?', { 'WWW-Authenticate': 'Basic realm="r"' });

describe('ImageLookups', () => {
  let registry: LoopbackRegistry;
  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
    registry.index('a', [WINDOWS], 'v1');
  });
  afterEach(() => registry.close());

  const image = (): string => `${registry.host}/a:v1`;

  it('asks once for all who want the same image', async () => {
    await withOpen({}, async (opened) => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => opened.lookUp(image())));
      for (const answer of answers) platformsIn(answer);
      platformsIn(await opened.lookUp(image()));
      const failures = await Promise.all([opened.lookUp(`${registry.host}/a:v2`), opened.lookUp(`${registry.host}/a:v2`)]);
      assert.deepEqual(failures[0], failures[1]);
      failureIn(await opened.lookUp(`${registry.host}/a:v2`));
    });
    assert.equal(registry.requests.length, 2);
  });

  for (const [text, why] of [['${IMAGE}', /is a placeholder$/], ['a/B', /has capital letters$/], ['', /is empty$/], ['registry_1.local/a', /names no registry$/]] as const) {
    it(`asks nobody for ${JSON.stringify(text)}`, async () => {
      const failure = failureIn(await lookUp(text));
      assert.equal(failure.reason, 'Malformed');
      assert.match(failure.message, why);
    });
  }

  describe('pull secrets', () => {
    it('are not asked for where the registry needs none, or is not there', async () => {
      const pullSecrets = (): Promise<never> => Promise.reject(new Error('asked'));
      platformsIn(await lookUp(image(), {}, { pullSecrets }));
      await registry.close();
      assert.equal(failureIn(await lookUp(image(), {}, { pullSecrets })).reason, 'Unreachable');
    });

    it('are tried one after the other, in the order of the kubelet', async () => {
      registry.fault = onlyFor('right');
      platformsIn(await lookUp(image(), {}, { pullSecrets: () => Promise.resolve([secretFor(registry.host, 'wrong'), secretFor(`${registry.host}/a`, 'first'), secretFor(registry.host, 'right')]) }));
      assert.deepEqual(registry.requests.map(({ headers }) => headers.authorization), [undefined, basic('first:p'), basic('wrong:p'), basic('right:p')]);
    });

    it('that are for another registry are said to be, and not sent', async () => {
      registry.fault = onlyFor('u');
      const failure = failureIn(await lookUp(image(), {}, { pullSecrets: () => Promise.resolve([secretFor('other.example', 'u'), secretFor('third.example', 'u')]) }));
      assert.equal(failure.reason, 'Unauthorized');
      assert.equal(failure.suggestions.at(-1), `none of its 2 pull secrets is for ${registry.host}`);
      assert.equal(registry.requests.length, 1);
    });

    const spoilt = JSON.stringify({ auths: { 'other.example': { auth: 'bm9jb2xvbg==' } } });
    for (const [what, texts, suggestion] of [
      ['one of which', (good: string) => [good, spoilt], 'mend 1 of its 2 pull secrets, which cannot be decoded: the kubelet then uses none of them, and pulls nothing for the pod'],
      ['the only one of which', () => [spoilt], 'mend its pull secret, which cannot be decoded: the kubelet pulls nothing for the pod with it'],
    ] as const) {
      it(`${what} cannot be decoded are not used at all, as by the kubelet`, async () => {
        registry.fault = onlyFor('u');
        const failure = failureIn(await lookUp(image(), {}, { pullSecrets: () => Promise.resolve(texts(secretFor(registry.host, 'u'))) }));
        assert.equal(failure.reason, 'Unauthorized');
        assert.equal(failure.suggestions.at(-1), suggestion);
        assert.equal(registry.requests.length, 1);
      });
    }

    it('that do not help leave the first answer, and say so', async () => {
      registry.fault = onlyFor('u');
      const failure = failureIn(await lookUp(image(), {}, { pullSecrets: () => Promise.resolve([secretFor(registry.host, 'x')]) }));
      assert.equal(failure.reason, 'Unauthorized');
      assert.match(failure.suggestions.at(-1) ?? '', /^the pull secret that matches did not help: 127\.0\.0\.1:\d+ answered 401 Unauthorized/);
    });

    it('that are let in where the image is not there make it a 404', async () => {
      registry.fault = onlyFor('u');
      const failure = failureIn(await lookUp(`${registry.host}/a:v2`, {}, { pullSecrets: () => Promise.resolve([secretFor(registry.host, 'u')]) }));
      assert.equal(failure.reason, 'NotFound');
      assert.equal(failure.suggestions.at(-1), 'asked with the pull secret that matches');
    });

    it('that cannot be read leave the first answer, and say so', async () => {
      registry.fault = onlyFor('u');
      const failure = failureIn(await lookUp(image(), {}, { pullSecrets: () => Promise.reject(new Error('secrets is forbidden')) }));
      assert.equal(failure.suggestions.at(-1), 'its pull secrets could not be read: secrets is forbidden');
    });

    it('are read for the sizes, where the index is known from before, and only these are missing without', async () => {
      await withFolder(async (folder) => {
        registry.fault = onlyFor('u');
        const withSecret = { pullSecrets: () => Promise.resolve([secretFor(registry.host, 'u')]) };
        platformsIn(await lookUp(image(), { cacheFolder: folder }, withSecret));
        const sized = platformsIn(await lookUp(image(), { cacheFolder: folder }, { ...withSecret, sizes: true }));
        assert.equal(typeof sized.platforms[0]?.sizeBytes, 'number');
        await rm(folder, { recursive: true });
        platformsIn(await lookUp(image(), { cacheFolder: folder }, withSecret));
        const without = platformsIn(await lookUp(image(), { cacheFolder: folder }, { sizes: true }));
        assert.equal(without.platforms[0]?.sizeBytes, null);
        assert.match(without.notes?.[0] ?? '', /^the sizes are not known: .* answered 401/);
      });
    });

    it('of another pod are tried after those of the first failed, and its success is for all', async () => {
      registry.fault = onlyFor('right');
      await withOpen({}, async (opened) => {
        const withSecret = (user: string) => ({ pullSecrets: () => Promise.resolve([secretFor(registry.host, user)]) });
        failureIn(await opened.lookUp(image(), withSecret('wrong')));
        failureIn(await opened.lookUp(image(), withSecret('wrong')));
        assert.equal(registry.requests.length, 2);
        platformsIn(await opened.lookUp(image(), withSecret('right')));
        platformsIn(await opened.lookUp(image(), withSecret('wrong')));
        platformsIn(await opened.lookUp(image()));
        assert.equal(registry.requests.length, 3);
      });
    });
  });

  describe('a credential helper that fails', function () {
    if (process.platform === 'win32') return;

    it('hides nothing that needs no credentials, and is named where they are needed', async () => {
      await withFolder(async (folder) => {
        await writeHelper(folder, 'broken', 'echo hunter22; exit 1');
        await writeFile(join(folder, 'config.json'), JSON.stringify({ credHelpers: { [registry.host]: 'broken' } }));
        const options = { env: { DOCKER_CONFIG: folder, PATH: `${folder}:/usr/bin:/bin` } };
        platformsIn(await lookUp(image(), options));
        registry.fault = onlyFor('u');
        const failure = failureIn(await lookUp(image(), options));
        assert.equal(failure.reason, 'BadConfiguration');
        assert.match(failure.message, /answered 401 Unauthorized \(unauthorized: who\?\), and the credential helper docker-credential-broken, which .*config\.json names, failed with exit code 1$/);
        assert.doesNotMatch(JSON.stringify(failure), /hunter22/);
        platformsIn(await lookUp(image(), options, { pullSecrets: () => Promise.resolve([secretFor(registry.host, 'u')]) }));
        const other = await LoopbackRegistry.start();
        other.fault = onlyFor('u');
        assert.equal(failureIn(await lookUp(`${other.host}/a:v1`, options)).reason, 'Unauthorized');
        await other.close();
      });
    });
  });

  it('waits for a credential helper that hangs no longer than leaves time to ask without it', async function () {
    if (process.platform === 'win32') this.skip();
    await withFolder(async (folder) => {
      await writeHelper(folder, 'hangs', 'sleep 5');
      await writeFile(join(folder, 'config.json'), JSON.stringify({ credsStore: 'hangs' }));
      registry.fault = onlyFor('u');
      const failure = failureIn(await lookUp(image(), { env: { DOCKER_CONFIG: folder, PATH: `${folder}:/usr/bin:/bin` }, timeoutSeconds: 1.5 }));
      assert.equal(failure.reason, 'BadConfiguration');
      assert.match(failure.message, /docker-credential-hangs, which .* names, did not answer within 1 s$/);
    });
  });

  it('says which file of credentials could not be read where some were wanted', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'config.json'), 'hunter22');
      registry.fault = onlyFor('u');
      const failure = failureIn(await lookUp(image(), { env: { DOCKER_CONFIG: folder } }));
      assert.equal(failure.reason, 'Unauthorized');
      assert.equal(failure.suggestions.at(-1), `the credentials in ${join(folder, 'config.json')} were not read: it is no JSON`);
    });
  });

  describe('mirrors', () => {
    let mirror: LoopbackRegistry;
    beforeEach(async () => {
      mirror = await LoopbackRegistry.start();
    });
    afterEach(() => mirror.close());

    const settings = (...mirrors: readonly string[]) => ({ registries: { [registry.host]: { mirrors } } });

    it('are asked first, below their path and with the name of the registry', async () => {
      mirror.index('proxy/a', [WINDOWS], 'v1');
      platformsIn(await lookUp(image(), settings(`${mirror.host}/proxy`)));
      assert.deepEqual(mirror.paths, [`GET /v2/proxy/a/manifests/v1?ns=${encodeURIComponent(registry.host)}`]);
      assert.equal(registry.requests.length, 0);
    });

    const faults: readonly (readonly [what: string, fault: Fault | null])[] = [
      ['do not have it', () => false],
      ['refuse', (_request, response) => sendError(response, 403, 'DENIED', 'no')],
      ['fail', (_request, response) => sendError(response, 500, 'X', 'no')],
      ['want credentials', onlyFor('u')],
      ['say nothing', () => true],
      ['send something else', (_request, response) => sendError(response, 200, 'X', 'no')],
    ];
    for (const [what, fault] of faults) {
      it(`that ${what} are followed by the registry`, async () => {
        mirror.fault = fault ?? mirror.fault;
        platformsIn(await lookUp(image(), { ...settings(mirror.host), ...(what === 'say nothing' ? { timeoutSeconds: 1 } : { clock: fakeClock() }) }));
        assert.equal(registry.requests.length, 1);
      });
    }

    describe('that hold a part of an image', () => {
      beforeEach(() => {
        const index = registry.stored('a', 'v1');
        mirror.manifest('a', index?.body ?? '', index?.type ?? '', 'v1');
      });

      it('are followed by the registry, as by containerd', async () => {
        const platforms = platformsIn(await lookUp(image(), settings(mirror.host), { sizes: true }));
        assert.deepEqual(platforms.platforms.map(({ sizeBytes }) => sizeBytes === null), [false]);
        assert.equal(platforms.notes, undefined);
      });

      it('are believed as far as they go where the registry fails', async () => {
        registry.fault = (_request, response) => sendError(response, 403, 'DENIED', 'no');
        const { platforms: [platform], notes } = platformsIn(await lookUp(image(), settings(mirror.host), { sizes: true }));
        assert.equal(platform?.sizeBytes, null);
        assert.deepEqual(notes, [`${mirror.host} does not have the image for 10.0.20348.5386 (${platform.digest}) that the index names: a pull of it fails`]);
      });

      it('and do not have a configuration are followed as well', async () => {
        const single = registry.image('b', WINDOWS, 'v1');
        mirror.manifest('b', single.body, single.type, 'v1');
        assert.equal(platformsIn(await lookUp(`${registry.host}/b:v1`, settings(mirror.host))).digest, single.digest);
      });
    });

    it('that are not there are asked once, and named where the registry fails as well', async () => {
      await mirror.close();
      await withOpen(settings(mirror.host), async (opened) => {
        platformsIn(await opened.lookUp(image()));
        const failure = failureIn(await opened.lookUp(`${registry.host}/a:v2`));
        assert.equal(failure.reason, 'NotFound');
        assert.equal(failure.message, `${registry.host} answered 404 Not Found (manifest unknown)`);
        assert.equal(failure.suggestions.at(-1), `the mirror was asked before: ${mirror.host} for ${registry.host} was not asked again: before, it refused the connection`);
      });
      mirror = await LoopbackRegistry.start();
    });

    it('get the credentials for their own name, and never those of the registry', async () => {
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { [registry.host]: { username: 'registry', password: 'p' }, [mirror.host]: { username: 'mirror', password: 'p' } } }));
        const seen: (string | undefined)[] = [];
        mirror.fault = (request, response) => {
          seen.push(request.headers.authorization);
          return onlyFor('nobody')(request, response);
        };
        registry.fault = onlyFor('registry');
        platformsIn(await lookUp(image(), { ...settings(mirror.host), env: { DOCKER_CONFIG: folder } }, { pullSecrets: () => Promise.resolve([secretFor(registry.host, 'secret')]) }));
        assert.deepEqual(new Set(seen), new Set([undefined, basic('mirror:p')]));
      });
    });
  });

  describe('a registry that makes everybody wait', () => {
    it('for each answer is given up after some minutes in all, and what is known stays known', async () => {
      await withFolder(async (cacheFolder) => {
        const clock = fakeClock();
        platformsIn(await lookUp(image(), { clock, cacheFolder }));
        registry.fault = () => {
          clock.pass(14_000);
          return false;
        };
        await withOpen({ clock, cacheFolder }, async (opened) => {
          for (let index = 0; index < 13; index += 1) failureIn(await opened.lookUp(`${registry.host}/a:t${index}`));
          const { length } = registry.requests;
          const failure = failureIn(await opened.lookUp(`${registry.host}/a:t13`));
          assert.match(failure.message, /^127\.0\.0\.1:\d+ was not asked any more: 13 slow lookups took 182 s already, the last of which ended so: .* answered 404/);
          assert.equal(failure.reason, 'Timeout');
          assert.equal(registry.requests.length, length);
        });
        registry.fault = () => false;
        platformsIn(await lookUp(image(), { clock, cacheFolder }));
      });
    });

    it('with 429 for ever is given up as well', async () => {
      const clock = fakeClock();
      registry.fault = (_request, response) => sendError(response, 429, 'X', 'busy', { 'Retry-After': '3' });
      await withOpen({ clock }, async (opened) => {
        const startedAt = clock.now();
        const messages: string[] = [];
        for (let index = 0; index < 300; index += 1) messages.push(failureIn(await opened.lookUp(`${registry.host}/a:t${index}`)).message);
        assert.ok(clock.now() - startedAt < 5 * 60_000, `${clock.now() - startedAt} ms`);
        assert.match(messages.at(-1) ?? '', /was not asked any more: .*429 Too Many Requests/);
      });
    });
  });

  it('a pipe in the place of credentials keeps nothing waiting for longer than the lookup may take, nor at the end', async function () {
    if (process.platform === 'win32') this.skip();
    await withFolder(async (folder) => {
      await promisify(execFile)('mkfifo', [join(folder, 'config.json')]);
      registry.fault = onlyFor('u');
      const options = { env: { DOCKER_CONFIG: folder }, timeoutSeconds: 3 };
      const failure = failureIn(await lookUp(image(), options));
      assert.equal(failure.reason, 'Unauthorized');
      assert.equal(failure.suggestions.at(-1), `the credentials in ${join(folder, 'config.json')} were not read: nobody wrote them into the pipe within 2 s`);
      platformsIn(await lookUp(image(), options, { pullSecrets: () => Promise.resolve([secretFor(registry.host, 'u')]) }));
      const opened = await open({ ...options, timeoutSeconds: 600 });
      const { length } = registry.requests;
      const waiting = opened.lookUp(image());
      while (registry.requests.length === length) await new Promise(setImmediate);
      await opened.close();
      assert.equal(failureIn(await waiting).reason, 'Unreachable');
    });
  });

  it('ends twenty thousand at once', async () => {
    registry.fault = () => true;
    const controller = new AbortController();
    const opened = await open({ signal: controller.signal });
    const waiting = Array.from({ length: 20_000 }, (_, index) => opened.lookUp(`${registry.host}/a:t${index}`).then(() => 'answered', () => 'ended'));
    while (registry.requests.length < 10) await new Promise(setImmediate);
    controller.abort(new Error('Ctrl-C'));
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['ended']));
    await opened.close();
  }).timeout(60_000);

  describe('an end', () => {
    it('by a caller is thrown to that caller alone', async () => {
      const gate = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      registry.fault = async () => {
        arrived.resolve();
        await gate.promise;
        return false;
      };
      await withOpen({}, async (opened) => {
        const controller = new AbortController();
        const reason = new Error('not wanted any more');
        const first = opened.lookUp(image(), { signal: controller.signal });
        const second = opened.lookUp(image());
        await arrived.promise;
        controller.abort(reason);
        await assert.rejects(first, (error) => error === reason);
        gate.resolve();
        platformsIn(await second);
        await assert.rejects(opened.lookUp(image(), { signal: controller.signal }), (error) => error === reason);
      });
    });

    it('by the last caller ends the request, and the next one begins anew', async () => {
      const closed = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      registry.fault = (_request, response) => {
        response.on('close', closed.resolve);
        arrived.resolve();
        return true;
      };
      await withOpen({}, async (opened) => {
        const controller = new AbortController();
        const asking = opened.lookUp(image(), { signal: controller.signal });
        await arrived.promise;
        controller.abort(new Error('interrupted'));
        await assert.rejects(asking, /interrupted/);
        await closed.promise;
        registry.fault = () => false;
        platformsIn(await opened.lookUp(image()));
      });
    });

    it('of the whole run ends all lookups with its reason, also waits', async () => {
      const controller = new AbortController();
      registry.fault = (_request, response) => {
        setImmediate(() => controller.abort(new Error('Ctrl-C')));
        return sendError(response, 503, 'X', 'x', { 'Retry-After': '5' });
      };
      await withOpen({ signal: controller.signal }, async (opened) => {
        await assert.rejects(opened.lookUp(image()), /Ctrl-C/);
        await assert.rejects(opened.lookUp(image()), /Ctrl-C/);
      });
    });

    it('by close is an answer', async () => {
      const arrived = Promise.withResolvers<void>();
      registry.fault = () => {
        arrived.resolve();
        return true;
      };
      const opened = await open();
      const asking = opened.lookUp(image());
      await arrived.promise;
      await opened.close();
      assert.equal(failureIn(await asking).message, `${registry.host} was not asked to the end: the program is closing its connections`);
    });
  });

  it('believes a tag of some minutes ago, unless it is told to ask anew', async () => {
    await withFolder(async (folder) => {
      platformsIn(await lookUp(image(), { cacheFolder: folder }));
      registry.index('a', [{ ...WINDOWS, 'os.version': '10.0.26100.1' }], 'v1');
      assert.equal(platformsIn(await lookUp(image(), { cacheFolder: folder })).platforms[0]?.osVersion, '10.0.20348.5386');
      assert.equal(platformsIn(await lookUp(image(), { cacheFolder: folder, refresh: true })).platforms[0]?.osVersion, '10.0.26100.1');
    });
  });

  it('asks one registry for a few images at a time', async () => {
    let running = 0;
    let most = 0;
    registry.fault = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      running -= 1;
      return false;
    };
    for (let index = 0; index < 30; index += 1) registry.index(`r${index}`, [WINDOWS], 'v1');
    await withOpen({}, async (opened) => {
      for (const answer of await Promise.all(Array.from({ length: 30 }, (_, index) => opened.lookUp(`${registry.host}/r${index}:v1`)))) platformsIn(answer);
    });
    assert.ok(most > 1 && most <= 10, `${most} at a time`);
  });
});
