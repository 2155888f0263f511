import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { resolveKubectlScalar } from '../../../../src/adapters/inventory/kubectl-scalar.ts';

// Each answer is kubectl v1.37.2's own (`kubectl label --local -f F a=b -o json`), recorded 2026-11-30.
const ANSWERS: readonly (readonly [string, string | number | boolean | null])[] = [
  ['yes', true], ['on', true], ['y', true], ['Y', true], ['Yes', true], ['YES', true], ['On', true], ['TRUE', true],
  ['n', false], ['no', false], ['off', false], ['tRue', 'tRue'], ['oN', 'oN'], ['yep', 'yep'],
  ['', null], ['~', null], ['null', null], ['NULL', null], ['nUll', 'nUll'],
  ['014', 12], ['0o14', 12], ['0O14', 12], ['-014', -12], ['+0o14', 12], ['0_1', 1], ['00', 0], ['089', 89], ['08', 8], ['014.5', 14.5], ['01e3', 1000],
  ['1_000', 1000], ['1_', 1], ['1__0', 10], ['_1', '_1'], ['1_0.5', 10.5],
  ['0x1F', 31], ['0X1F', 31], ['0x_1F', 31], ['-0x1f', -31], ['0x', '0x'], ['0x1.8p3', '0x1.8p3'],
  ['0b101', 5], ['-0b11', -3], ['0b', '0b'], ['0o8', '0o8'], ['0o', '0o'],
  ['1e3', 1000], ['1E3', 1000], ['1e', '1e'], ['1e+3', 1000], ['.e3', '.e3'], ['1e400', '1e400'],
  ['1.5', 1.5], ['.5', 0.5], ['5.', 5], ['+.5', 0.5], ['-5.', -5], ['.', '.'], ['..', '..'], ['1.2.3', '1.2.3'],
  ['.0_5', 0.05], ['.5_', '.5_'], ['._5', '._5'], ['.1e1_0', 1e9], ['0b+1', 1], ['0b-1', -1], ['-0b-1', '-0b-1'], ['0B+1', '0B+1'],
  ['-0', 0], ['+', '+'],
  ['1:30', '1:30'], ['2020-01-01', '2020-01-01'], ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
  ['18446744073709551616', 18446744073709552000], ['-9223372036854775809', -9223372036854776000],
  ['Infinity', 'Infinity'], ['inf', 'inf'], ['NaN', 'NaN'], ['=', '='], ['<<', '<<'],
];

describe('resolveKubectlScalar', () => {
  for (const [source, expected] of ANSWERS) {
    it(`reads ${JSON.stringify(source)} as ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(resolveKubectlScalar(source), expected);
    });
  }

  it('gives infinity and not-a-number back as such, for the caller to refuse', () => {
    assert.equal(resolveKubectlScalar('.inf'), Number.POSITIVE_INFINITY);
    assert.equal(resolveKubectlScalar('-.Inf'), Number.NEGATIVE_INFINITY);
    assert.ok(Number.isNaN(resolveKubectlScalar('.NaN')));
  });
});
