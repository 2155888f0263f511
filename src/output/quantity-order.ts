/** Order of Kubernetes quantities (`100m`, `16Gi`, `1e3`), exact as apimachinery's. */

interface ParsedQuantity {
  readonly digits: bigint;
  /** Power of ten by which the digits are multiplied. */
  readonly exponent: number;
  readonly factor: bigint;
}

const BINARY: Readonly<Record<string, bigint>> = { Ki: 2n ** 10n, Mi: 2n ** 20n, Gi: 2n ** 30n, Ti: 2n ** 40n, Pi: 2n ** 50n, Ei: 2n ** 60n };
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** Larger exponents are no sizes of anything; they are compared as text, so that nobody makes us compute 10^999999999. */
const LARGEST_EXPONENT = 1000;

// https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/api/resource/quantity.go (Quantity's grammar), read 2026-11-30. A lone sign or suffix (`k`) is 0.
const QUANTITY = /^([+-]?)(\d*\.?\d*)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

/** Which is larger, as Quantity.Cmp says; null when one of the two is no quantity. */
export function compareQuantities(left: string, right: string): number | null {
  const first = parse(left);
  const second = first === null ? null : parse(right);
  if (first === null || second === null) return null;
  const scale = Math.min(first.exponent, second.exponent);
  const difference = scaled(first, scale) - scaled(second, scale);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function scaled(quantity: ParsedQuantity, exponent: number): bigint {
  return quantity.digits * quantity.factor * 10n ** BigInt(quantity.exponent - exponent);
}

function parse(text: string): ParsedQuantity | null {
  const match = QUANTITY.exec(text);
  if (match === null || text === '') return null;
  const [, sign = '', number = '', suffix = ''] = match;
  const [whole = '', fraction = ''] = number.split('.');
  const binary = BINARY[suffix];
  const power = binary !== undefined ? 0 : (DECIMAL[suffix] ?? Number(suffix.slice(1)));
  if (!Number.isFinite(power) || Math.abs(power) > LARGEST_EXPONENT) return null;
  return { digits: BigInt(`${sign === '-' ? '-' : ''}0${whole}${fraction}`), exponent: power - fraction.length, factor: binary ?? 1n };
}
