/** Fixes of several findings on one object become one list of edits that can be done one after the other. */
import { formatFieldPath, stepsBelow, valueAtPath, type FieldPath } from '../../kubernetes/field-path.ts';
import { isRecord } from '../../kubernetes/object.ts';
import type { FieldEdit, Fix } from '../finding.ts';
import { applyEdits } from './apply-edits.ts';
import { areEqualValues } from './equal-values.ts';

export interface RefusedFix<F extends Pick<Fix, 'edits'> = Fix> {
  readonly fix: F;
  /** Why, a few words without a full stop. */
  readonly reason: string;
}

export interface MergedFixes<F extends Pick<Fix, 'edits'> = Fix> {
  /**
   * Edits to be done in this order: what is set, what is appended, what is removed, later list items first, so that every path is
   * right when its turn comes. Each leads to an existing map or list: missing parents are part of a set's value, and a map that a
   * removal leaves empty is removed itself where Kubernetes allows that.
   */
  readonly edits: readonly FieldEdit[];
  /** The object after the edits. */
  readonly result: unknown;
  readonly applied: readonly F[];
  readonly refused: readonly RefusedFix<F>[];
}

/** Merges in the order given: of two fixes that contradict each other the second is left out, as a whole. */
export function mergeFixes<F extends Pick<Fix, 'edits'>>(object: unknown, fixes: readonly F[]): MergedFixes<F> {
  const applied: F[] = [];
  const refused: RefusedFix<F>[] = [];
  let wanted: readonly FieldEdit[] = [];
  let merged: { readonly edits: readonly FieldEdit[]; readonly result: unknown } = { edits: [], result: object };
  for (const fix of fixes) {
    const together = combine(wanted, fix.edits);
    const next = 'refused' in together ? together : normalise(object, together.edits);
    if ('refused' in next || 'refused' in together) {
      refused.push({ fix, reason: 'refused' in next ? next.refused : '' });
    } else {
      wanted = together.edits;
      merged = next;
      applied.push(fix);
    }
  }
  return { ...merged, applied, refused };
}

/** Begins the reason of a fix that one before it stands in the way of: once that is done there may be nothing left to mend, or nothing in the way. */
export const ANOTHER_FIX = 'another fix';

type Refusal = { readonly refused: string };

/** All edits without those that are wanted twice. */
function combine(wanted: readonly FieldEdit[], added: readonly FieldEdit[]): { readonly edits: readonly FieldEdit[] } | Refusal {
  let edits = wanted;
  for (const edit of added) {
    const contradicted = edits.find((other) => contradict(other, edit) || contradict(edit, other));
    if (contradicted !== undefined) return { refused: `${ANOTHER_FIX} ${describe(contradicted)}` };
    if (!edits.some((other) => covers(other, edit))) edits = [...edits.filter((other) => !covers(edit, other)), edit];
  }
  return { edits };
}

function describe({ op, path }: FieldEdit): string {
  const field = formatFieldPath(path);
  switch (op) {
    case 'remove': return `removes ${field}`;
    case 'set': return `sets ${field} to something else`;
    case 'append': return `appends to ${field}`;
  }
}

/** Whether `edit` changes nothing any more once `other` is done. */
function covers(other: FieldEdit, edit: FieldEdit): boolean {
  const below = stepsBelow(other.path, edit.path);
  if (below === null) return false;
  switch (other.op) {
    case 'remove': return edit.op === 'remove';
    case 'set': return edit.op === 'set' && areEqualValues(valueAtPath(other.value, below), edit.value);
    case 'append': return edit.op === 'append' && below.length === 0 && areEqualValues(other.value, edit.value);
  }
}

/** Whether `edit` is about something that `other` takes away or makes anew in another way. */
function contradict(other: FieldEdit, edit: FieldEdit): boolean {
  const below = stepsBelow(other.path, edit.path);
  if (below === null || covers(other, edit)) return false;
  switch (other.op) {
    case 'remove': return true;
    case 'set': return !(below.length === 0 && covers(edit, other));
    case 'append': return below.length === 0 && edit.op === 'set';
  }
}

/** Lists of which Kubernetes wants at least one item, or whose emptiness means something else than their absence. */
const KEPT_LISTS: ReadonlySet<string> = new Set([
  'containers', 'accessModes', 'nodeSelectorTerms', 'matchExpressions', 'matchFields', 'matchLabelExpressions', 'values', 'paths', 'ingress', 'egress', 'policyTypes',
  'command', 'args', 'rules', 'subjects', 'subsets', 'versions', 'items', 'sources', 'scopes', 'allowedTopologies',
]);

/**
 * Maps that say nothing when they are empty, or are refused then (`os: {}`, `seccompProfile: {}`). All others may mean something:
 * `emptyDir: {}`, `podSelector: {}`.
 */
