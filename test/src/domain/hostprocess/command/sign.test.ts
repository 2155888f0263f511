import assert from 'node:assert/strict';
import { SignFilter } from '../../../../../src/domain/hostprocess/command/sign.ts';
import type { Sign } from '../../../../../src/domain/hostprocess/command/transport.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';

const NONCE = '0123456789abcdef';
const sign = (text: string, nonce = NONCE): string => `\u001ekubectl-win ${nonce} ${text}\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What passes, and the signs, of a stream that comes in these pieces. */
function filter(pieces: readonly Uint8Array[]): { readonly text: string; readonly signs: readonly Sign[]; readonly mostHeld: number } {
  const signs = new SignFilter(NONCE);
  const passed: Uint8Array[] = [];
  const found: Sign[] = [];
  let [come, gone, mostHeld] = [0, 0, 0];
  for (const piece of pieces) {
    const filtered = signs.push(piece);
    passed.push(filtered.bytes);
    found.push(...filtered.signs);
    come += piece.length;
    gone += filtered.bytes.length;
    if (filtered.signs.length === 0 && found.length === 0) mostHeld = Math.max(mostHeld, come - gone);
  }
  const last = signs.end();
  return { text: Buffer.concat([...passed, last.bytes]).toString('latin1'), signs: [...found, ...last.signs], mostHeld };
}

const whole = (text: string): ReturnType<typeof filter> => filter([Buffer.from(text, 'latin1')]);

describe('SignFilter', () => {
  const stream = `before${sign('start 4711')}in ${sign('failed NotFound '.concat(base64('kein Befehl „x“')))}the middle\n${sign('end -1073741819')}after\n${sign('end ')}`;
  const found: readonly Sign[] = [
    { sign: 'start', pid: 4711 }, { sign: 'failed', reason: 'NotFound', message: 'kein Befehl „x“' }, { sign: 'end', code: 3221225477 }, { sign: 'end', code: null },
  ];

  it('takes signs out wherever they stand, and reads them', () => {
    assert.deepEqual(whole(stream), { text: 'beforein the middle\nafter\n', signs: found, mostHeld: 0 });
  });

  it('does so wherever the stream is cut', () => {
    const bytes = Buffer.from(stream, 'latin1');
    for (let at = 0; at <= bytes.length; at += 1) assert.deepEqual({ ...filter([bytes.subarray(0, at), bytes.subarray(at)]), mostHeld: 0 }, { text: 'beforein the middle\nafter\n', signs: found, mostHeld: 0 }, `cut at ${at}`);
    assert.deepEqual({ ...filter([...bytes].map((byte) => Uint8Array.of(byte))), mostHeld: 0 }, { text: 'beforein the middle\nafter\n', signs: found, mostHeld: 0 });
  });

  for (const [name, text] of [
    ['has another nonce', sign('end 0', 'fedcba9876543210')],
    ['is no sign that we know', sign('done 0')],
    ['has a number that is none', sign('end 0x1')],
    ['has no line break', sign('end 0').slice(0, -1)],
    ['has a line break of two characters', sign('end 0\r')],
    ['is only its beginning', '\u001ekubectl-win'],
    ['is its beginning, and again', `\u001ekubectl\u001e\u001e${sign('done').slice(0, 12)}`],
    ['has no separator before it', sign('end 0').slice(1)],
    ['never ends', `\u001ekubectl-win ${NONCE} ${'x'.repeat(40_000)}\n`],
  ] as const) {
    it(`lets pass what ${name}`, () => assert.deepEqual({ ...whole(text), mostHeld: 0 }, { text, signs: [], mostHeld: 0 }));
  }

  it('finds a sign behind what looked like one', () => {
    assert.deepEqual({ ...whole(`\u001ekubectl-win ${NONCE} ${sign('end 0')}`), mostHeld: 0 }, { text: `\u001ekubectl-win ${NONCE} `, signs: [{ sign: 'end', code: 0 }], mostHeld: 0 });
    assert.deepEqual({ ...whole(`\u001e\u001ekubectl-${sign('end 7')}`), mostHeld: 0 }, { text: '\u001e\u001ekubectl-', signs: [{ sign: 'end', code: 7 }], mostHeld: 0 });
  });

  it('gives a message that is no Base64 as it is', () => {
    assert.deepEqual(whole(sign('failed Refused a')).signs, [{ sign: 'failed', reason: 'Refused', message: 'a' }]);
  });

  const seed = testSeed();
  it(`changes no other byte, whatever comes in whatever pieces, and holds little back: 2000 streams, seed ${seed}`, () => {
    const random = seededRandom(seed);
    const parts = ['\u001e', '\u001ekubectl-win ', `\u001ekubectl-win ${NONCE}`, 'kubectl-win', '\n', '\r\n', ' end 0\n', '\u00ff\u0000', 'text ', sign('end 0', 'fedcba9876543210')];
    for (let index = 0; index < 2000; index += 1) {
      let [text, clean, expected] = ['', '', 0];
      for (let part = 0; part < 1 + random.below(12); part += 1) {
        if (random.chance(25)) {
          // Behind the beginning of a sign it would be its text.
          const piece = `.${sign('end 1')}`;
          text += piece;
          clean += '.';
          expected += 1;
        } else {
          const piece = random.pick(parts.filter((candidate) => !candidate.endsWith(NONCE)));
          text += piece;
          clean += piece;
        }
      }
      const bytes = Buffer.from(text, 'latin1');
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length;) {
        const length = 1 + random.below(20);
        pieces.push(bytes.subarray(at, at + length));
        at += length;
      }
      const filtered = filter(pieces);
      assert.equal(filtered.text, clean);
      assert.equal(filtered.signs.length, expected);
      assert.ok(filtered.mostHeld <= sign('end 1').length, `${filtered.mostHeld} bytes were held back`);
    }
  });
});
