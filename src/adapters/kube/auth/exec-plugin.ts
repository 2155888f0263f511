/**
 * Credential plugins, as client-go runs them: https://github.com/kubernetes/client-go/blob/v0.37.2/plugin/pkg/client/auth/exec/exec.go
 * and https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins, read 2026-11-30.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { basename } from 'node:path';
import { isRecord, stringAt, valueAt } from '../../../domain/kubernetes/object.ts';
import { ClusterError } from '../../../errors.ts';
import type { ConnectionEnvironment } from '../config/environment.ts';
import { isPath } from '../config/kubeconfig-files.ts';
import { pluginPolicy, policyProblem } from '../config/kuberc.ts';
import type { ExecConfig, KubeconfigCluster } from '../config/kubeconfig.ts';
import type { CredentialSource, RequestCredentials } from '../connection.ts';
import { pairProblem } from './client-certificate.ts';
import { cleanPath, findExecutable, spawnCommand } from './executable.ts';
import { SingleFlight } from './single-flight.ts';
import { bearer } from './static-credentials.ts';

export interface ExecPluginOptions {
  readonly userName: string;
  /** File that the user stands in, for messages. */
  readonly origin: string;
  readonly exec: ExecConfig;
  /** With the flags on top. */
  readonly cluster: KubeconfigCluster;
  /** PEM of the cluster's certificate authority. */
  readonly ca: string | undefined;
  readonly environment: ConnectionEnvironment;
  /** --kuberc. */
  readonly kuberc: string | undefined;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** A credential with two certificates has some ten kilobytes. */
const LARGEST_OUTPUT_BYTES = 1024 * 1024;
const KILL_AFTER_MILLISECONDS = 2000;
const DOCUMENTATION = 'https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins';

/**
 * Credentials from a program. It runs when credentials are first needed, once for all who wait, and again when its
 * credentials have expired or were refused. Throws ClusterError with reason CredentialPlugin; output of the plugin, its
 * arguments and its environment never come into an error text, as they may hold secrets.
 */
export function execPluginCredentials(options: ExecPluginOptions): CredentialSource {
  if (!API_VERSIONS.includes(options.exec.apiVersion)) {
    throw new ClusterError(`exec plugin: invalid apiVersion ${JSON.stringify(options.exec.apiVersion)}`, {
      reason: 'BadConfiguration',
      suggestions: [`set apiVersion of user ${JSON.stringify(options.userName)} in ${options.origin} to one of ${API_VERSIONS.join(', ')}, which a current version of ${options.exec.command} should know`],
    });
  }
  return new ExecPlugin(options);
}

interface PluginCredentials {
  readonly credentials: RequestCredentials;
  /** Milliseconds since 1970; null for ever. */
  readonly expiresAt: number | null;
}

class ExecPlugin implements CredentialSource {
  readonly #options: ExecPluginOptions;
  readonly #run: SingleFlight<PluginCredentials>;
  #cached: PluginCredentials | null = null;

