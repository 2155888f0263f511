/**
 * Manifests, indexes and configurations as containerd reads them:
 * https://github.com/containerd/containerd/blob/320e644426510fe20559d31d2f7c78a380b1b62a/core/images/image.go,
 * https://github.com/opencontainers/image-spec/blob/v1.1.1/image-index.md, read 2026-11-30.
 */
import { isRecord } from '../../domain/kubernetes/object.ts';
import { serverText } from '../http/server-text.ts';
import { isDigest } from './digest.ts';

const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const DOCKER_LIST = 'application/vnd.docker.distribution.manifest.list.v2+json';
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const INDEX_TYPES: ReadonlySet<string> = new Set([OCI_INDEX, DOCKER_LIST]);
const MANIFEST_TYPES: ReadonlySet<string> = new Set([OCI_MANIFEST, DOCKER_MANIFEST]);
/** application/octet-stream: some early builders wrote it for Docker's own. */
const CONFIG_TYPES: ReadonlySet<string> = new Set(['application/vnd.oci.image.config.v1+json', 'application/vnd.docker.container.image.v1+json', 'application/octet-stream']);
const SCHEMA_1 = /^application\/vnd\.docker\.distribution\.manifest\.v1\+(?:prettyjws|json)$/;

/** What is asked for; a registry that has several forms of an image gives the one that was pushed. */
export const MANIFEST_ACCEPT = [OCI_INDEX, DOCKER_LIST, OCI_MANIFEST, DOCKER_MANIFEST].join(', ');

export interface Descriptor {
  /** '' where none is written. */
  readonly mediaType: string;
  /** null where none is written, or none that can be verified. */
  readonly digest: string | null;
  readonly sizeBytes: number | null;
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly osVersion: string | null;
}

export interface IndexEntry extends Descriptor {
  readonly isIndex: boolean;
  readonly platform: Platform | null;
}

export type ManifestDocument =
  /** Without entries that are no images: attestations, artifacts. */
  | { readonly kind: 'index'; readonly entries: readonly IndexEntry[] }
  /** `sizeBytes`: of the configuration and all layers, compressed; null where a size is missing. */
  | { readonly kind: 'manifest'; readonly config: Descriptor; readonly layers: readonly Descriptor[]; readonly sizeBytes: number | null }
  /** A Helm chart, a signature: in the form of a manifest, and no image. */
  | { readonly kind: 'artifact'; readonly what: string }
  /** `problem` completes the name of the registry: `sent no manifest`. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Reads the body of a manifest; `contentType` as the registry gives it, null where nobody knows it any more. */
export function parseManifest(body: Buffer, contentType: string | null): ManifestDocument {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  const document = parseJson(body);
  if (!isRecord(document)) return problem(`sent no manifest but ${type === '' || /json/.test(type) ? 'something that is no JSON object' : serverText(type)}`);
  const written = textOf(document['mediaType']);
  if (document['schemaVersion'] === 1 || document['fsLayers'] !== undefined || SCHEMA_1.test(written) || SCHEMA_1.test(type)) {
    return problem("has it in Docker's manifest schema 1 only, which containerd 2 no longer pulls: it has to be built or pushed again");
  }
  const isIndex = Array.isArray(document['manifests']);
  const isManifest = isRecord(document['config']) || Array.isArray(document['layers']);
  // One of them could be shown to us and the other one to the node (CVE-2021-41190, https://github.com/opencontainers/distribution-spec/security/advisories/GHSA-mc8v-mgrf-8f4m, read 2026-11-30).
  if ((isIndex && (isManifest || MANIFEST_TYPES.has(written))) || (isManifest && INDEX_TYPES.has(written))) return problem('sent a manifest that is an index as well, which containerd refuses');
  if (isIndex) return { kind: 'index', entries: (document['manifests'] as readonly unknown[]).flatMap(entryOf) };
  if (!isManifest) return problem(INDEX_TYPES.has(written) || INDEX_TYPES.has(type) ? 'sent an index without manifests' : 'sent JSON that is no manifest');
  return manifestOf(document);
}

