/**
 * What registries sent, on disk: content under its digest, which digest a tag had lately, and that a pinned one was there. A
 * cache that cannot be read or written is none. Content is kept per repository, so that a digest opens nobody else's; whatever is
 * read is verified again. Holds no credentials: bodies of manifests and configurations alone come in.
 */
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, lutimes, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringAt, valueAt } from '../../domain/kubernetes/object.ts';
import { digestLike, isDigest, sha256Digest } from './digest.ts';

export interface CachedTag {
  readonly digest: string;
  /** Whether it is believed without asking. */
  readonly isFresh: boolean;
}

/** The part of the cache that holds one repository. Never throws. */
export interface RepositoryCache {
  content(digest: string): Promise<Buffer | null>;
  putContent(digest: string, body: Buffer): Promise<void>;
  /** What a reference named lately: a tag, or a digest, which names itself for as long as it is there. */
  tag(tag: string): Promise<CachedTag | null>;
  putTag(tag: string, digest: string): Promise<void>;
}

export interface CacheLimits {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Of the layout; another one makes a folder of its own. */
const VERSION = 'v1';
const TAG_LIFE_MS = 5 * 60_000;
const LARGEST_ENTRY_BYTES = 8 * 2 ** 20;
const DAY_MS = 24 * 60 * 60_000;
const LIMITS: CacheLimits = { maxBytes: 100 * 10 ** 6, maxAgeMs: 30 * DAY_MS };
/** Its time tells when the cache was last swept. */
const SWEPT_MARK = 'swept';

export class RegistryCache {
  readonly #folder: string | null;
  readonly #now: () => number;
  readonly #limits: CacheLimits;
  readonly #believesTags: boolean;
  #isSwept = false;

  constructor(folder: string | null, now: () => number, { limits = LIMITS, believesTags = true }: { readonly limits?: CacheLimits; readonly believesTags?: boolean } = {}) {
    this.#folder = folder === null ? null : join(folder, VERSION);
    this.#now = now;
    this.#limits = limits;
    this.#believesTags = believesTags;
  }

  /** `repository` with its registry. `source`: who is asked for it, and how; what another one said of a tag is not believed. */
  repository(repository: string, source: string): RepositoryCache {
    const root = this.#folder;
    if (root === null) return NO_CACHE;
    const folder = join(root, hexOf(repository).slice(0, 40));
    const tagFile = (tag: string): string => `tag-${hexOf(JSON.stringify([source, tag])).slice(0, 40)}`;
    return {
      content: (digest) => this.#content(folder, digest),
      putContent: async (digest, body) => {
        if (body.length <= LARGEST_ENTRY_BYTES) await this.#write(folder, digest.replace(':', '-'), body);
      },
      tag: (tag) => this.#tag(folder, tagFile(tag), { repository, source, tag }),
      putTag: (tag, digest) => this.#write(folder, tagFile(tag), Buffer.from(JSON.stringify({ repository, source, tag, digest, at: this.#now() }))),
    };
  }

  async #content(folder: string, digest: string): Promise<Buffer | null> {
    const path = join(folder, digest.replace(':', '-'));
    const body = await this.#entry(folder, path);
    if (body === null) return null;
    if (digestLike(digest, body.content) !== digest) {
      await rm(path, { force: true }).catch(() => undefined);
      return null;
    }
    // What is used stays; once a day tells that well enough.
    if (this.#now() - body.modifiedAt > DAY_MS) await lutimes(path, new Date(this.#now()), new Date(this.#now())).catch(() => undefined);
    return body.content;
  }

  async #tag(folder: string, name: string, wanted: { readonly repository: string; readonly source: string; readonly tag: string }): Promise<CachedTag | null> {
    const entry = await this.#entry(folder, join(folder, name));
    if (entry === null) return null;
    let document: unknown;
    try {
      document = JSON.parse(entry.content.toString('utf8'));
    } catch {
      return null;
    }
    const digest = stringAt(document, 'digest') ?? '';
    const at = valueAt(document, 'at');
    if (Object.entries(wanted).some(([key, value]) => stringAt(document, key) !== value) || typeof at !== 'number' || !isDigest(digest)) return null;
    const age = this.#now() - at;
    return { digest, isFresh: this.#believesTags && age >= 0 && age < TAG_LIFE_MS };
  }

