/**
 * The image documents of the shared cases as images that a registry can hold. Most are lists of digests whose content
 * nobody has: small children stand for it, in the same order, of the same platforms and media types.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { arrayAt, isRecord, stringAt } from '../../src/domain/kubernetes/object.ts';
import { requestRegistry } from '../cluster/registry-client.ts';
import type { TestRegistry } from '../cluster/registry.ts';

/** Bytes under their digest. */
export interface Content {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly digest: string;
}

/** A platform as an index or a config writes it. */
export interface DocumentPlatform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string | undefined;
  /** null for one that has none. */
  readonly osVersion: string | null;
}

/** An image that a document describes. */
export interface DocumentImage {
  readonly shape: 'index' | 'manifest';
  /** Without a registry; part of it is the repository that the document speaks of. */
  readonly repository: string;
  readonly tag: string;
  /** Whether the document names it by digest alone. */
  readonly isByDigest: boolean;
  /** What a reader must find, in this order. */
  readonly platforms: readonly DocumentPlatform[];
  /** Index or manifest. */
  readonly root: Content;
  /** Manifests of an index, in its order; of a manifest none. */
  readonly children: readonly Content[];
  /** Configs and layers. */
  readonly blobs: readonly Content[];
}

const DOCKER_INDEX = 'application/vnd.docker.distribution.manifest.list.v2+json';
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

/** Builds by the words of the publishers' records and of Microsoft's tags. */
const BUILD_OF_RELEASE: Readonly<Record<string, number>> = { ltsc2016: 14393, 1809: 17763, ltsc2019: 17763, 1909: 18363, ltsc2022: 20348, ltsc2025: 26100 };

/** What INDEX.md calls the images of the documents that hold one each. */
const NAMES: Readonly<Record<string, { readonly repository: string; readonly tag: string; readonly isByDigest?: true }>> = {
  'acr-docs-multi-arch-list.json': { repository: 'sample', tag: 'multi-arch' },
  'etcd-3.5.18-linux-only-index.json': { repository: 'coreos/etcd', tag: 'v3.5.18' },
  'golang-1.18-nanoserver-list.json': { repository: 'library/golang', tag: '1.18-nanoserver' },
  'golang-1.25-windowsservercore-26100-manifest-partial.json': { repository: 'library/golang', tag: 'pushed', isByDigest: true },
  'golang-2019-list.json': { repository: 'library/golang', tag: 'latest' },
  'golang-2021-windowsservercore-partial.json': { repository: 'library/golang', tag: 'latest' },
  'hello-world-index-2025.json': { repository: 'library/hello-world', tag: 'latest' },
  'hostprocess-base-config-shape.json': { repository: 'oss/kubernetes/windows-host-process-containers-base-image', tag: 'v1.0.0' },
  'ko-build-two-ltsc-platforms.json': { repository: 'ko', tag: 'latest' },
  'nanoserver-ltsc2022-list.json': { repository: 'windows/nanoserver', tag: 'ltsc2022' },
  'python-2023-list.json': { repository: 'library/python', tag: 'latest' },
  'rancher-kubelet-pause-manifest-partial.json': { repository: 'rancher/kubelet-pause', tag: 'pushed', isByDigest: true },
  'servercore-2020-docker-inspect.json': { repository: 'windows/servercore', tag: 'latest' },
  'test-crane-1909-manifest-foreign-urls.json': { repository: 'lippertmarkus/test-crane', tag: '1.0-1909' },
  'whoami-1.9.4-platforms.json': { repository: 'stefanscherer/whoami', tag: '1.9.4' },
  'win-test-image-tags-1-index.json': { repository: 'k8s-staging-cri-tools/win-test-image-tags', tag: '1' },
};

/** Builds that only the name of an image tells: the config of the document's manifest was not recorded. */
const NAMED_OS_VERSIONS: Readonly<Record<string, string>> = { 'test-crane-1909-manifest-foreign-urls.json': '10.0.18363' };

/** A document of images/, parsed. */
export function readImageDocument(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'images', file), 'utf8'));
}

/**
 * The images that a document describes under a reference (`ref` of the expectations; null where the document holds one
 * image): one; an index of one platform and a manifest where the document does not say which of them it is; none where it
 * tells neither build nor OS, so that only the name is left to judge.
 */
