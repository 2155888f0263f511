import assert from 'node:assert/strict';
import { compareGoStrings, marshalGoJson, printGoNumber, printGoValue, quoteGoString } from '../../../src/output/go-values.ts';

// Expected values: what Go 1.26 prints for fmt.Sprint, json.Marshal and %q; compared with the real kubectl by jsonpath.cluster.test.ts.
describe('printGoNumber', () => {
  const cases = [
    [0, '0'], [-0, '0'], [1e15, '1000000000000000'], [2 ** 53, '9007199254740992'], [1e19, '1e+19'], [1.5, '1.5'], [0.0001, '0.0001'], [0.00001, '1e-05'],
    [123456.5, '123456.5'], [1234567.5, '1.2345675e+06'], [-1e-7, '-1e-07'], [1e100, '1e+100'],
  ] as const;
  for (const [value, expected] of cases) it(`prints ${value} as ${expected}`, () => assert.equal(printGoNumber(value), expected));
});

describe('printGoValue', () => {
  it('prints maps by sorted keys and lists in brackets', () => {
    assert.equal(printGoValue({ b: [1, 'x y', null], a: { c: true } }), 'map[a:map[c:true] b:[1 x y <nil>]]');
    assert.equal(printGoValue([]), '[]');
    assert.equal(printGoValue(null), '<nil>');
  });
});

describe('marshalGoJson', () => {
  it('sorts keys and escapes HTML', () => assert.equal(marshalGoJson({ b: '<&>\u2028', a: [] }), '{"a":[],"b":"\\u003c\\u0026\\u003e\\u2028"}'));
  it('keeps a field named __proto__', () => assert.equal(marshalGoJson(JSON.parse('{"__proto__":{"x":1}}')), '{"__proto__":{"x":1}}'));
});

describe('compareGoStrings', () => {
  it('orders by code points, shorter first', () => {
    assert.deepEqual(['ｚ', '😀', 'a', 'é', '', 'ab', 'B'].sort(compareGoStrings), ['', 'B', 'a', 'ab', 'é', 'ｚ', '😀']);
  });
});

describe('quoteGoString', () => {
  const cases = [['a"b\\', '"a\\"b\\\\"'], ['\n\t\u0001', '"\\n\\t\\x01"'], ['é😀', '"é😀"'], ['\u0085\u202e', '"\\u0085\\u202e"'], ['\u{e0001}', '"\\U000e0001"']] as const;
  for (const [text, expected] of cases) it(`quotes ${JSON.stringify(text)}`, () => assert.equal(quoteGoString(text), expected));
});
