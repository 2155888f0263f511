import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { CapturedOutput, OutputBudget, wholeCharacters } from '../../../../src/output/exec/captured-output.ts';
import type { KeptOutput } from '../../../../src/domain/hostprocess/fold.ts';
import { seededRandom, testSeed } from '../../../support/random.ts';

const MIB = 2 ** 20;
function capture(chunks: readonly Uint8Array[], limit = MIB, budget = new OutputBudget(256 * MIB)): KeptOutput {
  const output = new CapturedOutput(limit, budget);
  for (const chunk of chunks) output.push(chunk);
  return output.end();
}
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('CapturedOutput', () => {
  it('keeps text wherever it was cut on its way', () => {
    const bytes = Buffer.from('\uFEFFgrüße €\u{1F600}\r\n\0');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      assert.deepEqual(capture([bytes.subarray(0, cut), bytes.subarray(cut)]), { text: '\uFEFFgrüße €\u{1F600}\r\n\0', base64: null, isTruncated: false, sizeBytes: bytes.length, digest: digestOf(bytes) });
    }
  });

  // R136: taskkill on zh-CN writes GBK
  for (const [title, bytes] of [['GBK', Buffer.from([0xb3, 0xc9, 0xb9, 0xa6])], ['UTF-16', Buffer.from('ü\ud800', 'utf16le')], ['half a character at the end', Buffer.from('grü').subarray(0, 3)], ['one wrong byte late', Buffer.from([...Buffer.from('a'.repeat(1000)), 0xff])]] as const) {
    it(`keeps what is not UTF-8 as the bytes that it is: ${title}`, () => {
      const kept = capture([bytes]);
      assert.deepEqual([kept.text, Buffer.from(kept.base64 ?? '', 'base64')], [null, Buffer.from(bytes)]);
    });
  }

  it('is text where nothing came', () => assert.deepEqual(capture([]), { text: '', base64: null, isTruncated: false, sizeBytes: 0, digest: digestOf(new Uint8Array()) }));

  it('keeps up to its limit, and says how much came', () => {
    const bytes = Buffer.from('0123456789');
    assert.deepEqual(capture([bytes], 10), { text: '0123456789', base64: null, isTruncated: false, sizeBytes: 10, digest: digestOf(bytes) });
    assert.deepEqual(capture([bytes.subarray(0, 4), bytes.subarray(4)], 9), { text: '012345678', base64: null, isTruncated: true, sizeBytes: 10, digest: digestOf(bytes) });
    assert.deepEqual(capture([bytes], 0), { text: '', base64: null, isTruncated: true, sizeBytes: 10, digest: digestOf(bytes) });
  });

  it('tells outputs apart that differ beyond what is kept', () => {
    assert.notEqual(capture([Buffer.from('aaab')], 3).digest, capture([Buffer.from('aaac')], 3).digest);
  });

  it('cuts between characters', () => {
    for (const [limit, text] of [[1, 'a'], [2, 'a'], [3, 'a'], [4, 'a€'], [7, 'a€'], [8, 'a€\u{1F600}']] as const) assert.equal(capture([Buffer.from('a€\u{1F600}end')], limit).text, text, `${limit}`);
    assert.equal(capture([Buffer.from([0x61, 0xff, 0x62, 0x63])], 3).base64, Buffer.from([0x61, 0xff, 0x62]).toString('base64'));
  });

  it('shares one budget with others, and keeps nothing after a gap', () => {
    const budget = new OutputBudget(5);
    const [one, other] = [new CapturedOutput(MIB, budget), new CapturedOutput(MIB, budget)];
    one.push(Buffer.from('abc'));
    other.push(Buffer.from('defg'));
    one.push(Buffer.from('h'));
    assert.deepEqual([one.end(), other.end()].map(({ text, isTruncated, sizeBytes }) => [text, isTruncated, sizeBytes]), [['abc', true, 4], ['de', true, 4]]);

    const few = new CapturedOutput(4, new OutputBudget(100));
    few.push(Buffer.from('abcdef'));
    few.push(Buffer.from('g'));
    assert.equal(few.end().text, 'abcd');
  });

  it('does not hold the larger buffer that a piece is of', () => {
    const large = Buffer.alloc(1024, 0x61);
    const output = new CapturedOutput(MIB, new OutputBudget(MIB));
    output.push(large.subarray(0, 2));
    large.fill(0x62);
    assert.equal(output.end().text, 'aa');
  });
});

describe('wholeCharacters', () => {
  const random = seededRandom(testSeed());
  it(`never cuts one, and never waits for more than three bytes (seed ${random.seed})`, () => {
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from({ length: 1 + random.below(6) }, () => random.pick(['a', 'ü', '€', '\u{1F600}', '\n'])).join('');
      const bytes = Buffer.from(text);
      const end = random.below(bytes.length + 1);
      const whole = wholeCharacters(bytes.subarray(0, end));
      assert.ok(text.startsWith(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, whole))));
      assert.ok(end - whole <= 3);
    }
    assert.deepEqual([[0x80, 0x80, 0x80, 0x80], [0xff], [0xe4], [0x61, 0x80]].map((bytes) => wholeCharacters(Uint8Array.from(bytes))), [4, 1, 0, 2]);
  });
});
