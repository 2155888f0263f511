/** The table and the CopyReport document of `kubectl win hostprocess cp`. */
import type { CopyReport } from '../../app/copy-files.ts';
import type { CopyItem, CopyResult } from '../../app/hostprocess/copy/copy-ledger.ts';
import { durationText } from '../../domain/duration-text.ts';
import { fileSizeText } from '../size-text.ts';
import type { CellTone, View } from '../view.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';

const PHASE_TONES: Readonly<Record<CopyReport['phase'], CellTone>> = { planned: 'plain', running: 'plain', succeeded: 'good', failed: 'bad', interrupted: 'warning' };

export function copyView(report: CopyReport, options: DocumentOptions): View<CopyReport> {
  return {
    columns: [
      { header: 'NODE', value: ({ node }) => node ?? '<unknown>' },
      { header: 'FROM', value: ({ from }) => from },
      { header: 'TO', value: ({ to }) => to },
      { header: 'RESULT', value: ({ phase }) => phase, tone: ({ phase }) => PHASE_TONES[phase] },
      { header: 'FILES', value: ({ totals }) => `${totals.doneFiles}/${totals.files}` },
      { header: 'SIZE', value: ({ totals }) => fileSizeText(totals.sizeBytes) },
      { header: 'SENT', value: ({ totals }) => fileSizeText(totals.sentBytes) },
      { header: 'TIME', value: ({ outcome, run }) => (outcome === null || run === null ? '' : durationText(outcome.durationSeconds)) },
      { header: 'UNCHANGED', wide: true, value: (one) => countOf(one, 'unchanged') },
      { header: 'RESUMED', wide: true, value: (one) => countOf(one, 'resumed') },
      { header: 'SKIPPED', wide: true, value: (one) => countOf(one, 'skipped') },
      { header: 'REFUSED', wide: true, value: (one) => countOf(one, 'refused') },
      { header: 'FAILED', wide: true, value: (one) => countOf(one, 'failed') },
      { header: 'RUN', wide: true, value: ({ run }) => run ?? '' },
    ],
    items: [report],
    document: () => copyDocument(report, options),
    nameOf: ({ node }) => `node/${node ?? ''}`,
    emptyMessage: 'Nothing to copy',
  };
}

function countOf({ items }: CopyReport, result: CopyResult): string {
  return String(items.filter((item) => item.result === result).length);
}

function copyDocument(report: CopyReport, options: DocumentOptions): Record<string, unknown> {
  const { source, serverVersion, run, namespace, phase, direction, node, from, to, outcome, folders, items, totals, notes } = report;
  return {
    apiVersion: 'kubectl-win/v1alpha1', kind: 'CopyReport', metadata: documentMetadata(options, { ...source, serverVersion }),
    run, namespace, phase, direction, node, from, to, error: errorOf(outcome), durationSeconds: outcome?.durationSeconds ?? null,
    summary: { files: totals.files, folders, sizeBytes: totals.sizeBytes, sentBytes: totals.sentBytes, ...countsOf(items) },
    items: items.map(({ path, sizeBytes, sentBytes, result, sha256, message }) => ({ path, sizeBytes, sentBytes, result, sha256, message })),
    notes: [...notes],
  };
}

function errorOf(outcome: CopyReport['outcome']): Record<string, unknown> | null {
  if (outcome === null || outcome.error === null) return null;
  const { reason, message, remedy = null } = outcome.error;
  return { reason, message, remedy };
}

const RESULTS: readonly CopyResult[] = ['copied', 'resumed', 'unchanged', 'skipped', 'refused', 'failed', 'pending'];

function countsOf(items: readonly CopyItem[]): Readonly<Record<string, number>> {
  return Object.fromEntries(RESULTS.map((result) => [result, items.filter((item) => item.result === result).length]));
}
