/** One row of the report: what an image holds, on which nodes it runs, and who uses it. */
import { hostGroupsOf, imageOnGroup } from '../../domain/image/host-groups.ts';
import { imageErrorTexts, type ImageRole } from '../../domain/image/image-error-text.ts';
import { doesFail, imageOnNode, type ImageOnNode, type ImageOutcome, type Isolation } from '../../domain/image/image-on-node.ts';
import type { ImagePlatforms } from '../../domain/image/image-platforms.ts';
import { parseReference, readReference } from '../../domain/image/reference.ts';
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import { MATCHER_ERAS, parseOsVersion, type ContainerdVersion } from '../../domain/windows/containerd.ts';
import { lastDayOf, SERVER_RELEASES, type ServerRelease } from '../../domain/windows/releases.ts';
import type { RegistryFailure } from '../ports.ts';
import type { ImageItem, ImageJudgement, ImageVerdict } from './image-report.ts';
import type { UsedImage } from './image-usage.ts';

/** First build that runs pods (https://github.com/microsoft/hcsshim/blob/7c9ff7f48/cmd/containerd-shim-runhcs-v1/pod.go, "pod support is not available on Windows versions previous to RS5", read 2026-11-30). */
const FIRST_NODE_BUILD = 17763;

/** From the worst to the best. */
const ORDER: readonly ImageOutcome[] = ['fails-at-pull', 'fails-at-start', 'unknown', 'runs-down-level', 'runs'];

export interface JudgeImageFacts {
  /** Those to judge it on: all, or for a sandbox image those that report it; null when nodes are not known. Must not change. */
  readonly windowsNodes: readonly WindowsNode[] | null;
  readonly releases: readonly ServerRelease[];
}

/** An image to judge; `users` null where nobody looked for them. */
export type ImageToJudge = Omit<UsedImage, 'users' | 'landing'> & {
  readonly users: UsedImage['users'] | null;
  /** As for an image that is used; 'all' for one that was named, which may be meant for any node. */
  readonly landing: UsedImage['landing'] | 'all';
  /** Absent: container. */
  readonly role?: ImageRole;
};

export interface KnownOfImage {
  readonly platforms: ImagePlatforms;
  readonly failure: RegistryFailure | null;
  /** As nodes report it; null where none does. */
  readonly reportedSize: number | null;
}

/** Releases of Windows Server that matter on a day: supported ones that nodes of a cluster can run, and those that nodes do run. */
export function relevantReleases(asOf: Date, nodes: readonly Pick<WindowsNode, 'build'>[]): readonly ServerRelease[] {
  const day = asOf.toISOString().slice(0, 10);
  const builds = new Set(nodes.map(({ build }) => build));
  return SERVER_RELEASES.filter((release) => builds.has(release.build) || (release.build >= FIRST_NODE_BUILD && lastDayOf(release) >= day));
}

export function judgeImage(used: ImageToJudge, { platforms, failure, reportedSize }: KnownOfImage, { windowsNodes, releases }: JudgeImageFacts): ImageItem {
  const isolations = isolationsOf(used, platforms);
  const onReleases = isolations.flatMap((isolation) => releases.map((release) => ({ isolation, answer: onRelease(used.image, platforms, release, isolation), builds: [release.build], nodes: [] as readonly string[], release: release.release })));
  const onNodes = windowsNodes === null || windowsNodes.length === 0 ? null : isolations.flatMap((isolation) => hostGroupsOf(windowsNodes).map((group) => ({
    isolation, answer: asAnswer(used.image, platforms, imageOnGroup(platforms, group, isolation)), builds: group.host.build === null ? [] : [group.host.build], nodes: group.nodes.map(({ name }) => name),
  })));
  const judged = onNodes ?? onReleases;
  const landing = windowsNodes === null || used.landing === null ? null : landingOf(used.landing, isolations, windowsNodes);
  const sizes = sizeOf(platforms, reportedSize);
  const parsed = parseReference(used.image);
  return {
    image: used.image, role: used.role ?? 'container', isForWindows: used.isForWindows,
    evidence: platforms.confidence, isGuess: platforms.isGuess === true, shape: platforms.shape,
    digest: platforms.digest ?? (parsed.kind === 'reference' ? parsed.reference.digest : null),
    platforms: platforms.platforms.map((platform) => ({ ...platform, build: parseOsVersion(platform.osVersion ?? '')?.build ?? null })),
    isMissing: platforms.missing !== undefined, isPartial: platforms.isPartial === true, isHostProcessBase: platforms.isHostProcessBase === true, os: platforms.os,
    because: platforms.because,
    notes: [...platforms.notes ?? [], ...unknownBases(platforms), ...(isolations.length > 1 ? ['HostProcess containers use it, and others: it counts as running where both do'] : [])],
    registryFailure: failure === null ? null : { reason: failure.reason, message: failure.message },
    ...sizes,
    releases: unlessUnknown(onReleases, () => runningEverywhere(onReleases.map((one) => ({ ...one, nodes: [one.release] })))),
    runsOn: windowsNodes === null ? null : unlessUnknown(onNodes ?? [], () => runningEverywhere(onNodes ?? [])),
    landsOn: landing === null ? null : [...new Set([...landing.values()].flatMap((names) => [...names]))],
    failsWhereUsed: landing === null ? null : unlessUnknown(onNodes ?? [], () => whereUsed((onNodes ?? []).filter(fails), landing)),
    unknownWhereUsed: landing === null ? null : unknownWhereUsed(onNodes ?? [], landing),
    unknownOn: windowsNodes === null ? null : unknownNodes(onNodes ?? []),
    judgement: judgementOf(judged.map(({ answer }) => answer.outcome)),
    verdicts: grouped(used, judged),
    workloads: used.users,
  };
}

