import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RegistryCache, type RepositoryCache } from '../../../../src/adapters/registry/cache.ts';
import { sha256Digest } from '../../../../src/adapters/registry/digest.ts';
import { fakeClock, withFolder } from './loopback-registry.ts';

const BODY = Buffer.from('{"manifests":[]}');
const DIGEST = sha256Digest(BODY);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)).sort();
}

describe('RegistryCache', () => {
  const clock = fakeClock();
  const open = (folder: string | null): RepositoryCache => new RegistryCache(folder, () => clock.now()).repository('r.example/a', 'r.example');

  it('gives back what was put in, also to the next process, and to no other repository', async () => {
    await withFolder(async (folder) => {
      await open(folder).putContent(DIGEST, BODY);
      assert.deepEqual(await open(folder).content(DIGEST), BODY);
      assert.equal(await new RegistryCache(folder, () => clock.now()).repository('r.example/b', 'r.example').content(DIGEST), null);
    });
  });

  it('believes a tag for five minutes, and remembers it after that', async () => {
    await withFolder(async (folder) => {
      const cache = open(folder);
      assert.equal(await cache.tag('v1'), null);
      await cache.putTag('v1', DIGEST);
      clock.pass(5 * MINUTE_MS - 1);
      assert.deepEqual(await cache.tag('v1'), { digest: DIGEST, isFresh: true });
      clock.pass(1);
      assert.deepEqual(await cache.tag('v1'), { digest: DIGEST, isFresh: false });
      assert.equal(await cache.tag('V1'), null);
      clock.pass(-DAY_MS);
      assert.deepEqual(await cache.tag('v1'), { digest: DIGEST, isFresh: false }, 'from the future');
    });
  });

  it('is for its owner alone', async function () {
    if (process.platform === 'win32') this.skip();
    await withFolder(async (folder) => {
      const cache = open(join(folder, 'new', 'cache'));
      await cache.putContent(DIGEST, BODY);
      await cache.putTag('v1', DIGEST);
      for (const path of await filesBelow(folder)) assert.equal((await stat(path)).mode & 0o777, 0o600, path);
      assert.equal((await stat(join(folder, 'new'))).mode & 0o777, 0o700);
    });
  });

  it('believes nobody what another one said of a tag, and shares the content', async () => {
    await withFolder(async (folder) => {
      const of = (source: string): RepositoryCache => new RegistryCache(folder, () => clock.now()).repository('r.example/a', source);
      await of('mirror').putTag('v1', DIGEST);
      await of('mirror').putContent(DIGEST, BODY);
      assert.equal(await of('r.example').tag('v1'), null);
      assert.deepEqual(await of('r.example').content(DIGEST), BODY);
      assert.equal((await of('mirror').tag('v1'))?.digest, DIGEST);
    });
  });

  describe('follows no link', function () {
    if (process.platform === 'win32') return;

    it('in the place of its mark, whose target stays as it is', async () => {
      await withFolder(async (folder) => {
        const victim = join(folder, 'victim');
        await writeFile(victim, 'precious');
        await mkdir(join(folder, 'cache', 'v1'), { recursive: true });
        await symlink(victim, join(folder, 'cache', 'v1', 'swept'));
        const old = new Date(clock.now() - 2 * DAY_MS);
        await utimes(victim, old, old);
        clock.pass(2 * DAY_MS);
        await open(join(folder, 'cache')).putContent(DIGEST, BODY);
        assert.equal(await readFile(victim, 'utf8'), 'precious');
        assert.equal((await stat(victim)).mtimeMs, old.getTime());
      });
    });

    for (const [what, place] of [['a repository', (file: string) => join(file, '..')], ['all repositories', (file: string) => join(file, '..', '..')], ['a file', (file: string) => file]] as const) {
      it(`in the place of ${what}: nothing is read or written there`, async () => {
        await withFolder(async (folder) => {
          await open(join(folder, 'cache')).putTag('v1', DIGEST);
          const tag = (await filesBelow(folder)).find((file) => file.includes('tag-')) ?? '';
          const elsewhere = join(folder, 'elsewhere');
          await rename(place(tag), elsewhere);
          await symlink(elsewhere, place(tag));
          const before = await filesBelow(folder);
          assert.equal(await open(join(folder, 'cache')).tag('v1'), null);
          if (what === 'a file') return;
          await open(join(folder, 'cache')).putContent(DIGEST, BODY);
          assert.equal(await open(join(folder, 'cache')).content(DIGEST), null);
          assert.deepEqual(await filesBelow(folder), before);
        });
      });
    }

    it('that leads to all of it: where the cache is, is for its owner to say', async () => {
      await withFolder(async (folder) => {
        await mkdir(join(folder, 'real'));
        await symlink(join(folder, 'real'), join(folder, 'cache'));
        await open(join(folder, 'cache')).putContent(DIGEST, BODY);
        assert.deepEqual(await open(join(folder, 'cache')).content(DIGEST), BODY);
        await rm(join(folder, 'cache'));
      });
    });
  });

  it('takes nothing of what belongs to somebody else', async function () {
    if (process.getuid?.() !== 0) this.skip();
    await withFolder(async (folder) => {
      await open(folder).putTag('v1', DIGEST);
      const tag = (await filesBelow(folder)).find((file) => file.includes('tag-')) ?? '';
      for (const path of [tag, join(tag, '..'), join(tag, '..', '..')]) {
        await chown(path, 12_345, 12_345);
        assert.equal(await open(folder).tag('v1'), null);
        await chown(path, 0, 0);
        assert.equal((await open(folder).tag('v1'))?.digest, DIGEST);
      }
    });
  });

  it('gives no content that was changed, and removes it', async () => {
    await withFolder(async (folder) => {
      const cache = open(folder);
      await cache.putContent(DIGEST, BODY);
      const path = (await filesBelow(folder)).find((file) => file.includes('sha256-')) ?? '';
      await writeFile(path, 'changed');
      assert.equal(await cache.content(DIGEST), null);
      assert.ok(!(await filesBelow(folder)).includes(path));
    });
  });

  for (const text of ['', '{', '[]', '{"digest":"x"}', '{"repository":"r.example/a","source":"r.example","tag":"v1","digest":"../../etc/passwd","at":1}', '{"repository":"r.example/a","source":"r.example","tag":"v1","digest":"sha256:00","at":1}', `{"repository":"other","source":"r.example","tag":"v1","digest":"${DIGEST}","at":1}`]) {
    it(`takes ${JSON.stringify(text)} for no tag`, async () => {
      await withFolder(async (folder) => {
        const cache = open(folder);
        await cache.putTag('v1', DIGEST);
        const path = (await filesBelow(folder)).find((file) => file.includes('tag-')) ?? '';
        await writeFile(path, text);
        assert.equal(await cache.tag('v1'), null);
      });
    });
  }

  it('is none where it cannot be: no folder, a file in its place, a folder in the place of a file', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'file'), '');
      for (const place of [null, join(folder, 'file'), '/proc/nothing']) {
        const cache = open(place);
        await cache.putContent(DIGEST, BODY);
        await cache.putTag('v1', DIGEST);
        assert.equal(await cache.content(DIGEST), null);
        assert.equal(await cache.tag('v1'), null);
      }
      const cache = open(folder);
      await cache.putContent(DIGEST, BODY);
      const path = (await filesBelow(folder)).find((file) => file.includes('sha256-')) ?? '';
      await mkdir(`${path}-x`);
      assert.deepEqual(await cache.content(DIGEST), BODY);
    });
  });

  it('is none where it may not be written', async function () {
    if (process.platform === 'win32' || process.getuid?.() === 0) this.skip();
    await withFolder(async (folder) => {
      await chmod(folder, 0o500);
      const cache = open(folder);
      await cache.putContent(DIGEST, BODY);
      assert.equal(await cache.content(DIGEST), null);
      await chmod(folder, 0o700);
    });
  });

  it('leaves nothing half written, whoever writes at the same time', async () => {
    await withFolder(async (folder) => {
      await Promise.all(Array.from({ length: 20 }, () => open(folder).putContent(DIGEST, BODY)));
      assert.deepEqual(await open(folder).content(DIGEST), BODY);
      assert.deepEqual((await filesBelow(folder)).filter((file) => file.endsWith('.tmp')), []);
    });
  });

  it('forgets what is old, and the oldest of too much, once a day', async () => {
    await withFolder(async (folder) => {
      const bodies = ['old', 'oldest', 'young', 'new'].map((text) => Buffer.from(text.padEnd(100)));
      const cache = open(folder);
      for (const [index, body] of bodies.entries()) {
        await cache.putContent(sha256Digest(body), body);
        const path = (await filesBelow(folder)).find((file) => file.includes(sha256Digest(body).slice(7))) ?? '';
        const at = new Date(clock.now() - ([20, 40, 5, 0][index] ?? 0) * DAY_MS);
        await utimes(path, at, at);
      }
      const left = async (): Promise<readonly string[]> => (await Promise.all(bodies.map(async (body) => (await open(folder).content(sha256Digest(body))) === null ? [] : [body.toString().trim()]))).flat();
      const limits = { maxBytes: 400, maxAgeMs: 30 * DAY_MS };
      await new RegistryCache(folder, () => clock.now(), { limits }).repository('r.example/a', 'r.example').putTag('v1', DIGEST);
      assert.deepEqual((await filesBelow(folder)).filter((file) => file.includes('sha256-')).length, 4, 'swept already today');
      clock.pass(DAY_MS);
      await new RegistryCache(folder, () => clock.now(), { limits }).repository('r.example/a', 'r.example').putTag('v1', DIGEST);
      assert.deepEqual(await left(), ['young', 'new']);
    });
  });
});
