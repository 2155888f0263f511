/** Lookups of images: each once, with the user's own credentials first and pull secrets after that. */
import { createHash } from 'node:crypto';
import type { ImageRegistry, RegistryAnswer } from '../../app/ports.ts';
import type { ImagePlatforms } from '../../domain/image/image-platforms.ts';
import { parseReference, repositoryOf, type ImageReference } from '../../domain/image/reference.ts';
import { SingleFlight } from '../kube/auth/single-flight.ts';
import type { RegistryCache } from './cache.ts';
import type { DockerConfig } from './docker-config.ts';
import { endpointsOf, type AllSettings, type RegistryEndpoint } from './endpoints.ts';
import type { Hosts } from './hosts.ts';
import { Patience } from './patience.ts';
import { PullSecretKeyring } from './pull-secret-keyring.ts';
import { readImage, type ReadImage } from './read-image.ts';
import { ANONYMOUS, type Identity } from './registry-client.ts';
import { credentialsKey, type RegistryCredentials } from './registry-credentials.ts';
import { formatSeconds, RegistryError, registryError } from './registry-error.ts';
import { RepositoryContent } from './repository-content.ts';
import type { Secrets } from './secrets.ts';
import { Semaphore } from './semaphore.ts';
import { TimeLimit, type RegistryClock } from './time-limit.ts';

export interface ImageLookupsOptions {
  readonly settings: AllSettings;
  readonly hosts: Hosts;
  readonly cache: RegistryCache;
  readonly dockerConfig: DockerConfig;
  readonly secrets: Secrets;
  readonly timeoutSeconds: number;
  readonly clock: RegistryClock;
  readonly signal: AbortSignal;
}

type LookUpOptions = NonNullable<Parameters<ImageRegistry['lookUp']>[1]>;

interface Target {
  readonly reference: ImageReference;
  readonly sizes: boolean | 'with-layers';
}

/** What one image has come to so far. */
interface State {
  success: ImagePlatforms | null;
  /** All but the sizes, which were refused. */
  withoutSizes: ImagePlatforms | null;
  /** By what was tried: `own`, or the hash of pull secrets. */
  readonly failures: Map<string, RegistryError>;
  readonly flights: Map<string, SingleFlight<ImagePlatforms>>;
}

const MAX_PARALLEL = 16;
const MAX_PARALLEL_PER_REGISTRY = 10;
const OWN = 'own';

export class ImageLookups implements ImageRegistry {
  readonly #options: ImageLookupsOptions;
  readonly #states = new Map<string, State>();
  readonly #places = new Semaphore(MAX_PARALLEL);
  readonly #placesOfRegistry = new Map<string, Semaphore>();
  readonly #patiences = new Map<string, Patience>();
  readonly #keyring = new PullSecretKeyring();
  readonly #closing = new AbortController();

  constructor(options: ImageLookupsOptions) {
    this.#options = options;
  }

