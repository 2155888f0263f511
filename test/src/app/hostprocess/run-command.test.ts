import assert from 'node:assert/strict';
import { runCommand, type CommandOptions } from '../../../../src/app/hostprocess/run-command.ts';
import type { ExecRequest } from '../../../../src/app/ports.ts';
import type { Transport } from '../../../../src/domain/hostprocess/command/transport.ts';
import type { ExecOutcome } from '../../../../src/domain/hostprocess/outcome.ts';
import { error, ExecCluster, keptStreams, NONCE, runs, sign, type KeptStreams, type PlayCommand } from '../../../support/exec-cluster.ts';

const FRAMED: Transport = { kind: 'framed', argv: ['powershell.exe', '-EncodedCommand', 'AA=='], preamble: Buffer.from('FRAME'), opensStdin: true, nonce: NONCE, notes: [] };
const ENCODED: Transport = { ...FRAMED, kind: 'encoded', preamble: new Uint8Array(0), opensStdin: false };
const TERMINAL: Transport = { ...ENCODED, kind: 'terminal', opensStdin: true, nonce: null };

interface Ran {
  readonly outcome: ExecOutcome;
  readonly streams: KeptStreams;
  readonly notes: readonly string[];
  readonly seconds: number;
  readonly cluster: ExecCluster;
}

async function run(play: PlayCommand, transport: Transport = ENCODED, more: { readonly streams?: KeptStreams; readonly options?: Partial<CommandOptions>; readonly cluster?: ExecCluster } = {}): Promise<Ran> {
  const cluster = more.cluster ?? new ExecCluster(['n0']);
  cluster.playCommand = play;
  const streams = more.streams ?? keptStreams();
  const notes: string[] = [];
  const { signal } = new AbortController();
  const outcome = await runCommand({ namespace: 'ops', pod: 'p' }, transport, streams, { timeoutSeconds: 60, signal, over: signal, note: (message) => notes.push(message), ...more.options }, cluster);
  return { outcome, streams, notes, seconds: cluster.seconds, cluster };
}

