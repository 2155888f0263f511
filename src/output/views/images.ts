import type { ImageItem, ImageReport } from '../../app/images/image-report.ts';
import { counted } from '../counted.ts';
import type { CellTone, Column, View } from '../view.ts';
import type { DocumentOptions } from './document-metadata.ts';
import { imageReportDocument } from './image-document.ts';
import { failuresText, mayTakeText, runningOn, runsOnText, usersText, windowsText } from './image-texts.ts';

const UNKNOWN = '<unknown>';
const SHORT_DIGEST = 'sha256:'.length + 12;

const IMAGE_COLUMNS: readonly Column<ImageItem>[] = [
  { header: 'IMAGE', value: ({ image }) => image },
  { header: 'WINDOWS', value: windowsText },
  { header: 'EVIDENCE', value: ({ evidence }) => evidence, tone: ({ evidence }) => (evidence === 'unknown' ? 'warning' : 'plain') },
  { header: 'RUNS-ON', value: runsOnText, tone: runsOnTone, sortKey: (item) => runningOn(item)?.length ?? null },
  { header: 'SIZE', value: ({ sizeBytes }) => (sizeBytes === null ? UNKNOWN : `${(sizeBytes / 2 ** 20).toFixed(1)}Mi`), sortKey: ({ sizeBytes }) => (sizeBytes === null ? null : -sizeBytes) },
  { header: 'USED-BY', value: usersText },
  { header: 'FAILS-ON', wide: true, value: failuresText, tone: runsOnTone },
  { header: 'MAY-TAKE', wide: true, value: mayTakeText },
  { header: 'OTHER-PLATFORMS', wide: true, value: ({ platforms }) => [...new Set(platforms.filter(({ os }) => os !== 'windows' && os !== 'unknown').map(({ os, architecture }) => `${os}/${architecture}`))].join(',') },
  { header: 'SHAPE', wide: true, value: ({ shape }) => (shape === 'none' || shape === 'unknown' ? UNKNOWN : shape) },
  { header: 'DIGEST', wide: true, value: ({ digest }) => (digest === null ? UNKNOWN : digest.slice(0, SHORT_DIGEST)) },
  { header: 'SIZE-FROM', wide: true, value: ({ sizeFrom }) => sizeFrom ?? UNKNOWN },
  { header: 'BECAUSE', wide: true, value: ({ because, notes }) => [because, ...notes].join('; ') },
];

/** The table and the ImageReport document of `kubectl win images`. */
export function imagesView(report: ImageReport, options: DocumentOptions): View<ImageItem> {
  return {
    columns: IMAGE_COLUMNS,
    items: report.items,
    document: () => imageReportDocument(report, options),
    nameOf: ({ image }) => image,
    emptyMessage: report.hidden === 0 ? 'No images found' : `No images of Windows workloads found (${counted(report.hidden, 'other image')} not shown; --all-os shows them)`,
  };
}

function runsOnTone({ isForWindows, judgement, failsWhereUsed }: ImageItem): CellTone {
  if (!isForWindows) return 'muted';
  if (judgement === 'fails-everywhere' || (failsWhereUsed !== null && failsWhereUsed.length > 0)) return 'bad';
  return judgement === 'runs-everywhere' ? 'plain' : 'warning';
}
