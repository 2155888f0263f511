/** Fixes of objects, done in the text of their file. */
import type { FieldEdit, Fix } from '../../../domain/check/finding.ts';
import type { EditedText, ObjectEdits } from '../../../app/ports.ts';
import { applyEdits } from '../../../domain/check/fix/apply-edits.ts';
import { areEqualValues } from '../../../domain/check/fix/equal-values.ts';
import { comparePaths, mergeFixes } from '../../../domain/check/fix/merge-fixes.ts';
import { formatFieldPath, valueAtPath, type FieldPath } from '../../../domain/kubernetes/field-path.ts';
import { isRecord, type KubeObject } from '../../../domain/kubernetes/object.ts';
import { someOf } from '../../../domain/some-of.ts';
import { InputError } from '../../../errors.ts';
import { editableText, findSplices, resolvePath, usersOfAnchor, type EditableText, type Splice } from './find-splices.ts';
import { readSource, type SourceDocument, type SourceEntry, type SourceNode } from './source-tree.ts';
import { quoted, scalarText } from './write-value.ts';
import { readDocument, splitDocuments, type DocumentText, type DocumentValues } from './split-documents.ts';

type Edits = Pick<Fix, 'edits'>;

interface Wanted<F extends Edits> {
  /** Which of the objects of its document. */
  readonly place: Place;
  readonly fix: F;
}

interface Place {
  readonly path: FieldPath;
  readonly value: KubeObject;
}

/**
 * The text with the fixes in it. Everything that no fix concerns stays as it is, byte for byte, and every changed document is read
 * again as kubectl reads it: where that does not give what the fixes should, those that are to blame are refused.
 */
export async function editText<F extends Edits>(text: string, objects: readonly ObjectEdits<F>[]): Promise<EditedText<F>> {
  const waiting = new Map<string, ObjectEdits<F>[]>();
  for (const one of objects) {
    const key = nameKey(one.object);
    waiting.set(key, [...(waiting.get(key) ?? []), one]);
  }
  const applied: F[] = [];
  const refused: { fix: F; reason: string }[] = [];
  const parts: string[] = [];
  for (const part of await splitDocuments(text)) {
    const document = waiting.size === 0 ? NOTHING : await readOrNothing(part);
    const { values } = document;
    const wanted: Wanted<F>[] = [];
    for (const place of values.length === 1 ? placesOf(values[0]) : []) {
      const key = nameKey(place.value);
      const candidates = waiting.get(key) ?? [];
      const index = candidates.findIndex(({ object }) => isSameObject(place.value, object));
      const found = candidates[index];
      if (found === undefined) continue;
      waiting.set(key, candidates.toSpliced(index, 1));
      const merged = mergeFixes(place.value, found.fixes);
      refused.push(...merged.refused);
      wanted.push(...merged.applied.map((fix) => ({ place, fix })));
    }
    if (wanted.length === 0) {
      parts.push(part.text);
      continue;
    }
    const edited = await editDocument(part, document, wanted);
    parts.push(edited.text);
    applied.push(...edited.applied);
    refused.push(...edited.refused);
  }
  for (const { fixes } of [...waiting.values()].flat()) refused.push(...fixes.map((fix) => ({ fix, reason: 'the object cannot be found in the text' })));
  return { text: parts.join(''), applied, refused };
}

const NOTHING: DocumentValues = { values: [], hasDuplicates: false };

/** Nothing where the text cannot be read: whoever judges the file says so. */
async function readOrNothing(part: DocumentText): Promise<DocumentValues> {
  try {
    return await readDocument(part);
  } catch (error) {
    if (error instanceof InputError) return NOTHING;
    throw error;
  }
}

/** A document's objects: itself, or the items of a List and of the Lists in it. */
function placesOf(value: unknown, path: FieldPath = [], listKind = ''): readonly Place[] {
  if (!isRecord(value)) return [];
  const kind = typeof value['kind'] === 'string' ? value['kind'] : listKind;
  if ((kind.endsWith('List') || kind === 'Inventory') && Array.isArray(value['items'])) {
    return value['items'].flatMap((item: unknown, index) => placesOf(item, [...path, 'items', index], kind.slice(0, -'List'.length)));
  }
  return [{ path, value }];
}

/** Items of typed Lists may leave out what the List says of them, so kind and apiVersion do not count. */
function isSameObject(written: KubeObject, object: KubeObject): boolean {
  const rest = (one: KubeObject): unknown => ({ ...one, kind: null, apiVersion: null });
  return areEqualValues(rest(written), rest(object));
}

