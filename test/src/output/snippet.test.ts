import assert from 'node:assert/strict';
import { renderSnippet } from '../../../src/output/snippet.ts';
import { textWidthFor } from '../../../src/output/text-width.ts';
import { HOSTILE_TEXT, placeOf } from '../../support/check-report-builder.ts';

const ascii = (text: string): number => text.length;

describe('renderSnippet', () => {
  it('puts the caret below the key, without the indentation', () => {
    assert.deepEqual(renderSnippet(placeOf(), { columns: 80, width: ascii }), ['21 | runAsUser: 1000', '   | ^~~~~~~~~']);
  });
  it('marks what stands in the middle of a line', () => {
    assert.deepEqual(renderSnippet(placeOf({ line: 7, lineText: '- {name: web, image: nginx}', column: 15, length: 5 }), { columns: 80, width: ascii }), ['7 | - {name: web, image: nginx}', '  |               ^~~~~']);
  });
  it('marks one column where the length is not known', () => {
    assert.deepEqual(renderSnippet(placeOf({ lineText: 'a: 1', column: 1, length: 0 }), { columns: 80, width: ascii }), ['21 | a: 1', '   | ^']);
  });
  it('shows the line alone where the place is outside of it, as in one that was cut', () => {
    assert.deepEqual(renderSnippet(placeOf({ column: 500 }), { columns: 80, width: ascii }), ['21 | runAsUser: 1000']);
    assert.deepEqual(renderSnippet(placeOf({ column: 0 }), { columns: 80, width: ascii }), ['21 | runAsUser: 1000']);
  });
  it('cuts a long line on both sides of the mark and keeps the caret below it', () => {
    const lineText = `{${'a: 1, '.repeat(50)}runAsUser: 1000, ${'b: 2, '.repeat(50)}}`;
    const lines = renderSnippet(placeOf({ lineText, column: lineText.indexOf('runAsUser') + 1 }), { columns: 40, width: ascii });
    for (const line of lines) assert.ok(line.length <= 40, line);
    assert.equal(lines[0]?.slice(lines[1]?.indexOf('^') ?? 0).slice(0, 9), 'runAsUser');
  });
  it('counts wide letters as two columns', async () => {
    const lineText = '漢字: {runAsUser: 1}';
    const width = await textWidthFor([lineText]);
    assert.deepEqual(renderSnippet(placeOf({ lineText, column: 6 }), { columns: 40, width }), ['21 | 漢字: {runAsUser: 1}', `   | ${' '.repeat(7)}^~~~~~~~~`]);
  });
  it('makes controls visible and never exceeds the width', async () => {
    const width = await textWidthFor([HOSTILE_TEXT]);
    for (let columns = 20; columns < 120; columns += 7) {
      for (let column = 1; column < HOSTILE_TEXT.length + 3; column += 3) {
        for (const line of renderSnippet(placeOf({ lineText: `\t ${HOSTILE_TEXT}`, column, length: 30 }), { columns, width })) {
          // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
          assert.doesNotMatch(line, /[\u0000-\u001f\u202e]/);
          assert.ok(width(line) <= Math.max(columns, 21), `${columns} ${column}: ${line}`);
        }
      }
    }
  });
});
