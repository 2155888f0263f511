import assert from 'node:assert/strict';
import { notBegun, isSuccess, outcomeOf, startFailure, type CommandEnd } from '../../../../src/domain/hostprocess/outcome.ts';

const end = (more: Partial<CommandEnd>): CommandEnd => ({ exitCode: null, error: null, signs: [], hasSigns: true, program: 'powershell.exe', durationSeconds: 2, ...more });
const START = { sign: 'start', pid: 42 } as const;

/** `CODE REASON PID` */
function told(more: Partial<CommandEnd>): string {
  const { exitCode, error, pid, durationSeconds } = outcomeOf(end(more));
  assert.equal(durationSeconds, 2);
  return `${exitCode} ${error?.reason ?? '-'} ${pid}`;
}

describe('outcomeOf', () => {
  it('is the exit code together with the sign of the end', () => {
    for (const code of [0, 1, 255, 256, 3_221_225_477]) assert.equal(told({ exitCode: code, signs: [START, { sign: 'end', code }] }), `${code} - 42`);
    assert.equal(told({ exitCode: 7, signs: [START, { sign: 'end', code: null }] }), '7 - 42');
    assert.equal(told({ exitCode: 0, signs: [START, { sign: 'end', code: null }] }), '0 - 42');
  });

  it('does not take 0 for success that came without the sign', () => {
    assert.equal(told({ exitCode: 0, signs: [START] }), 'null EndNotSeen 42');
    assert.equal(told({ exitCode: 0 }), 'null EndNotSeen null');
  });

  it('takes a code that is not 0 without the sign, as of a runner that was killed', () => {
    assert.equal(told({ exitCode: 3_221_225_786, signs: [START] }), '3221225786 - 42');
  });

  it('is no exit code where the pod has gone, and no sign of the end came', () => {
    const lost = { reason: 'Deleted', message: 'its pod was deleted' } as const;
    assert.equal(outcomeOf(end({ exitCode: 1, signs: [START], lost })).error?.message, 'its pod was deleted; the end of the command was not seen (the API server says exit code 1)');
    assert.equal(outcomeOf(end({ error: { reason: 'ConnectionLost', message: 'cut' }, signs: [START], lost })).error?.message, 'its pod was deleted; the end of the command was not seen (cut)');
    assert.deepEqual([told({ exitCode: 1, signs: [START], lost }), told({ exitCode: 0, signs: [START], lost }), told({ exitCode: 1, lost }), told({ exitCode: 1, hasSigns: false, lost })], ['null Deleted 42', 'null Deleted 42', 'null Deleted null', 'null Deleted null']);
    // it had ended by then, or never begun
    assert.deepEqual([told({ exitCode: 1, signs: [START, { sign: 'end', code: 1 }], lost }), told({ exitCode: 1, signs: [START, { sign: 'end', code: null }], lost }), told({ exitCode: 0, hasSigns: false, lost })], ['1 - 42', '1 - 42', '0 - null']);
    assert.deepEqual([told({ exitCode: 127, signs: [START, { sign: 'failed', reason: 'NotFound', message: '' }], lost }), told({ error: { reason: 'Forbidden', message: 'no' }, lost })], ['null CommandNotFound 42', 'null Forbidden null']);
  });

  it('believes the code in the sign where the API server has none, or says 0', () => {
    const signs = [START, { sign: 'end', code: 5 }] as const;
    assert.equal(told({ exitCode: 0, signs }), '5 - 42');
    assert.equal(told({ error: { reason: 'ConnectionLost', message: 'lost' }, signs }), '5 - 42');
    assert.equal(told({ error: { reason: 'ConnectionLost', message: 'lost' }, signs: [START] }), 'null ConnectionLost 42');
    assert.equal(told({ error: { reason: 'ConnectionLost', message: 'lost' }, signs: [START, { sign: 'end', code: null }] }), 'null ConnectionLost 42');
  });

  it('tells commands that were not found or not started from those that failed', () => {
    assert.equal(told({ exitCode: 1, signs: [START, { sign: 'failed', reason: 'NotFound', message: 'no frob' }] }), 'null CommandNotFound 42');
    assert.equal(told({ exitCode: 1, signs: [{ sign: 'failed', reason: 'StartFailed', message: '' }] }), 'null StartFailed null');
    assert.equal(told({ exitCode: 1, signs: [{ sign: 'failed', reason: 'Refused', message: 'language mode' }] }), 'null Refused null');
    assert.equal(told({ exitCode: 1 }), 'null StartFailed null');
    assert.match(outcomeOf(end({ exitCode: 1, program: 'pwsh.exe' })).error?.remedy ?? '', /--shell powershell/);
    assert.equal(told({ exitCode: 9009, program: 'pwsh.exe' }), 'null CommandNotFound null');
  });

  it('has the code alone where no signs come', () => {
    assert.equal(told({ exitCode: 0, hasSigns: false }), '0 - null');
    assert.equal(told({ exitCode: 1, hasSigns: false }), '1 - null');
    assert.equal(told({ hasSigns: false }), 'null Unknown null');
  });
});

describe('startFailure', () => {
  it('knows a program that is not there by the words of Windows, hcsshim and runc', () => {
    for (const text of ['failed to start exec "x": hcs::System::CreateProcess frob: The system cannot find the file specified.: unknown', 'exec: "frob": executable file not found in $PATH']) assert.equal(startFailure(text).reason, 'CommandNotFound', text);
    assert.equal(startFailure('failed to create exec: access is denied').reason, 'StartFailed');
  });
});

describe('isSuccess', () => {
  it('is 0 without an error alone', () => {
    assert.equal(isSuccess({ exitCode: 0, error: null, pid: null, durationSeconds: 1 }), true);
    assert.equal(isSuccess({ exitCode: 1, error: null, pid: null, durationSeconds: 1 }), false);
    assert.equal(isSuccess(notBegun({ reason: 'Skipped', message: 'x' })), false);
  });
});
