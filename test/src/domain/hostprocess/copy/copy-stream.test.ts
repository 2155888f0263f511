import assert from 'node:assert/strict';
import { CHUNK_BYTES, CopyStreamReader, dataFrame, endFrame, failedFrame, linesFrame, mostOnTheWay, RECEIPT_BYTES, receiptFrame, type CopyFrame } from '../../../../../src/domain/hostprocess/copy/copy-stream.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';

const HASH = '00ff'.repeat(16);

function begin(from: number, size: number): Uint8Array {
  const frame = Buffer.alloc(17);
  frame[0] = 0x42;
  frame.writeBigInt64LE(BigInt(from), 1);
  frame.writeBigInt64LE(BigInt(size), 9);
  return frame;
}

/** Data that comes in pieces, as one. */
function merged(frames: readonly CopyFrame[]): readonly unknown[] {
  const out: unknown[] = [];
  for (const frame of frames) {
    const last = out.at(-1);
    if (frame.frame !== 'data') out.push(frame);
    else if (last instanceof Buffer) out.splice(-1, 1, Buffer.concat([last, frame.bytes]));
    else out.push(Buffer.from(frame.bytes));
  }
  return out;
}

describe('CopyStreamReader', () => {
  const stream = Buffer.concat([
    begin(5, 5_000_000_000), dataFrame(Buffer.from('hello')), dataFrame(Buffer.alloc(0)), dataFrame(Buffer.from([0, 0x45, 0x46, 0xff])), endFrame(HASH), failedFrame('Zugriff verweigert: ä'), begin(0, 0), endFrame(HASH), failedFrame(''),
  ]);
  const whole = [
    { frame: 'begin', from: 5, size: 5_000_000_000 }, Buffer.from([...Buffer.from('hello'), 0, 0x45, 0x46, 0xff]), { frame: 'end', sha256: HASH }, { frame: 'failed', message: 'Zugriff verweigert: ä' }, { frame: 'begin', from: 0, size: 0 }, { frame: 'end', sha256: HASH }, { frame: 'failed', message: '' },
  ];

  it('reads a stream that comes at once, and byte by byte', () => {
    for (const size of [stream.length, 1, 2, 3, 7]) {
      const reader = new CopyStreamReader();
      const frames: CopyFrame[] = [];
      for (let at = 0; at < stream.length; at += size) frames.push(...reader.push(stream.subarray(at, at + size)));
      assert.deepEqual(merged(frames), whole, `pieces of ${size}`);
      assert.ok(reader.isBetweenFrames);
    }
  });

  const seed = testSeed();
  it(`reads whatever is sent, however it is cut: 2000 streams, seed ${seed}`, () => {
    const random = seededRandom(seed);
    for (let index = 0; index < 2_000; index += 1) {
      const parts = Array.from({ length: 1 + random.below(6) }, () => Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256))));
      const sent = Buffer.concat([...parts.map((part) => dataFrame(part)), endFrame(HASH)]);
      const reader = new CopyStreamReader();
      const frames: CopyFrame[] = [];
      for (let at = 0; at < sent.length;) {
        const size = 1 + random.below(20);
        frames.push(...reader.push(sent.subarray(at, at + size)));
        at += size;
      }
      const content = Buffer.concat(parts);
      assert.deepEqual(merged(frames), [...(content.length === 0 ? [] : [content]), { frame: 'end', sha256: HASH }]);
    }
  });

  it('knows where a stream is cut', () => {
    for (const [sent, isBetween] of [[stream.subarray(0, 17), true], [stream.subarray(0, 18), false], [stream.subarray(0, 24), false]] as const) {
      const reader = new CopyStreamReader();
      reader.push(sent);
      assert.equal(reader.isBetweenFrames, isBetween);
    }
  });

  it('refuses what is none', () => {
    assert.throws(() => new CopyStreamReader().push(Buffer.from('#< CLIXML')), /begins no frame/);
    assert.throws(() => new CopyStreamReader().push(Buffer.from([0x46, 0xff, 0xff, 0xff, 0xff])), /is none/);
  });
});

describe('linesFrame', () => {
  it('is a length and the lines', () => assert.deepEqual(Buffer.from(linesFrame(['5\tä', 'b'])), Buffer.from([6, 0, 0, 0, ...Buffer.from('5\tä\nb')])));
  it('can be empty', () => assert.deepEqual(Buffer.from(linesFrame([])), Buffer.alloc(4)));
});

describe('mostOnTheWay', () => {
  it('grows with what went well, within bounds', () => assert.deepEqual([0, 2 ** 20, 2 ** 26, 2 ** 30].map(mostOnTheWay), [2 ** 20, 2 ** 20, 2 ** 21, 2 ** 23]));
  it('is more than a receiver may keep to itself, so that nobody waits for ever', () => assert.ok(mostOnTheWay(0) > RECEIPT_BYTES + CHUNK_BYTES));
});

describe('receiptFrame', () => {
  it('is a number', () => assert.deepEqual(Buffer.from(receiptFrame(131_073)), Buffer.from([1, 0, 2, 0])));
});
