import type { FieldPath } from '../../domain/kubernetes/field-path.ts';
import type { TextRange } from './text-places.ts';
import type { DuplicateKey } from './yaml-places.ts';

/** Finds keys and list items in a JSON text that JSON.parse has taken. */
export interface JsonPlaces {
  /** Range of the key at a path (of the item, for an index), or of the nearest one above it. `start`: where the document begins. */
  find(start: number, path: FieldPath): TextRange;
  /** Whether the document that `value` was parsed from has more keys than it. */
  hasDuplicates(start: number, end: number, value: unknown): boolean;
  duplicates(start: number): readonly DuplicateKey[];
}

export function jsonPlaces(text: string): JsonPlaces {
  /** Starts of the items of lists that were gone through, by the list's own start. */
  const lists = new Map<number, readonly number[]>();
  const itemsOf = (list: number): readonly number[] => {
    let items = lists.get(list);
    if (items === undefined) {
      const starts: number[] = [];
      for (let at = skipSpace(text, list + 1); at < text.length && text[at] !== ']';) {
        starts.push(at);
        at = skipSpace(text, skipValue(text, at));
        if (text[at] === ',') at = skipSpace(text, at + 1);
      }
      items = starts;
      lists.set(list, items);
    }
    return items;
  };
  /** Members of long maps that were gone through, by the map's start. */
  const maps = new Map<number, ReadonlyMap<string, Member>>();
  const memberOf = (map: number, name: string): Member | undefined => {
    const known = maps.get(map);
    if (known !== undefined) return known.get(name);
    const found = new Map<string, Member>();
    let last: (Member & { readonly end: number }) | undefined;
    for (const member of members(text, map)) {
      found.set(member.name, member); // the last one of a name counts, as for JSON.parse
      last = member;
    }
    if (last !== undefined && last.end - map > LONG_MAP) maps.set(map, found);
    return found.get(name);
  };
  return {
    find(start, path) {
      let value = start;
      let range = firstOf(text, start);
      for (const step of path) {
        if (typeof step === 'number') {
          const item = text[value] === '[' ? itemsOf(value)[step] : undefined;
          if (item === undefined) return range;
          range = firstOf(text, item);
          value = item;
        } else {
          const found = text[value] === '{' ? memberOf(value, step) : undefined;
          if (found === undefined) return range;
          ({ range, value } = found);
        }
      }
      return range;
    },
    hasDuplicates: (start, end, value) => countKeysOfText(text, start, end) > countKeys(value),
    duplicates: (start) => findDuplicates(text, start),
  };
}

/** The first key of a map; a scalar itself; a bracket otherwise. */
function firstOf(text: string, start: number): TextRange {
  if (text[start] === '[') return { start, end: start + 1 };
  if (text[start] !== '{') return { start, end: skipValue(text, start) };
  const first = skipSpace(text, start + 1);
  return text[first] === '"' ? { start: first, end: skipString(text, first) } : { start, end: start + 1 };
}

/** Characters of a map from which on it is gone through only once. */
const LONG_MAP = 2_000;

interface Member {
  readonly range: TextRange;
  readonly name: string;
  /** Where its value begins. */
  readonly value: number;
}

/** `end`, set by whoever has gone through the value, saves going through it again. */
function* members(text: string, map: number): Generator<Member & { end: number }> {
  for (let at = skipSpace(text, map + 1); text[at] === '"';) {
    const end = skipString(text, at);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    const member = { range: { start: at, end }, name: keyName(text, at, end), value, end: -1 };
    yield member;
    if (member.end === -1) member.end = skipValue(text, value);
    at = skipSpace(text, member.end);
    if (text[at] !== ',') return;
    at = skipSpace(text, at + 1);
  }
}

function keyName(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? String(JSON.parse(text.slice(start, end))) : raw;
}

function findDuplicates(text: string, start: number): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const path: (string | number)[] = [];
  const visit = (at: number): number => {
    if (text[at] === '{') {
      const names = new Map<string, TextRange>();
      let end = skipSpace(text, at + 1);
      for (const member of members(text, at)) {
        path.push(member.name);
        const first = names.get(member.name);
        if (first === undefined) names.set(member.name, member.range);
        else found.push({ path: [...path], first, last: member.range });
        member.end = end = visit(member.value);
        path.pop();
      }
      return skipSpace(text, end) + 1;
    }
    if (text[at] !== '[') return skipValue(text, at);
    let item = skipSpace(text, at + 1);
    for (let index = 0; text[item] !== ']' && item < text.length; index++) {
      path.push(index);
      item = skipSpace(text, visit(item));
      path.pop();
      if (text[item] === ',') item = skipSpace(text, item + 1);
    }
    return item + 1;
  };
  visit(start);
  return found;
}

function countKeys(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += countKeys(item);
  } else if (typeof value === 'object' && value !== null) {
    const map = value as Readonly<Record<string, unknown>>; // any object that is no list
    for (const key in map) {
      count++;
      const member = map[key];
      if (typeof member === 'object' && member !== null) count += countKeys(member);
    }
  }
  return count;
}

/** In valid JSON a colon outside of strings follows a key. */
function countKeysOfText(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = skipString(text, at) - 1;
    else if (code === 0x3a) count++;
  }
  return count;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; code = text.charCodeAt(++at));
  return at;
}

/** Offset after the string that begins at `start`. */
function skipString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Offset after the value that begins at `start`. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = skipString(text, at);
    else if (code === 0x7b || code === 0x5b) {
      depth++;
      at++;
      continue;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      at++;
    } else if (depth === 0) {
      while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++;
      return at;
    } else {
      at++;
      continue;
    }
    if (depth === 0) return at;
  }
  return text.length;
}
