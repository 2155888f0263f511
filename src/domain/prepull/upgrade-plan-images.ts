/** What an UpgradePlan (product.md §4) says of images: those that workloads will have. */
import { isRecord } from '../kubernetes/object.ts';

export interface PlannedImages {
  /** Each once, in the order of the plan. */
  readonly images: readonly string[];
  /** Of which the plan does not say what they become. */
  readonly leftOut: readonly { readonly image: string; readonly because: string }[];
}

const VERDICTS = ['runs', 'retag', 'rebuild', 'unknown'] as const;

/** `context`: of several clusters the one that is meant. A text is what is wrong, with the field. Never throws. */
export function imagesOfUpgradePlan(document: unknown, context: string | null): PlannedImages | string {
  if (!isRecord(document)) return 'is no object, and so no UpgradePlan';
  const { kind, apiVersion } = document;
  if (kind !== 'UpgradePlan') return `kind: has to be UpgradePlan, and is ${shown(kind)}`;
  if (typeof apiVersion === 'string' && !apiVersion.startsWith('kubectl-win/')) return `apiVersion: has to be of kubectl-win, and is ${shown(apiVersion)}`;
  const list = imageList(document, context);
  if (typeof list === 'string') return list;
  const images: string[] = [];
  const leftOut: { image: string; because: string }[] = [];
  for (const [index, entry] of list.entries.entries()) {
    const field = `${list.field}[${index}]`;
    if (!isRecord(entry)) return `${field}: has to be an object`;
    const { image, verdict, to } = entry;
    if (typeof image !== 'string' || image === '') return `${field}.image: has to be the name of an image, and is ${shown(image)}`;
    if (!isVerdict(verdict)) return `${field}.verdict: has to be one of ${VERDICTS.join(', ')}, and is ${shown(verdict)}`;
    if (to != null && (typeof to !== 'string' || to === '')) return `${field}.to: has to be the name of an image or null, and is ${shown(to)}`;
    if (verdict === 'retag' && to == null) return `${field}.to: an image that is to be retagged needs the name it gets`;
    if (verdict === 'runs') images.push(image);
    else if (verdict !== 'unknown' && typeof to === 'string') images.push(to);
    else leftOut.push({ image, because: verdict === 'rebuild' ? 'it must be rebuilt, and the plan names no image for it yet' : 'it is not known whether it will run' });
  }
  return { images: [...new Set(images)], leftOut };
}

function imageList({ clusters, images }: Readonly<Record<string, unknown>>, context: string | null): { readonly field: string; readonly entries: readonly unknown[] } | string {
  if (clusters === undefined) return Array.isArray(images) ? { field: 'images', entries: images } : `images: has to be a list, and is ${shown(images)}`;
  if (!Array.isArray(clusters)) return `clusters: has to be a list, and is ${shown(clusters)}`;
  const all = clusters as readonly unknown[];
  const own = all.length === 1 ? [0] : all.flatMap((cluster, index) => (isRecord(cluster) && context !== null && cluster['context'] === context ? [index] : []));
  const [index] = own;
  if (index === undefined || own.length > 1) return `clusters: has ${all.length} entries, of which ${own.length} are of the context ${context === null ? 'in use' : shown(context)}: images are pulled in one cluster`;
  const cluster = all[index];
  const entries = isRecord(cluster) ? cluster['images'] : undefined;
  return Array.isArray(entries) ? { field: `clusters[${index}].images`, entries } : `clusters[${index}].images: has to be a list, and is ${shown(entries)}`;
}

function isVerdict(value: unknown): value is (typeof VERDICTS)[number] {
  return VERDICTS.some((verdict) => verdict === value);
}

/** Short, of whatever it is. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
