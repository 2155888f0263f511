import assert from 'node:assert/strict';
import { suppressionOf, suppressionsOf, voidSuppressionOf } from '../../../../../src/domain/check/control/suppress.ts';

const TODAY = new Date('2026-11-30T23:59:00Z');
const FINDING = { rule: 'sysctls', facts: ['SEC-004'] };

function annotated(annotations: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', annotations } };
}

describe('suppressionsOf', () => {
  it('takes no longer for a text of separators than for another', () => {
    const start = performance.now();
    const value = `x${'-'.repeat(250_000)}y`;
    assert.equal(suppressionsOf(annotated({ 'ignore.kubectl-win/sysctls': value }), [], TODAY).reasons.get('sysctls'), value);
    assert.ok(performance.now() - start < 2_000);
  });

  // name, value of the annotation, reason that holds, why it does not
  const cases: readonly [string, string, string | null, string | null][] = [
    ['a reason', 'the vendor says so', 'the vendor says so', null],
    ['a reason with a day before it', 'until 2027-01-31: the vendor says so', 'the vendor says so (until 2027-01-31)', null],
    ['a reason with a day after it', 'vendor image, until 2027-01-31', 'vendor image (until 2027-01-31)', null],
    ['until=DAY', 'until=2027-01-31 vendor', 'vendor (until 2027-01-31)', null],
    ['its last day', 'until 2026-11-30: vendor', 'vendor (until 2026-11-30)', null],
    ['the day after its last', 'until 2026-11-29: vendor', null, 'the annotation ignore.kubectl-win/sysctls suppressed this until 2026-11-29'],
    ['no reason', '', null, 'the annotation ignore.kubectl-win/sysctls gives no reason, so it suppresses nothing'],
    ['blanks for a reason', '  ', null, 'the annotation ignore.kubectl-win/sysctls gives no reason, so it suppresses nothing'],
    ['a day alone', 'until 2027-01-31', null, 'the annotation ignore.kubectl-win/sysctls gives no reason, so it suppresses nothing'],
    ['a day that does not exist', 'until 2027-02-30: vendor', null, 'the annotation ignore.kubectl-win/sysctls ends on 2027-02-30, which is no day, so it suppresses nothing'],
    ['a day of another form', 'until 31.1.2027: vendor', null, 'the annotation ignore.kubectl-win/sysctls names an end that is no day as YYYY-MM-DD, so it suppresses nothing'],
    ['a day without leading noughts', 'until 2027-1-31: vendor', null, 'the annotation ignore.kubectl-win/sysctls names an end that is no day as YYYY-MM-DD, so it suppresses nothing'],
    ['the word until with no day', 'kept until the vendor is done', 'kept until the vendor is done', null],
    ['a day that is no end', 'agreed on 2020-01-01 with the vendor', 'agreed on 2020-01-01 with the vendor', null],
  ];
  for (const [name, value, reason, why] of cases) {
    it(`reads ${name}`, () => {
      const suppressions = suppressionsOf(annotated({ 'ignore.kubectl-win/sysctls': value }), [], TODAY);
      assert.equal(suppressionOf(FINDING, suppressions), reason);
      assert.equal(voidSuppressionOf(FINDING, suppressions), why);
    });
  }

  it('takes the number of the catalogue, and any case', () => {
    for (const name of ['SEC-004', 'sec-004', 'Sysctls']) {
      assert.equal(suppressionOf(FINDING, suppressionsOf(annotated({ [`ignore.kubectl-win/${name}`]: 'agreed' }), [], TODAY)), 'agreed', name);
    }
  });

  it('suppresses nothing but the rule that it names', () => {
    const suppressions = suppressionsOf(annotated({ 'ignore.kubectl-win/os-name-missing': 'agreed' }), [], TODAY);
    assert.equal(suppressionOf(FINDING, suppressions), null);
    assert.equal(voidSuppressionOf(FINDING, suppressions), null);
  });

  it('reads the annotations of pod templates too', () => {
    const suppressions = suppressionsOf(annotated({}), [{}, { annotations: { 'ignore.kubectl-win/sysctls': 'agreed' } }], TODAY);
    assert.equal(suppressionOf(FINDING, suppressions), 'agreed');
  });

  it('lets one that holds count beside one that does not', () => {
    const suppressions = suppressionsOf(annotated({ 'ignore.kubectl-win/sysctls': 'until 2020-01-01: old' }), [{ annotations: { 'ignore.kubectl-win/sysctls': 'agreed' } }], TODAY);
    assert.equal(suppressionOf(FINDING, suppressions), 'agreed');
  });

  it('is empty for objects without such annotations, whatever they hold', () => {
    for (const annotations of [{}, { 'example.com/ignore.kubectl-win/sysctls': 'no' }, null, 'text']) {
      const suppressions = suppressionsOf({ metadata: { annotations } } as never, [], TODAY); // as a broken manifest can have it
      assert.equal(suppressions.reasons.size + suppressions.void.size, 0);
    }
  });
});
