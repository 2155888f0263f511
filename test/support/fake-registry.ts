import type { ImageRegistry, RegistryAnswer, RegistryFailureReason } from '../../src/app/ports.ts';
import type { ImagePlatform, ImagePlatforms } from '../../src/domain/image/image-platforms.ts';

export interface FakeRegistry extends ImageRegistry {
  /** Images as they were asked for, with the secrets that were taken: `image` or `image secret,secret`. */
  readonly calls: readonly string[];
}

export interface FakeImage {
  /** `linux`, `windows/10.0.20348.5386`, `windows/` for an entry without os.version. */
  readonly platforms?: readonly string[];
  readonly shape?: 'index' | 'manifest';
  readonly digest?: string;
  readonly sizeBytes?: number;
  readonly isHostProcessBase?: boolean;
  /** In place of platforms. */
  readonly fails?: RegistryFailureReason;
  /** Shown only to who has this secret text. */
  readonly secret?: string;
}

/** Registries of plain tables, for use cases and commands; the adapter is tested against real ones. Images that are not named are not found. */
export function fakeRegistry(images: Readonly<Record<string, FakeImage>>): FakeRegistry {
  const calls: string[] = [];
  return {
    calls,
    async lookUp(image, { pullSecrets, signal } = {}): Promise<RegistryAnswer> {
      signal?.throwIfAborted();
      const known = images[image];
      let texts: readonly string[] = [];
      if (known === undefined || known.fails !== undefined || known.secret !== undefined) texts = await pullSecrets?.() ?? [];
      calls.push([image, ...(texts.length > 0 ? [texts.join()] : [])].join(' '));
      if (known === undefined) return failure(image, 'NotFound');
      if (known.fails !== undefined) return failure(image, known.fails);
      if (known.secret !== undefined && !texts.includes(known.secret)) return failure(image, 'Unauthorized');
      return { kind: 'platforms', platforms: platformsOf(known) };
    },
    async close() {
      calls.push('close');
    },
  };
}

function failure(image: string, reason: RegistryFailureReason): RegistryAnswer {
  const registry = image.split('/')[0] ?? '';
  return { kind: 'failure', failure: { reason, registry, message: `${registry} answered ${reason}`, suggestions: reason === 'Unauthorized' ? [`log in with docker login ${registry}`] : [] } };
}

function platformsOf({ platforms = [], shape = 'index', digest = `sha256:${'d'.repeat(64)}`, sizeBytes, isHostProcessBase }: FakeImage): ImagePlatforms {
  const read = (text: string): ImagePlatform => {
    const [os = '', osVersion = ''] = text.split('/');
    return { os, architecture: 'amd64', osVersion: osVersion === '' ? null : osVersion, digest: null, sizeBytes: sizeBytes ?? null };
  };
  return { shape, confidence: 'registry', platforms: platforms.map(read), os: null, digest, because: `the registry has ${shape === 'index' ? 'an index of' : ''} ${platforms.join(', ')}`, ...(isHostProcessBase === undefined ? {} : { isHostProcessBase }) };
}
