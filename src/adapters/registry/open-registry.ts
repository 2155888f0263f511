/** Registries as an ImageRegistry. */
import type { ImageRegistry } from '../../app/ports.ts';

export interface OpenRegistryOptions {
  /** By registry, as in references (`docker.io`, `registry.example:5000`). */
  readonly registries: Readonly<Record<string, {
    readonly mirrors?: readonly string[]; readonly plainHTTP?: boolean; readonly certificateAuthority?: string; readonly insecureSkipTLSVerify?: boolean;
  }>>;
  /** Folder of the cache on disk; null for none. */
  readonly cacheFolder: string | null;
  /** Of a whole lookup, waits included, in seconds; 0 means the default. */
  readonly timeoutSeconds: number;
  readonly verbosity: number;
  readonly onTrace: (line: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgentVersion: string;
  readonly signal: AbortSignal;
}

export async function openRegistry(options: OpenRegistryOptions): Promise<ImageRegistry> {
  throw new Error(`not written yet ${String(options.timeoutSeconds)}`);
}
