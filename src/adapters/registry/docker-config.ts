/**
 * The user's own credentials, where Docker and podman keep them:
 * https://docs.docker.com/reference/cli/docker/login/, https://man.archlinux.org/man/containers-auth.json.5, read 2026-11-30.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../domain/kubernetes/object.ts';
import { codeOf } from '../http/network-error.ts';
import type { ConnectionEnvironment } from '../kube/config/environment.ts';
import { FileTooLargeError, readSmallFile } from '../open-file.ts';
import { askHelper, helperProgram, type HelperAnswer } from './credential-program.ts';
import { decodeAuth, type RegistryCredentials } from './registry-credentials.ts';
import { formatSeconds } from './registry-error.ts';

export interface FoundCredentials {
  /** null where none are kept. */
  readonly credentials: RegistryCredentials | null;
  /** Why those that should be there could not be had, as a clause: `docker-credential-x of FILE is not in PATH`. */
  readonly problem: string | null;
}

interface ConfigFile {
  readonly path: string;
  readonly auths: Readonly<Record<string, unknown>>;
  /** Keys of auths that stand for a host as a whole. */
  readonly keysOfHosts: ReadonlyMap<string | null, readonly string[]>;
  readonly helpers: Readonly<Record<string, unknown>>;
  readonly store: string;
}

/** Docker Hub's name in Docker's own configuration. */
const HUB_SERVER_URL = 'https://index.docker.io/v1/';
const HUB_NAMES: ReadonlySet<string> = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

export class DockerConfig {
  readonly #environment: ConnectionEnvironment;
  readonly #signal: AbortSignal;
  readonly #helperTimeoutMs: number;
  readonly #notes = new Set<string>();
  readonly #closing = new AbortController();
  readonly #answers = new Map<string, Promise<HelperAnswer>>();
  #files: Promise<readonly ConfigFile[]> | undefined;

  /** `signal`: ends helpers, with the whole run. `helperTimeoutMs`: for a helper, and for all files, one of which may be a pipe. */
  constructor(environment: ConnectionEnvironment, signal: AbortSignal, helperTimeoutMs: number) {
    this.#environment = environment;
    this.#signal = AbortSignal.any([signal, this.#closing.signal]);
    this.#helperTimeoutMs = helperTimeoutMs;
  }

  /** Files that are there and could not be used, a clause each; known after the first `find`. */
  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Ends helpers, and what is still read. */
  close(): void {
    this.#closing.abort(new Error('the credentials were closed'));
  }

  /** Credentials for a host, and for a repository there: the first file that has some. Throws what the signal was aborted with. */
  async find(host: string, repository: string, signal: AbortSignal): Promise<FoundCredentials> {
    if (this.#files === undefined) {
      this.#files = this.#read();
      this.#files.catch(() => undefined);
    }
    for (const file of await unlessAborted(this.#files, signal)) {
      const found = await this.#findIn(file, host, repository, signal);
      if (found.credentials !== null || found.problem !== null) return found;
    }
    return { credentials: null, problem: null };
  }

  async #findIn(file: ConfigFile, host: string, repository: string, signal: AbortSignal): Promise<FoundCredentials> {
    const ofHost = helperNames(host).map((name) => file.helpers[name]).find((name) => typeof name === 'string');
    const helper = typeof ofHost === 'string' ? ofHost : file.store;
    const kept = this.#entryFor(file, host, repository);
    if (helper === '') return { credentials: kept, problem: null };
    const program = helperProgram(helper);
    if (program === null) return { credentials: kept, problem: kept === null ? `${JSON.stringify(helper.slice(0, 40))} in ${file.path} is no name of a credential helper` : null };
    const answer = await this.#ask(program, HUB_NAMES.has(host) ? HUB_SERVER_URL : host, signal);
    if ('credentials' in answer) return { credentials: answer.credentials ?? kept, problem: null };
    return { credentials: kept, problem: kept === null ? `the credential helper ${program}, which ${file.path} names, ${answer.problem}` : null };
  }

