/** Sentences and cells about images. */
import type { ImageItem, ImageReport, ImageVerdict } from '../../app/images/image-report.ts';
import { doesFail } from '../../domain/image/image-on-node.ts';
import { productOfBuild } from '../../domain/windows/releases.ts';
import { someOf } from '../../domain/some-of.ts';
import { counted } from '../counted.ts';

const UNKNOWN = '<unknown>';

/** Images in one line. */
const MOST_NAMED = 3;

/** `ltsc2022`; `10.0.26200` for a build that is no release of Windows Server. */
export function releaseText(build: number): string {
  const product = productOfBuild(build, 'Windows Server');
  return product.kind === 'server' ? product.release.release : `10.0.${build}`;
}

/**
 * Releases of Windows that an image holds, in the index's order: `ltsc2019,ltsc2022`; `any` for an entry without os.version,
 * which every host takes. '' (`<none>`) is known to hold none.
 */
export function windowsText(item: ImageItem): string {
  if (item.isHostProcessBase) return 'host-process';
  const windows = item.platforms.filter(({ os }) => os === 'windows');
  if (windows.length === 0) return (item.platforms.length > 0 && !item.isPartial) || (item.platforms.length === 0 && item.os === 'linux') ? '' : UNKNOWN;
  const texts = windows.map(({ build, osVersion }) => (build !== null ? releaseText(build) : osVersion === null ? (item.shape === 'index' ? 'any' : UNKNOWN) : osVersion));
  return `${[...new Set(texts)].join(',')}${item.isGuess ? '(guess)' : ''}`;
}

/** What it runs on, be it nodes or, where these are not known or there are none, releases; null where it is not known. */
export function runningOn({ runsOn, releases, verdicts }: ImageItem): readonly string[] | null {
  return verdicts.some(({ nodes }) => nodes.length > 0) ? runsOn : releases;
}

/** `5/6 nodes`, `2/6 nodes(3-unknown)`, of the nodes that it was judged on; where nodes are not known, the releases. */
export function runsOnText(item: ImageItem): string {
  const running = runningOn(item);
  if (running === null) return UNKNOWN;
  const judged = new Set(item.verdicts.flatMap(({ nodes }) => nodes)).size;
  if (judged === 0) return running.join(',');
  const unknown = item.unknownOn?.length ?? 0;
  return `${running.length}/${judged} nodes${unknown > 0 ? `(${unknown}-unknown)` : ''}`;
}

/** `ltsc2019:fails-at-pull,ltsc2022:fails-at-start`. */
export function failuresText({ verdicts }: ImageItem): string {
  return byBuild(verdicts.filter(({ verdict }) => doesFail(verdict)), ({ verdict, isolation }) => `${verdict}${isolation === 'host-process' ? '(host-process)' : ''}`);
}

/** Where it is open which entry a pull takes: `ltsc2025:10.0.26100.1|10.0.20348.5`; `any` for an entry without os.version. */
export function mayTakeText({ verdicts }: ImageItem): string {
  return byBuild(verdicts.filter(({ entries }) => entries.length > 1), ({ entries }) => entries.map((entry) => (entry === '' ? 'any' : entry)).join('|'));
}

/** Each text once, after the releases that it holds for, the oldest first. */
function byBuild(verdicts: readonly ImageVerdict[], textOf: (verdict: ImageVerdict) => string): string {
  const texts = verdicts.flatMap((verdict) => {
    const text = textOf(verdict);
    return verdict.builds.length === 0 ? [{ build: Infinity, text }] : verdict.builds.map((build) => ({ build, text: `${releaseText(build)}:${text}` }));
  });
  return [...new Set(texts.toSorted((a, b) => a.build - b.build).map(({ text }) => text))].join(',');
}

/** `deployment/web`, `deployment/web,+2`; `sandbox` for a pause image, which holds pods or waits to. */
export function usersText({ workloads, role }: ImageItem): string {
  if (role === 'sandbox') return 'sandbox';
  if (workloads === null) return UNKNOWN;
  const [first] = workloads;
  if (first === undefined) return '';
  const text = `${(first.object.kind ?? 'object').toLowerCase()}/${first.object.name}`;
  return workloads.length === 1 ? text : `${text},+${workloads.length - 1}`;
}

/** What --fail-on was asked for, and the images that are it. */
export interface ImageGate {
  readonly failed: boolean;
  readonly reasons: readonly string[];
}

/**
 * fail: fails where its pods are or can land, or everywhere. unknown: these, those of which it is not known, and a report without
 * any image for Windows. Sandbox images are left out: a node keeps some that no pod of it uses any more.
 */
export function imageGate(items: readonly ImageItem[], failOn: 'none' | 'fail' | 'unknown'): ImageGate {
  if (failOn === 'none') return { failed: false, reasons: [] };
  const judged = items.filter(({ isForWindows, role }) => isForWindows && role !== 'sandbox');
  const failing = judged.filter(failsInUse);
  const unknown = failOn === 'unknown' ? judged.filter((item) => item.judgement === 'unknown' && !failsInUse(item)) : [];
  const named = (images: readonly ImageItem[]): string => someOf(images, MOST_NAMED, ({ image }) => image);
  const reasons = [
    ...(failing.length > 0 ? [`${counted(failing.length, 'image')} ${failing.length === 1 ? 'fails' : 'fail'} on Windows nodes: ${named(failing)}`] : []),
    ...(unknown.length > 0 ? [`of ${counted(unknown.length, 'image')} it is not known where ${unknown.length === 1 ? 'it runs' : 'they run'}: ${named(unknown)}`] : []),
    ...(judged.length === 0 && failOn === 'unknown' ? ['no image was judged'] : []),
  ];
  return { failed: reasons.length > 0, reasons };
}

