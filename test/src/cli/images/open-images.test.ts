import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { CommandContext, RegistryOptions } from '../../../../src/cli/context.ts';
import { openImages } from '../../../../src/cli/images/open-images.ts';
import type { Settings } from '../../../../src/cli/settings.ts';
import { NO_PLATFORMS } from '../../../../src/domain/image/no-platforms.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { answeringRegistry } from '../../../support/answering-registry.ts';

const REGISTRY = answeringRegistry();

async function open(flag: string | undefined, { configured = null, isOffline = false, env = {}, cacheDir }: { readonly configured?: Settings['images']; readonly isOffline?: boolean; readonly env?: CommandContext['env']; readonly cacheDir?: string } = {}) {
  const asked: RegistryOptions[] = [];
  const context = {
    env,
    ports: {
      openRegistry: async (options: RegistryOptions) => {
        asked.push(options);
        return REGISTRY;
      },
    },
  } as unknown as CommandContext; // as much of one as openImages takes
  const settings: Settings = { poolLabels: [], lifecycle: {}, check: { skip: [], severity: {}, source: null }, images: configured, registries: { 'r.example': { plainHTTP: true } }, hostProcess: { image: null, pullSecrets: [], namespace: null, confirmAbove: 5 } };
  return { ...await openImages(flag, settings, { isOffline }, context, { timeoutSeconds: 7, refresh: false, cacheDir, verbosity: 3, onTrace: () => undefined }), asked };
}

describe('openImages', () => {
  for (const [flag, configured, isOffline, images, registry] of [
    [undefined, null, false, null, REGISTRY], ['auto', null, true, null, null], ['registry', null, true, null, REGISTRY], ['tags', null, false, TAG_PLATFORMS, null], ['off', null, false, NO_PLATFORMS, null],
    [undefined, 'tags', false, TAG_PLATFORMS, null], ['auto', 'tags', false, null, REGISTRY], [undefined, 'registry', true, null, REGISTRY],
  ] as const) {
    it(`--images=${String(flag)}, ${String(configured)} in the configuration, ${isOffline ? 'of a recording' : 'live'}`, async () => {
      const opened = await open(flag, { configured, isOffline });
      assert.deepEqual([opened.images === images, opened.registry === registry, opened.asked.length], [true, true, registry === null ? 0 : 1]);
    });
  }

  it('hands on what the configuration says of registries, how long to wait, and where to remember', async () => {
    const folderOf = async (env: CommandContext['env'], cacheDir?: string): Promise<string | null | undefined> => (await open('registry', { env, ...(cacheDir === undefined ? {} : { cacheDir }) })).asked[0]?.cacheFolder;
    const { asked: [options] } = await open('registry', { env: { HOME: '/home/me' } });
    assert.deepEqual([options?.registries, options?.timeoutSeconds, options?.verbosity], [{ 'r.example': { plainHTTP: true } }, 7, 3]);
    assert.equal(options?.cacheFolder, join('/home/me', '.kube', 'cache', 'kubectl-win', 'registries'));
    assert.equal(await folderOf({ KUBECACHEDIR: '/cache' }), join('/cache', 'kubectl-win', 'registries'));
    assert.equal(await folderOf({ KUBECACHEDIR: '/cache' }, '/mine'), join('/mine', 'kubectl-win', 'registries'));
    assert.equal(await folderOf({ USERPROFILE: '/users/me', KUBECACHEDIR: '' }, ''), join('/users/me', '.kube', 'cache', 'kubectl-win', 'registries'));
  });
});
