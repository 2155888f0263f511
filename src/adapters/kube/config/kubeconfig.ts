/**
 * What a kubeconfig file says, read as client-go reads it: unknown fields are ignored, wrong types are errors, maps are
 * keyed by name. The names of the fields are those of @kubernetes/client-node, which lacks some of them.
 * https://github.com/kubernetes/client-go/blob/v0.37.2/tools/clientcmd/api/v1/types.go, read 2026-11-30.
 */
import type { Cluster, Context, User } from '@kubernetes/client-node/dist/config_types.js';
import { isRecord } from '../../../domain/kubernetes/object.ts';
import { InputError } from '../../../errors.ts';

/** A cluster entry. `caData` is base64 as in the file. */
export interface KubeconfigCluster extends Readonly<Cluster> {
  readonly disableCompression: boolean;
  /** The extension `client.authentication.k8s.io/exec`, handed to credential plugins that ask for cluster information. */
  readonly execConfig?: unknown;
  /** The file that the entry stands in. */
  readonly origin: string;
}

/** `users[].user.exec`: a credential plugin. `command` is absolute when the file gave a path. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  /** As written; validated later, so that a broken user that is not used does not matter. */
  readonly interactiveMode: string;
}

/** `users[].user.auth-provider`: what there was before credential plugins. */
interface AuthProviderConfig {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/** A user entry. `certData` and `keyData` are base64 as in the file. */
export interface KubeconfigUser extends Readonly<Omit<User, 'exec' | 'authProvider'>> {
  readonly tokenFile?: string;
  readonly impersonateUid?: string;
  readonly impersonateGroups: readonly string[];
  readonly impersonateExtra: Readonly<Record<string, readonly string[]>>;
  readonly exec?: ExecConfig;
  readonly authProvider?: AuthProviderConfig;
  readonly origin: string;
}

export interface KubeconfigContext extends Readonly<Context> {
  readonly origin: string;
}

/** One file, or several merged. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  /** '' when none is set. */
  readonly currentContext: string;
  /** The file that sets currentContext; null when none does. */
  readonly currentContextOrigin: string | null;
}

export const EMPTY_KUBECONFIG: Kubeconfig = { clusters: new Map(), users: new Map(), contexts: new Map(), currentContext: '', currentContextOrigin: null };

/** Name of the cluster extension for credential plugins (clientcmd/client_config.go, clusterExtensionKey). */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';
/** With a length that four divides, these are the texts that Go's decoder takes; a pattern of groups of four takes 5 ms for one file. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export type FieldPath = readonly (string | number)[];

/** A field that cannot be what it says. The place is looked up only then, as that takes a slower parser. */
class FieldProblem extends Error {
  readonly path: FieldPath;
  constructor(path: FieldPath, problem: string) {
    super(problem);
    this.path = path;
  }
}

/**
 * Reads the text of one kubeconfig, YAML or JSON. Of several YAML documents the first counts, as for kubectl.
 * Throws InputError with file and line; no error text holds a value of the file, as any may be a secret.
 */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const document = await parseDocument(text, file);
  try {
    return kubeconfigOf(document, file);
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    const { lineOfField } = await import('./field-position.ts');
    throw new InputError({ file, line: await lineOfField(text, error.path) }, error.message, {
      suggestions: ['kubectl config view --kubeconfig FILE shows how kubectl reads a kubeconfig'],
    });
  }
}

async function parseDocument(text: string, file: string): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch {
      // YAML in flow style, or broken JSON: the YAML parser knows the line.
    }
  }
  if (text.includes('\0')) throw new InputError({ file }, 'is not a kubeconfig: the file is binary');
  const [{ YAMLException, loadAll }, { KUBECTL_SCHEMA }] = await Promise.all([import('js-yaml'), import('../../inventory/yaml-schema.ts')]);
  try {
    // json: a key that stands twice is no error and the last one counts, as for kubectl.
    return loadAll(text, { schema: KUBECTL_SCHEMA, json: true, maxAliases: 1000 })[0];
  } catch (error) {
    if (!(error instanceof YAMLException)) throw new InputError({ file }, 'is not valid YAML', { cause: error });
    const line = error.mark === undefined ? null : error.mark.line + 1;
    throw new InputError({ file, line, column: error.mark === undefined ? null : error.mark.column + 1 }, `is not valid YAML: ${withoutQuotes(error.reason)}`);
  }
}

