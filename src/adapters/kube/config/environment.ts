import { homedir } from 'node:os';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What the way to a cluster depends on besides flags and files. Tests bring their own. */
export interface ConnectionEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Folder that relative paths of flags and of KUBECONFIG are meant from. */
  readonly workingFolder: string;
  readonly homeFolder: string;
  /** Where Kubernetes mounts a pod's service account. */
  readonly serviceAccountFolder: string;
  readonly stdinIsTerminal: boolean;
  /** Why a credential plugin cannot have standard input (`used by -f -`); undefined when it can. */
  readonly stdinUnavailable?: string | undefined;
  /** For things worth saying that stop nothing; a line without the prefix `Warning: `. */
  readonly warn: (message: string) => void;
  /** Told around each run of a credential plugin, which may write to the terminal: the moment to stop a spinner. */
  readonly onCredentialPlugin?: ((event: 'started' | 'ended') => void) | undefined;
  /** Ends waiting for a kubeconfig that is a pipe. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The process's own environment. */
export function processEnvironment(changes: Partial<ConnectionEnvironment> = {}): ConnectionEnvironment {
  const variables = changes.variables ?? process.env;
  const platform = changes.platform ?? process.platform;
  const environment: ConnectionEnvironment = {
    variables,
    platform,
    workingFolder: process.cwd(),
    homeFolder: homeFolder(variables, platform),
    serviceAccountFolder: '/var/run/secrets/kubernetes.io/serviceaccount',
    get stdinIsTerminal() {
      return process.stdin.isTTY === true;
    },
    warn: () => {},
    now: Date.now,
  };
  // getters stay getters: opening stdin takes 4 ms, and only a credential plugin asks for it
  return Object.defineProperties(environment, Object.getOwnPropertyDescriptors(changes));
}

/**
 * The folder that holds .kube. On Windows the first of HOME, HOMEDRIVE+HOMEPATH and USERPROFILE with a .kube\config,
 * else the first of HOME, USERPROFILE and HOMEDRIVE+HOMEPATH that exists, as client-go has it
 * (https://github.com/kubernetes/client-go/blob/v0.37.2/util/homedir/homedir.go, read 2026-11-30).
 */
export function homeFolder(
  variables: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  exists: (path: string) => boolean = existsSync,
): string {
  if (platform !== 'win32') return variables['HOME'] || homedir();
  const home = variables['HOME'] ?? '';
  const profile = variables['USERPROFILE'] ?? '';
  const drivePath = variables['HOMEDRIVE'] && variables['HOMEPATH'] ? variables['HOMEDRIVE'] + variables['HOMEPATH'] : '';
  const set = (paths: readonly string[]): readonly string[] => paths.filter((path) => path !== '');
  return set([home, drivePath, profile]).find((path) => exists(join(path, '.kube', 'config')))
    ?? set([home, profile, drivePath]).find((path) => exists(path))
    ?? set([home, profile, drivePath])[0]
    ?? homedir();
}