  constructor(options: ExecPluginOptions) {
    this.#options = options;
    this.#run = new SingleFlight(async (signal) => {
      this.#cached = await runPlugin(options, signal);
      return this.#cached;
    });
  }

  async get(signal?: AbortSignal): Promise<RequestCredentials> {
    const cached = this.#cached;
    if (cached !== null && (cached.expiresAt === null || this.#options.environment.now() <= cached.expiresAt)) return cached.credentials;
    return (await this.#run.run(signal)).credentials;
  }

  refresh(_signal?: AbortSignal, used?: RequestCredentials): Promise<boolean> {
    if (used === undefined || used === this.#cached?.credentials) this.#cached = null;
    return Promise.resolve(true);
  }
}

async function runPlugin(options: ExecPluginOptions, signal: AbortSignal): Promise<PluginCredentials> {
  const { exec, environment } = options;
  const interactive = isInteractive(options);
  const path = await permittedExecutable(options);
  environment.onCredentialPlugin?.('started');
  let output: string;
  try {
    output = await outputOf(path, interactive, options, signal);
  } finally {
    environment.onCredentialPlugin?.('ended');
  }
  return credentialsIn(await decode(output, options), exec.apiVersion, options);
}

/** Whether the plugin gets standard input. */
function isInteractive(options: ExecPluginOptions): boolean {
  const { exec, environment } = options;
  if (exec.interactiveMode === 'Never') return false;
  if (exec.interactiveMode === 'IfAvailable') return environment.stdinIsTerminal && environment.stdinUnavailable === undefined;
  const problem = !environment.stdinIsTerminal ? 'standard input is not a terminal'
    : environment.stdinUnavailable === undefined ? null : `standard input is unavailable: ${environment.stdinUnavailable}`;
  if (problem === null) return true;
  throw failed(`exec plugin cannot support interactive mode: ${problem}`, [
    `${exec.command} must ask something (interactiveMode Always): run the command in a terminal, without piping into it`,
  ]);
}

async function permittedExecutable(options: ExecPluginOptions): Promise<string> {
  const { exec, environment } = options;
  const policy = await pluginPolicy(options.kuberc, environment);
  const problem = policyProblem(policy, cleanPath);
  if (problem !== null) throw failed(`allowlist misconfiguration: ${problem}`, ['mend credentialPluginPolicy and credentialPluginAllowlist in the kuberc file']);
  const command = cleanPath(exec.command);
  if (policy.type === 'DenyAll') throw failed(`plugin ${JSON.stringify(command)} not allowed: policy set to "DenyAll"`, ['the kuberc file forbids credential plugins: change credentialPluginPolicy there, or authenticate with --token']);
  const found = await findExecutable(command, environment);
  if ('problem' in found) throw notRunnable(options, found.problem);
  if (policy.type === 'Allowlist' && !await isAllowed(command, found.path, policy.allowlist ?? [], environment)) {
    throw failed(`plugin path ${JSON.stringify(found.path)} is not permitted by the credential plugin allowlist`, ['add it to credentialPluginAllowlist in the kuberc file if you trust it']);
  }
  return found.path;
}

async function isAllowed(command: string, path: string, allowlist: readonly string[], environment: ConnectionEnvironment): Promise<boolean> {
  if (allowlist.includes(command) || allowlist.includes(path)) return true;
  for (const entry of allowlist.filter((candidate) => basename(candidate) === basename(path))) {
    const found = await findExecutable(entry, environment);
    if ('path' in found && found.path === path) return true;
  }
  return false;
}

function outputOf(path: string, interactive: boolean, options: ExecPluginOptions, signal: AbortSignal): Promise<string> {
  const { exec, environment } = options;
  const command = spawnCommand(path, exec.args, environment);
  const ownGroup = !interactive && !hasTerminal(environment);
  return new Promise<string>((resolve, reject) => {
    const child = spawn(command.file, command.args, {
      env: pluginVariables(options, interactive),
      // stderr goes straight through: prompts and device codes must be seen while the plugin waits.
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      windowsHide: true,
      detached: ownGroup,
      windowsVerbatimArguments: command.windowsVerbatimArguments,
      ...(command.windowsVerbatimArguments ? {} : { argv0: exec.command }),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let killTimer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      // What the plugin has started itself is signalled with it in a group of its own only. Elsewhere it learns by the
      // closed pipe that nobody listens any more, as soon as it writes; what never writes goes on to its own end.
      child.stdout?.destroy();
      // SIGTERM first, so that a plugin can give the terminal back as it was.
      kill(child, 'SIGTERM', ownGroup);
      killTimer ??= setTimeout(() => kill(child, 'SIGKILL', ownGroup), KILL_AFTER_MILLISECONDS);
    };
    const abort = (): void => {
      stop();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= LARGEST_OUTPUT_BYTES) {
        chunks.push(chunk);
        return;
      }
      stop();
      reject(failed(`exec: executable ${exec.command} wrote more than ${LARGEST_OUTPUT_BYTES} bytes to standard output`, [`it must write one ExecCredential: ${DOCUMENTATION}`]));
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', abort);
      reject(notRunnable(options, error.code === 'ENOENT' ? 'not found' : error.code === 'EACCES' ? 'permission denied' : error.code ?? 'cannot be started'));
    });
    child.on('close', (exitCode, killedBy) => {
      clearTimeout(killTimer);
      // The plugin is gone; what it leaves behind has had its SIGTERM.
      if (killTimer !== undefined && ownGroup) kill(child, 'SIGKILL', ownGroup);
      signal.removeEventListener('abort', abort);
      if (exitCode === 0) {
        resolve(Buffer.concat(chunks).toString('utf8'));
        return;
      }
      const how = exitCode === null ? `was ended by ${killedBy ?? 'a signal'}` : `failed with exit code ${exitCode}`;
      reject(failed(`exec: executable ${exec.command} ${how}`, [
        'its own message, if it wrote one, stands above',
        `log in again with the tool that ${exec.command} belongs to, or run the command that user ${JSON.stringify(options.userName)} has in ${options.origin} by hand`,
      ]));
    });
  });
}

/**
 * Whether this process has a terminal that a plugin may use, through /dev/tty also where standard input is none. Node can
 * give a process a group of its own only together with a session of its own (setsid), which has no terminal: a plugin
 * could ask for no password there, and Ctrl-C, Ctrl-Z and the end of the terminal would not reach it. Windows has no such
 * groups.
 */
function hasTerminal(environment: ConnectionEnvironment): boolean {
  if (environment.platform === 'win32') return true;
  try {
    closeSync(openSync('/dev/tty', 'r+'));
    return true;
  } catch {
    return false;
  }
}

/** Signals a plugin, or the whole group that it leads. */
function kill(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL', ownGroup: boolean): void {
  if (!ownGroup || child.pid === undefined) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nobody of the group is left.
  }
}

/** The process's variables, the plugin's own over them, and what client-go tells it. */
function pluginVariables(options: ExecPluginOptions, interactive: boolean): Record<string, string> {
  const { exec, environment } = options;
  const variables = new Map(Object.entries(environment.variables).filter((entry): entry is [string, string] => entry[1] !== undefined));
  const set = (name: string, value: string): void => {
    if (environment.platform === 'win32') {
      for (const key of variables.keys()) if (key.toUpperCase() === name.toUpperCase()) variables.delete(key);
    }
    variables.set(name, value);
  };
  for (const { name, value } of exec.env) set(name, value);
  set('KUBERNETES_EXEC_INFO', JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { ...(exec.provideClusterInfo ? { cluster: clusterInfo(options) } : {}), interactive },
  }));
  return Object.fromEntries(variables);
}

