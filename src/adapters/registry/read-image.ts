/** From a reference to the platforms that its image holds. */
import type { ImageLayer, ImagePlatform, ImagePlatforms } from '../../domain/image/image-platforms.ts';
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
const MOST_SIZES = 64;
/** Notes of one image on what its registry does not have; a sparse copy may lack all but one. */
const MOST_GAPS = 4;

type SingleManifest = ManifestDocument & { readonly kind: 'manifest' };

interface Reading {
  readonly content: RepositoryContent;
  readonly sizes: boolean | 'with-layers';
  /** Entries for Windows, to ask for the size of each when all else is known. */
  readonly sized: Map<ImagePlatform, IndexEntry>;
  /** What the index names and the registry does not have, a clause each. */
  readonly gaps: Set<string>;
  /** Of a size, where the index was known from before. */
  refusal: RegistryError | null;
  requestsLeft: number;
}

export interface ReadImage {
  readonly platforms: ImagePlatforms;
  /** false where the host lacks a part of it, which another host may have. */
  readonly isWhole: boolean;
  /** Why sizes are missing: the registry shows them to others than who asked. The rest was known from before. */
  readonly refusal: RegistryError | null;
}

/** The platforms of an image, with the digest of what the reference names. A digest decides alone, as for containerd. Throws RegistryError. */
export async function readImage(content: RepositoryContent, reference: ImageReference, options: { readonly sizes: boolean | 'with-layers' }): Promise<ReadImage> {
  const manifest = reference.digest === null ? await content.tagged(reference.tag ?? 'latest') : await content.pinned(reference.digest);
  const { document } = manifest;
  if (document.kind === 'artifact') throw registryError(content.subject, 'Malformed', `has no image there but ${document.what}`);
  const reading: Reading = { content, sizes: options.sizes, sized: new Map(), gaps: new Set(), refusal: null, requestsLeft: MOST_REQUESTS };
  if (document.kind === 'manifest') return { platforms: await singleImage(content, reference, manifest.digest, document, options), isWhole: true, refusal: null };
  const unplaced: ImagePlatform[] = [];
  const placed = await flattened(reading, document.entries, unplaced, 1);
  const platforms = await withSizes(reading, [...placed, ...unplaced]);
  const notes = gapNotes(reading);
  return {
    platforms: {
      shape: 'index', confidence: 'registry', platforms, os: commonOs(platforms), digest: manifest.digest,
      because: platforms.length > 0 ? `the registry's index names ${named(platforms)}` : notes.length > 0 ? "nothing is left of what the registry's index names" : "the registry's index names no image",
      ...(notes.length === 0 ? {} : { notes }),
    },
    isWhole: notes.length === 0, refusal: reading.refusal,
  };
}

function gapNotes({ content, gaps }: Reading): readonly string[] {
  const shown = [...gaps].slice(0, MOST_GAPS);
  return gaps.size === shown.length ? shown : [...shown, `${whoHas(content)} does not have ${gaps.size - shown.length} more that the index names`];
}

function whoHas({ subject: { registry, asked } }: RepositoryContent): string {
  return registry === asked ? 'the registry' : asked;
}

/** undefined for a part that the registry does not have: its 404 tells nothing of the image as a whole, which is there. */
async function unlessGone<Part>(part: Promise<Part>): Promise<Part | undefined> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof RegistryError && error.failure.reason === 'NotFound') return undefined;
    throw error;
  }
}

