/** What `kubectl win hostprocess sweep` prints: each object of a run that was found, whose it is, and what became of it. */
import type { SweepItem, SweepReport, SweepResult } from '../../app/sweep-runs.ts';
import { formatAge } from '../../domain/kubernetes/age.ts';
import type { CellTone, View } from '../view.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';

const UNKNOWN = '<unknown>';
const NONE = '<none>';

const TONES: Readonly<Record<SweepResult, CellTone>> = { removed: 'good', pending: 'plain', ending: 'warning', left: 'plain', failed: 'bad' };

export function sweepView({ source, items, forgotten, notes }: SweepReport, emptyMessage: string, options: DocumentOptions): View<SweepItem> {
  const now = options.asOf;
  return {
    columns: [
      { header: 'RUN', value: ({ run }) => (run === '' ? NONE : run) },
      { header: 'NAMESPACE', value: ({ namespace }) => namespace },
      { header: 'OBJECT', value: objectName },
      { header: 'NODE', value: ({ node }) => node ?? UNKNOWN },
      { header: 'WHOSE', value: ({ judgement }) => judgement },
      { header: 'ALIVE', value: ({ isAlive }) => (isAlive ? 'yes' : 'no') },
      { header: 'AGE', value: ({ createdAt }) => (createdAt === null ? UNKNOWN : formatAge(createdAt, now)) },
      { header: 'RESULT', value: ({ result }) => result, tone: ({ result }) => TONES[result] },
      { header: 'ENDS-IN', wide: true, value: ({ endsBy }) => (endsBy === null ? UNKNOWN : formatAge(now.toISOString(), new Date(Math.max(now.getTime(), Date.parse(endsBy))))) },
      { header: 'ORIGIN', wide: true, value: ({ origin }) => origin ?? UNKNOWN },
      { header: 'WHY', wide: true, value: ({ message, because }) => message ?? because },
    ],
    items,
    document: () => ({
      apiVersion: 'kubectl-win/v1alpha1', kind: 'SweepReport', metadata: documentMetadata(options, { ...source, serverVersion: null }),
      items: items.map(({ resource, namespace, name, uid, run, node, origin, createdAt, judgement, isAlive, endsBy, because, result, message }) => ({
        resource, namespace, name, uid, run: run === '' ? null : run, node, origin, createdAt, judgement, because, alive: isAlive, endsBy, result, message,
      })),
      forgottenRuns: [...forgotten], notes: [...notes],
    }),
    nameOf: objectName,
    emptyMessage,
  };
}

function objectName({ resource, name }: SweepItem): string {
  return `${resource === 'jobs' ? 'job.batch' : 'pod'}/${name}`;
}
