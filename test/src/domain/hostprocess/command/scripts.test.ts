import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerScript } from '../../../../../src/domain/hostprocess/command/payload.ts';
import { planTransport } from '../../../../../src/domain/hostprocess/command/plan-transport.ts';
import { BOOTSTRAP, CONSOLE_SETUP, RUNNER } from '../../../../../src/domain/hostprocess/command/scripts.ts';
import { SignFilter } from '../../../../../src/domain/hostprocess/command/sign.ts';
import type { CommandRequest, Sign } from '../../../../../src/domain/hostprocess/command/transport.ts';
import { updatesGolden } from '../../../../support/golden.ts';
import { parsePowerShell, syntaxErrors } from '../../../../support/powershell-grammar.ts';
import { runPwsh, skipWithoutPwsh } from '../../../../support/pwsh.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import { randomWord, randomWords } from '../../../../support/windows-model/random-words.ts';

const SCRIPTS = { BOOTSTRAP, CONSOLE_SETUP, RUNNER };
const CASES = 300;

describe('the scripts that run a command on a node', () => {
  it('are those that the kubelet of the test cluster knows by their hash', () => {
    const file = join(import.meta.dirname, '../../../../../test/cluster/scripts.sha256');
    const lines = Object.entries(SCRIPTS).map(([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`).join('');
    if (updatesGolden) writeFileSync(file, lines);
    assert.equal(readFileSync(file, 'utf8'), lines, 'UPDATE_GOLDEN=1 writes test/cluster/scripts.sha256');
  });

  for (const [name, text] of Object.entries(SCRIPTS)) {
    it(`are PowerShell, as far as its grammar goes: ${name}`, async () => assert.deepEqual(await syntaxErrors(text), []));

    it(`have nothing that Windows PowerShell 5.1 does not know: ${name}`, () => {
      assert.match(text, /^[\n\x20-\x7e]*$/, 'a console reads other characters by its code page');
      assert.doesNotMatch(text, /\?\?|\?\.|\?\[|&&|\|\||\bclean\s*\{|-Parallel|-AsHashtable/, 'PowerShell 7');
    });
  }

  it('leave no variable to the command but $kw, and take none of its', async () => {
    const names = (await parsePowerShell(RUNNER)).descendantsOfType('variable').map(({ text }) => text);
    const parameters = ['$s', '$m', '$f', '$g', '$b', '$o', '$p'];
    const automatic = ['$_', '$null', '$false', '$PID', '$LASTEXITCODE', '$ExecutionContext', '$env:ComSpec', '$ErrorActionPreference', '$ProgressPreference', '$OutputEncoding'];
    assert.deepEqual([...new Set(names)].filter((name) => !['$kw', ...parameters, ...automatic].includes(name)), []);
    // those of script blocks that are called by &, which have a scope of their own
    const blocks = (await parsePowerShell(RUNNER)).descendantsOfType('script_block_expression').flatMap((block) => block.descendantsOfType('variable').map(({ text }) => text));
    for (const name of parameters) assert.equal(names.filter((one) => one === name).length, blocks.filter((one) => one === name).length, `${name} stands outside of a block`);
  });

  const seed = testSeed();
  it(`get what they are to do as literals alone, whatever it is: ${CASES} cases, seed ${seed}`, async function () {
    this.timeout(60_000);
    const random = seededRandom(seed);
    for (let index = 0; index < CASES; index += 1) {
      const script = runnerScript({ nonce: '0123456789abcdef', kind: random.pick(['command', 'code', 'script', 'cmd']), words: ['x', ...randomWords(random, 5)], line: randomWord(random), text: randomWord(random), errorAction: 'stop' });
      const root = await parsePowerShell(script);
      const [data] = root.descendantsOfType('hash_literal_expression');
      assert.ok(data !== undefined, script);
      assert.equal(script.slice(0, script.length - RUNNER.length), `$kw=${data.text}\n`, 'something stands beside the data');
      const variables = data.descendantsOfType('variable').map(({ text }) => text);
      assert.deepEqual([variables.filter((name) => name !== '$null'), data.descendantsOfType(['command', 'sub_expression', 'expandable_string_literal'])], [[], []], script);
    }
  });
});

// PowerShell 7 on this system, where it is found: another program than the 5.1 of nodes, and the same language.
describe('the scripts under pwsh', function () {
  this.timeout(120_000);
  const NONCE = '0123456789abcdef';
  let program = '';
  before(function () {
    program = skipWithoutPwsh(this);
  });

  async function ran(request: Partial<CommandRequest>, stdin = ''): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string; readonly signs: readonly Sign[] }> {
    const transport = planTransport({ shell: 'pwsh', words: [], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop', nonce: NONCE, ...request });
    assert.ok('argv' in transport, JSON.stringify(transport));
    const { code, stdout, stderr } = await runPwsh(program, transport.argv.slice(1), Buffer.concat([transport.preamble, Buffer.from(stdin)]));
    const filter = new SignFilter(NONCE);
    const [read, rest] = [filter.push(Buffer.from(stderr)), filter.end()];
    return { code, stdout, stderr: Buffer.concat([read.bytes, rest.bytes]).toString(), signs: [...read.signs, ...rest.signs] };
  }

  for (const isPrivate of [false, true]) {
    const form = isPrivate ? 'framed' : 'encoded';
    it(`end with the code of what they ran, and say so: ${form}`, async () => {
      for (const [text, code] of [['$null = 1', 0], ['exit 7', 7], ["throw 'no'", 1], ['Get-Item /no/such/place', 1]] as const) {
        const result = await ran({ words: [text], isPrivate });
        assert.equal(result.code, code, `${text}: ${result.stderr}`);
        assert.deepEqual(result.signs.map(({ sign }) => sign), ['start', 'end'], text);
      }
    });

    it(`hand arguments on as they are: ${form}`, async () => {
      const words = ['a b', 'quote"s', "it's", '$env:PATH', '`n', '', '\u00fc\u2019', '-5', '--all'];
      const script = { name: 'args.ps1', text: "[Console]::Out.Write((($args | ForEach-Object { \"[$_]\" }) -join ''))" };
      const { code, stdout, stderr } = await ran({ script, words, isPrivate });
      assert.deepEqual([code, stdout], [0, words.map((word) => `[${word}]`).join('')], stderr);
    });
  }

  it('leave stdin behind the frame to a program', async function () {
    if (process.platform === 'win32') this.skip();
    const text = 'first\r\nsecond \u00fc\u{1f600}\n\u0000end';
    const { code, stdout, signs } = await ran({ words: ['/bin/cat', '-'], isPrivate: true }, text);
    assert.deepEqual([code, stdout, signs.map(({ sign }) => sign)], [0, text, ['start', 'end']]);
  });

  it('tell a program that is not there', async () => {
    const { code, signs } = await ran({ words: ['no-such-program', 'x'] });
    assert.deepEqual([code, signs.map((one) => (one.sign === 'failed' ? one.reason : one.sign))], [127, ['start', 'NotFound', 'end']]);
  });
});
