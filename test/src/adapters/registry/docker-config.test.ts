import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processEnvironment } from '../../../../src/adapters/kube/config/environment.ts';
import { configFiles, DockerConfig, type FoundCredentials } from '../../../../src/adapters/registry/docker-config.ts';
import { writeHelper } from './helper-script.ts';
import { withFolder } from './loopback-registry.ts';

const never = new AbortController().signal;
const auth = (text: string): string => Buffer.from(text).toString('base64');

async function configIn(folder: string, document: unknown): Promise<DockerConfig> {
  await writeFile(join(folder, 'config.json'), typeof document === 'string' ? document : JSON.stringify(document));
  return new DockerConfig(processEnvironment({ variables: { DOCKER_CONFIG: folder, PATH: `${folder}:/usr/bin:/bin`, MARK: join(folder, 'mark') }, homeFolder: '' }), never, 2_000);
}

function userOf({ credentials }: FoundCredentials): string | null {
  return credentials === null ? null : credentials.kind === 'password' ? `${credentials.username}:${credentials.password}` : `${credentials.kind} ${credentials.token}`;
}

describe('DockerConfig', () => {
  describe('auths', () => {
    const cases: readonly (readonly [auths: unknown, host: string, repository: string, user: string | null])[] = [
      [{ 'r.example': { auth: auth('u:p') } }, 'r.example', 'a', 'u:p'],
      [{ 'r.example': { auth: auth('u:p:q\0\0') } }, 'r.example', 'a', 'u:p:q'],
      [{ 'r.example': { username: 'u', password: 'p' } }, 'r.example', 'a', 'u:p'],
      [{ 'r.example': { auth: auth('u:'), identitytoken: 't' } }, 'r.example', 'a', 'identity-token t'],
      [{ 'r.example': { registrytoken: 't' } }, 'r.example', 'a', 'registry-token t'],
      [{ 'r.example': { auth: auth('<token>:t') } }, 'r.example', 'a', 'identity-token t'],
      [{ 'r.example': { auth: '!!!' } }, 'r.example', 'a', null],
      [{ 'r.example': {} }, 'r.example', 'a', null],
      [{ 'https://r.example/v1/': { auth: auth('u:p') } }, 'r.example', 'a', 'u:p'],
      [{ 'http://r.example': { auth: auth('u:p') } }, 'r.example', 'a', 'u:p'],
      [{ 'r.example/v2/': { auth: auth('u:p') } }, 'r.example', 'a', 'u:p'],
      [{ 'r.example': { auth: auth('u:p') } }, 'r.example:5000', 'a', null],
      [{ 'other.example': { auth: auth('u:p') } }, 'r.example', 'a', null],
      [{ 'r.example': { auth: auth('host:p') }, 'r.example/team': { auth: auth('team:p') }, 'r.example/team/app': { auth: auth('app:p') } }, 'r.example', 'team/app', 'app:p'],
      [{ 'r.example': { auth: auth('host:p') }, 'r.example/team': { auth: auth('team:p') } }, 'r.example', 'team/other', 'team:p'],
      [{ 'r.example/team': { auth: auth('team:p') } }, 'r.example', 'teamwork/a', null],
      [{ 'https://index.docker.io/v1/': { auth: auth('hub:p') } }, 'docker.io', 'library/nginx', 'hub:p'],
      [{ 'docker.io': { auth: auth('hub:p') } }, 'docker.io', 'library/nginx', 'hub:p'],
      [{ 'registry-1.docker.io': { auth: auth('hub:p') } }, 'docker.io', 'library/nginx', 'hub:p'],
      [{ 'https://index.docker.io/v1/': { auth: auth('hub:p') } }, 'quay.io', 'a', null],
      [{ constructor: { auth: auth('u:p') } }, 'constructor', 'a', 'u:p'],
      ['none', 'r.example', 'a', null],
    ];
    for (const [auths, host, repository, user] of cases) {
      it(`has ${user} for ${host}/${repository} in ${JSON.stringify(Object.keys(Object(auths)))}`, async () => {
        await withFolder(async (folder) => assert.equal(userOf(await (await configIn(folder, { auths })).find(host, repository, never)), user));
      });
    }
  });

  describe('credential helpers', function () {
    if (process.platform === 'win32') return;
    const HELPER = `server="$(cat)"; echo "$server" >> "$MARK"; printf '{"Username":"%s","Secret":"p"}' "$server"`;

    it('are asked once for a server, which for Docker Hub has a name of its own', async () => {
      await withFolder(async (folder) => {
        await writeHelper(folder, 'x', HELPER);
        const config = await configIn(folder, { credsStore: 'x' });
        const [one, two] = await Promise.all([config.find('r.example:5000', 'a', never), config.find('r.example:5000', 'b', never)]);
        assert.deepEqual([userOf(one), userOf(two)], ['r.example:5000:p', 'r.example:5000:p']);
        assert.equal(userOf(await config.find('docker.io', 'library/nginx', never)), 'https://index.docker.io/v1/:p');
        assert.equal(await readFile(join(folder, 'mark'), 'utf8'), 'r.example:5000\nhttps://index.docker.io/v1/\n');
      });
    });

    it('for a host come before that for all, and auths after either', async () => {
      await withFolder(async (folder) => {
        await writeHelper(folder, 'one', `printf '{"Username":"one","Secret":"p"}'`);
        await writeHelper(folder, 'all', 'echo credentials not found in native keychain; exit 1');
        const config = await configIn(folder, { credHelpers: { 'r.example': 'one' }, credsStore: 'all', auths: { 'q.example': { auth: auth('kept:p') } } });
        assert.equal(userOf(await config.find('r.example', 'a', never)), 'one:p');
        assert.equal(userOf(await config.find('q.example', 'a', never)), 'kept:p');
        assert.equal(userOf(await config.find('z.example', 'a', never)), null);
      });
    });

    for (const [what, store, problem] of [
      ['is missing', 'missing', /^the credential helper docker-credential-missing, which .*config\.json names, is not in PATH$/],
      ['crashes', 'crash', /docker-credential-crash, .* failed with exit code 2$/],
      ['has no name of a program', '../x', /^"\.\.\/x" in .* is no name of a credential helper$/],
    ] as const) {
      it(`that ${what} is a problem, and its output no part of it`, async () => {
        await withFolder(async (folder) => {
          await writeHelper(folder, 'crash', 'echo hunter2; exit 2');
          const { credentials, problem: found } = await (await configIn(folder, { credsStore: store })).find('r.example', 'a', never);
          assert.equal(credentials, null);
          assert.match(found ?? '', problem);
          assert.doesNotMatch(found ?? '', /hunter2/);
        });
      });
    }
  });

  for (const text of ['', 'no JSON hunter2', '[', '\u0000']) {
    it(`says that ${JSON.stringify(text)} was not read, without its text`, async () => {
      await withFolder(async (folder) => {
        const config = await configIn(folder, text);
        assert.deepEqual(await config.find('r.example', 'a', never), { credentials: null, problem: null });
        assert.deepEqual(config.notes, [`the credentials in ${join(folder, 'config.json')} were not read: it is no JSON`]);
      });
    });
  }

  it('says of an auth that is no pair that it was not used, to whom it would have been for', async () => {
    await withFolder(async (folder) => {
      const config = await configIn(folder, { auths: { 'r.example': { auth: auth('hunter22') }, 'q.example': { auth: auth('hunter23') } } });
      for (let times = 0; times < 2; times += 1) assert.deepEqual(await config.find('r.example', 'a', never), { credentials: null, problem: null });
      assert.deepEqual(config.notes, [`the credentials for r.example in ${join(folder, 'config.json')} were not used: their auth is no base64 of USER:PASSWORD`]);
    });
  });

  it('reads ten thousand entries once', async () => {
    await withFolder(async (folder) => {
      const config = await configIn(folder, { auths: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`https://r${index}.example/v1/`, { auth: auth(`u${index}:p`) }])) });
      for (let index = 0; index < 2000; index += 1) assert.equal(userOf(await config.find(`r${index}.example`, 'a', never)), `u${index}:p`);
    });
  });

  describe('files that are none', function () {
    // Bun reads no pipe by its descriptor; the program runs on Node, and the suites run on both for what differs in HTTP.
    if (process.platform === 'win32' || process.versions['bun'] !== undefined) return;

    const config = (folder: string, timeoutMs: number, signal: AbortSignal = never): DockerConfig =>
      new DockerConfig(processEnvironment({ variables: { DOCKER_CONFIG: folder, REGISTRY_AUTH_FILE: join(folder, 'auth.json') }, homeFolder: '' }), signal, timeoutMs);
    const pipeIn = async (folder: string): Promise<string> => {
      const path = join(folder, 'config.json');
      await promisify(execFile)('mkfifo', [path]);
      return path;
    };

    it('a pipe that nobody writes to is given up in time, and the next file is read', async () => {
      await withFolder(async (folder) => {
        const path = await pipeIn(folder);
        await writeFile(join(folder, 'auth.json'), JSON.stringify({ auths: { 'r.example': { auth: auth('u:p') } } }));
        const docker = config(folder, 100);
        assert.equal(userOf(await docker.find('r.example', 'a', never)), 'u:p');
        assert.deepEqual(docker.notes, [`the credentials in ${path} were not read: nobody wrote them into the pipe within 0.1 s`]);
        await docker.find('q.example', 'a', never);
        assert.equal(docker.notes.length, 1, 'waited for once');
      });
    });

    it('a pipe that is written to is read', async () => {
      await withFolder(async (folder) => {
        const path = await pipeIn(folder);
        const finding = config(folder, 10_000).find('r.example', 'a', never);
        await writeFile(path, JSON.stringify({ auths: { 'r.example': { auth: auth('u:p') } } }));
        assert.equal(userOf(await finding), 'u:p');
      });
    });

    it('a pipe keeps no caller longer than its signal, nor the run, nor the end', async () => {
      await withFolder(async (folder) => {
        await pipeIn(folder);
        const run = new AbortController();
        const docker = config(folder, 600_000, run.signal);
        const caller = new AbortController();
        const first = docker.find('r.example', 'a', caller.signal);
        const second = docker.find('r.example', 'a', never);
        caller.abort(new Error('the caller'));
        await assert.rejects(first, /the caller/);
        run.abort(new Error('Ctrl-C'));
        await assert.rejects(second, /Ctrl-C/);
        const closed = config(folder, 600_000);
        const third = closed.find('r.example', 'a', never);
        closed.close();
        await assert.rejects(third, /were closed/);
      });
    });

    it('a device is not read', async () => {
      await withFolder(async (folder) => {
        await symlink('/dev/zero', join(folder, 'config.json'));
        const docker = config(folder, 1000);
        assert.deepEqual(await docker.find('r.example', 'a', never), { credentials: null, problem: null });
        assert.deepEqual(docker.notes, [`the credentials in ${join(folder, 'config.json')} were not read: it is a device`]);
      });
    });

    it('one that is too large is said to be that', async () => {
      await withFolder(async (folder) => {
        await writeFile(join(folder, 'config.json'), '');
        await truncate(join(folder, 'config.json'), 65 * 2 ** 20);
        const docker = config(folder, 1000);
        await docker.find('r.example', 'a', never);
        assert.deepEqual(docker.notes, [`the credentials in ${join(folder, 'config.json')} were not read: it has more than 64 MiB`]);
      });
    });
  });

  it('takes the first file that has some: named ones, then the usual places', async () => {
    await withFolder(async (folder) => {
      await mkdir(join(folder, 'containers'));
      await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { 'a.example': { auth: auth('docker:p') } } }));
      await writeFile(join(folder, 'containers', 'auth.json'), `\uFEFF${JSON.stringify({ auths: { 'a.example': { auth: auth('podman:p') }, 'b.example': { auth: auth('podman:p') } } })}`);
      const config = new DockerConfig(processEnvironment({ variables: { DOCKER_CONFIG: folder, XDG_RUNTIME_DIR: folder }, homeFolder: '' }), never, 2_000);
      assert.equal(userOf(await config.find('a.example', 'x', never)), 'docker:p');
      assert.equal(userOf(await config.find('b.example', 'x', never)), 'podman:p');
      assert.deepEqual(config.notes, []);
    });
  });
});

