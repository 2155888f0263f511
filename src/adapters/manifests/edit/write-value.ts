/** Values as YAML or JSON text in the manner of the document that they are put into. */
import { resolveKubectlScalar } from '../../inventory/kubectl-scalar.ts';
import { isRecord } from '../../../domain/kubernetes/object.ts';

export interface TextStyle {
  /** Blanks per level. */
  readonly indent: number;
  /** Whether `-` stands further in than the key of its list. */
  readonly indentsLists: boolean;
  readonly quote: '"' | "'";
  /** Line end. */
  readonly newline: string;
}

/** Lines of a value in block style, without indentation of their own; null where the value has only one line (scalars, `{}`, `[]`). */
export function blockLines(value: unknown, style: TextStyle): readonly string[] | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value.flatMap((item) => itemLines(item, style, 1));
  if (!isRecord(value) || Object.keys(value).length === 0) return null;
  return Object.entries(value).flatMap(([key, item]) => pairLines(key, item, style));
}

/** `key: value`, or `key:` and the lines of the value below it. */
export function pairLines(key: string, value: unknown, style: TextStyle): readonly string[] {
  const lines = blockLines(value, style);
  const name = `${scalarText(key, style.quote)}:`;
  if (lines === null) return [`${name} ${lineText(value, style)}`];
  const inner = Array.isArray(value) && !style.indentsLists ? '' : ' '.repeat(style.indent);
  return [name, ...lines.map((line) => inner + line)];
}

/** `- value`, further lines under the first. `gap`: blanks behind the dash. */
export function itemLines(value: unknown, style: TextStyle, gap: number): readonly string[] {
  const [first, ...others] = blockLines(value, style) ?? [lineText(value, style)];
  const blanks = ' '.repeat(gap);
  return [`-${blanks}${first ?? ''}`, ...others.map((line) => ` ${blanks}${line}`)];
}

function lineText(value: unknown, style: TextStyle): string {
  if (Array.isArray(value)) return '[]';
  return isRecord(value) ? '{}' : scalarText(value, style.quote);
}

/** A value in one line of flow style: `{a: b}`, or as JSON. `colon` is what stands between key and value. */
export function flowText(value: unknown, style: { readonly isJson: boolean; readonly quote: '"' | "'"; readonly colon: string; readonly comma: string }): string {
  const scalar = (item: unknown): string => (style.isJson ? JSON.stringify(item) : scalarText(item, style.quote));
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item, style)).join(style.comma)}]`;
  if (!isRecord(value)) return scalar(value);
  return `{${Object.entries(value).map(([key, item]) => `${scalar(key)}${style.colon}${flowText(item, style)}`).join(style.comma)}}`;
}

/** A scalar in block or flow style, quoted where it would be read as something else. */
export function scalarText(value: unknown, quote: '"' | "'"): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? null);
  return isPlain(value) ? value : quoted(value, quote);
}

/** In the wanted quotes, where these can hold it readably. */
export function quoted(value: string, quote: '"' | "'"): string {
  const canBeSingle = /^[\u0020-\u007e\u00a0-\u1fff]*$/.test(value);
  if (canBeSingle && (quote === "'" || /["\\]/.test(value))) return `'${value.replaceAll("'", "''")}'`;
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether every reader of YAML takes it for this text without quotes. Dates and 1:30 are others for YAML 1.1. */
export function isPlain(value: string): boolean {
  if (!/^[A-Za-z0-9_./][\w./@+=-]*(?::[\w./@+=-]+)*$/.test(value) || /^(?:\.\.\.|---)/.test(value)) return false;
  if (/^[0-9]/.test(value) && (/:/.test(value) || /^\d{4}-\d/.test(value))) return false;
  // 0O17, 0X1 and digits with an exponent: kubectl's own fork of go-yaml and YAML 1.1 readers differ about them
  if (/^[-+]?0[OXBoxb]|^[-+]?[\d_]*\.?[\d_]*(?:[eE][-+]?\d+)?$/.test(value)) return false;
  return typeof resolveKubectlScalar(value) === 'string' && value !== '<<';
}
