import assert from 'node:assert/strict';
import type { ExecStep } from '../../../../src/app/exec-on-nodes.ts';
import { execProgressLook } from '../../../../src/cli/hostprocess/exec-progress.ts';
import { notBegun } from '../../../../src/domain/hostprocess/outcome.ts';

describe('progress of a run whose result is printed at its end', () => {
  const cases: readonly [string, ExecStep, readonly string[], boolean][] = [
    ['notes of the plan', { type: 'planned', plan: { items: [], notes: ['a\u001b[2J', 'b'] }, namespace: 'ops', objects: [] }, ['note: a^[[2J', 'note: b'], true],
    ['a note', { type: 'note', message: 'quota' }, ['note: quota'], true],
    ['a node that waits', { type: 'pulling', node: 'win-1', message: 'slow' }, ['win-1  slow'], false],
    ['a node that failed, which stands below the report', { type: 'ended', node: 'win-1', pod: null, outcome: notBegun({ reason: 'NotReady', message: 'x' }) }, [], false],
  ];
  for (const [name, step, lines, isNews] of cases) {
    it(`tells ${name}`, () => {
      const look = execProgressLook();
      assert.deepEqual([look.lines(step), look.isNews(step)], [lines, isNews]);
    });
  }

  it('counts nodes in the line that changes', () => {
    const { status } = execProgressLook();
    const now = new Date('2026-11-30T12:00:00Z');
    for (const step of [{ type: 'planned', plan: { items: [], notes: [] }, namespace: 'ops', objects: [] }, { type: 'began', run: 'a', namespace: 'ops', nodes: 2 }, { type: 'started', node: 'win-1', message: null }] as const) status.take(step, now);
    assert.equal(status.text(now, 80), '0 of 2 done; 0s; running on win-1');
  });
});