/** What the parser quotes (names of aliases and tags) may be a token that YAML reads so: `token: *abc`. */
function withoutQuotes(reason: string): string {
  return reason.replaceAll(/\s*(?:"[^"]{2,}"|!?<.*>|: .*)/gs, '');
}

function kubeconfigOf(document: unknown, file: string): Kubeconfig {
  if (document === undefined || document === null) return EMPTY_KUBECONFIG;
  if (!isRecord(document)) throw new FieldProblem([], `is not a kubeconfig: a map with clusters, users and contexts is needed, this is ${kindOf(document)}`);
  const apiVersion = text(document, [], 'apiVersion') ?? 'v1';
  const kind = text(document, [], 'kind') ?? 'Config';
  if (kind !== 'Config' || apiVersion !== 'v1') {
    throw new FieldProblem(['kind'], `is not a kubeconfig: kind Config of apiVersion v1 is needed, this is ${kind} of ${apiVersion}`);
  }
  const currentContext = text(document, [], 'current-context') ?? '';
  return {
    clusters: named(document, 'clusters', 'cluster', (fields, path, name) => clusterOf(fields, path, name, file)),
    users: named(document, 'users', 'user', (fields, path, name) => userOf(fields, path, name, file)),
    contexts: named(document, 'contexts', 'context', (fields, path, name): KubeconfigContext => ({
      name,
      cluster: text(fields, path, 'cluster') ?? '',
      user: text(fields, path, 'user') ?? '',
      ...optional('namespace', text(fields, path, 'namespace')),
      origin: file,
    })),
    currentContext,
    currentContextOrigin: currentContext === '' ? null : file,
  };
}

function clusterOf(fields: Fields, path: FieldPath, name: string, file: string): KubeconfigCluster {
  const execConfig = list(fields, path, 'extensions').find((extension) => isRecord(extension) && extension['name'] === EXEC_EXTENSION);
  return {
    name,
    server: text(fields, path, 'server') ?? '',
    skipTLSVerify: flag(fields, path, 'insecure-skip-tls-verify'),
    disableCompression: flag(fields, path, 'disable-compression'),
    ...optional('caData', base64(fields, path, 'certificate-authority-data')),
    ...optional('caFile', text(fields, path, 'certificate-authority')),
    ...optional('tlsServerName', text(fields, path, 'tls-server-name')),
    ...optional('proxyUrl', text(fields, path, 'proxy-url')),
    ...(isRecord(execConfig) ? { execConfig: execConfig['extension'] } : {}),
    origin: file,
  };
}

function userOf(fields: Fields, path: FieldPath, name: string, file: string): KubeconfigUser {
  const extra = record(fields, path, 'as-user-extra');
  const exec = record(fields, path, 'exec');
  const provider = record(fields, path, 'auth-provider');
  return {
    name,
    ...optional('certData', base64(fields, path, 'client-certificate-data')),
    ...optional('certFile', text(fields, path, 'client-certificate')),
    ...optional('keyData', base64(fields, path, 'client-key-data')),
    ...optional('keyFile', text(fields, path, 'client-key')),
    ...optional('token', text(fields, path, 'token')),
    ...optional('tokenFile', text(fields, path, 'tokenFile')),
    ...optional('username', text(fields, path, 'username')),
    ...optional('password', text(fields, path, 'password')),
    ...optional('impersonateUser', text(fields, path, 'as')),
    ...optional('impersonateUid', text(fields, path, 'as-uid')),
    impersonateGroups: texts(fields, path, 'as-groups'),
    impersonateExtra: Object.fromEntries(Object.keys(extra ?? {}).map((key) => [key, texts(extra ?? {}, [...path, 'as-user-extra'], key)])),
    ...(exec === undefined ? {} : { exec: execOf(exec, [...path, 'exec']) }),
    ...(provider === undefined ? {} : { authProvider: providerOf(provider, [...path, 'auth-provider']) }),
    origin: file,
  };
}

function execOf(fields: Fields, path: FieldPath): ExecConfig {
  const apiVersion = text(fields, path, 'apiVersion') ?? '';
  return {
    apiVersion,
    command: text(fields, path, 'command') ?? '',
    args: texts(fields, path, 'args'),
    env: list(fields, path, 'env').map((entry, index) => {
      const at = [...path, 'env', index];
      if (!isRecord(entry)) throw wrongType(at, 'a map with name and value', entry);
      return { name: text(entry, at, 'name') ?? '', value: text(entry, at, 'value') ?? '' };
    }),
    installHint: text(fields, path, 'installHint') ?? '',
    provideClusterInfo: flag(fields, path, 'provideClusterInfo'),
    // The beta versions came before the field and mean IfAvailable without it (clientcmd/api/v1/defaults.go).
    interactiveMode: text(fields, path, 'interactiveMode') ?? (/^client\.authentication\.k8s\.io\/v1(alpha|beta)1$/.test(apiVersion) ? 'IfAvailable' : ''),
  };
}

function providerOf(fields: Fields, path: FieldPath): AuthProviderConfig {
  const config = record(fields, path, 'config') ?? {};
  return {
    name: text(fields, path, 'name') ?? '',
    config: Object.fromEntries(Object.keys(config).map((key) => [key, text(config, [...path, 'config'], key) ?? ''])),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A list of `{name, <field>: {…}}` as a map. A missing name is the name '', two entries of one name are an error: client-go's rules. */
function named<T>(document: Fields, listName: string, field: string, read: (fields: Fields, path: FieldPath, name: string) => T): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  for (const [index, entry] of list(document, [], listName).entries()) {
    const path = [listName, index];
    if (entry !== null && !isRecord(entry)) throw wrongType(path, `a map with name and ${field}`, entry);
    const name = text(entry ?? {}, path, 'name') ?? '';
    if (entries.has(name)) throw new FieldProblem(path, `duplicate name ${JSON.stringify(name)} in ${listName}`);
    entries.set(name, read(record(entry ?? {}, path, field) ?? {}, [...path, field], name));
  }
  return entries;
}

/** '' and null count as not set, as Go's zero values do. */
function text(fields: Fields, path: FieldPath, name: string): string | undefined {
  const value = own(fields, name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw wrongType([...path, name], 'a string', value);
  return value;
}

function flag(fields: Fields, path: FieldPath, name: string): boolean {
  const value = own(fields, name);
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrongType([...path, name], 'true or false', value);
  return value;
}

function list(fields: Fields, path: FieldPath, name: string): readonly unknown[] {
  const value = own(fields, name);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongType([...path, name], 'a list', value);
  return value;
}

function texts(fields: Fields, path: FieldPath, name: string): readonly string[] {
  return list(fields, path, name).map((value, index) => {
    if (value === null) return '';
    if (typeof value !== 'string') throw wrongType([...path, name, index], 'a string', value);
    return value;
  });
}

function record(fields: Fields, path: FieldPath, name: string): Fields | undefined {
  const value = own(fields, name);
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) throw wrongType([...path, name], 'a map', value);
  return value;
}

function base64(fields: Fields, path: FieldPath, name: string): string | undefined {
  const value = text(fields, path, name)?.replaceAll(/[\r\n]/g, '');
  if (value === undefined) return undefined;
  if (value.length % 4 !== 0 || !BASE64.test(value)) throw new FieldProblem([...path, name], `${pathText([...path, name])}: illegal base64 data`);
  return value;
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function wrongType(path: FieldPath, wanted: string, value: unknown): FieldProblem {
  const quoting = wanted === 'a string' && (typeof value === 'number' || typeof value === 'boolean') ? '; put it in quotes' : '';
  return new FieldProblem(path, `${pathText(path)} must be ${wanted}, not ${kindOf(value)}${quoting}`);
}

function pathText(path: FieldPath): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : { [key]: value } as { readonly [P in K]: V };
}

/** Several files as one: for each name the first file that has it counts whole, and so does the first current-context. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const current = configs.find((config) => config.currentContext !== '');
  return {
    clusters: firstWins(configs.map((config) => config.clusters)),
    users: firstWins(configs.map((config) => config.users)),
    contexts: firstWins(configs.map((config) => config.contexts)),
    currentContext: current?.currentContext ?? '',
    currentContextOrigin: current?.currentContextOrigin ?? null,
  };
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  const merged = new Map<string, T>();
  for (const map of maps) {
    for (const [name, entry] of map) if (!merged.has(name)) merged.set(name, entry);
  }
  return merged;
}
