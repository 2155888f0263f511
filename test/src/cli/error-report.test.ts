import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { reportError } from '../../../src/cli/error-report.ts';
import { ClusterError, InputError, InterruptedError, UsageError } from '../../../src/errors.ts';

function report(error: unknown, verbosity = 0, env: Record<string, string> = {}): { text: string; exitCode: number } {
  let text = '';
  const stderr = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString('utf8');
      done();
    },
  });
  const exitCode = reportError(error, { stderr, env }, { commandPath: 'kubectl win nodes', verbosity });
  return { text, exitCode };
}

describe('reportError', () => {
  const cases: readonly [string, Error, number, string][] = [
    ['wrong use points at the help', new UsageError('unknown flag: --x'), 2, "error: unknown flag: --x\nSee 'kubectl win nodes --help' for usage.\n"],
    ['an unreadable file has its place', new InputError({ file: 'a.yaml', line: 3 }, 'not YAML'), 2, 'error: a.yaml:3: not YAML\n'],
    ['next steps stand below', new ClusterError('context "x" does not exist', { reason: 'BadConfiguration', suggestions: ['known contexts: a, b'] }), 3, 'error: context "x" does not exist\nknown contexts: a, b\n'],
    ["kubectl's own openings stay as they are", new ClusterError('Error from server (Forbidden): nodes is forbidden', { reason: 'Forbidden' }), 3, 'Error from server (Forbidden): nodes is forbidden\n'],
    ['a refused connection', new ClusterError('The connection to the server a:1 was refused - did you specify the right host or port?', { reason: 'Unreachable' }), 3, 'The connection to the server a:1 was refused - did you specify the right host or port?\n'],
    ['a failed connection', new ClusterError('Unable to connect to the server: EOF', { reason: 'Unreachable' }), 3, 'Unable to connect to the server: EOF\n'],
    ['kubectl keeps error: before a 401', new ClusterError('error: You must be logged in to the server (Unauthorized)', { reason: 'Unauthorized' }), 3, 'error: You must be logged in to the server (Unauthorized)\n'],
    ['an interruption', new InterruptedError('interrupted'), 130, 'error: interrupted\n'],
    ['terminal controls from the server are made visible', new ClusterError('bad \u001b[2J name', { reason: 'Unknown' }), 3, 'error: bad ^[[2J name\n'],
  ];
  for (const [name, error, exitCode, text] of cases) {
    it(name, () => assert.deepEqual(report(error), { text, exitCode }));
  }

  it('asks to report a defect, without a stack', () => {
    const { text, exitCode } = report(new TypeError('x is undefined'));
    assert.equal(exitCode, 70);
    assert.match(text, /^error: internal error: x is undefined\n.*please report it/);
    assert.doesNotMatch(text, /\n\s+at /);
  });

  it('shows the stack of a defect with -v=6 and with DEBUG=kubectl-win', () => {
    assert.match(report(new TypeError('boom'), 6).text, /\n\s+at .*error-report\.test\.ts/);
    assert.match(report(new TypeError('boom'), 0, { DEBUG: 'kubectl-win' }).text, /\n\s+at .*error-report\.test\.ts/);
    assert.doesNotMatch(report(new TypeError('boom'), 5).text, /\n\s+at /);
  });

  it('survives what is thrown without being an error', () => {
    assert.deepEqual(report('text').exitCode, 70);
    assert.match(report(null).text, /^error: internal error: null\n/);
  });
});
