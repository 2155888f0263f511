/** The end of a real process: `start` in processes of their own, with commands of the test. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT_ROOT } from '../../../src/tooling/source-commands.ts';

const START = pathToFileURL(join(PROJECT_ROOT, 'src', 'cli', 'start.ts')).href;
const SOURCES = pathToFileURL(join(PROJECT_ROOT, 'src', 'tooling', 'source-commands.ts')).href;
const ERRORS = pathToFileURL(join(PROJECT_ROOT, 'src', 'errors.ts')).href;
const BASE = pathToFileURL(join(PROJECT_ROOT, 'src', 'cli', 'base-command.ts')).href;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command whose `run` has this body; the reader of stdout leaves at the first output when `leaves`. */
async function end(body: string, options: { readonly leaves?: boolean; readonly kill?: NodeJS.Signals } = {}): Promise<Ended> {
  const program = `
    const { start } = await import(${JSON.stringify(START)});
    const { BaseCommand } = await import(${JSON.stringify(BASE)});
    const { sourceCommandTable } = await import(${JSON.stringify(SOURCES)});
    class Test extends BaseCommand { async run() { ${body} } }
    const table = { ...(await sourceCommandTable()), ids: ['test'], load: async () => Test, info: async () => ({ id: 'test', flags: {}, args: {}, aliases: [], hidden: false }) };
    start(['test'], 'kubectl-win', table, '0.1.0');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    if (options.leaves === true) child.stdout.destroy();
    if (options.kill !== undefined) child.kill(options.kill);
  });
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Writes until the reader has left. */
const WRITE_UNTIL_CLOSED = `
  while (!this.signal.aborted) { this.stdout.write('x'.repeat(65536)); await new Promise((resolve) => setTimeout(resolve, 5)); }`;

describe('start', function () {
  this.timeout(20_000);

  it('gives the exit code of the command', async () => {
    const { code, stdout, stderr } = await end(`this.stdout.write('out'); return 1;`);
    assert.deepEqual([code, stdout, stderr], [1, 'out', '']);
  });

  it('never ends with 0 when a promise does not settle', async () => {
    const { code, stderr } = await end('await new Promise(() => undefined);');
    assert.match(stderr, /^error: internal error: ended before an answer was known\nThis is a defect/);
    assert.equal(code, 70);
  });

  it('ends as a defect after an error that nothing caught, not as with findings', async () => {
    const { code, stderr } = await end(`setTimeout(() => { throw new Error('stray'); }, 1); await new Promise(() => undefined);`);
    assert.match(stderr, /stray/);
    assert.equal(code, 70);
  });

  it('ends with 0 when its reader leaves while it is at work', async () => {
    const { code, stderr } = await end(`${WRITE_UNTIL_CLOSED} this.signal.throwIfAborted();`, { leaves: true });
    assert.deepEqual([code, stderr], [0, '']);
  });

  it('ends with 130 and says so when its reader leaves what was to change the cluster', async () => {
    const { code, stderr } = await end(`${WRITE_UNTIL_CLOSED} throw new (await import(${JSON.stringify(ERRORS)})).UnfinishedError('interrupted');`, { leaves: true });
    assert.deepEqual([code, stderr], [130, 'error: interrupted\n']);
  });

  it('keeps the code that the command has found when its reader leaves', async () => {
    const { code, stderr } = await end(`${WRITE_UNTIL_CLOSED} return 1;`, { leaves: true });
    assert.deepEqual([code, stderr], [1, '']);
  });

  it('ends although something is still open, once its reader has left', async () => {
    const { code, stderr } = await end(`setInterval(() => undefined, 1000); ${WRITE_UNTIL_CLOSED} return 3;`, { leaves: true });
    assert.deepEqual([code, stderr], [3, '']);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    it(`cleans up after ${signal} and ends with 130`, async function () {
      if (process.platform === 'win32') this.skip();
      const ended = await end(`
        setInterval(() => undefined, 1000); this.stdout.write('ready');
        await new Promise((resolve) => this.signal.addEventListener('abort', resolve));
        this.stderr.write('cleaned'); setTimeout(() => process.exit(), 10); this.signal.throwIfAborted();`, { kill: signal });
      assert.deepEqual(ended, { code: 130, signal: null, stdout: 'ready', stderr: 'cleanederror: interrupted\n' });
    });
  }
});
