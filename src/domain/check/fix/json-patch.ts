import { valueAtPath, type FieldPath } from '../../kubernetes/field-path.ts';
import { isRecord } from '../../kubernetes/object.ts';
import type { FieldEdit } from '../finding.ts';

/** One operation of a JSON patch: https://www.rfc-editor.org/rfc/rfc6902, read 2026-11-30. */
export type PatchOperation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The edits (as mergeFixes gives them) as a JSON patch. Before the first operation inside a list item stands a test that the item
 * is still the one that was judged: by its name, else by its whole value.
 */
export function jsonPatchOf(object: unknown, edits: readonly FieldEdit[]): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  const tests = new Map<string, PatchOperation>();
  for (const edit of edits) {
    for (const [depth, step] of edit.path.entries()) {
      if (typeof step !== 'number') continue;
      const itemPath = edit.path.slice(0, depth + 1);
      const test = identityOf(valueAtPath(object, itemPath), itemPath);
      tests.set(test.path, test);
    }
    switch (edit.op) {
      case 'remove':
        operations.push({ op: 'remove', path: pointerOf(edit.path) });
        break;
      case 'set':
        // add replaces a member of an object that exists, but puts an item before that of a list: RFC 6902 §4.1
        operations.push({ op: typeof edit.path.at(-1) === 'number' ? 'replace' : 'add', path: pointerOf(edit.path), value: edit.value });
        break;
      case 'append':
        operations.push({ op: 'add', path: `${pointerOf(edit.path)}/-`, value: edit.value });
        break;
    }
  }
  return [...tests.values(), ...operations];
}

function identityOf(item: unknown, path: FieldPath): PatchOperation {
  const name = isRecord(item) ? item['name'] : undefined;
  return typeof name === 'string' ? { op: 'test', path: pointerOf([...path, 'name']), value: name } : { op: 'test', path: pointerOf(path), value: item };
}

/** https://www.rfc-editor.org/rfc/rfc6901, read 2026-11-30 */
function pointerOf(path: FieldPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
