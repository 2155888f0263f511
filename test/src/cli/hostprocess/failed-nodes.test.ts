import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { readFailedNodes, requireSameContext } from '../../../../src/cli/hostprocess/failed-nodes.ts';
import type { CommandContext } from '../../../../src/cli/context.ts';
import { InputError, UsageError } from '../../../../src/errors.ts';
import { renderYaml } from '../../../../src/output/yaml.ts';
import { execItemLine, execLastLine, execView, type ShownReport } from '../../../../src/output/views/exec.ts';
import { ended, execReport, kept, shownItem } from '../../../support/exec-items.ts';

const options = { asOf: new Date(0), generatedAt: new Date(0), toolVersion: '0.1.0' };
const report: ShownReport = { ...execReport(), items: [
  shownItem('win-1', ended(0), [kept('{"kind": "ExecReport"}\n'), kept('')]), shownItem('win-2', ended(7)), shownItem('win-3', ended(0, 'EndNotSeen')), shownItem('win-4', ended(null, 'Skipped')), shownItem('win-5', null),
] };
const document = execView(report, options).document();
const read = (text: string): ReturnType<typeof readFailedNodes> => readFailedNodes('-', { stdin: Readable.from([text]), signal: new AbortController().signal } as unknown as CommandContext);

describe('readFailedNodes', () => {
  const wanted = { nodes: ['win-2', 'win-3', 'win-4', 'win-5'], kubeContext: 'test' };

  it('reads JSON', async () => assert.deepEqual(await read(JSON.stringify(document, null, 4)), wanted));

  it('reads JSON in one line', async () => assert.deepEqual(await read(JSON.stringify(document)), wanted));

  it('reads YAML', async () => assert.deepEqual(await read([...await renderYaml(document)].join('')), wanted));

  it('reads lines of JSON, also of a run that was killed before its last line', async () => {
    const lines = report.items.map(execItemLine).join('');
    assert.deepEqual(await read(lines + execLastLine(report, options)), wanted);
    assert.deepEqual(await read(lines), { ...wanted, kubeContext: null });
  });

  for (const [text, message] of [
    ['', 'stdin: is no ExecReport'], ['{"kind": "PrepullReport", "items": []}', 'stdin: is no ExecReport'], ['{"kind": "ExecReport", "items": [{}]}', 'stdin: has an item without a node'], ['{"kind":', 'stdin: is no JSON: '], ['a: [', 'stdin: is no YAML: '],
    ['{"kind": "ExecReport"}', 'stdin: names no node'],
    [JSON.stringify({ ...(document as object), items: [] }), 'stdin: names no node'],
  ] as const) it(`refuses ${JSON.stringify(text)}`, () => assert.rejects(read(text), (error) => error instanceof InputError && error.message.startsWith(message)));
});

describe('requireSameContext', () => {
  it('refuses a report of another context, and says which it is', () => {
    assert.throws(() => requireSameContext({ nodes: ['win-1'], kubeContext: 'prod' }, 'test'), (error) => error instanceof UsageError && error.suggestions[0] === '--context=prod');
  });
  for (const [of, here] of [['prod', 'prod'], [null, 'test'], ['prod', null]] as const) {
    it(`takes one of ${of ?? 'none'} in ${here ?? 'a recording'}`, () => requireSameContext({ nodes: [], kubeContext: of }, here));
  }
});