function nameKey({ metadata }: KubeObject): string {
  return isRecord(metadata) ? `${String(metadata['namespace'])}/${String(metadata['name'] ?? metadata['generateName'])}` : '';
}

async function editDocument<F extends Edits>(part: DocumentText, document: DocumentValues, wanted: readonly Wanted<F>[]): Promise<EditedText<F>> {
  const yaml = await import('yaml');
  const read = (text: string): SourceDocument | null => readSource(text, new yaml.Parser());
  const source = read(part.text);
  if (source === null) return { text: part.text, applied: [], refused: wanted.map(({ fix }) => ({ fix, reason: UNSAFE })) };
  const refused: { fix: F; reason: string }[] = [];
  const placed: PlacedFix<F>[] = [];
  for (const one of wanted) {
    const place = placeOf(source, one);
    if ('refused' in place) refused.push({ fix: one.fix, reason: place.refused });
    else placed.push({ ...one, ...place });
  }
  const attempt = (units: readonly Unit<F>[]): Promise<string | null> => tryEdits(part, source, document, units.flat(), read);
  const units = unitsOf(placed);
  const whole = await attempt(units);
  if (whole !== null) return { text: whole, applied: units.flat().map(({ fix }) => fix), refused };
  const unwanted = new Map(units.map((unit) => [unit, whoDoesNotWant(source, unit)]));
  // one that has the field itself need not want the change, so those are tried as well, where they are few
  const doubtful = units.filter((unit) => unwanted.get(unit) != null);
  let possible = await largestPossible(units.filter((unit) => unwanted.get(unit) == null), attempt);
  for (const unit of doubtful.slice(0, MOST_DOUBTFUL)) if ((await attempt([...possible, unit])) !== null) possible = [...possible, unit];
  const editable = editableText(part.text, source, part.isJson);
  for (const unit of units) if (!possible.includes(unit)) refused.push(...unit.map((one) => ({ fix: one.fix, reason: unwanted.get(unit) ?? reasonFor(editable, one) })));
  return { text: (possible.length === 0 ? null : await attempt(possible)) ?? part.text, applied: possible.flat().map(({ fix }) => fix), refused };
}

/** Each is tried on the whole document. */
const MOST_DOUBTFUL = 20;
const UNSAFE = 'the text cannot be edited safely here';

/** A fix with what it changes in the text. */
interface PlacedFix<F extends Edits> extends Wanted<F> {
  /** At the places where the values are really written. */
  readonly edits: readonly FieldEdit[];
  /** Where they are wanted: the same places, or those that an alias or a merge key brings the values into. */
  readonly wantedAt: readonly FieldPath[];
  /** Names of anchors whose values it changes for others, too. */
  readonly anchors: readonly string[];
}

/** Fixes that can only be done together, as they change the same value for all that share it. */
type Unit<F extends Edits> = readonly PlacedFix<F>[];

/** Those that nobody else is concerned by come first. */
function unitsOf<F extends Edits>(placed: readonly PlacedFix<F>[]): readonly Unit<F>[] {
  const units: Unit<F>[] = placed.filter(({ anchors }) => anchors.length === 0).map((one) => [one]);
  const shared = new Map<string, Set<PlacedFix<F>>>();
  for (const one of placed) {
    if (one.anchors.length === 0) continue;
    const keys = one.edits.map((edit) => JSON.stringify(edit));
    const [unit = new Set<PlacedFix<F>>(), ...others] = new Set(keys.flatMap((key) => shared.get(key) ?? []));
    unit.add(one);
    for (const key of keys) shared.set(key, unit);
    for (const other of others) {
      for (const member of other) {
        unit.add(member);
        for (const edit of member.edits) shared.set(JSON.stringify(edit), unit);
      }
    }
  }
  return [...units, ...[...new Set(shared.values())].map((unit) => [...unit])];
}

/** Why not all who share a value want the change; null where they do, as far as can be seen. */
function whoDoesNotWant<F extends Edits>(source: SourceDocument, unit: Unit<F>): string | null {
  const anchors = new Set(unit.flatMap((one) => one.anchors));
  if (anchors.size === 0) return null;
  const wanted = new Set(unit.flatMap(({ wantedAt }) => wantedAt.flatMap((path) => Array.from({ length: path.length + 1 }, (_none, length) => JSON.stringify(path.slice(0, length))))));
  for (const anchor of anchors) {
    const others = usersOfAnchor(source, anchor).filter((user) => !wanted.has(JSON.stringify(user)));
    if (others.length > 0) return `the value is shared through the anchor &${anchor}, and the change is not wanted at ${someOf(others, 3, formatFieldPath)}`;
  }
  return null;
}

