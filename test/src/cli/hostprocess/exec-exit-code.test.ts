import assert from 'node:assert/strict';
import { execExitCode } from '../../../../src/cli/hostprocess/exec-exit-code.ts';
import type { ExecErrorReason, ExecOutcome } from '../../../../src/domain/hostprocess/outcome.ts';
import { ended } from '../../../support/exec-items.ts';

describe('execExitCode', () => {
  describe('of one node', () => {
    for (const code of [0, 1, 7, 255, 256, 3221225477]) it(`is the command's own: ${code}`, () => assert.equal(execExitCode([ended(code)], false), code));

    const own: readonly [number | null, ExecErrorReason, number][] = [
      [null, 'StartTimeout', 3], [null, 'Forbidden', 3], [null, 'ConnectionLost', 3], [null, 'Deleted', 3], [null, 'NodeLost', 3], [0, 'EndNotSeen', 3], [null, 'EndNotSeen', 3],
      [null, 'NotWindows', 2], [null, 'NotFound', 3], [null, 'NotSupported', 1], [null, 'CommandNotFound', 1], [null, 'StartFailed', 1], [null, 'Timeout', 1], [null, 'Interrupted', 130], [5, 'Timeout', 5],
    ];
    for (const [code, reason, exitCode] of own) it(`is ${exitCode} for ${reason}${code === null ? '' : ` with ${code}`}`, () => assert.equal(execExitCode([ended(code, reason)], false), exitCode));

    it('is no success where it has not ended', () => assert.equal(execExitCode([null], false), 3));
  });

  describe('of several', () => {
    const cases: readonly [readonly (ExecOutcome | null)[], number][] = [
      [[ended(0), ended(0)], 0], [[ended(0), ended(7)], 1], [[ended(256), ended(256)], 1], [[ended(0), ended(null, 'NotWindows')], 1], [[ended(0), ended(0, 'EndNotSeen')], 1], [[ended(0), null], 1], [[], 0],
    ];
    for (const [outcomes, exitCode] of cases) it(`is ${exitCode} for ${JSON.stringify(outcomes.map((outcome) => outcome?.error?.reason ?? outcome?.exitCode ?? null))}`, () => assert.equal(execExitCode(outcomes, false), exitCode));
  });

  it('of a plan is 0 as long as nothing is refused', () => {
    assert.deepEqual([execExitCode([null], true), execExitCode([null, null], true), execExitCode([null, ended(null, 'NotWindows')], true), execExitCode([ended(null, 'NotSupported')], true)], [0, 0, 1, 1]);
  });
});