async function bytesOf({ stdin }: ExecRequest): Promise<string | null> {
  if (stdin === undefined) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* typed(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('typed');
}

const seen: (string | null)[] = [];
const reads: PlayCommand = async (command) => {
  seen.push(await bytesOf(command.request));
  return runs()(command);
};

describe('runCommand', () => {
  beforeEach(() => void seen.splice(0));

  it('sends what the transport begins with before the stdin of the user, and each also without the other', async () => {
    await run(reads, FRAMED, { streams: keptStreams({ stdin: typed() }) });
    await run(reads, FRAMED);
    await run(reads, ENCODED, { streams: keptStreams({ stdin: typed() }) });
    await run(reads, ENCODED);
    assert.deepEqual(seen, ['FRAMEtyped', 'FRAME', 'typed', null]);
  });

  it('keeps the stdin of a terminal open until the command ends, although nobody types', async () => {
    const tty = { size: { width: 80, height: 25 }, resizes: (async function* () { yield { width: 1, height: 1 }; })() };
    const { promise: atEnd, resolve } = Promise.withResolvers<string | null>();
    const { outcome } = await run(async ({ request, wait }) => {
      assert.deepEqual([request.tty, request.initialSize, request.resizes === tty.resizes], [true, tty.size, true]);
      let isOpen = true;
      void bytesOf(request).then((bytes) => {
        isOpen = false;
        resolve(bytes);
      });
      await wait(5);
      assert.ok(isOpen);
      return 3;
    }, TERMINAL, { streams: keptStreams({ tty }) });
    assert.equal(outcome.exitCode, 3);
    assert.equal(await atEnd, '');
  });

  it('takes signs out of stderr, wherever they are cut, and what has no nonce stays', async () => {
    const text = `a${sign('start 5')}b\u001ekubectl-win ffffffffffffffff end 0\n${sign('end 4')}c\u001e`;
    const { outcome, streams } = await run(async ({ err }) => {
      for (const character of text) await err(character);
      return 4;
    });
    assert.equal(streams.err(), 'ab\u001ekubectl-win ffffffffffffffff end 0\nc\u001e');
    assert.deepEqual([outcome.exitCode, outcome.pid], [4, 5]);
  });

  it('says with an exit code of 0 and no sign of the end that the end was not seen', async () => {
    const { outcome } = await run(async ({ err }) => {
      await err(sign('start 5'));
      return 0;
    });
    assert.deepEqual([outcome.exitCode, outcome.error?.reason, outcome.pid], [null, 'EndNotSeen', 5]);
  });

  it('tells what is known where the connection is lost', async () => {
    const lost = (...signs: readonly string[]): PlayCommand => async ({ out, err, wait }) => {
      for (const one of signs) await err(sign(one));
      await out('half');
      await wait(3);
      throw error('ConnectionLost', 'lost the connection to pod ops/p');
    };
    const { outcome, streams } = await run(lost('start 5'));
    assert.deepEqual([outcome.exitCode, outcome.error?.reason, outcome.pid, outcome.durationSeconds], [null, 'ConnectionLost', 5, 3]);
    assert.equal(streams.out(), 'half');
    // the command has ended, whatever became of the connection
    assert.deepEqual((await run(lost('start 5', 'end 0'))).outcome, { exitCode: 0, error: null, pid: 5, durationSeconds: 3 });
  });

  it('ends at its time, at the end of its session, and when it is interrupted, and says which', async () => {
    const forever: PlayCommand = async ({ err, wait }) => {
      await err(sign('start 5'));
      await wait(1_000);
      return 0;
    };
    const late = await run(forever);
    assert.deepEqual([late.outcome.error?.reason, late.outcome.pid, late.seconds], ['Timeout', 5, 60]);
    assert.match(late.outcome.error?.message ?? '', /within 60s/);
    const over = new AbortController();
    const cluster = new ExecCluster(['n0']);
    cluster.clock.later(7, () => over.abort(new Error('the session is over: its deadline passed')));
    const ended = await run(forever, ENCODED, { cluster, options: { over: over.signal } });
    assert.deepEqual([ended.outcome.error?.reason, ended.outcome.error?.message, ended.seconds], ['Deleted', 'the session is over: its deadline passed', 7]);
    const stop = new AbortController();
    const other = new ExecCluster(['n0']);
    other.clock.later(9, () => stop.abort(new Error('Ctrl-C')));
    const interrupted = await run(forever, ENCODED, { cluster: other, options: { signal: stop.signal } });
    assert.deepEqual([interrupted.outcome.error?.reason, interrupted.outcome.pid, interrupted.seconds], ['Interrupted', 5, 9]);
  });

  it('tries again where the request has not reached the node, and no more than a few times', async () => {
    let count = 0;
    const failing = (times: number, ...failure: Parameters<typeof error>): PlayCommand => async (command) => {
      count += 1;
      if (count > times) return runs()(command);
      throw error(...failure);
    };
    assert.equal((await run(failing(2, 'InternalError', 'error dialing backend: dial tcp 10.0.0.4:10250: connect: connection refused', 500))).outcome.exitCode, 0);
    assert.equal(count, 3);
    count = 0;
    assert.equal((await run(failing(9, 'InternalError', 'error dialing backend: i/o timeout', 500))).outcome.error?.reason, 'NodeLost');
    assert.equal(count, 4);
    const request = 'Internal error occurred: error sending request: Post "https://10.0.0.4:10250/exec/ops/p/hostprocess?command=powershell.exe&command=-Secret&error=1"';
    for (const why of ['dial tcp 10.0.0.4:10250: connect: connection refused', 'dial tcp 10.0.0.4:10250: i/o timeout']) {
      count = 0;
      const { error: lost } = (await run(failing(9, 'InternalError', `${request}: ${why}`, 500))).outcome;
      assert.deepEqual([lost?.reason, lost?.message, count], ['NodeLost', `Internal error occurred: error sending request: Post "https://10.0.0.4:10250/exec/ops/p/hostprocess": ${why}`, 4], 'without what the command was');
    }
    count = 0;
    assert.equal((await run(failing(9, 'InternalError', `${request}: EOF`, 500))).outcome.error?.reason, 'ConnectionLost');
    assert.equal(count, 1, 'it may have begun');
    count = 0;
    assert.equal((await run(failing(9, 'ConnectionLost', 'lost'))).outcome.error?.reason, 'ConnectionLost');
    assert.equal(count, 1, 'it may have run');
  });

  it('does not try again with the rest of a stdin that has been read, nor with one that was closed', async () => {
    const unreached = error('InternalError', 'Internal error occurred: error sending request: Post "https://10.0.0.4:10250/exec": dial tcp 10.0.0.4:10250: i/o timeout', 500);
    let count = 0;
    const failsAfter = (isRead: boolean): PlayCommand => async ({ request }) => {
      count += 1;
      // as of a WebSocket: what is joined is read by its iterator
      if (isRead) for await (const _ of request.stdin ?? []) request.onStdin?.();
      throw unreached;
    };
    for (const transport of [ENCODED, FRAMED]) {
      count = 0;
      const { outcome } = await run(failsAfter(true), transport, { streams: keptStreams({ stdin: typed() }) });
      assert.deepEqual([outcome.error?.reason, count], ['NodeLost', 1], transport.kind);
      assert.match(outcome.error?.message ?? '', /stdin had been read by then/);
      count = 0;
      await run(failsAfter(false), transport, { streams: keptStreams({ stdin: typed() }) });
      assert.equal(count, 4, `${transport.kind}: nothing of it was read`);
    }
    count = 0;
    await run(failsAfter(true), FRAMED);
    assert.equal(count, 4, 'the transport has its own once more');
  });

  it('goes on without a terminal where the node gives none, and says so', async () => {
    const tty = { size: { width: 80, height: 25 }, resizes: (async function* () { yield { width: 1, height: 1 }; })() };
    const { outcome, notes } = await run(async ({ request }) => {
      if (request.tty) throw error('InternalError', 'console emulation not supported for job containers', 500);
      return 0;
    }, TERMINAL, { streams: keptStreams({ tty, stdin: typed() }) });
    assert.equal(outcome.exitCode, 0);
    assert.match(notes.join(), /no terminal/);
  });

  it('has a reason for each way in which it cannot begin', async () => {
    const reasonOf = async (...failure: Parameters<typeof error>): Promise<string | undefined> => (await run(async () => { throw error(...failure); })).outcome.error?.reason;
    assert.equal(await reasonOf('UpgradeRefused', 'no WebSocket'), 'UpgradeRefused');
    assert.equal(await reasonOf('Forbidden', 'pods/exec is forbidden', 403), 'Forbidden');
    assert.equal(await reasonOf('NotFound', 'pods "p" not found', 404), 'Deleted');
    assert.equal(await reasonOf('InternalError', 'failed to start exec: The system cannot find the file specified.', 500), 'CommandNotFound');
    assert.equal(await reasonOf('InternalError', 'failed to start exec: access denied', 500), 'StartFailed');
    assert.equal(await reasonOf('BadRequest', 'container p is not valid', 400), 'Unknown');
  });

  it('throws what local streams do', async () => {
    const epipe = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    await assert.rejects(run(async () => { throw epipe; }), epipe);
  });
});
