/** What became of commands on nodes, for what shows it. */
import { createHash } from 'node:crypto';
import type { ExecReport } from '../../src/app/hostprocess/exec-report.ts';
import type { KeptOutput } from '../../src/domain/hostprocess/fold.ts';
import type { ExecErrorReason, ExecOutcome } from '../../src/domain/hostprocess/outcome.ts';
import type { ShownItem } from '../../src/output/views/exec-texts.ts';

export function kept(text: string, more: Partial<KeptOutput> = {}): KeptOutput {
  return { text, base64: null, isTruncated: false, sizeBytes: Buffer.byteLength(text), digest: createHash('sha256').update(text).digest('hex'), ...more };
}

export function ended(exitCode: number | null, reason: ExecErrorReason | null = null, message = 'it did not work'): ExecOutcome {
  return { exitCode, error: reason === null ? null : { reason, message, remedy: 'Try again.' }, pid: exitCode === null ? null : 42, durationSeconds: exitCode === null ? 0 : 1.5 };
}

export function shownItem(node: string, outcome: ExecOutcome | null, [stdout, stderr]: readonly [KeptOutput | null, KeptOutput | null] = [null, null]): ShownItem {
  return { node, pod: outcome === null || outcome.exitCode === null ? null : `kubectl-win-hostprocess-a1b2c3-0-abcde`, outcome, stdout, stderr };
}

export function execReport(more: Partial<ExecReport> = {}): ExecReport {
  return { source: { source: 'cluster', context: 'test', location: 'test' }, serverVersion: 'v1.37.2', run: 'a1b2c3', namespace: 'ops', phase: 'failed', items: [], notes: [], ...more };
}
