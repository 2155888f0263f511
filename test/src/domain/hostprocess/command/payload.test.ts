import assert from 'node:assert/strict';
import { payloadText, runnerScript } from '../../../../../src/domain/hostprocess/command/payload.ts';
import { RUNNER } from '../../../../../src/domain/hostprocess/command/scripts.ts';
import type { Payload } from '../../../../../src/domain/hostprocess/command/transport.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import { readCall, readDataLine } from '../../../../support/windows-model/powershell.ts';
import { randomWord, randomWords } from '../../../../support/windows-model/random-words.ts';

const CASES = 20_000;
const EMPTY: Payload = { nonce: '0123456789abcdef', kind: 'code', words: [], line: '', text: '', errorAction: 'stop' };

const callOf = (kind: Payload['kind'], words: readonly string[]): unknown => readDataLine(payloadText({ ...EMPTY, kind, words })).data.get('i');

describe('payloadText', () => {
  it('is one statement of literals', () => {
    assert.equal(payloadText({ ...EMPTY, kind: 'command', words: ['ping', '-n', "it's"], line: "-n \"it's\"", errorAction: 'continue' }),
      "$kw=@{n='0123456789abcdef';k='command';e='Continue';w=@('ping','-n','it''s');l='-n \"it''s\"';t='';i='&$kw.x -n $kw.w[2];$kw.z=$?'}\n");
  });

  it('has another tail for a batch file where that differs, and none where none can be', () => {
    const tailOf = (words: readonly string[], line: string): unknown => readDataLine(payloadText({ ...EMPTY, kind: 'command', words, line })).data.get('b');
    assert.equal(tailOf(['x', 'a'], 'a'), undefined);
    assert.equal(tailOf(['x', 'a=b'], 'a=b'), '"a=b"');
    assert.equal(tailOf(['x', 'a"b'], '"a\\"b"'), null);
  });

  it('names a script that is ours, and its arguments as JSON', () => {
    const { data } = readDataLine(payloadText({ ...EMPTY, kind: 'named', name: 'copy-send', version: 2, text: 'param($a)', arguments: { path: "C:\\it's" } }));
    assert.equal(data.get('m'), 'copy-send.v2');
    assert.equal(data.get('a'), '{"path":"C:\\\\it\'s"}');
    assert.equal(data.get('i'), '&$kw.x $kw.a;$kw.z=$?');
  });

  for (const [words, call] of [
    [['Get-Item', 'C:\\'], '&$kw.x $kw.w[1];$kw.z=$?'],
    [['Stop-Service', '-Name', 'a b', '-Force'], '&$kw.x -Name $kw.w[2] -Force;$kw.z=$?'],
    [['Stop-Service', '-Confirm:$False'], '&$kw.x -Confirm:$False;$kw.z=$?'],
    [['x', '-Path:it\u2019s'], "&$kw.x -Path:'it\u2019\u2019s';$kw.z=$?"],
    [['x', '-Path:', 'y'], '&$kw.x -Path: $kw.w[2];$kw.z=$?'],
    [['x', '-5', '--all', '-', '-a-b', '-a;calc', '\u2013Force'], '&$kw.x $kw.w[1] $kw.w[2] $kw.w[3] $kw.w[4] $kw.w[5] $kw.w[6];$kw.z=$?'],
  ] as const) {
    it(`calls ${words.join(' ')} by ${call}`, () => assert.equal(callOf('command', words), call));
  }

  it('hands all words to a script, and none to code', () => {
    assert.equal(callOf('script', ['a', '-B']), '&$kw.x $kw.w[0] -B;$kw.z=$?');
    assert.equal(callOf('code', ['Get-Date']), '&$kw.x;$kw.z=$?');
    assert.equal(callOf('cmd', ['ver']), '');
  });

  const seed = testSeed();
  it(`can be read back whatever it holds, and hands each word on once: ${CASES} cases, seed ${seed}`, function () {
    this.timeout(60_000);
    const random = seededRandom(seed);
    for (let index = 0; index < CASES; index += 1) {
      const words = ['x', ...randomWords(random, 5)];
      const payload: Payload = { ...EMPTY, kind: random.pick(['command', 'script']), words, line: randomWord(random), text: randomWord(random) };
      const { data, runner } = readDataLine(payloadText(payload));
      assert.equal(runner, '');
      assert.deepEqual([data.get('w'), data.get('l'), data.get('t'), data.get('k')], [words, payload.line, payload.text, payload.kind]);
      const handedOn = payload.kind === 'command' ? words.slice(1) : words;
      const bound = readCall(String(data.get('i')), words);
      assert.equal(bound.length, handedOn.length);
      for (const [at, word] of handedOn.entries()) {
        const one = bound[at];
        if (one === undefined || 'value' in one) assert.equal(one?.value, word);
        else assert.equal(`-${one.parameter}${one.with === undefined ? (one.takesNext ? ':' : '') : `:${typeof one.with === 'string' ? one.with : word.slice(one.parameter.length + 2)}`}`, word);
      }
    }
  });
});

describe('runnerScript', () => {
  it('is the data and the runner', () => assert.deepEqual(runnerScript(EMPTY), payloadText(EMPTY) + RUNNER));
});
