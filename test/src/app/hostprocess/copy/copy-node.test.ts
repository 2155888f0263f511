import assert from 'node:assert/strict';
import { CopyFailure, CopyNode, fromNode, LineReader } from '../../../../../src/app/hostprocess/copy/copy-node.ts';
import type { NodeSession } from '../../../../../src/app/hostprocess/node-session.ts';
import { COPY_LIST } from '../../../../../src/domain/hostprocess/copy/copy-script.ts';
import type { ExecOutcome } from '../../../../../src/domain/hostprocess/outcome.ts';
import { openTestSink } from '../../../../support/copy-node.ts';

const write = (sink: NodeJS.WritableStream, bytes: string | Uint8Array): Promise<void> => new Promise((resolve, reject) => sink.write(bytes, (error) => (error ? reject(error) : resolve())));
const ended = (more: Partial<ExecOutcome> = {}): ExecOutcome => ({ exitCode: 0, error: null, pid: 1, durationSeconds: 1, ...more });

function nodeWith(run: NodeSession['run'], seconds = 0): { readonly node: CopyNode; readonly limits: number[] } {
  const limits: number[] = [];
  let now = Date.parse('2026-11-30T12:00:00Z');
  const clock = { now: () => new Date(now), sleep: async () => undefined };
  const node = new CopyNode({ run: (transport, streams, limit, signal) => {
    limits.push(limit.timeoutSeconds);
    now += seconds * 1000;
    return run(transport, streams, limit, signal);
  } }, { openSink: openTestSink, newNonce: () => '0123456789abcdef', clock, timeoutSeconds: 100, signal: new AbortController().signal, note: () => undefined });
  return { node, limits };
}

describe('CopyNode', () => {
  it('gives what an operation prints, characters that are cut in two included', async () => {
    const { node } = nodeWith(async (_transport, { stdout }) => {
      for (const byte of Buffer.from('f\tä😀\n')) await write(stdout, Buffer.from([byte]));
      return ended();
    });
    assert.equal(await node.text(COPY_LIST, {}, new Uint8Array(0)), 'f\tä😀\n');
  });

  it('sends the script framed, and its arguments as data', async () => {
    const { node } = nodeWith(async ({ kind, nonce, preamble }) => {
      const sent = Buffer.from(preamble).toString();
      assert.deepEqual([kind, nonce], ['framed', '0123456789abcdef']);
      assert.ok(sent.includes(`;m='copy-list.v1';a='{"path":"C:\\\\it''s"}'}`), sent.slice(-300));
      return ended();
    });
    await node.text(COPY_LIST, { path: "C:\\it's" }, new Uint8Array(0));
  });

  it('throws what an operation ended by, with what it said', async () => {
    const lost = ended({ exitCode: null, error: { reason: 'ConnectionLost', message: 'lost' } });
    await assert.rejects(nodeWith(async () => lost).node.text(COPY_LIST, {}, new Uint8Array(0)), (error) => error instanceof CopyFailure && error.outcome === lost);
    const { node } = nodeWith(async (_transport, { stderr }) => {
      await write(stderr, 'Cannot convert\r\n  the argument');
      return ended({ exitCode: 1 });
    });
    await assert.rejects(node.text(COPY_LIST, {}, new Uint8Array(0)), /^Error: copy-list on the node ended with exit code 1: Cannot convert the argument$/);
  });

  it('gives the time of the whole copy to all operations together', async () => {
    const { node, limits } = nodeWith(async () => ended(), 70);
    for (let count = 0; count < 3; count += 1) await node.text(COPY_LIST, {}, new Uint8Array(0));
    assert.deepEqual(limits, [100, 30, 1]);
  });

  it('throws what whoever takes the bytes throws', async () => {
    const { node } = nodeWith(async (_transport, { stdout }) => {
      await write(stdout, 'x');
      return ended();
    });
    await assert.rejects(node.run(COPY_LIST, {}, (async function* none() { /* nothing */ })(), () => {
      throw new Error('the disk is full');
    }), /the disk is full/);
  });
});

describe('fromNode', () => {
  it('makes an end of the copy of what cannot be read', () => {
    assert.equal(fromNode(() => 5), 5);
    assert.throws(() => fromNode(() => {
      throw new Error('no listing');
    }), (error) => error instanceof CopyFailure && error.outcome.error?.message === 'no listing');
  });
});

describe('LineReader', () => {
  it('gives whole lines, however they come', () => {
    const reader = new LineReader();
    assert.deepEqual([reader.push(Buffer.from('a\nb')), reader.push(Buffer.from([0xc3])), reader.push(Buffer.from([0xa4, 0x0a, 0x0a]))], [['a'], [], ['bä', '']]);
  });
});
