import assert from 'node:assert/strict';
import { serverText } from '../../../../src/adapters/http/server-text.ts';

describe('serverText', () => {
  const cases: readonly (readonly [text: string, shown: string])[] = [
    ['text/html', 'text/html'],
    ['a\u001b[31m\u009b2Jb\r\nc\u202ed\u2028e', 'a [31m 2Jb c d e'],
    ['x'.repeat(201), `${'x'.repeat(199)}…`],
    ['😀'.repeat(200), '😀'.repeat(200)],
    [' '.repeat(100_000), ' …'],
  ];
  for (const [text, shown] of cases) it(`shows ${JSON.stringify(shown.slice(0, 20))}`, () => assert.equal(serverText(text), shown));
});