  async #entry(folder: string, path: string): Promise<{ readonly content: Buffer; readonly modifiedAt: number } | null> {
    return (await this.#isOurs(folder)) ? readEntry(path) : null;
  }

  /** A link, or somebody else's folder, in the place of ours may lead anywhere, and hold whatever they like. */
  async #isOurs(folder: string): Promise<boolean> {
    for (const one of new Set([this.#folder ?? folder, folder])) {
      const stats = await lstat(one).catch(() => null);
      if (stats?.isDirectory() !== true || !isOwn(stats)) return false;
    }
    return true;
  }

  async #write(folder: string, name: string, body: Buffer): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
    } catch {
      return;
    }
    if (!(await this.#isOurs(folder))) return;
    await writeWhole(folder, name, body).catch(() => undefined);
    await this.#sweepSometimes();
  }

  /** Once a day, by whichever process writes first. */
  async #sweepSometimes(): Promise<void> {
    const root = this.#folder;
    if (this.#isSwept || root === null) return;
    this.#isSwept = true;
    const mark = join(root, SWEPT_MARK);
    try {
      const last = await lstat(mark).catch(() => null);
      if (last !== null && this.#now() - last.mtimeMs < DAY_MS) return;
      await writeWhole(root, SWEPT_MARK, Buffer.alloc(0));
      await lutimes(mark, new Date(this.#now()), new Date(this.#now()));
      await sweep(root, this.#now(), this.#limits);
    } catch {
      // Another day.
    }
  }
}

const NO_CACHE: RepositoryCache = {
  content: () => Promise.resolve(null),
  putContent: () => Promise.resolve(),
  tag: () => Promise.resolve(null),
  putTag: () => Promise.resolve(),
};

/** Whole or not at all: several processes may write the same entry. Over a link in its place, never through it. */
async function writeWhole(folder: string, name: string, body: Buffer): Promise<void> {
  const temporary = join(folder, `.${name}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(temporary, body, { flag: 'wx', mode: 0o600 });
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Windows has no such owners. */
function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** Tags differ in case, which not every file system does. */
function hexOf(text: string): string {
  return sha256Digest(text).slice('sha256:'.length);
}

/** null for whatever is no file of ours of a sensible size; a pipe in its place would be waited for. */
async function readEntry(path: string): Promise<{ readonly content: Buffer; readonly modifiedAt: number } | null> {
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || !isOwn(stats) || stats.size > LARGEST_ENTRY_BYTES) return null;
    return { content: await readFile(path), modifiedAt: stats.mtimeMs };
  } catch {
    return null;
  }
}

/** Removes what nobody has used for long, then the oldest until the rest is small enough. */
async function sweep(root: string, now: number, { maxBytes, maxAgeMs }: CacheLimits): Promise<void> {
  const files: { readonly path: string; readonly size: number; readonly modifiedAt: number }[] = [];
  for (const folder of await readdir(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const name of await readdir(join(root, folder.name))) {
      const path = join(root, folder.name, name);
      const stats = await lstat(path).catch(() => null);
      if (stats?.isFile() === true) files.push({ path, size: stats.size, modifiedAt: stats.mtimeMs });
    }
  }
  files.sort((a, b) => b.modifiedAt - a.modifiedAt);
  let bytes = 0;
  for (const { path, size, modifiedAt } of files) {
    bytes += size;
    const isLeftover = path.endsWith('.tmp') && now - modifiedAt > DAY_MS;
    if (bytes > maxBytes || now - modifiedAt > maxAgeMs || isLeftover) await rm(path, { force: true }).catch(() => undefined);
  }
}
