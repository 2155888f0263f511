import { EVENT_ID, SCALAR_STYLE, getScalarValue } from 'js-yaml';
import type { Event, ScalarEvent } from 'js-yaml';
import type { FieldPath } from '../../domain/kubernetes/field-path.ts';
import { resolveKubectlScalar } from '../inventory/kubectl-scalar.ts';
import { parseMended } from '../inventory/mended-yaml.ts';
import { keyText } from '../inventory/yaml-schema.ts';
import type { TextRange } from './text-places.ts';

/** A key that a map has twice. */
export interface DuplicateKey {
  readonly path: FieldPath;
  readonly first: TextRange;
  /** The one that counts for kubectl. */
  readonly last: TextRange;
}

/** Finds keys and list items in the text of YAML documents. */
export interface YamlPlaces {
  /** Range of the key at a path (of the item, for an index), or of the nearest one above it. `document`: number in the text, from 0. */
  find(document: number, path: FieldPath): TextRange;
  duplicates(document: number): readonly DuplicateKey[];
}

/** Parses a text that is known to be valid YAML. */
export function yamlPlaces(text: string): YamlPlaces {
  const mended = parseMended(text);
  const tree: Tree = { text: mended.text, events: mended.events, next: new Uint32Array(0), roots: [], items: new Map(), keys: new Map(), targets: null };
  indexTree(tree);
  const original = ({ start, end }: TextRange): TextRange => ({ start: mended.originalOffset(start), end: mended.originalOffset(end) });
  return {
    find: (document, path) => original(findPath(tree, tree.roots[document] ?? -1, path)),
    duplicates: (document) => findDuplicates(tree, tree.roots[document] ?? -1).map(({ path, first, last }) => ({ path, first: original(first), last: original(last) })),
  };
}

interface Tree {
  readonly text: string;
  readonly events: readonly Event[];
  /** For each event that begins a value, the event after that value. */
  next: Uint32Array;
  /** Event of each document's root. */
  readonly roots: number[];
  /** Items of lists that were gone through, so that a List of thousands is not gone through for each finding. */
  readonly items: Map<number, readonly number[]>;
  /** Own keys of long maps that were gone through. */
  readonly keys: Map<number, OwnKeys>;
  /** What aliases stand for; null before the first is asked for. */
  targets: ReadonlyMap<number, number> | null;
}

interface OwnKeys {
  /** The last one of a name, which counts for kubectl. */
  readonly found: ReadonlyMap<string, FoundValue>;
  /** Values of merge keys. */
  readonly merged: readonly number[];
}

function indexTree(tree: Tree): void {
  const { events } = tree;
  const next = new Uint32Array(events.length);
  const open: number[] = [];
  for (const [index, event] of events.entries()) {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        tree.roots.push(index + 1);
        open.push(index);
        break;
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        open.push(index);
        break;
      case EVENT_ID.POP: {
        const begun = open.pop();
        if (begun !== undefined) next[begun] = index + 1;
        break;
      }
      case EVENT_ID.SCALAR:
      case EVENT_ID.ALIAS:
        next[index] = index + 1;
        break;
    }
  }
  tree.next = next;
}

function findPath(tree: Tree, root: number, path: FieldPath): TextRange {
  let node = resolveAlias(tree, root);
  let range = rangeOf(tree, root) ?? { start: 0, end: 0 };
  for (const step of path) {
    const found = typeof step === 'number' ? findItem(tree, node, step) : findKey(tree, node, step, MERGE_DEPTH);
    if (found === null) return range;
    range = found.range ?? range;
    node = resolveAlias(tree, found.value);
  }
  return range;
}

interface FoundValue {
  readonly value: number;
  readonly range: TextRange | null;
}

function findItem(tree: Tree, node: number, wanted: number): FoundValue | null {
  if (tree.events[node]?.type !== EVENT_ID.SEQUENCE) return null;
  const items = tree.items.get(node) ?? [...children(tree, node)];
  tree.items.set(node, items);
  const item = items[wanted];
  return item === undefined ? null : { value: item, range: rangeOf(tree, item) };
}

/** Merges within merges that are followed. */
const MERGE_DEPTH = 20;
/** Events of a map from which on it is gone through only once. */
const LONG_MAP = 200;

/** `seen`: maps that do not have the key. */
function findKey(tree: Tree, node: number, wanted: string, mergeDepth: number, seen = new Set<number>()): FoundValue | null {
  if (tree.events[node]?.type !== EVENT_ID.MAPPING || seen.has(node)) return null;
  const { found, merged } = keysOf(tree, node);
  const own = found.get(wanted);
  if (own !== undefined) return own;
  if (mergeDepth === 0) return null;
  seen.add(node);
  for (const value of merged) {
    const source = resolveAlias(tree, value);
    const sources = tree.events[source]?.type === EVENT_ID.SEQUENCE ? [...children(tree, source)].map((item) => resolveAlias(tree, item)) : [source];
    for (const map of sources) {
      const inherited = findKey(tree, map, wanted, mergeDepth - 1, seen);
      if (inherited !== null) return inherited;
    }
  }
  return null;
}

