/** What becomes of an image on a Windows node (product.md question 3): the runtime's rule at pull, the kernel's at start. */
import {
  MATCHER_ERAS, STABLE_ABI_BUILDS, matcherEra, parseContainerdVersion, parseOsVersion, possibleEntries, startsOnHost, type ContainerdVersion, type MatcherEra,
} from '../windows/containerd.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { ImagePlatform, ImagePlatforms } from './image-platforms.ts';

export type Isolation = 'process' | 'host-process';

export type ImageOutcome = 'runs' | 'runs-down-level' | 'fails-at-pull' | 'fails-at-start' | 'unknown';

/** no-match: containerd finds no entry at pull. other-build: the kernel refuses the build at start. other: another OS or architecture, or no Windows in it. */
export type ImageFailure = 'no-match' | 'other-build' | 'other';

export interface ImageHost {
  /** null when not known. */
  readonly build: number | null;
  readonly revision: number | null;
  /** null when not known, as for other runtimes than containerd. */
  readonly containerd: ContainerdVersion | null;
  /** `amd64` when null. */
  readonly architecture?: string | null;
}

export interface ImageOnNode {
  readonly outcome: ImageOutcome;
  readonly pull: 'ok' | 'no-match' | 'unknown';
  readonly start: 'ok' | 'mismatch' | 'unknown';
  /** os.version of what is pulled, '' for an entry without one; of several that one version may take, that of its Default(). null when it is not known or nothing is. */
  readonly entry: string | null;
  /** All that a pull may take; several where the version or the order is not known. */
  readonly entries: readonly string[];
  /** Why it fails; several where it is not known whether that is at pull or at start, none where it does not fail. */
  readonly failures: readonly ImageFailure[];
  /** image: nothing in it fits the host. runtime: the host could run it, its containerd does not take it. null: nothing fails. */
  readonly blame: 'image' | 'runtime' | null;
  /** Whether what is pulled has a higher revision than the host within one build. */
  readonly isNewerRevision: boolean;
  /** One clause. */
  readonly because: string;
}

/** First host build that starts HostProcess containers (https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/, read 2026-11-30). */
const FIRST_HOST_PROCESS_BUILD = 17763;

const NEWEST_SERVER_BUILD = Math.max(...STABLE_ABI_BUILDS);

export function hostOfNode(node: WindowsNode): ImageHost {
  const runtime = node.containerRuntime;
  return {
    build: node.build, revision: node.revision, architecture: node.architecture,
    containerd: runtime?.name === 'containerd' ? parseContainerdVersion(runtime.version) : null,
  };
}

export function imageOnNode(platforms: ImagePlatforms, host: ImageHost, isolation: Isolation): ImageOnNode {
  const answer = byPlatforms(platforms, host, isolation);
  if (isolation === 'process' && isSeenOn(platforms, host.build)) return seenRunning(answer, host.build);
  // What was seen running may hold more than was seen of it.
  return platforms.isPartial === true && doesFail(answer.outcome) ? unknown(platforms.because) : answer;
}

function isSeenOn({ seenOn = [] }: ImagePlatforms, build: number | null): build is number {
  return build !== null && seenOn.includes(build);
}

function seenRunning(answer: ImageOnNode, build: number): ImageOnNode {
  const because = `containers of it run on nodes of build ${build}`;
  if (answer.outcome === 'runs' || answer.outcome === 'runs-down-level') return { ...answer, because };
  return { outcome: 'runs', pull: 'ok', start: 'ok', entry: null, entries: answer.entries, failures: [], blame: null, isNewerRevision: false, because };
}

/** Whether it does not run there. */
export function doesFail(outcome: ImageOutcome): boolean {
  return outcome === 'fails-at-pull' || outcome === 'fails-at-start';
}

function byPlatforms(platforms: ImagePlatforms, host: ImageHost, isolation: Isolation): ImageOnNode {
  if (platforms.platforms.length === 0) {
    return isolation === 'host-process' && platforms.os !== 'linux' ? unknown(platforms.because, { start: 'ok' }) : unknown(platforms.because);
  }
  if (platforms.shape === 'manifest') return manifestOnNode(platforms, host, isolation);
  const fitting = platforms.platforms.filter((platform) => platform.os === 'windows' && fitsArchitecture(platform, host));
  if (fitting.length === 0) return noWindows(platforms);
  if (host.build === null) return unknown('the build of the node is not known');
  return platforms.shape === 'index' ? indexOnNode(platforms, fitting, host, host.build, isolation) : unknownShapeOnNode(platforms, fitting, host, host.build, isolation);
}

