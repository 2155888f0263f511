/** What a document of a recipe says, in a line. */
import { formatAge } from '../../domain/kubernetes/age.ts';
import { arrayAt, numberAt, stringAt } from '../../domain/kubernetes/object.ts';
import { fullestDisk, readNodeFacts, type NodeFacts } from '../../domain/hostprocess/recipes/node-facts.ts';
import type { RecipeDocument } from '../../domain/hostprocess/recipes/read-output.ts';
import { counted } from '../counted.ts';
import { sizeText } from '../size-text.ts';

/** Updates that a cell names. */
const MOST_NAMED = 2;

export function recipeSummary(document: RecipeDocument): string {
  const parts = (SUMMARIES[document.recipe] ?? ((): readonly (string | null)[] => []))(document);
  return parts.filter((part) => part !== null).join(', ');
}

const SUMMARIES: Readonly<Record<string, (document: RecipeDocument) => readonly (string | null)[]>> = {
  'node-facts': (document) => {
    const facts = readNodeFacts(document);
    const reboot = rebootText(facts);
    return [
      facts.hotfixes === null ? null : `${counted(facts.hotfixes.length, 'update')}${facts.hotfixes[0] === undefined ? '' : ` (${facts.hotfixes[0].id})`}`,
      facts.lastBootAt === null || facts.takenAt === null ? null : `up ${bootedText(facts, new Date(facts.takenAt))}`,
      reboot === null ? null : reboot === 'no' ? 'no restart pending' : `restart pending (${reboot})`,
      prefixed('', diskText(facts), ' free'),
      prefixed('images ', imageCacheText(facts)),
    ];
  },
  logs: (document) => {
    const errors = arrayAt(document, 'events').filter((event) => ['critical', 'error'].includes(stringAt(event, 'level') ?? '')).length;
    // of --via=kubelet
    const services = arrayAt(document, 'services').map((service) => `${stringAt(service, 'name') ?? ''} ${counted(arrayAt(service, 'lines').length, 'line')}`);
    return [countOf(document, 'events', 'event', errors === 0 ? '' : ` (${counted(errors, 'error')})`), countOf(document, 'files', 'file'), ...services];
  },
  hns: (document) => [prefixed('service ', stringAt(document, 'service', 'state')?.toLowerCase() ?? null), countOf(document, 'networks', 'network'), countOf(document, 'endpoints', 'endpoint'), countOf(document, 'loadBalancers', 'load balancer')],
  images: (document) => {
    const used = arrayAt(document, 'fileSystems').map((one) => numberAt(one, 'usedBytes')).filter((bytes) => bytes !== undefined);
    return [countOf(document, 'images', 'image'), used.length === 0 ? null : sizeText(used.reduce((sum, bytes) => sum + bytes, 0))];
  },
  hotfixes: (document) => {
    const { hotfixes, pendingReboot } = readNodeFacts(document);
    const failed = arrayAt(document, 'history').filter((entry) => ['failed', 'aborted'].includes(stringAt(entry, 'result') ?? '')).length;
    const newest = hotfixes?.[0];
    return [
      hotfixes === null ? null : counted(hotfixes.length, 'update'), newest === undefined ? null : `newest ${newest.id}${newest.installedOn === null ? '' : ` of ${newest.installedOn}`}`,
      failed === 0 ? null : `${failed} failed`, pendingReboot?.isPending === true ? 'restart pending' : null,
    ];
  },
};

function countOf(document: RecipeDocument, part: string, noun: string, more = ''): string | null {
  return Array.isArray(document[part]) ? `${counted(document[part].length, noun)}${more}` : null;
}

function prefixed(before: string, text: string | null, behind = ''): string | null {
  return text === null ? null : `${before}${text}${behind}`;
}

/** `KB5094128,KB5088051,+2`, newest first; null where it is not known. */
export function hotfixesText({ hotfixes }: NodeFacts): string | null {
  if (hotfixes === null) return null;
  const named = hotfixes.slice(0, MOST_NAMED).map(({ id }) => id);
  return [...named, ...(hotfixes.length > MOST_NAMED ? [`+${hotfixes.length - MOST_NAMED}`] : [])].join(',');
}

/** The time since the last boot. */
export function bootedText({ lastBootAt }: NodeFacts, now: Date): string | null {
  return lastBootAt === null ? null : formatAge(lastBootAt, now);
}

/** `no`, or what waits for a restart. */
export function rebootText({ pendingReboot }: NodeFacts): string | null {
  if (pendingReboot === null) return null;
  if (!pendingReboot.isPending) return 'no';
  return pendingReboot.reasons.length === 0 ? 'yes' : pendingReboot.reasons.join(',');
}

/** `C:57.0Gi(45%)`, of the disk with the least room. */
export function diskText(facts: NodeFacts): string | null {
  const disk = fullestDisk(facts);
  return disk === null ? null : `${disk.drive}${sizeText(disk.freeBytes)}${disk.sizeBytes === 0 ? '' : `(${Math.floor(disk.freeBytes / disk.sizeBytes * 100)}%)`}`;
}

/** `31:27.0Gi`: number and size; of what was downloaded where only that is known. */
export function imageCacheText({ imageCache }: NodeFacts): string | null {
  if (imageCache === null) return null;
  const { images, usedBytes, compressedBytes } = imageCache;
  const size = usedBytes !== null ? sizeText(usedBytes) : compressedBytes !== null ? `${sizeText(compressedBytes)}(compressed)` : null;
  return [images === null ? null : String(images), size].filter((part) => part !== null).join(':') || null;
}
