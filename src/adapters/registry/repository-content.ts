/** Content of one repository: from the cache, else from one of its hosts, and verified either way. */
import type { Answer } from '../http/transport.ts';
import { answerError } from './answer-error.ts';
import type { RepositoryCache } from './cache.ts';
import { digestLike, isDigest, sha256Digest } from './digest.ts';
import type { RegistryEndpoint } from './endpoints.ts';
import { MANIFEST_ACCEPT, parseManifest, type Descriptor, type ManifestDocument } from './manifest.ts';
import type { Identity, RegistryClient } from './registry-client.ts';
import { registryError, type FailureSubject, type RegistryError } from './registry-error.ts';
import type { Secrets } from './secrets.ts';
import type { TimeLimit } from './time-limit.ts';

/** A manifest or index. */
export interface Manifest {
  readonly digest: string;
  readonly document: Exclude<ManifestDocument, { readonly kind: 'problem' }>;
}

export interface RepositorySource {
  readonly registry: string;
  /** Repository as the reference has it. */
  readonly path: string;
  readonly endpoint: RegistryEndpoint;
  readonly client: RegistryClient;
  readonly identity: Identity;
  readonly cache: RepositoryCache;
  readonly secrets: Secrets;
  readonly limit: TimeLimit;
  /** Why nobody is asked any more; what the cache has is there all the same. */
  readonly givenUp: RegistryError | null;
}

export class RepositoryContent {
  readonly #source: RepositorySource;
  readonly #repository: string;

  constructor(source: RepositorySource) {
    this.#source = source;
    this.#repository = source.endpoint.pathPrefix + source.path;
  }

  get subject(): FailureSubject {
    return { registry: this.#source.registry, asked: this.#source.endpoint.host.name };
  }

  /** What a tag names. Throws RegistryError. */
  async tagged(tag: string): Promise<Manifest> {
    const { cache } = this.#source;
    const last = await cache.tag(tag);
    if (last !== null) {
      const body = await cache.content(last.digest);
      // A request for the head alone counts for no pull: https://docs.docker.com/docker-hub/usage/pulls/, read 2026-11-30.
      if (body !== null && (last.isFresh || (await this.#headDigest(tag)) === last.digest)) {
        if (!last.isFresh) await cache.putTag(tag, last.digest);
        return { digest: last.digest, document: this.#parsed(body, null) };
      }
    }
    const answer = await this.#get(`manifests/${tag}`, MANIFEST_ACCEPT, false);
    const digest = this.#verifiedDigest(answer);
    // Only what is a manifest is kept: a login page may come in its place with status 200.
    const document = this.#parsed(answer.body, answer);
    await cache.putContent(digest, answer.body);
    await cache.putTag(tag, digest);
    return { digest, document };
  }

  /** What a digest in a reference names. Its bytes never change, but whether they are still there is asked as often as for a tag. Throws RegistryError. */
  async pinned(digest: string): Promise<Manifest> {
    const { cache } = this.#source;
    const body = await cache.content(digest);
    if (body !== null) {
      if ((await cache.tag(digest))?.isFresh === true) return { digest, document: this.#parsed(body, null) };
      const { status } = await this.#ask('HEAD', `manifests/${digest}`, MANIFEST_ACCEPT, true);
      if (status === 200) {
        await cache.putTag(digest, digest);
        return { digest, document: this.#parsed(body, null) };
      }
    }
    // What is wrong stands in a body, which a head does not have.
    const document = await this.#fetched(`manifests/${digest}`, MANIFEST_ACCEPT, digest, null, (found, answer) => this.#parsed(found, answer));
    await cache.putTag(digest, digest);
    return { digest, document };
  }

  /** A manifest that an index names. Throws RegistryError. */
  async manifest(digest: string, sizeBytes: number | null = null): Promise<Manifest> {
    return { digest, document: await this.#byDigest(`manifests/${digest}`, MANIFEST_ACCEPT, digest, sizeBytes, (body, answer) => this.#parsed(body, answer)) };
  }

  /** A configuration. Throws RegistryError. */
  async blob(digest: string, { mediaType, sizeBytes }: Descriptor): Promise<Buffer> {
    return this.#byDigest(`blobs/${digest}`, mediaType === '' ? '*/*' : `${mediaType}, */*`, digest, sizeBytes, (body) => body);
  }

  async #byDigest<T>(path: string, accept: string, digest: string, sizeBytes: number | null, read: (body: Buffer, answer: Answer | null) => T): Promise<T> {
    const cached = await this.#source.cache.content(digest);
    return cached === null ? this.#fetched(path, accept, digest, sizeBytes, read) : read(cached, null);
  }

  async #fetched<T>(path: string, accept: string, digest: string, sizeBytes: number | null, read: (body: Buffer, answer: Answer) => T): Promise<T> {
    const answer = await this.#get(path, accept, true);
    const { body } = answer;
    const found = digestLike(digest, body);
    if (found !== digest) {
      throw sizeBytes !== null && body.length < sizeBytes
        ? registryError(this.subject, 'Malformed', `sent ${body.length} of ${sizeBytes} bytes: the answer was cut off`)
        : this.#mismatch(digest, found);
    }
    const result = read(body, answer);
    await this.#source.cache.putContent(digest, body);
    return result;
  }

  /** `answer`: null for bytes from the cache, which keeps no types. */
  #parsed(body: Buffer, answer: Answer | null): Manifest['document'] {
    const document = parseManifest(body, answer?.headers['content-type'] ?? null);
    if (document.kind === 'problem') throw registryError(this.subject, 'Malformed', document.problem);
    return document;
  }

  /** Digest of what a tag names, in the algorithm that the registry uses; what it sent has to have it. */
  #verifiedDigest({ headers, body }: Answer): string {
    const said = headers['docker-content-digest'];
    if (!isDigest(said)) return sha256Digest(body);
    const found = digestLike(said, body);
    if (found !== said) throw this.#mismatch(said, found);
    return said;
  }

  #mismatch(wanted: string, found: string): RegistryError {
    return registryError(this.subject, 'DigestMismatch', `sent other bytes than those of ${wanted}: theirs is ${found}`, ['a proxy or cache on the way, or the registry itself, gives out wrong content; do not trust it']);
  }

  /** null where the registry gives no digest in the head, whatever the cause: the whole will tell. */
  async #headDigest(tag: string): Promise<string | null> {
    const answer = await this.#ask('HEAD', `manifests/${tag}`, MANIFEST_ACCEPT, false);
    const digest = answer.headers['docker-content-digest'];
    return answer.status === 200 && isDigest(digest) ? digest : null;
  }

  async #get(path: string, accept: string, isVerifiable: boolean): Promise<Answer> {
    const answer = await this.#ask('GET', path, accept, isVerifiable);
    if (answer.status === 200) return answer;
    throw answerError(this.subject, answer, this.#source.secrets);
  }

  async #ask(method: 'GET' | 'HEAD', path: string, accept: string, isVerifiable: boolean): Promise<Answer> {
    if (this.#source.givenUp !== null) throw this.#source.givenUp;
    const { client, identity, registry, endpoint, limit } = this.#source;
    return client.ask({ method, path: `/v2/${this.#repository}/${path}${endpoint.query}`, repository: this.#repository, accept, isVerifiable }, identity, registry, limit);
  }
}
