/** Image platforms from the image's name alone: tag conventions and well-known repositories. */
import { PAUSE_IMAGES } from '../windows/pause-images.ts';
import type { ImagePlatform, ImagePlatforms, ImagePlatformSource } from './image-platforms.ts';
import { isHostProcessBase, isPublishedPause, knownRepository, osInRepository, type KnownRepository } from './known-repositories.ts';
import { parseReference, type ImageReference } from './reference.ts';
import { readTag, type TagReading } from './tag-build.ts';

/** Names of images in one run; far above any cluster's, so that a hostile input cannot fill the memory. */
const LARGEST_CACHE = 2_000;

const LINUX: ImagePlatform = { os: 'linux', architecture: 'amd64', osVersion: null, digest: null, sizeBytes: null };

const cache = new Map<string, ImagePlatforms>();

/** The answers depend on the name alone, so they are kept for the life of the process. */
export const TAG_PLATFORMS: ImagePlatformSource = {
  platformsOf(image: string): ImagePlatforms {
    const known = cache.get(image);
    if (known !== undefined) return known;
    if (cache.size >= LARGEST_CACHE) cache.clear();
    const platforms = platformsByName(image);
    cache.set(image, platforms);
    return platforms;
  },
};

function platformsByName(image: string): ImagePlatforms {
  const parsed = parseReference(image);
  switch (parsed.kind) {
    case 'placeholder':
      return nothing(null, `${parsed.placeholder} is a placeholder`);
    case 'invalid':
      return nothing(null, 'the image is no valid reference');
    case 'reference':
      return platformsOfReference(parsed.reference);
  }
}

function platformsOfReference(reference: ImageReference): ImagePlatforms {
  if (isHostProcessBase(reference)) {
    return { shape: 'manifest', confidence: 'tag', platforms: [windows(null)], os: 'windows', isHostProcessBase: true, because: 'the HostProcess base image holds no Windows and names no build' };
  }
  const known = knownRepository(reference);
  if (reference.digest !== null) {
    // A digest of an official image may be one of its Linux manifests or the index: the OS is the same.
    return nothing(known?.os ?? osInRepository(reference), 'the digest hides the build');
  }
  if (isPublishedPause(reference)) return pausePlatforms(reference.tag);
  const reading = readTag(reference.tag ?? 'latest', known?.isWindowsBase === true || osInRepository(reference) === 'windows');
  if (known?.os === 'linux') return linuxOnly(reference, reading);
  if (reading.build !== null && reading.os !== 'linux') return namedBuild(reading, reading.build, known);
  if (known?.os === 'windows') return nothing('windows', tagless(reference));
  if (reading.os !== null) return { ...nothing(reading.os, `the tag says ${reading.os}, and no build`), confidence: 'tag', isGuess: true };
  const os = osInRepository(reference);
  return os === null ? nothing(null, tagless(reference)) : { ...nothing(os, `the name ends with ${os === 'windows' ? 'a word for Windows' : 'linux'}, and the tag names no build`), confidence: 'tag', isGuess: true };
}

function namedBuild(reading: TagReading, build: number, known: KnownRepository | null): ImagePlatforms {
  const osVersion = `10.0.${build}${reading.revision === null ? '' : `.${reading.revision}`}`;
  return {
    shape: shapeOf(reading, known),
    confidence: 'tag',
    platforms: [windows(osVersion, reading.architecture)],
    // A bare number is no evidence of Windows by itself.
    os: reading.isGuess && known?.os !== 'windows' ? null : 'windows',
    ...(reading.isGuess ? { isGuess: true } : {}),
    because: `${reading.text ?? 'the tag'} in the tag ${reading.isGuess ? 'may name' : 'names'} build ${osVersion}`,
  };
}

/** Tags of the base images that end with an architecture are single images (https://github.com/microsoft/Windows-Containers/issues/170, read 2026-11-30). */
function shapeOf({ architecture }: TagReading, known: KnownRepository | null): ImagePlatforms['shape'] {
  if (known?.isIndex !== true) return 'unknown';
  return architecture === null ? 'index' : known.isWindowsBase ? 'manifest' : 'unknown';
}

/** Official images of Docker Hub that were never published for Windows. */
function linuxOnly(reference: ImageReference, reading: TagReading): ImagePlatforms {
  if (reading.os === 'windows') return nothing(null, 'the tag says windows, the repository is known to hold Linux images only');
  return {
    shape: 'index', confidence: 'tag', os: 'linux', because: `${reference.path.slice('library/'.length)} is published for Linux only`,
    platforms: [LINUX],
  };
}

function pausePlatforms(tag: string | null): ImagePlatforms {
  const row = PAUSE_IMAGES.find((one) => one.tag === tag);
  if (row === undefined) return nothing(null, 'the builds of this sandbox image are not known');
  return { shape: 'index', confidence: 'tag', platforms: [LINUX, ...row.builds.map((build) => windows(`10.0.${build}`))], os: null, because: `pause:${row.tag} is published for ${row.builds.map((build) => `10.0.${build}`).join(', ')}` };
}

function tagless({ tag }: ImageReference): string {
  return tag === null ? 'without a tag no build is named' : `the tag ${tag} names no build of Windows`;
}

function nothing(os: 'windows' | 'linux' | null, because: string): ImagePlatforms {
  return { shape: 'none', confidence: 'unknown', platforms: [], os, because };
}

function windows(osVersion: string | null, architecture: string | null = null): ImagePlatform {
  return { os: 'windows', architecture: architecture ?? 'amd64', osVersion, digest: null, sizeBytes: null };
}