/** Whether a build of Windows can run any of what an image holds, whatever the runtime; null when that is not known. */
export function buildRunsImage(platforms: ImagePlatforms, build: number): boolean | null {
  const versions = platforms.platforms.filter(({ os }) => os === 'windows').map(({ osVersion }) => osVersion);
  if (isSeenOn(platforms, build)) return true;
  if (platforms.platforms.length === 0) return null;
  const fails = platforms.isPartial === true ? null : false;
  if (versions.length === 0) return fails;
  if (versions.includes(null)) return null;
  const starts = versions.map((version) => startOf(version ?? '', { build, revision: null }, 'process'));
  return starts.includes('ok') ? true : starts.includes('unknown') ? null : fails;
}

function indexOnNode(platforms: ImagePlatforms, fitting: readonly ImagePlatform[], host: ImageHost, build: number, isolation: Isolation): ImageOnNode {
  const hostVersion = `10.0.${build}.${host.revision ?? 0}`;
  const versions = fitting.map(({ osVersion }) => osVersion ?? '');
  const answers = erasOf(host).map((era) => entriesOf(era, hostVersion, versions, platforms.confidence === 'tag'));
  const entries = [...new Set(answers.flat())];
  if (entries.length === 0) {
    const couldStart = versions.some((version) => startOf(version, { build, revision: host.revision }, 'process') !== 'mismatch');
    return {
      outcome: 'fails-at-pull', pull: 'no-match', start: 'unknown', entry: null, entries: [], failures: ['no-match'], blame: couldStart ? 'runtime' : 'image', isNewerRevision: false,
      because: `it holds ${listed(versions)}, ${couldStart ? `which the containerd of a node of build ${build} does not take` : `and a node of build ${build} finds nothing to pull in it`}`,
    };
  }
  const pull = answers.every((answer) => answer.length > 0) ? 'ok' : 'unknown';
  const starts = new Set(entries.map((entry) => startOf(entry, { build, revision: host.revision }, isolation)));
  const start = starts.size === 1 ? [...starts][0] ?? 'unknown' : 'unknown';
  return result({ pull, start, entries, isOrderKnown: entries.length === 1 || (answers.length === 1 && platforms.confidence !== 'tag'), host, build, isolation, platforms });
}

/** Pulled unseen: containerd does not look at the platform of a single manifest (core/images/image.go of v2.1.6, Manifest; read 2026-11-30). */
function manifestOnNode(platforms: ImagePlatforms, host: ImageHost, isolation: Isolation): ImageOnNode {
  const [platform] = platforms.platforms;
  const entry = platform?.osVersion ?? '';
  const failing = (pull: ImageOnNode['pull'], because: string): ImageOnNode => (
    { outcome: 'fails-at-start', pull, start: 'mismatch', entry, entries: [entry], failures: ['other'], blame: 'image', isNewerRevision: false, because }
  );
  // Layers for Linux cannot be unpacked on Windows, which belongs to the pull or to the start, depending on who pulls
  // (https://github.com/microsoft/hcsshim/issues/2226, https://github.com/containerd/containerd/issues/9071, read 2026-11-30).
  if (platform !== undefined && platform.os !== 'windows') return failing('unknown', `it is an image for ${platform.os}: its layers cannot be unpacked on Windows`);
  if (platforms.isHostProcessBase === true && isolation === 'process') return failing('ok', 'it holds no Windows');
  if (platform !== undefined && platform.architecture !== '' && platforms.isHostProcessBase !== true && !fitsArchitecture(platform, host)) return failing('ok', `it is an image for ${platform.os}/${platform.architecture}`);
  if (host.build === null) return { ...unknown('the build of the node is not known'), pull: 'ok', entry, entries: [entry] };
  return result({ pull: 'ok', start: startOf(entry, { build: host.build, revision: host.revision }, isolation), entries: [entry], isOrderKnown: true, host, build: host.build, isolation, platforms });
}

/** A tag names a build, and not whether it is an index: an index would be refused at pull, a manifest at start. */
function unknownShapeOnNode(platforms: ImagePlatforms, fitting: readonly ImagePlatform[], host: ImageHost, build: number, isolation: Isolation): ImageOnNode {
  const versions = fitting.map(({ osVersion }) => osVersion ?? '');
  const answers = erasOf(host).map((era) => entriesOf(era, `10.0.${build}.${host.revision ?? 0}`, versions, true));
  const starts = new Set(versions.map((version) => startOf(version, { build, revision: host.revision }, isolation)));
  const start = starts.size === 1 ? [...starts][0] ?? 'unknown' : 'unknown';
  const pull = answers.every((answer) => answer.length > 0) ? 'ok' : 'unknown';
  return result({ pull, start, entries: start === 'mismatch' ? [] : versions, isOrderKnown: versions.length === 1, host, build, isolation, platforms });
}

interface Answer {
  readonly pull: 'ok' | 'unknown';
  readonly start: ImageOnNode['start'];
  readonly entries: readonly string[];
  readonly isOrderKnown: boolean;
  readonly host: ImageHost;
  readonly build: number;
  readonly isolation: Isolation;
  readonly platforms: ImagePlatforms;
}

