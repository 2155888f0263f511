import assert from 'node:assert/strict';
import { render } from '../../../../src/output/print.ts';
import { execItemLine, execLastLine, execView, type ShownReport } from '../../../../src/output/views/exec.ts';
import { ended, execReport, kept, shownItem } from '../../../support/exec-items.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const options = { asOf: new Date('2026-11-30T12:00:00Z'), generatedAt: new Date('2026-11-30T12:00:00Z'), toolVersion: '0.1.0' };
const report: ShownReport = {
  ...execReport({ notes: ['a note'] }),
  items: [
    shownItem('win-1', ended(0), [kept('one\n'), kept('')]),
    shownItem('win-2', ended(3221225477), [kept('', { text: null, base64: '/w==', sizeBytes: 1 }), kept('cut', { isTruncated: true, sizeBytes: 9 })]),
    shownItem('win-3', ended(0), [kept('one\n'), kept('')]),
    shownItem('lin-1', ended(null, 'NotWindows', 'lin-1 runs linux')),
    shownItem('win-4', null),
  ],
};

async function text(name: 'table' | 'wide' | 'name'): Promise<string> {
  return [...await render(execView(report, options), { name })].join('');
}

describe('execView', () => {
  it('shows what became of each node', async () => {
    assert.equal(await text('table'), [
      'NODE    RESULT      EXIT-CODE    TIME     REASON       OUTPUT',
      'win-1   succeeded   0            1.5s     <none>       one',
      'win-2   failed      3221225477   1.5s     <none>       cut',
      'win-3   succeeded   0            1.5s     <none>       one',
      'lin-1   refused     <none>       <none>   NotWindows   <none>',
      'win-4   pending     <none>       <none>   <none>       <none>', '',
    ].join('\n'));
    assert.match(await text('wide'), /lin-1 runs linux\s+Try again\./);
    assert.equal(await text('name'), 'node/win-1\nnode/win-2\nnode/win-3\nnode/lin-1\nnode/win-4\n');
  });

  it('has a document with every byte that was kept, and groups', () => {
    const document = execView(report, options).document() as { readonly items: readonly Record<string, unknown>[]; readonly groups: readonly Record<string, unknown>[]; readonly summary: unknown };
    assertMatchesSchema('ExecReport', document);
    assert.deepEqual(document.items.map(({ exitCode, stdout, stdoutBase64, stdoutBytes, stderr, truncated }) => [exitCode, stdout, stdoutBase64, stdoutBytes, stderr, truncated]), [
      [0, 'one\n', null, 4, '', false], [3221225477, null, '/w==', 1, 'cut', true], [0, 'one\n', null, 4, '', false], [null, null, null, null, null, false], [null, null, null, null, null, false],
    ]);
    assert.deepEqual(document.groups.map(({ nodes, exitCode }) => [nodes, exitCode]), [[['win-1', 'win-3'], 0], [['win-2'], 3221225477], [['lin-1'], null], [['win-4'], null]]);
    assert.deepEqual(document.items[3]?.['error'], { reason: 'NotWindows', message: 'lin-1 runs linux', remedy: 'Try again.' });
  });

  it('prints a node as a line, and the report without them as the last', () => {
    const { items, ...rest } = JSON.parse(JSON.stringify(execView(report, options).document())) as { readonly items: readonly unknown[] };
    assert.deepEqual(report.items.map((item) => JSON.parse(execItemLine(item)) as unknown), items);
    assert.deepEqual(JSON.parse(execLastLine(report, options)), rest);
  });
});
