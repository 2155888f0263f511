/** The table and the ExecReport document of `kubectl win hostprocess exec`. */
import type { ExecReport } from '../../app/hostprocess/exec-report.ts';
import { durationText } from '../../domain/duration-text.ts';
import { foldItems, type ExecGroup, type KeptOutput } from '../../domain/hostprocess/fold.ts';
import type { ExecError } from '../../domain/hostprocess/outcome.ts';
import { jsonLine } from '../json.ts';
import type { CellTone, Column, View } from '../view.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';
import { execSummary, firstLine, resultCell, resultOf, type ExecResult, type ShownItem } from './exec-texts.ts';

const RESULT_TONES: Readonly<Record<ExecResult, CellTone>> = { succeeded: 'good', failed: 'bad', refused: 'bad', skipped: 'muted', pending: 'plain' };

/** A report with the output of its nodes. */
export type ShownReport = Omit<ExecReport, 'items'> & { readonly items: readonly ShownItem[] };

export function execView(report: ShownReport, options: DocumentOptions): View<ShownItem> {
  return {
    columns: columnsOf(report),
    items: report.items,
    document: () => execDocument(report, options),
    nameOf: ({ node }) => `node/${node}`,
    emptyMessage: 'No Windows nodes found to run on',
  };
}

function columnsOf({ run, phase }: ShownReport): readonly Column<ShownItem>[] {
  // of what has not begun there is little to tell
  const isPlan = phase === 'planned';
  const node: Column<ShownItem> = { header: 'NODE', value: (item) => item.node };
  const result: Column<ShownItem> = { header: 'RESULT', value: (item) => resultCell(item, phase), tone: (item) => RESULT_TONES[resultOf(item)] };
  const reason: Column<ShownItem> = { header: 'REASON', value: ({ outcome }) => outcome?.error?.reason ?? '' };
  const message: Column<ShownItem> = { header: 'MESSAGE', wide: !isPlan, value: ({ outcome }) => outcome?.error?.message ?? '' };
  const remedy: Column<ShownItem> = { header: 'REMEDY', wide: true, value: ({ outcome }) => outcome?.error?.remedy ?? '' };
  if (isPlan) return [node, result, reason, message, remedy];
  return [
    node, result,
    { header: 'EXIT-CODE', value: ({ outcome }) => (outcome === null || outcome.exitCode === null ? '' : String(outcome.exitCode)), tone: ({ outcome }): CellTone => ((outcome?.exitCode ?? 0) === 0 ? 'plain' : 'bad'), sortKey: ({ outcome }) => outcome?.exitCode ?? null },
    { header: 'TIME', value: (item) => (secondsOf(item) === null ? '' : durationText(secondsOf(item) ?? 0)), sortKey: secondsOf },
    reason,
    { header: 'OUTPUT', value: firstLine },
    message, remedy,
    { header: 'POD', wide: true, value: ({ pod }) => pod ?? '' },
    { header: 'RUN', wide: true, value: () => run ?? '' },
  ];
}

function execDocument(report: ShownReport, options: DocumentOptions): Record<string, unknown> {
  const { source, serverVersion, run, namespace, phase, items, notes } = report;
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'ExecReport',
    metadata: documentMetadata(options, { source: source.source, context: source.context, serverVersion }),
    run, namespace, phase,
    summary: execSummary(items),
    groups: foldItems(items).map(groupDocument),
    items: items.map(execItemDocument),
    notes: [...notes],
  };
}

/** Without their text, which is that of the item of any of their nodes. */
function groupDocument({ nodes, outcome, stdout, stderr }: ExecGroup): Record<string, unknown> {
  return { nodes: [...nodes], exitCode: outcome?.exitCode ?? null, error: errorDocument(outcome?.error), stdoutSha256: stdout?.digest ?? null, stderrSha256: stderr?.digest ?? null };
}

/** `-o jsonl`: a line per node, as it ends. */
export function execItemLine(item: ShownItem): string {
  return jsonLine(execItemDocument(item));
}

/** `-o jsonl`: the last line, the report without its items. */
export function execLastLine(report: ShownReport, options: DocumentOptions): string {
  const { items: _, ...rest } = execDocument(report, options);
  return jsonLine(rest);
}

function execItemDocument(item: ShownItem): Record<string, unknown> {
  const { node, pod, outcome, stdout, stderr } = item;
  const sizeOf = (output: KeptOutput | null): number | null => output?.sizeBytes ?? null;
  return {
    node, pod, result: resultOf(item), exitCode: outcome?.exitCode ?? null, error: errorDocument(outcome?.error),
    stdout: stdout?.text ?? null, stderr: stderr?.text ?? null, stdoutBase64: stdout?.base64 ?? null, stderrBase64: stderr?.base64 ?? null, stdoutBytes: sizeOf(stdout), stderrBytes: sizeOf(stderr),
    truncated: stdout?.isTruncated === true || stderr?.isTruncated === true, durationSeconds: secondsOf(item), pid: outcome?.pid ?? null,
  };
}

/** Of a command that was begun. */
function secondsOf({ pod, outcome }: ShownItem): number | null {
  return outcome === null || (pod === null && outcome.exitCode === null) ? null : outcome.durationSeconds;
}

function errorDocument(error: ExecError | null | undefined): Record<string, unknown> | null {
  return error === null || error === undefined ? null : { reason: error.reason, message: error.message, remedy: error.remedy ?? null };
}
