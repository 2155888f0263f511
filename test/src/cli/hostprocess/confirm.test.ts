import assert from 'node:assert/strict';
import { confirmRun, type ConfirmOptions } from '../../../../src/cli/hostprocess/confirm.ts';
import type { CommandContext } from '../../../../src/cli/context.ts';
import { UsageError } from '../../../../src/errors.ts';

async function run(nodes: number, more: Partial<ConfirmOptions> = {}, answer: string | null = null, refused = 0, poolOf: (index: number) => string | null = () => null): Promise<{ readonly isConfirmed: boolean; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const context = { ports: { ask: async (question: string) => {
    asked.push(question);
    return answer;
  } } } as unknown as CommandContext;
  const items = Array.from({ length: nodes + refused }, (_, index) => ({ index, node: `win-${index}`, pool: poolOf(index), batch: 0, refusal: index < nodes ? null : { reason: 'NotWindows' as const, message: 'no' } }));
  const isConfirmed = await confirmRun({ items, notes: [] }, { confirmAbove: 5, isAnswered: false, runAsUserName: 'NT AUTHORITY\\SYSTEM', what: 'hostname', stdinUsedBy: null, ...more }, context);
  return { isConfirmed, asked };
}

describe('confirmRun', () => {
  it('asks nothing of few nodes, nor with --yes', async () => {
    assert.deepEqual(await run(5), { isConfirmed: true, asked: [] });
    assert.deepEqual(await run(200, { isAnswered: true }), { isConfirmed: true, asked: [] });
    assert.deepEqual(await run(5, {}, null, 3), { isConfirmed: true, asked: [] });
  });

  it('says how many, as whom and what', async () => {
    const { asked } = await run(7, {}, 'y');
    assert.deepEqual(asked, ['Run on 7 Windows nodes (win-0, win-1, win-2, win-3, win-4 and 2 more) as NT AUTHORITY\\SYSTEM: hostname\nGo on? [y/N] ']);
    assert.match((await run(1, { confirmAbove: 0, what: 'a\u001b[2J\nb' }, 'y')).asked[0] ?? '', /^Run on 1 Windows node \(win-0\) as .*: a\^\[\[2J\.\.\.\nGo on\? /);
    assert.match((await run(6, { what: 'x'.repeat(81) }, 'y')).asked[0] ?? '', /: x{80}\.\.\.\n/);
  });

  it('names the pools that are meant, those that are refused aside, and says where some are in none', async () => {
    const asked = async (poolOf: (index: number) => string | null): Promise<string> => (await run(6, {}, 'y', 1, poolOf)).asked[0] ?? '';
    assert.match(await asked((index) => (index === 6 ? 'other' : 'w22')), /^Run on 6 Windows nodes of the pool w22 \(win-0, /);
    assert.match(await asked((index) => `w${index % 2}`), /^Run on 6 Windows nodes of the pools w0, w1 \(win-0, /);
    assert.match(await asked((index) => `w${index}`), /^Run on 6 Windows nodes of the pools w0, w1, w2, w3, w4 and 1 more \(win-0, /);
    assert.match(await asked((index) => (index === 0 ? null : 'w22')), /^Run on 6 Windows nodes of the pool w22, and of none \(win-0, /);
  });

  for (const [answer, isConfirmed] of [['y', true], ['YES', true], [' yes ', true], ['', false], ['n', false], ['yes please', false]] as const) {
    it(`takes ${JSON.stringify(answer)} for ${isConfirmed ? 'yes' : 'no'}`, async () => assert.equal((await run(6, {}, answer)).isConfirmed, isConfirmed));
  }

  it('fails where nobody can be asked', async () => {
    await assert.rejects(run(6), (error) => error instanceof UsageError && error.message === '6 nodes are more than 5, which is asked about, and nobody can be asked' && error.suggestions[0] === '--yes runs without a question');
    await assert.rejects(run(6, { stdinUsedBy: '--script -' }, 'y'), (error) => error instanceof UsageError && error.message.endsWith('and --script - takes standard input'));
  });
});
