/**
 * The local side of a copy: reads what is below a root, or writes into it, and never leaves it. Each name is looked up in its folder, which is
 * held open, and no link is followed: on Linux through /proc/self/fd, where nobody can put another folder into the place of one that is held;
 * elsewhere by looking at each folder before, and at where the file is after it is opened. The root itself is the user's word, and may be a link.
 */
import { createHash, type Hash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CopySource, CopyTarget, LocalTree } from '../../app/ports.ts';
import { PART_SUFFIX } from '../../domain/hostprocess/copy/copy-path.ts';
import type { SourceEntry } from '../../domain/hostprocess/copy/copy-plan.ts';
import { CHUNK_BYTES } from '../../domain/hostprocess/copy/copy-stream.ts';
import { InputError } from '../../errors.ts';
import { writeError } from '../temporary-file.ts';

const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants as Partial<typeof constants>;
const FILE_MODE = 0o666;
const OPEN_FOLDERS = '/proc/self/fd';
/** Folders that are held open, beyond those on the way to the last one. */
const MOST_HELD = 64;

export interface LocalTreeOptions {
  /** Folders are held open, where that can be; default: as the system allows. */
  readonly holdsFolders?: boolean;
}

/** `path`: a file or folder, also one that is not there yet. The methods throw InputError. */
export function openLocalTree(path: string, { holdsFolders = process.platform === 'linux' && existsSync(OPEN_FOLDERS) }: LocalTreeOptions = {}): LocalTree {
  return new Tree(resolve(path), path, holdsFolders);
}

/** A folder whose entries are reached by their names. */
interface HeldFolder {
  readonly parts: readonly string[];
  readonly handle: FileHandle | null;
  /** Where it really is. */
  readonly real: string;
  readonly entry: (name: string) => string;
}

class Tree implements LocalTree {
  readonly #root: string;
  readonly #shown: string;
  readonly #holds: boolean;
  /** By path, the last used last. */
  #isClosed = false;
  readonly #held = new Map<string, HeldFolder>();

  constructor(root: string, shown: string, holds: boolean) {
    this.#root = root;
    this.#shown = shown;
    this.#holds = holds;
  }

