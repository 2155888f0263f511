/** Registries as an ImageRegistry. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageRegistry } from '../../app/ports.ts';
import { processEnvironment, homeFolder } from '../kube/config/environment.ts';
import { RegistryCache } from './cache.ts';
import { DockerConfig } from './docker-config.ts';
import { Hosts } from './hosts.ts';
import { ImageLookups } from './image-lookups.ts';
import { Secrets } from './secrets.ts';
import type { RegistryClock } from './time-limit.ts';

export interface OpenRegistryOptions {
  /** By registry, as in references (`docker.io`, `registry.example:5000`). */
  readonly registries: Readonly<Record<string, {
    readonly mirrors?: readonly string[]; readonly plainHTTP?: boolean; readonly certificateAuthority?: string; readonly insecureSkipTLSVerify?: boolean;
  }>>;
  /** Folder of the cache on disk; null for none. */
  readonly cacheFolder: string | null;
  /** Ask what tags mean now, in place of believing what they meant some minutes ago. */
  readonly refresh: boolean;
  /** Of a whole lookup, waits included, in seconds; 0 means the default. */
  readonly timeoutSeconds: number;
  readonly verbosity: number;
  readonly onTrace: (line: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgentVersion: string;
  readonly signal: AbortSignal;
  /** Time other than the machine's. */
  readonly clock?: RegistryClock;
}

const DEFAULT_TIMEOUT_SECONDS = 15;
/** For a credential helper, which must leave time to ask without it. */
const LONGEST_HELPER_MS = 10_000;

const REAL_CLOCK: RegistryClock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

/** Opens no connection before the first lookup, and reads no file. */
export function openRegistry(options: OpenRegistryOptions): Promise<ImageRegistry> {
  const { registries, cacheFolder, refresh, timeoutSeconds, verbosity, onTrace, env, userAgentVersion, signal, clock = REAL_CLOCK } = options;
  const seconds = timeoutSeconds > 0 ? timeoutSeconds : DEFAULT_TIMEOUT_SECONDS;
  const secrets = new Secrets();
  const trace = { verbosity, write: (text: string) => onTrace(maskedTrace(text, secrets)) };
  const environment = processEnvironment({ variables: env, homeFolder: homeFolder(env, process.platform) });
  return Promise.resolve(new ImageLookups({
    settings: registries,
    hosts: new Hosts(registries, { trace, userAgentVersion }, secrets),
    cache: new RegistryCache(cacheFolder, () => clock.now(), { believesTags: !refresh }),
    dockerConfig: new DockerConfig(environment, signal, Math.min(LONGEST_HELPER_MS, (seconds * 1000 * 2) / 3)),
    secrets,
    timeoutSeconds: seconds,
    clock,
    signal,
  }));
}

/** Values of queries that are known to be harmless; others sign URLs of blob stores. */
const SECRET_QUERY = /([?&](?!(?:ns|scope|service|account|client_id)=)[\w.%~-]+=)[^&#"'\s\\]+/g;

/** Without secrets, and without characters that could drive a terminal. */
function maskedTrace(text: string, secrets: Secrets): string {
  return secrets.masked(text).replaceAll(SECRET_QUERY, '$1<masked>').replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, '\uFFFD');
}
