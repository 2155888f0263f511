import assert from 'node:assert/strict';
import { compareQuantities } from '../../../src/output/quantity-order.ts';

describe('compareQuantities', () => {
  const cases = [
    ['1', '1000m', 0], ['1Ki', '1024', 0], ['1k', '1Ki', -1], ['0.1', '100m', 0], ['-1', '1', -1], ['1e3', '1k', 0], ['1E', '1e18', 0], ['.5', '500m', 0], ['1.', '1', 0],
    ['9007199254740993', '9007199254740992', 1], ['123456789012345678901', '123456789012345678900', 1], ['1n', '0', 1], ['k', 'm', 0], ['-', '0', 0],
  ] as const;
  for (const [left, right, expected] of cases) {
    it(`${left} against ${right}`, () => {
      assert.equal(compareQuantities(left, right), expected);
      assert.equal(compareQuantities(right, left), expected === 0 ? 0 : -expected);
    });
  }
  for (const text of ['', 'a', '1.2.3', '1 Gi', '1gi', '0x10', '1e', '1e999999999', 'v1']) it(`${JSON.stringify(text)} is no quantity`, () => assert.equal(compareQuantities(text, '1'), null));
});
