/**
 * Plain YAML scalars as kubectl reads them. kubectl's parser is a fork of go-yaml v2, which follows YAML 1.1 in part:
 * `yes` and `y` are booleans, 014 is octal, but 1:30 and dates stay strings. No npm library does exactly this.
 * https://github.com/kubernetes-sigs/yaml/blob/v1.6.0/goyaml.v2/resolve.go, checked against kubectl v1.37.2 on 2026-11-30.
 */
export type YamlScalar = string | number | boolean | null;

/** First characters of plain scalars that may be something else than a string; '' is the empty scalar. */
export const NON_STRING_FIRST_CHARACTERS: readonly string[] = ['', ...'+-0123456789yYnNtTfFoO~.'.split('')];

const WORDS: ReadonlyMap<string, boolean | number | null> = new Map<string, boolean | number | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

const INTEGER = /^([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]([0-7]+)|0([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** After a leading dot Go's own ParseFloat decides: it takes underscores between digits. */
const DOT_FLOAT = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
/** go-yaml cuts `0b` off and parses the rest, which may then have a sign. */
const SIGNED_BINARY = /^0b([+-])([01]{1,63})$/;
const SMALLEST_INT64 = -(2n ** 63n);
const LARGEST_INT64 = 2n ** 63n - 1n;
const LARGEST_UINT64 = 2n ** 64n - 1n;

/** The value of a plain scalar: .inf and .nan come back as numbers that JSON does not have, for the caller to refuse. */
export function resolveKubectlScalar(source: string): YamlScalar {
  const first = source.charAt(0);
  if (!NON_STRING_FIRST_CHARACTERS.includes(first)) return source;
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  if (first === '.') return DOT_FLOAT.test(source) ? finiteNumber(source.replaceAll('_', ''), source) : source;
  if (first !== '+' && first !== '-' && (first < '0' || first > '9')) return source;
  const plain = source.includes('_') ? source.replaceAll('_', '') : source;
  return integer(plain) ?? signedBinary(plain) ?? finiteNumber(plain, source);
}

/** Go's strconv.ParseInt and ParseUint with base 0; undefined where both refuse (so 089 and 10^20 become floats). */
function integer(text: string): number | undefined {
  const match = INTEGER.exec(text);
  if (match === null) return undefined;
  const [, sign, hexadecimal, binary, octal, oldOctal, decimal] = match;
  const digits = hexadecimal !== undefined ? `0x${hexadecimal}`
    : binary !== undefined ? `0b${binary}`
    : octal ?? oldOctal ? `0o${octal ?? oldOctal}`
    : decimal ?? '';
  // 15 decimal digits are exact in a number: the usual case needs no BigInt.
  if (digits.length <= 15) return sign === '-' ? 0 - Number(digits) : Number(digits);
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  if (value < SMALLEST_INT64 || value > (sign === '' ? LARGEST_UINT64 : LARGEST_INT64)) return undefined;
  return Number(value);
}

function signedBinary(text: string): number | undefined {
  const match = SIGNED_BINARY.exec(text);
  return match === null ? undefined : Number(`0b${match[2]}`) * (match[1] === '-' ? -1 : 1);
}

function finiteNumber(text: string, source: string): number | string {
  if (!FLOAT.test(text)) return source;
  const value = Number(text);
  // Go's ParseFloat reports a value out of range as an error, and go-yaml then keeps the string.
  return Number.isFinite(value) ? value : source;
}
