import assert from 'node:assert/strict';
import { encodeCommand, joinedLength } from '../../../../../src/domain/hostprocess/command/encoded-command.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import { shimLine } from '../../../../support/windows-model/node.ts';
import { randomWord, randomWords } from '../../../../support/windows-model/random-words.ts';

const CASES = 5_000;

describe('encodeCommand', () => {
  it('writes what the documentation of PowerShell gives as example', () => {
    // https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_powershell_exe: 'dir "c:\program files" '
    assert.equal(encodeCommand('dir "c:\\program files" '), 'ZABpAHIAIAAiAGMAOgBcAHAAcgBvAGcAcgBhAG0AIABmAGkAbABlAHMAIgAgAA==');
  });

  const seed = testSeed();
  it(`is the script again, in characters that cmd does not read: ${CASES} cases, seed ${seed}`, () => {
    const random = seededRandom(seed);
    for (let index = 0; index < CASES; index += 1) {
      const script = randomWord(random);
      const encoded = encodeCommand(script);
      assert.match(encoded, /^[A-Za-z0-9+/]*={0,2}$/);
      assert.equal(Buffer.from(encoded, 'base64').toString('utf16le'), script);
    }
  });
});

describe('joinedLength', () => {
  const seed = testSeed();
  it(`is that of the shim's line on a current host: ${CASES} cases, seed ${seed}`, () => {
    const random = seededRandom(seed);
    for (let index = 0; index < CASES; index += 1) {
      const argv = ['a', ...randomWords(random, 4)].map((word) => word.replaceAll('CONTAINER_SANDBOX_MOUNT_POINT', 'X'));
      assert.equal(joinedLength(argv), shimLine(argv, { hasBindFilters: true }).length);
    }
  });
});
