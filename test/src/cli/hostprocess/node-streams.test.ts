import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import type { NodeStreams } from '../../../../src/app/hostprocess/node-streams.ts';
import type { TerminalSession } from '../../../../src/cli/hostprocess/interactive.ts';
import { NodeOutputs, type NodeStreamsOptions } from '../../../../src/cli/hostprocess/node-streams.ts';
import type { TranscriptFile } from '../../../../src/cli/hostprocess/transcript.ts';
import { ended } from '../../../support/exec-items.ts';

interface Stream {
  readonly stream: Writable & { isTTY?: boolean };
  readonly bytes: () => Buffer;
}

/** Takes a chunk at a time, and some turns for each. */
function slowStream(isTTY: boolean): Stream {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(Buffer.from(chunk));
      setImmediate(done);
    },
  });
  return { stream: Object.assign(stream, { isTTY }), bytes: () => Buffer.concat(chunks) };
}

interface Outputs {
  readonly outputs: NodeOutputs;
  readonly out: () => string;
  readonly err: () => string;
  readonly stdout: Stream;
}

function outputsOf(more: Partial<NodeStreamsOptions> = {}, isTTY = false): Outputs {
  const [stdout, stderr] = [slowStream(isTTY), slowStream(isTTY)];
  const outputs = new NodeOutputs({ mode: 'raw', nodes: ['win-1'], stdout: stdout.stream, stderr: stderr.stream, maxOutputBytes: 1000, stdin: () => null, session: null, transcript: null, onStart: () => undefined, ...more });
  return { outputs, stdout, out: () => stdout.bytes().toString(), err: () => stderr.bytes().toString() };
}

const write = (sink: NodeStreams['stdout'], chunk: string | Uint8Array): Promise<void> => new Promise((resolve, reject) => sink.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, (error) => (error ? reject(error) : resolve())));

async function play(outputs: NodeOutputs, node: string, stdout: readonly (string | Uint8Array)[], stderr: readonly string[] = []): Promise<void> {
  const opened = outputs.streamsOf(node);
  for (const chunk of stdout) await write(opened.streams.stdout, chunk);
  for (const chunk of stderr) await write(opened.streams.stderr, chunk);
  await opened.end(ended(0));
}

