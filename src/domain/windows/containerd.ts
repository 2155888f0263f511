/**
 * How containerd decides, on a Windows node, whether an image entry may be pulled and which of several it takes.
 *
 * Read in the sources of each release tag (platforms/defaults_windows.go, the vendored github.com/containerd/platforms
 * and its go.mod version; https://github.com/containerd/containerd, read 2026-11-30) and checked against the answers of
 * the real code of containerd 1.7.5, 1.7.6, 1.7.27 and platforms v1.0.0-rc.1 to rc.5.
 * Only major, minor and build are compared; the revision never is.
 */

export interface ContainerdVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `rc.1`, `beta.0`; vendors' suffixes (`+azure`, `-k3s2`, `+unknown`) are none. */
  readonly preRelease: string | null;
}

/** Reads `2.0.4+azure`, `v1.7.11-k3s2`, `1.6.0-rc.1`; null for what is no version. */
export function parseContainerdVersion(text: string): ContainerdVersion | null {
  const match = /^v?(\d{1,4})\.(\d{1,4})\.(\d{1,6})(?:-((?:alpha|beta|rc)[0-9A-Za-z.]*))?(?![0-9])/.exec(text.trim());
  if (match === null) return null;
  const [, major, minor, patch, preRelease] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), preRelease: preRelease ?? null };
}

/** Release line: `1.7`. */
export function containerdLine(version: ContainerdVersion): string {
  return `${version.major}.${version.minor}`;
}

/** Numbers first; a pre-release comes before its release. Two pre-releases of one patch compare as equal. */
export function compareContainerdVersions(a: ContainerdVersion, b: ContainerdVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch || Number(a.preRelease === null) - Number(b.preRelease === null);
}

/**
 * Which builds a host takes, up to its own. exact: only its own. first-ltsc: from 20348 on. newest-ltsc: from the newest
 * LTSC that is older than the host. previous-ltsc: from the LTSC before the host's own generation. The last three differ
 * only for hosts newer than 26100; all are `exact` for hosts older than 20348.
 */
export type BuildRule = 'exact' | 'first-ltsc' | 'newest-ltsc' | 'previous-ltsc';

/** index: the first in the index's order. newest: descending comparison of os.version as text. revision: highest fourth number. */
export type EntryChoice = 'index' | 'newest' | 'revision';

export interface MatcherEra {
  /** Major, minor and patch of the first release of the era; its pre-releases belong to the row before. */
  readonly since: readonly [major: number, minor: number, patch: number];
  /** The row is that of the pre-releases of `since`, where these are not like the row before. */
  readonly preReleases?: true;
  readonly builds: BuildRule;
  /** Ways in which a pull can choose among the entries that match; more than one where two code paths differ. */
  readonly choices: readonly EntryChoice[];
  /** Whether an entry without os.version matches. */
  readonly emptyOsVersion: boolean;
  readonly source: string;
  readonly asOf: string;
}

const TREE = 'https://github.com/containerd/containerd/tree';

/**
 * Ascending. Each line of releases is a history of its own (1.6.23 is younger than 1.7.0), so the era of a version is the
 * last row that is not newer than it, and every line has a row of its own from its first release on.
 */
