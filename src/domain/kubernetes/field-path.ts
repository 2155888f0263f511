/** Path of a field in an object, from its root: `['spec', 'containers', 0, 'image']`. */
import { isRecord } from './object.ts';

export type FieldPath = readonly (string | number)[];

/**
 * The path as the API server writes it in its errors: `spec.containers[0].image`, `metadata.labels[kubernetes.io/os]`.
 * https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/util/validation/field/path.go, read 2026-11-30
 */
export function formatFieldPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${step}]`;
  }
  return text;
}

/** The steps of `path` below `parent`: [] for the parent itself, null where it is not at or below it. */
export function stepsBelow(parent: FieldPath, path: FieldPath): FieldPath | null {
  return path.length >= parent.length && parent.every((step, index) => step === path[index]) ? path.slice(parent.length) : null;
}

/** The value at a path, or undefined as soon as a step is missing. */
export function valueAtPath(value: unknown, path: FieldPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof step === 'number') {
      if (!Array.isArray(current)) return undefined;
      current = current[step];
    } else {
      if (!isRecord(current) || !Object.hasOwn(current, step)) return undefined;
      current = current[step];
    }
  }
  return current;
}