  async lookUp(image: string, options: LookUpOptions = {}): Promise<RegistryAnswer> {
    const parsed = parseReference(image);
    if (parsed.kind !== 'reference' || parsed.reference.domain === '') {
      const why = parsed.kind === 'placeholder' ? `${parsed.placeholder} is a placeholder` : parsed.kind === 'invalid' ? parsed.reason : 'it names no registry';
      return { kind: 'failure', failure: { reason: 'Malformed', registry: '', message: `${JSON.stringify(image.slice(0, 200))} is no image reference that a registry could be asked for: ${why}`, suggestions: [] } };
    }
    const signals = [this.#options.signal, ...(options.signal === undefined ? [] : [options.signal])];
    for (const signal of signals) signal.throwIfAborted();
    const signal = AbortSignal.any([...signals, this.#closing.signal]);
    const mask = (text: string): string => this.#options.secrets.masked(text);
    try {
      const platforms = await this.#find({ reference: parsed.reference, sizes: options.sizes ?? false }, options, signal);
      return { kind: 'platforms', platforms: platforms.notes === undefined ? platforms : { ...platforms, notes: platforms.notes.map(mask) } };
    } catch (error) {
      for (const one of signals) one.throwIfAborted();
      // Whatever a server said found its way here: a content type, the name of a host.
      if (error instanceof RegistryError) return { kind: 'failure', failure: { ...error.failure, message: mask(error.failure.message), suggestions: error.failure.suggestions.map(mask) } };
      if (this.#closing.signal.aborted) return { kind: 'failure', failure: closedFailure(parsed.reference.domain).failure };
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the registries were closed'));
    this.#options.dockerConfig.close();
    await this.#options.hosts.close();
  }

  async #find(target: Target, options: LookUpOptions, signal: AbortSignal): Promise<ImagePlatforms> {
    const state = this.#stateOf(target);
    try {
      return await this.#findWhole(state, target, options, signal);
    } catch (error) {
      if (!(error instanceof RegistryError) || state.withoutSizes === null) throw error;
      return { ...state.withoutSizes, notes: [...state.withoutSizes.notes ?? [], `the sizes are not known: ${error.message}`] };
    }
  }

  async #findWhole(state: State, target: Target, { pullSecrets }: LookUpOptions, signal: AbortSignal): Promise<ImagePlatforms> {
    try {
      return await this.#once(state, OWN, (inner) => this.#withOwnCredentials(target, inner), signal);
    } catch (error) {
      if (!(error instanceof RegistryError) || pullSecrets === undefined || !isWorthASecret(error)) throw error;
      return this.#withPullSecrets(state, target, error, pullSecrets, signal);
    }
  }

  async #withPullSecrets(state: State, target: Target, refusal: RegistryError, pullSecrets: () => Promise<readonly string[]>, signal: AbortSignal): Promise<ImagePlatforms> {
    let texts: readonly string[];
    try {
      texts = await pullSecrets();
    } catch (error) {
      signal.throwIfAborted();
      throw refusal.withSuggestions([`its pull secrets could not be read: ${error instanceof Error ? error.message : String(error)}`]);
    }
    signal.throwIfAborted();
    if (texts.length === 0) throw refusal;
    const unreadable = texts.filter((text) => !this.#keyring.isReadable(text)).length;
    if (unreadable > 0) {
      throw refusal.withSuggestions([texts.length === 1
        ? 'mend its pull secret, which cannot be decoded: the kubelet pulls nothing for the pod with it'
        : `mend ${unreadable} of its ${texts.length} pull secrets, which cannot be decoded: the kubelet then uses none of them, and pulls nothing for the pod`]);
    }
    // Where a mirror wants some, those that the kubelet would match with its name.
    const rounds = this.#endpoints(target.reference).endpoints.map((endpoint) => ({ endpoint, credentials: this.#keyring.matching(texts, repositoryAt(endpoint, target.reference)) }));
    const all = rounds.flatMap(({ credentials }) => credentials);
    if (all.length === 0) throw refusal.withSuggestions([`none of its ${texts.length === 1 ? 'one pull secret' : `${texts.length} pull secrets`} is for ${target.reference.domain}`]);
    for (const credentials of all) this.#options.secrets.addCredentials(credentials);
    const key = createHash('sha256').update(all.map(credentialsKey).join()).digest('hex');
    try {
      return await this.#once(state, key, (inner) => this.#atEndpoints(target, inner, rounds.map(({ endpoint, credentials }) => ({ endpoint, identities: credentials.map(identityOf) }))), signal);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const tried = `${all.length === 1 ? 'the pull secret that matches' : `${all.length} credentials of pull secrets that match`}`;
      // A 404 to those who are let in tells more than a 401 to the others; a secret that is refused tells less than what came before it.
      return Promise.reject(error.failure.reason === 'Unauthorized' ? refusal.withSuggestions([`${tried} did not help: ${error.message}`]) : error.withSuggestions([`asked with ${tried}`]));
    }
  }

  /** Runs a kind of attempt once for all callers; what one of them finds is for all. */
  async #once(state: State, key: string, work: (signal: AbortSignal) => Promise<ImagePlatforms>, signal: AbortSignal): Promise<ImagePlatforms> {
    if (state.success !== null) return state.success;
    const known = state.failures.get(key);
    if (known !== undefined) throw known;
    let flight = state.flights.get(key);
    if (flight === undefined) {
      flight = new SingleFlight(async (inner) => {
        try {
          state.success = await work(inner);
          return state.success;
        } catch (error) {
          if (error instanceof RegistryError) state.failures.set(key, error);
          throw error;
        }
      });
      state.flights.set(key, flight);
    }
    return flight.run(signal);
  }

  async #withOwnCredentials(target: Target, signal: AbortSignal): Promise<ImagePlatforms> {
    const problems = new Set<string>();
    const attempts = this.#endpoints(target.reference).endpoints.map((endpoint) => ({ endpoint, identities: [this.#ownIdentity(endpoint, target.reference, problems)] }));
    try {
      return await this.#atEndpoints(target, signal, attempts);
    } catch (error) {
      if (!(error instanceof RegistryError) || !error.isRefusal) throw error;
      const [problem] = problems;
      if (problem !== undefined) {
        throw registryError({ registry: target.reference.domain, asked: target.reference.domain }, 'BadConfiguration', `${error.problem}, and ${problem}`, [...error.failure.suggestions], error);
      }
      throw error.withSuggestions(this.#options.dockerConfig.notes);
    }
  }

  #ownIdentity(endpoint: RegistryEndpoint, reference: ImageReference, problems: Set<string>): Identity {
    return {
      isOwn: true,
      get: async (signal) => {
        const { credentials, problem } = await this.#options.dockerConfig.find(endpoint.host.name, endpoint.pathPrefix + reference.path, signal);
        if (problem !== null) problems.add(problem);
        return credentials;
      },
    };
  }

  /** One endpoint after the other, with one identity after the other, until one of them answers. */
  async #atEndpoints(
    target: Target, signal: AbortSignal, attempts: readonly { readonly endpoint: RegistryEndpoint; readonly identities: readonly Identity[] }[],
  ): Promise<ImagePlatforms> {
    const registry = target.reference.domain;
    return this.#placesOf(registry).run(signal, () => this.#places.run(signal, async () => {
      const limit = new TimeLimit(this.#options.clock, this.#options.timeoutSeconds, signal);
      const patience = this.#patienceWith(registry);
      const givenUp = patience.refusal({ registry, asked: registry });
      const notes: string[] = [...this.#endpoints(target.reference).notes];
      let last: RegistryError | null = null;
      let partial: ImagePlatforms | null = null;
      try {
        for (const [index, { endpoint, identities }] of attempts.entries()) {
          if (last !== null && last !== givenUp) notes.push(`the mirror was asked before: ${last.message}`);
          last = null;
          // A mirror that hangs must leave time for what comes after it.
          const share = limit.share(attempts.length - index);
          try {
            for (const identity of identities) {
              const result = await this.#attempt(target, endpoint, identity, { limit: share, givenUp }, signal);
              if (!(result instanceof RegistryError)) {
                // containerd asks the next host for what a mirror lacks.
                last = null;
                if (result.isWhole || !endpoint.isMirror) return result.platforms;
                partial ??= result.platforms;
                break;
              }
              last = moreTelling(last, result);
              if (!result.isRefusal) break;
            }
          } finally {
            share.end();
          }
        }
      } finally {
        limit.end();
        patience.note(limit.startedAt, limit.clock.now(), last);
      }
      if (partial !== null) return partial;
      throw (last ?? registryError({ registry, asked: registry }, 'Unauthorized', 'was not asked: no credentials match it')).withSuggestions(notes);
    }));
  }

  async #attempt(target: Target, endpoint: RegistryEndpoint, identity: Identity, { limit, givenUp }: { readonly limit: TimeLimit; readonly givenUp: RegistryError | null }, signal: AbortSignal): Promise<ReadImage | RegistryError> {
    const { hosts, cache, secrets } = this.#options;
    const { reference, sizes } = target;
    const content = (who: Identity): RepositoryContent => new RepositoryContent({
      registry: reference.domain, path: reference.path, endpoint, client: hosts.client(endpoint.host), identity: who, cache: cache.repository(repositoryOf(reference), sourceOf(endpoint)), secrets, limit, givenUp,
    });
    const read = async (who: Identity): Promise<ReadImage | RegistryError> => {
      const result = await readImage(content(who), reference, { sizes });
      if (result.refusal === null) return result;
      this.#stateOf(target).withoutSizes ??= result.platforms;
      return result.refusal;
    };
    try {
      const result = await read(identity);
      if (!(result instanceof RegistryError)) return result;
      throw result;
    } catch (error) {
      signal.throwIfAborted();
      if (limit.signal.aborted && !(error instanceof RegistryError)) return registryError({ registry: reference.domain, asked: endpoint.host.name }, 'Timeout', `gave no answer within ${formatSeconds(limit.seconds)}`);
      if (!(error instanceof RegistryError)) throw error;
      // An expired login must not hide what everybody may see.
      const isOwn = identity.isOwn && (error.failure.reason === 'Unauthorized' || error.failure.reason === 'Forbidden');
      if (!isOwn || (await identity.get(limit.signal).catch(() => null)) === null) return error;
      return read(ANONYMOUS).catch((again: unknown) => {
        signal.throwIfAborted();
        return again instanceof RegistryError && !again.isRefusal ? again : error;
      });
    }
  }

  #endpoints({ domain }: ImageReference): ReturnType<typeof endpointsOf> {
    return endpointsOf(domain, this.#options.settings);
  }

  #stateOf({ reference, sizes }: Target): State {
    const key = JSON.stringify([repositoryOf(reference), reference.digest ?? reference.tag ?? 'latest', sizes]);
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { success: null, withoutSizes: null, failures: new Map(), flights: new Map() };
      this.#states.set(key, state);
    }
    return state;
  }

  #patienceWith(registry: string): Patience {
    let patience = this.#patiences.get(registry);
    if (patience === undefined) {
      patience = new Patience(this.#options.timeoutSeconds);
      this.#patiences.set(registry, patience);
    }
    return patience;
  }

  #placesOf(registry: string): Semaphore {
    let places = this.#placesOfRegistry.get(registry);
    if (places === undefined) {
      places = new Semaphore(MAX_PARALLEL_PER_REGISTRY);
      this.#placesOfRegistry.set(registry, places);
    }
    return places;
  }
}

