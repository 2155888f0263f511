/** The image documents of the shared cases in real registries: looked up, and judged as expectations/images.json and INDEX.md say. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry } from '../../src/adapters/registry/open-registry.ts';
import type { ImageRegistry, RegistryAnswer } from '../../src/app/ports.ts';
import { windowsBuildsOf } from '../../src/domain/image/combine-evidence.ts';
import { buildRunsImage, imageOnNode } from '../../src/domain/image/image-on-node.ts';
import type { ImageHost, ImageOnNode, Isolation } from '../../src/domain/image/image-on-node.ts';
import type { ImagePlatforms } from '../../src/domain/image/image-platforms.ts';
import { TAG_PLATFORMS } from '../../src/domain/image/tag-platforms.ts';
import { parseContainerdVersion } from '../../src/domain/windows/containerd.ts';
import type { PartName } from '../cluster/build.ts';
import { createAuthority } from '../cluster/certificates.ts';
import type { Distribution } from '../cluster/distribution.ts';
import { PUBLIC_PREFIX, startDistribution } from '../cluster/distribution.ts';
import { requestRegistry } from '../cluster/registry-client.ts';
import { startRegistry } from '../cluster/registry.ts';
import type { TestRegistry } from '../cluster/registry.ts';
import { partsOrSkip } from '../cluster/use-cluster.ts';
import { casesOrSkip, describeCases, readExpectations } from '../support/cases.ts';
import { imagesOfDocument, pushImage, pushManifest, readImageDocument, windowsImage } from '../support/image-documents.ts';
import type { DocumentImage } from '../support/image-documents.ts';

interface Case {
  readonly ref?: string;
  readonly host: string;
  readonly containerd: string;
  readonly isolation: 'process' | 'hostprocess';
  readonly pull: ImageOnNode['pull'];
  readonly entry: string | null;
  readonly start: ImageOnNode['start'];
  readonly note: string;
}

interface CaseFile {
  readonly file: string;
  readonly cases: readonly Case[];
}

/** Cases where images.json says less than a registry shows, or something else; why, with a source. */
const DIFFERENT: readonly { readonly file: string; readonly ref?: string; readonly host: string; readonly expected: Pick<Case, 'pull' | 'entry' | 'start'>; readonly because: string }[] = [];

/** Names of images whose document is nothing that a registry could hold. */
const NAMES_ONLY: Readonly<Record<string, string>> = {
  'hello-world-nanoserver-tarball-manifest.json': 'hello-world:nanoserver@sha256:63c287625c2b0b72900e562de73c0e381472a83b1b39217aef3856cd398eca0b',
};

/** A registry, and who asks it. */
interface Kind {
  readonly title: string;
  readonly part: PartName;
  readonly start: () => Promise<TestRegistry>;
  readonly authentication: 'none' | 'basic' | 'token';
  readonly prefix: string;
  /** How its token service is asked, all in all. */
  readonly grants: readonly string[];
  /** What `docker login` would have left for its host. */
  readonly login: (registry: TestRegistry) => Readonly<Record<string, string>> | null;
}

const withPassword = (registry: TestRegistry): Readonly<Record<string, string>> => {
  const { user, password } = asDistribution(registry);
  return { auth: Buffer.from(`${user}:${password}`).toString('base64') };
};

// Docker writes this user's name beside a refresh token.
const withRefreshToken = (registry: TestRegistry): Readonly<Record<string, string>> => ({ auth: Buffer.from('00000000-0000-0000-0000-000000000000:').toString('base64'), identitytoken: asDistribution(registry).refreshToken });

const KINDS: readonly Kind[] = [
  { title: 'in memory', part: 'registry', start: startRegistry, authentication: 'none', prefix: '', grants: [], login: () => null },
  { title: 'distribution, plain HTTP', part: 'distribution', start: () => startDistribution('none'), authentication: 'none', prefix: '', grants: [], login: () => null },
  { title: 'distribution, TLS and basic authentication', part: 'distribution', start: () => startDistribution('basic'), authentication: 'basic', prefix: '', grants: [], login: withPassword },
  { title: 'distribution, TLS and tokens for everybody', part: 'distribution', start: () => startDistribution('token'), authentication: 'token', prefix: PUBLIC_PREFIX, grants: ['GET anonymous 200'], login: () => null },
  { title: 'distribution, TLS and tokens for a password', part: 'distribution', start: () => startDistribution('token'), authentication: 'token', prefix: 'private/', grants: ['GET password 200'], login: withPassword },
  { title: 'distribution, TLS and tokens for a refresh token', part: 'distribution', start: () => startDistribution('token'), authentication: 'token', prefix: 'private/', grants: ['POST refresh_token 200'], login: withRefreshToken },
];

