import assert from 'node:assert/strict';
import { VisibleText } from '../../../../src/output/exec/visible-text.ts';

/** What a terminal gets of these pieces, piece by piece. */
function shown(...pieces: readonly (string | Uint8Array)[]): readonly string[] {
  const text = new VisibleText();
  return [...pieces.map((piece) => text.push(typeof piece === 'string' ? Buffer.from(piece) : piece)), text.end()];
}

describe('VisibleText', () => {
  it('lets text through at once, also without the end of a line', () => assert.deepEqual(shown('Sure? ', 'yes\t€\n'), ['Sure? ', 'yes\t€\n', '']));

  it('takes CR and LF for the end of a line, wherever they are cut', () => assert.deepEqual(shown('a\r\nb\r', '\nc\r', 'd\r'), ['a\nb', '\nc', '\\rd', '\\r']));

  it('shows what would steer the terminal', () => assert.deepEqual(shown('\u001b[2J\u0007\u009b1m', '\u202e'), ['^[[2J^G\\u009b1m', '\\u202e', '']));

  it('keeps characters together that come in two pieces', () => {
    const bytes = Buffer.from('ü€😀');
    for (let cut = 0; cut <= bytes.length; cut += 1) assert.equal(shown(bytes.subarray(0, cut), bytes.subarray(cut)).join(''), 'ü€😀');
  });

  it('shows bytes that are no text', () => assert.deepEqual(shown(Uint8Array.of(0xff, 0x61), Uint8Array.of(0xe2, 0x82)), ['\ufffda', '', '\ufffd']));
});
