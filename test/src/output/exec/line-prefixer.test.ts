import assert from 'node:assert/strict';
import { LinePrefixer } from '../../../../src/output/exec/line-prefixer.ts';
import { seededRandom, testSeed } from '../../../support/random.ts';

function prefixed(chunks: readonly (string | Uint8Array)[]): string {
  const prefixer = new LinePrefixer('win-1  ');
  return [...chunks.map((chunk) => prefixer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)), prefixer.end()].join('');
}

describe('LinePrefixer', () => {
  it('puts the prefix before every line, empty ones too, and an end behind the last', () => {
    assert.equal(prefixed(['a\n\nb']), 'win-1  a\nwin-1  \nwin-1  b\n');
    assert.equal(prefixed(['a\n']), 'win-1  a\n');
    assert.equal(prefixed([]), '');
    assert.equal(prefixed(['', '']), '');
  });

  it('gives a line when it is whole, and not before', () => {
    const prefixer = new LinePrefixer('> ');
    assert.deepEqual([prefixer.push(Buffer.from('a')), prefixer.push(Buffer.from('b\nc')), prefixer.push(Buffer.from('d\n')), prefixer.end()], ['', '> ab\n', '> cd\n', '']);
  });

  const seed = testSeed();
  it(`is the same text however it was cut on its way (seed ${seed})`, () => {
    const random = seededRandom(seed);
    const bytes = Buffer.from(`grüße\r\n€ ${'x'.repeat(70_000)}\u{1F600}\r\n\r\n\t${'\u{1F600}'.repeat(40_000)}\r\nend\r`);
    const whole = prefixed([bytes]);
    for (let round = 0; round < 30; round += 1) {
      const chunks: Buffer[] = [];
      for (let start = 0; start < bytes.length;) {
        const end = start + 1 + random.below(random.chance(50) ? 5 : 40_000);
        chunks.push(bytes.subarray(start, end));
        start = end;
      }
      assert.equal(prefixed(chunks), whole);
    }
  });

  it('takes CR and LF for one end of a line, also in two pieces', () => {
    assert.equal(prefixed(['a\r\nb\r', '\nc']), 'win-1  a\nwin-1  b\nwin-1  c\n');
  });

  it('makes controls visible, and leaves tabs', () => {
    assert.equal(prefixed(['\u001b[2J\u001b]0;t\u0007\u009b1m\u202e\ta\rb\b\n']), 'win-1  ^[[2J^[]0;t^G\\u009b1m\\u202e\ta\\rb^H\n');
  });

  it('keeps an escape apart that comes in two pieces', () => assert.equal(prefixed(['\u001b', '[2J\n']), 'win-1  ^[[2J\n'));

  it('shows bytes that are no UTF-8 as such', () => assert.equal(prefixed([Uint8Array.of(0x61, 0xff, 0x0a, 0xe2, 0x82)]), 'win-1  a\ufffd\nwin-1  \ufffd\n'));

  it('cuts a line of 1 MiB into pieces, holds no more than one of them, and loses nothing', () => {
    const text = Array.from({ length: 2 ** 20 / 8 }, (_, index) => String(index).padStart(8, '0')).join('');
    const prefixer = new LinePrefixer('win-1  ');
    let out = '';
    let most = 0;
    for (let start = 0; start < text.length; start += 1000) {
      out += prefixer.push(Buffer.from(text.slice(start, start + 1000)));
      most = Math.max(most, start + 1000 - out.length);
    }
    out += prefixer.push(Buffer.from('\nnext'));
    out += prefixer.end();
    const lines = out.split('\n').slice(0, -1);
    assert.equal(lines.length, 17);
    assert.ok(most <= 70_000, `${most} characters`);
    assert.ok(lines.every((line) => line.startsWith('win-1  ') && line.length < 66_000));
    assert.deepEqual(lines.map((line) => line.startsWith('win-1  ...')), lines.map((_, index) => index > 0 && index < 16));
    assert.equal(lines.slice(0, 16).map((line) => line.replace(/^win-1 {2}(?:\.\.\.)?/, '')).join(''), text);
    assert.equal(lines[16], 'win-1  next');
  });

  it('cuts no character', () => {
    const lines = prefixed([`a${'\u{1F600}'.repeat(40_000)}\n`]).split('\n');
    assert.ok(lines.every((line) => !/\\ud[89a-f]/.test(line)));
    assert.equal(lines.join('').match(/\u{1F600}/gu)?.length, 40_000);
  });
});
