/** All that is known of images: by registry, by what runs, by name. Asked by rules without waiting; looked up before. */
import { combineEvidence } from '../../domain/image/combine-evidence.ts';
import type { ImagePlatforms, ImagePlatformSource } from '../../domain/image/image-platforms.ts';
import { LiveImageEvidence } from '../../domain/image/live-evidence.ts';
import { parseReference } from '../../domain/image/reference.ts';
import { TAG_PLATFORMS } from '../../domain/image/tag-platforms.ts';
import { someOf } from '../../domain/some-of.ts';
import type { ImageRegistry, RegistryAnswer, RegistryFailure } from '../ports.ts';
import { pullScopeKey, type PullScope, type PullSecretReader } from './pull-secrets.ts';

/** An image, and for which pod it would be pulled; null where no pod asks. */
export interface WantedImage {
  readonly image: string;
  readonly scope: PullScope | null;
}

export interface ImageEvidenceOptions {
  /** null where registries are not asked. */
  readonly registry: ImageRegistry | null;
  /** null without a live cluster. */
  readonly secrets: PullSecretReader | null;
  /** Whether the size of each platform is wanted, which costs a request each. */
  readonly sizes?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Names of images in one note. */
const MOST_NAMED = 3;

export class ImageEvidence implements ImagePlatformSource {
  readonly live = new LiveImageEvidence();
  readonly #options: ImageEvidenceOptions;
  readonly #answers = new Map<string, RegistryAnswer>();
  /** `image` and the secrets it was asked with. */
  readonly #asked = new Map<string, Promise<void>>();
  readonly #combined = new Map<string, { readonly live: ImagePlatforms | null; readonly platforms: ImagePlatforms }>();

  constructor(options: ImageEvidenceOptions) {
    this.#options = options;
  }

  /** Whether `lookUp` asks anybody. */
  get asksRegistries(): boolean {
    return this.#options.registry !== null;
  }

  /** Asks the registries for images that are not known yet, side by side. Throws only what the signal was aborted with. */
  async lookUp(wanted: readonly WantedImage[]): Promise<void> {
    const { registry } = this.#options;
    if (registry === null) return;
    await Promise.all(wanted.map(({ image, scope }) => this.#lookUpOnce(registry, image, scope)));
  }

  #lookUpOnce(registry: ImageRegistry, image: string, scope: PullScope | null): Promise<void> {
    if (this.#answers.get(image)?.kind === 'platforms' || parseReference(image).kind !== 'reference') return Promise.resolve();
    const key = `${image} ${scope === null ? '' : pullScopeKey(scope)}`;
    const before = this.#asked.get(key);
    if (before !== undefined) return before;
    const asking = this.#ask(registry, image, scope);
    this.#asked.set(key, asking);
    return asking;
  }

  async #ask(registry: ImageRegistry, image: string, scope: PullScope | null): Promise<void> {
    const { secrets, sizes = false, signal } = this.#options;
    const answer = await registry.lookUp(image, { sizes, signal, ...(secrets === null || scope === null ? {} : { pullSecrets: () => secrets.textsFor(scope) }) });
    // what one namespace may see tells of the image for all
    if (this.#answers.get(image)?.kind === 'platforms') return;
    this.#answers.set(image, answer);
    this.#combined.delete(image);
  }

  platformsOf(image: string): ImagePlatforms {
    const live = this.live.evidenceOf(image);
    const known = this.#combined.get(image);
    if (known !== undefined && known.live === live) return known.platforms;
    const answer = this.#answers.get(image);
    const platforms = combineEvidence({
      registry: answer?.kind === 'platforms' ? answer.platforms : null,
      registryProblem: answer?.kind === 'failure' ? { message: answer.failure.message, isMissing: answer.failure.reason === 'NotFound' } : null,
      live, digestsOn: (build) => this.live.digestsOn(image, build), tag: TAG_PLATFORMS.platformsOf(image),
    });
    this.#combined.set(image, { live, platforms });
    return platforms;
  }

  /** Why the registry did not tell of an image; null where it did, or was not asked. */
  failureOf(image: string): RegistryFailure | null {
    const answer = this.#answers.get(image);
    return answer?.kind === 'failure' ? answer.failure : null;
  }

  /** Failures of registries, one sentence per registry and reason, and secrets that may not be read. */
  get notes(): readonly string[] {
    const groups = new Map<string, { readonly failure: RegistryFailure; readonly images: string[] }>();
    for (const [image, answer] of this.#answers) {
      if (answer.kind !== 'failure') continue;
      const key = `${answer.failure.registry} ${answer.failure.reason}`;
      const group = groups.get(key) ?? { failure: answer.failure, images: [] };
      group.images.push(image);
      groups.set(key, group);
    }
    return [
      ...[...groups.values()].map(({ failure, images }) => {
        const what = images.length === 1 ? `${images[0] ?? ''} is` : `${images.length} images (${someOf(images, MOST_NAMED)}) are`;
        return `${what} judged without a registry: ${failure.message}${failure.suggestions.length > 0 ? `; ${failure.suggestions.join('; ')}` : ''}`;
      }),
      ...this.#options.secrets?.notes ?? [],
    ];
  }
}
