import assert from 'node:assert/strict';
import { literal } from '../../../../../src/domain/hostprocess/command/powershell-literal.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import { readLiteral } from '../../../../support/windows-model/powershell.ts';
import { randomWord } from '../../../../support/windows-model/random-words.ts';

const CASES = 20_000;

describe('literal', () => {
  for (const [text, written] of [["it's", "'it''s'"], ['\u2019; calc #', "'\u2019\u2019; calc #'"], ['$x `n "y"', "'$x `n \"y\"'"], ['', "''"], ['\u2018\u2019\u201a\u201b', "'\u2018\u2018\u2019\u2019\u201a\u201a\u201b\u201b'"]] as const) {
    it(`writes ${text === '' ? 'nothing' : text} as ${written}`, () => assert.equal(literal(text), written));
  }

  const seed = testSeed();
  it(`is the text again for PowerShell, and ends where it ends: ${CASES} cases, seed ${seed}`, () => {
    const random = seededRandom(seed);
    for (let index = 0; index < CASES; index += 1) {
      const text = randomWord(random);
      const written = literal(text);
      assert.deepEqual(readLiteral(`${written};next`, 0), { value: text, end: written.length });
    }
  });
});