describe('configFiles', () => {
  const cases: readonly (readonly [variables: Readonly<Record<string, string>>, home: string, files: readonly string[]])[] = [
    [{}, '/home/u', ['/home/u/.docker/config.json', '/home/u/.config/containers/auth.json']],
    [{ XDG_RUNTIME_DIR: '/run/u' }, '/home/u', ['/home/u/.docker/config.json', '/run/u/containers/auth.json', '/home/u/.config/containers/auth.json']],
    [{ DOCKER_CONFIG: '/d' }, '/home/u', ['/d/config.json', '/home/u/.config/containers/auth.json']],
    [{ REGISTRY_AUTH_FILE: '/a.json', XDG_RUNTIME_DIR: '/run/u' }, '/home/u', ['/a.json', '/home/u/.docker/config.json']],
    [{ DOCKER_CONFIG: '/d', REGISTRY_AUTH_FILE: '/a.json' }, '', ['/d/config.json', '/a.json']],
    [{ DOCKER_CONFIG: '', REGISTRY_AUTH_FILE: '' }, '', []],
  ];
  for (const [variables, homeFolder, files] of cases) {
    it(`for ${JSON.stringify(variables)} in ${JSON.stringify(homeFolder)}`, () => assert.deepEqual(configFiles(processEnvironment({ variables, homeFolder })).map((file) => file.replaceAll('\\', '/')), files));
  }
});
