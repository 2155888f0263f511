import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { lines, type LinesOptions } from '../../../../../src/adapters/kube/api/lines.ts';
import { BodyCutError } from '../../../../../src/adapters/http/network-error.ts';

async function read(stream: Readable, options: Partial<LinesOptions> = {}): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines(stream, { maxBytes: 1000, onTooLong: () => undefined, ...options })) all.push(line);
  return all;
}
const chunks = (...texts: readonly string[]): Readable => Readable.from(texts.map((text) => Buffer.from(text)));

describe('lines', () => {
  it('splits at line breaks only, over chunks, and keeps empty lines', async () => {
    assert.deepEqual(await read(chunks('a\n\nb', 'c\r\n', '\n')), ['a', '', 'bc\r', '']);
  });

  it('drops or keeps a last line without its line break', async () => {
    assert.deepEqual(await read(chunks('a\nb')), ['a']);
    assert.deepEqual(await read(chunks('a\nb'), { keepsLast: true }), ['a', 'b']);
    assert.deepEqual(await read(chunks('a\n'), { keepsLast: true }), ['a']);
  });

  it('asks what to do with a line that is too long', async () => {
    const heads: string[] = [];
    assert.deepEqual(await read(chunks('12345', '67890', 'x\ny\n'), { maxBytes: 8, onTooLong: (head) => heads.push(head) }), ['1234567890', 'x', 'y']);
    assert.deepEqual(heads, ['1234567890']);
    await assert.rejects(read(chunks('1234567890'), { maxBytes: 8, onTooLong: () => { throw new Error('refused'); } }), { message: 'refused' });
  });

  it('breaks a stream that is silent for too long', async () => {
    const quiet = new PassThrough();
    quiet.write('a\nb');
    await assert.rejects(read(quiet, { silenceMs: 30 }), (error) => error instanceof BodyCutError && error.receivedBytes === 1);
    assert.equal(quiet.destroyed, true);
  });

  it('destroys the stream when the reader leaves', async () => {
    const stream = new PassThrough();
    stream.write('a\nb\n');
    for await (const line of lines(stream, { maxBytes: 10, onTooLong: () => undefined })) {
      assert.equal(line, 'a');
      break;
    }
    assert.equal(stream.destroyed, true);
  });
});