function manifestOf(document: Readonly<Record<string, unknown>>): ManifestDocument {
  const config = descriptorOf(document['config']);
  const artifactType = textOf(document['artifactType']);
  if (config.mediaType === '' ? artifactType !== '' : !CONFIG_TYPES.has(config.mediaType)) return { kind: 'artifact', what: artifactName(config.mediaType, artifactType) };
  const layers = Array.isArray(document['layers']) ? document['layers'].map(descriptorOf) : [];
  return { kind: 'manifest', config, layers, sizeBytes: sumOf([config, ...layers].map(({ sizeBytes }) => sizeBytes)) };
}

function sumOf(sizes: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const size of sizes) {
    if (size === null) return null;
    sum += size;
  }
  return sum;
}

/** https://helm.sh/docs/topics/registries/ (config of charts), read 2026-11-30. */
function artifactName(configType: string, artifactType: string): string {
  if (configType === 'application/vnd.cncf.helm.config.v1+json') return 'a Helm chart';
  if (configType === 'application/vnd.docker.plugin.v1+json') return 'a Docker plugin';
  return `an artifact (${shownType(artifactType === '' ? configType : artifactType)})`;
}

function shownType(type: string): string {
  return type.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 100);
}

function entryOf(value: unknown): readonly IndexEntry[] {
  if (!isRecord(value)) return [];
  const descriptor = descriptorOf(value);
  const isIndex = INDEX_TYPES.has(descriptor.mediaType);
  // Signatures, SBOMs and the like stand beside images; docker buildx gives its attestations a platform that nobody has.
  if (descriptor.mediaType !== '' && !isIndex && !MANIFEST_TYPES.has(descriptor.mediaType)) return [];
  const artifactType = textOf(value['artifactType']);
  if (artifactType !== '' && !CONFIG_TYPES.has(artifactType) && !isIndex) return [];
  const annotations = value['annotations'];
  if (isRecord(annotations) && annotations['vnd.docker.reference.type'] === 'attestation-manifest') return [];
  const platform = isRecord(value['platform']) ? platformOf(value['platform']) : null;
  if (platform?.os === 'unknown' || platform?.architecture === 'unknown') return [];
  return [{ ...descriptor, isIndex, platform }];
}

function descriptorOf(value: unknown): Descriptor {
  if (!isRecord(value)) return { mediaType: '', digest: null, sizeBytes: null };
  const { mediaType, digest, size } = value;
  return { mediaType: textOf(mediaType).toLowerCase(), digest: isDigest(digest) ? digest : null, sizeBytes: typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : null };
}

/** The platform that an image's configuration names; null where it names no OS. */
export function parseConfig(body: Buffer): Platform | null {
  const document = parseJson(body);
  return isRecord(document) ? platformOf(document) : null;
}

/** Names of an OS and of processors, as containerd makes them one (https://github.com/containerd/platforms/blob/07c2124b7fcc4cc1cb493dad74284bc967d64544/database.go, read 2026-11-30). */
const OS_NAMES: ReadonlyMap<string, string> = new Map([['macos', 'darwin']]);
const ARCHITECTURE_NAMES: ReadonlyMap<string, string> = new Map([['x86_64', 'amd64'], ['x86-64', 'amd64'], ['aarch64', 'arm64'], ['i386', '386'], ['armhf', 'arm'], ['armel', 'arm']]);
const LONGEST_NAME = 64;

function platformOf(value: Readonly<Record<string, unknown>>): Platform | null {
  const os = nameOf(value['os']).toLowerCase();
  if (os === '') return null;
  const architecture = nameOf(value['architecture']).toLowerCase();
  // Not mended as a name is: with a space in it containerd cannot read it either.
  const osVersion = textOf(value['os.version']).replaceAll(/[^\x21-\x7e]/g, '?').slice(0, LONGEST_NAME);
  return { os: OS_NAMES.get(os) ?? os, architecture: ARCHITECTURE_NAMES.get(architecture) ?? architecture, osVersion: osVersion === '' ? null : osVersion };
}

/** What anybody may have written into an image comes into messages: nothing but what such names are made of. */
function nameOf(value: unknown): string {
  return textOf(value).replaceAll(/[^\x21-\x7e]/g, '').slice(0, LONGEST_NAME);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function problem(text: string): ManifestDocument {
  return { kind: 'problem', problem: text };
}
