/** `ImageReport` of docs/schemas: what -o json and -o yaml promise (product.md §4). */
import type { ImageItem, ImageReport } from '../../app/images/image-report.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';
import { imageSummary, isProblem } from './image-texts.ts';

export interface ImageDocumentOptions extends DocumentOptions {
  /** Without the images that are known to run wherever they are used; the summary counts all. */
  readonly onlyProblems?: boolean;
}

export function imageReportDocument(report: ImageReport, options: ImageDocumentOptions): Record<string, unknown> {
  const items = options.onlyProblems === true ? report.items.filter(isProblem) : report.items;
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'ImageReport',
    metadata: documentMetadata(options, { ...report.source, serverVersion: report.serverVersion }),
    summary: { ...imageSummary(report), windowsNodes: report.windowsNodes, releases: report.releases },
    items: items.map(imageDocument),
    unreadable: report.unreadable.map(({ file, line, column, message, suggestions }) => ({ file, line, column, message, suggestions })),
    notes: [...report.notes],
  };
}

/** One image as it stands in `items`. */
export function imageDocument(item: ImageItem): Record<string, unknown> {
  return { ...item };
}

/** An image of which everything is known, for paths that are checked before there is one. */
export const IMAGE_WITH_ALL_FIELDS: ImageItem = {
  image: 'a:1', role: 'container', isForWindows: true, evidence: 'registry', isGuess: false, shape: 'index', digest: '', platforms: [{ os: 'windows', architecture: 'amd64', osVersion: '', build: 0, digest: '', sizeBytes: 0 }],
  isMissing: false, isPartial: false, isHostProcessBase: false, os: 'windows', because: '', notes: [''], registryFailure: { reason: 'NotFound', message: '' }, sizeBytes: 0, sizeFrom: 'nodes', releases: [''],
  runsOn: [''], landsOn: [''], failsWhereUsed: [''], unknownWhereUsed: [''], unknownOn: [''], judgement: 'unknown',
  verdicts: [{ verdict: 'unknown', isPhaseKnown: true, isolation: 'process', nodes: [''], builds: [0], entries: [''], because: '', errorTexts: [{ reason: '', message: '' }] }],
  workloads: [{ object: { apiVersion: '', kind: '', namespace: '', name: '' }, containers: [''] }],
};
