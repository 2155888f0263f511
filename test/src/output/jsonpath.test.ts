import assert from 'node:assert/strict';
import { UsageError } from '../../../src/errors.ts';
import { findJsonPath, JsonPathError, parseJsonPath, printJsonPath } from '../../../src/output/jsonpath.ts';
import { readGolden } from '../../support/golden.ts';
import { RECORD_FILE, type JsonPathRecord } from './jsonpath-record.ts';

/** As kubectl prints it: `error: ` and what is wrong. */
function print(template: string, document: unknown, asJson: boolean): string {
  try {
    return printJsonPath(parseJsonPath(template), document, { asJson });
  } catch (error) {
    if (error instanceof JsonPathError) return `error: error parsing jsonpath ${template}, ${error.message}`;
    if (error instanceof UsageError) return `error: ${error.message}`;
    throw error;
  }
}

describe('printJsonPath', () => {
  const { document, cases } = JSON.parse(readGolden(RECORD_FILE)) as JsonPathRecord;
  const labelled = { ...document, metadata: { ...document.metadata, labels: { ...document.metadata.labels, a: 'b' } } };

  it('has recorded answers to compare with', () => assert.ok(cases.length > 80));

  for (const { format, template, output } of cases) {
    // Two maps are met by `..b`: kubectl prints what it finds there in random order.
    const either = template === '{..b}' ? [output, output.split(' ').reverse().join(' ')] : [output];
    it(`prints what kubectl printed for ${format}=${JSON.stringify(template)}`, () => {
      const printed = print(template, labelled, format === 'jsonpath-as-json');
      assert.ok(either.includes(printed), `${JSON.stringify(printed)} is not ${JSON.stringify(output)}`);
    });
  }

  it('walks maps in the order of their keys, so that output is stable', () => {
    assert.equal(print('{.*}', { b: 1, a: 2, 'ｚ': 4, '😀': 5, C: 3 }, false), '3 2 1 4 5');
  });

  it('prints whole numbers beyond 64 bits as floats, as kubectl reads them', () => {
    assert.equal(print('{.n}', { n: 2 ** 63 }, false), '9.223372036854776e+18');
    assert.equal(print('{.n}', { n: 2 ** 53 - 1 }, false), '9007199254740991');
  });

  it('does not see inherited fields', () => {
    assert.equal(print('{.toString}{.constructor}{.__proto__}', { a: 1 }, false), '');
  });

  it('tells a missing field when missing fields are not allowed', () => {
    assert.throws(() => findJsonPath(parseJsonPath('{.nope}'), {}, { allowMissingKeys: false }), new JsonPathError('nope is not found'));
  });

  it('survives templates of many actions and deep documents', () => {
    const template = '{.a}'.repeat(50_000);
    assert.equal(print(template, { a: 1 }, false).length, 50_000);
    let deep: unknown = 'x';
    for (let level = 0; level < 1000; level += 1) deep = { a: deep };
    assert.equal(print('{..a}', { b: deep }, false).endsWith('x'), true);
  });

  it('knows a template without actions, which kubectl prints as it stands', () => {
    assert.equal(parseJsonPath('.metadata.name').isPlainText, true);
    assert.equal(print('.metadata.name', {}, false), '.metadata.name');
    assert.equal(parseJsonPath('{.metadata.name}').isPlainText, false);
  });

  it('refuses ranges without end instead of running out of stack', () => {
    assert.throws(() => printJsonPath(parseJsonPath('{range .a[*]}'.repeat(3000)), { a: [] }), /ranges are nested more than 500 deep/);
  });
});
