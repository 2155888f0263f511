import { realpath, stat } from 'node:fs/promises';
import { apiVersionOf } from '../../domain/kubernetes/resource.ts';
import type { Resource } from '../../domain/kubernetes/resource.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { InputError, UsageError } from '../../errors.ts';
import { TemporaryFile, writeError } from '../temporary-file.ts';
import { INVENTORY_API_VERSION, INVENTORY_KIND } from './inventory-file.ts';
import type { InventoryMetadata, RecordedResource } from './inventory-file.ts';

/** Text that is gathered before it is written, in characters. */
const BLOCK_CHARACTERS = 1024 * 1024;

export interface InventoryWriterOptions {
  readonly signal?: AbortSignal | undefined;
  /** Tells when the signal has aborted whether the file is wanted all the same, if all of it has been read. */
  readonly isWanted?: (() => boolean) | undefined;
}

type Format = { readonly start: string; readonly item: (object: KubeObject, first: boolean) => string; readonly end: (metadata: InventoryMetadata, empty: boolean) => string };

/**
 * Writes an Inventory page by page: the raw objects exactly as they were read, so the whole list is never in memory.
 * `.yaml` and `.yml` write YAML, every other name JSON, with `.gz` behind it compressed. The file has mode 0600 (specs can
 * hold passwords in environment variables), and is in its place once `finish` has put it there; until
 * then an existing file stays as it is. Call `abort` when anything fails. Secrets are refused, so none is ever saved.
 * metadata comes last in the file: what was read is known only at the end, and a file without it is seen to be cut off.
 */
export class InventoryWriter {
  readonly file: string;
  readonly #temporary: TemporaryFile;
  readonly #format: Format;
  readonly #compressor: Compressor | null;
  readonly #options: InventoryWriterOptions;
  readonly #resources = new Map<string, RecordedResource>();
  #pending = '';
  #count = 0;
  #closed = false;

  private constructor(file: string, temporary: TemporaryFile, format: Format, compressor: Compressor | null, options: InventoryWriterOptions) {
    this.file = file;
    this.#temporary = temporary;
    this.#format = format;
    this.#compressor = compressor;
    this.#options = options;
    this.#pending = format.start;
  }

  /** Begins the file. Throws InputError when its folder cannot be written. */
  static async create(file: string, options: InventoryWriterOptions = {}): Promise<InventoryWriter> {
    options.signal?.throwIfAborted();
    if (file === '' || file === '-') throw new UsageError('--save needs the name of a file');
    const target = await targetOf(file);
    const plainName = file.replace(/\.gz$/i, '');
    const format = /\.ya?ml$/i.test(plainName) ? await yamlFormat() : JSON_FORMAT;
    const compressor = plainName === file ? null : await startCompressor();
    try {
      return new InventoryWriter(file, await TemporaryFile.create(target, 0o600), format, compressor, options);
    } catch (error) {
      throw writeError(file, error);
    }
  }

  /** Objects written so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Records that a resource was read, and its objects. Call it once without objects where the cluster has none.
   * `complete`: all objects of the cluster were asked for, not a selection.
   */
  async write(resource: Resource, objects: readonly KubeObject[], complete: boolean): Promise<void> {
    this.#throwIfUnwanted();
    if (this.#closed) throw new Error('the inventory is finished');
    if (isSecret(resource)) throw new UsageError('secrets are never saved to an inventory');
    const key = `${resource.group}/${resource.plural}`;
    this.#resources.set(key, {
      group: resource.group, version: resource.version, resource: resource.plural, kind: resource.kind, namespaced: resource.namespaced,
      complete: complete || this.#resources.get(key)?.complete === true,
    });
    for (const object of objects) {
      const complete = object.kind === undefined || object.apiVersion === undefined ? { ...object, apiVersion: object.apiVersion ?? apiVersionOf(resource), kind: object.kind ?? resource.kind } : object;
      if (complete.kind === 'Secret' && complete.apiVersion === 'v1') throw new UsageError('secrets are never saved to an inventory');
      this.#pending += this.#format.item(complete, this.#count === 0);
      this.#count++;
      if (this.#pending.length > BLOCK_CHARACTERS) await this.#flush();
    }
  }

