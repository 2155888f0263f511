/**
 * JSON values as Go prints and compares them, for the formats whose output people parse: jsonpath and custom-columns
 * print by Go's fmt and encoding/json, and sorting compares by bytes.
 */
import { isRecord } from '../domain/kubernetes/object.ts';

/** A float in Go's sense where JavaScript sees an integer: the literal `1.0` of a filter. */
export class GoFloat {
  // private, so that no path can step into it
  readonly #value: number;

  constructor(value: number) {
    this.#value = value;
  }

  get value(): number {
    return this.#value;
  }
}

/** Order of Go's strings (bytes of UTF-8, which is code point order); UTF-16 order differs above U+FFFF. */
export function compareGoStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let index = 0;
  while (index < length && left.charCodeAt(index) === right.charCodeAt(index)) index += 1;
  if (index === length) return left.length - right.length;
  const leftUnit = left.charCodeAt(index);
  const rightUnit = right.charCodeAt(index);
  const leftSurrogate = leftUnit >= 0xd800 && leftUnit <= 0xdfff;
  const rightSurrogate = rightUnit >= 0xd800 && rightUnit <= 0xdfff;
  return leftSurrogate === rightSurrogate ? leftUnit - rightUnit : leftSurrogate ? 1 : -1;
}

/** Field names in the order in which Go prints maps. */
export function sortedKeys(record: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(record)
    .filter((key) => record[key] !== undefined)
    .sort(compareGoStrings);
}

/** Is the number an int64 after kubectl has decoded it? Its decoder keeps integers that fit and makes floats of the rest. */
export function isGoInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** Go's %v of a number: integers in full; floats by their shortest digits, with an exponent (of two digits at least) below 1e-4 and from 1e6. */
export function printGoNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (isGoInteger(value) || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
}

/** Go's fmt.Sprint: `map[a:1 b:[x y]]`, `<nil>`. */
export function printGoValue(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return printGoNumber(value);
  if (value instanceof GoFloat) return printGoNumber(value.value);
  if (Array.isArray(value)) return `[${value.map(printGoValue).join(' ')}]`;
  if (isRecord(value)) return `map[${sortedKeys(value).map((key) => `${key}:${printGoValue(value[key])}`).join(' ')}]`;
  return typeof value === 'string' ? value : value === true ? 'true' : 'false';
}

const HTML_OR_SEPARATOR = /[<>&\u2028\u2029]/gu;

/** Go's json.Marshal: sorted keys, no spaces, `<`, `>`, `&` and the line separators escaped. */
export function marshalGoJson(value: unknown, indent = ''): string {
  const text = JSON.stringify(sortDeep(value), undefined, indent) ?? 'null';
  return text.replace(HTML_OR_SEPARATOR, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sortDeep(value: unknown): unknown {
  if (value instanceof GoFloat) return value.value;
  if (Array.isArray(value)) return value.map(sortDeep);
  if (typeof value === 'string') return value.toWellFormed();
  if (!isRecord(value)) return value;
  const sorted: Record<string, unknown> = {};
  // defineProperty, so that a field named __proto__ stays a field
  for (const key of sortedKeys(value)) {
    Object.defineProperty(sorted, key, { value: sortDeep(value[key]), enumerable: true, configurable: true, writable: true });
  }
  return sorted;
}

/** Go's %q: the text in double quotes with what cannot be printed escaped. */
export function quoteGoString(text: string): string {
  let quoted = '"';
  for (const character of text.toWellFormed()) quoted += escapeGoCharacter(character);
  return `${quoted}"`;
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\', '"': '\\"',
};

function escapeGoCharacter(character: string): string {
  const named = NAMED_ESCAPES[character];
  if (named !== undefined) return named;
  if (isGoPrintable(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols, and of the spaces only U+0020. */
export function isGoPrintable(character: string): boolean {
  return character === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);
}
