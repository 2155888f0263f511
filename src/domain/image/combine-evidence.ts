/** One answer from all that is known of an image: registry, then what was seen running, then its tag. The strongest wins, and contradictions are told. */
import { listText } from '../list-text.ts';
import { parseOsVersion } from '../windows/containerd.ts';
import { buildRunsImage } from './image-on-node.ts';
import type { ImagePlatforms } from './image-platforms.ts';

export interface ImageEvidenceParts {
  /** What the registry says; null where it was not asked, or did not tell. */
  readonly registry: ImagePlatforms | null;
  /** Why the registry did not tell, one clause; null where it was not asked, or told. `isMissing`: it says that there is no such image. */
  readonly registryProblem: { readonly message: string; readonly isMissing: boolean } | null;
  /** What running pods prove; null for nothing. */
  readonly live: ImagePlatforms | null;
  /** Digests of containers that were seen running on a build. */
  readonly digestsOn?: (build: number) => readonly string[];
  /** What its name says. */
  readonly tag: ImagePlatforms;
}

export function combineEvidence({ registry, registryProblem, live, digestsOn, tag }: ImageEvidenceParts): ImagePlatforms {
  if (registry !== null) return withNotes(provenBy(registry, live, digestsOn), [...tagAgainst(registry, tag), ...liveAgainstRegistry(registry, live, digestsOn)]);
  if (registryProblem === null) return withoutRegistry(live, tag, []);
  const { message, isMissing } = registryProblem;
  // What is not there runs nowhere, whatever its name says; what runs was there once, and is on these nodes still.
  if (isMissing && live === null) return { shape: 'none', confidence: 'unknown', platforms: [], os: tag.os, because: message, missing: message, wasAsked: true };
  return { ...withoutRegistry(live, isMissing ? NAMELESS : tag, [message]), wasAsked: true, ...(isMissing ? { missing: message } : {}) };
}

const NAMELESS: ImagePlatforms = { shape: 'none', confidence: 'unknown', platforms: [], os: null, because: 'there is no such image' };

function withoutRegistry(live: ImagePlatforms | null, tag: ImagePlatforms, problem: readonly string[]): ImagePlatforms {
  if (live === null) return tag.platforms.length > 0 || problem.length === 0 ? withNotes(tag, problem) : { ...tag, because: [tag.because, ...problem].join(', and ') };
  const refuted = (live.seenOn ?? []).filter((build) => buildRunsImage(tag, build) === false);
  // Where both hold the tag tells of the builds on which nothing runs yet.
  const confirmed = refuted.length > 0 || tag.platforms.length === 0 ? null : tag.isGuess === true ? confirmedGuess(tag, live) : tag;
  if (confirmed !== null) return withNotes({ ...confirmed, seenOn: live.seenOn ?? [] }, [live.because, ...problem]);
  return withNotes(live, [...(refuted.length > 0 && tag.isGuess !== true ? [`${tag.because}, which does not run there`] : []), ...problem]);
}

/** A guess that containers of the very build bear out is none any more; null where they leave it open. */
function confirmedGuess(tag: ImagePlatforms, live: ImagePlatforms): ImagePlatforms | null {
  const seen = windowsBuildsOf(live);
  if (!windowsBuildsOf(tag).some((build) => seen.includes(build))) return null;
  const { isGuess: _, ...rest } = tag;
  return { ...rest, os: 'windows', because: `the tag means build ${windowsBuildsOf(tag).map((build) => `10.0.${build}`).join(', ')}` };
}

/** The builds of Windows among an image's platforms, ascending, without repetition. */
export function windowsBuildsOf({ platforms }: Pick<ImagePlatforms, 'platforms'>): readonly number[] {
  const builds = platforms.flatMap(({ os, osVersion }) => (os === 'windows' && osVersion !== null ? parseOsVersion(osVersion)?.build ?? [] : []));
  return [...new Set(builds)].toSorted((a, b) => a - b);
}

function tagAgainst(registry: ImagePlatforms, tag: ImagePlatforms): readonly string[] {
  if (tag.isGuess === true) return [];
  const named = windowsBuildsOf(tag);
  const held = windowsBuildsOf(registry);
  if (named.length === 0 || named.some((build) => held.includes(build)) || registry.isHostProcessBase === true) return [];
  const hasWindows = registry.platforms.some(({ os }) => os === 'windows');
  // Entries without os.version may be of any build.
  if (hasWindows && held.length === 0) return [];
  return [`${tag.because}, and the registry holds ${hasWindows ? listText(held.map((build) => `10.0.${build}`)) : 'no image for Windows'}`];
}

/** Builds on which the very image of the registry runs are proven, where it leaves open whether it does: entries without os.version. */
function provenBy(registry: ImagePlatforms, live: ImagePlatforms | null, digestsOn: ImageEvidenceParts['digestsOn']): ImagePlatforms {
  const held = digestsOf(registry);
  const seenOn = (live?.seenOn ?? []).filter((build) => buildRunsImage(registry, build) === null && (digestsOn?.(build) ?? []).some((digest) => held.has(digest)));
  return seenOn.length === 0 ? registry : { ...registry, seenOn };
}

/** Of the image and of its entries: a node may report either. */
function digestsOf({ digest, platforms }: ImagePlatforms): ReadonlySet<string | null | undefined> {
  return new Set([digest, ...platforms.map((platform) => platform.digest)]);
}

function liveAgainstRegistry(registry: ImagePlatforms, live: ImagePlatforms | null, digestsOn: ImageEvidenceParts['digestsOn']): readonly string[] {
  const refuted = (live?.seenOn ?? []).filter((build) => buildRunsImage(registry, build) === false);
  if (refuted.length === 0) return [];
  const held = digestsOf(registry);
  const digests = refuted.flatMap((build) => digestsOn?.(build) ?? []);
  const builds = listText(refuted.map((build) => `10.0.${build}`));
  return [
    digests.length > 0 && !digests.some((digest) => held.has(digest))
      ? `containers of it run on build ${builds} as another image, ${digests[0] ?? ''}: the tag has moved since, and a new pull there fails`
      : `containers of it were seen running on build ${builds}, which the image in the registry does not fit`,
  ];
}

/** The same object where there is nothing to add: answers on it are kept by identity. */
function withNotes(platforms: ImagePlatforms, notes: readonly string[]): ImagePlatforms {
  return notes.length === 0 ? platforms : { ...platforms, notes: [...platforms.notes ?? [], ...notes] };
}