describe('NodeOutputs', () => {
  describe('of one node', () => {
    it('hands a pipe or a file on itself, so that no byte is changed or held', () => {
      const { outputs, stdout } = outputsOf();
      assert.equal(outputs.streamsOf('win-1').streams.stdout, stdout.stream);
    });

    it('makes controls visible on a terminal that did not ask for them', async () => {
      const { outputs, out, err } = outputsOf({}, true);
      await play(outputs, 'win-1', ['a\r', '\nSure? ', '\u001b[2J', Uint8Array.of(0xe2)], ['\u0007']);
      assert.deepEqual([out(), err()], ['a\nSure? ^[[2J\ufffd', '^G']);
    });

    it('passes them to one that asked (-t), and ends the session behind the last byte', () => {
      const log: string[] = [];
      const session: TerminalSession = { tty: { size: { width: 80, height: 24 }, resizes: (async function* () { /* none */ })() }, stdin: new PassThrough(), end: () => log.push('end') };
      const { outputs, stdout } = outputsOf({ session: () => session, onStart: () => log.push('start') }, true);
      const { streams } = outputs.streamsOf('win-1');
      assert.deepEqual([streams.stdout === stdout.stream, streams.tty, streams.stdin === session.stdin, log], [true, session.tty, true, ['start']]);
      // a run that is interrupted ends no command
      outputs.close();
      assert.deepEqual(log, ['start', 'end']);
    });

    it('waits for a slow reader', async () => {
      const { outputs, out } = outputsOf({ mode: 'prefix' });
      const { streams } = outputs.streamsOf('win-1');
      const sink = streams.stdout as Writable;
      const isFull = !sink.write(Buffer.alloc(100_000, 'a'));
      await new Promise((resolve) => sink.once('drain', resolve));
      assert.deepEqual([isFull, out().length > 60_000], [true, true]);
    });
  });

  describe('of several', () => {
    it('prefixes whole lines, of both streams, with names in a column', async () => {
      const { outputs, out, err } = outputsOf({ mode: 'prefix', nodes: ['w1', 'win-10'] });
      const [one, other] = [outputs.streamsOf('w1'), outputs.streamsOf('win-10')];
      await Promise.all([write(one.streams.stdout, 'a\nb'), write(other.streams.stdout, 'c\r\n'), write(other.streams.stderr, 'bad\n')]);
      await write(one.streams.stdout, '\u001b[2Jb\n');
      await write(one.streams.stdout, 'rest');
      await Promise.all([one.end(ended(0)), other.end(ended(1))]);
      assert.deepEqual([out(), err()], ['w1      a\nwin-10  c\nw1      b^[[2Jb\nw1      rest\n', 'win-10  bad\n']);
    });

    it('does not warn of listeners where many write at once', async () => {
      const warnings: Error[] = [];
      const onWarning = (warning: Error): void => void warnings.push(warning);
      process.on('warning', onWarning);
      const { outputs, out } = outputsOf({ mode: 'prefix' });
      await Promise.all(Array.from({ length: 50 }, (_, index) => play(outputs, `win-${index}`, ['a\n'])));
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', onWarning);
      assert.deepEqual([out().split('\n').length, warnings], [51, []]);
    });

    it('keeps output up to a limit, and shows nothing', async () => {
      const { outputs, out } = outputsOf({ mode: 'captured', maxOutputBytes: 4 }, true);
      await play(outputs, 'win-1', ['ab', 'cdef'], ['\u001b']);
      const { stdout, stderr } = outputs.keptOf('win-1');
      assert.deepEqual([stdout?.text, stdout?.isTruncated, stderr?.text, out()], ['abcd', true, '\u001b', '']);
      assert.deepEqual(outputs.keptOf('win-2'), { stdout: null, stderr: null });
    });

    it('gives each its own input', async () => {
      const { outputs } = outputsOf({ stdin: async function* () { yield Buffer.from('all'); } });
      for (const node of ['win-1', 'win-2']) {
        let text = '';
        for await (const chunk of outputs.streamsOf(node).streams.stdin ?? []) text += Buffer.from(chunk).toString();
        assert.equal(text, 'all');
      }
      assert.equal(outputsOf().outputs.streamsOf('win-1').streams.stdin, undefined);
    });
  });

  describe('with a transcript', () => {
    const log: string[] = [];
    const transcript: TranscriptFile = {
      output: async (node, stream, bytes) => void log.push(`${node} ${stream} ${Buffer.from(bytes).toString()}`), resize: async () => undefined, close: async () => undefined, discard: async () => undefined, end: async (node, { exitCode }) => void log.push(`${node} ended ${exitCode}`),
    };
    for (const mode of ['raw', 'prefix', 'captured'] as const) {
      it(`writes what came, as it came, and shows it as without: ${mode}`, async () => {
        log.length = 0;
        const { outputs, out } = outputsOf({ mode, transcript });
        await play(outputs, 'win-1', ['\u001b[1m\r\n'], ['x']);
        assert.deepEqual(log, ['win-1 stdout \u001b[1m\r\n', 'win-1 stderr x', 'win-1 ended 0']);
        assert.equal(mode === 'captured' ? outputs.keptOf('win-1').stdout?.text : out(), mode === 'prefix' ? 'win-1  ^[[1m\n' : '\u001b[1m\r\n');
      });
    }

    it('fails where it cannot be written', async () => {
      const { outputs } = outputsOf({ transcript: { ...transcript, output: () => Promise.reject(new Error('disk full')) } });
      // nobody listens to the stream, as nobody does once the exec has failed: an event that is not heard would end the process
      await assert.rejects(write(outputs.streamsOf('win-1').streams.stdout, 'a'), /disk full/);
      await new Promise(setImmediate);
    });
  });
});