/** client.authentication.k8s.io/v1 Cluster, empty fields left out (rest.ConfigToExecCluster). */
function clusterInfo({ cluster, ca }: ExecPluginOptions): Readonly<Record<string, unknown>> {
  return {
    server: cluster.server,
    ...(cluster.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster.skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca, 'utf8').toString('base64') }),
    ...(cluster.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
    ...(cluster.disableCompression ? { 'disable-compression': true } : {}),
    config: cluster.execConfig ?? null,
  };
}

async function decode(output: string, { exec }: ExecPluginOptions): Promise<unknown> {
  try {
    return JSON.parse(output);
  } catch {
    // client-go's decoder takes YAML as well.
    const { load } = await import('js-yaml');
    try {
      const document = load(output);
      if (isRecord(document)) return document;
    } catch {
      // Neither: said below, without the text.
    }
    throw failed(`decoding stdout: ${exec.command} wrote no ExecCredential to standard output`, [`messages belong on standard error; see ${DOCUMENTATION}`]);
  }
}

function credentialsIn(answer: unknown, apiVersion: string, options: ExecPluginOptions): PluginCredentials {
  const { exec } = options;
  const invalid = (problem: string): ClusterError => failed(problem, [`check the version of ${exec.command} and what user ${JSON.stringify(options.userName)} has in ${options.origin}`]);
  const kind = stringAt(answer, 'kind');
  if (kind !== 'ExecCredential') throw invalid(`decoding stdout: ${exec.command} returned ${kind === undefined ? 'an object without a kind' : `kind ${JSON.stringify(kind)}`}, not ExecCredential`);
  const returned = stringAt(answer, 'apiVersion') ?? '';
  if (returned !== apiVersion) throw invalid(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${returned}`);
  const status = valueAt(answer, 'status');
  if (!isRecord(status)) throw invalid("exec plugin didn't return a status field");
  const token = stringAt(status, 'token') ?? '';
  const cert = stringAt(status, 'clientCertificateData') ?? '';
  const key = stringAt(status, 'clientKeyData') ?? '';
  if (token === '' && cert === '' && key === '') throw invalid("exec plugin didn't return a token or cert/key pair");
  if ((cert === '') !== (key === '')) throw invalid('exec plugin returned only certificate or key, not both');
  const problem = cert === '' ? null : pairProblem(cert, key);
  if (problem !== null) throw invalid(`failed parsing client key/certificate: ${problem}`);
  const expiration = valueAt(status, 'expirationTimestamp') ?? null;
  const expiresAt = typeof expiration === 'string' ? Date.parse(expiration) : expiration;
  if (expiresAt !== null && (typeof expiresAt !== 'number' || Number.isNaN(expiresAt))) throw invalid('decoding stdout: status.expirationTimestamp is no RFC 3339 time');
  return {
    credentials: {
      ...(token === '' ? {} : { authorization: bearer(token, exec.command) }),
      ...(cert === '' ? {} : { clientCertificate: { cert, key } }),
    },
    expiresAt,
  };
}

function notRunnable({ exec, userName, origin, environment }: ExecPluginOptions, problem: string): ClusterError {
  const where = `it is the credential plugin of user ${JSON.stringify(userName)} in ${origin}`;
  // Go's words for a path that cannot be run: os/exec looks only names up.
  if (isPath(exec.command, environment.platform)) return failed(`exec: fork/exec ${exec.command}: ${problem === 'not found' ? 'no such file or directory' : problem}`, [where, ...(problem === 'not found' ? [`see ${DOCUMENTATION}`] : [])]);
  if (problem !== 'not found') return failed(`exec: executable ${exec.command} cannot be run: ${problem}`, [where]);
  const hint = withoutControls(exec.installHint).split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return failed(`exec: executable ${exec.command} not found`, [`install it, or add its folder to PATH; ${where}`, ...hint, `see ${DOCUMENTATION}`]);
}

/** A kubeconfig must not be able to drive the terminal; client-go writes such characters as U+001B. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) => (/[\t\n\v\f\r]/.test(character) ? character : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`));
}

/** In kubectl's words: the transport asks for credentials and so reports what went wrong with them (round_tripper.go, getCreds). */
function failed(message: string, suggestions: readonly string[]): ClusterError {
  return new ClusterError(`Unable to connect to the server: getting credentials: ${message}`, { reason: 'CredentialPlugin', suggestions });
}