function result({ pull, start, entries, isOrderKnown, host, build, isolation, platforms }: Answer): ImageOnNode {
  const parsed = entries.map((entry) => parseOsVersion(entry));
  const isDownLevel = isolation === 'process' && parsed.length > 0 && parsed.every((version) => version !== null && version.build < build);
  const common = {
    pull, start, entries, failures: [], entry: isOrderKnown ? entries[0] ?? null : null,
    isNewerRevision: host.revision !== null && parsed.length > 0 && parsed.every((version) => version !== null && version.build === build && (version.revision ?? 0) > (host.revision ?? 0)),
  };
  if (start === 'mismatch') {
    const held = listed(platforms.platforms.filter(({ os }) => os === 'windows').map(({ osVersion }) => osVersion ?? ''));
    const failures: readonly ImageFailure[] = isolation === 'host-process' ? ['other'] : platforms.shape === 'unknown' ? ['no-match', 'other-build'] : ['other-build'];
    return { ...common, outcome: 'fails-at-start', failures, blame: 'image', because: isolation === 'host-process' ? `build ${build} has no HostProcess containers` : `an image of ${held} does not start on build ${build}` };
  }
  if (pull === 'unknown' || start === 'unknown') return { ...common, outcome: 'unknown', blame: null, because: platforms.because };
  return isDownLevel
    ? { ...common, outcome: 'runs-down-level', blame: null, because: `build ${build} runs images of ${listed(entries)}` }
    : { ...common, outcome: 'runs', blame: null, because: isolation === 'host-process' ? 'HostProcess containers need no build of their own' : runsBecause(platforms, entries) };
}

function runsBecause({ confidence, because }: ImagePlatforms, entries: readonly string[]): string {
  if (confidence === 'tag') return `${because}, which is the node's`;
  return entries.length > 1 ? `the node's containerd may take any of ${listed(entries)}` : `it holds ${listed(entries)}`;
}

function noWindows(platforms: ImagePlatforms): ImageOnNode {
  const isSure = platforms.shape === 'index';
  const systems = [...new Set(platforms.platforms.filter(({ os }) => os !== 'unknown').map(({ os, architecture }) => `${os}/${architecture}`))];
  return {
    outcome: isSure ? 'fails-at-pull' : 'unknown', pull: isSure ? 'no-match' : 'unknown', start: 'unknown', entry: null, entries: [], failures: isSure ? ['no-match'] : [], blame: isSure ? 'image' : null, isNewerRevision: false,
    because: systems.length === 0 ? 'it holds no image' : `it holds ${systems.join(', ')} only`,
  };
}

function unknown(because: string, more: Partial<Pick<ImageOnNode, 'start'>> = {}): ImageOnNode {
  return { outcome: 'unknown', pull: 'unknown', start: 'unknown', entry: null, entries: [], failures: [], blame: null, isNewerRevision: false, because, ...more };
}

/** The era of a known version; all that Kubernetes runs on Windows where it is not known. */
function erasOf(host: ImageHost): readonly MatcherEra[] {
  const era = matcherEra(host.containerd);
  return era === null ? MATCHER_ERAS : [era];
}

function entriesOf(era: MatcherEra, hostVersion: string, versions: readonly string[], isUnordered: boolean): readonly string[] {
  // Without an order any of those that match may come first.
  return isUnordered ? versions.filter((version) => possibleEntries(era, hostVersion, [version]).length > 0) : possibleEntries(era, hostVersion, versions);
}

function startOf(osVersion: string, host: { readonly build: number; readonly revision: number | null }, isolation: Isolation): ImageOnNode['start'] {
  if (isolation === 'host-process') return host.build >= FIRST_HOST_PROCESS_BUILD ? 'ok' : 'mismatch';
  const version = parseOsVersion(osVersion);
  if (version === null) return 'unknown';
  const starts = startsOnHost(host, version);
  // Newer than every server release: clients, where images of older builds were seen to fail (https://github.com/microsoft/hcsshim/issues/2566, read 2026-11-30).
  if (starts === true && version.build !== host.build && host.build > NEWEST_SERVER_BUILD) return 'unknown';
  return starts === null ? 'unknown' : starts ? 'ok' : 'mismatch';
}

/** An entry without an architecture fits no host (Normalize leaves it empty: https://github.com/containerd/platforms/blob/v1.0.0-rc.5/database.go, read 2026-11-30). */
function fitsArchitecture({ architecture }: ImagePlatform, host: ImageHost): boolean {
  return architecture === (host.architecture ?? 'amd64');
}

function listed(versions: readonly string[]): string {
  return [...new Set(versions.map((version) => (version === '' ? 'no os.version' : version)))].join(', ');
}
