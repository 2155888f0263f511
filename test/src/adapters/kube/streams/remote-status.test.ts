import assert from 'node:assert/strict';
import { readRemoteStatus, type RemoteStatus } from '../../../../../src/adapters/kube/streams/remote-status.ts';

const nonZero = (message: string): object => ({
  metadata: {},
  status: 'Failure',
  message: `command terminated with non-zero exit code: exit code ${message}`,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message }] },
});
const failure = (message: string, reason = 'InternalError'): object => ({ metadata: {}, status: 'Failure', message, reason, code: 500 });
const read = (value: unknown): RemoteStatus | null => readRemoteStatus(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

describe('readRemoteStatus', () => {
  const exits: readonly (readonly [name: string, status: object, exitCode: number])[] = [
    ['Success is 0', { metadata: {}, status: 'Success' }, 0],
    ['a cause of 7', nonZero('7'), 7],
    ['a cause of 255', nonZero('255'), 255],
    ['a cause of 256', nonZero('256'), 256],
    ['an access violation as a cause', nonZero('3221225477'), 0xc0000005],
    ['Ctrl-C as a signed cause (STATUS_CONTROL_C_EXIT)', nonZero('-1073741510'), 0xc000013a],
    ['the highest code', nonZero('4294967295'), 4294967295],
    ['-1', nonZero('-1'), 4294967295],
    ['the sentence of the API server', failure('error stream protocol error: invalid exit code value "3221225477"'), 0xc0000005],
    ['the sentence with 256', failure('error stream protocol error: invalid exit code value "256"'), 256],
    ['the sentence as an internal error', failure('Internal error occurred: error stream protocol error: invalid exit code value "1073807364"'), 0x40010004],
  ];
  for (const [name, status, exitCode] of exits) {
    it(`reads an exit code: ${name}`, () => assert.deepEqual(read(status), { kind: 'exited', exitCode }));
  }

  const failures: readonly (readonly [name: string, status: object, message: string])[] = [
    ['a failure to start', failure('container not found ("app")'), 'container not found ("app")'],
    ['the sentence quoted within another message', failure('exec: "error stream protocol error: invalid exit code value \\"3\\"": not found'), 'exec: "error stream protocol error: invalid exit code value \\"3\\"": not found'],
    ['the sentence with something after it', failure('error stream protocol error: invalid exit code value "3" or not'), 'error stream protocol error: invalid exit code value "3" or not'],
    ['the sentence with a word', failure('error stream protocol error: invalid exit code value "seven"'), 'error stream protocol error: invalid exit code value "seven"'],
    ['a broken error stream', failure('error stream protocol error: unknown error'), 'error stream protocol error: unknown error'],
    ['a number of more than 32 bits', nonZero('4294967296'), 'command terminated with non-zero exit code: exit code 4294967296'],
    ['NonZeroExitCode without causes', { status: 'Failure', reason: 'NonZeroExitCode', message: 'exit' }, 'exit'],
  ];
  for (const [name, status, message] of failures) {
    it(`reads no exit code: ${name}`, () => {
      const result = read(status);
      assert.equal(result?.kind, 'failed');
      assert.equal(result.kind === 'failed' && result.status.message, message);
    });
  }

  it('keeps reason, code and details of a failure', () => {
    assert.deepEqual(read({ status: 'Failure', message: 'm', reason: 'NotFound', code: 404, details: { name: 'x' } }), {
      kind: 'failed',
      status: { message: 'm', reason: 'NotFound', code: 404, details: { name: 'x' } },
    });
  });

  for (const text of ['', '{"status":"Fail', 'plain text', 'null', '[]', '7', '{}', '{"status":"Other"}']) {
    it(`is null for ${JSON.stringify(text)}`, () => assert.equal(read(text), null));
  }
});
