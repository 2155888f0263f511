import type { ImageRegistry, RegistryAnswer, RegistryFailureReason } from '../../src/app/ports.ts';
import type { ImagePlatform, ImagePlatforms } from '../../src/domain/image/image-platforms.ts';

export interface AnsweringRegistry extends ImageRegistry {
  /** Images that were asked for, each with the texts of the secrets that it was asked with. */
  readonly asked: readonly { readonly image: string; readonly sizes: boolean | 'with-layers'; readonly secrets: readonly string[] | null }[];
}

/** An answer, or what makes one of the texts of the pull secrets, which are read for it. */
export type PreparedAnswer = RegistryAnswer | ((secrets: readonly string[]) => RegistryAnswer);

/** Registries with answers made before, for use cases and commands; the adapter is tested against real ones. Other images are not found. */
export function answeringRegistry(answers: Readonly<Record<string, PreparedAnswer>> = {}): AnsweringRegistry {
  const asked: { image: string; sizes: boolean | 'with-layers'; secrets: readonly string[] | null }[] = [];
  return {
    asked,
    async lookUp(image, { sizes = false, pullSecrets } = {}) {
      const answer = Object.hasOwn(answers, image) ? answers[image] : undefined;
      const secrets = typeof answer === 'function' ? await pullSecrets?.() ?? [] : null;
      asked.push({ image, sizes, secrets });
      if (answer === undefined) return failure('NotFound', `registry.example has no ${image}`);
      return typeof answer === 'function' ? answer(secrets ?? []) : answer;
    },
    async close() {
      // nothing is open
    },
  };
}

export function failure(reason: RegistryFailureReason, message: string, suggestions: readonly string[] = []): RegistryAnswer {
  return { kind: 'failure', failure: { reason, registry: 'registry.example', message, suggestions } };
}

const digestOf = (number: number): string => `sha256:${String(number).padStart(64, '0')}`;

/** `windows/10.0.20348.1`, `linux/amd64`; `windows` for an entry without os.version. */
function platformOf(text: string, place: number, sizeBytes: number | null): ImagePlatform {
  const [os = '', rest = ''] = text.split('/');
  return { os, architecture: os === 'windows' || rest === '' ? 'amd64' : rest, osVersion: os === 'windows' && rest !== '' ? rest : null, digest: digestOf(place + 1), sizeBytes };
}

/** An index as a registry gives it; sizes of the entries in their order. */
export function index(platforms: readonly string[], { sizes = [], digest = digestOf(99) }: { readonly sizes?: readonly number[]; readonly digest?: string } = {}): RegistryAnswer {
  return answer({ shape: 'index', platforms: platforms.map((text, place) => platformOf(text, place, sizes[place] ?? null)), digest });
}

export function manifest(platform: string, { size = null }: { readonly size?: number | null } = {}): RegistryAnswer {
  return answer({ shape: 'manifest', platforms: [platformOf(platform, 0, size)], digest: digestOf(1) });
}

function answer(parts: Pick<ImagePlatforms, 'shape' | 'platforms' | 'digest'>): RegistryAnswer {
  return { kind: 'platforms', platforms: { confidence: 'registry', os: null, because: 'the registry says so', ...parts } };
}
