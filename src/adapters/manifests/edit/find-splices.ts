/** What to change in the text of a document for one edit, so that all the rest stays byte for byte. */
import type { FieldEdit } from '../../../domain/check/finding.ts';
import { formatFieldPath, type FieldPath } from '../../../domain/kubernetes/field-path.ts';
import { isRecord } from '../../../domain/kubernetes/object.ts';
import type { SourceDocument, SourceEntry, SourceNode } from './source-tree.ts';
import { blockLines, flowText, itemLines, pairLines, quoted, scalarText, type TextStyle } from './write-value.ts';

/** Replaces text[start, end). */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Refusal {
  readonly refused: string;
}

export interface FoundSplices {
  readonly splices: readonly Splice[];
  /** The map or list that is changed: only one edit at a time can be. */
  readonly within: SourceNode;
}

/** The text of a document with what is known of it. */
export interface EditableText {
  readonly text: string;
  readonly source: SourceDocument;
  readonly style: TextStyle;
  /** A JSON file, as against YAML in flow style. */
  readonly isJson: boolean;
  /** What a level of JSON over several lines begins with; null where all stands in one line, and for YAML. */
  readonly jsonUnit: string | null;
}

export function editableText(text: string, source: SourceDocument, isJson: boolean): EditableText {
  const jsonUnit = isJson ? /[{[]\r?\n([ \t]+)["{[]/.exec(text)?.[1] ?? null : null;
  return { text, source, isJson, jsonUnit, style: styleOf(text, source, jsonUnit) };
}

export interface Resolved {
  /** Without aliases: where the value is really written. */
  readonly path: FieldPath;
  /** Names of anchors around or at the place whose value others have too. */
  readonly shared: readonly string[];
}

/**
 * Follows aliases and merge keys on the way to the place of an edit. What is set in a map stands in that map, and wins over what
 * a merge brings. Refused where the place is written unusually.
 */
export function resolvePath(document: SourceDocument, edit: FieldEdit): Resolved | Refusal {
  const places = pathsOfAnchors(document);
  let at: Position = { node: document.root, path: [] };
  const shared: string[] = [];
  // The last step of a set is a place in its parent, as is that of a remove; an append goes into the value itself.
  const steps = edit.op === 'append' ? edit.path.length : edit.path.length - 1;
  for (let depth = 0; ; depth++) {
    const written = followAlias(at, places);
    if (written === null) return { refused: `${formatFieldPath(edit.path.slice(0, depth))} comes from an alias that cannot be followed` };
    at = written;
    if (at.node.anchor !== null && document.usedAnchors.has(at.node.anchor)) shared.push(at.node.anchor);
    if (depth === steps) break;
    const step = edit.path[depth];
    const next = step === undefined ? null : stepInto(at, step, places, MERGE_DEPTH);
    if (next === null) return { refused: `${formatFieldPath(edit.path.slice(0, depth + 1))} cannot be found in the text` };
    shared.push(...next.through.filter((name) => document.usedAnchors.has(name)));
    at = next;
  }
  const last = edit.path.at(-1);
  if (edit.op === 'append' || last === undefined) return { path: at.path, shared };
  const place = edit.op === 'remove' ? stepInto(at, last, places, MERGE_DEPTH) : null;
  shared.push(...(place?.through ?? []).filter((name) => document.usedAnchors.has(name)));
  const value = place?.node ?? entryAt(at.node, last)?.value;
  if (value?.anchor != null && document.usedAnchors.has(value.anchor)) shared.push(value.anchor);
  return { path: place?.path ?? [...at.path, last], shared };
}

/** A value with the path to where it is really written. */
interface Position {
  readonly node: SourceNode;
  readonly path: FieldPath;
}

/** Merges within merges that are followed. */
const MERGE_DEPTH = 20;

/** null where it is not known what the alias stands for. */
function followAlias(at: Position, places: ReadonlyMap<SourceNode, FieldPath>): Position | null {
  if (at.node.kind !== 'alias') return at;
  const { target } = at.node;
  const path = target === null ? undefined : places.get(target);
  return target === null || path === undefined ? null : { node: target, path };
}

/** The entry of a map or list: its own, or else what a merge key brings, with the names of the anchors that it comes through. */
function stepInto({ node, path }: Position, step: string | number, places: ReadonlyMap<SourceNode, FieldPath>, mergeDepth: number): Position & { readonly through: readonly string[] } | null {
  const own = entryAt(node, step);
  if (own !== undefined) return { node: own.value, path: [...path, step], through: [] };
  if (node.kind !== 'map' || mergeDepth === 0) return null;
  for (const { isMerge, key, value } of node.entries) {
    if (!isMerge || key === null) continue;
    const merged = followAlias({ node: value, path: [...path, key] }, places);
    if (merged === null) return null;
    for (const one of merged.node.kind === 'list' ? merged.node.entries.map((entry, index): Position => ({ node: entry.value, path: [...merged.path, index] })) : [merged]) {
      const source = followAlias(one, places);
      if (source === null) return null;
      const found = stepInto(source, step, places, mergeDepth - 1);
      if (found !== null) return { ...found, through: [merged.node, source.node].flatMap(({ anchor }) => (anchor === null ? [] : [anchor])).concat(found.through) };
    }
  }
  return null;
}

const anchorUsers = new WeakMap<SourceDocument, ReadonlyMap<string, readonly FieldPath[]>>();

/** Where an anchor's value stands, and the values that its aliases and merge keys bring it into, as far as keys and items lead there. */
export function usersOfAnchor(document: SourceDocument, anchor: string): readonly FieldPath[] {
  let users = anchorUsers.get(document);
  if (users === undefined) {
    const found = new Map<string, FieldPath[]>();
    collectUsers(document.root, [], found);
    users = found;
    anchorUsers.set(document, users);
  }
  return users.get(anchor) ?? [];
}

function collectUsers(node: SourceNode, path: FieldPath, users: Map<string, FieldPath[]>): void {
  const anchor = node.anchor ?? node.target?.anchor ?? null;
  if (anchor !== null) {
    const user = path.includes('<<') ? path.slice(0, path.indexOf('<<')) : path;
    const known = users.get(anchor);
    if (known === undefined) users.set(anchor, [user]);
    else known.push(user);
  }
  for (const [index, entry] of node.entries.entries()) {
    const step = node.kind === 'list' ? index : entry.key;
    if (step !== null) collectUsers(entry.value, [...path, step], users);
  }
}

/** Only the own entry of a map: what a merge gives is not written there. */
function entryAt(node: SourceNode, step: string | number): SourceEntry | undefined {
  if (typeof step === 'number') return node.kind === 'list' ? node.entries[step] : undefined;
  return node.kind === 'map' ? node.entries.findLast(({ key }) => key === step) : undefined;
}

const anchorPaths = new WeakMap<SourceDocument, ReadonlyMap<SourceNode, FieldPath>>();

function pathsOfAnchors(document: SourceDocument): ReadonlyMap<SourceNode, FieldPath> {
  const known = anchorPaths.get(document);
  if (known !== undefined) return known;
  const paths = new Map<SourceNode, FieldPath>();
  if (document.usedAnchors.size > 0) collectAnchors(document.root, [], paths);
  anchorPaths.set(document, paths);
  return paths;
}

function collectAnchors(node: SourceNode, path: FieldPath, paths: Map<SourceNode, FieldPath>): void {
  if (node.anchor !== null) paths.set(node, path);
  for (const [index, entry] of node.entries.entries()) {
    const step = node.kind === 'list' ? index : entry.key;
    if (step !== null) collectAnchors(entry.value, [...path, step], paths);
  }
}

/** The splices of an edit whose path has no alias in it (resolvePath). */
export function findSplices(document: EditableText, edit: FieldEdit): FoundSplices | Refusal {
  const parents = [document.source.root];
  const entries: SourceEntry[] = [];
  const steps = edit.op === 'append' ? edit.path : edit.path.slice(0, -1);
  for (const step of steps) {
    const entry = entryAt(parents.at(-1) ?? document.source.root, step);
    if (entry === undefined) return notFound(edit);
    entries.push(entry);
    parents.push(entry.value);
  }
  const within = parents.at(-1) ?? document.source.root;
  const holder = entries.at(-1) ?? null;
  const last = edit.path.at(-1);
  if (edit.op === 'append') return within.kind === 'list' ? appendItem(document, within, holder, edit.value) : notFound(edit);
  if (last === undefined) return notFound(edit);
  const entry = entryAt(within, last);
  if (edit.op === 'remove') {
    if (entry === undefined) return within.entries.some(({ isMerge }) => isMerge) ? { refused: `${formatFieldPath(edit.path)} comes from a merge key (<<)` } : notFound(edit);
    return within.isFlow ? removeFromFlow(within, entry) : removeFromBlock(document, within, entry, holder);
  }
  if (entry !== undefined) return replaceValue(document, within, entry, edit.value);
  if (typeof last === 'number' || within.kind !== 'map') return notFound(edit);
  return addPair(document, within, holder, last, edit.value);
}

function notFound(edit: FieldEdit): Refusal {
  return { refused: `${formatFieldPath(edit.path)} cannot be found in the text` };
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Behind the line break of the line that ends with the character before `offset`. */
function lineEnd(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** Before the line break that stands right before an offset. */
function withoutBreak(text: string, offset: number): number {
  if (text[offset - 1] !== '\n') return offset;
  return text[offset - 2] === '\r' ? offset - 2 : offset - 1;
}

/** Column of an offset, or null where something else than blanks stands before it in its line. */
function ownColumn(text: string, offset: number): number | null {
  const start = lineStart(text, offset);
  return /^ *$/.test(text.slice(start, offset)) ? offset - start : null;
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** Behind the lines of an entry: its own, and comments below it that stand further in than it does. */
function entryEnd(text: string, entry: SourceEntry): number {
  const column = columnOf(text, entry.start);
  let end = lineEnd(text, Math.max(entry.value.end, entry.indicatorEnd));
  for (;;) {
    const comment = /^( *)#[^\n]*(?:\n|$)/.exec(text.slice(end, text.indexOf('\n', end) === -1 ? text.length : text.indexOf('\n', end) + 1));
    if (comment?.[1] === undefined || comment[1].length <= column || comment[0] === '') return end;
    end += comment[0].length;
  }
}

/** Start of the comment lines right above an entry that stand as far in as it does; of its own line where there are none. */
function commentStart(text: string, entry: SourceEntry): number {
  const column = columnOf(text, entry.start);
  let start = lineStart(text, entry.start);
  while (start > 0) {
    const above = lineStart(text, start - 1);
    const indent = /^( *)#/.exec(text.slice(above, start))?.[1];
    if (indent?.length !== column) break;
    start = above;
  }
  return start;
}

function removeFromBlock({ text }: EditableText, within: SourceNode, entry: SourceEntry, holder: SourceEntry | null): FoundSplices | Refusal {
  const index = within.entries.indexOf(entry);
  if (within.entries.length === 1) {
    if (holder === null) return { refused: 'it is all that the document holds' };
    return emptied(text, within, entry, holder);
  }
  const end = entryEnd(text, entry);
  if (ownColumn(text, entry.start) !== null) {
    // A comment above the first entry may speak of all of them.
    const start = index === 0 ? lineStart(text, entry.start) : commentStart(text, entry);
    return { within, splices: [lines(text, start, end)] };
  }
  // `- name: x`: the next entry moves up to the dash.
  const next = within.entries[index + 1];
  if (next === undefined || index !== 0) return { refused: 'it stands in one line with something else' };
  if (/^[ ]*$/.test(text.slice(end, next.start))) return { within, splices: [{ start: entry.start, end: next.start, text: '' }] };
  const before = text.slice(lineStart(text, entry.start), entry.start);
  const blanks = before.length - before.trimEnd().length;
  return { within, splices: [{ start: entry.start - blanks, end: withoutBreak(text, end), text: '' }] };
}

/** Whole lines; the last one of a text without a line break at its end takes that of the line before. */
function lines(text: string, start: number, end: number): Splice {
  if (end === text.length && start > 0 && text[end - 1] !== '\n') return { start: text[start - 2] === '\r' ? start - 2 : start - 1, end, text: '' };
  return { start, end, text: '' };
}

/** The only entry goes: `{}` or `[]` stays behind. */
function emptied(text: string, within: SourceNode, entry: SourceEntry, holder: SourceEntry): FoundSplices | Refusal {
  const empty = within.kind === 'list' ? '[]' : '{}';
  const end = entryEnd(text, entry);
  if (ownColumn(text, entry.start) === null) {
    return { within, splices: [{ start: entry.start, end: withoutBreak(text, end), text: empty }] };
  }
  if (within.anchor !== null || within.hasTag) return { refused: 'it is all that a value with an anchor or a tag holds' };
  return { within, splices: [{ start: holder.indicatorEnd, end: holder.indicatorEnd, text: ` ${empty}` }, lines(text, lineStart(text, entry.start), end)] };
}

function removeFromFlow(within: SourceNode, entry: SourceEntry): FoundSplices {
  const index = within.entries.indexOf(entry);
  const next = within.entries[index + 1];
  const before = within.entries[index - 1];
  const end = Math.max(entry.value.end, entry.indicatorEnd);
  if (next !== undefined) return { within, splices: [{ start: entry.start, end: next.start, text: '' }] };
  if (before !== undefined) return { within, splices: [{ start: Math.max(before.value.end, before.indicatorEnd), end, text: '' }] };
  return { within, splices: [{ start: within.start + 1, end: within.end - 1, text: '' }] };
}

function replaceValue(document: EditableText, within: SourceNode, entry: SourceEntry, value: unknown): FoundSplices | Refusal {
  const { text, style } = document;
  const old = entry.value;
  if (within.isFlow || (old.isFlow && document.isJson)) {
    const at = old.kind === 'empty' ? { start: entry.indicatorEnd, end: entry.indicatorEnd, lead: ' ' } : { start: old.start, end: old.end, lead: '' };
    return { within, splices: [{ start: at.start, end: at.end, text: at.lead + flowValue(document, within.isFlow ? within : old, value, columnOf(text, entry.start)) }] };
  }
  const newLines = blockLines(value, style);
  const isOneLine = (old.kind === 'scalar' || old.kind === 'alias' || old.isFlow) && !old.isBlockScalar;
  if (newLines === null) {
    const written = replacementText(document, old, value);
    if (isOneLine) return { within, splices: [{ start: old.start, end: old.end, text: written }] };
    if (old.kind === 'empty') return { within, splices: [{ start: old.start, end: old.start, text: ` ${written}` }] };
    if (old.isBlockScalar || (ownColumn(text, old.start) === null && entry.key === null && ownOrDash(text, old.start))) {
      return { within, splices: [{ start: old.start, end: withoutBreak(text, old.end), text: written }] };
    }
    if (ownColumn(text, old.start) === null) return { refused: 'its old value stands in one line with something else' };
    return { within, splices: [{ start: endOfProperties(text, entry), end: endOfProperties(text, entry), text: ` ${written}` }, lines(text, lineStart(text, old.start), entryEnd(text, entry))] };
  }
  // Lines below the key or dash instead of the old value; the comment behind the key stays.
  if (typeof entry.key !== 'string') {
    if (old.anchor !== null || old.hasTag) return { refused: 'its old value has an anchor or a tag' };
    const written = itemLines(value, style, 1);
    return { within, splices: [{ start: entry.start, end: Math.max(withoutBreak(text, old.end), entry.indicatorEnd), text: indented(written, columnOf(text, entry.start), style).trimStart() }] };
  }
  const column = columnOf(text, entry.start) + (Array.isArray(value) && !style.indentsLists ? 0 : style.indent);
  const body = indented(newLines, column, style);
  if (old.isFlow || isOneLine || old.kind === 'empty') {
    const end = lineEnd(text, old.end);
    const blanks = old.kind === 'empty' ? old.start : old.start - (/[ \t]*$/.exec(text.slice(0, old.start))?.[0].length ?? 0);
    return { within, splices: [{ start: blanks, end: old.end, text: '' }, insertion(text, end, body, style)] };
  }
  if (ownColumn(text, old.start) === null) return { refused: 'its old value stands in one line with something else' };
  return { within, splices: [{ start: lineStart(text, old.start), end: lineEnd(text, old.end), text: `${body}${style.newline}` }] };
}

function endOfProperties(text: string, entry: SourceEntry): number {
  const line = text.slice(entry.indicatorEnd, text.indexOf('\n', entry.indicatorEnd));
  return entry.indicatorEnd + (/^(?:[ \t]+[&!][^\s]*)*/.exec(line)?.[0].length ?? 0);
}

/** A new scalar in the quotes of the old one. */
function replacementText({ text, style }: EditableText, old: SourceNode, value: unknown): string {
  const first = text[old.start];
  const isText = typeof value === 'string';
  if (isText && old.kind === 'scalar' && (first === '"' || first === "'")) return quoted(value, first);
  if (Array.isArray(value)) return '[]';
  return isRecord(value) ? '{}' : scalarText(value, style.quote);
}

function indented(written: readonly string[], column: number, style: TextStyle): string {
  return written.map((line) => (line === '' ? line : ' '.repeat(column) + line)).join(style.newline);
}

/** Lines put in at the start of a line, or at the end of a text whose last line has no line break. */
function insertion(text: string, at: number, body: string, style: TextStyle): Splice {
  return at > 0 && text[at - 1] !== '\n' ? { start: at, end: at, text: style.newline + body } : { start: at, end: at, text: body + style.newline };
}

/** Fields that stand before the containers of a pod, for people read these first. */
const BEFORE_CONTAINERS: ReadonlySet<string> = new Set(['os', 'nodeSelector', 'runtimeClassName', 'hostNetwork']);

function addPair(document: EditableText, within: SourceNode, holder: SourceEntry | null, key: string, value: unknown): FoundSplices | Refusal {
  const { text, style } = document;
  if (within.isFlow) return addToFlow(document, within, holder, (colon) => ({ key, value, colon }));
  const first = within.entries[0];
  const lastEntry = within.entries.at(-1);
  if (first === undefined || lastEntry === undefined) return { refused: 'its map cannot be found in the text' };
  const column = columnOf(text, first.start);
  if (ownColumn(text, first.start) === null && !/^[ -]*$/.test(text.slice(lineStart(text, first.start), first.start))) return { refused: 'its map stands in one line with something else' };
  // Further in by as much as its neighbours are.
  const step = holder !== null && typeof holder.key === 'string' ? column - columnOf(text, holder.start) : 0;
  const body = indented(pairLines(key, value, { ...style, indent: step > 0 ? step : style.indent }), column, style);
  const containers = BEFORE_CONTAINERS.has(key) ? within.entries.find((entry) => entry.key === 'containers' || entry.key === 'initContainers') : undefined;
  if (containers !== undefined && ownColumn(text, containers.start) !== null) return { within, splices: [insertion(text, commentStart(text, containers), body, style)] };
  return { within, splices: [insertion(text, entryEnd(text, lastEntry), body, style)] };
}

function appendItem(document: EditableText, within: SourceNode, holder: SourceEntry | null, value: unknown): FoundSplices | Refusal {
  const { text, style } = document;
  if (within.isFlow) return addToFlow(document, within, holder, () => ({ key: null, value, colon: '' }));
  const last = within.entries.at(-1);
  if (last === undefined) return { refused: 'its list cannot be found in the text' };
  const gap = last.value.kind === 'empty' || text.slice(last.indicatorEnd, last.value.start).trim() !== '' || text.slice(last.indicatorEnd, last.value.start).includes('\n') ? 1 : last.value.start - last.indicatorEnd;
  return { within, splices: [insertion(text, entryEnd(text, last), indented(itemLines(value, style, gap), columnOf(text, last.start), style), style)] };
}

interface FlowAddition {
  readonly key: string | null;
  readonly value: unknown;
  readonly colon: string;
}

function addToFlow(document: EditableText, within: SourceNode, holder: SourceEntry | null, addition: (colon: string) => FlowAddition): FoundSplices | Refusal {
  const { text, style, isJson } = document;
  const last = within.entries.at(-1);
  const { key, value } = addition('');
  if (last === undefined) {
    const isBlockValue = !isJson && holder !== null && typeof holder.key === 'string' && ownOrDash(text, holder.start) && !text.slice(holder.indicatorEnd, within.start).includes('\n');
    if (isBlockValue) return replaceValue(document, { ...within, isFlow: false }, holder, key === null ? [value] : { [key]: value });
    const inner = flowValue(document, within, key === null ? [value] : { [key]: value }, holder === null ? 0 : columnOf(text, lineContent(text, holder.start)));
    return { within, splices: [{ start: within.start, end: within.end, text: inner }] };
  }
  const end = Math.max(last.value.end, last.indicatorEnd);
  const column = ownColumn(text, last.start);
  // One entry a line, or all in one.
  const lead = column === null ? (/^,?\s*$/.test(text.slice(end, within.end - 1)) && !/[,{[] /.test(text.slice(within.start, within.end)) && isJson ? ',' : ', ') : `,${style.newline}${text.slice(lineStart(text, last.start), last.start)}`;
  const separator = last.key === null ? ': ' : text.slice(last.indicatorEnd - 1, last.value.start);
  const colon = /^:\s*$/.test(separator) && !separator.includes('\n') ? separator : ': ';
  const inner = flowValue(document, within, value, column ?? columnOf(text, lineContent(text, last.start)), column !== null);
  const name = key === null ? '' : `${isJson || text[last.start] === '"' ? JSON.stringify(key) : scalarText(key, style.quote)}${colon}`;
  return { within, splices: [{ start: end, end, text: `${lead}${name}${inner}` }] };
}

function ownOrDash(text: string, offset: number): boolean {
  return /^[ -]*$/.test(text.slice(lineStart(text, offset), offset));
}

/** Offset of the first character of a line that is no blank. */
function lineContent(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return start + (/^[ \t]*/.exec(text.slice(start))?.[0].length ?? 0);
}

/** A value inside of flow style: JSON over several lines where its surroundings are. */
function flowValue(document: EditableText, within: SourceNode, value: unknown, column: number, isMultiLine?: boolean): string {
  const { text, style, isJson, jsonUnit } = document;
  const around = text.slice(within.start, within.end);
  const spreads = isMultiLine ?? around.includes('\n');
  if (jsonUnit !== null && (spreads || within.entries.length === 0)) {
    const levels = Math.floor(column / jsonUnit.length);
    return JSON.stringify(value, null, jsonUnit).replaceAll('\n', `${style.newline}${jsonUnit.repeat(levels)}`);
  }
  const isCompact = isJson && !/[:,] /.test(around === '{}' || around === '[]' ? text.slice(0, 4096) : around);
  const isQuoted = isJson || /^[{[]\s*"/.test(around);
  return flowText(value, { isJson: isQuoted, quote: style.quote, colon: isCompact ? ':' : ': ', comma: isCompact ? ',' : ', ' });
}

/** How a document is written: indentation, lists, quotes, line ends. */
function styleOf(text: string, source: SourceDocument, jsonUnit: string | null): TextStyle {
  const seen = { indent: jsonUnit?.length ?? 0, indentsLists: null as boolean | null };
  look(text, source.root, seen);
  return {
    indent: seen.indent === 0 ? 2 : seen.indent,
    indentsLists: seen.indentsLists ?? false,
    quote: text.split("'").length > text.split('"').length ? "'" : '"',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

function look(text: string, node: SourceNode, seen: { indent: number; indentsLists: boolean | null }): void {
  if (node.isFlow) return;
  for (const entry of node.entries) {
    if (seen.indent > 0 && seen.indentsLists !== null) return;
    const { value } = entry;
    if (value.entries.length > 0 && !value.isFlow && entry.key !== null && ownColumn(text, value.start) !== null) {
      const step = columnOf(text, value.start) - columnOf(text, entry.start);
      if (value.kind === 'map' && seen.indent === 0 && step > 0) seen.indent = step;
      if (value.kind === 'list') seen.indentsLists ??= step > 0;
    }
    look(text, value, seen);
  }
}

