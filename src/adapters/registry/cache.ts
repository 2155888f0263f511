/**
 * What registries sent, on disk: content under its digest, which digest a tag had lately, and that a pinned one was there. A
 * cache that cannot be read or written is none. Content is kept per repository, so that a digest opens nobody else's; whatever is
 * read is verified again. Holds no credentials: bodies of manifests and configurations alone come in.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
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

  /** `repository` with its registry. */
  repository(repository: string): RepositoryCache {
    const root = this.#folder;
    if (root === null) return NO_CACHE;
    const folder = join(root, hexOf(repository).slice(0, 40));
    return {
      content: (digest) => this.#content(join(folder, digest.replace(':', '-')), digest),
      putContent: async (digest, body) => {
        if (body.length <= LARGEST_ENTRY_BYTES) await this.#write(folder, digest.replace(':', '-'), body);
      },
      tag: (tag) => this.#tag(join(folder, tagFile(tag)), repository, tag),
      putTag: (tag, digest) => this.#write(folder, tagFile(tag), Buffer.from(JSON.stringify({ repository, tag, digest, at: this.#now() }))),
    };
  }

  async #content(path: string, digest: string): Promise<Buffer | null> {
    const body = await readEntry(path);
    if (body === null) return null;
    if (digestLike(digest, body.content) !== digest) {
      await rm(path, { force: true }).catch(() => undefined);
      return null;
    }
    // What is used stays; once a day tells that well enough.
    if (this.#now() - body.modifiedAt > DAY_MS) await utimes(path, new Date(this.#now()), new Date(this.#now())).catch(() => undefined);
    return body.content;
  }

  async #tag(path: string, repository: string, tag: string): Promise<CachedTag | null> {
    const entry = await readEntry(path);
    if (entry === null) return null;
    let document: unknown;
    try {
      document = JSON.parse(entry.content.toString('utf8'));
    } catch {
      return null;
    }
    const digest = stringAt(document, 'digest') ?? '';
    const at = valueAt(document, 'at');
    if (stringAt(document, 'repository') !== repository || stringAt(document, 'tag') !== tag || typeof at !== 'number' || !isDigest(digest)) return null;
    const age = this.#now() - at;
    return { digest, isFresh: this.#believesTags && age >= 0 && age < TAG_LIFE_MS };
  }

  /** Whole or not at all: several processes may write the same entry. */
  async #write(folder: string, name: string, body: Buffer): Promise<void> {
    const temporary = join(folder, `.${name}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(temporary, body, { flag: 'wx', mode: 0o600 });
      await rename(temporary, join(folder, name));
    } catch {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    await this.#sweepSometimes();
  }

  /** Once a day, by whichever process writes first. */
  async #sweepSometimes(): Promise<void> {
    const root = this.#folder;
    if (this.#isSwept || root === null) return;
    this.#isSwept = true;
    const mark = join(root, SWEPT_MARK);
    try {
      const last = await stat(mark).catch(() => null);
      if (last !== null && this.#now() - last.mtimeMs < DAY_MS) return;
      await writeFile(mark, '', { mode: 0o600 });
      await utimes(mark, new Date(this.#now()), new Date(this.#now()));
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

/** Tags differ in case, which not every file system does. */
function tagFile(tag: string): string {
  return `tag-${hexOf(tag).slice(0, 40)}`;
}

function hexOf(text: string): string {
  return sha256Digest(text).slice('sha256:'.length);
}

/** null for whatever is no file of a sensible size; a pipe in its place would be waited for. */
async function readEntry(path: string): Promise<{ readonly content: Buffer; readonly modifiedAt: number } | null> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size > LARGEST_ENTRY_BYTES) return null;
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
      const stats = await stat(path).catch(() => null);
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
