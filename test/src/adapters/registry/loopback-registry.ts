/** A registry on loopback, in memory, whose every answer a test can spoil. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry, type OpenRegistryOptions } from '../../../../src/adapters/registry/open-registry.ts';
import type { ImagePlatforms } from '../../../../src/domain/image/image-platforms.ts';
import type { ImageRegistry, RegistryAnswer, RegistryFailure } from '../../../../src/app/ports.ts';
import { startLoopbackApi, type LoopbackOptions, type RecordedRequest } from '../../../support/loopback-api.ts';

export const TYPES = {
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  ociConfig: 'application/vnd.oci.image.config.v1+json',
  dockerList: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerConfig: 'application/vnd.docker.container.image.v1+json',
} as const;

export interface Stored {
  readonly digest: string;
  readonly body: Buffer;
  readonly type: string;
}

export function digestOf(body: Buffer | string): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** true when the test has answered itself. */
export type Fault = (request: RecordedRequest, response: ServerResponse) => boolean | Promise<boolean>;

export class LoopbackRegistry {
  readonly url: string;
  /** `127.0.0.1:PORT`, as in references. */
  readonly host: string;
  readonly ca: string | undefined;
  readonly requests: readonly RecordedRequest[];
  readonly close: () => Promise<void>;
  /** Looks at every request first. */
  fault: Fault = () => false;
  readonly #manifests = new Map<string, Stored>();
  readonly #blobs = new Map<string, Stored>();

  private constructor(api: Awaited<ReturnType<typeof startLoopbackApi>>) {
    this.url = api.url;
    this.host = `127.0.0.1:${api.port}`;
    this.ca = api.ca;
    this.requests = api.requests;
    this.close = () => api.close();
  }

  /** Plain HTTP, if nothing else is asked for. */
  static async start(options: LoopbackOptions = { tls: false }): Promise<LoopbackRegistry> {
    const holder: { registry?: LoopbackRegistry } = {};
    const api = await startLoopbackApi(async (request, response) => {
      if (holder.registry === undefined || (await holder.registry.fault(request, response))) return;
      holder.registry.#answer(request, response);
    }, options);
    holder.registry = new LoopbackRegistry(api);
    return holder.registry;
  }

  get paths(): readonly string[] {
    return this.requests.map(({ method, url }) => `${method} ${url}`);
  }

  blob(repository: string, content: unknown, type: string): Stored {
    return this.#put(this.#blobs, repository, content, type, []);
  }

  manifest(repository: string, content: unknown, type: string, ...tags: readonly string[]): Stored {
    return this.#put(this.#manifests, repository, content, type, tags);
  }

  /** An image with its configuration. */
  image(repository: string, platform: Readonly<Record<string, unknown>>, ...tags: readonly string[]): Stored {
    const config = this.blob(repository, { ...platform, rootfs: { type: 'layers', diff_ids: [] } }, TYPES.dockerConfig);
    return this.manifest(repository, {
      schemaVersion: 2, mediaType: TYPES.dockerManifest, config: descriptor(config),
      layers: [{ mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip', size: 1000, digest: digestOf(JSON.stringify(platform)) }],
    }, TYPES.dockerManifest, ...tags);
  }

  /** An index of images for these platforms. */
  index(repository: string, platforms: readonly Readonly<Record<string, unknown>>[], ...tags: readonly string[]): Stored {
    const manifests = platforms.map((platform) => ({ ...descriptor(this.image(repository, platform)), platform }));
    return this.manifest(repository, { schemaVersion: 2, mediaType: TYPES.dockerList, manifests }, TYPES.dockerList, ...tags);
  }

  stored(repository: string, reference: string): Stored | undefined {
    return this.#manifests.get(`${repository}/${reference}`) ?? this.#blobs.get(`${repository}/${reference}`);
  }

  #put(store: Map<string, Stored>, repository: string, content: unknown, type: string, tags: readonly string[]): Stored {
    const body = Buffer.isBuffer(content) ? content : Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
    const stored: Stored = { digest: digestOf(body), body, type };
    for (const name of [stored.digest, ...tags]) store.set(`${repository}/${name}`, stored);
    return stored;
  }

  #answer({ method, url }: RecordedRequest, response: ServerResponse): void {
    const path = decodeURIComponent(url.replace(/\?.*$/, ''));
    const [, repository = '', kind, name = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
    const stored = (kind === 'manifests' ? this.#manifests : this.#blobs).get(`${repository}/${name}`);
    if (path === '/v2/') send(response, 200, {});
    else if (stored === undefined) sendError(response, 404, kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN', 'manifest unknown');
    else sendStored(response, stored, method);
  }
}

export function sendStored(response: ServerResponse, { digest, body, type }: Stored, method: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length, 'Docker-Content-Digest': digest, ...headers });
  response.end(method === 'HEAD' ? undefined : body);
}

export function send(response: ServerResponse, status: number, document: unknown, headers: Readonly<Record<string, string>> = {}): true {
  const body = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length, ...headers });
  response.end(body);
  return true;
}

export function sendError(response: ServerResponse, status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}): true {
  return send(response, status, { errors: [{ code, message }] }, headers);
}

export function descriptor({ type, digest, body }: Stored): { readonly mediaType: string; readonly digest: string; readonly size: number } {
  return { mediaType: type, digest, size: body.length };
}

/** A folder that the work may fill. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-registry-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Time that passes by sleeping alone. */
export function fakeClock(start: number = Date.now()): { now(): number; sleep(milliseconds: number): Promise<void>; readonly slept: number[]; pass(milliseconds: number): void } {
  let now = start;
  const slept: number[] = [];
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return {
    slept,
    now: () => now,
    pass,
    sleep: async (milliseconds) => {
      slept.push(milliseconds);
      pass(milliseconds);
    },
  };
}

/** Without a home folder, so that nobody's own credentials take part. */
export async function open(options: Partial<OpenRegistryOptions> = {}): Promise<ImageRegistry> {
  return openRegistry({
    registries: {}, cacheFolder: null, refresh: false, timeoutSeconds: 0, verbosity: 0, onTrace: () => undefined, env: { HOME: '/nonexistent', PATH: '/nonexistent' }, userAgentVersion: '0.0.0', signal: new AbortController().signal,
    ...options,
  });
}

/** Runs work with an opened registry, and closes it. */
export async function withOpen<T>(options: Partial<OpenRegistryOptions>, work: (registry: ImageRegistry) => Promise<T>): Promise<T> {
  const registry = await open(options);
  try {
    return await work(registry);
  } finally {
    await registry.close();
  }
}

/** One lookup by a registry of its own. */
export function lookUp(image: string, options: Partial<OpenRegistryOptions> = {}, lookUpOptions: Parameters<ImageRegistry['lookUp']>[1] = {}): Promise<RegistryAnswer> {
  return withOpen(options, (registry) => registry.lookUp(image, lookUpOptions));
}

export function platformsIn(answer: RegistryAnswer): ImagePlatforms {
  if (answer.kind !== 'platforms') throw new Error(`platforms expected, got ${answer.failure.reason}: ${answer.failure.message}`);
  return answer.platforms;
}

export function failureIn(answer: RegistryAnswer): RegistryFailure {
  if (answer.kind !== 'failure') throw new Error(`a failure expected, got ${JSON.stringify(answer.platforms)}`);
  return answer.failure;
}
