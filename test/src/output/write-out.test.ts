import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { writeOut } from '../../../src/output/write-out.ts';

describe('writeOut', () => {
  it('waits for a slow reader, so that no more than it takes is made', async () => {
    let made = 0;
    function* chunks(): Iterable<string> {
      for (let number = 0; number < 200; number += 1) {
        made += 1;
        yield 'x'.repeat(1000);
      }
    }
    let seen = 0;
    let most = 0;
    const stream = new Writable({
      highWaterMark: 4000,
      write(chunk: Buffer, _, done) {
        seen += chunk.length;
        most = Math.max(most, made * 1000 - seen);
        setImmediate(done);
      },
    });
    await writeOut(stream, chunks());
    assert.equal(seen, 200_000);
    assert.ok(most <= 5000, `${most} bytes were made ahead of the reader`);
  });

  it('takes chunks that are made over time', async () => {
    const stream = new PassThrough();
    async function* chunks(): AsyncIterable<string> {
      yield 'a';
      yield '';
      yield 'b';
    }
    await writeOut(stream, chunks());
    stream.end();
    assert.equal((await stream.toArray()).join(''), 'ab');
  });

  it('ends without an error, and stops making text, when the reader has gone', async () => {
    let made = 0;
    function* chunks(): Iterable<string> {
      for (;;) {
        made += 1;
        yield 'x'.repeat(1000);
      }
    }
    const stream = new Writable({
      highWaterMark: 1000,
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    await writeOut(stream, chunks());
    assert.ok(made < 10, `${made} chunks were made`);
  });

  it('passes other failures on', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    await assert.rejects(writeOut(stream, ['x']), full);
  });

  it('does nothing to a stream that is closed already', async () => {
    const stream = new PassThrough();
    stream.destroy();
    await writeOut(stream, ['x']);
  });
});
