/** `ImageReport` of docs/schemas: what -o json and -o yaml promise (product.md §4). */
import type { ImageItem, ImageReport } from '../../app/images/image-report.ts';
import { tablesAsOf } from '../../domain/windows/tables-as-of.ts';
import { imageSummary } from './image-texts.ts';

export interface ImageDocumentOptions {
  /** Day to judge by. */
  readonly asOf: Date;
  /** When the document is made. */
  readonly generatedAt: Date;
  readonly toolVersion: string;
}

export function imageReportDocument(report: ImageReport, options: ImageDocumentOptions): Record<string, unknown> {
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'ImageReport',
    metadata: {
      generatedAt: options.generatedAt.toISOString(),
      asOf: options.asOf.toISOString(),
      tablesAsOf: tablesAsOf(),
      source: report.source.source,
      context: report.source.context,
      serverVersion: report.serverVersion,
      toolVersion: options.toolVersion,
    },
    summary: { ...imageSummary(report), windowsNodes: report.windowsNodes, releases: report.releases },
    items: report.items.map(imageDocument),
    unreadable: report.unreadable.map(({ file, line, column, message, suggestions }) => ({ file, line, column, message, suggestions })),
    notes: [...report.notes],
  };
}

/** One image as it stands in `items`. */
export function imageDocument({ workloads, ...item }: ImageItem): Record<string, unknown> {
  return { ...item, workloads: workloads === null ? null : workloads.map(({ object: { apiVersion, kind, namespace, name }, containers }) => ({ apiVersion, kind, namespace, name, containers })) };
}
