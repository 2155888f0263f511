/** What the operations on a node print about files: a line each, tabs between its fields. */
import type { Arrived, SourceEntry } from './copy-plan.ts';

export interface NodeRoot {
  /** Where the copy goes, or comes from: the folder that was given, or something in it. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'missing';
}

export interface NodeListing {
  readonly root: NodeRoot;
  readonly entries: readonly SourceEntry[];
  /** Of the files that were asked about, by path with `/`. */
  readonly arrived: ReadonlyMap<string, Arrived>;
}

const ROOT_KINDS: Readonly<Record<string, NodeRoot['kind']>> = { f: 'file', d: 'folder', l: 'link', n: 'missing' };
const ENTRY_KINDS: Readonly<Record<string, SourceEntry['kind']>> = { f: 'file', d: 'folder', l: 'link', x: 'unreadable' };

/** Throws Error for lines that are none of these: then something else has written to the same stream. */
export function readListing(text: string): NodeListing {
  let root: NodeRoot | null = null;
  const entries: SourceEntry[] = [];
  const arrived = new Map<string, Arrived>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [type = '', ...fields] = line.split('\t');
    if (type === 'r') {
      const [kind = '', path = ''] = fields;
      root = { kind: ROOT_KINDS[kind] ?? fail(line), path };
    } else if (type === 'c') {
      const [whole = '', sha256 = '', partSize = '', partSha256 = '', path = ''] = fields;
      arrived.set(path.replaceAll('\\', '/'), {
        obstacle: whole === 'd' ? 'folder' : whole === 'l' ? 'link' : null, whole: hashOf(sha256, line),
        part: partSize === '-' ? null : { sizeBytes: numberOf(partSize, line), sha256: hashOf(partSha256, line) ?? fail(line) },
      });
    } else {
      const [size = '', modified = '', path = '', message = null] = fields;
      entries.push({ path, kind: ENTRY_KINDS[type] ?? fail(line), sizeBytes: numberOf(size, line), modifiedMs: numberOf(modified, line), message });
    }
  }
  return { root: root ?? fail(text.slice(0, 100)), entries, arrived };
}

export type NodeResult =
  /** `problem`: why it has not arrived; null: it has. */
  | { readonly index: number; readonly problem: string | null }
  /** Bytes that it has taken since the last one. */
  | { readonly receipt: number };

/** What copy-receive prints of each line of its list, and meanwhile. */
export function readResult(line: string): NodeResult {
  const [index = '', result = '', message = ''] = line.split('\t');
  if (index === 'a') return { receipt: numberOf(result, line) };
  if (result !== 'ok' && result !== 'failed') fail(line);
  return { index: numberOf(index, line), problem: result === 'ok' ? null : message };
}

function numberOf(text: string, line: string): number {
  return /^-?\d{1,16}$/.test(text) ? Number(text) : fail(line);
}

function hashOf(text: string, line: string): string | null {
  if (text === '-') return null;
  return /^[0-9a-f]{64}$/.test(text) ? text : fail(line);
}

function fail(line: string): never {
  throw new Error(`the node printed what is no part of a copy: ${JSON.stringify(line.slice(0, 200))}`);
}
