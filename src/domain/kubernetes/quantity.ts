/**
 * Kubernetes quantities (`8388208Ki`, `100m`, `1.5Gi`, `1e3`).
 * Grammar: https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/api/resource/quantity.go, read 2026-11-30.
 */

const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([A-Za-z]*))$/;

/**
 * Value of a quantity as a number: bytes, cores or a count. Null for what the API server would not take.
 * Exact for whole numbers below 2^53, which 8 PiB of memory are.
 */
export function parseQuantity(text: string): number | null {
  const match = QUANTITY.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] = match;
  if (text === '') return null; // a lone sign or suffix is 0 for the API server too
  const factor = exponent === undefined ? SUFFIXES[suffix] : 1;
  if (factor === undefined) return null;
  const digits = `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}${exponent === undefined ? '' : `e${exponent}`}`;
  const value = Number(digits) * factor;
  return sign === '-' && value !== 0 ? -value : value;
}
