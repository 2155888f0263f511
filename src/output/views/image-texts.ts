/** Sentences and cells about images. */
import type { ImageItem, ImageReport, ImageVerdict } from '../../app/images/image-report.ts';
import { doesFail } from '../../domain/image/image-on-node.ts';
import { productOfBuild } from '../../domain/windows/releases.ts';
import { someOf } from '../../domain/some-of.ts';
import { counted } from '../counted.ts';

const UNKNOWN = '<unknown>';

/** Images in one line. */
const MOST_NAMED = 3;

/** What an entry without os.version is called, in cells. */
const NO_VERSION = 'no-os.version';

/** `ltsc2022`; `10.0.26200` for a build that is no release of Windows Server. */
export function releaseText(build: number): string {
  const product = productOfBuild(build, 'Windows Server');
  return product.kind === 'server' ? product.release.release : `10.0.${build}`;
}

/**
 * Releases of Windows that an image holds, in the index's order: `ltsc2019,ltsc2022`; `no-os.version` for an entry without
 * one, which every host takes. '' (`<none>`) is known to hold none.
 */
export function windowsText(item: ImageItem): string {
  if (item.isHostProcessBase) return 'host-process';
  const windows = item.platforms.filter(({ os }) => os === 'windows');
  if (windows.length === 0) return (item.platforms.length > 0 && !item.isPartial) || (item.platforms.length === 0 && item.os === 'linux') ? '' : UNKNOWN;
  const texts = windows.map(({ build, osVersion }) => (build !== null ? releaseText(build) : osVersion === null ? (item.shape === 'index' ? NO_VERSION : UNKNOWN) : osVersion));
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

/** `registry`; `not-found` for an image that its registry does not have, `observed(not-found)` where pods have it still. */
export function evidenceText({ evidence, isMissing }: ImageItem): string {
  return !isMissing ? evidence : evidence === 'unknown' ? 'not-found' : `${evidence}(not-found)`;
}

/**
 * `3/5` of the nodes that its pods are on or can land on, `3/5(1-unknown)`; '' (`<none>`) where it fails on none of them. `0/0` fails
 * wherever it may go, and its pods can go nowhere.
 */
export function failsWhereUsedText(item: ImageItem): string {
  const { isForWindows, role, landsOn, failsWhereUsed, unknownWhereUsed, judgement } = item;
  if (!isForWindows) return '';
  if (role === 'sandbox' || landsOn === null) return UNKNOWN;
  const failing = failsWhereUsed?.length ?? 0;
  const unknown = unknownWhereUsed?.length ?? 0;
  if (landsOn.length === 0) return judgement === 'unknown' ? UNKNOWN : judgement === 'fails-everywhere' ? '0/0' : '';
  if (unknown === landsOn.length) return UNKNOWN;
  if (failing === 0 && unknown === 0) return '';
  return `${failing}/${landsOn.length}${unknown > 0 ? `(${unknown}-unknown)` : ''}`;
}

/** The worst first: by the number of nodes that it fails on where it is used, then their share; what fails or is not known otherwise, the rest. */
export function failsWhereUsedOrder(item: ImageItem): number {
  const failing = item.failsWhereUsed?.length ?? 0;
  if (!item.isForWindows) return 1;
  if (failing > 0) return -failing - failing / (1 + (item.landsOn?.length ?? 0));
  if (item.judgement === 'fails-everywhere') return -0.4;
  if (item.landsOn === null && item.judgement === 'fails-somewhere') return -0.3;
  return isUnknownInUse(item) ? -0.2 : 0;
}

/** Compressed, `2.7Gi`, `83.8Mi`, `412Ki`. */
export function sizeText({ sizeBytes }: Pick<ImageItem, 'sizeBytes'>): string {
  if (sizeBytes === null) return UNKNOWN;
  const kibibytes = Math.ceil(sizeBytes / 2 ** 10);
  if (kibibytes < 2 ** 10) return `${kibibytes}Ki`;
  const mebibytes = (sizeBytes / 2 ** 20).toFixed(1);
  return Number(mebibytes) < 2 ** 10 ? `${mebibytes}Mi` : `${(sizeBytes / 2 ** 30).toFixed(1)}Gi`;
}

/** `ltsc2019:fails-at-pull,ltsc2025(1/2):fails-at-start`, with a count where not all nodes of the release do; `fails` where it is not known at which of both. */
export function failuresText(item: ImageItem, nodeBuilds: ImageReport['nodeBuilds']): string {
  const judged = (isolation: ImageVerdict['isolation'], build: number): ReadonlySet<string> => new Set(item.verdicts.flatMap((verdict) => (verdict.isolation === isolation ? nodesOfBuild(verdict, build, nodeBuilds) : [])));
  return byBuild(item.verdicts.filter(({ verdict }) => doesFail(verdict)), ({ verdict, isPhaseKnown, isolation }) => `${isPhaseKnown ? verdict : 'fails'}${isolation === 'host-process' ? '(host-process)' : ''}`, (verdict, build) => {
    const failing = nodesOfBuild(verdict, build, nodeBuilds).length;
    const all = judged(verdict.isolation, build).size;
    return failing < all ? `(${failing}/${all})` : '';
  });
}

function nodesOfBuild({ nodes }: ImageVerdict, build: number, nodeBuilds: ImageReport['nodeBuilds']): readonly string[] {
  return nodes.filter((name) => nodeBuilds.get(name) === build);
}

/** Where it is open which entry a pull takes: `ltsc2025:10.0.26100.1|10.0.20348.5`; `no-os.version` for an entry without os.version. */
export function mayTakeText({ verdicts }: ImageItem): string {
  return byBuild(verdicts.filter(({ entries }) => entries.length > 1), ({ entries }) => entries.map((entry) => (entry === '' ? NO_VERSION : entry)).join('|'));
}

/** Each text once, after the releases that it holds for, the oldest first. */
function byBuild(verdicts: readonly ImageVerdict[], textOf: (verdict: ImageVerdict) => string, countOf: (verdict: ImageVerdict, build: number) => string = () => ''): string {
  const texts = verdicts.flatMap((verdict) => {
    const text = textOf(verdict);
    return verdict.builds.length === 0 ? [{ build: Infinity, text }] : verdict.builds.map((build) => ({ build, text: `${releaseText(build)}${countOf(verdict, build)}:${text}` }));
  });
  return [...new Set(texts.toSorted((a, b) => a.build - b.build).map(({ text }) => text))].join(',');
}

/** `deployment/web`, `shop/deployment/web,+2`; `sandbox` for a pause image, which holds pods or waits to. '' (`<none>`) where nobody looked, too. */
export function usersText({ workloads, role }: ImageItem, withNamespace = false): string {
  if (role === 'sandbox') return 'sandbox';
  const [first] = workloads ?? [];
  if (first === undefined) return '';
  const { kind, name, namespace } = first.object;
  const text = `${withNamespace && namespace !== null ? `${namespace}/` : ''}${(kind ?? 'object').toLowerCase()}/${name}`;
  return workloads?.length === 1 ? text : `${text},+${(workloads?.length ?? 1) - 1}`;
}

/** Whether users have to be told apart by their namespaces. */
export function hasSeveralNamespaces(items: ImageReport['items']): boolean {
  const [first] = items.flatMap(({ workloads }) => workloads?.[0] ?? []);
  return items.some(({ workloads }) => workloads?.some(({ object }) => object.namespace !== first?.object.namespace) === true);
}

/** What --fail-on was asked for, and the images that are it. */
export interface ImageGate {
  readonly failed: boolean;
  readonly reasons: readonly string[];
}

/**
 * fail: fails where its pods are or can land, or everywhere. unknown: these, those of which it is not known where their pods are or
 * can land, and a report without any image for Windows. Sandbox images are left out: a node keeps some that no pod of it uses any more.
 */
export function imageGate(report: ImageReport, failOn: 'none' | 'fail' | 'unknown', { withNamespaces = false }: { readonly withNamespaces?: boolean } = {}): ImageGate {
  if (failOn === 'none') return { failed: false, reasons: [] };
  const judged = report.items.filter(({ isForWindows, role }) => isForWindows && role !== 'sandbox');
  const failing = judged.filter(failsWhereItIsUsed);
  const everywhere = judged.filter((item) => failsInUse(item) && !failsWhereItIsUsed(item));
  const unknown = failOn === 'unknown' ? judged.filter((item) => isUnknownInUse(item) && !failsInUse(item)) : [];
  const areNamed = judged.every(({ workloads }) => workloads === null);
  const named = (images: readonly ImageItem[], nodeOf: (item: ImageItem) => string | undefined): string => someOf(images, MOST_NAMED, (item) => {
    const node = nodeOf(item);
    const facts = [...(node === undefined ? [] : [`on ${node}`]), ...(item.isMissing ? ['not found'] : []), usersText(item, withNamespaces)].filter((fact) => fact !== '');
    return `${item.image}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
  });
  const count = ({ length }: readonly ImageItem[], kind = 'image'): string => `${counted(length, kind)} ${length === 1 ? 'fails' : 'fail'}`;
  const reasons = [
    ...(failing.length > 0 ? [`${count(failing)} ${areNamed ? 'on Windows nodes' : `where ${failing.length === 1 ? 'its' : 'their'} pods can land`}: ${named(failing, ({ failsWhereUsed }) => failsWhereUsed?.[0])}`] : []),
    ...(everywhere.length > 0 ? [`${count(everywhere, failing.length > 0 ? 'other image' : 'image')} on all of ${judgedText(report)}: ${named(everywhere, () => undefined)}`] : []),
    ...(unknown.length > 0 ? [`of ${counted(unknown.length, 'image')} it is not known ${unknown.some(({ landsOn }) => landsOn !== null && landsOn.length > 0) && !areNamed ? `whether ${unknown.length === 1 ? 'it runs where its' : 'they run where their'} pods can land` : unknown.length === 1 ? 'where it runs' : 'where they run'}: ${named(unknown, ({ unknownWhereUsed }) => unknownWhereUsed?.[0])}`] : []),
    ...(judged.length === 0 && failOn === 'unknown' ? ['no image was judged'] : []),
  ];
  return { failed: reasons.length > 0, reasons };
}

/** What --problems shows: what --fail-on=unknown asks for, and sandbox images that do not run on all nodes that have them. */
export function isProblem(item: ImageItem): boolean {
  if (!item.isForWindows) return false;
  return item.role === 'sandbox' ? item.judgement !== 'runs-everywhere' : failsInUse(item) || isUnknownInUse(item);
}

function failsWhereItIsUsed({ failsWhereUsed }: ImageItem): boolean {
  return failsWhereUsed !== null && failsWhereUsed.length > 0;
}

function failsInUse(item: ImageItem): boolean {
  return failsWhereItIsUsed(item) || item.judgement === 'fails-everywhere';
}

/** Of one of the nodes that its pods are on or can land on; where there is none, of all. */
function isUnknownInUse({ landsOn, unknownWhereUsed, judgement }: ImageItem): boolean {
  return landsOn !== null && landsOn.length > 0 ? (unknownWhereUsed ?? []).length > 0 : judgement === 'unknown';
}

/** Known to hold nothing for Windows. */
function isWithoutWindows(item: ImageItem): boolean {
  return windowsText(item) === '';
}

/** Not there, and not seen running either. */
function isGone({ isMissing, evidence }: ImageItem): boolean {
  return isMissing && evidence === 'unknown';
}

export interface ImageSummary {
  /** All that were looked at, be they shown or not. */
  readonly images: number;
  /** Those of Windows workloads, in containers, by kind of evidence. */
  readonly byEvidence: Readonly<Record<ImageItem['evidence'], number>>;
  /** Of these, those that are known to hold nothing for Windows. */
  readonly withoutWindows: number;
  /** Of these, those that their registry does not have, and that were not seen running. */
  readonly missing: number;
  /** What was judged: Windows nodes, or releases where there are none. */
  readonly judgedBy: 'nodes' | 'releases';
  readonly runEverywhere: number;
  readonly failSomewhere: number;
  readonly failEverywhere: number;
  readonly unknown: number;
  /** Fail on nodes that their pods are on or can land on; null when nodes are not known. */
  readonly failWhereUsed: number | null;
  /** Fail on none of these, and it is not known of one; null when nodes are not known. */
  readonly unknownWhereUsed: number | null;
  readonly registryFailures: number;
  /** Pause images, shown beside those that are counted above. */
  readonly sandboxImages: number;
  /** Not for Windows. */
  readonly others: number;
  readonly hidden: number;
}

/** The counts below the table and in the document; of images of Windows workloads in containers, where they do not say otherwise. */
export function imageSummary({ items, windowsNodes, hidden }: ImageReport): ImageSummary {
  const sandboxImages = items.filter(({ role }) => role === 'sandbox').length;
  const windows = items.filter(({ isForWindows, role }) => isForWindows && role !== 'sandbox');
  const count = (test: (item: ImageItem) => boolean): number => windows.filter(test).length;
  const ofJudgement = (judgement: ImageItem['judgement']): number => count((item) => item.judgement === judgement);
  return {
    images: items.length, byEvidence: byEvidence(windows), withoutWindows: count((item) => isWithoutWindows(item) && !isGone(item)), missing: count(isGone),
    judgedBy: windowsNodes === null || windowsNodes === 0 ? 'releases' : 'nodes',
    runEverywhere: ofJudgement('runs-everywhere'), failSomewhere: ofJudgement('fails-somewhere'), failEverywhere: ofJudgement('fails-everywhere'), unknown: ofJudgement('unknown'),
    failWhereUsed: windowsNodes === null ? null : count(failsWhereItIsUsed),
    unknownWhereUsed: windowsNodes === null ? null : count((item) => isUnknownInUse(item) && !failsInUse(item)),
    registryFailures: items.filter(({ registryFailure }) => registryFailure !== null).length,
    sandboxImages, others: items.length - windows.length - sandboxImages, hidden,
  };
}

function byEvidence(items: readonly ImageItem[]): ImageSummary['byEvidence'] {
  const counts = { proven: 0, registry: 0, observed: 0, tag: 0, unknown: 0 };
  for (const { evidence } of items) counts[evidence] += 1;
  return counts;
}

/** `4 Windows nodes`; where there are none, `ltsc2019, ltsc2022`. */
function judgedText({ windowsNodes, releases }: ImageReport): string {
  return windowsNodes === null || windowsNodes === 0 ? releases.join(', ') : counted(windowsNodes, 'Windows node');
}

/** The line below the table (stderr): `6 images for Windows: 2 by registry, 4 by tag; 1 without Windows; of 6 Windows nodes: 3 run on all, 4 fail on some; 2 fail where their pods can land; 12 other images not shown (--all-os)`. */
export function imagesFooter(report: ImageReport): string {
  const summary = imageSummary(report);
  const windows = report.items.filter((item) => item.isForWindows && item.role !== 'sandbox' && !isWithoutWindows(item) && !isGone(item));
  const kinds = byEvidence(windows);
  const evidence = [...(['registry', 'observed', 'tag'] as const).flatMap((kind) => (kinds[kind] === 0 ? [] : [`${kinds[kind]} by ${kind === 'observed' ? 'what runs' : kind}`])), ...(kinds.unknown === 0 ? [] : [`${kinds.unknown} unknown`])];
  const fates = [
    ...(summary.runEverywhere > 0 ? [`${summary.runEverywhere} ${summary.runEverywhere === 1 ? 'runs' : 'run'} on all`] : []),
    ...(summary.failSomewhere > 0 ? [`${summary.failSomewhere} ${summary.failSomewhere === 1 ? 'fails' : 'fail'} on some`] : []),
    ...(summary.failEverywhere > 0 ? [`${summary.failEverywhere} ${summary.failEverywhere === 1 ? 'fails' : 'fail'} on all`] : []),
    ...(summary.unknown > 0 ? [`${summary.unknown} not known`] : []),
  ];
  const areUsed = report.items.some(({ workloads }) => workloads !== null);
  const { failWhereUsed, unknownWhereUsed } = summary;
  const inUse = [
    ...(areUsed && failWhereUsed !== null && failWhereUsed > 0 ? [`${failWhereUsed} ${failWhereUsed === 1 ? 'fails' : 'fail'} where their pods can land`] : []),
    ...(areUsed && unknownWhereUsed !== null && unknownWhereUsed > 0 ? [`${unknownWhereUsed} not known ${failWhereUsed !== null && failWhereUsed > 0 ? 'there' : 'where their pods can land'}`] : []),
  ];
  return [
    `${counted(windows.length, 'image')} for Windows${evidence.length === 0 ? '' : `: ${evidence.join(', ')}`}`,
    ...(summary.withoutWindows > 0 ? [`${summary.withoutWindows} without Windows`] : []),
    ...(summary.missing > 0 ? [`${summary.missing} not found`] : []),
    ...(fates.length === 0 ? [] : [`of ${judgedText(report)}: ${fates.join(', ')}`]),
    ...(inUse.length === 0 ? [] : [inUse.join(', ')]),
    ...(summary.sandboxImages > 0 ? [counted(summary.sandboxImages, 'sandbox image')] : []),
    ...(summary.others > 0 ? [counted(summary.others, 'other image')] : []),
    ...(report.hidden > 0 ? [`${counted(report.hidden, 'other image')} not shown (--all-os)`] : []),
  ].join('; ');
}
