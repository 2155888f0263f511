import assert from 'node:assert/strict';
import { renderBoxed } from '../../../src/output/boxed.ts';
import { assertGolden } from '../../support/golden.ts';

const TABLE = {
  headers: ['FIELD', 'VALUE'],
  rows: [
    ['Name', 'akswin000000'],
    ['Message', 'label node.kubernetes.io/windows-build says 10.0.17763, the kernel says 10.0.20348; restart the kubelet so that it sets the label again'],
    ['Lines', 'first\nsecond'],
    ['Hostile', '\u001b[31mred\r\u202e'],
    ['Wide', '節点'.repeat(20)],
  ],
} as const;

describe('renderBoxed', () => {
  it('draws a box without a terminal to fit into', async () => assertGolden('output/boxed.txt', await renderBoxed(TABLE)));

  for (const terminalWidth of [80, 40]) {
    it(`fits ${terminalWidth} columns and loses no text`, async () => {
      const text = await renderBoxed(TABLE, { terminalWidth });
      assertGolden(`output/boxed-${terminalWidth}.txt`, text);
      const letters = (part: string): string => part.replaceAll(/[^A-Za-z0-9]/g, '');
      assert.equal(letters(text).includes('akswin000000'), true);
      for (const line of text.split('\n').filter((each) => !each.includes('節'))) assert.ok(line.length <= terminalWidth, line);
    });
  }

  it('draws rows alone, and no colour of its own', async () => {
    const text = await renderBoxed({ rows: [['a', 'b']] });
    assert.equal(text, '┌───┬───┐\n│ a │ b │\n└───┴───┘\n');
  });
});