/** Where nobody tells, process isolation, which is what containers have by default; the HostProcess base image is made for the other. */
function isolationsOf({ isolations }: ImageToJudge, { isHostProcessBase }: ImagePlatforms): readonly Isolation[] {
  if (isolations.length > 0) return isolations.toSorted();
  return [isHostProcessBase === true ? 'host-process' : 'process'];
}

type Answer = Pick<ImageOnNode, 'outcome' | 'entries' | 'failures' | 'because'> & { readonly pull?: ImageOnNode['pull'] };

interface Judged {
  readonly isolation: Isolation;
  readonly answer: Answer;
  readonly builds: readonly number[];
  readonly nodes: readonly string[];
}

/** containerd of nodes that nobody knows: the newest of which the rules are known. */
const NEWEST_CONTAINERD: ContainerdVersion = newestContainerd();

function newestContainerd(): ContainerdVersion {
  const [major, minor, patch] = MATCHER_ERAS.at(-1)?.since ?? [0, 0, 0];
  return { major, minor, patch, preRelease: null };
}

function onRelease(image: string, platforms: ImagePlatforms, { build }: ServerRelease, isolation: Isolation): Answer {
  return asAnswer(image, platforms, imageOnNode(platforms, { build, revision: null, containerd: NEWEST_CONTAINERD }, isolation));
}

/** What is no reference is never pulled, and a guess is no verdict, as for `check`. */
function asAnswer(image: string, platforms: ImagePlatforms, answer: ImageOnNode): Answer {
  const parsed = readReference(image);
  if (parsed.kind === 'invalid') return { outcome: 'fails-at-pull', entries: [], failures: ['other'], because: `it is no image reference: ${parsed.reason}` };
  return platforms.isGuess === true && answer.outcome !== 'unknown' ? { outcome: 'unknown', entries: answer.entries, failures: [], because: platforms.because } : answer;
}

function runs({ answer: { outcome } }: Judged): boolean {
  return outcome === 'runs' || outcome === 'runs-down-level';
}

function fails({ answer: { outcome } }: Judged): boolean {
  return doesFail(outcome);
}

/** An empty list would say that there are none. */
function unlessUnknown(judged: readonly Judged[], names: () => readonly string[]): readonly string[] | null {
  return judged.length > 0 && judged.every(({ answer }) => answer.outcome === 'unknown') ? null : names();
}

/** Names of what runs it under each isolation that its users have. */
function runningEverywhere(judged: readonly Judged[]): readonly string[] {
  const not = new Set(judged.filter((one) => !runs(one)).flatMap(({ nodes }) => nodes));
  return [...new Set(judged.filter(runs).flatMap(({ nodes }) => nodes))].filter((name) => !not.has(name));
}

/** Each node is in this list, in that of those that run it, or fails it under one of the isolations. */
function unknownNodes(judged: readonly Judged[]): readonly string[] {
  const failing = new Set(judged.filter(fails).flatMap(({ nodes }) => nodes));
  return [...new Set(judged.filter(({ answer }) => answer.outcome === 'unknown').flatMap(({ nodes }) => nodes))].filter((name) => !failing.has(name));
}

