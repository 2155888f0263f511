import assert from 'node:assert/strict';
import { isAscii, textWidthFor } from '../../../src/output/text-width.ts';

describe('textWidthFor', () => {
  const cases = [['', 0], ['abc', 3], ['é', 1], ['e\u0301', 1], ['節点', 4], ['😀', 2], ['👩\u200d🔧', 2], ['ｱ', 1]] as const;
  for (const [text, columns] of cases) {
    it(`${JSON.stringify(text)} takes ${columns} columns`, async () => assert.equal((await textWidthFor([text]))(text), columns));
  }
});

describe('isAscii', () => {
  it('tells ASCII from the rest', () => assert.deepEqual(['', 'a~\n', 'é', 'a😀'].map(isAscii), [true, true, false, false]));
});
