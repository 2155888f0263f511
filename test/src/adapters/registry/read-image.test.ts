import assert from 'node:assert/strict';
import { descriptor, digestOf, failureIn, lookUp, LoopbackRegistry, platformsIn, send, TYPES, type Stored } from './loopback-registry.ts';

const WINDOWS = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.5386' };
const NEWER = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.26100.4349' };
const LINUX = { os: 'linux', architecture: 'arm64' };

describe('readImage', () => {
  let registry: LoopbackRegistry;
  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
  });
  afterEach(() => registry.close());

  const index = (manifests: readonly unknown[], ...tags: readonly string[]): Stored => registry.manifest('a', { schemaVersion: 2, mediaType: TYPES.ociIndex, manifests }, TYPES.ociIndex, ...tags);
  const versionsOf = async (tag: string): Promise<readonly (string | null)[]> => platformsIn(await lookUp(`${registry.host}/a:${tag}`)).platforms.map(({ os, osVersion }) => osVersion ?? os);

  it('asks for sizes after all else, and within a number of requests of their own', async () => {
    const many = Array.from({ length: 70 }, (_, index) => ({ ...WINDOWS, 'os.version': `10.0.20348.${index}` }));
    const inner = index([{ ...descriptor(registry.image('a', NEWER)), platform: NEWER }]);
    index([...many.map((platform) => ({ ...descriptor(registry.image('a', platform)), platform })), descriptor(inner), descriptor(registry.image('a', LINUX))], 'v1');
    const { platforms, notes } = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, { sizes: true }));
    assert.equal(platforms.length, 72);
    assert.equal(platforms.filter(({ sizeBytes }) => sizeBytes !== null).length, 64 + 1);
    assert.equal(notes, undefined);
    assert.equal(registry.paths[1], `GET /v2/a/manifests/${inner.digest}`);
  });

  it('loses nothing to sizes that do not come in time', async () => {
    const inner = index([{ ...descriptor(registry.image('a', NEWER)), platform: NEWER }]);
    const slow = registry.image('a', WINDOWS);
    index([{ ...descriptor(slow), platform: WINDOWS }, descriptor(inner)], 'v1');
    registry.fault = ({ url }) => url.endsWith(slow.digest);
    const { platforms } = platformsIn(await lookUp(`${registry.host}/a:v1`, { timeoutSeconds: 0.5 }, { sizes: true }));
    assert.deepEqual(platforms.map(({ osVersion, sizeBytes }) => [osVersion, sizeBytes]), [['10.0.20348.5386', null], ['10.0.26100.4349', null]]);
  });

  it('flattens nested indexes in the place of their entry', async () => {
    const inner = index([{ ...descriptor(registry.image('a', NEWER)), platform: NEWER }]);
    index([{ ...descriptor(registry.image('a', WINDOWS)), platform: WINDOWS }, descriptor(inner), { ...descriptor(registry.image('a', LINUX)), platform: LINUX }], 'v1');
    assert.deepEqual(await versionsOf('v1'), ['10.0.20348.5386', '10.0.26100.4349', 'linux']);
  });

  it('gives up on indexes that are too deep, or take too many requests', async () => {
    let inner = index([]);
    for (let depth = 0; depth < 5; depth += 1) inner = index([descriptor(inner)], `d${depth}`);
    assert.match(failureIn(await lookUp(`${registry.host}/a:d4`)).message, /has indexes within indexes, more than 4 deep$/);
    index(Array.from({ length: 70 }, (_, number) => descriptor(registry.image('a', { ...WINDOWS, 'os.version': `10.0.20348.${number}` }))), 'many');
    assert.match(failureIn(await lookUp(`${registry.host}/a:many`)).message, /takes more than 64 requests to read$/);
    index(Array.from({ length: 600 }, (_, number) => ({ ...descriptor(registry.image('a', WINDOWS)), platform: { ...WINDOWS, 'os.version': `10.0.1.${number}` } })), 'long');
    assert.match(failureIn(await lookUp(`${registry.host}/a:long`)).message, /has an index with more than 512 images$/);
  });

  it('asks the configuration where an entry has no platform, puts it last as containerd does, and passes over what is no image', async () => {
    const chart = registry.manifest('a', { config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' }, layers: [] }, TYPES.ociManifest);
    index([descriptor(registry.image('a', NEWER)), descriptor(chart), { mediaType: TYPES.ociManifest }, { ...descriptor(registry.image('a', WINDOWS)), platform: WINDOWS }], 'v1');
    assert.deepEqual(await versionsOf('v1'), ['10.0.20348.5386', '10.0.26100.4349']);
  });

  it('leaves attestations out', async () => {
    index([
      { ...descriptor(registry.image('a', WINDOWS)), platform: WINDOWS },
      { ...descriptor(registry.image('a', LINUX)), platform: { os: 'unknown', architecture: 'unknown' }, annotations: { 'vnd.docker.reference.type': 'attestation-manifest' } },
    ], 'v1');
    const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`));
    assert.equal(platforms.platforms.length, 1);
    assert.equal(platforms.os, 'windows');
    assert.equal(platforms.because, "the registry's index names build 10.0.20348.5386");
  });

  it('is an index without images where it has none', async () => {
    index([], 'v1');
    const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`));
    assert.deepEqual([platforms.shape, platforms.platforms, platforms.because], ['index', [], "the registry's index names no image"]);
  });

  it('knows sizes of images for Windows where they are asked for, each by a request', async () => {
    registry.index('a', [LINUX, WINDOWS, NEWER], 'v1');
    const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, { sizes: true })).platforms;
    assert.deepEqual(platforms.map(({ sizeBytes }) => sizeBytes === null), [true, false, false]);
    assert.ok((platforms[1]?.sizeBytes ?? 0) > 1000);
    assert.equal(registry.requests.length, 3);
    assert.deepEqual(platformsIn(await lookUp(`${registry.host}/a:v1`)).platforms.map(({ sizeBytes }) => sizeBytes), [null, null, null]);
  });

  it('knows layers where they are asked for, with no request more, and none where one of them has no size', async () => {
    registry.index('a', [LINUX, WINDOWS, NEWER], 'v1');
    const { platforms } = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, { sizes: 'with-layers' }));
    assert.deepEqual(platforms.map(({ layers, sizeBytes }) => [layers?.length, layers?.reduce((sum, layer) => sum + layer.sizeBytes, 0) === sizeBytes]), [[undefined, false], [2, true], [2, true]]);
    assert.equal(registry.requests.length, 3);
    // of an image by itself, too
    registry.image('a', WINDOWS, 'single');
    assert.deepEqual(platformsIn(await lookUp(`${registry.host}/a:single`, {}, { sizes: 'with-layers' })).platforms.map(({ layers }) => layers?.map(({ digest }) => digest.length)), [[71, 71]]);
    const config = registry.blob('a', WINDOWS, TYPES.ociConfig);
    registry.manifest('a', { config: descriptor(config), layers: [{ digest: digestOf('x') }] }, TYPES.ociManifest, 'unsized');
    assert.deepEqual(platformsIn(await lookUp(`${registry.host}/a:unsized`, {}, { sizes: 'with-layers' })).platforms.map(({ layers, sizeBytes }) => [layers, sizeBytes]), [[undefined, null]]);
  });

  it('does without a size that cannot be had', async () => {
    const stored = registry.index('a', [WINDOWS], 'v1');
    registry.fault = ({ url }, response) => (url.endsWith('/v1') ? false : send(response, 403, {}));
    const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, { sizes: true }));
    assert.equal(platforms.digest, stored.digest);
    assert.deepEqual(platforms.platforms.map(({ sizeBytes }) => sizeBytes), [null]);
    assert.match(platforms.notes?.join() ?? '', /^the sizes are not known: .* answered 403 Forbidden$/);
  });

  describe('of what the registry does not have', () => {
    const gone = (name: string, type: string = TYPES.ociManifest): Stored => ({ digest: digestOf(name), body: Buffer.from(name), type });
    const noSecrets = { pullSecrets: () => Promise.reject(new Error('pull secrets were asked for')) };

    it('leaves out an entry that nothing but its image could tell of, notes it, and asks for no pull secrets', async () => {
      index([descriptor(gone('x')), { ...descriptor(registry.image('a', WINDOWS)), platform: WINDOWS }, descriptor(gone('y', TYPES.ociIndex))], 'v1');
      const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, noSecrets));
      assert.deepEqual(platforms.platforms.map(({ osVersion }) => osVersion), ['10.0.20348.5386']);
      assert.equal(platforms.because, "the registry's index names build 10.0.20348.5386");
      assert.deepEqual(platforms.notes, [`the registry does not have ${gone('x').digest} that the index names`, `the registry does not have ${gone('y').digest} that the index names`]);
    });

    it('leaves out an entry whose configuration is gone', async () => {
      const broken = registry.manifest('a', { config: descriptor(gone('config', TYPES.ociConfig)), layers: [] }, TYPES.ociManifest);
      index([descriptor(broken), descriptor(registry.image('a', NEWER))], 'v1');
      const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, noSecrets));
      assert.deepEqual(platforms.platforms.map(({ osVersion }) => osVersion), ['10.0.26100.4349']);
      assert.deepEqual(platforms.notes, [`the registry does not have the configuration of ${broken.digest} that the index names: a pull of it fails`]);
    });

    it('does not say that the image is missing when all of its entries are', async () => {
      const { digest } = index([descriptor(gone('x'))], 'v1');
      const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, noSecrets));
      assert.deepEqual([platforms.digest, platforms.platforms, platforms.because], [digest, [], "nothing is left of what the registry's index names"]);
      assert.deepEqual(platforms.notes, [`the registry does not have ${gone('x').digest} that the index names`]);
    });

    it('keeps an entry with a platform without its size, and notes what a pull of it comes to', async () => {
      const bare = { os: 'windows', architecture: 'amd64' };
      index([{ ...descriptor(gone('x')), platform: WINDOWS }, { ...descriptor(registry.image('a', NEWER)), platform: NEWER }, { ...descriptor(gone('y')), platform: bare }, { ...descriptor(gone('z')), platform: LINUX }], 'v1');
      const platforms = platformsIn(await lookUp(`${registry.host}/a:v1`, {}, { sizes: true, ...noSecrets }));
      assert.deepEqual(platforms.platforms.map(({ osVersion, sizeBytes }) => [osVersion, sizeBytes === null]), [['10.0.20348.5386', true], ['10.0.26100.4349', false], [null, true], [null, true]]);
      assert.deepEqual(platforms.notes, [
        `the registry does not have the image for 10.0.20348.5386 (${gone('x').digest}) that the index names: a pull of it fails`,
        `the registry does not have the image for windows/amd64 (${gone('y').digest}) that the index names: a pull of it fails`,
      ]);
      assert.equal(platformsIn(await lookUp(`${registry.host}/a:v1`)).notes, undefined);
    });

    it('notes no more than a few', async () => {
      index(Array.from({ length: 9 }, (_, number) => descriptor(gone(`x${number}`))), 'v1');
      const { notes = [] } = platformsIn(await lookUp(`${registry.host}/a:v1`));
      assert.deepEqual([notes.length, notes.at(-1)], [5, 'the registry does not have 5 more that the index names']);
    });

    it('a configuration makes a single image unreadable, and not missing', async () => {
      registry.manifest('a', { config: descriptor(gone('config', TYPES.ociConfig)), layers: [] }, TYPES.ociManifest, 'v1');
      const failure = failureIn(await lookUp(`${registry.host}/a:v1`, {}, noSecrets));
      assert.equal(failure.reason, 'Malformed');
      assert.equal(failure.message, `${registry.host} has a manifest that names a configuration that it does not have`);
    });

    it('the manifest that is named makes it missing, by tag and by digest', async () => {
      for (const name of [':v1', `@${gone('x').digest}`]) assert.equal(failureIn(await lookUp(`${registry.host}/a${name}`)).reason, 'NotFound');
    });
  });

  it('lets the digest decide alone where a tag stands beside it', async () => {
    registry.index('a', [WINDOWS], 'v1');
    const other = registry.index('a', [NEWER], 'v2');
    assert.equal(platformsIn(await lookUp(`${registry.host}/a:v1@${other.digest}`)).digest, other.digest);
    assert.deepEqual(registry.paths, [`GET /v2/a/manifests/${other.digest}`]);
  });

  it('asks for latest where there is neither', async () => {
    registry.index('a', [WINDOWS], 'latest');
    platformsIn(await lookUp(`${registry.host}/a`));
  });

  it('knows the base image for HostProcess containers by its name and its missing version', async () => {
    const name = 'oss/windows-host-process-containers-base-image';
    registry.image(name, { os: 'windows', architecture: 'amd64' }, 'v1');
    registry.image('a', { os: 'windows', architecture: 'amd64' }, 'v1');
    registry.image(name, WINDOWS, 'v2');
    const isBase = async (reference: string): Promise<boolean | undefined> => platformsIn(await lookUp(`${registry.host}/${reference}`)).isHostProcessBase;
    assert.deepEqual([await isBase(`${name}:v1`), await isBase('a:v1'), await isBase(`${name}:v2`)], [true, undefined, undefined]);
  });

  const failures: readonly (readonly [what: string, put: () => void, message: RegExp])[] = [
    ['a Helm chart', () => registry.manifest('a', { config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' }, layers: [] }, TYPES.ociManifest, 'v1'), /has no image there but a Helm chart$/],
    ['schema 1', () => registry.manifest('a', { schemaVersion: 1, fsLayers: [] }, 'application/vnd.docker.distribution.manifest.v1+prettyjws', 'v1'), /manifest schema 1 only/],
    ['a login page', () => registry.manifest('a', '<html>', 'text/html', 'v1'), /sent no manifest but text\/html$/],
    ['a configuration without an OS', () => registry.image('a', {}, 'v1'), /configuration names no operating system$/],
    ['no digest of a configuration', () => registry.manifest('a', { config: {}, layers: [] }, TYPES.ociManifest, 'v1'), /without the digest of a configuration$/],
  ];
  for (const [what, put, message] of failures) {
    it(`says what ${what} is`, async () => {
      put();
      const failure = failureIn(await lookUp(`${registry.host}/a:v1`));
      assert.equal(failure.reason, 'Malformed');
      assert.match(failure.message, message);
      assert.ok(failure.message.startsWith(registry.host));
    });
  }
});