function asDistribution(registry: TestRegistry): Distribution {
  assert.ok('refreshToken' in registry);
  // The one kind of test registry that has it.
  return registry as Distribution;
}

function hostOf({ host, containerd }: Pick<Case, 'host' | 'containerd'>): ImageHost {
  const [build, revision] = host.split('.');
  return { build: Number(build), revision: revision === undefined ? null : Number(revision), containerd: parseContainerdVersion(containerd) };
}

/**
 * What is expected of one of the images that a document may mean. Of a record that does not say which it is, images.json
 * has "a list fails at pull, a single manifest at start": here each of them stands in the registry.
 */
function expectedOf(file: string, one: Case, image: DocumentImage | null, isEither: boolean): Pick<Case, 'pull' | 'entry' | 'start'> {
  const different = DIFFERENT.find((row) => row.file === file && row.ref === one.ref && row.host === one.host);
  if (different !== undefined) return different.expected;
  if (!isEither || one.pull !== 'unknown' || one.start !== 'mismatch') return one;
  return image?.shape === 'index' ? { pull: 'no-match', entry: null, start: 'unknown' } : { pull: 'ok', entry: null, start: 'mismatch' };
}

function assertAnswer(answer: ImageOnNode, expected: Pick<Case, 'pull' | 'entry' | 'start'>, title: string): void {
  assert.equal(answer.pull, expected.pull, title);
  assert.equal(answer.start, expected.start, title);
  // null with an image that is pulled: the document does not tell.
  if (expected.entry === null && expected.pull === 'ok') return;
  const parts = expected.entry === null || expected.entry === '' ? 4 : expected.entry.split('.').length;
  const found = answer.entry === null ? null : answer.entry.split('.').slice(0, parts).join('.');
  assert.equal(found, expected.entry, title);
}

const CURRENT_CONTAINERD = ['1.6.35', '1.7.28', '2.0.4', '2.1.6', '2.3.0', '2.3.5', '2.4.2'] as const;

function on(platforms: ImagePlatforms, build: number, options: { readonly containerd?: string; readonly revision?: number; readonly isolation?: Isolation } = {}): ImageOnNode {
  return imageOnNode(platforms, { build, revision: options.revision ?? null, containerd: parseContainerdVersion(options.containerd ?? '2.3.5') }, options.isolation ?? 'process');
}

function assertFails(platforms: ImagePlatforms, builds: readonly number[]): void {
  for (const build of builds) {
    assert.equal(buildRunsImage(platforms, build), false, `a build ${build}`);
    for (const containerd of CURRENT_CONTAINERD) assert.match(on(platforms, build, { containerd }).outcome, /^fails-at-/, `${build} with ${containerd}`);
  }
}

function assertRuns(platforms: ImagePlatforms, builds: readonly number[], isolation: Isolation = 'process'): void {
  for (const build of builds) for (const containerd of CURRENT_CONTAINERD) assert.match(on(platforms, build, { containerd, isolation }).outcome, /^runs/, `${build} with ${containerd}`);
}

function assertBuilds(platforms: ImagePlatforms, builds: readonly number[]): void {
  assert.deepEqual(windowsBuildsOf(platforms), builds);
  for (const { os, osVersion } of platforms.platforms) if (os === 'windows') assert.notEqual(osVersion, null, 'a build that is not known');
}

const ASPNET = 'mcr.microsoft.com/dotnet/aspnet';
const FRAMEWORK = 'mcr.microsoft.com/dotnet/framework';
const SAMPLES = 'mcr.microsoft.com/dotnet/samples';

