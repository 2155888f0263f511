/**
 * Image references as the kubelet and containerd read them: distribution's grammar, with Docker Hub's short names.
 *
 * Both call ParseNormalizedNamed of https://github.com/distribution/reference/blob/v0.6.0/normalize.go (grammar: reference.go,
 * regexp.go; digests: https://github.com/opencontainers/go-digest/blob/v1.0.0/algorithm.go; all read 2026-11-30).
 */

export interface ImageReference {
  /** Registry: `mcr.microsoft.com`, `localhost:5000`, `[fd00::1]:5000`; `docker.io` where none is named, '' for one with an underscore. */
  readonly domain: string;
  /** Repository without the registry: `windows/servercore`; `library/nginx` for `nginx`. */
  readonly path: string;
  /** null where none is written; containerd then takes `latest`, unless there is a digest. */
  readonly tag: string | null;
  /** `sha256:…`. Decides alone where both are written. */
  readonly digest: string | null;
}

export type ParsedReference =
  | { readonly kind: 'reference'; readonly reference: ImageReference }
  /** Text that a tool should have replaced: `${IMAGE}`. */
  | { readonly kind: 'placeholder'; readonly placeholder: string }
  /** `reason` completes "not an image reference: …". */
  | { readonly kind: 'invalid'; readonly reason: string };

const DEFAULT_DOMAIN = 'docker.io';
const LEGACY_DOMAIN = 'index.docker.io';
/** Of a repository without its registry. */
const LONGEST_PATH = 255;

const DOMAIN_COMPONENT = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = new RegExp(String.raw`^(?:${DOMAIN_COMPONENT}(?:\.${DOMAIN_COMPONENT})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$`);
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** Digits of a digest, by algorithm; no other is known. */
const DIGEST_DIGITS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/**
 * Marks of tools that fill in manifests. None can be part of a valid reference, except the last two, whose capitals and
 * double underscores turn up nowhere else: `__imageTag__`, `KUBE_PROXY_VERSION-calico`.
 */
const PLACEHOLDERS: readonly RegExp[] = [
  /\$\{[^}]*\}?|\$\([^)]*\)?|\$\[\[.*?\]\]|\$[A-Za-z_]\w*/, // shell, envsubst, Azure Pipelines
  /\{\{.*?(?:\}\}|$)/, // Helm, Jinja
  /<%.*?(?:%>|$)/, // ERB
  /<[A-Za-z][^<>]*>/, // <image-name>
  /%[A-Z_][A-Z0-9_]*%|@@?[A-Z_][A-Z0-9_]*@@?|#\{[^}]*\}#?/, // %IMAGE%, @@IMAGE@@, #{image}#
  /\[[A-Za-z][A-Za-z _-]*\]/, // [your registry]
  /(?<![A-Za-z0-9_])__[A-Za-z][A-Za-z0-9.-]*(?:_[A-Za-z0-9.-]+)*__(?![A-Za-z0-9_])/, // __imageTag__
  /(?<![A-Za-z0-9])(?:REPLACE|INSERT|YOUR)_[A-Z0-9_-]+|(?<![A-Za-z0-9])(?:REPLACE_?ME|CHANGE_?ME|PLACEHOLDER)(?![A-Za-z0-9])/, // REPLACE_WITH_IMAGE
  /(?<![A-Za-z0-9])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:IMAGE|TAG|VERSION|REPO|REPOSITORY|REGISTRY)(?![A-Za-z0-9_])/, // KUBE_PROXY_VERSION
  /(?<![A-Za-z0-9])(?:IMAGE|TAG|VERSION|REGISTRY)_(?:NAME|TAG|URL|PLACEHOLDER|VERSION)(?![A-Za-z0-9_])/,
];

/** What an `image` of a pod spec names. Never throws. */
export function parseReference(image: string): ParsedReference {
  const placeholder = placeholderIn(image);
  return placeholder === null ? readReference(image) : { kind: 'placeholder', placeholder };
}

/** The first unreplaced placeholder in a text; null where there is none. */
export function placeholderIn(image: string): string | null {
  // A digest is hexadecimal, and what precedes it is no shorter for a search of a kilobyte at most.
  const text = image.slice(0, 1024);
  for (const pattern of PLACEHOLDERS) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  return null;
}

