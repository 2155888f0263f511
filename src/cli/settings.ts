/** The user's configuration file, ~/.kube/kubectl-win.yaml or the one that KUBECTL_WIN_CONFIG names. */
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Document, Node as YamlNode, Pair } from 'yaml';
import type { Severity } from '../domain/severity.ts';
import type { NodeProvider } from '../domain/node/provider.ts';
import { CONTAINERD_LIFECYCLES, compareContainerdVersions, parseContainerdVersion } from '../domain/windows/containerd.ts';
import { readReference } from '../domain/image/reference.ts';
import { isDnsLabel } from '../domain/kubernetes/dns-label.ts';
import type { LifecycleOverrides } from '../domain/windows/providers.ts';
import { SERVER_RELEASES } from '../domain/windows/releases.ts';
import { isIsoDay } from '../domain/windows/support-dates.ts';
import { InputError, UsageError } from '../errors.ts';
import type { RegistryOptions, RegistrySettings } from './context.ts';
import { nearest } from './suggest.ts';
import { realPorts } from './wiring.ts';

/** Environment beats file; flags, where a command has them, beat both. */
export interface Settings {
  /** Node labels that name a node's pool, tried before the built-in ones. KUBECTL_WIN_POOL_LABELS (comma separated) beats the file. */
  readonly poolLabels: readonly string[];
  /** Dates and versions that the user knows better than the tables of this program. */
  readonly lifecycle: LifecycleOverrides;
  readonly check: CheckSettings;
  /** What --images is where it is not given; null for `auto`. KUBECTL_WIN_IMAGES beats the file. */
  readonly images: ImagesMode | null;
  /** How registries are reached, by their name in references. */
  readonly registries: RegistryOptions['registries'];
  readonly hostProcess: HostProcessSettings;
}

/** What the commands below `hostprocess` do where flags say nothing. */
export interface HostProcessSettings {
  /** Of their pods; null for the one that the program knows. Pulled by nodes: `registries` has no part in it. KUBECTL_WIN_HOSTPROCESS_IMAGE beats the file. */
  readonly image: string | null;
  /** imagePullSecrets by name. */
  readonly pullSecrets: readonly string[];
  /** Where their pods are made when -n is not given. */
  readonly namespace: string | null;
  /** More nodes than that are asked about. */
  readonly confirmAbove: number;
}

const CONFIRM_ABOVE = 5;

/** Values of --images. */
export const IMAGES_MODES = ['auto', 'registry', 'tags', 'off'] as const;
export type ImagesMode = (typeof IMAGES_MODES)[number];

/** What `check` does by default. */
export interface CheckSettings {
  /** Rules that are left out: ids or numbers. */
  readonly skip: readonly string[];
  /** Severity by rule, in place of its own. */
  readonly severity: Readonly<Record<string, Severity | 'off'>>;
  /** The file that says so, with the lines of its rules by field: `skip.sysctls`; null without a file. */
  readonly source: { readonly file: string; readonly lines: Readonly<Record<string, number>> } | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value stands, and what it is called in messages: `lifecycle.releases.ltsc2019`. */
interface Place {
  readonly node: YamlNode | Pair | null;
  readonly path: string;
}

/** What a field may hold. */
type Shape =
  | { readonly kind: 'text' | 'text list' | 'image' | 'namespace' | 'count' | 'mirror list' | 'switch' | 'day' | 'day or null' | 'version or null' | 'severity' | 'images mode' }
  /** A map with these fields. */
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Shape>> }
  /** A map whose keys are `names`, or others that `accepts` takes; `hint` says how to write them. A name that exists nowhere would change nothing, without a word. */
  | { readonly kind: 'map'; readonly of: Shape; readonly names: readonly string[]; readonly accepts?: (name: string) => boolean; readonly hint?: string };

const PROVIDERS = Object.keys({
  aks: true, 'aks-engine': true, eks: true, gke: true, openshift: true, rke2: true, k3s: true, capi: true, kubeadm: true, aws: true, azure: true, gcp: true, vsphere: true,
} satisfies Readonly<Record<NodeProvider, true>>);
const RELEASES = SERVER_RELEASES.map(({ release }) => release);
const CONTAINERD_LINES = CONTAINERD_LIFECYCLES.map(({ line }) => line);

