import assert from 'node:assert/strict';
import { renderCsv } from '../../../src/output/csv.ts';
import type { View } from '../../../src/output/view.ts';

const view = (...texts: readonly string[]): View<string> => ({
  columns: [{ header: 'X', value: (text) => text }, { header: 'LENGTH', value: (text) => String(text.length), wide: true }],
  items: texts,
  document: () => ({}),
  nameOf: (text) => text,
  emptyMessage: '',
});

describe('renderCsv', () => {
  const cases = [
    ['plain', 'plain'], ['a,b', '"a,b"'], ['say "x"', '"say ""x"""'], ['a\nb', '"a\nb"'], ['a\r\nb', '"a\nb"'], ['', ''], [' lead', '" lead"'],
    ['=1+1', `"'=1+1"`], ['+cmd', `"'+cmd"`], ['-cmd', `"'-cmd"`], ['@SUM(A1)', `"'@SUM(A1)"`], ['-1', '-1'], ['+5.2', '+5.2'], ['-1+1', `"'-1+1"`],
    ['\tx', '\\tx'], ['\r=1', '\\r=1'], ['\u001b[0m', '^[[0m'],
  ] as const;
  for (const [text, expected] of cases) {
    it(`writes ${JSON.stringify(text)} as ${JSON.stringify(expected)}`, () => {
      assert.equal([...renderCsv(view(text), { noHeaders: true })].join(''), `${expected},${text.length}\r\n`);
    });
  }
  it('has all columns, wide ones too, under their headers', () => assert.equal([...renderCsv(view('a'))].join(''), 'X,LENGTH\r\na,1\r\n'));
});
