import assert from 'node:assert/strict';
import type { CopyReport } from '../../../../src/app/copy-files.ts';
import { copyView } from '../../../../src/output/views/copy.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const AT = new Date('2026-11-30T12:00:00Z');
const REPORT: CopyReport = {
  source: { source: 'files', context: null, location: 'nodes.json' }, serverVersion: null, run: null, namespace: null, phase: 'failed', direction: 'upload', node: null, from: 'a', to: 'C:\\a', folders: 0,
  outcome: { exitCode: null, error: { reason: 'NotFound', message: 'node "x" not found' }, pid: null, durationSeconds: 0 },
  items: [{ path: '', sizeBytes: 5, sentBytes: 0, result: 'pending', sha256: null, message: null }], totals: { files: 1, sizeBytes: 5, sentBytes: 0, doneBytes: 0, doneFiles: 0 }, notes: [],
};
const cells = (report: CopyReport): Readonly<Record<string, string>> => Object.fromEntries(copyView(report, { asOf: AT, generatedAt: AT, toolVersion: '0.1.0' }).columns.map(({ header, value }) => [header, value(report)]));

describe('copyView', () => {
  it('shows what is not known as that, and no time of what was not begun', () => {
    assert.deepEqual([cells(REPORT)['NODE'], cells(REPORT)['TIME'], cells(REPORT)['FILES'], cells(REPORT)['RUN']], ['<unknown>', '', '0/1', '']);
  });

  it('fits its schema, with an error and without', () => {
    for (const report of [REPORT, { ...REPORT, outcome: null }, { ...REPORT, run: 'a1b2c3', node: 'win-1', outcome: { exitCode: 0, error: null, pid: null, durationSeconds: 1.5 } }]) assertMatchesSchema('CopyReport', copyView(report, { asOf: AT, generatedAt: AT, toolVersion: '0.1.0' }).document());
  });
});