  /**
   * The entry for a repository, the longest key first; then one for its host. podman's keys may hold a path, and then stand for what is
   * below it; those of Docker may be URLs, and then stand for the host (normalizeRegistry of
   * https://github.com/containers/image/blob/008a60e0b11702643b33e5c2826f672ceaccacd3/pkg/docker/config/config.go, which has it from Docker, read 2026-11-30).
   */
  #entryFor(file: ConfigFile, host: string, repository: string): RegistryCredentials | null {
    const isHub = HUB_NAMES.has(host);
    const parts = repository.split('/');
    const exact = parts.map((_, index) => [isHub ? 'docker.io' : host, ...parts.slice(0, parts.length - index)].join('/'));
    for (const key of [...exact, ...(isHub ? [HUB_SERVER_URL, 'docker.io'] : [host])]) {
      const credentials = this.#decoded(file, key);
      if (credentials !== null) return credentials;
    }
    for (const key of (isHub ? [...HUB_NAMES] : [host]).flatMap((name) => file.keysOfHosts.get(name) ?? [])) {
      const credentials = this.#decoded(file, key);
      if (credentials !== null) return credentials;
    }
    return null;
  }

  #decoded({ path, auths }: ConfigFile, key: string): RegistryCredentials | null {
    const entry = Object.hasOwn(auths, key) ? auths[key] : undefined;
    if (!isRecord(entry)) return null;
    const credentials = decodeAuth(entry);
    if (credentials === null && typeof entry['auth'] === 'string' && entry['auth'] !== '') this.#notes.add(`the credentials for ${key} in ${path} were not used: their auth is no base64 of USER:PASSWORD`);
    return credentials;
  }

  /** Once per run, as some helpers ask a keychain that asks the user. The wait of one caller ends with its signal, the helper goes on for the others. */
  async #ask(program: string, serverUrl: string, signal: AbortSignal): Promise<HelperAnswer> {
    const key = JSON.stringify([program, serverUrl]);
    let answer = this.#answers.get(key);
    if (answer === undefined) {
      answer = askHelper(program, serverUrl, { environment: this.#environment, signal: this.#signal, timeoutMs: this.#helperTimeoutMs });
      answer.catch(() => undefined);
      this.#answers.set(key, answer);
    }
    return unlessAborted(answer, signal);
  }

  async #read(): Promise<readonly ConfigFile[]> {
    const files: ConfigFile[] = [];
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(new SlowFileError(this.#helperTimeoutMs)), this.#helperTimeoutMs);
    try {
      for (const path of configFiles(this.#environment)) {
        const file = await this.#readFile(path, AbortSignal.any([this.#signal, slow.signal]));
        if (file !== null) files.push(file);
      }
    } finally {
      clearTimeout(timer);
    }
    return files;
  }

  async #readFile(path: string, signal: AbortSignal): Promise<ConfigFile | null> {
    let document: unknown;
    try {
      if ((await stat(path)).isCharacterDevice()) throw new DeviceError();
      // A pipe is waited for: `DOCKER_CONFIG` may be made of one.
      document = JSON.parse((await readSmallFile(path, signal)).toString('utf8').replace(/^\uFEFF/, ''));
    } catch (error) {
      this.#signal.throwIfAborted();
      const problem = fileProblem(error);
      if (problem !== null) this.#notes.add(`the credentials in ${path} were not read: ${problem}`);
      return null;
    }
    const part = (name: string): Readonly<Record<string, unknown>> => (isRecord(document) && isRecord(document[name]) ? document[name] : {});
    const auths = part('auths');
    return { path, auths, keysOfHosts: Map.groupBy(Object.keys(auths), hostOfKey), helpers: part('credHelpers'), store: isRecord(document) && typeof document['credsStore'] === 'string' ? document['credsStore'] : '' };
  }
}

class SlowFileError extends Error {
  constructor(milliseconds: number) {
    super(`nobody wrote them into the pipe within ${formatSeconds(milliseconds / 1000)}`);
  }
}

class DeviceError extends Error {
  constructor() {
    super('it is a device');
  }
}

/** null for a file that is not there. A JSON error would quote the text. */
function fileProblem(error: unknown): string | null {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  if (error instanceof SlowFileError || error instanceof DeviceError || error instanceof FileTooLargeError) return error.message;
  return code === '' ? 'it is no JSON' : code;
}

/** What work comes to, or what the signal was aborted with before; the work goes on for others. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Files in the order in which they are asked: those that a variable names before those of the usual places. */
export function configFiles({ variables, homeFolder }: ConnectionEnvironment): readonly string[] {
  const docker = variables['DOCKER_CONFIG'];
  const podman = variables['REGISTRY_AUTH_FILE'];
  const runtime = variables['XDG_RUNTIME_DIR'];
  const config = variables['XDG_CONFIG_HOME'] || (homeFolder === '' ? '' : join(homeFolder, '.config'));
  return [
    ...(docker ? [join(docker, 'config.json')] : []),
    ...(podman ? [podman] : []),
    ...(docker || homeFolder === '' ? [] : [join(homeFolder, '.docker', 'config.json')]),
    ...(podman ? [] : [...(runtime ? [join(runtime, 'containers', 'auth.json')] : []), ...(config === '' ? [] : [join(config, 'containers', 'auth.json')])]),
  ];
}

function helperNames(host: string): readonly string[] {
  return HUB_NAMES.has(host) ? ['docker.io', 'index.docker.io', HUB_SERVER_URL, 'registry-1.docker.io'] : [host];
}

/** null for a key that is meant for a part of a host. */
function hostOfKey(key: string): string | null {
  const url = /^https?:\/\/([^/]*)/i.exec(key);
  if (url !== null) return url[1] ?? '';
  const [host = '', ...path] = key.split('/');
  return path.length === 0 || /^(?:v[12]\/?)?$/.test(path.join('/')) ? host : null;
}
