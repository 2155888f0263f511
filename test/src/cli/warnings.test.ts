import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { warningWriter } from '../../../src/cli/warnings.ts';

function writer(isTTY: boolean, env: Record<string, string> = {}, platform = 'linux'): { write: (text: string) => boolean; text: () => string } {
  let text = '';
  const stderr = Object.assign(new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString('utf8');
      done();
    },
  }), { isTTY });
  return { write: warningWriter({ stderr, env, platform }), text: () => text };
}

describe('warningWriter', () => {
  it('writes each warning once', () => {
    const { write, text } = writer(false);
    assert.deepEqual([write('a is deprecated'), write('b'), write('a is deprecated')], [true, true, false]);
    assert.equal(text(), 'Warning: a is deprecated\nWarning: b\n');
  });

  const colours: readonly [string, boolean, Record<string, string>, string, boolean][] = [
    ['a terminal', true, { TERM: 'xterm' }, 'linux', true],
    ['a pipe', false, { TERM: 'xterm' }, 'linux', false],
    ['NO_COLOR, even empty', true, { TERM: 'xterm', NO_COLOR: '' }, 'linux', false],
    ['TERM=dumb', true, { TERM: 'dumb' }, 'linux', false],
    ["Windows' old console", true, {}, 'win32', false],
    ['Windows Terminal', true, { WT_SESSION: '1' }, 'win32', true],
  ];
  for (const [name, isTTY, env, platform, coloured] of colours) {
    it(`is ${coloured ? '' : 'not '}yellow for ${name}`, () => {
      const { write, text } = writer(isTTY, env, platform);
      write('x');
      assert.equal(text(), coloured ? '\u001b[33;1mWarning:\u001b[0m x\n' : 'Warning: x\n');
    });
  }

  it('neutralises terminal controls', () => {
    const { write, text } = writer(false);
    write('a\u001b[31mb');
    assert.equal(text(), 'Warning: a^[[31mb\n');
  });
});