/** A helper that fails leaves the pull secrets, which may be all that is needed. */
function isWorthASecret({ isRefusal, failure, cause }: RegistryError): boolean {
  return isRefusal || (failure.reason === 'BadConfiguration' && cause instanceof RegistryError && cause.isRefusal);
}

function identityOf(credentials: RegistryCredentials): Identity {
  return { isOwn: false, get: () => Promise.resolve(credentials) };
}

/** Of two refusals by the same host to different credentials, the one that was closer to an answer. */
function moreTelling(before: RegistryError | null, after: RegistryError): RegistryError {
  return before === null || !after.isRefusal || (before.failure.reason === 'Unauthorized' && after.failure.reason !== 'Unauthorized') ? after : before;
}

/** Who is asked, and how: the word of another host, or of one over plain HTTP, is not that of this one. */
function sourceOf({ host: { authority, scheme, insecureSkipVerify, certificateAuthority }, pathPrefix, query }: RegistryEndpoint): string {
  return JSON.stringify([authority, pathPrefix, query, scheme, insecureSkipVerify, certificateAuthority ?? null]);
}

/** As the host that is asked knows it: `mirror.example/dockerhub/library/nginx`. */
function repositoryAt(endpoint: RegistryEndpoint, reference: ImageReference): string {
  return `${endpoint.host.name}/${endpoint.pathPrefix}${reference.path}`;
}

function closedFailure(registry: string): RegistryError {
  return registryError({ registry, asked: registry }, 'Unreachable', 'was not asked to the end: the program is closing its connections');
}
