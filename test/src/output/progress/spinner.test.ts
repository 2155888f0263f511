import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { startSpinner, type SpinnerStream } from '../../../../src/output/progress/spinner.ts';

const ESCAPE = '\u001B';

function terminal(columns = 40): { readonly stream: SpinnerStream; readonly text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
  const move = (sequence: string): boolean => stream.write(`${ESCAPE}[${sequence}`);
  return { stream: Object.assign(stream, { isTTY: true, columns, cursorTo: () => move('1G'), clearLine: () => move('K'), moveCursor: () => move('A') }), text: () => chunks.join('') };
}

describe('startSpinner', () => {
  it('draws one line, wipes it for others, and goes without a trace', async () => {
    const { stream, text } = terminal();
    const signals = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
    const spinner = await startSpinner(stream, { text: 'one', colour: false });
    assert.equal(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM'), signals);
    spinner.print('a line that stays');
    spinner.show('two');
    spinner.print('another');
    spinner.stop();
    assert.match(text(), /one/);
    assert.ok(text().includes(`${ESCAPE}[1G${ESCAPE}[Ka line that stays\n`), JSON.stringify(text()));
    assert.match(text(), /two/);
    assert.ok(text().endsWith(`${ESCAPE}[1G${ESCAPE}[K`), JSON.stringify(text()));
    assert.ok(!text().includes(`${ESCAPE}[36m`) && !text().includes(`${ESCAPE}[?25`));
    const before = text();
    stream.write('free again');
    assert.equal(text(), `${before}free again`);
  });
});