function keysOf(tree: Tree, node: number): OwnKeys {
  const known = tree.keys.get(node);
  if (known !== undefined) return known;
  const found = new Map<string, FoundValue>();
  const merged: number[] = [];
  for (const { key, value } of pairs(tree, node)) {
    if (isMergeKey(tree, key)) {
      merged.push(value);
      continue;
    }
    const name = keyAt(tree, key);
    if (name !== null) found.set(name, { value, range: rangeOf(tree, key) });
  }
  if ((tree.next[node] ?? 0) - node > LONG_MAP) tree.keys.set(node, { found, merged });
  return { found, merged };
}

function* children(tree: Tree, node: number): Generator<number> {
  const end = (tree.next[node] ?? 0) - 1;
  for (let at = node + 1; at < end; at = tree.next[at] ?? end) yield at;
}

function* pairs(tree: Tree, node: number): Generator<{ readonly key: number; readonly value: number }> {
  const end = (tree.next[node] ?? 0) - 1;
  for (let key = node + 1; key < end;) {
    const value = tree.next[key] ?? end;
    yield { key, value };
    key = tree.next[value] ?? end;
  }
}

/** The node that an alias stands for: the last one with its anchor before it. */
function resolveAlias(tree: Tree, node: number): number {
  if (tree.events[node]?.type !== EVENT_ID.ALIAS) return node;
  return (tree.targets ??= findTargets(tree)).get(node) ?? node;
}

function findTargets({ text, events }: Tree): ReadonlyMap<number, number> {
  const targets = new Map<number, number>();
  const anchors = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    if (event.type === EVENT_ID.DOCUMENT) anchors.clear();
    else if (event.type === EVENT_ID.ALIAS) {
      const target = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
      if (target !== undefined) targets.set(index, target);
    } else if (event.type !== EVENT_ID.POP && event.anchorStart !== -1) anchors.set(text.slice(event.anchorStart, event.anchorEnd), index);
  }
  return targets;
}

function isMergeKey(tree: Tree, key: number): boolean {
  const event = tree.events[key];
  if (event?.type !== EVENT_ID.SCALAR) return false;
  return event.style === SCALAR_STYLE.PLAIN && tree.text.slice(event.valueStart, event.valueEnd) === '<<';
}

/** A key's name as kubectl has it in JSON; null for one that it refuses. */
function keyAt(tree: Tree, key: number): string | null {
  const event = tree.events[resolveAlias(tree, key)];
  if (event?.type !== EVENT_ID.SCALAR) return null;
  const source = event.valueStart === -1 ? '' : getScalarValue(tree.text, event);
  return event.style === SCALAR_STYLE.PLAIN && event.tagStart === -1 ? keyText(resolveKubectlScalar(source)) : source;
}

/** null for an empty value, which has no text. */
function rangeOf(tree: Tree, node: number): TextRange | null {
  const event = tree.events[node];
  if (event === undefined || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) return null;
  if (event.type === EVENT_ID.ALIAS) return { start: event.anchorStart - 1, end: event.anchorEnd };
  if (event.type === EVENT_ID.SCALAR) return scalarRange(tree.text, event);
  const first = event.type === EVENT_ID.MAPPING && node + 1 < (tree.next[node] ?? 0) - 1 ? rangeOf(tree, node + 1) : null;
  return first !== null && first.start === event.start ? first : { start: event.start, end: event.start + 1 };
}

function scalarRange(text: string, event: ScalarEvent): TextRange | null {
  if (event.valueStart === -1) return null;
  if (event.style === SCALAR_STYLE.PLAIN) return { start: event.valueStart, end: event.valueEnd };
  if (event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED) return { start: event.valueStart - 1, end: event.valueEnd + 1 };
  // the sign that begins a block stands before its text, after anchor and tag
  const before = text.slice(Math.max(0, event.valueStart - 500), event.valueStart);
  const sign = Math.max(before.lastIndexOf('|'), before.lastIndexOf('>'));
  const start = sign === -1 ? event.valueStart : event.valueStart - before.length + sign;
  return { start, end: start + 1 };
}

function findDuplicates(tree: Tree, root: number): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const path: (string | number)[] = [];
  const visit = (node: number): void => {
    const type = tree.events[node]?.type;
    if (type === EVENT_ID.MAPPING) {
      const keys = new Map<string, number>();
      for (const { key, value } of pairs(tree, node)) {
        const name = isMergeKey(tree, key) ? null : keyAt(tree, key);
        if (name === null) continue;
        path.push(name);
        const first = keys.get(name);
        if (first === undefined) keys.set(name, key);
        else found.push({ path: [...path], first: rangeOf(tree, first) ?? NOWHERE, last: rangeOf(tree, key) ?? NOWHERE });
        visit(value);
        path.pop();
      }
    } else if (type === EVENT_ID.SEQUENCE) {
      let index = 0;
      for (const item of children(tree, node)) {
        path.push(index++);
        visit(item);
        path.pop();
      }
    }
  };
  visit(root);
  return found;
}

const NOWHERE: TextRange = { start: 0, end: 0 };