export const MATCHER_ERAS = [
  // Before 1.6 the Windows matcher is that of 1.6.0 at best; no Kubernetes that supports containerd on Windows is older.
  { since: [1, 0, 0], builds: 'exact', choices: ['revision'], emptyOsVersion: false, source: `${TREE}/v1.5.18/platforms`, asOf: '2026-11-30' },
  { since: [1, 6, 0], builds: 'exact', choices: ['revision'], emptyOsVersion: false, source: `${TREE}/v1.6.17/platforms`, asOf: '2026-11-30' },
  { since: [1, 6, 18], builds: 'exact', choices: ['revision'], emptyOsVersion: true, source: `${TREE}/v1.6.18/platforms`, asOf: '2026-11-30' },
  { since: [1, 6, 23], builds: 'first-ltsc', choices: ['revision'], emptyOsVersion: true, source: `${TREE}/v1.6.23/platforms`, asOf: '2026-11-30' },
  { since: [1, 7, 0], builds: 'exact', choices: ['index'], emptyOsVersion: true, source: `${TREE}/v1.7.5/platforms`, asOf: '2026-11-30' },
  { since: [1, 7, 6], builds: 'first-ltsc', choices: ['index'], emptyOsVersion: true, source: `${TREE}/v1.7.6/platforms`, asOf: '2026-11-30' },
  { since: [2, 0, 0], builds: 'first-ltsc', choices: ['index'], emptyOsVersion: true, source: `${TREE}/v2.0.4/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
  { since: [2, 1, 0], builds: 'first-ltsc', choices: ['index'], emptyOsVersion: true, source: `${TREE}/v2.1.5/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
  // Default() prefers the newest from here on; the transfer service, which CRI may pull with, uses Only() and keeps the index order.
  { since: [2, 1, 6], builds: 'newest-ltsc', choices: ['newest', 'index'], emptyOsVersion: true, source: `${TREE}/v2.1.6/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
  { since: [2, 2, 0], builds: 'newest-ltsc', choices: ['newest', 'index'], emptyOsVersion: true, source: `${TREE}/v2.2.0/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
  { since: [2, 3, 0], builds: 'newest-ltsc', choices: ['newest', 'index'], emptyOsVersion: true, source: `${TREE}/v2.3.4/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
  // platforms v1.0.0-rc.5 by go.mod: 2.3.5 (2026-09-04), 2.3.7 and 2.4.0 to 2.4.2. Not by 2.3.4 (rc.4), nor by 2.2.6, 2.2.9 and 2.1.9 (rc.2).
  { since: [2, 3, 5], builds: 'previous-ltsc', choices: ['newest', 'index'], emptyOsVersion: true, source: `${TREE}/v2.3.5/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
  // v2.4.0-beta.0 was tagged before main took rc.5 over (2026-08-20).
  { since: [2, 4, 0], preReleases: true, builds: 'newest-ltsc', choices: ['newest', 'index'], emptyOsVersion: true, source: `${TREE}/v2.4.0-beta.0/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
  { since: [2, 4, 0], builds: 'previous-ltsc', choices: ['newest', 'index'], emptyOsVersion: true, source: `${TREE}/v2.4.2/vendor/github.com/containerd/platforms`, asOf: '2026-11-30' },
] as const satisfies readonly MatcherEra[];

/** LTSC builds with a stable container ABI, ascending; hosts older than the first accept their own build only. */
export const STABLE_ABI_BUILDS = [20348, 26100] as const;

/** Null when the version is not known: the caller then has to reckon with what every era would do. */
export function matcherEra(version: ContainerdVersion | null, eras: readonly MatcherEra[] = MATCHER_ERAS): MatcherEra | null {
  if (version === null) return null;
  return eras.findLast(({ since: [major, minor, patch], preReleases }) => compareContainerdVersions({ major, minor, patch, preRelease: preReleases === true ? '' : null }, version) <= 0) ?? null;
}

/** Whether a container of `imageBuild` is compatible with a host of `hostBuild` by a rule. */
export function buildMatches(rule: BuildRule, hostBuild: number, imageBuild: number, ltsc: readonly number[] = STABLE_ABI_BUILDS): boolean {
  const first = ltsc[0];
  if (rule === 'exact' || first === undefined || hostBuild < first) return hostBuild === imageBuild;
  return floorOf(rule, hostBuild, first, ltsc) <= imageBuild && imageBuild <= hostBuild;
}

function floorOf(rule: Exclude<BuildRule, 'exact'>, hostBuild: number, first: number, ltsc: readonly number[]): number {
  switch (rule) {
    case 'first-ltsc':
      return first;
    case 'newest-ltsc':
      return ltsc.findLast((build) => build < hostBuild) ?? first;
    case 'previous-ltsc': {
      const newest = ltsc.findLastIndex((build) => build <= hostBuild);
      return ltsc[Math.max(newest - 1, 0)] ?? first;
    }
  }
}

/** An os.version in numbers; null when it has no major, minor and build. The revision is null in a three-part text. */
export interface WindowsVersion {
  readonly major: number;
  readonly minor: number;
  readonly build: number;
  readonly revision: number | null;
}

export function parseOsVersion(text: string): WindowsVersion | null {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:\.(.*))?$/s.exec(text);
  if (match === null) return null;
  const [, major, minor, build, rest] = match;
  // containerd reads them as 8, 8 and 16 bits, and takes what does not fit for unreadable.
  if (Number(major) > 0xff || Number(minor) > 0xff || Number(build) > 0xffff) return null;
  return { major: Number(major), minor: Number(minor), build: Number(build), revision: rest !== undefined && /^\d{1,9}$/.test(rest) ? Number(rest) : null };
}

/**
 * Whether an index entry with this os.version ('' = none) passes the platform matcher of an era on a host (`10.0.26100.4061`).
 * As in containerd, a host version that is empty or cannot be read (all of it 0 too) matches every entry: whoever does
 * not know the host must not ask (windowsVersionMatcher.Match of
 * https://github.com/containerd/platforms/blob/v1.0.0-rc.5/platform_windows_compat.go, read 2026-11-30).
 */
export function entryMatches(era: MatcherEra, hostOsVersion: string, entryOsVersion: string): boolean {
  const host = parseOsVersion(hostOsVersion);
  if (host === null || host.major + host.minor + host.build === 0) return true;
  if (entryOsVersion === '') return era.emptyOsVersion;
  const entry = parseOsVersion(entryOsVersion);
  if (entry === null) return false;
  return host.major === entry.major && host.minor === entry.minor && buildMatches(era.builds, host.build, entry.build);
}

/**
 * The entries of an index that a pull may take, in the order of the era's choices and without repetition: one where all
 * code paths agree, none when nothing matches.
 */
export function possibleEntries(era: MatcherEra, hostOsVersion: string, entryOsVersions: readonly string[]): readonly string[] {
  const matching = entryOsVersions.filter((entry) => entryMatches(era, hostOsVersion, entry));
  return [...new Set(era.choices.map((choice) => chooseEntry(choice, matching)).filter((entry) => entry !== null))];
}

/** What one way of choosing puts first; null for an empty list. */
export function chooseEntry(choice: EntryChoice, matching: readonly string[]): string | null {
  switch (choice) {
    case 'index':
      return matching[0] ?? null;
    case 'newest':
      return matching.toSorted((a, b) => compareAsGo(b, a))[0] ?? null;
    case 'revision':
      return matching.toSorted((a, b) => (parseOsVersion(b)?.revision ?? 0) - (parseOsVersion(a)?.revision ?? 0))[0] ?? null;
  }
}

/** Go compares text byte by byte in UTF-8, which is the order of code points; `<` here compares halves of UTF-16. */
function compareAsGo(a: string, b: string): number {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0);
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0);
  const place = left.findIndex((point, index) => point !== right[index]);
  return place === -1 ? left.length - right.length : (left[place] ?? 0) - (right[place] ?? -1);
}

/**
 * Whether a container of a build can start on a host under process isolation: the rule of the kernel, which no runtime
 * can widen. Server 2016 compares revisions too, so its answer is unknown (null) without both.
 * https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility, read 2026-11-30.
 */
export function startsOnHost(host: Pick<WindowsVersion, 'build' | 'revision'>, image: Pick<WindowsVersion, 'build' | 'revision'>): boolean | null {
  if (!buildMatches('previous-ltsc', host.build, image.build)) return false;
  if (host.build !== REVISION_BOUND_BUILD) return true;
  return host.revision === null || image.revision === null ? null : host.revision === image.revision;
}

/** Windows Server 2016: host and image must have the same revision as well. */
const REVISION_BOUND_BUILD = 14393;

/** Support of one containerd release line by its maintainers. */
export interface ContainerdLifecycle {
  readonly line: string;
  readonly released: string;
  /** Last day; where the project names a month only, the month's last day. */
  readonly end: string;
  readonly note: string | null;
  readonly source: string;
  readonly asOf: string;
}

const RELEASES = 'https://github.com/containerd/containerd/blob/v2.4.2/RELEASES.md#current-state-of-containerd-releases';
const GKE_ONLY = 'extended support, focused on what Google Kubernetes Engine needs';

/** Ascending by line. */
export const CONTAINERD_LIFECYCLES = [
  { line: '1.0', released: '2017-12-05', end: '2018-12-05', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '1.1', released: '2018-04-23', end: '2019-10-23', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '1.2', released: '2018-10-24', end: '2020-10-15', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '1.3', released: '2019-09-26', end: '2021-03-04', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '1.4', released: '2020-08-17', end: '2022-03-03', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '1.5', released: '2021-05-03', end: '2023-02-28', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '1.6', released: '2022-02-15', end: '2025-08-23', note: null, source: RELEASES, asOf: '2026-11-30' },
  // By all maintainers until 2026-03-10; two of them supported it further, for GKE with Kubernetes 1.30 to 1.32.
  { line: '1.7', released: '2023-03-10', end: '2026-09-30', note: GKE_ONLY, source: RELEASES, asOf: '2026-11-30' },
  // By all maintainers until 2025-11-07 (the date of older tables); two of them support it further, for GKE with Kubernetes 1.33.
  { line: '2.0', released: '2024-11-05', end: '2027-03-31', note: GKE_ONLY, source: RELEASES, asOf: '2026-11-30' },
  { line: '2.1', released: '2025-05-07', end: '2026-07-03', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '2.2', released: '2025-11-05', end: '2026-11-06', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '2.3', released: '2026-04-30', end: '2028-04-30', note: null, source: RELEASES, asOf: '2026-11-30' },
  { line: '2.4', released: '2026-09-16', end: '2027-05-16', note: null, source: RELEASES, asOf: '2026-11-30' },
] as const satisfies readonly ContainerdLifecycle[];

/** Support of the line a version belongs to; null for a line that is not in the table. */
export function containerdLifecycle(version: ContainerdVersion, table: readonly ContainerdLifecycle[] = CONTAINERD_LIFECYCLES): ContainerdLifecycle | null {
  return table.find((row) => row.line === containerdLine(version)) ?? null;
}
