import assert from 'node:assert/strict';
import type { ExecEvent } from '../../../../src/domain/hostprocess/exec-event.ts';
import { execLine, remedyLines } from '../../../../src/output/progress/exec-lines.ts';
import { ended } from '../../../support/exec-items.ts';

describe('execLine', () => {
  const cases: readonly [ExecEvent, string | null][] = [
    [{ type: 'began', run: 'a1b2c3', namespace: 'ops', nodes: 1 }, 'run a1b2c3 in namespace ops: 1 node'],
    [{ type: 'batch', batch: 1, nodes: ['win-1', 'win-2'] }, 'batch 2: win-1, win-2'],
    [{ type: 'pause', seconds: 600 }, 'the next batch begins in 10m'],
    [{ type: 'creating', node: 'win-1', message: null }, null],
    [{ type: 'creating', node: 'win-1', message: '0/3 nodes\u001b[2J' }, 'win-1  0/3 nodes^[[2J'],
    [{ type: 'pulling', node: 'win-1', message: 'ErrImagePull' }, 'win-1  ErrImagePull'],
    [{ type: 'started', node: 'win-1', message: null }, null],
    [{ type: 'ended', node: 'win-1', pod: null, outcome: ended(0) }, null],
    [{ type: 'ended', node: 'win-1', pod: null, outcome: ended(3221225477) }, 'win-1  exit code 3221225477'],
    [{ type: 'ended', node: 'win-1', pod: null, outcome: ended(null, 'StartTimeout', 'not running\nafter 5m') }, 'win-1  StartTimeout: not running\\nafter 5m'],
    [{ type: 'stopped', failures: 1, left: 9 }, '1 node failed (--max-failures): 9 nodes not begun'],
    [{ type: 'note', message: 'a\u0007' }, 'note: a^G'],
    [{ type: 'cleaned-up' }, null],
  ];
  for (const [event, line] of cases) it(`of ${JSON.stringify(event)}`, () => assert.equal(execLine(event), line));
});

describe('remedyLines', () => {
  const failed = (node: string, remedy: string | null): Parameters<typeof remedyLines>[0][number] => ({ node, outcome: { error: { reason: 'NodeFull', message: 'x', remedy } } });

  it('say each once, behind its nodes', () => {
    const full = ['win-1', 'win-2', 'win-3', 'win-4', 'win-5', 'win-6'].map((node) => failed(node, 'make room'));
    assert.deepEqual(remedyLines([...full, failed('win-7', 'ask for a Role:\nrules:\u001b[2J'), failed('win-8', null), { node: 'win-9', outcome: null }, { node: 'win-10', outcome: { error: null } }]), [
      'win-1, win-2, win-3, win-4, win-5 and 1 more: make room', 'win-7: ask for a Role:', 'rules:^[[2J',
    ]);
  });
});
