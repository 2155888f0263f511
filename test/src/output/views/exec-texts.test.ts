import assert from 'node:assert/strict';
import type { ExecOutcome } from '../../../../src/domain/hostprocess/outcome.ts';
import { execFooter, execSummary, firstLine, resultOf } from '../../../../src/output/views/exec-texts.ts';
import { ended, kept, shownItem } from '../../../support/exec-items.ts';

describe('resultOf', () => {
  const cases: readonly [string, ExecOutcome | null][] = [
    ['succeeded', ended(0)], ['failed', ended(1)], ['failed', ended(3221225477)], ['failed', ended(null, 'StartTimeout')], ['failed', ended(0, 'EndNotSeen')], ['failed', ended(null, 'CommandNotFound')],
    ['refused', ended(null, 'NotWindows')], ['refused', ended(null, 'Refused')], ['skipped', ended(null, 'Skipped')], ['pending', null],
  ];
  for (const [result, outcome] of cases) it(`of ${outcome === null ? 'nothing yet' : `${outcome.exitCode} ${outcome.error?.reason ?? ''}`} is ${result}`, () => assert.equal(resultOf({ outcome }), result));
});

describe('execFooter', () => {
  const items = [ended(0), ended(0), ended(7), ended(null, 'NotWindows'), ended(null, 'Skipped'), null].map((outcome, index) => shownItem(`win-${index}`, outcome));

  it('counts what came of it', () => {
    assert.deepEqual(execSummary(items), { nodes: 6, succeeded: 2, failed: 1, refused: 1, skipped: 1, pending: 1 });
    assert.equal(execFooter({ phase: 'interrupted', items }), '6 nodes: 2 succeeded, 1 failed, 1 refused, 1 skipped, 1 not begun');
  });

  it('counts what is planned', () => assert.equal(execFooter({ phase: 'planned', items: [shownItem('win-1', null), shownItem('lin-1', ended(null, 'NotWindows'))] }), '2 nodes: 1 to run, 1 refused'));
});

describe('firstLine', () => {
  it('is the first that is not empty, of stdout or else of stderr', () => {
    assert.equal(firstLine({ stdout: kept('\r\n  a b \r\nc\r\n'), stderr: kept('x') }), 'a b');
    assert.equal(firstLine({ stdout: kept('\r\n'), stderr: kept('x\n') }), 'x');
    assert.equal(firstLine({ stdout: null, stderr: null }), '');
    assert.equal(firstLine({ stdout: kept('', { text: null, base64: '/w==' }), stderr: null }), '');
  });
});