  /** Completes the file and puts it in its place. */
  async finish(metadata: Omit<InventoryMetadata, 'resources'>): Promise<void> {
    if (this.#closed) throw new Error('the inventory is finished');
    try {
      this.#throwIfUnwanted();
      const resources = [...this.#resources.values()].sort((a, b) => (`${a.group}/${a.resource}` < `${b.group}/${b.resource}` ? -1 : 1));
      this.#pending += this.#format.end({ ...metadata, resources }, this.#count === 0);
      await this.#flush();
      if (this.#compressor !== null) await this.#writeBytes(await this.#compressor.end());
      await this.#temporary.replaceTarget();
      this.#closed = true;
    } catch (error) {
      await this.abort();
      this.#throwIfUnwanted();
      throw error instanceof InputError ? error : writeError(this.file, error);
    }
  }

  /** Removes what was written; an existing file stays as it was. Does nothing after `finish`. */
  async abort(): Promise<void> {
    this.#closed = true;
    await this.#temporary.discard();
  }

  #throwIfUnwanted(): void {
    if (this.#options.isWanted?.() !== true) this.#options.signal?.throwIfAborted();
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    await this.#writeBytes(this.#compressor === null ? Buffer.from(text) : await this.#compressor.add(text));
  }

  async #writeBytes(bytes: Uint8Array): Promise<void> {
    try {
      await this.#temporary.write(bytes);
    } catch (error) {
      throw writeError(this.file, error);
    }
  }
}

/** The file to replace: what a symbolic link leads to, so that the link stays one. Throws InputError for what a rename must not replace. */
async function targetOf(file: string): Promise<string> {
  const target = await realpath(file).catch(() => file);
  const found = await stat(target).catch(() => null);
  if (found?.isDirectory() === true) throw new InputError({ file }, 'is a folder; --save needs the name of a file');
  // Run by root, the rename would put a file in the place of /dev/null.
  if (found !== null && !found.isFile()) throw new InputError({ file }, 'is a device or a pipe; --save needs the name of a file');
  return target;
}

function isSecret(resource: Resource): boolean {
  return resource.group === '' && resource.plural === 'secrets';
}

/** One object per line: small, and still good to grep and to compare. */
const JSON_FORMAT: Format = {
  start: `{"apiVersion":${JSON.stringify(INVENTORY_API_VERSION)},"kind":${JSON.stringify(INVENTORY_KIND)},"items":[`,
  item: (object, first) => `${first ? '\n' : ',\n'}${JSON.stringify(object)}`,
  end: (metadata) => `\n],"metadata":${JSON.stringify(metadata)}}\n`,
};

async function yamlFormat(): Promise<Format> {
  const [{ dump }, { KUBECTL_DUMP_SCHEMA }] = await Promise.all([import('js-yaml'), import('./yaml-schema.ts')]);
  const render = (value: unknown): string => dump(value, { schema: KUBECTL_DUMP_SCHEMA, noRefs: true, lineWidth: -1 });
  return {
    start: `apiVersion: ${INVENTORY_API_VERSION}\nkind: ${INVENTORY_KIND}\n`,
    item: (object, first) => (first ? 'items:\n' : '') + render([object]),
    end: (metadata, empty) => (empty ? 'items: []\n' : '') + render({ metadata }),
  };
}

interface Compressor {
  add(text: string): Promise<Uint8Array>;
  end(): Promise<Uint8Array>;
}

async function startCompressor(): Promise<Compressor> {
  const { createGzip } = await import('node:zlib');
  const gzip = createGzip();
  let blocks: Buffer[] = [];
  gzip.on('data', (block: Buffer) => blocks.push(block));
  const take = (): Uint8Array => {
    const bytes = Buffer.concat(blocks);
    blocks = [];
    return bytes;
  };
  return {
    add: (text) => new Promise((resolve, reject) => {
      gzip.write(text, (error) => (error == null ? resolve(take()) : reject(error)));
    }),
    end: () => new Promise((resolve, reject) => {
      gzip.on('end', () => resolve(take()));
      gzip.on('error', reject);
      gzip.end();
    }),
  };
}
