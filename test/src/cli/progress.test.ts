import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import type { CommandContext } from '../../../src/cli/context.ts';
import { showProgress, type ProgressLook } from '../../../src/cli/progress.ts';

interface Step {
  readonly name: string;
  readonly isNews: boolean;
}

/** What a run of three steps prints on a stderr; cursor movements are left out. */
async function shown(terminal: { readonly columns?: number } | null, env: Readonly<Record<string, string>> = {}): Promise<string> {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const stderr = Object.assign(stream, { isTTY: terminal !== null, cursorTo: () => true, clearLine: () => true, moveCursor: () => true, ...terminal });
  let taken = 0;
  const look: ProgressLook<Step> = {
    lines: ({ name }) => [`line ${name}`], isNews: ({ isNews }) => isNews,
    status: { take: () => void (taken += 1), text: (_, width) => `taken ${taken} of width ${width}` },
  };
  const progress = await showProgress({ stderr, env, platform: 'linux', clock: { now: () => new Date(0) } } as unknown as CommandContext, look);
  progress.take({ name: 'a', isNews: false });
  progress.take({ name: 'b', isNews: true });
  progress.stop();
  progress.stop();
  progress.take({ name: 'c', isNews: true });
  return text;
}

describe('showProgress', () => {
  it('prints a line for each step where lines stay', async () => assert.equal(await shown(null), 'line a\nline b\nline c\n'));

  for (const [title, terminal, env] of [['in CI', { columns: 80 }, { CI: 'true' }], ['on a dumb terminal', { columns: 80 }, { TERM: 'dumb' }], ['on a terminal without a width', { columns: 0 }, {}]] as const) {
    it(`and so ${title}`, async () => assert.equal(await shown(terminal, env), 'line a\nline b\nline c\n'));
  }

  it('shows one line that changes on a terminal, news above it, and nothing more of it once it was stopped', async () => {
    const text = await shown({ columns: 60 });
    assert.match(text, /taken 0 of width 57/);
    assert.match(text, /line b\n/);
    assert.doesNotMatch(text, /line a/);
    assert.ok(text.endsWith('line c\n'));
  });
});
