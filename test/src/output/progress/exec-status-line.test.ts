import assert from 'node:assert/strict';
import type { ExecEvent } from '../../../../src/domain/hostprocess/exec-event.ts';
import { ExecStatusLine } from '../../../../src/output/progress/exec-status-line.ts';
import { ended } from '../../../support/exec-items.ts';

const at = (seconds: number): Date => new Date(Date.parse('2026-11-30T12:00:00Z') + seconds * 1000);

function lineAfter(events: readonly ExecEvent[], width = 200): string {
  const line = new ExecStatusLine();
  for (const event of events) line.take(event, at(0));
  return line.text(at(65), width);
}

describe('ExecStatusLine', () => {
  const began = (nodes: number): ExecEvent => ({ type: 'began', run: 'a1b2c3', namespace: 'ops', nodes });
  const stage = (type: 'creating' | 'pulling' | 'started', node: string): ExecEvent => ({ type, node, message: null });

  it('looks for nodes first', () => assert.equal(lineAfter([]), 'looking for nodes'));

  it('tells where one node stands', () => assert.equal(lineAfter([began(1), stage('creating', 'win-1'), stage('pulling', 'win-1')]), '65s; pulling on win-1'));

  it('counts many, and names some', () => {
    const events = [began(8), ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((node) => stage('creating', node)), stage('started', 'a'), stage('started', 'b'), { type: 'ended', node: 'a', pod: null, outcome: ended(0) } as const, { type: 'ended', node: 'c', pod: null, outcome: ended(null, 'NodeFull') } as const];
    assert.equal(lineAfter(events), '2 of 8 done, 1 failed; 65s; running on b; starting on d, e, f and 1 more');
    assert.equal(lineAfter(events, 20), '2 of 8 done, 1 fail…');
  });
});
