/**
 * Which credentials of pull secrets the kubelet tries for an image, in which order:
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/credentialprovider/keyring.go and config.go, read 2026-11-30.
 */
import { isRecord } from '../../domain/kubernetes/object.ts';
import { matchesGlob } from './glob.ts';
import { decodeAuth, type RegistryCredentials } from './registry-credentials.ts';

const HUB_KEY = 'index.docker.io';

interface Entry {
  /** HOST[:PORT][/PATH], the host with globs. */
  readonly key: string;
  readonly credentials: RegistryCredentials;
}

/** Fields that Go reads as strings. */
const ENTRY_FIELDS = ['username', 'password', 'email', 'auth'] as const;
/** What Go's base64 decodes, padded or not, without line breaks. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * Whether the kubelet can decode a secret. One `auth` that is not base64 of USER:PASSWORD fails MakeDockerKeyring, and with it
 * every pull for the pod, whatever its other secrets hold (DockerConfigEntry.UnmarshalJSON in config.go, secrets/secrets.go beside it,
 * EnsureImageExists of https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/images/image_manager.go, read 2026-11-30).
 */
export function isReadablePullSecret(text: string): boolean {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return false;
  }
  if (document === null) return true;
  if (!isRecord(document)) return false;
  const auths = document['auths'] ?? null;
  // Without auths it may be a .dockerconfigjson that holds other things.
  if (auths === null) return Object.values(document).every((entry) => !isRecord(entry) || isReadableEntry(entry));
  return isRecord(auths) && Object.values(auths).every((entry) => entry === null || (isRecord(entry) && isReadableEntry(entry)));
}

function isReadableEntry(entry: Readonly<Record<string, unknown>>): boolean {
  if (ENTRY_FIELDS.some((name) => typeof (entry[name] ?? '') !== 'string')) return false;
  const { auth } = entry;
  if (typeof auth !== 'string' || auth === '') return true;
  const encoded = auth.replaceAll(/[\r\n]/g, '');
  return BASE64.test(encoded) && Buffer.from(encoded, 'base64').includes(':');
}

/** `.dockerconfigjson` has the entries under `auths`, `.dockercfg` is made of them. A text that is neither gives none. */
export function pullSecretEntries(text: string): readonly Entry[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return [];
  }
  if (!isRecord(document)) return [];
  const auths = isRecord(document['auths']) ? document['auths'] : document;
  return Object.entries(auths).flatMap(([location, value]) => {
    const key = keyOf(location);
    // The kubelet hands on user name and password alone; identity and registry tokens of a secret reach no registry.
    const credentials = isRecord(value) ? decodeAuth({ ...value, identitytoken: undefined, registrytoken: undefined }) : null;
    return key === null || credentials?.kind !== 'password' ? [] : [{ key, credentials }];
  });
}

/** The key that the kubelet keeps an entry under; null where Go's url.Parse fails. */
function keyOf(location: string): string | null {
  const rest = /^https?:\/\//.test(location) ? location.slice(location.indexOf('//') + 2) : location;
  if (/[\s\\]/.test(rest)) return null;
  const slash = rest.search(/[/?#]/);
  const host = (slash === -1 ? rest : rest.slice(0, slash)).replace(/^.*@/, '');
  let path = slash === -1 || rest[slash] !== '/' ? '' : rest.slice(slash).replace(/[?#].*$/, '');
  // `/v1/` and `/v2/` in front stand for the host itself.
  if (path.startsWith('/v2/') || path.startsWith('/v1/')) path = path.slice(3);
  return path === '' || path === '/' ? host : host + path;
}

/** Pull secrets as the kubelet uses them. Many images come with the same ones, so that each text is read once. */
export class PullSecretKeyring {
  readonly #read = new Map<string, ReadSecret>();

  /** See isReadablePullSecret. */
  isReadable(text: string): boolean {
    return this.#of(text).isReadable;
  }

  /**
   * All credentials that match, the most specific key first: keys in reverse order of their bytes, equal ones in the order
   * of the secrets. Where none matches, an image of Docker Hub gets those for `https://index.docker.io/v1/`.
   */
  matching(secrets: readonly string[], repository: string): readonly RegistryCredentials[] {
    const target = split(repository);
    const groups = secrets.flatMap((text) => this.#of(text).groups);
    const matching = groups.filter(({ place }) => isFor(place, target)).sort((a, b) => Buffer.compare(b.bytes, a.bytes));
    const chosen = matching.length > 0 || !repository.startsWith('docker.io/') ? matching : groups.filter(({ key }) => key === HUB_KEY);
    return chosen.flatMap(({ credentials }) => credentials);
  }

  #of(text: string): ReadSecret {
    let read = this.#read.get(text);
    if (read === undefined) {
      const byKey = Map.groupBy(pullSecretEntries(text), ({ key }) => key);
      const groups = Array.from(byKey, ([key, entries]) => ({ key, bytes: Buffer.from(key), place: split(key), credentials: entries.map(({ credentials }) => credentials) }));
      read = { isReadable: isReadablePullSecret(text), groups };
      this.#read.set(text, read);
    }
    return read;
  }
}

interface ReadSecret {
  readonly isReadable: boolean;
  /** One for each key. */
  readonly groups: readonly { readonly key: string; readonly bytes: Buffer; readonly place: Place; readonly credentials: readonly RegistryCredentials[] }[];
}

/** Whether a key is meant for a repository (`registry.example:5000/team/app`): equal ports, as many parts in the host, each a glob, and a prefix of the path. */
export function matchesImage(key: string, repository: string): boolean {
  return isFor(split(key), split(repository));
}

function isFor(glob: Place, target: Place): boolean {
  if (glob.port !== target.port || glob.parts.length !== target.parts.length || !target.path.startsWith(glob.path)) return false;
  return glob.parts.every((part, index) => matchesGlob(part, target.parts[index] ?? ''));
}

interface Place {
  readonly parts: readonly string[];
  readonly port: string;
  readonly path: string;
}

function split(location: string): Place {
  const slash = location.indexOf('/');
  const authority = slash === -1 ? location : location.slice(0, slash);
  const port = /^(?:\[[^\]]*\]|[^:]*):(\d*)$/.exec(authority)?.[1];
  // Go takes the brackets off an IPv6 address together with its port only; without one they are a glob, and match nothing.
  const host = port === undefined ? authority : authority.slice(0, -port.length - 1).replace(/^\[(.*)\]$/, '$1');
  return { parts: host.split('.'), port: port ?? '', path: slash === -1 ? '' : location.slice(slash) };
}
