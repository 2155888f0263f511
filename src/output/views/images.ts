import type { ImageItem, ImageReport } from '../../app/images/image-report.ts';
import { counted } from '../counted.ts';
import type { CellTone, Column, View } from '../view.ts';
import { imageReportDocument, type ImageDocumentOptions } from './image-document.ts';
import { evidenceText, failsWhereUsedOrder, failsWhereUsedText, failuresText, hasSeveralNamespaces, isProblem, mayTakeText, runningOn, runsOnText, sizeText, usersText, windowsText } from './image-texts.ts';

const UNKNOWN = '<unknown>';
const SHORT_DIGEST = 'sha256:'.length + 12;

export interface ImageViewOptions extends ImageDocumentOptions {
  /** USED-BY names namespaces even where all users are of one. */
  readonly allNamespaces?: boolean;
  /** The one that was looked at; null or absent for several, and for files. */
  readonly namespace?: string | null;
  /** IMAGE with 12 digits of a digest. */
  readonly shortDigests?: boolean;
}

/** The table and the ImageReport document of `kubectl win images`. */
export function imagesView(report: ImageReport, options: ImageViewOptions): View<ImageItem> {
  return {
    columns: imageColumns(report.items, options, report.nodeBuilds),
    items: options.onlyProblems === true ? report.items.filter(isProblem) : report.items,
    document: () => imageReportDocument(report, options),
    nameOf: ({ image }) => image,
    emptyMessage: emptyMessage(report, options),
  };
}

export function imageColumns(items: ImageReport['items'], { allNamespaces = false, shortDigests = false }: Pick<ImageViewOptions, 'allNamespaces' | 'shortDigests'> = {}, nodeBuilds: ImageReport['nodeBuilds'] = new Map()): readonly Column<ImageItem>[] {
  const withNamespace = allNamespaces || hasSeveralNamespaces(items);
  return [
    { header: 'IMAGE', value: ({ image }) => (shortDigests ? image.replace(/(@sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1') : image) },
    { header: 'WINDOWS', value: windowsText },
    { header: 'EVIDENCE', value: evidenceText, tone: ({ evidence, isMissing }) => (evidence === 'unknown' || isMissing ? 'warning' : 'plain') },
    { header: 'RUNS-ON', value: runsOnText, tone: runsOnTone, sortKey: (item) => runningOn(item)?.length ?? null },
    { header: 'FAILS-WHERE-USED', value: failsWhereUsedText, tone: failsWhereUsedTone, sortKey: failsWhereUsedOrder },
    { header: 'SIZE', value: sizeText, sortKey: ({ sizeBytes }) => (sizeBytes === null ? null : -sizeBytes) },
    { header: 'USED-BY', value: (item) => usersText(item, withNamespace) },
    { header: 'FAILS-ON', wide: true, value: (item) => failuresText(item, nodeBuilds), tone: runsOnTone },
    { header: 'MAY-TAKE', wide: true, value: mayTakeText },
    { header: 'OTHER-PLATFORMS', wide: true, value: ({ platforms }) => [...new Set(platforms.filter(({ os }) => os !== 'windows' && os !== 'unknown').map(({ os, architecture }) => `${os}/${architecture}`))].join(',') },
    { header: 'SHAPE', wide: true, value: ({ shape }) => (shape === 'none' || shape === 'unknown' ? UNKNOWN : shape) },
    { header: 'DIGEST', wide: true, value: ({ digest }) => (digest === null ? UNKNOWN : digest.slice(0, SHORT_DIGEST)) },
    { header: 'SIZE-FROM', wide: true, value: ({ sizeFrom }) => sizeFrom ?? UNKNOWN },
    { header: 'BECAUSE', wide: true, value: ({ because, notes }) => [because, ...notes].join('; ') },
  ];
}

function emptyMessage({ items, hidden }: ImageReport, { namespace = null }: ImageViewOptions): string {
  if (items.length > 0) return `No problems found: ${counted(items.length, 'image')} looked at`;
  const where = namespace === null ? '' : ` in ${namespace} namespace`;
  if (hidden > 0) return `No images of Windows workloads found${where} (${counted(hidden, 'other image')} not shown; --all-os shows them)`;
  return `No images found${where}${namespace === null ? '' : '.'}`;
}

function runsOnTone({ isForWindows, judgement, failsWhereUsed }: ImageItem): CellTone {
  if (!isForWindows) return 'muted';
  if (judgement === 'fails-everywhere' || (failsWhereUsed !== null && failsWhereUsed.length > 0)) return 'bad';
  return judgement === 'runs-everywhere' ? 'plain' : 'warning';
}

function failsWhereUsedTone(item: ImageItem): CellTone {
  if (!item.isForWindows) return 'muted';
  const order = failsWhereUsedOrder(item);
  return order <= -0.4 ? 'bad' : order < 0 ? 'warning' : 'plain';
}