/** What INDEX.md expects of platforms and verdicts, and what must not be flagged. */
const INDEX_LINES: readonly { readonly file: string; readonly ref?: string; readonly says: string; readonly check: (platforms: ImagePlatforms) => void }[] = [
  { file: 'hello-world-index-2025.json', says: 'builds 26100, 20348, 17763; runs on every supported host', check: (found) => { assertBuilds(found, [17763, 20348, 26100]); assertRuns(found, [17763, 20348, 25398, 26100]); } },
  { file: 'etcd-3.5.18-linux-only-index.json', says: 'no Windows variant; nothing wrong for a Linux pod', check: (found) => { assertBuilds(found, []); assertFails(found, [17763, 20348, 26100]); assert.equal(found.os, 'linux'); } },
  { file: 'python-2023-list.json', says: 'builds 20348, 17763; Linux arm variants are no candidates', check: (found) => { assertBuilds(found, [17763, 20348]); assert.equal(found.platforms.filter(({ os }) => os === 'linux').length, 7); assert.deepEqual(on(found, 17763).entries, ['10.0.17763.4851']); } },
  { file: 'golang-2019-list.json', says: 'builds 14393, 17134, 17763; mismatch on 20348; a missing size is no error', check: (found) => { assertBuilds(found, [14393, 17134, 17763]); assertFails(found, [20348, 25398, 26100]); } },
  { file: 'win-test-image-tags-1-index.json', says: 'build 20348; not "multi-arch" for its attestation', check: (found) => { assertBuilds(found, [20348]); assert.equal(found.platforms.length, 1); assert.equal(found.os, 'windows'); } },
  { file: 'nanoserver-ltsc2022-list.json', says: 'build 20348', check: (found) => { assertBuilds(found, [20348]); } },
  { file: 'golang-1.18-nanoserver-list.json', says: 'builds 20348, 17763: good on both LTSC hosts; no build-unknown', check: (found) => { assertBuilds(found, [17763, 20348]); assertRuns(found, [17763, 20348]); } },
  { file: 'test-crane-1909-manifest-foreign-urls.json', says: 'the build of the config; a single manifest fails at start; 1.0 is no version of Windows', check: (found) => { assertBuilds(found, [18363]); assert.equal(on(found, 20348).outcome, 'fails-at-start'); } },
  { file: 'rancher-kubelet-pause-manifest-partial.json', says: 'an image by digest: build from the config only', check: (found) => { assert.equal(found.shape, 'manifest'); assert.equal(found.digest, found.platforms[0]?.digest); assert.equal(on(found, 20348).outcome, 'unknown'); } },
  { file: 'acr-docs-multi-arch-list.json', says: 'build 17763 only; the arm64 Linux entry is not used', check: (found) => { assertBuilds(found, [17763]); assert.deepEqual(on(found, 17763).entries, ['10.0.17763.1697']); } },
  { file: 'servercore-2020-docker-inspect.json', says: '17763.1039, and not Linux', check: (found) => { assert.deepEqual(found.platforms.map(({ os, osVersion }) => `${os} ${osVersion}`), ['windows 10.0.17763.1039']); } },
  { file: 'whoami-1.9.4-platforms.json', says: 'builds 14393, 16299, 17134, 17763, 18362; older hosts need their own, 20348 and newer have none', check: (found) => { assertBuilds(found, [14393, 16299, 17134, 17763, 18362]); assertFails(found, [18363, 19041, 20348, 25398, 26100]); assertRuns(found, [17763, 18362]); } },
  { file: 'golang-2021-windowsservercore-partial.json', says: 'build 20348, whose revision 230 is no mismatch on 5499', check: (found) => { assertBuilds(found, [20348]); assert.equal(on(found, 20348, { revision: 5499 }).outcome, 'runs'); assert.equal(on(found, 20348, { revision: 5499 }).isNewerRevision, false); } },
  { file: 'ko-build-two-ltsc-platforms.json', says: 'builds 20348, 17763', check: (found) => { assertBuilds(found, [17763, 20348]); } },
  { file: 'hostprocess-base-config-shape.json', says: 'runs on every build as HostProcess, and cannot start otherwise', check: (found) => { assertRuns(found, [17763, 20348, 25398, 26100], 'host-process'); for (const build of [17763, 20348, 26100]) assert.equal(on(found, build).outcome, 'fails-at-start'); } },
  { file: 'dotnet-framework-runtime-2026-08.json', ref: `${FRAMEWORK}/runtime:4.8`, says: 'mismatch on 20348 and 26100', check: (found) => { assertBuilds(found, [14393, 17763]); assertFails(found, [20348, 26100]); } },
  { file: 'dotnet-framework-runtime-2026-08.json', ref: `${FRAMEWORK}/runtime:4.8.1`, says: 'mismatch on 17763', check: (found) => { assertBuilds(found, [20348, 26100]); assertFails(found, [17763]); } },
  { file: 'dotnet-framework-samples-2026-08.json', ref: `${FRAMEWORK}/samples:aspnetapp`, says: 'mismatch on 17763; fine on 20348, 25398, 26100; no build-unknown', check: (found) => { assertBuilds(found, [20348]); assertFails(found, [17763]); assertRuns(found, [20348, 25398, 26100]); } },
  { file: 'dotnet-aspnet-windows-2026-08.json', ref: `${ASPNET}:8.0`, says: 'no Windows variant', check: (found) => { assertBuilds(found, []); assertFails(found, [17763, 20348, 26100]); } },
  { file: 'dotnet-aspnet-windows-2026-08.json', ref: `${ASPNET}:8.0-nanoserver-1809`, says: 'the build of ltsc2019', check: (found) => { assertBuilds(found, [17763]); assertRuns(found, [17763]); } },
  { file: 'dotnet-samples-2026-08.json', ref: `${SAMPLES}:aspnetapp`, says: 'the 20348 entry; mismatch on 17763; alpine entries are none for Windows', check: (found) => { assertBuilds(found, [20348]); assertFails(found, [17763]); assert.deepEqual(on(found, 20348).entries, ['10.0.20348']); } },
  { file: 'dotnet-samples-2026-08.json', ref: `${SAMPLES}:aspnetapp-chiseled`, says: 'no Windows variant', check: (found) => { assertBuilds(found, []); assertFails(found, [17763, 20348, 26100]); } },
];

