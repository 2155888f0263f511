/** From a reference to the platforms that its image holds. */
import type { ImagePlatform, ImagePlatforms } from '../../domain/image/image-platforms.ts';
import { isHostProcessBase } from '../../domain/image/known-repositories.ts';
import type { ImageReference } from '../../domain/image/reference.ts';
import { parseConfig, type IndexEntry, type ManifestDocument, type Platform } from './manifest.ts';
import { RegistryError, registryError } from './registry-error.ts';
import type { RepositoryContent } from './repository-content.ts';

/** An index in an index in an index is nobody's image; every level costs a request. */
const DEEPEST_INDEX = 4;
/** Of one image, over all levels; the largest public ones have some dozens. */
const MOST_ENTRIES = 512;
const MOST_REQUESTS = 64;

type SingleManifest = ManifestDocument & { readonly kind: 'manifest' };

interface Reading {
  readonly content: RepositoryContent;
  readonly sizes: boolean;
  requestsLeft: number;
}

/** The platforms of an image, with the digest of what the reference names. A digest decides alone, as for containerd. Throws RegistryError. */
export async function readImage(content: RepositoryContent, reference: ImageReference, options: { readonly sizes: boolean }): Promise<ImagePlatforms> {
  const manifest = reference.digest === null ? await content.tagged(reference.tag ?? 'latest') : await content.manifest(reference.digest);
  const { document } = manifest;
  if (document.kind === 'artifact') throw registryError(content.subject, 'Malformed', `has no image there but ${document.what}`);
  const reading: Reading = { content, sizes: options.sizes, requestsLeft: MOST_REQUESTS };
  if (document.kind === 'manifest') return singleImage(content, reference, manifest.digest, document);
  const unplaced: ImagePlatform[] = [];
  const placed = await flattened(reading, document.entries, unplaced, 1);
  const platforms = [...placed, ...unplaced];
  return {
    shape: 'index', confidence: 'registry', platforms, os: commonOs(platforms), digest: manifest.digest,
    because: platforms.length === 0 ? "the registry's index names no image" : `the registry's index names ${named(platforms)}`,
  };
}

async function singleImage(content: RepositoryContent, reference: ImageReference, digest: string, document: SingleManifest): Promise<ImagePlatforms> {
  const platform = await platformOf(content, document);
  if (platform === null) throw registryError(content.subject, 'Malformed', 'has an image whose configuration names no operating system');
  const isBase = platform.osVersion === null && isHostProcessBase(reference);
  return {
    shape: 'manifest', confidence: 'registry', platforms: [{ ...platform, digest, sizeBytes: document.sizeBytes }], os: commonOs([platform]), digest,
    ...(isBase ? { isHostProcessBase: true } : {}),
    because: isBase ? 'the HostProcess base image holds no Windows and names no build' : `the configuration of the image names ${named([platform])}`,
  };
}

async function platformOf(content: RepositoryContent, { config }: SingleManifest): Promise<Platform | null> {
  if (config.digest === null) throw registryError(content.subject, 'Malformed', 'has a manifest without the digest of a configuration');
  return parseConfig(await content.blob(config.digest, config));
}

/**
 * In the order of the index, nested ones in the place of their entry. `unplaced` takes those without a platform of their own, which
 * containerd sorts behind all others (Manifest of https://github.com/containerd/containerd/blob/v2.3.4/core/images/image.go, read 2026-11-30).
 */
async function flattened(reading: Reading, entries: readonly IndexEntry[], unplaced: ImagePlatform[], depth: number): Promise<readonly ImagePlatform[]> {
  const { content } = reading;
  const platforms: ImagePlatform[] = [];
  for (const entry of entries) {
    if (entry.isIndex && entry.digest !== null) {
      if (depth >= DEEPEST_INDEX) throw registryError(content.subject, 'Malformed', `has indexes within indexes, more than ${DEEPEST_INDEX} deep`);
      const document = await childOf(reading, entry, entry.digest);
      if (document.kind === 'index') platforms.push(...(await flattened(reading, document.entries, unplaced, depth + 1)));
    } else if (!entry.isIndex) {
      const platform = entry.platform === null ? await platformByConfig(reading, entry) : { ...entry.platform, digest: entry.digest, sizeBytes: await sizeOf(reading, entry, entry.platform) };
      if (platform !== null) (entry.platform === null ? unplaced : platforms).push(platform);
    }
    if (platforms.length + unplaced.length > MOST_ENTRIES) throw registryError(content.subject, 'Malformed', `has an index with more than ${MOST_ENTRIES} images`);
  }
  return platforms;
}

/** containerd asks the configuration where an entry has no platform, and passes over what is no image. */
async function platformByConfig(reading: Reading, entry: IndexEntry): Promise<ImagePlatform | null> {
  if (entry.digest === null) return null;
  const document = await childOf(reading, entry, entry.digest);
  if (document.kind !== 'manifest' || document.config.digest === null) return null;
  const platform = await platformOf(reading.content, document);
  return platform === null || platform.os === 'unknown' || platform.architecture === 'unknown' ? null : { ...platform, digest: entry.digest, sizeBytes: reading.sizes ? document.sizeBytes : null };
}

/** One request more for each image for Windows; a size that cannot be had is not known, and spoils nothing else. */
async function sizeOf(reading: Reading, entry: IndexEntry, { os }: Platform): Promise<number | null> {
  if (!reading.sizes || os !== 'windows' || entry.digest === null || reading.requestsLeft <= 0) return null;
  try {
    const document = await childOf(reading, entry, entry.digest);
    return document.kind === 'manifest' ? document.sizeBytes : null;
  } catch (error) {
    if (error instanceof RegistryError) return null;
    throw error;
  }
}

async function childOf(reading: Reading, entry: IndexEntry, digest: string): Promise<ManifestDocument> {
  reading.requestsLeft -= 1;
  if (reading.requestsLeft < 0) throw registryError(reading.content.subject, 'Malformed', `has an index that takes more than ${MOST_REQUESTS} requests to read`);
  return (await reading.content.manifest(digest, entry.sizeBytes)).document;
}

function commonOs(platforms: readonly Platform[]): 'windows' | 'linux' | null {
  const systems = new Set(platforms.map(({ os }) => os));
  return systems.size !== 1 ? null : systems.has('windows') ? 'windows' : systems.has('linux') ? 'linux' : null;
}

/** `build 10.0.20348.5386`, `builds 10.0.20348.1 and 10.0.26100.1`, `linux`. */
function named(platforms: readonly Platform[]): string {
  const versions = [...new Set(platforms.flatMap(({ osVersion }) => (osVersion === null ? [] : [osVersion])))];
  if (versions.length === 0) return [...new Set(platforms.map(({ os }) => os))].join(' and ');
  const shown = versions.slice(0, 4);
  return `${versions.length === 1 ? 'build' : 'builds'} ${shown.join(', ')}${versions.length > shown.length ? ` and ${versions.length - shown.length} more` : ''}`;
}
