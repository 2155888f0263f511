import assert from 'node:assert/strict';
import { failureIn, lookUp, LoopbackRegistry, platformsIn } from './loopback-registry.ts';

const WINDOWS = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.5386' };
const LINUX = { os: 'linux', architecture: 'amd64' };

describe('openRegistry', () => {
  let registry: LoopbackRegistry;
  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
  });
  afterEach(() => registry.close());

  it('reads an index, its entries in their order, in one request after TLS was tried', async () => {
    const index = registry.index('team/app', [LINUX, WINDOWS], 'v1');
    const platforms = platformsIn(await lookUp(`${registry.host}/team/app:v1`));
    assert.equal(platforms.shape, 'index');
    assert.equal(platforms.confidence, 'registry');
    assert.equal(platforms.digest, index.digest);
    assert.equal(platforms.os, null);
    assert.deepEqual(platforms.platforms.map(({ os, architecture, osVersion, sizeBytes }) => ({ os, architecture, osVersion, sizeBytes })), [
      { os: 'linux', architecture: 'amd64', osVersion: null, sizeBytes: null },
      { os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.5386', sizeBytes: null },
    ]);
    assert.deepEqual(registry.paths, ['GET /v2/team/app/manifests/v1']);
  });

  it('reads a single image by its configuration', async () => {
    const manifest = registry.image('team/app', WINDOWS, 'v1');
    const platforms = platformsIn(await lookUp(`${registry.host}/team/app:v1`));
    assert.equal(platforms.shape, 'manifest');
    assert.equal(platforms.digest, manifest.digest);
    assert.deepEqual(platforms.platforms.map(({ osVersion }) => osVersion), ['10.0.20348.5386']);
    assert.equal(typeof platforms.platforms[0]?.sizeBytes, 'number');
  });

  it('gives 404 as an answer', async () => {
    assert.deepEqual(failureIn(await lookUp(`${registry.host}/team/app:v2`)), {
      reason: 'NotFound', registry: registry.host, message: `${registry.host} answered 404 Not Found (manifest unknown)`,
      suggestions: ['check the name and the tag; many registries say so, too, to those who may not see the image'],
    });
  });
});