/** Names of nodes by the isolation of the pods that are there or can land there. */
type Landing = ReadonlyMap<Isolation, ReadonlySet<string>>;

function landingOf(landing: NonNullable<ImageToJudge['landing']>, isolations: readonly Isolation[], windowsNodes: readonly WindowsNode[]): Landing {
  if (landing === 'all') return new Map(isolations.map((isolation) => [isolation, new Set(windowsNodes.map(({ name }) => name))]));
  return new Map([...landing].map(([isolation, lists]) => [isolation, new Set([...lists].flatMap((nodes) => nodes.map(({ name }) => name)))]));
}

function whereUsed(judged: readonly Judged[], landing: Landing): readonly string[] {
  return [...new Set(judged.flatMap(({ isolation, nodes }) => nodes.filter((name) => landing.get(isolation)?.has(name) === true)))];
}

/** Without those that fail it under another isolation, which is known. */
function unknownWhereUsed(judged: readonly Judged[], landing: Landing): readonly string[] {
  const failing = new Set(whereUsed(judged.filter(fails), landing));
  return whereUsed(judged.filter(({ answer }) => answer.outcome === 'unknown'), landing).filter((name) => !failing.has(name));
}

/** A registry's entries for Windows that leave out for which build they are. */
function unknownBases({ platforms, confidence, isHostProcessBase }: ImagePlatforms): readonly string[] {
  const count = confidence !== 'registry' || isHostProcessBase === true ? 0 : platforms.filter(({ os, osVersion }) => os === 'windows' && osVersion === null).length;
  if (count === 0) return [];
  return [count === 1 ? 'an entry for Windows has no os.version: its base is unknown' : `${count} entries for Windows have no os.version: their base is unknown`];
}

/** Whether it is known at which of both it fails: at pull or at start. */
function isPhaseKnown({ outcome, failures, pull }: Answer): boolean {
  return !doesFail(outcome) || (failures.length < 2 && pull !== 'unknown');
}

function judgementOf(outcomes: readonly ImageOutcome[]): ImageJudgement {
  const failing = outcomes.filter(doesFail).length;
  if (failing > 0) return failing === outcomes.length ? 'fails-everywhere' : 'fails-somewhere';
  return outcomes.length === 0 || outcomes.includes('unknown') ? 'unknown' : 'runs-everywhere';
}

function grouped({ image, role = 'container' }: ImageToJudge, judged: readonly Judged[]): readonly ImageVerdict[] {
  const groups = new Map<string, { readonly first: Judged; readonly nodes: string[]; readonly builds: Set<number> }>();
  for (const one of judged) {
    const key = JSON.stringify([one.isolation, one.answer.outcome, one.answer.entries, one.answer.failures, isPhaseKnown(one.answer), one.answer.because]);
    const group = groups.get(key) ?? { first: one, nodes: [], builds: new Set() };
    groups.set(key, group);
    group.nodes.push(...one.nodes);
    for (const build of one.builds) group.builds.add(build);
  }
  return [...groups.values()].map(({ first: { isolation, answer }, nodes, builds }): ImageVerdict => ({
    verdict: answer.outcome, isPhaseKnown: isPhaseKnown(answer), isolation, nodes, builds: [...builds].toSorted((a, b) => a - b), entries: answer.entries, because: answer.because, errorTexts: errorTextsOf(image, role, answer),
  })).toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
}

/**
 * The kubelet's words for what is no reference
 * (https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/image_manager.go, applyDefaultImageTag, read 2026-11-30).
 */
function errorTextsOf(image: string, role: ImageRole, answer: Answer): ImageVerdict['errorTexts'] {
  if (readReference(image).kind === 'invalid') return [{ reason: 'InvalidImageName', message: `Failed to apply default image tag ${JSON.stringify(image)}: couldn't parse image name ${JSON.stringify(image)}` }];
  return imageErrorTexts(image, answer, role);
}

function sizeOf({ platforms, confidence }: ImagePlatforms, reported: number | null): Pick<ImageItem, 'sizeBytes' | 'sizeFrom'> {
  const windows = platforms.filter(({ os }) => os === 'windows');
  const sizes = (windows.length > 0 ? windows : platforms).flatMap(({ sizeBytes }) => sizeBytes ?? []);
  if (confidence === 'registry' && sizes.length > 0) return { sizeBytes: Math.max(...sizes), sizeFrom: 'registry' };
  return { sizeBytes: reported, sizeFrom: reported === null ? null : 'nodes' };
}
