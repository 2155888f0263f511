import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { readUpgradePlan } from '../../../../src/cli/prepull/read-upgrade-plan.ts';
import type { CommandContext } from '../../../../src/cli/context.ts';
import { InputError } from '../../../../src/errors.ts';

const contextOf = (text: string, signal = new AbortController().signal): CommandContext => ({ stdin: Readable.from(text === '' ? [] : [text]), signal, ports: { readTextFile: async () => text } }) as unknown as CommandContext; // what it looks at
const PLAN = 'kind: UpgradePlan\nimages:\n- { image: a:1, verdict: runs }\n';

describe('readUpgradePlan', () => {
  it('reads YAML and JSON, of a file or of standard input', async () => {
    for (const text of [PLAN, '{"kind":"UpgradePlan","images":[{"image":"a:1","verdict":"runs"}]}']) {
      for (const file of ['plan', '-']) assert.deepEqual((await readUpgradePlan(file, null, contextOf(text))).images, ['a:1']);
    }
  });

  for (const [text, message] of [
    ['{"kind":', /^plan\.json: is no JSON: /], ['a: [', /^plan\.json: is no YAML: /], ['', /^plan\.json: is no object/], ['kind: UpgradePlan\nimages: []\n', /^plan\.json: names no image that can be pulled$/],
  ] as const) {
    it(`says ${message.source}`, async () => {
      await assert.rejects(readUpgradePlan('plan.json', null, contextOf(text)), (error) => error instanceof InputError && message.test(error.message));
    });
  }

  it('ends when it is interrupted', async () => {
    const controller = new AbortController();
    const never = { stdin: new Readable({ read: () => undefined }), signal: controller.signal, ports: {} } as unknown as CommandContext; // what it looks at
    const reading = readUpgradePlan('-', null, never);
    controller.abort(new Error('Ctrl-C'));
    await assert.rejects(reading, /Ctrl-C/);
  });
});
