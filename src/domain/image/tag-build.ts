/**
 * The build of Windows that a tag names.
 *
 * Conventions: tags of the base images are the release (`ltsc2022`, `1809`, `20H2`), the release and a KB, or the full version
 * (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility,
 * https://mcr.microsoft.com/v2/windows/servercore/tags/list), images on top of them add these to their own version
 * (`4.8-windowsservercore-ltsc2019`, https://github.com/docker-library/official-images#multiple-architectures). Read 2026-11-30.
 */
import { CLIENT_BUILDS, SERVER_RELEASES } from '../windows/releases.ts';

export interface TagReading {
  readonly build: number | null;
  /** Fourth number, where the tag gives it. */
  readonly revision: number | null;
  /** OS that the tag names by word (`nanoserver`, `windows`, `alpine`) or by build; null where it names none, or both. */
  readonly os: 'windows' | 'linux' | null;
  /** `amd64` where the tag ends with it: such tags are of one image, not of an index. */
  readonly architecture: string | null;
  /** Whether the build is read from digits that may mean something else (`app:1.0-1909`). */
  readonly isGuess: boolean;
  /** Part of the tag that says so, as written; null where nothing does. */
  readonly text: string | null;
}

/** Words before which a release means one of Windows: `windows-1809`, `nanoserver-1809`, `win-2022`. */
const WINDOWS_WORDS = new Set(['windows', 'win', 'windowsserver', 'winserver', 'windowsservercore', 'servercore', 'nanoserver', 'windowsnanoserver', 'wcow']);
/** Words that say Windows by themselves. */
const NAMES_WINDOWS = new Set(['windows', 'win', 'windowsserver', 'winserver', 'windowsservercore', 'servercore', 'nanoserver', 'windowsnanoserver', 'wcow', 'hostprocess']);
const NAMES_LINUX = /^(?:linux|lcow|alpine[\d.]*|debian[\d.]*|ubuntu[\d.]*|bullseye|bookworm|trixie|buster|stretch|jessie|focal|jammy|noble|bionic|xenial|centos[\d.]*|rhel[\d.]*|ubi[\d.]*|fedora[\d.]*|amazonlinux[\d.]*|al2023|azurelinux[\d.]*|mariner[\d.]*|distroless|musl|glibc|buildroot)$/;
const ARCHITECTURES: Readonly<Record<string, string>> = { amd64: 'amd64', x64: 'amd64', x86_64: 'amd64', arm64: 'arm64', arm64v8: 'arm64', aarch64: 'arm64' };
const YEARS: Readonly<Record<string, number>> = { 2016: 14393, 2019: 17763, 2022: 20348, 2025: 26100 };
/** Releases as tags name them. */
const BUILD_OF_RELEASE: ReadonlyMap<string, number> = new Map([
  ['1607', 14393], ['1809', 17763],
  ...SERVER_RELEASES.flatMap(({ release, build }): readonly (readonly [string, number])[] => (/^\d{4}$|^20H2$/.test(release) ? [[release.toLowerCase(), build]] : [])),
]);
/** Years and versions of other things too: these count after a word for Windows only. */
const AMBIGUOUS_RELEASES = new Set(['2004', '1607']);
const KNOWN_BUILDS: ReadonlySet<number> = new Set([...SERVER_RELEASES, ...CLIENT_BUILDS].map(({ build }) => build));

interface NamedBuild {
  readonly build: number;
  readonly revision: number | null;
  readonly isGuess: boolean;
  readonly text: string;
}

/** `isForWindows`: whether the repository is known, or says itself, to hold images for Windows, so that a bare release is no guess. */
export function readTag(tag: string, isForWindows: boolean): TagReading {
  const tokens = tag.split(/[-_+]/);
  const lower = tokens.map((token) => token.toLowerCase());
  const named = lower.flatMap((_, index) => buildAt(lower, tokens, index, isForWindows));
  const sure = named.filter(({ isGuess }) => !isGuess);
  const found = sure.length > 0 ? sure : named;
  const isOne = new Set(found.map(({ build }) => build)).size === 1;
  // The text with a revision says most.
  const best = isOne ? found.find(({ revision }) => revision !== null) ?? found[0] : undefined;

  const isWindows = best?.isGuess === false || lower.some((token) => NAMES_WINDOWS.has(token)) || sure.length > 0;
  const isLinux = lower.some((token) => NAMES_LINUX.test(token));
  const last = lower.at(-1) ?? '';
  return {
    build: best?.build ?? null,
    revision: best?.revision ?? null,
    os: isWindows === isLinux ? null : isWindows ? 'windows' : 'linux',
    architecture: Object.hasOwn(ARCHITECTURES, last) ? ARCHITECTURES[last] ?? null : null,
    isGuess: best?.isGuess ?? false,
    text: best?.text ?? null,
  };
}

function buildAt(lower: readonly string[], tokens: readonly string[], index: number, isForWindows: boolean): readonly NamedBuild[] {
  const token = lower[index] ?? '';
  const text = tokens[index] ?? '';
  const before = lower[index - 1] ?? '';
  const after = lower[index + 1] ?? '';

  const version = /^10\.0\.(\d{5})(?:\.(\d{1,6}))?$/.exec(token);
  if (version !== null) {
    const build = Number(version[1]);
    // .NET counts 10.0.x too, with three digits at most; a build that no table has needs its revision to be believed.
    return KNOWN_BUILDS.has(build) || (build > 14393 && version[2] !== undefined) ? [{ build, revision: version[2] === undefined ? null : Number(version[2]), isGuess: false, text }] : [];
  }

  const ltsc = /^(?:[a-z]*?)ltsc(20\d\d)$/.exec(token)?.[1];
  if (ltsc !== undefined) return namedBuild(YEARS[ltsc], false, text);

  const release = BUILD_OF_RELEASE.get(token);
  if (release !== undefined) {
    if (isForWindows || WINDOWS_WORDS.has(before) || /^kb\d{6,}$/.test(after)) return namedBuild(release, false, WINDOWS_WORDS.has(before) ? `${tokens[index - 1] ?? ''}-${text}` : text);
    if (token === '20h2') return namedBuild(release, false, text);
    // A number in the middle of others is a version or a date.
    const isLast = index === tokens.length - 1 || Object.hasOwn(ARCHITECTURES, after);
    return AMBIGUOUS_RELEASES.has(token) || !isLast || lower.some((one) => NAMES_LINUX.test(one)) ? [] : namedBuild(release, true, text);
  }

  const joined = /^(windows|win|ws|windowsserver|winserver|windowsservercore|servercore|nanoserver|nano)(\d{4}|20h2)$/.exec(token);
  if (joined !== null) {
    const build = YEARS[joined[2] ?? ''] ?? BUILD_OF_RELEASE.get(joined[2] ?? '');
    return namedBuild(build, false, text);
  }

  // `windows-2019`, but not the date `windows-2019-08-12`.
  if (Object.hasOwn(YEARS, token) && WINDOWS_WORDS.has(before) && !(/^\d\d$/.test(after) && /^\d\d$/.test(lower[index + 2] ?? ''))) {
    return namedBuild(YEARS[token], false, `${tokens[index - 1] ?? ''}-${text}`);
  }
  return [];
}

function namedBuild(build: number | undefined, isGuess: boolean, text: string): readonly NamedBuild[] {
  return build === undefined ? [] : [{ build, revision: null, isGuess, text }];
}