describeCases('image cases in registries', (folder) => {
  const files = readExpectations(folder, 'images.json') as readonly CaseFile[];

  for (const kind of KINDS) {
    describe(`from a registry: ${kind.title}`, function () {
      this.timeout(60_000);
      let work = '';
      let registry: TestRegistry | undefined;
      let adapter: ImageRegistry | undefined;
      /** References by document and `ref`, in the order of `imagesOfDocument`. */
      const references = new Map<string, readonly string[]>();
      const controller = new AbortController();
      const keyOf = (file: string, ref: string | undefined): string => `${file} ${ref ?? ''}`;

      before('fill it', async function () {
        this.timeout(30 * 60 * 1000);
        await partsOrSkip(this, [kind.part]);
        registry = await kind.start();
        work = await mkdtemp(join(tmpdir(), 'kubectl-win-registry-'));
        for (const { file, cases } of files) {
          for (const ref of new Set(cases.map((one) => one.ref))) {
            const pushed: string[] = [];
            for (const image of imagesOfDocument(folder, file, ref ?? null)) pushed.push(await pushImage(registry, image, kind.prefix));
            references.set(keyOf(file, ref), pushed);
          }
        }
        const login = kind.login(registry);
        await writeFile(join(work, 'config.json'), JSON.stringify({ auths: login === null ? {} : { [registry.host]: login } }));
        await writeFile(join(work, 'ca.crt'), registry.certificateAuthority ?? '');
        adapter = await openRegistry({
          registries: registry.certificateAuthority === null ? {} : { [registry.host]: { certificateAuthority: join(work, 'ca.crt') } },
          cacheFolder: null, refresh: false, timeoutSeconds: 20, verbosity: 0, onTrace: () => undefined, env: { DOCKER_CONFIG: work }, userAgentVersion: '0.0.0', signal: controller.signal,
        });
      });

      after('stop it', async () => {
        await adapter?.close();
        await registry?.stop();
        if (work !== '') await rm(work, { recursive: true, force: true });
      });

      const lookUp = (reference: string): Promise<RegistryAnswer> => (adapter ?? assert.fail('not open')).lookUp(reference);

      async function platformsOf(reference: string): Promise<ImagePlatforms> {
        const answer = await lookUp(reference);
        return answer.kind === 'platforms' ? answer.platforms : assert.fail(`${reference}: ${answer.failure.reason}, ${answer.failure.message}`);
      }

      for (const { file, cases } of files) {
        it(`${file}: ${cases.length} cases`, async () => {
          for (const one of cases) {
            const images = imagesOfDocument(folder, file, one.ref ?? null);
            const pushed = references.get(keyOf(file, one.ref)) ?? assert.fail(file);
            assert.equal(pushed.length, images.length);
            const known = images.length === 0 ? [TAG_PLATFORMS.platformsOf(one.ref ?? NAMES_ONLY[file] ?? assert.fail(file))] : await Promise.all(pushed.map(platformsOf));
            for (const [position, platforms] of known.entries()) {
              const image = images[position] ?? null;
              const answer = imageOnNode(platforms, hostOf(one), one.isolation === 'process' ? 'process' : 'host-process');
              const title = `${pushed[position] ?? 'by name'} on ${one.host} with ${one.containerd}, ${one.isolation} (${one.note}): ${JSON.stringify(answer)}`;
              assertAnswer(answer, expectedOf(file, one, image, images.length > 1), title);
            }
          }
        });
      }

      it('gives the platforms of each document in its order, with the digests of what was pushed', async () => {
        let seen = 0;
        for (const { file, cases } of files) {
          for (const ref of new Set(cases.map((one) => one.ref))) {
            const images = imagesOfDocument(folder, file, ref ?? null);
            for (const [position, image] of images.entries()) {
              const reference = references.get(keyOf(file, ref))?.[position] ?? assert.fail(file);
              const found = await platformsOf(reference);
              assert.equal(found.shape, image.shape, reference);
              assert.equal(found.confidence, 'registry');
              assert.equal(found.digest, image.root.digest, reference);
              const digests = image.shape === 'index' ? image.children.map(({ digest }) => digest) : [image.root.digest];
              // Attestations are no platform.
              const wanted = image.platforms.flatMap(({ os, architecture, osVersion }, place) => (os === 'unknown' ? [] : [{ os, architecture, osVersion, digest: digests[place] }]));
              assert.deepEqual(found.platforms.map(({ os, architecture, osVersion, digest }) => ({ os, architecture, osVersion, digest })), wanted, reference);
              seen++;
            }
          }
        }
        assert.ok(seen > 40, `${seen} images`);
      });

      for (const { file, ref, says, check } of INDEX_LINES) {
        it(`${file}${ref === undefined ? '' : `, ${ref}`}: ${says}`, async () => {
          const pushed = references.get(keyOf(file, ref)) ?? assert.fail('no case of images.json speaks of it');
          assert.notEqual(pushed.length, 0);
          for (const reference of pushed) check(await platformsOf(reference));
        });
      }

      it('the manifest of a saved tarball is no answer of a registry, and is called that', async () => {
        const target = registry ?? assert.fail();
        const repository = `${kind.prefix}tarball`;
        const pushing = pushManifest(target, repository, 'latest', { mediaType: 'application/vnd.docker.distribution.manifest.v2+json', bytes: Buffer.from(JSON.stringify(readImageDocument(folder, 'hello-world-nanoserver-tarball-manifest.json'))) });
        const isHeld = await pushing.then(() => true, () => false);
        const answer = await lookUp(`${target.host}/${repository}:latest`);
        assert.equal(answer.kind, 'failure');
        // distribution does not take it in the first place.
        if (answer.kind === 'failure') assert.equal(answer.failure.reason, isHeld ? 'Malformed' : 'NotFound', answer.failure.message);
        assert.equal(isHeld, kind.part === 'registry');
      });

      it('says that an image is missing', async () => {
        const target = registry ?? assert.fail();
        const answer = await lookUp(`${target.host}/${kind.prefix}nothing:here`);
        assert.equal(answer.kind === 'failure' ? answer.failure.reason : answer.kind, 'NotFound');
      });

      it('was asked for credentials where it should be', async () => {
        const target = registry ?? assert.fail();
        assert.equal((await requestRegistry(target, { method: 'GET', path: '/v2/' })).status, kind.authentication === 'none' ? 200 : 401);
        const requests = 'tokens' in target ? asDistribution(target).tokens?.requests ?? [] : [];
        assert.deepEqual([...new Set(requests.map(({ method, grant, status }) => `${method} ${grant} ${status}`))], kind.grants);
      });
    });
  }
});

