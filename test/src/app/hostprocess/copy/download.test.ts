import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalTree } from '../../../../../src/adapters/files/local-tree.ts';
import { CopyLedger } from '../../../../../src/app/hostprocess/copy/copy-ledger.ts';
import { CopyFailure, CopyNode } from '../../../../../src/app/hostprocess/copy/copy-node.ts';
import { download } from '../../../../../src/app/hostprocess/copy/download.ts';
import { dataFrame, endFrame, failedFrame } from '../../../../../src/domain/hostprocess/copy/copy-stream.ts';
import { openTestSink } from '../../../../support/copy-node.ts';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

function begin(from: number, size: number): Uint8Array {
  const frame = Buffer.alloc(17, 0x42);
  frame.writeBigUInt64LE(BigInt(from), 1);
  frame.writeBigUInt64LE(BigInt(size), 9);
  return frame;
}

/** What a node that is not to be trusted may send. */
describe('download', () => {
  let here = '';
  beforeEach(async () => {
    here = await mkdtemp(join(tmpdir(), 'kubectl-win-download-'));
  });
  afterEach(() => rm(here, { recursive: true, force: true }));

  /** Two files are listed, `a` and `b`. */
  async function arrives(...frames: readonly Uint8Array[]): Promise<{ readonly ledger: CopyLedger; readonly error: unknown }> {
    const ledger = new CopyLedger();
    let isListed = false;
    const node = new CopyNode({ run: async (_transport, { stdout }) => {
      const answer = isListed ? frames : [Buffer.from('r\td\tC:\\k\nd\t0\t0\t\nf\t3\t0\ta\nf\t3\t0\tb\n')];
      isListed = true;
      for (const bytes of answer) {
        await new Promise<void>((resolve, reject) => stdout.write(bytes, (error) => (error ? reject(error) : resolve())));
      }
      return { exitCode: 0, error: null, pid: 1, durationSeconds: 1 };
    } }, { openSink: openTestSink, newNonce: () => '0123456789abcdef', clock: { now: () => new Date(), sleep: async () => undefined }, timeoutSeconds: 100, signal: new AbortController().signal, note: () => undefined });
    const local = openLocalTree(join(here, 'out'));
    let failure: unknown = null;
    try {
      await download(node, { source: { path: 'C:\\k', isFolder: false, name: 'k' }, local, isInto: false, platform: 'linux', onProgress: () => undefined, onRoot: () => undefined }, ledger);
    } catch (error) {
      failure = error;
    } finally {
      await local.close();
    }
    return { ledger, error: failure };
  }
  const whole = (text: string): readonly Uint8Array[] => [begin(0, text.length), dataFrame(Buffer.from(text)), endFrame(sha(text))];

  it('takes files in the order in which they were asked for', async () => {
    const { ledger, error } = await arrives(...whole('aaa'), failedFrame('Access is denied.'));
    assert.deepEqual([error, ledger.items.map(({ path, result, message }) => [path, result, message])], [null, [['a', 'copied', null], ['b', 'failed', 'Access is denied.']]]);
  });

  for (const [title, frames, message] of [
    ['fewer files', whole('aaa'), /fewer files/], ['more files', [...whole('aaa'), ...whole('bbb'), ...whole('ccc')], /what was not asked for \(begin\)/], ['bytes of no file', [dataFrame(Buffer.from('x'))], /what was not asked for \(data\)/], ['an end of no file', [endFrame(sha(''))], /what was not asked for \(end\)/],
    ['a file that begins twice', [begin(0, 3), begin(0, 3)], /what was not asked for \(begin\)/], ['a file from the middle on', [begin(2, 3)], /from where nobody has stopped/], ['more bytes than a file has', [begin(0, 3), dataFrame(Buffer.from('aa')), dataFrame(Buffer.from('aa'))], /more than it has said/], ['text', [Buffer.from('WARNING: x')], /what is no part of a copy/],
  ] as const) {
    it(`ends at ${title}`, async () => {
      const { error } = await arrives(...frames);
      assert.ok(error instanceof CopyFailure);
      assert.match(error.message, message);
    });
  }

  it('does not take the word of a node for what is here', async () => {
    const hash = sha('bbb');
    await mkdir(join(here, 'out'));
    await writeFile(join(here, 'out', 'a'), 'aaa');
    const { ledger } = await arrives(begin(3, 3), endFrame(hash), ...whole('bbb'));
    assert.deepEqual(ledger.items.map(({ path, result }) => [path, result]), [['a', 'failed'], ['b', 'copied']]);
  });

  it('leaves what has come of a file that has no end', async () => {
    await arrives(begin(0, 3), dataFrame(Buffer.from('aa')));
    assert.deepEqual(await readdir(join(here, 'out')), ['a.kubectl-win-part']);
  });
});