  get name(): string {
    return basename(this.#root);
  }

  async kind(): Promise<'file' | 'folder' | 'missing' | 'other'> {
    try {
      const stats = await stat(this.#root);
      return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return 'missing';
      throw readError(this.#shown, error);
    }
  }

  into(name: string): LocalTree {
    return new Tree(join(this.#root, name), join(this.#shown, name), this.#holds);
  }

  async* walk(signal: AbortSignal): AsyncGenerator<SourceEntry, void, undefined> {
    const stats = await stat(this.#root).catch((error: unknown) => {
      throw readError(this.#shown, error);
    });
    if (!stats.isDirectory()) {
      yield { path: '', kind: stats.isFile() ? 'file' : 'other', sizeBytes: stats.size, modifiedMs: Math.trunc(stats.mtimeMs), message: null };
      return;
    }
    yield { path: '', kind: 'folder', sizeBytes: 0, modifiedMs: Math.trunc(stats.mtimeMs), message: null };
    const waiting: (readonly string[])[] = [[]];
    for (let parts = waiting.pop(); parts !== undefined; parts = waiting.pop()) {
      signal.throwIfAborted();
      for (const entry of await this.#entriesOf(parts)) {
        yield entry;
        if (entry.kind === 'folder') waiting.push(entry.path.split('/'));
      }
    }
  }

  /** All of one folder at once: it may not be held any more when the next is asked for. */
  async #entriesOf(parts: readonly string[]): Promise<readonly SourceEntry[]> {
    const of = (name: string, kind: SourceEntry['kind'], more: Partial<SourceEntry> = {}): SourceEntry => ({ path: [...parts, name].join('/'), kind, sizeBytes: 0, modifiedMs: 0, message: null, ...more });
    let folder: HeldFolder;
    let names: readonly Buffer[];
    try {
      folder = await this.#folder(parts);
      names = await readdir(folder.entry('.'), { encoding: 'buffer' });
    } catch (error) {
      return [{ path: parts.join('/'), kind: 'unreadable', sizeBytes: 0, modifiedMs: 0, message: problemOf(error) }];
    }
    const entries: SourceEntry[] = [];
    for (const bytes of names) {
      const name = bytes.toString('utf8');
      if (!Buffer.from(name).equals(bytes)) {
        entries.push(of(name, 'unreadable', { message: 'its name is no UTF-8' }));
        continue;
      }
      try {
        const stats = await lstat(folder.entry(name));
        const modifiedMs = Math.trunc(stats.mtimeMs);
        if (stats.isSymbolicLink()) entries.push(of(name, 'link', { modifiedMs, message: await readlink(folder.entry(name)) }));
        else if (stats.isDirectory()) entries.push(of(name, 'folder', { modifiedMs }));
        else entries.push(of(name, stats.isFile() ? 'file' : 'other', { sizeBytes: stats.size, modifiedMs }));
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') entries.push(of(name, 'unreadable', { message: problemOf(error) }));
      }
    }
    return entries;
  }

  async source(parts: readonly string[]): Promise<CopySource> {
    const { handle, file } = await this.#open(parts, constants.O_RDONLY, false);
    const { size } = await handle.stat();
    return new Source(handle, file, size);
  }

  async arrived(parts: readonly string[], sizeBytes: number): ReturnType<LocalTree['arrived']> {
    const look = async (suffix: string, isMeant: (size: number) => boolean): Promise<{ readonly sizeBytes: number; readonly sha256: string } | 'folder' | 'link' | null> => {
      try {
        const { folder, name } = await this.#place(parts);
        const stats = await lstat(folder.entry(name + suffix));
        if (stats.isSymbolicLink()) return 'link';
        if (stats.isDirectory()) return 'folder';
        if (!stats.isFile() || !isMeant(stats.size)) return null;
        const { handle } = await this.#open(parts, constants.O_RDONLY, false, suffix);
        try {
          const hash = createHash('sha256');
          return { sizeBytes: await readInto(handle, 0, null, (bytes) => void hash.update(bytes)), sha256: hash.digest('hex') };
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null;
        throw readError(this.#showing(parts), error);
      }
    };
    const whole = await look('', (size) => size === sizeBytes);
    const part = await look(PART_SUFFIX, (size) => size <= sizeBytes);
    return { obstacle: typeof whole === 'string' ? whole : null, whole: whole === null || typeof whole === 'string' ? null : whole.sha256, part: typeof part === 'string' ? null : part };
  }

  async makeFolder(parts: readonly string[]): Promise<void> {
    try {
      if (parts.length > 0) {
        const folder = await this.#folder(parts.slice(0, -1));
        await mkdir(folder.entry(parts.at(-1) ?? '')).catch(ignoreExisting);
      } else await mkdir(this.#root, { recursive: true });
      await this.#folder(parts);
    } catch (error) {
      throw error instanceof InputError ? error : writeError(this.#showing(parts), error);
    }
  }

  async target(parts: readonly string[], from: number): Promise<CopyTarget> {
    try {
      const { folder, name } = await this.#place(parts);
      const final = await lstat(folder.entry(name)).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return null;
        throw error;
      });
      if (final?.isSymbolicLink() === true) throw new InputError({ file: this.#showing(parts) }, 'is a link, which is not followed');
      if (final?.isDirectory() === true) throw new InputError({ file: this.#showing(parts) }, 'is a folder');
      const { handle } = await this.#open(parts, constants.O_RDWR | constants.O_CREAT, true, PART_SUFFIX);
      const target = new Target(handle, this.#showing(parts), final === null ? null : final.mode & 0o777, async (act) => {
        const place = await this.#place(parts);
        await act(place.folder.entry(place.name + PART_SUFFIX), place.folder.entry(place.name));
      });
      try {
        await target.begin(from);
      } catch (error) {
        await target.leave();
        throw error;
      }
      return target;
    } catch (error) {
      throw error instanceof InputError ? error : writeError(this.#showing(parts), error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const { handle } of held) await handle?.close();
  }

  #showing(parts: readonly string[]): string {
    return join(this.#shown, ...parts);
  }

  /** The folder that an entry is in: of the root itself it is the one beside it. */
  async #place(parts: readonly string[]): Promise<{ readonly folder: HeldFolder; readonly name: string }> {
    return { folder: await this.#folder(parts.length === 0 ? null : parts.slice(0, -1)), name: parts.length === 0 ? basename(this.#root) : parts.at(-1) ?? '' };
  }

  /** null: the one that the root is in. */
  async #folder(parts: readonly string[] | null): Promise<HeldFolder> {
    const name = parts?.at(-1);
    if (name !== undefined) requireName(name);
    const key = parts === null ? '..' : `/${parts.join('/')}`;
    const known = this.#held.get(key);
    if (known !== undefined) {
      this.#held.delete(key);
      this.#held.set(key, known);
      return known;
    }
    const held = name === undefined ? await this.#hold(await realpath(parts === null ? dirname(this.#root) : this.#root), []) : await this.#below(await this.#folder(parts?.slice(0, -1) ?? []), name);
    // one that is not held is looked at each time
    if (held.handle === null) return held;
    if (this.#isClosed) {
      await held.handle.close();
      throw new InputError({ file: this.#showing(parts ?? []) }, 'is not used any more: the copy has ended');
    }
    this.#held.set(key, held);
    if (this.#held.size > MOST_HELD) await this.#letGo();
    return held;
  }

  async #letGo(): Promise<void> {
    const [oldest] = this.#held;
    if (oldest === undefined) return;
    this.#held.delete(oldest[0]);
    // an operation that is under way may still use it: none is, for they come one after the other
    await oldest[1].handle?.close();
  }

  async #below(folder: HeldFolder, name: string): Promise<HeldFolder> {
    const path = folder.entry(name);
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) throw new InputError({ file: this.#showing([...folder.parts, name]) }, 'is a link, which is not followed');
    if (!stats.isDirectory()) throw new InputError({ file: this.#showing([...folder.parts, name]) }, 'is no folder');
    return this.#hold(this.#holds ? path : join(folder.real, name), [...folder.parts, name]);
  }

  async #hold(path: string, parts: readonly string[]): Promise<HeldFolder> {
    if (!this.#holds) {
      if ((await realpath(path)).toLowerCase() !== path.toLowerCase()) throw new InputError({ file: this.#showing(parts) }, 'leads elsewhere by a link');
      return { parts, handle: null, real: path, entry: (name) => join(path, name) };
    }
    const handle = await open(path, constants.O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return { parts, handle, real: path, entry: (name) => `${OPEN_FOLDERS}/${handle.fd}/${name}` };
  }

  /** Opens a regular file and no link. `isOwn`: one that is written to, which nobody else's name may lead to. */
  async #open(parts: readonly string[], flags: number, isOwn: boolean, suffix = ''): Promise<{ readonly handle: FileHandle; readonly file: string }> {
    const file = this.#showing(parts) + suffix;
    const isTyped = parts.length === 0 && !isOwn && suffix === '';
    let handle: FileHandle;
    try {
      // a file that the user names is read wherever it is
      const path = isTyped ? this.#root : await this.#pathOf(parts, suffix);
      handle = await open(path, flags | (isTyped ? 0 : O_NOFOLLOW) | O_NONBLOCK, FILE_MODE);
    } catch (error) {
      if (codeOf(error) === 'ELOOP') throw new InputError({ file }, 'is a link, which is not followed', { cause: error });
      throw error;
    }
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new InputError({ file }, 'is no regular file');
      if (isOwn && stats.nlink !== 1) throw new InputError({ file }, 'has other names, too, and is not written to');
      if (!this.#holds && !isTyped) await this.#requirePlace(parts, suffix, stats, file);
      return { handle, file };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #pathOf(parts: readonly string[], suffix: string): Promise<string> {
    const { folder, name } = await this.#place(parts);
    requireName(name);
    return folder.entry(name + suffix);
  }

  /** Where folders are not held: what was opened is what stands there, and no folder on the way has become a link. */
  async #requirePlace(parts: readonly string[], suffix: string, { dev, ino }: { readonly dev: number; readonly ino: number }, file: string): Promise<void> {
    const { folder, name } = await this.#place(parts);
    const there = await lstat(join(folder.real, name + suffix));
    if ((await realpath(folder.real)).toLowerCase() !== folder.real.toLowerCase() || there.isSymbolicLink() || there.dev !== dev || there.ino !== ino) throw new InputError({ file }, 'has changed its place while it was opened'); // what a file system without case gives back is its own spelling
  }
}

class Source implements CopySource {
  readonly sizeBytes: number;
  readonly #handle: FileHandle;
  readonly #file: string;
  /** Of the bytes before `#at`. */
  #hash: Hash = createHash('sha256');
  #at = 0;

  constructor(handle: FileHandle, file: string, sizeBytes: number) {
    this.#handle = handle;
    this.#file = file;
    this.sizeBytes = sizeBytes;
  }

  async prefix(length: number): Promise<string | null> {
    if (length > this.sizeBytes) return null;
    if (length < this.#at) {
      this.#hash = createHash('sha256');
      this.#at = 0;
    }
    const reading = this.#until(length);
    while ((await reading.next()).done !== true);
    return this.#at === length ? this.#hash.copy().digest('hex') : null;
  }

  async* read(from: number): AsyncGenerator<Uint8Array, void, undefined> {
    if (await this.prefix(from) === null) throw new InputError({ file: this.#file }, 'became shorter while it was copied');
    yield* this.#until(this.sizeBytes);
    if (this.#at !== this.sizeBytes) throw new InputError({ file: this.#file }, 'became shorter while it was copied');
  }

  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async* #until(end: number): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      while (this.#at < end) {
        // each its own, for whoever gets it may hold it
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - this.#at));
        const { bytesRead } = await this.#handle.read(buffer, 0, buffer.length, this.#at);
        if (bytesRead === 0) return;
        const bytes = buffer.subarray(0, bytesRead);
        this.#hash.update(bytes);
        this.#at += bytesRead;
        yield bytes;
      }
    } catch (error) {
      throw readError(this.#file, error);
    }
  }
}

/** Calls with where the part and the file itself are now. */
type WithPaths = (act: (part: string, final: string) => Promise<void>) => Promise<void>;

class Target implements CopyTarget {
  readonly #handle: FileHandle;
  readonly #shown: string;
  readonly #mode: number | null;
  readonly #withPaths: WithPaths;
  readonly #hash: Hash = createHash('sha256');
  #at = 0;
  #isOpen = true;

  constructor(handle: FileHandle, shown: string, mode: number | null, withPaths: WithPaths) {
    this.#handle = handle;
    this.#shown = shown;
    this.#mode = mode;
    this.#withPaths = withPaths;
  }

  async begin(from: number): Promise<void> {
    await this.#handle.truncate(from);
    this.#at = await readInto(this.#handle, 0, from, (bytes) => void this.#hash.update(bytes));
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      this.#hash.update(bytes);
      for (let offset = 0; offset < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, offset, bytes.length - offset, this.#at);
        offset += bytesWritten;
        this.#at += bytesWritten;
      }
    } catch (error) {
      throw writeError(this.#shown, error);
    }
  }

  async commit(sha256: string, modifiedMs: number): Promise<void> {
    try {
      if (this.#hash.copy().digest('hex') !== sha256) {
        await this.#withPart((part) => rm(part));
        throw new InputError({ file: this.#shown }, 'what has arrived has another SHA-256 than what was sent');
      }
      if (this.#mode !== null) await this.#handle.chmod(this.#mode);
      await this.#handle.utimes(modifiedMs / 1000, modifiedMs / 1000);
      await this.#withPart((part, final) => rename(part, final));
      await this.leave();
    } catch (error) {
      await this.leave();
      throw error instanceof InputError ? error : writeError(this.#shown, error);
    }
  }

  /** Nothing is done to a file that has come into the place of the one that was written. */
  async #withPart(act: (part: string, final: string) => Promise<void>): Promise<void> {
    const { dev, ino } = await this.#handle.stat();
    await this.#withPaths(async (part, final) => {
      const there = await lstat(part);
      if (there.dev !== dev || there.ino !== ino) throw new InputError({ file: this.#shown }, 'has changed its place while it was written');
      await act(part, final);
    });
  }

  async leave(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

/** The bytes from a place on, to the end or to another one; gives where it stopped. */
async function readInto(handle: FileHandle, from: number, until: number | null, take: (bytes: Uint8Array) => void): Promise<number> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = from; ;) {
    const { bytesRead } = await handle.read(buffer, 0, until === null ? buffer.length : Math.min(buffer.length, until - at), at);
    if (bytesRead === 0) return at;
    take(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** Those who ask have looked at names already; this is the last wall. */
function requireName(name: string): void {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0') || (process.platform === 'win32' && /[\\:]/.test(name))) throw new InputError({ file: name }, 'is no name of a file');
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

const READ_PROBLEMS: Readonly<Record<string, string>> = { ENOENT: 'no such file or directory', EACCES: 'permission denied', EPERM: 'permission denied', ENOTDIR: 'a part of its path is no folder', EISDIR: 'is a folder' };

function problemOf(error: unknown): string {
  return READ_PROBLEMS[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

function readError(file: string, error: unknown): InputError {
  return error instanceof InputError ? error : new InputError({ file }, `cannot be read: ${problemOf(error)}`, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
