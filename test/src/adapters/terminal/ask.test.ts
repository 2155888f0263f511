import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { ask } from '../../../../src/adapters/terminal/ask.ts';
import { InterruptedError } from '../../../../src/errors.ts';

interface Streams {
  readonly stdin: PassThrough & { isTTY: boolean };
  readonly stderr: PassThrough & { isTTY: boolean };
  readonly shown: () => string;
}

function streams(more: { readonly input?: boolean; readonly output?: boolean } = {}): Streams {
  const stdin = Object.assign(new PassThrough(), { isTTY: more.input ?? true });
  const stderr = Object.assign(new PassThrough(), { isTTY: more.output ?? true });
  let text = '';
  stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { stdin, stderr, shown: () => text };
}

const never = new AbortController().signal;

describe('ask', () => {
  it('shows the question and gives the line that is typed', async () => {
    const { stdin, stderr, shown } = streams();
    const answer = ask('go on? [y/N] ', stdin, stderr, never);
    stdin.write('y');
    stdin.write('es\n');
    assert.equal(await answer, 'yes');
    assert.equal(shown(), 'go on? [y/N] ');
    assert.deepEqual([stdin.isPaused(), stdin.listenerCount('data'), stdin.destroyed], [true, 0, false], 'others can read on');
  });

  it('keeps a character together that comes in two pieces', async () => {
    const { stdin, stderr } = streams();
    const answer = ask('? ', stdin, stderr, never);
    const [first = 0, second = 0] = Buffer.from('ü');
    stdin.write(Buffer.from([first]));
    await new Promise(setImmediate);
    stdin.write(Buffer.from([second, 0x0d]));
    assert.equal(await answer, 'ü');
  });

  it('takes Enter alone, and the end of input, for no answer', async () => {
    const one = streams();
    const enter = ask('? ', one.stdin, one.stderr, never);
    one.stdin.write('\n');
    assert.equal(await enter, '');
    const two = streams();
    const end = ask('? ', two.stdin, two.stderr, never);
    two.stdin.end();
    assert.equal(await end, '');
    assert.equal(two.shown(), '? \n', 'what comes next begins on a line of its own');
  });

  it('takes what is pasted without end for no answer', async () => {
    const { stdin, stderr } = streams();
    const answer = ask('? ', stdin, stderr, never);
    stdin.write('y'.repeat(5000));
    assert.equal(await answer, '');
  });

  for (const [title, more] of [['standard input', { input: false }], ['stderr', { output: false }]] as const) {
    it(`asks nobody where ${title} is no terminal`, async () => {
      const { stdin, stderr, shown } = streams(more);
      stdin.write('y\n');
      assert.equal(await ask('? ', stdin, stderr, never), null);
      assert.equal(shown(), '');
    });
  }

  it('ends with the signal', async () => {
    const { stdin, stderr, shown } = streams();
    const controller = new AbortController();
    const answer = ask('? ', stdin, stderr, controller.signal);
    controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
    await assert.rejects(answer, InterruptedError);
    assert.deepEqual([shown(), stdin.listenerCount('data')], ['? \n', 0]);
    await assert.rejects(ask('again? ', stdin, stderr, controller.signal), InterruptedError);
    assert.equal(shown(), '? \n');
  });
});