export function imagesOfDocument(folder: string, file: string, ref: string | null): readonly DocumentImage[] {
  const document = readImageDocument(folder, file);
  const named = ref === null ? NAMES[file] : partsOf(ref);
  if (named === undefined) return [];
  const place = (shape: DocumentImage['shape']): Place => ({
    shape, repository: `${file.replace(/\.json$/, '')}/${shape}/${named.repository}`, tag: named.tag, isByDigest: 'isByDigest' in named && named.isByDigest === true,
  });
  const eitherShape = (platform: DocumentPlatform): readonly DocumentImage[] => [indexOfPlatforms(place('index'), [platform]), manifestOfPlatform(place('manifest'), platform)];

  if (Array.isArray(document)) return imagesOfArray(document, ref, eitherShape);
  if (arrayAt(document, 'imageBom').length > 0) return preloaded(arrayAt(document, 'imageBom'), ref ?? '').map((platform) => indexOfPlatforms(place('index'), [platform]));
  if (arrayAt(document, 'images').length > 0) return published(arrayAt(document, 'images'), named.tag, place, eitherShape);
  if (arrayAt(document, 'manifests').length > 0) return [indexOfDocument(place('index'), document)];
  if (arrayAt(document, 'layers').length > 0) return [manifestOfDocument(place('manifest'), document, NAMED_OS_VERSIONS[file] ?? null)];
  // Only the config was recorded.
  return [manifestOfConfig(place('manifest'), document, [])];
}

type Place = Pick<DocumentImage, 'shape' | 'repository' | 'tag' | 'isByDigest'>;

function partsOf(ref: string): { readonly repository: string; readonly tag: string } {
  const [, repository = '', tag = ''] = /^(?:[^/]*[.:][^/]*\/)?(.+):([^:/]+)$/.exec(ref) ?? [];
  return { repository, tag };
}

/** `docker image inspect`, or rows of tags with the build that was seen; the array of a saved tarball tells no build. */
function imagesOfArray(rows: readonly unknown[], ref: string | null, eitherShape: (platform: DocumentPlatform) => readonly DocumentImage[]): readonly DocumentImage[] {
  const row = rows.find((one) => (stringAt(one, 'ref') ?? null) === ref);
  const os = stringAt(row, 'Os');
  if (os !== undefined) return eitherShape({ os, architecture: stringAt(row, 'Architecture') ?? '', osVersion: stringAt(row, 'OsVersion') ?? null });
  const build = isRecord(row) && typeof row['build'] === 'number' ? row['build'] : null;
  return build === null ? [] : eitherShape(windows(stringAt(row, 'osVersion') ?? `10.0.${build}`));
}

/** Of an image on a node's disk: a list of one platform, since its id and the digest of the platform's manifest differ. */
function preloaded(rows: readonly unknown[], ref: string): readonly DocumentPlatform[] {
  return rows.flatMap((row) => {
    const tags = arrayAt(row, 'repoTags').filter((tag) => typeof tag === 'string');
    if (!tags.includes(ref)) return [];
    // Another name of the same image may give the revision.
    const versions = tags.map((tag) => /:(10\.0\.\d+\.\d+)$/.exec(tag)?.[1]).filter((version) => version !== undefined);
    return [windows(versions[0] ?? versionOfRelease(partsOf(ref).tag))];
  });
}

/** Of a publisher's record: a shared tag is a list; of the tags of one platform it does not say whether they are. */
function published(images: readonly unknown[], tag: string, place: (shape: DocumentImage['shape']) => Place, eitherShape: (platform: DocumentPlatform) => readonly DocumentImage[]): readonly DocumentImage[] {
  const shared = images.find((image) => arrayAt(image, 'manifest', 'sharedTags').includes(tag));
  if (shared !== undefined) return [indexOfPlatforms(place('index'), arrayAt(shared, 'platforms').map(publishedPlatform))];
  const single = images.flatMap((image) => arrayAt(image, 'platforms')).find((platform) => arrayAt(platform, 'simpleTags').includes(tag));
  if (single !== undefined) return eitherShape(publishedPlatform(single));
  // The record lists all images for Windows of its repository, so any other tag is one for Linux.
  return [indexOfPlatforms(place('index'), ['amd64', 'arm', 'arm64'].map((architecture) => ({ os: 'linux', architecture, variant: architecture === 'arm' ? 'v7' : undefined, osVersion: null })))];
}

function publishedPlatform(platform: unknown): DocumentPlatform {
  if (stringAt(platform, 'osType') === 'Windows') return windows(versionOfRelease(stringAt(platform, 'osVersion') ?? ''));
  const architecture = stringAt(platform, 'architecture') ?? '';
  return architecture === 'arm32' ? { os: 'linux', architecture: 'arm', variant: 'v7', osVersion: null } : { os: 'linux', architecture, osVersion: null };
}

