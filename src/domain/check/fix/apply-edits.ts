/** Edits on plain values, for the proof that an edited text or a patched object holds what it should. */
import { formatFieldPath, type FieldPath } from '../../kubernetes/field-path.ts';
import { isRecord } from '../../kubernetes/object.ts';
import type { FieldEdit } from '../finding.ts';

export type Edited = { readonly value: unknown } | { readonly refused: string };

/**
 * The value after the edits, one after the other as they stand: nothing but what an edit names is changed, and what it leaves
 * empty stays. The given value is not changed. Refused with a reason where a path does not lead to a place.
 */
export function applyEdits(value: unknown, edits: readonly FieldEdit[]): Edited {
  let current = value;
  for (const edit of edits) {
    const edited = applyAt(current, edit, 0);
    if ('refused' in edited) return edited;
    current = edited.value;
  }
  return { value: current };
}

function applyAt(value: unknown, edit: FieldEdit, depth: number): Edited {
  const step = edit.path[depth];
  if (step === undefined) return applyHere(value, edit);
  if (typeof step === 'number') {
    if (!Array.isArray(value)) return refuse(edit.path, depth, 'is no list');
    if (step < 0 || step >= value.length) return refuse(edit.path, depth + 1, 'does not exist');
    if (edit.op === 'remove' && depth === edit.path.length - 1) return { value: value.toSpliced(step, 1) };
    const edited = applyAt(value[step], edit, depth + 1);
    return 'refused' in edited ? edited : { value: value.with(step, edited.value) };
  }
  // null counts as unset, as the API server takes it
  const map = value === undefined || value === null ? {} : value;
  if (!isRecord(map)) return refuse(edit.path, depth, 'is no map');
  if (edit.op === 'remove') {
    if (!Object.hasOwn(map, step)) return refuse(edit.path, depth + 1, 'does not exist');
    if (depth === edit.path.length - 1) return { value: Object.fromEntries(Object.entries(map).filter(([key]) => key !== step)) };
  }
  const edited = applyAt(Object.hasOwn(map, step) ? map[step] : undefined, edit, depth + 1);
  if ('refused' in edited) return edited;
  // A key that is there keeps its place; fromEntries and not a spread, because `__proto__` is a key like any other here.
  const entries = Object.entries(map);
  const at = entries.findIndex(([key]) => key === step);
  return { value: Object.fromEntries(at === -1 ? [...entries, [step, edited.value]] : entries.with(at, [step, edited.value])) };
}

function applyHere(value: unknown, edit: FieldEdit): Edited {
  switch (edit.op) {
    case 'set':
      return { value: edit.value };
    case 'append':
      if (value === undefined || value === null) return { value: [edit.value] };
      return Array.isArray(value) ? { value: [...(value as readonly unknown[]), edit.value] } : refuse(edit.path, edit.path.length, 'is no list');
    case 'remove':
      return { refused: 'the object itself cannot be removed' };
  }
}

function refuse(path: FieldPath, length: number, problem: string): { readonly refused: string } {
  return { refused: `${formatFieldPath(path.slice(0, length)) || 'the object'} ${problem}` };
}