function failsInUse({ failsWhereUsed, judgement }: ImageItem): boolean {
  return (failsWhereUsed !== null && failsWhereUsed.length > 0) || judgement === 'fails-everywhere';
}

export interface ImageSummary {
  readonly images: number;
  /** Those for Windows in containers, by kind of evidence. */
  readonly byEvidence: Readonly<Record<ImageItem['evidence'], number>>;
  /** What was judged: Windows nodes, or releases where there are none. */
  readonly judgedBy: 'nodes' | 'releases';
  readonly runEverywhere: number;
  readonly failSomewhere: number;
  readonly failEverywhere: number;
  readonly unknown: number;
  /** Fail on nodes that their pods are on or can land on; null when nodes are not known. */
  readonly failWhereUsed: number | null;
  readonly registryFailures: number;
  /** Pause images, shown beside those that are counted above. */
  readonly sandboxImages: number;
  /** Shown, and not for Windows. */
  readonly others: number;
  readonly hidden: number;
}

/** The counts below the table and in the document; of images for Windows in containers, where they do not say otherwise. */
export function imageSummary({ items, windowsNodes, hidden }: ImageReport): ImageSummary {
  const sandboxImages = items.filter(({ role }) => role === 'sandbox').length;
  const windows = items.filter(({ isForWindows, role }) => isForWindows && role !== 'sandbox');
  const count = (test: (item: ImageItem) => boolean): number => windows.filter(test).length;
  const ofEvidence = (evidence: ImageItem['evidence']): number => count((item) => item.evidence === evidence);
  const ofJudgement = (judgement: ImageItem['judgement']): number => count((item) => item.judgement === judgement);
  return {
    images: items.length,
    byEvidence: { proven: ofEvidence('proven'), registry: ofEvidence('registry'), observed: ofEvidence('observed'), tag: ofEvidence('tag'), unknown: ofEvidence('unknown') },
    judgedBy: windowsNodes === null || windowsNodes === 0 ? 'releases' : 'nodes',
    runEverywhere: ofJudgement('runs-everywhere'), failSomewhere: ofJudgement('fails-somewhere'), failEverywhere: ofJudgement('fails-everywhere'), unknown: ofJudgement('unknown'),
    failWhereUsed: windowsNodes === null ? null : count(({ failsWhereUsed }) => failsWhereUsed !== null && failsWhereUsed.length > 0),
    registryFailures: items.filter(({ registryFailure }) => registryFailure !== null).length,
    sandboxImages, others: items.length - windows.length - sandboxImages, hidden,
  };
}

/** The line below the table (stderr): `6 images: 2 by registry, 4 by tag; on 6 Windows nodes 3 run on all, 2 fail on some, 1 is not known; 12 other images not shown (--all-os shows them)`. */
export function imagesFooter(report: ImageReport): string {
  const summary = imageSummary(report);
  const { byEvidence } = summary;
  const evidence = [...(['registry', 'observed', 'tag'] as const).flatMap((kind) => (byEvidence[kind] === 0 ? [] : [`${byEvidence[kind]} by ${kind === 'observed' ? 'what runs' : kind}`])), ...(byEvidence.unknown === 0 ? [] : [`${byEvidence.unknown} unknown`])];
  const fates = [
    ...(summary.runEverywhere > 0 ? [`${summary.runEverywhere} ${summary.runEverywhere === 1 ? 'runs' : 'run'} on all`] : []),
    ...(summary.failSomewhere > 0 ? [`${summary.failSomewhere} ${summary.failSomewhere === 1 ? 'fails' : 'fail'} on some`] : []),
    ...(summary.failEverywhere > 0 ? [`${summary.failEverywhere} ${summary.failEverywhere === 1 ? 'fails' : 'fail'} on all`] : []),
    ...(summary.unknown > 0 ? [`${summary.unknown} not known`] : []),
  ];
  const where = summary.judgedBy === 'nodes' ? counted(report.windowsNodes ?? 0, 'Windows node') : report.releases.join(', ');
  return [
    `${counted(report.items.length - summary.others - summary.sandboxImages, 'image')} for Windows${evidence.length === 0 ? '' : `: ${evidence.join(', ')}`}`,
    ...(fates.length === 0 ? [] : [`of ${where}: ${fates.join(', ')}`]),
    ...(summary.failWhereUsed !== null && summary.failWhereUsed > 0 && report.items.some(({ workloads }) => workloads !== null) ? [`${summary.failWhereUsed} ${summary.failWhereUsed === 1 ? 'fails' : 'fail'} where their pods can land`] : []),
    ...(summary.sandboxImages > 0 ? [counted(summary.sandboxImages, 'sandbox image')] : []),
    ...(summary.others > 0 ? [counted(summary.others, 'other image')] : []),
    ...(report.hidden > 0 ? [`${counted(report.hidden, 'other image')} not shown (--all-os)`] : []),
  ].join('; ');
}