/** A line that came after this program's tables: its vendor's end may be known already. */
function isNewerContainerdLine(name: string): boolean {
  const version = /^\d+\.\d+$/.test(name) ? parseContainerdVersion(`${name}.0`) : null;
  const newest = parseContainerdVersion(`${CONTAINERD_LINES.at(-1)}.0`);
  return version !== null && newest !== null && compareContainerdVersions(version, newest) > 0;
}

/** A registry as references name it: `docker.io`, `registry.example:5000`, `[fd00::1]:5000`. */
function isRegistryName(name: string): boolean {
  const parsed = readReference(`${name}/a`);
  return parsed.kind === 'reference' && parsed.reference.domain === name;
}

/** `HOST[:PORT][/PREFIX]` with or without a scheme. */
function isMirror(text: string): boolean {
  return isRegistryAndPath(text.replace(/^https?:\/\//, ''));
}

function isRegistryAndPath(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1) return isRegistryName(text);
  return isRegistryName(text.slice(0, slash)) && readReference(`${text.replace(/\/$/, '')}/a`).kind === 'reference';
}

const SHAPE: Shape = {
  kind: 'fields',
  fields: {
    poolLabels: { kind: 'text list' },
    // that the rules exist is checked by the command, which knows them
    check: { kind: 'fields', fields: { skip: { kind: 'text list' }, severity: { kind: 'map', names: [], accepts: () => true, of: { kind: 'severity' } } } },
    images: { kind: 'images mode' },
    registries: {
      kind: 'map', names: [], accepts: isRegistryName, hint: 'write it as in image names: HOST[:PORT], without a scheme or wildcard; Docker Hub is docker.io',
      of: {
        kind: 'fields',
        fields: { mirrors: { kind: 'mirror list' }, plainHTTP: { kind: 'switch' }, certificateAuthority: { kind: 'text' }, insecureSkipTLSVerify: { kind: 'switch' } } satisfies Record<keyof RegistrySettings, Shape>,
      },
    },
    hostProcess: {
      kind: 'fields',
      fields: { image: { kind: 'image' }, pullSecrets: { kind: 'text list' }, namespace: { kind: 'namespace' }, confirmAbove: { kind: 'count' } } satisfies Record<keyof HostProcessSettings, Shape>,
    },
    lifecycle: {
      kind: 'fields',
      fields: {
        releases: { kind: 'map', names: RELEASES, of: { kind: 'fields', fields: { mainstreamEnd: { kind: 'day' }, extendedEnd: { kind: 'day or null' } } } },
        providers: {
          kind: 'map',
          names: PROVIDERS,
          of: {
            kind: 'map',
            names: RELEASES,
            of: {
              kind: 'fields',
              fields: {
                end: { kind: 'day or null' }, imagesRemoved: { kind: 'day or null' },
                firstKubernetes: { kind: 'version or null' }, lastKubernetes: { kind: 'version or null' },
              },
            },
          },
        },
        containerd: { kind: 'map', names: CONTAINERD_LINES, accepts: isNewerContainerdLine, of: { kind: 'day or null' } },
      },
    },
  },
};

/** Reads the configuration; without a file, what the environment says. Throws InputError with file and line for whatever is not understood. */
export async function loadSettings(env: Environment, signal?: AbortSignal): Promise<Settings> {
  const named = env['KUBECTL_WIN_CONFIG'];
  const file = named !== undefined && named !== '' ? named : join(env['HOME'] ?? env['USERPROFILE'] ?? homedir(), '.kube', 'kubectl-win.yaml');
  let text = '';
  try {
    text = await realPorts.readTextFile(file, signal);
  } catch (error) {
    signal?.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT';
    if (code === 'EISDIR') throw new InputError({ file }, 'is a folder, not a configuration file', { cause: error });
    if (!isMissing) throw new InputError({ file }, `cannot be read: ${(error as Error).message}`, { cause: error });
    if (named !== undefined && named !== '') {
      throw new InputError({ file }, 'no such file', { suggestions: ['KUBECTL_WIN_CONFIG names it; unset it, or create the file'], cause: error });
    }
  }
  const value: SettingsInFile = text.trim() === '' ? {} : await parseSettings(text, file);
  const poolLabels = env['KUBECTL_WIN_POOL_LABELS'];
  return {
    poolLabels: poolLabels === undefined ? value.poolLabels ?? [] : poolLabels.split(',').map((label) => label.trim()).filter((label) => label !== ''),
    lifecycle: value.lifecycle ?? {},
    check: { skip: value.check?.skip ?? [], severity: value.check?.severity ?? {}, source: value.check?.source ?? null },
    images: imagesModeOf(env) ?? value.images ?? null,
    registries: Object.fromEntries(Object.entries(value.registries ?? {}).map(([name, settings]) => [name, withAbsolutePath(settings, file)])),
    hostProcess: {
      image: hostProcessImageOf(env) ?? value.hostProcess?.image ?? null, pullSecrets: value.hostProcess?.pullSecrets ?? [], namespace: value.hostProcess?.namespace ?? null, confirmAbove: value.hostProcess?.confirmAbove ?? CONFIRM_ABOVE,
    },
  };
}

/** KUBECTL_WIN_HOSTPROCESS_IMAGE; null where it is not set. */
function hostProcessImageOf(env: Environment): string | null {
  const text = env['KUBECTL_WIN_HOSTPROCESS_IMAGE'] ?? '';
  if (text === '') return null;
  if (readReference(text).kind !== 'reference') throw new UsageError(`KUBECTL_WIN_HOSTPROCESS_IMAGE is ${JSON.stringify(text)}, which is no reference of an image`);
  return text;
}

/** KUBECTL_WIN_IMAGES; null where it is not set. */
function imagesModeOf(env: Environment): ImagesMode | null {
  const text = env['KUBECTL_WIN_IMAGES'] ?? '';
  if (text === '') return null;
  const mode = IMAGES_MODES.find((one) => one === text);
  if (mode === undefined) throw new UsageError(`KUBECTL_WIN_IMAGES is ${JSON.stringify(text)}, and has to be one of ${IMAGES_MODES.join(', ')}`);
  return mode;
}

/** Paths of a configuration file are meant from its folder, as those of a kubeconfig. */
function withAbsolutePath(settings: RegistrySettings, file: string): RegistrySettings {
  return settings.certificateAuthority === undefined ? settings : { ...settings, certificateAuthority: resolve(dirname(file), settings.certificateAuthority) };
}

/** Everything may be missing. */
type SettingsInFile = Partial<Omit<Settings, 'check' | 'hostProcess'>> & { readonly check?: Partial<CheckSettings>; readonly hostProcess?: Partial<HostProcessSettings> };

/** Characters; all rules with a severity of their own are a tenth of it. Each key is compared with all others, so that a big file would take hours. */
const LONGEST_TEXT = 2 ** 16;

async function parseSettings(text: string, file: string): Promise<SettingsInFile> {
  if (text.length > LONGEST_TEXT) throw new InputError({ file }, 'is too large for a configuration file: it has more than 64 KiB', { suggestions: ['KUBECTL_WIN_CONFIG names the file to read'] });
  if (text.includes('\0')) throw new InputError({ file }, 'is binary, not a configuration file', { suggestions: ['KUBECTL_WIN_CONFIG names the file to read'] });
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document: Document = yaml.parseDocument(text, { lineCounter: lines, uniqueKeys: true, schema: 'core' });
  const lineOf = (offset: number | undefined): number | null => (offset === undefined ? null : lines.linePos(offset).line);
  const fail = (place: Place, problem: string, suggestions: readonly string[] = []): never => {
    const anchor = yaml.isPair(place.node) ? (place.node.key as YamlNode) : place.node;
    throw new InputError({ file, line: lineOf(anchor?.range?.[0]) }, `${place.path === '' ? '' : `${place.path}: `}${problem}`, { suggestions });
  };
  const [problem] = document.errors;
  if (problem?.code === 'RESOURCE_EXHAUSTION') throw new InputError({ file }, 'cannot be read: its maps and lists stand too deep in each other');
  if (problem !== undefined) throw new InputError({ file, line: lineOf(problem.pos[0]) }, `not YAML: ${problem.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? ''}`);

  const check = (node: unknown, shape: Shape, place: Place): void => {
    if (shape.kind === 'fields' || shape.kind === 'map') {
      if (!yaml.isMap(node)) return fail(place, 'must be a map');
      for (const pair of node.items) {
        const key = yaml.isScalar(pair.key) ? String(pair.key.source ?? pair.key.value) : '';
        const inner: Place = { node: pair, path: place.path === '' ? key : `${place.path}.${key}` };
        if (shape.kind === 'map') {
          if (yaml.isScalar(pair.key) && typeof pair.key.value === 'number' && String(pair.key.value) !== key) fail(inner, 'write the key in quotes: without them it is read as a number');
          if (!shape.names.includes(key) && shape.accepts?.(key) !== true) {
            const guess = shape.names.find((name) => key.length > 2 && name.endsWith(key)) ?? nearest(key, shape.names); // 2022: ltsc2022, not 20H2
            fail(inner, 'unknown name', [guess === null ? shape.hint ?? `Known names: ${shape.names.join(', ')}` : `Did you mean ${guess}?`]);
          }
          check(pair.value, shape.of, inner);
          continue;
        }
        const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
        if (field === undefined) {
          const known = Object.keys(shape.fields);
          const guess = nearest(key, known);
          return fail(inner, 'unknown field', [guess === null ? `Known fields: ${known.join(', ')}` : `Did you mean ${guess}?`]);
        }
        check(pair.value, field, inner);
      }
      return;
    }
    const content: unknown = yaml.isNode(node) ? node.toJS(document) : null;
    switch (shape.kind) {
      case 'text list':
        if (!Array.isArray(content) || content.some((entry) => typeof entry !== 'string' || entry === '')) fail(place, 'must be a list of texts');
        return;
      case 'mirror list': {
        const wrong = Array.isArray(content) ? content.find((entry) => typeof entry !== 'string' || !isMirror(entry)) : content;
        if (!Array.isArray(content) || wrong !== undefined) fail(place, `${JSON.stringify(wrong)} is no mirror: write HOST[:PORT][/PREFIX], with http:// before it for plain HTTP`);
        return;
      }
      case 'text':
        if (typeof content !== 'string' || content === '') fail(place, 'must be a text');
        return;
      case 'image':
        if (typeof content !== 'string' || readReference(content).kind !== 'reference') fail(place, `${JSON.stringify(content)} is no reference of an image`);
        return;
      case 'namespace':
        if (typeof content !== 'string' || !isDnsLabel(content)) fail(place, `${JSON.stringify(content)} is no name of a namespace`);
        return;
      case 'count':
        if (typeof content !== 'number' || !Number.isSafeInteger(content) || content < 0) fail(place, `${JSON.stringify(content)} is no count: write a whole number from 0 on`);
        return;
      case 'switch':
        if (typeof content !== 'boolean') fail(place, `${JSON.stringify(content)} is neither true nor false`);
        return;
      case 'images mode':
        // `off` without quotes may be meant, and is text in the core schema
        if (!IMAGES_MODES.some((mode) => mode === content)) fail(place, `${JSON.stringify(content)} is none of ${IMAGES_MODES.join(', ')}`);
        return;
      case 'severity':
        // `off` without quotes is text in the core schema, but `false` is what YAML 1.1 people may know it as
        if (content !== 'error' && content !== 'warning' && content !== 'info' && content !== 'off') fail(place, `${JSON.stringify(content)} is no severity: error, warning, info or off`);
        return;
      case 'day':
      case 'day or null':
        if (content === null && shape.kind === 'day or null') return;
        if (typeof content !== 'string' || !isIsoDay(content)) fail(place, `${JSON.stringify(content)} is no day: write it as YYYY-MM-DD`);
        return;
      case 'version or null':
        if (content === null) return;
        // 1.30 without quotes is the number 1.3: the text as written would be lost without a word
        if (typeof content !== 'string' || !/^\d+\.\d+$/.test(content)) fail(place, `${JSON.stringify(content)} is no Kubernetes minor version: write it in quotes, as "1.34"`);
        return;
    }
  };
  if (document.contents === null) return {};
  check(document.contents, SHAPE, { node: document.contents as YamlNode, path: '' });
  const settings = document.toJS() as SettingsInFile;
  if (settings.check === undefined) return settings;
  const named: Record<string, number> = {};
  const note = (field: string, node: unknown): void => {
    const line = yaml.isScalar(node) ? lineOf(node.range?.[0]) : null;
    if (yaml.isScalar(node) && line !== null) named[`${field}.${String(node.value)}`] = line;
  };
  const skip = document.getIn(['check', 'skip'], true);
  const severity = document.getIn(['check', 'severity'], true);
  for (const item of yaml.isSeq(skip) ? skip.items : []) note('skip', item);
  for (const { key } of yaml.isMap(severity) ? severity.items : []) note('severity', key);
  return { ...settings, check: { ...settings.check, source: { file, lines: named } } };
}