function reasonFor<F extends Edits>(document: EditableText, { edits }: PlacedFix<F>): string {
  for (const edit of edits) {
    const found = findSplices(document, edit);
    if ('refused' in found) return found.refused;
  }
  return UNSAFE;
}

/** Those that can be done, found by halving, since as a rule a single one is to blame. */
async function largestPossible<F extends Edits>(units: readonly Unit<F>[], attempt: (some: readonly Unit<F>[]) => Promise<string | null>): Promise<readonly Unit<F>[]> {
  if (units.length === 0 || (await attempt(units)) !== null) return units;
  if (units.length === 1) return [];
  const middle = units.length >> 1;
  const first = await largestPossible(units.slice(0, middle), attempt);
  const second = await largestPossible(units.slice(middle), attempt);
  const both = [...first, ...second];
  return (await attempt(both)) === null ? first : both;
}

function placeOf<F extends Edits>(source: SourceDocument, { place, fix }: Wanted<F>): { readonly refused: string } | Pick<PlacedFix<F>, 'edits' | 'wantedAt' | 'anchors'> {
  const anchors = new Set<string>();
  const edits: FieldEdit[] = [];
  const wantedAt: FieldPath[] = [];
  for (const edit of mergeFixes(place.value, [fix]).edits) {
    const path = [...place.path, ...edit.path];
    const resolved = resolvePath(source, { ...edit, path });
    if ('refused' in resolved) return resolved;
    wantedAt.push(path);
    edits.push({ ...edit, path: resolved.path });
    for (const anchor of resolved.shared) anchors.add(anchor);
  }
  return { edits, wantedAt, anchors: [...anchors] };
}

/** The text with all of the fixes, or null where it would not hold what it should. */
async function tryEdits<F extends Edits>(part: DocumentText, source: SourceDocument, document: DocumentValues, wanted: readonly Wanted<F>[], read: (text: string) => SourceDocument | null): Promise<string | null> {
  const fixesOf = new Map<Place, F[]>();
  for (const { place, fix } of wanted) fixesOf.set(place, [...(fixesOf.get(place) ?? []), fix]);
  const edits = [...fixesOf].flatMap(([place, fixes]) => mergeFixes(place.value, fixes).edits.map((edit): FieldEdit => ({ ...edit, path: [...place.path, ...edit.path] })));
  const expected = applyEdits(document.values[0], edits);
  const text = 'refused' in expected ? null : editSource(part, source, document.values[0], edits, read);
  if (text === null || 'refused' in expected) return null;
  const { values, hasDuplicates } = await readOrNothing({ text, isJson: part.isJson });
  const isRight = values.length === 1 && areEqualValues(values[0], expected.value) && (document.hasDuplicates || !hasDuplicates);
  return isRight ? text : null;
}

/** In rounds: what stands next to each other in the text is done one after the other, each time on text that is read anew. */
function editSource(part: DocumentText, first: SourceDocument, value: unknown, edits: readonly FieldEdit[], read: (text: string) => SourceDocument | null): string | null {
  let { text } = part;
  let source: SourceDocument | null = first;
  let pending = canonical(first, edits);
  const renames = findRenames(text, first, value, pending ?? []);
  if (pending !== null && renames.length > 0) {
    text = splice(text, renames.map(({ splice: one }) => one));
    const done = new Set(renames.flatMap(({ edits: both }) => both));
    pending = pending.filter((edit) => !done.has(edit));
    source = pending.length > 0 ? read(text) : source;
  }
  while (pending !== null && pending.length > 0) {
    if (source === null) return null;
    const round = findRound(editableText(text, source, part.isJson), pending);
    if (round === null || round.deferred.length === pending.length) return null;
    text = splice(text, round.splices);
    pending = round.deferred;
    if (pending.length > 0) source = read(text);
  }
  return pending === null ? null : text;
}

