/** `ImageReport` of docs/schemas: what -o json and -o yaml promise (product.md §4). */
import type { ImageItem, ImageReport } from '../../app/images/image-report.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';
import { imageSummary } from './image-texts.ts';

export function imageReportDocument(report: ImageReport, options: DocumentOptions): Record<string, unknown> {
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'ImageReport',
    metadata: documentMetadata(options, { ...report.source, serverVersion: report.serverVersion }),
    summary: { ...imageSummary(report), windowsNodes: report.windowsNodes, releases: report.releases },
    items: report.items.map(imageDocument),
    unreadable: report.unreadable.map(({ file, line, column, message, suggestions }) => ({ file, line, column, message, suggestions })),
    notes: [...report.notes],
  };
}

/** One image as it stands in `items`. */
export function imageDocument(item: ImageItem): Record<string, unknown> {
  return { ...item };
}
