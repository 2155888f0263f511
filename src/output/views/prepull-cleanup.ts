/** What `kubectl win prepull cleanup` prints: the runs whose objects it removed. */
import type { SourceDescription } from '../../app/ports.ts';
import type { RemovedRun } from '../../app/prepull/clean-up.ts';
import type { View } from '../view.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';

export function prepullCleanupView(removed: readonly RemovedRun[], source: SourceDescription, emptyMessage: string, options: DocumentOptions): View<RemovedRun> {
  return {
    columns: [
      { header: 'RUN', value: ({ run }) => run },
      { header: 'NAMESPACE', value: ({ namespace }) => namespace },
      { header: 'JOBS', value: ({ jobs }) => String(jobs) },
      { header: 'DAEMONSETS', value: ({ daemonSets }) => String(daemonSets) },
    ],
    items: removed,
    document: () => ({
      apiVersion: 'kubectl-win/v1alpha1', kind: 'PrepullCleanup', metadata: documentMetadata(options, { ...source, serverVersion: null }),
      items: removed.map(({ run, namespace, jobs, daemonSets }) => ({ run, namespace, jobs, daemonSets })),
    }),
    nameOf: ({ run }) => run,
    emptyMessage,
  };
}