/** Each edit where its value is really written, once, in an order in which removals do not move what others mean. */
function canonical(source: SourceDocument, edits: readonly FieldEdit[]): readonly FieldEdit[] | null {
  const found = new Map<string, FieldEdit>();
  for (const edit of edits) {
    const resolved = resolvePath(source, edit);
    if ('refused' in resolved) return null;
    const placed = { ...edit, path: resolved.path };
    found.set(JSON.stringify(placed), placed);
  }
  const all = [...found.values()];
  return [...all.filter(({ op }) => op === 'set'), ...all.filter(({ op }) => op === 'append'), ...all.filter(({ op }) => op === 'remove').toSorted((a, b) => comparePaths(b.path, a.path))];
}

/**
 * A key that goes and one that comes in the same map with the same value are one key by another name: with its place, and the
 * comment beside it.
 */
function findRenames(text: string, source: SourceDocument, value: unknown, edits: readonly FieldEdit[]): readonly { readonly splice: Splice; readonly edits: readonly FieldEdit[] }[] {
  const removals = edits.filter(({ op, path }) => op === 'remove' && typeof path.at(-1) === 'string');
  const taken = new Set<FieldEdit>();
  return edits.flatMap((edit) => {
    const key = edit.path.at(-1);
    if (edit.op !== 'set' || typeof key !== 'string' || valueAtPath(value, edit.path) !== undefined) return [];
    const parent = JSON.stringify(edit.path.slice(0, -1));
    const removal = removals.find((one) => !taken.has(one) && JSON.stringify(one.path.slice(0, -1)) === parent && areEqualValues(valueAtPath(value, one.path), edit.value));
    const entry = removal === undefined ? undefined : entryAtPath(source, removal.path);
    if (removal === undefined || entry === undefined) return [];
    const written = text.slice(entry.start, entry.indicatorEnd).replace(/\s*:$/, '');
    const quote = written.startsWith("'") ? "'" as const : '"' as const;
    // an anchor, a tag or a ? before the key: left to the edits themselves
    if (written !== entry.key && written !== quoted(entry.key ?? '', quote)) return [];
    taken.add(removal);
    return [{ splice: { start: entry.start, end: entry.start + written.length, text: written === entry.key ? scalarText(key, quote) : quoted(key, quote) }, edits: [edit, removal] }];
  });
}

function entryAtPath({ root }: SourceDocument, path: FieldPath): SourceEntry | undefined {
  let node: SourceNode = root;
  let entry: SourceEntry | undefined;
  for (const step of path) {
    entry = typeof step === 'number' ? node.entries[step] : node.entries.find(({ key, isMerge }) => key === step && !isMerge);
    if (entry === undefined) return undefined;
    node = entry.value;
  }
  return entry;
}

function findRound(document: EditableText, pending: readonly FieldEdit[]): { readonly splices: readonly Splice[]; readonly deferred: readonly FieldEdit[] } | null {
  const splices: Splice[] = [];
  const deferred: FieldEdit[] = [];
  const touched = new Set<SourceNode>();
  // Offsets of what is changed in this round, by blocks of text, so that a big List does not compare each with each.
  const taken = new Map<number, Splice[]>();
  const blocksOf = ({ start, end }: Splice): readonly number[] => Array.from({ length: (end >> 12) - (start >> 12) + 1 }, (_none, index) => (start >> 12) + index);
  const deferredLists = new Set<string>();
  for (const edit of pending) {
    const found = isMovedBy(edit, deferredLists) ? null : findSplices(document, edit);
    if (found !== null && 'refused' in found) return null;
    const isFree = found !== null && !touched.has(found.within) && found.splices.every((one) => blocksOf(one).every((block) => (taken.get(block) ?? []).every((other) => one.start > other.end || one.end < other.start)));
    if (!isFree) {
      deferred.push(edit);
      for (const [depth, step] of edit.path.entries()) if (typeof step === 'number') deferredLists.add(JSON.stringify(edit.path.slice(0, depth)));
      continue;
    }
    touched.add(found.within);
    splices.push(...found.splices);
    for (const one of found.splices) for (const block of blocksOf(one)) taken.set(block, [...(taken.get(block) ?? []), one]);
  }
  return { splices, deferred };
}

/** Whether the edit removes an item of a list in which a deferred one is still to find its place. */
function isMovedBy(edit: FieldEdit, deferredLists: ReadonlySet<string>): boolean {
  return edit.op === 'remove' && typeof edit.path.at(-1) === 'number' && deferredLists.has(JSON.stringify(edit.path.slice(0, -1)));
}

function splice(text: string, splices: readonly Splice[]): string {
  const parts: string[] = [];
  let position = 0;
  for (const one of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(text.slice(position, one.start), one.text);
    position = one.end;
  }
  return parts.join('') + text.slice(position);
}
