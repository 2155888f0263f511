/** What reading manifests can find before any rule looks at the objects. */
import type { FieldPath } from '../kubernetes/field-path.ts';
import type { Fix } from './finding.ts';

/** Where something stands in a file; line and column from 1, columns in characters (Unicode code points). */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Characters of the key or value at `column`, as far as its line goes; at least 1. */
  readonly length: number;
}

export interface ManifestProblem {
  readonly kind: 'duplicate-key' | 'unknown-field' | 'wrong-type' | 'not-an-object';
  readonly path: FieldPath;
  /** Sentence without a full stop, with `did you mean` where there is a guess. */
  readonly message: string;
  /** null where the nearest key is to be located. */
  readonly place: FilePlace | null;
  /** Absent where only a person can say what was meant. */
  readonly fix?: Fix | null;
}

/** A document that could not be read; the others of the file were. */
export interface UnreadableDocument {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly suggestions: readonly string[];
}
