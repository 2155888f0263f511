import assert from 'node:assert/strict';
import { batchArgument, batchTail, inexpressible, programArgument, quoteArgument, shimArgument } from '../../../../../src/domain/hostprocess/command/windows-arguments.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import { commandLineToArgv, cRuntimeArgv } from '../../../../support/windows-model/arguments.ts';
import { batchArguments, runCmd } from '../../../../support/windows-model/cmd.ts';
import { escapeArg } from '../../../../support/windows-model/node.ts';
import { randomWord, randomWords } from '../../../../support/windows-model/random-words.ts';

const CASES = 20_000;

describe('quoteArgument', () => {
  for (const [word, quoted] of [
    ['', '""'], ['a', 'a'], ['C:\\x\\', 'C:\\x\\'], ['PROPERTY=1', 'PROPERTY=1'], ['/quiet', '/quiet'], ['a b', '"a b"'], ['C:\\a b\\', '"C:\\a b\\\\"'], ['say "hi"', '"say \\"hi\\""'], ['\\"', '"\\\\\\""'], ['*', '"*"'], ['%PATH%', '"%PATH%"'],
  ] as const) {
    it(`writes ${word === '' ? 'an empty one' : word} as ${quoted}`, () => assert.equal(quoteArgument(word), quoted));
  }
});

describe('programArgument', () => {
  for (const [word, quoted] of [
    ['', '""'], ['A=1', 'A=1'], ['A=', 'A='], ['INSTALLDIR=C:\\Program Files\\', 'INSTALLDIR="C:\\Program Files\\\\"'], ['A=say "hi"', 'A="say \\"hi\\""'], ['a b=c', '"a b=c"'], ['=a b', '"=a b"'], ['/p:A=a b', '"/p:A=a b"'],
  ] as const) {
    it(`writes ${word === '' ? 'an empty one' : word} as ${quoted}`, () => assert.equal(programArgument(word), quoted));
  }
});

describe('a line of programArgument', () => {
  const seed = testSeed();
  it(`gives every program its words back: ${CASES} cases, seed ${seed}`, function () {
    this.timeout(60_000);
    const random = seededRandom(seed);
    for (let index = 0; index < CASES; index += 1) {
      const words = randomWords(random, 6);
      const line = `"C:\\Program Files\\x.exe" ${words.map(programArgument).join(' ')}`;
      assert.deepEqual(commandLineToArgv(line).slice(1), words, line);
      assert.deepEqual(cRuntimeArgv(line).slice(1), words, line);
    }
  });
});

describe('shimArgument', () => {
  const seed = testSeed();
  it(`writes what EscapeArg does: ${CASES} cases, seed ${seed}`, () => {
    const random = seededRandom(seed);
    for (let index = 0; index < CASES; index += 1) {
      const word = randomWord(random);
      assert.equal(shimArgument(word), escapeArg(word));
    }
  });
});

describe('batchArgument', () => {
  for (const [word, quoted] of [['', '""'], ['a', 'a'], ['C:\\x\\', 'C:\\x\\'], ['a,b', '"a,b"'], ['a=b', '"a=b"'], ['a&b', '"a&b"'], ['a^b', '"a^b"'], ['a b', '"a b"'], ['!x!', '"!x!"']] as const) {
    it(`writes ${word === '' ? 'an empty one' : word} as ${quoted}`, () => assert.equal(batchArgument(word), quoted));
  }

  for (const word of ['"', 'a"&calc', '%PATH%', '100%', 'a\nb', 'a\rb', 'C:\\Program Files\\', '\u00a0\\']) {
    it(`has no way to write ${JSON.stringify(word)}`, () => assert.equal(batchArgument(word), null));
  }

  const seed = testSeed();
  it(`gives a batch file its words back and cmd nothing to run, or refuses: ${CASES} cases, seed ${seed}`, function () {
    this.timeout(60_000);
    const random = seededRandom(seed);
    const environment = { PATH: 'C:\\Windows', A: '& calc', CD: 'C:\\hpc' };
    let written = 0;
    for (let index = 0; index < CASES; index += 1) {
      const words = randomWords(random, 3);
      const tail = batchTail(['x.cmd', ...words]);
      if (tail === null) continue;
      written += 1;
      const line = ` /d /v:off /s /c ""C:\\a b\\x.cmd" ${tail}"`;
      const { starts, operators } = runCmd(line, environment);
      assert.deepEqual(operators, [], line);
      assert.equal(starts[0]?.name, 'C:\\a b\\x.cmd');
      assert.deepEqual(batchArguments(starts[0].tail), words, line);
      // Programs that it hands %* to read the same.
      assert.deepEqual(commandLineToArgv(`x ${tail}`).slice(1), words, line);
    }
    assert.ok(written > CASES / 20, `${written} were written`);
    process.stdout.write(`      ${written} of ${CASES} can be written for a batch file\n`);
  });
});

describe('inexpressible', () => {
  it('names halves of surrogate pairs and NUL, and takes all else', () => {
    assert.match(inexpressible('a\ud800') ?? '', /surrogate/);
    assert.match(inexpressible('\udc00b') ?? '', /surrogate/);
    assert.match(inexpressible('a\ufffd') ?? '', /no UTF-8/);
    assert.match(inexpressible('a\0b') ?? '', /NUL/);
    for (const text of ['', '\u{10ffff}', '\ufffe\uffff', '\n', '\u0001']) assert.equal(inexpressible(text), null);
  });
});