/** Whatever the text looks like: the grammar alone. */
export function readReference(image: string): Exclude<ParsedReference, { kind: 'placeholder' }> {
  const invalid = (reason: string): ParsedReference & { kind: 'invalid' } => ({ kind: 'invalid', reason });
  if (image === '') return invalid('it is empty');
  if (/\s/.test(image)) return invalid(image.trim() === image ? 'it holds white space' : 'it begins or ends with white space');
  if (/^[a-f0-9]{64}$/.test(image)) return invalid('64 hexadecimal digits are an identifier, not a name');
  const { domain, remainder } = splitRegistry(image);

  const colon = remainder.indexOf(':');
  const beforeColon = colon === -1 ? remainder : remainder.slice(0, colon);
  if (beforeColon.toLowerCase() !== beforeColon) return invalid(`the repository ${shown(beforeColon)} has capital letters`);

  const at = remainder.indexOf('@');
  const digest = at === -1 ? null : remainder.slice(at + 1);
  const named = at === -1 ? remainder : remainder.slice(0, at);
  const tagColon = named.indexOf(':');
  const tag = tagColon === -1 ? null : named.slice(tagColon + 1);
  const path = tagColon === -1 ? named : named.slice(0, tagColon);

  if (domain !== '' && !DOMAIN.test(domain)) return invalid(`${shown(domain)} is no registry`);
  if (path === '') return invalid('it has no repository');
  const component = path.split('/').find((one) => !PATH_COMPONENT.test(one));
  if (component !== undefined) return invalid(component === '' ? 'a part of its repository is empty' : `${shown(component)} is no part of a repository: lower-case letters and digits with single separators are`);
  if (tag !== null && !TAG.test(tag)) return invalid(tagFault(tag));
  if (digest !== null) {
    const fault = digestFault(digest);
    if (fault !== null) return invalid(fault);
  }
  if (path.length > LONGEST_PATH) return invalid(`its repository is longer than ${LONGEST_PATH} characters`);
  return { kind: 'reference', reference: { domain, path, tag, digest } };
}

/** `docker.io/library/nginx`, the repository with its registry. */
export function repositoryOf(reference: ImageReference): string {
  return `${reference.domain}/${reference.path}`;
}

/** An image under one spelling of its name, `docker.io/library/nginx:latest`; a digest decides alone. null for what is no reference. */
export function canonicalImage(image: string): string | null {
  const parsed = readReference(image);
  if (parsed.kind !== 'reference') return null;
  const { reference } = parsed;
  return `${repositoryOf(reference)}${reference.digest === null ? `:${reference.tag ?? 'latest'}` : `@${reference.digest}`}`;
}

/** `registry_1.local/app` has no registry that the grammar knows, and is read as a repository of none; what is pulled then is nothing. */
function splitRegistry(image: string): { readonly domain: string; readonly remainder: string } {
  const parts = splitDomain(image);
  return !DOMAIN.test(parts.domain) && PATH_COMPONENT.test(parts.domain) ? { domain: '', remainder: image } : parts;
}

function splitDomain(image: string): { readonly domain: string; readonly remainder: string } {
  const slash = image.indexOf('/');
  if (slash === -1) return { domain: DEFAULT_DOMAIN, remainder: `library/${image}` };
  const first = image.slice(0, slash);
  const rest = image.slice(slash + 1);
  if (first === LEGACY_DOMAIN || first === DEFAULT_DOMAIN) return { domain: DEFAULT_DOMAIN, remainder: rest.includes('/') ? rest : `library/${rest}` };
  // `localhost`, a dot, a port, or a capital letter, which no repository may have, make it a registry.
  if (first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first) return { domain: first, remainder: rest };
  return { domain: DEFAULT_DOMAIN, remainder: image };
}

function tagFault(tag: string): string {
  if (tag === '') return 'its tag is empty';
  if (tag.length > 128 && /^[\w.-]+$/.test(tag)) return 'its tag is longer than 128 characters';
  return `${shown(tag)} is no tag: letters, digits, _, . and - are, and neither . nor - may come first`;
}

function digestFault(digest: string): string | null {
  if (!DIGEST.test(digest)) return `${shown(digest)} is no digest`;
  const colon = digest.indexOf(':');
  const algorithm = digest.slice(0, colon);
  const digits = Object.hasOwn(DIGEST_DIGITS, algorithm) ? DIGEST_DIGITS[algorithm] : undefined;
  if (digits === undefined) return `${shown(algorithm)} is no digest algorithm that containerd knows (sha256, sha384, sha512)`;
  const hex = digest.slice(colon + 1);
  if (hex.length !== digits) return `its digest has ${hex.length} digits, ${algorithm} has ${digits}`;
  return hex.toLowerCase() === hex ? null : 'its digest has capital letters';
}

/** A part of the text in quotes, cut where it is long. */
function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
