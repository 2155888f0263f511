import assert from 'node:assert/strict';
import { parseQuantity } from '../../../../src/domain/kubernetes/quantity.ts';

// What k8s.io/apimachinery v0.37.2 itself answered: resource.ParseQuantity and AsApproximateFloat64, 2026-11-30.
const ANSWERS: readonly (readonly [text: string, value: number | null])[] = [
  ["", null],
  ["0", 0],
  ["1", 1],
  ["100m", 0.1],
  ["1Ki", 1024],
  ["8388208Ki", 8589524992],
  ["1.5Gi", 1610612736],
  ["2G", 2000000000],
  ["1e3", 1000],
  ["1E3", 1000],
  ["1e-3", 0.001],
  ["12E", 12000000000000000000],
  ["1Ei", 1152921504606847000],
  ["-1", -1],
  ["+5", 5],
  [".5", 0.5],
  ["5.", 5],
  ["1k", 1000],
  ["1K", null],
  ["1u", 1e-06],
  ["1n", 1e-09],
  ["1M", 1000000],
  ["1T", 1000000000000],
  ["1P", 1000000000000000],
  ["1Pi", 1125899906842624],
  ["1Ti", 1099511627776],
  ["1Mi", 1048576],
  ["abc", null],
  ["1 Gi", null],
  ["1e", null],
  ["0.1m", 0.0001],
  ["--1", null],
  ["1..2", null],
  ["1kk", null],
  ["1e3Ki", null],
  ["00012", 12],
  [".", 0],
  ["-", 0],
  ["m", 0],
  ["1E", 1000000000000000000],
  ["1ei", null],
  ["5e3m", null],
  ["0x10", null],
  ["9223372036854775807", 9223372036854776000],
  ["1i", null],
];

describe('parseQuantity', () => {
  it('#21: reads fractions of binary units, and exponents', () => {
    assert.deepEqual(['1.5Gi', '12e6', '0.5Ti', '250m'].map(parseQuantity), [1.5 * 2 ** 30, 12e6, 2 ** 39, 0.25]);
  });

  for (const [text, value] of ANSWERS) {
    it(`reads ${JSON.stringify(text)} as ${value === null ? 'nothing' : value}`, () => {
      const read = parseQuantity(text);
      if (value === null) assert.equal(read, null);
      else assert.ok(read !== null && Math.abs(read - value) <= Math.abs(value) * 1e-15, `${read}`);
    });
  }
});