/** Of three numbers, because the name tells no revision; null where it tells no build. */
function versionOfRelease(text: string): string | null {
  const build = BUILD_OF_RELEASE[text.split('-').at(-1) ?? ''];
  return build === undefined ? null : `10.0.${build}`;
}

function windows(osVersion: string | null): DocumentPlatform {
  return { os: 'windows', architecture: 'amd64', osVersion };
}

function content(mediaType: string, value: Buffer | object): Content {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
  return { mediaType, bytes, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}

const descriptor = ({ mediaType, bytes, digest }: Content): Readonly<Record<string, unknown>> => ({ mediaType, size: bytes.length, digest });

// An empty tar archive: two blocks of zeros.
const LAYER_TAR = Buffer.alloc(1024);
const LAYER = gzipSync(LAYER_TAR);
const STATEMENT = Buffer.from(JSON.stringify({ _type: 'https://in-toto.io/Statement/v0.1', predicateType: 'https://slsa.dev/provenance/v0.2', subject: [], predicate: {} }));

interface Child {
  readonly manifest: Content;
  readonly blobs: readonly Content[];
}

/** A small image of a platform. `position` keeps two of the same platform apart. */
function child(mediaType: string, platform: DocumentPlatform, position: number): Child {
  const isOci = mediaType === OCI_MANIFEST;
  const isAttestation = platform.os === 'unknown';
  const layer = isAttestation ? content('application/vnd.in-toto+json', STATEMENT) : content(isOci ? 'application/vnd.oci.image.layer.v1.tar+gzip' : 'application/vnd.docker.image.rootfs.diff.tar.gzip', LAYER);
  const config = content(isOci ? 'application/vnd.oci.image.config.v1+json' : 'application/vnd.docker.container.image.v1+json', {
    architecture: platform.architecture, os: platform.os,
    ...(platform.variant === undefined ? {} : { variant: platform.variant }), ...(platform.osVersion === null ? {} : { 'os.version': platform.osVersion }),
    config: { Labels: { position: String(position) } },
    rootfs: { type: 'layers', diff_ids: [content('', isAttestation ? STATEMENT : LAYER_TAR).digest] },
  });
  return { manifest: content(mediaType, { schemaVersion: 2, mediaType, config: descriptor(config), layers: [descriptor(layer)] }), blobs: [config, layer] };
}

function platformField({ os, architecture, variant, osVersion }: DocumentPlatform): Readonly<Record<string, string>> {
  return { architecture, os, ...(osVersion === null ? {} : { 'os.version': osVersion }), ...(variant === undefined ? {} : { variant }) };
}

/** An index of small images, one for each platform. */
export function indexOfPlatforms(place: Place, platforms: readonly DocumentPlatform[]): DocumentImage {
  return indexOfDocument(place, { schemaVersion: 2, mediaType: DOCKER_INDEX, manifests: platforms.map((platform) => ({ mediaType: DOCKER_MANIFEST, platform: platformField(platform) })) });
}

/** The index as it is recorded, but for the digests and sizes of its entries. */
function indexOfDocument(place: Place, document: unknown): DocumentImage {
  const entries = arrayAt(document, 'manifests').filter((entry) => isRecord(entry));
  const platforms = entries.map((entry): DocumentPlatform => ({
    os: stringAt(entry, 'platform', 'os') ?? '', architecture: stringAt(entry, 'platform', 'architecture') ?? '', variant: stringAt(entry, 'platform', 'variant'), osVersion: stringAt(entry, 'platform', 'os.version') ?? null,
  }));
  const children = entries.map((entry, position) => child(stringAt(entry, 'mediaType') ?? '', platforms[position] ?? windows(null), position));
  const digests = new Map(entries.map((entry, position) => [entry['digest'], children[position]?.manifest.digest]));
  const manifests = entries.map((entry, position) => {
    const { size, ...named } = descriptor(children[position]?.manifest ?? content('', {}));
    // Some documents have digests and no sizes, which no reader may stumble over; those without digests are no registry's.
    return { ...entry, ...named, ...('digest' in entry && !('size' in entry) ? {} : { size }), ...annotationsOf(entry, digests) };
  });
  const root = content(stringAt(document, 'mediaType') ?? DOCKER_INDEX, { ...(isRecord(document) ? document : {}), manifests });
  return { ...place, platforms, root, children: children.map(({ manifest }) => manifest), blobs: children.flatMap(({ blobs }) => blobs) };
}

/** An attestation names the entry that it is about by its digest. */
function annotationsOf(entry: Readonly<Record<string, unknown>>, digests: ReadonlyMap<unknown, string | undefined>): { readonly annotations?: Readonly<Record<string, unknown>> } {
  if (!isRecord(entry['annotations'])) return {};
  return { annotations: Object.fromEntries(Object.entries(entry['annotations']).map(([name, value]) => [name, digests.get(value) ?? value])) };
}

function manifestOfPlatform(place: Place, platform: DocumentPlatform): DocumentImage {
  const { manifest, blobs } = child(DOCKER_MANIFEST, platform, 0);
  return { ...place, platforms: [platform], root: manifest, children: [], blobs };
}

/** A recorded manifest: its foreign layers as they are, small ones for the others, and a config, which was not recorded. */
function manifestOfDocument(place: Place, document: unknown, osVersion: string | null): DocumentImage {
  return manifestOfConfig(place, { ...platformField(windows(osVersion)), config: {}, rootfs: { type: 'layers', diff_ids: [content('', LAYER_TAR).digest] } }, arrayAt(document, 'layers'));
}

function manifestOfConfig(place: Place, recorded: unknown, recordedLayers: readonly unknown[]): DocumentImage {
  const config = content('application/vnd.docker.container.image.v1+json', isRecord(recorded) ? recorded : {});
  const layer = content('application/vnd.docker.image.rootfs.diff.tar.gzip', LAYER);
  const layers = recordedLayers.length === 0 ? [descriptor(layer)] : recordedLayers.map((one) => (arrayAt(one, 'urls').length > 0 ? one : descriptor(layer)));
  const root = content(DOCKER_MANIFEST, { schemaVersion: 2, mediaType: DOCKER_MANIFEST, config: descriptor(config), layers });
  const platform = { os: stringAt(recorded, 'os') ?? '', architecture: stringAt(recorded, 'architecture') ?? '', osVersion: stringAt(recorded, 'os.version') ?? null };
  return { ...place, platforms: [platform], root, children: [], blobs: [config, layer] };
}

/** A small image for Windows that no document describes. */
export function windowsImage({ osVersion, ...place }: Pick<DocumentImage, 'shape' | 'repository' | 'tag'> & { readonly osVersion: string | null }): DocumentImage {
  const whole = { ...place, isByDigest: false };
  return place.shape === 'index' ? indexOfPlatforms(whole, [windows(osVersion)]) : manifestOfPlatform(whole, windows(osVersion));
}

/** Pushes an image, and gives the reference by which it is pulled. `prefix` comes before its repository: `public/`. */
export async function pushImage(registry: TestRegistry, image: DocumentImage, prefix = ''): Promise<string> {
  const repository = `${prefix}${image.repository}`;
  for (const blob of new Map(image.blobs.map((one) => [one.digest, one])).values()) await pushBlob(registry, repository, blob);
  for (const manifest of image.children) await pushManifest(registry, repository, manifest.digest, manifest);
  await pushManifest(registry, repository, image.tag, image.root);
  return `${registry.host}/${repository}${image.isByDigest ? `@${image.root.digest}` : `:${image.tag}`}`;
}

const authorization = (registry: TestRegistry, repository: string): Readonly<Record<string, string>> => {
  const value = registry.authorizationToPush(repository);
  return value === null ? {} : { authorization: value };
};

/** https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#push, read 2026-11-30 */
async function pushBlob(registry: TestRegistry, repository: string, blob: Content): Promise<void> {
  const headers = authorization(registry, repository);
  const started = await requestRegistry(registry, { method: 'POST', path: `/v2/${repository}/blobs/uploads/`, headers });
  if (started.status !== 202) throw new Error(`${repository}: an upload was answered ${started.status} ${started.body.toString('utf8')}`);
  const upload = new URL(started.headers.location ?? '', registry.url);
  upload.searchParams.set('digest', blob.digest);
  const put = await requestRegistry(registry, { method: 'PUT', path: upload.href, headers: { ...headers, 'content-type': 'application/octet-stream' }, body: blob.bytes });
  if (put.status !== 201) throw new Error(`${repository}: blob ${blob.digest} was answered ${put.status} ${put.body.toString('utf8')}`);
}

/** Pushes a manifest or an index under a tag or its digest; throws when the registry does not take it. */
export async function pushManifest(registry: TestRegistry, repository: string, name: string, { mediaType, bytes }: Pick<Content, 'mediaType' | 'bytes'>): Promise<void> {
  const put = await requestRegistry(registry, { method: 'PUT', path: `/v2/${repository}/manifests/${name}`, headers: { ...authorization(registry, repository), 'content-type': mediaType }, body: bytes });
  if (put.status !== 201) throw new Error(`${repository}:${name} was answered ${put.status} ${put.body.toString('utf8')}`);
}