describe('image cases', () => {
  it('are all served by a registry, but those whose document tells neither build nor OS', function () {
    const folder = casesOrSkip(this);
    const files = readExpectations(folder, 'images.json') as readonly CaseFile[];
    const cases = files.flatMap(({ file, cases: all }) => all.map((one) => ({ file, one, images: imagesOfDocument(folder, file, one.ref ?? null) })));
    const byName = cases.filter(({ images }) => images.length === 0);
    assert.ok(cases.length >= 261, `${cases.length} cases`);
    assert.deepEqual(Object.fromEntries([...Map.groupBy(byName, ({ file }) => file)].map(([file, all]) => [file, all.length])), { 'hello-world-nanoserver-tarball-manifest.json': 2, 'tag-to-build-observed.json': 9 });
    for (const { one } of byName) assert.equal(one.pull, 'unknown');
  });
});

describe('a registry that refuses', function () {
  this.timeout(30_000);
  const IMAGE = { shape: 'manifest', repository: 'app', tag: '1', osVersion: '10.0.20348.1' } as const;
  let work = '';
  let running: Distribution | undefined;
  before('build it', async function () {
    this.timeout(30 * 60 * 1000);
    await partsOrSkip(this, ['distribution']);
  });
  beforeEach(async () => { work = await mkdtemp(join(tmpdir(), 'kubectl-win-registry-')); });
  afterEach(async () => {
    await running?.stop();
    await rm(work, { recursive: true, force: true });
  });

  interface Asking {
    readonly login?: Readonly<Record<string, string>>;
    readonly pullSecret?: Readonly<Record<string, string>>;
      /** Whom to trust; default: who signed the registry's certificate. */
    readonly authority?: 'another' | 'nobody';
  }

  /** `platforms`, or the reason of the failure. */
  async function ask(authentication: 'basic' | 'token', prefix: string, { login, pullSecret, authority }: Asking): Promise<string> {
    const registry = await startDistribution(authentication);
    running = registry;
    const reference = await pushImage(registry, windowsImage(IMAGE), prefix);
    await writeFile(join(work, 'config.json'), JSON.stringify({ auths: login === undefined ? {} : { [registry.host]: login } }));
    await writeFile(join(work, 'ca.crt'), authority === 'another' ? (await createAuthority()).cert : registry.certificateAuthority ?? '');
    const adapter = await openRegistry({
      registries: authority === 'nobody' ? {} : { [registry.host]: { certificateAuthority: join(work, 'ca.crt') } },
      cacheFolder: null, refresh: false, timeoutSeconds: 20, verbosity: 0, onTrace: () => undefined, env: { DOCKER_CONFIG: work }, userAgentVersion: '0.0.0', signal: new AbortController().signal,
    });
    try {
      const pullSecrets = pullSecret === undefined ? undefined : () => Promise.resolve([JSON.stringify({ auths: { [registry.host]: pullSecret } })]);
      const answer = await adapter.lookUp(reference, { pullSecrets });
      if (answer.kind === 'failure') {
        for (const secret of [registry.password, registry.refreshToken, 'wrong-secret']) assert.ok(!JSON.stringify(answer).includes(secret), 'a secret in a message');
        return answer.failure.reason;
      }
      assert.deepEqual(windowsBuildsOf(answer.platforms), [20348]);
      return answer.kind;
    } finally {
      await adapter.close();
    }
  }

  const auth = (user: string, password: string): Readonly<Record<string, string>> => ({ auth: Buffer.from(`${user}:${password}`).toString('base64') });
  const good = auth('reader', 'pass:word');
  const bad = auth('reader', 'wrong-secret');

  const cases: readonly (readonly [title: string, authentication: 'basic' | 'token', prefix: string, asking: Asking, expected: string])[] = [
    ['basic, nobody', 'basic', '', {}, 'Unauthorized'],
    ['basic, a wrong password', 'basic', '', { login: bad }, 'Unauthorized'],
    ['basic, by a pull secret', 'basic', '', { pullSecret: good }, 'platforms'],
    ['basic, by a pull secret where the own password is wrong', 'basic', '', { login: bad, pullSecret: good }, 'platforms'],
    ['basic, by a wrong pull secret', 'basic', '', { pullSecret: bad }, 'Unauthorized'],
    ['a private repository, nobody', 'token', 'private/', {}, 'Unauthorized'],
    ['a private repository, a wrong password', 'token', 'private/', { login: bad }, 'Unauthorized'],
    ['a private repository, a wrong refresh token', 'token', 'private/', { login: { ...auth('00000000-0000-0000-0000-000000000000', ''), identitytoken: 'wrong-secret' } }, 'Unauthorized'],
    ['a private repository, by a pull secret', 'token', 'private/', { pullSecret: good }, 'platforms'],
    ['a public repository in spite of a wrong password', 'token', PUBLIC_PREFIX, { login: bad }, 'platforms'],
    ['a certificate of another authority', 'basic', '', { login: good, authority: 'another' }, 'UntrustedCertificate'],
    // MatchLocalhost of https://github.com/containerd/containerd/blob/v2.3.4/core/remotes/docker/registry.go, read 2026-11-30.
    ['a certificate of nobody, on loopback where containerd does not look at it', 'basic', '', { login: good, authority: 'nobody' }, 'platforms'],
  ];
  for (const [title, authentication, prefix, asking, expected] of cases) it(`${title}: ${expected}`, async () => { assert.equal(await ask(authentication, prefix, asking), expected); });
});