async function singleImage(content: RepositoryContent, reference: ImageReference, digest: string, document: SingleManifest, { sizes }: Pick<Reading, 'sizes'>): Promise<ImagePlatforms> {
  const platform = await unlessGone(platformOf(content, document));
  if (platform === undefined) throw registryError(content.subject, 'Malformed', 'has a manifest that names a configuration that it does not have', ['push the image again: no node can pull it as it is']);
  if (platform === null) throw registryError(content.subject, 'Malformed', 'has an image whose configuration names no operating system');
  const isBase = platform.osVersion === null && isHostProcessBase(reference);
  return {
    shape: 'manifest', confidence: 'registry', platforms: [{ ...platform, digest, sizeBytes: document.sizeBytes, ...layersOf(document, sizes) }], os: commonOs([platform]), digest,
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
      const document = await unlessGone(childOf(reading, entry, entry.digest));
      if (document === undefined) reading.gaps.add(`${whoHas(content)} does not have ${entry.digest} that the index names`);
      else if (document.kind === 'index') platforms.push(...(await flattened(reading, document.entries, unplaced, depth + 1)));
    } else if (!entry.isIndex) {
      const platform = entry.platform === null ? await platformByConfig(reading, entry) : { ...entry.platform, digest: entry.digest, sizeBytes: null };
      if (reading.sizes && entry.platform?.os === 'windows' && platform !== null) reading.sized.set(platform, entry);
      if (platform !== null) (entry.platform === null ? unplaced : platforms).push(platform);
    }
    if (platforms.length + unplaced.length > MOST_ENTRIES) throw registryError(content.subject, 'Malformed', `has an index with more than ${MOST_ENTRIES} images`);
  }
  return platforms;
}

/** containerd asks the configuration where an entry has no platform, and passes over what is no image. */
async function platformByConfig(reading: Reading, entry: IndexEntry): Promise<ImagePlatform | null> {
  if (entry.digest === null) return null;
  const who = whoHas(reading.content);
  const document = await unlessGone(childOf(reading, entry, entry.digest));
  if (document === undefined) reading.gaps.add(`${who} does not have ${entry.digest} that the index names`);
  if (document?.kind !== 'manifest' || document.config.digest === null) return null;
  const platform = await unlessGone(platformOf(reading.content, document));
  if (platform === undefined) reading.gaps.add(`${who} does not have the configuration of ${entry.digest} that the index names: a pull of it fails`);
  return platform === undefined || platform === null || platform.os === 'unknown' || platform.architecture === 'unknown' ? null : { ...platform, digest: entry.digest, ...(reading.sizes === false ? { sizeBytes: null } : sizeIn(document, reading.sizes)) };
}

/** One request more for each image for Windows, after all others: a size that cannot be had is not known, and spoils nothing else. */
async function withSizes(reading: Reading, platforms: readonly ImagePlatform[]): Promise<readonly ImagePlatform[]> {
  const sizes = new Map<ImagePlatform, Size>();
  for (const [platform, entry] of [...reading.sized].slice(0, MOST_SIZES)) sizes.set(platform, await sizeOf(reading, entry, platform));
  return platforms.map((platform) => ({ ...platform, ...sizes.get(platform) }));
}

async function sizeOf(reading: Reading, { digest, sizeBytes }: IndexEntry, { os, architecture, osVersion }: Platform): Promise<Size> {
  if (digest === null) return { sizeBytes: null };
  try {
    const manifest = await unlessGone(reading.content.manifest(digest, sizeBytes));
    // Sparse copies and caches on the way hold a part of an index.
    if (manifest === undefined) reading.gaps.add(`${whoHas(reading.content)} does not have the image for ${osVersion ?? `${os}/${architecture}`} (${digest}) that the index names: a pull of it fails`);
    return manifest?.document.kind === 'manifest' ? sizeIn(manifest.document, reading.sizes) : { sizeBytes: null };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    if (error.isRefusal) reading.refusal ??= error;
    return { sizeBytes: null };
  }
}

type Size = Pick<ImagePlatform, 'sizeBytes' | 'layers'>;

function sizeIn(document: SingleManifest, sizes: Reading['sizes']): Size {
  return { sizeBytes: document.sizeBytes, ...layersOf(document, sizes) };
}

/** Nothing where one of them has no digest or size. */
function layersOf({ config, layers }: SingleManifest, sizes: Reading['sizes']): Pick<ImagePlatform, 'layers'> {
  if (sizes !== 'with-layers') return {};
  const all = [config, ...layers];
  const known = all.flatMap(({ digest, sizeBytes }): readonly ImageLayer[] => (digest === null || sizeBytes === null ? [] : [{ digest, sizeBytes }]));
  return known.length === all.length ? { layers: known } : {};
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
