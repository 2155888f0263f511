/** What `kubectl win prepull status` prints: the runs that are on record. */
import type { RunPhase, RunStatus } from '../../app/prepull/run-status.ts';
import type { SourceDescription } from '../../app/ports.ts';
import { formatAge } from '../../domain/kubernetes/age.ts';
import { someOf } from '../../domain/some-of.ts';
import type { CellTone, Column, View } from '../view.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';
import { gateOf, type PrepullGate } from './prepull-texts.ts';

const UNKNOWN = '<unknown>';
/** Nodes in one line. */
const MOST_NAMED = 3;

const PHASE_TONES: Readonly<Record<RunPhase, CellTone>> = { running: 'plain', succeeded: 'good', failed: 'bad', interrupted: 'warning', abandoned: 'warning', standing: 'plain' };

export function prepullRunsView(runs: readonly RunStatus[], source: SourceDescription, emptyMessage: string, options: DocumentOptions): View<RunStatus> {
  return {
    columns: columnsAt(options.asOf),
    items: runs,
    document: () => ({
      apiVersion: 'kubectl-win/v1alpha1', kind: 'PrepullRunList', metadata: documentMetadata(options, { ...source, serverVersion: null }), items: runs.map(runDocument),
    }),
    nameOf: ({ run }) => run,
    emptyMessage,
  };
}

function columnsAt(now: Date): readonly Column<RunStatus>[] {
  return [
    { header: 'RUN', value: ({ run }) => run },
    { header: 'NAMESPACE', value: ({ namespace }) => namespace },
    { header: 'PHASE', value: ({ phase }) => phase, tone: ({ phase }) => PHASE_TONES[phase] },
    { header: 'DONE', value: ({ ready, counts: { pulled, present }, planned }) => `${ready ?? pulled + present}/${planned}` },
    { header: 'FAILED', value: ({ counts, isUnseen }) => (isUnseen === true ? UNKNOWN : String(counts.failed)), tone: ({ counts }): CellTone => (counts.failed > 0 ? 'bad' : 'plain') },
    { header: 'PULLING', value: (run) => (run.isUnseen === true ? UNKNOWN : String(pullingOf(run).length)) },
    { header: 'HELD', wide: true, value: ({ held }) => String(held.length) },
    { header: 'AGE', value: ({ startedAt }) => (startedAt === null ? UNKNOWN : formatAge(startedAt, now)) },
    { header: 'REMOVED-IN', value: ({ phase, removedBy }) => (phase === 'standing' ? 'never' : removedBy === null ? UNKNOWN : formatAge(now.toISOString(), new Date(Math.max(now.getTime(), Date.parse(removedBy))))) },
    { header: 'PULLING-ON', wide: true, value: (run) => (run.isUnseen === true ? UNKNOWN : someOf(pullingOf(run), MOST_NAMED, ({ node, reason }) => (reason === null ? node : `${node}(${reason})`))) },
    { header: 'FAILED-ON', wide: true, value: failedOn },
    { header: 'IMAGES', wide: true, value: ({ images }) => images.join(',') },
    { header: 'ORIGIN', wide: true, value: ({ origin }) => origin ?? UNKNOWN },
  ];
}

/** The names of some may have had no room on record. */
function failedOn({ results, counts, phase, isUnseen }: RunStatus): string {
  if (isUnseen === true) return UNKNOWN;
  const texts = results.filter(({ result }) => result === 'failed').map(({ node, reason }) => `${node}(${reason ?? UNKNOWN})`);
  // a pod has several images, which fail for one reason mostly
  const all = phase === 'standing' ? [...new Set(texts)] : texts;
  const failed = phase === 'standing' ? all.length : counts.failed;
  const named = all.slice(0, MOST_NAMED);
  if (named.length === 0) return failed === 0 ? '' : UNKNOWN;
  return failed === named.length ? named.join(', ') : `${named.join(', ')} and ${failed - named.length} more`;
}

/** Under way: of what stands those without what fails, which is counted by itself and tried again all the same. */
function pullingOf({ active, phase }: RunStatus): RunStatus['active'] {
  return phase === 'standing' ? active.filter(({ reason }) => reason === null) : active;
}

function runDocument(run: RunStatus): Record<string, unknown> {
  return {
    run: run.run, namespace: run.namespace, origin: run.origin, startedAt: run.startedAt, phase: run.phase, planned: run.planned, refused: run.refused, skipped: run.skipped, ready: run.ready, images: [...run.images],
    ...run.counts, ...(run.isUnseen === true ? { failed: null } : {}),
    results: run.results.map(({ node, image, result, reason }) => ({ node, image, result, reason })), unnamedResults: Math.max(0, run.counts.pulled + run.counts.present + run.counts.failed - run.results.length), active: run.isUnseen === true ? null : run.active.map(({ node, image, reason, message }) => ({ node, image, reason, message })), held: run.held.map(({ node, image }) => ({ node, image })), removedBy: run.removedBy,
  };
}

/** `a1b2c3: 12/40 done, 1 failed, 10 pulling`; of what stands with the nodes that fail. */
export function runProgressLine(status: RunStatus): string {
  const { run, ready, planned, phase, isUnseen, counts: { pulled, present, failed } } = status;
  const pulling = pullingOf(status).length;
  const failures = isUnseen === true ? ['failures not known'] : failed === 0 ? [] : [`${failed} failed${phase === 'standing' ? ` (${failedOn(status)})` : ''}`];
  return [`${run}: ${ready ?? pulled + present}/${planned} done`, ...failures, ...(pulling === 0 ? [] : [`${pulling} pulling`])].join(', ');
}

/** As that of `prepull` itself: what the plan skipped is warm, what it refused is not. `minSuccess`: 0 to 1. */
export function runGate({ phase, ready, planned, refused, skipped, counts: { pulled, present, failed } }: RunStatus, minSuccess: number): PrepullGate {
  const total = planned + (refused ?? 0) + (skipped ?? 0);
  if (total === 0) return { failed: true, reason: 'no node is meant, so nothing is warm' };
  const done = ready ?? pulled + present;
  const open = Math.max(0, planned - done - failed);
  const what = phase === 'running' || phase === 'standing' ? 'not yet there' : 'never begun';
  return gateOf((done + (skipped ?? 0)) / total, minSuccess, 'are', [...(failed === 0 ? [] : [`${failed} failed`]), ...((refused ?? 0) === 0 ? [] : [`${refused ?? 0} refused`]), ...(open === 0 ? [] : [`${open} ${what}`])]);
}
