/** What became of a command on nodes, in words and counts. */
import type { ExecItem, ExecReport } from '../../app/hostprocess/exec-report.ts';
import type { KeptOutput } from '../../domain/hostprocess/fold.ts';
import type { ExecErrorReason } from '../../domain/hostprocess/outcome.ts';
import { counted } from '../counted.ts';

/** An item with what was kept of its output; null where it went elsewhere. */
export interface ShownItem extends ExecItem {
  readonly stdout: KeptOutput | null;
  readonly stderr: KeptOutput | null;
}

/** refused: nothing ran there. skipped: it was not begun. pending: it would run, or was not begun before the run ended. */
export type ExecResult = 'succeeded' | 'failed' | 'refused' | 'skipped' | 'pending';

const REFUSALS: ReadonlySet<ExecErrorReason> = new Set(['NotFound', 'NotWindows', 'OsUnknown', 'NotSupported', 'NotReady', 'Refused', 'QuotaExceeded', 'Forbidden']);

export function resultOf({ outcome }: Pick<ExecItem, 'outcome'>): ExecResult {
  if (outcome === null) return 'pending';
  const { exitCode, error } = outcome;
  if (error === null) return exitCode === 0 ? 'succeeded' : 'failed';
  if (error.reason === 'Skipped') return 'skipped';
  return exitCode === null && REFUSALS.has(error.reason) ? 'refused' : 'failed';
}

/** As a cell has it: of a plan, what would run is planned, as in `hostprocess cp`. */
export function resultCell(item: Pick<ExecItem, 'outcome'>, phase: ExecReport['phase']): string {
  const result = resultOf(item);
  return result === 'pending' && phase === 'planned' ? 'planned' : result;
}

export type ExecSummary = { readonly nodes: number } & Readonly<Record<ExecResult, number>>;

export function execSummary(items: readonly Pick<ExecItem, 'outcome'>[]): ExecSummary {
  const summary = { nodes: items.length, succeeded: 0, failed: 0, refused: 0, skipped: 0, pending: 0 };
  for (const item of items) summary[resultOf(item)] += 1;
  return summary;
}

/** `10 nodes: 7 succeeded, 2 failed, 1 skipped`; of a plan `3 nodes: 2 to run, 1 refused`. */
export function execFooter({ phase, items }: Pick<ExecReport, 'phase' | 'items'>): string {
  const summary = execSummary(items);
  const results: readonly ExecResult[] = phase === 'planned' ? ['pending', 'refused', 'skipped', 'failed', 'succeeded'] : ['succeeded', 'failed', 'refused', 'skipped', 'pending'];
  const parts = results.flatMap((result) => (summary[result] === 0 ? [] : [`${summary[result]} ${result === 'pending' ? phase === 'planned' ? 'to run' : 'not begun' : result}`]));
  return `${counted(summary.nodes, 'node')}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`;
}

/** The first line that a command wrote, of stdout or else of stderr. */
export function firstLine({ stdout, stderr }: Pick<ShownItem, 'stdout' | 'stderr'>): string {
  const line = (output: KeptOutput | null): string => output?.text?.split('\n').map((one) => one.trim()).find((one) => one !== '') ?? '';
  return line(stdout) || line(stderr);
}
