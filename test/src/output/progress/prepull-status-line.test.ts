import assert from 'node:assert/strict';
import type { PrepullOutcome } from '../../../../src/domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { PrepullStatusLine } from '../../../../src/output/progress/prepull-status-line.ts';
import { planItem } from '../../../support/plan-item.ts';

const START = Date.parse('2026-11-30T12:00:00Z');
const at = (seconds: number): Date => new Date(START + seconds * 1000);
const item = (node: string): PlanItem => planItem({ node });

function begun(items: number): PrepullStatusLine {
  const line = new PrepullStatusLine();
  line.take({ type: 'began', run: 'a1b2c3', namespace: 'default', items }, at(0));
  return line;
}

function finish(line: PrepullStatusLine, node: string, result: PrepullOutcome['result'], seconds: number | null = null): void {
  line.take({ type: 'started', item: item(node), attempt: 1 }, at(0));
  line.take({ type: 'finished', item: item(node), outcome: { result, reason: '', message: '', seconds, sizeBytes: null, digest: null } }, at(0));
}

describe('PrepullStatusLine', () => {
  it('is about the plan before there is one', () => assert.equal(new PrepullStatusLine().text(at(0), 80), 'planning'));

  it('counts, and names the nodes that are at it', () => {
    const line = begun(9);
    for (const node of ['win-4', 'win-5', 'win-6', 'win-7']) line.take({ type: 'started', item: item(node), attempt: 1 }, at(0));
    finish(line, 'win-1', 'pulled', 60);
    finish(line, 'win-2', 'present');
    finish(line, 'win-3', 'failed');
    line.take({ type: 'slow', item: item('win-4'), seconds: 300, message: null }, at(74));
    assert.equal(line.text(at(75), 200), '1 pulled, 1 present, 1 failed, 6 pending; 75s; pulling on win-4, win-5, win-6 and 1 more');
  });

  it('counts nodes that join', () => {
    const line = begun(2);
    line.take({ type: 'joined', node: 'win-9', items: [item('win-9'), { ...item('win-9'), image: 'b:1', action: 'skip' }] }, at(0));
    assert.match(line.text(at(0), 80), /^0 pulled, 3 pending/);
  });

  it('does not count what is to be tried again as under way', () => {
    const line = begun(1);
    line.take({ type: 'started', item: item('win-1'), attempt: 1 }, at(0));
    line.take({ type: 'retry', item: item('win-1'), attempt: 1, seconds: 10, message: '' }, at(1));
    assert.equal(line.text(at(2), 80), '0 pulled, 1 pending; 2s');
  });

  it('says how long it will take when enough was measured to know', () => {
    const line = begun(20);
    line.take({ type: 'started', item: item('win-x'), attempt: 1 }, at(0));
    line.take({ type: 'started', item: item('win-y'), attempt: 1 }, at(0));
    for (let count = 1; count <= 4; count += 1) finish(line, `win-${count}`, 'pulled', 100);
    assert.doesNotMatch(line.text(at(200), 200), /left/);
    finish(line, 'win-5', 'pulled', 100);
    // 15 pending, two at a time, 100 s each
    assert.equal(line.text(at(250), 200), '5 pulled, 15 pending; 4m10s, about 12m left; pulling on win-x, win-y');
  });

  it('fits a narrow terminal', () => {
    const line = begun(9);
    assert.equal(line.text(at(0), 12), '0 pulled, 9…');
    assert.equal(line.text(at(0), 1), '…');
  });

  it('shows names as they are, and steers no terminal', () => {
    const line = begun(1);
    line.take({ type: 'started', item: item('win\u001B[2J'), attempt: 1 }, at(0));
    assert.match(line.text(at(0), 80), /pulling on win\^\[\[2J$/);
  });
});
