/** All that is known of images: by registry, by what runs, by name. Asked by rules without waiting; looked up before. */
import { combineEvidence } from '../../domain/image/combine-evidence.ts';
import type { ImagePlatforms, ImagePlatformSource } from '../../domain/image/image-platforms.ts';
import { LiveImageEvidence } from '../../domain/image/live-evidence.ts';
import { parseReference } from '../../domain/image/reference.ts';
import { TAG_PLATFORMS } from '../../domain/image/tag-platforms.ts';
import { someOf } from '../../domain/some-of.ts';
import type { ImageRegistry, RegistryAnswer, RegistryFailure, RegistryFailureReason } from '../ports.ts';
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
  /** Why imagePullSecrets are not read though they are wanted: `without --live`; null or absent where they are, or nobody wants it. */
  readonly secretsUnread?: string | null;
  /** Whether the size of each platform is wanted, which costs a request each, and of its layers. */
  readonly sizes?: boolean | 'with-layers';
  readonly signal?: AbortSignal | undefined;
}

/** Reasons of a registry for which other credentials may do better. */
export const SECRETS_MAY_HELP: ReadonlySet<RegistryFailureReason> = new Set(['Unauthorized', 'Forbidden', 'NotFound']);

/** Names of images in one note. */
const MOST_NAMED = 3;

export class ImageEvidence implements ImagePlatformSource {
  readonly live = new LiveImageEvidence();
  readonly #options: ImageEvidenceOptions;
  readonly #answers = new Map<string, RegistryAnswer>();
  /** `image` and the secrets it was asked with. */
  readonly #asked = new Map<string, Promise<void>>();
  /** Names of the imagePullSecrets of those that asked for an image. */
  readonly #secretNames = new Map<string, Set<string>>();
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
    if (scope !== null && scope.secretNames.length > 0) this.#secretNames.set(image, new Set([...this.#secretNames.get(image) ?? [], ...scope.secretNames]));
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
        const isOne = images.length === 1;
        const what = isOne ? images[0] ?? '' : `${images.length} images (${someOf(images, MOST_NAMED)})`;
        const fate = failure.reason === 'NotFound' ? `${isOne ? 'was' : 'were'} not found` : `${isOne ? 'is' : 'are'} judged without a registry`;
        return `${what} ${fate}: ${[failure.message, ...failure.suggestions, ...schemeHints(failure)].join('; ')}`;
      }),
      ...this.#unreadSecrets(),
      ...this.#options.secrets?.notes ?? [],
    ];
  }

  #unreadSecrets(): readonly string[] {
    const { secretsUnread = null } = this.#options;
    if (secretsUnread === null) return [];
    const names = new Set([...this.#answers].flatMap(([image, answer]) => (answer.kind === 'failure' && SECRETS_MAY_HELP.has(answer.failure.reason) ? [...this.#secretNames.get(image) ?? []] : [])));
    return names.size === 0 ? [] : [`the pods' imagePullSecrets (${someOf([...names].toSorted(), MOST_NAMED)}) are not read ${secretsUnread}: a registry that refused was asked without them`];
  }
}

/** Servers that were spoken to in the wrong one of TLS and plain HTTP; those that want TLS answer 400, and say why in no way that all share. */
function schemeHints({ message }: RegistryFailure): readonly string[] {
  const [host = ''] = message.split(' ');
  if (/HTTP response to HTTPS client/i.test(message)) return [`if it speaks plain HTTP, the configuration says so: registries.${JSON.stringify(host)}.plainHTTP: true`];
  if (/HTTP request (?:to an|was sent to) HTTPS|answered 400 Bad Request$/i.test(message)) return [`if it speaks HTTPS, the configuration must not say plainHTTP: true or http:// of ${host}`];
  return [];
}
