/** Sentences and cells about pulls. */
import type { PrepullItem, PrepullReport, PrepullSummary } from '../../app/prepull/prepull-report.ts';
import { PULLED_OR_PRESENT } from '../../domain/prepull/kruise-objects.ts';
import type { PrepullVariant } from '../../domain/prepull/prepull-plan.ts';
import { counted } from '../counted.ts';
import { sizeText } from '../size-text.ts';
import { releaseText } from './image-texts.ts';

const UNKNOWN = '<unknown>';

/** A report and its counts. */
export interface CountedPrepull {
  readonly report: PrepullReport;
  readonly summary: PrepullSummary;
}

/** What was taken, where the node names it and not the index of it, else by prediction; null when it is not known, or several may be. */
export function variantOf({ variant, variants, outcome }: PrepullItem): PrepullVariant | null {
  const digest = outcome?.digest ?? null;
  return (digest === null ? undefined : variants.find((one) => one.digest === digest)) ?? variant;
}

/** `ltsc2022`; `ltsc2025|ltsc2022` where either may be taken; `any` for an entry without os.version. */
export function variantText(item: PrepullItem): string {
  const one = variantOf(item);
  const variants = one === null ? item.variants : [one];
  if (variants.length === 0) return item.action === 'refuse' ? '' : UNKNOWN;
  return [...new Set(variants.map(({ build, osVersion }) => (build === null ? osVersion ?? 'any' : releaseText(build))))].join('|');
}

/** Of what was done, else of the plan. */
export function reasonOf({ outcome, reason }: PrepullItem): string {
  return outcome?.reason ?? reason;
}

export function messageOf({ outcome, message }: PrepullItem): string {
  return outcome?.message ?? message;
}

/** Bytes as the kubelet says, else the compressed size that the registry or nodes give; null when neither does. */
export function sizeOf({ outcome, sizeBytes }: PrepullItem): number | null {
  return outcome?.sizeBytes ?? sizeBytes;
}

/** `3 pulled, 1 present, 2 skipped, 1 failed, 1 refused; 5.8Gi`; of a plan `4 to pull (5.8Gi, 1 of unknown size), 2 skipped, 1 refused`. */
export function prepullFooter({ report, summary }: CountedPrepull): string {
  const parts = report.phase === 'planned' ? plannedParts(report, summary) : doneParts(summary);
  const pulled = report.items.filter(({ result, outcome }) => result === 'pulled' && outcome?.reason !== PULLED_OR_PRESENT);
  const bytes = pulled.reduce((sum, item) => sum + (sizeOf(item) ?? 0), 0);
  return [
    `${counted(summary.images, 'image')} on ${counted(summary.nodes, 'Windows node')}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`,
    ...(bytes > 0 ? [`${sizeText(bytes)} pulled`] : []),
  ].join('; ');
}

function doneParts(summary: PrepullSummary): readonly string[] {
  return (['pulled', 'present', 'skipped', 'failed', 'refused', 'pending'] as const).flatMap((result) => (summary[result] === 0 ? [] : [`${summary[result]} ${result}`]));
}

function plannedParts({ items }: PrepullReport, { nodes, skipped, refused, plannedBytes, sharedBytes, mostBytesOnNode, unknownSizes }: PrepullSummary): readonly string[] {
  const count = (action: PrepullItem['action']): number => items.filter((item) => item.action === action).length;
  const toPull = count('pull') + count('unknown');
  const sizes = [
    ...(plannedBytes > 0 ? [`about ${sizeText(plannedBytes)}${nodes > 1 ? `, at most ${sizeText(mostBytesOnNode)} onto a node` : ''}`] : []),
    ...(sharedBytes > 0 ? [`${sizeText(sharedBytes)} less for layers that images share`] : []), ...(unknownSizes > 0 ? [`${unknownSizes} of unknown size`] : []),
  ];
  return [
    ...(toPull === 0 ? [] : [`${toPull} to pull${sizes.length === 0 ? '' : ` (${sizes.join(', ')})`}`]),
    ...(count('unknown') === 0 ? [] : [`of ${count('unknown')} it is not known whether they run`]),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]), ...(refused === 0 ? [] : [`${refused} refused`]),
  ];
}

/** What --min-success was asked for, and what keeps it from being reached. */
export interface PrepullGate {
  readonly failed: boolean;
  /** One sentence; null where it is reached. */
  readonly reason: string | null;
}

/** `minSuccess`: 0 to 1. Of a plan those items count that will be warm as far as is known; of a run that goes on without this program, those that may be. */
export function prepullGate({ report, summary }: CountedPrepull, minSuccess: number): PrepullGate {
  if (summary.items === 0) return { failed: true, reason: 'no node matched, so nothing is warm' };
  const isPlan = report.phase === 'planned';
  const isUnderWay = report.phase === 'running';
  const warm = report.items.filter(({ action, result }) => (isUnderWay ? result === 'pending' || result === 'skipped' : isPlan ? action === 'pull' || action === 'skip' : result === 'pulled' || result === 'present' || result === 'skipped')).length;
  const unknown = report.items.filter(({ action }) => action === 'unknown').length;
  const rest = isPlan || isUnderWay ? [...(summary.refused === 0 ? [] : [`${summary.refused} refused`]), ...(unknown === 0 || isUnderWay ? [] : [`${unknown} not known`])]
    : (['failed', 'refused', 'pending'] as const).flatMap((result) => (summary[result] === 0 ? [] : [`${summary[result]} ${result}`]));
  return gateOf(warm / summary.items, minSuccess, isPlan || isUnderWay ? 'would be' : 'are', rest);
}

/** `share` and `minSuccess`: 0 to 1; `rest`: what is not warm. */
export function gateOf(share: number, minSuccess: number, verb: 'are' | 'would be', rest: readonly string[]): PrepullGate {
  // a share of pairs is a fraction of small numbers: what is equal on paper must be equal here
  if (share >= minSuccess - 1e-9) return { failed: false, reason: null };
  return { failed: true, reason: `${percentText(share)} of the images on nodes ${verb} warm, and ${percentText(minSuccess)} are asked for: ${rest.join(', ')}` };
}

/** Rounded down, so that less than all is never 100%. */
function percentText(share: number): string {
  return `${Math.floor(share * 1000 + 1e-6) / 10}%`;
}