const REMOVED_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'securityContext', 'capabilities', 'windowsOptions', 'seLinuxOptions', 'seccompProfile', 'appArmorProfile', 'lifecycle', 'resources', 'limits', 'requests', 'os',
  'nodeSelector', 'annotations', 'dnsConfig', 'sessionAffinityConfig', 'clientIP', 'affinity', 'nodeAffinity', 'podAffinity', 'podAntiAffinity', 'overhead', 'scheduling',
]);

/** In the order that MergedFixes promises, with missing parents made and emptied ones taken away. */
function normalise(object: unknown, wanted: readonly FieldEdit[]): { readonly edits: readonly FieldEdit[]; readonly result: unknown } | Refusal {
  const grown: FieldEdit[] = [];
  let current = object;
  for (const edit of [...wanted.filter(({ op }) => op === 'set'), ...wanted.filter(({ op }) => op === 'append')]) {
    // What is there already needs no edit: a second run changes nothing.
    if (edit.op === 'set' && areEqualValues(valueAtPath(current, edit.path), edit.value)) continue;
    const next = applyEdits(current, [edit]);
    if ('refused' in next) return next;
    current = next.value;
    grown.push(edit);
  }
  const removals: FieldPath[] = [];
  let shrunk = current;
  for (const path of wanted.filter(({ op }) => op === 'remove').map((edit) => edit.path).toSorted((a, b) => -comparePaths(a, b))) {
    if (valueAtPath(shrunk, path) === undefined) continue;
    const target = widestRemoval(shrunk, path);
    if ('refused' in target) return target;
    const next = applyEdits(shrunk, [{ op: 'remove', path: target.path }]);
    if ('refused' in next) return next;
    shrunk = next.value;
    // What was removed inside of it before needs no edit of its own.
    removals.splice(0, removals.length, ...removals.filter((done) => stepsBelow(target.path, done) === null), target.path);
  }
  const edits = [...joinSets(object, grown), ...removals.toSorted((a, b) => -comparePaths(a, b)).map((path): FieldEdit => ({ op: 'remove', path }))];
  const result = applyEdits(object, edits);
  return 'refused' in result ? result : { edits, result: result.value };
}

/** The path, or that of the map or list around it that it is the only thing in. */
function widestRemoval(value: unknown, path: FieldPath): { readonly path: FieldPath } | Refusal {
  const parentPath = path.slice(0, -1);
  const parent = valueAtPath(value, parentPath);
  const isLast = Array.isArray(parent) ? parent.length === 1 : isRecord(parent) && Object.values(parent).filter((item) => item !== null).length <= 1;
  const name = parentPath.at(-1);
  if (!isLast || typeof name !== 'string') return { path };
  if (Array.isArray(parent)) {
    const isServicePorts = name === 'ports' && parentPath.length === 2 && parentPath[0] === 'spec';
    if (KEPT_LISTS.has(name) || isServicePorts) return { refused: `${formatFieldPath(path)} is the only item of a list that must not be empty` };
    return widestRemoval(value, parentPath);
  }
  return REMOVED_WHEN_EMPTY.has(name) ? widestRemoval(value, parentPath) : { path };
}

/** Order of paths, numbers as numbers, so that item 10 comes after item 9. */
export function comparePaths(one: FieldPath, other: FieldPath): number {
  for (const [index, step] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (step === against) continue;
    if (typeof step === 'number' && typeof against === 'number') return step - against;
    return String(step) < String(against) ? -1 : 1;
  }
  return one.length - other.length;
}

/** Sets and appends at places that exist in the object: what several of them need above them is made by one. */
function joinSets(object: unknown, edits: readonly FieldEdit[]): readonly FieldEdit[] {
  const joined: FieldEdit[] = [];
  for (const edit of edits) {
    const at = existingPart(object, edit.path);
    const value = edit.op === 'remove' ? undefined : edit.value;
    if (at.length === edit.path.length || (edit.op === 'set' && at.length === edit.path.length - 1)) {
      joined.push(edit);
      continue;
    }
    const root = edit.path.slice(0, at.length + 1);
    const index = joined.findIndex((other) => other.op === 'set' && stepsBelow(other.path, root)?.length === 0);
    const made = joined[index];
    const rest: FieldEdit = { op: edit.op === 'append' ? 'append' : 'set', path: edit.path.slice(root.length), value };
    const next = applyEdits(made?.op === 'set' ? made.value : undefined, [rest]);
    if ('refused' in next) joined.push(edit);
    else if (index === -1) joined.push({ op: 'set', path: root, value: next.value });
    else joined[index] = { op: 'set', path: root, value: next.value };
  }
  return joined;
}

/** The part of a path that leads to a value that is there; null is none. */
function existingPart(object: unknown, path: FieldPath): FieldPath {
  for (let length = path.length; length > 0; length--) {
    const value = valueAtPath(object, path.slice(0, length));
    if (value !== undefined && value !== null) return path.slice(0, length);
  }
  return [];
}
