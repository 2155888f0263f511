import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionEnvironment } from './environment.ts';

/** What a pod has for reaching its own API server. */
export interface InCluster {
  readonly server: string;
  /** PEM; undefined when the file is not there. */
  readonly ca: string | undefined;
  readonly tokenFile: string;
}

/**
 * null outside a pod: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT and the service account's token must be there
 * (https://github.com/kubernetes/client-go/blob/v0.37.2/rest/config.go, InClusterConfig, read 2026-11-30).
 */
export async function inCluster(environment: ConnectionEnvironment): Promise<InCluster | null> {
  if (!await isInCluster(environment)) return null;
  const host = environment.variables['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment.variables['KUBERNETES_SERVICE_PORT'] ?? '';
  const caFile = join(environment.serviceAccountFolder, 'ca.crt');
  let ca: string | undefined;
  try {
    ca = await readFile(caFile, 'utf8');
  } catch {
    environment.warn(`expected to load root CA config from ${caFile}, but it cannot be read; the system's certificate authorities are used`);
  }
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca,
    tokenFile: join(environment.serviceAccountFolder, 'token'),
  };
}

export async function isInCluster(environment: ConnectionEnvironment): Promise<boolean> {
  if (!environment.variables['KUBERNETES_SERVICE_HOST'] || !environment.variables['KUBERNETES_SERVICE_PORT']) return false;
  try {
    return !(await stat(join(environment.serviceAccountFolder, 'token'))).isDirectory();
  } catch {
    return false;
  }
}

/** POD_NAMESPACE, else the service account's namespace, else `default`. */
export async function podNamespace(environment: ConnectionEnvironment): Promise<string> {
  const variable = environment.variables['POD_NAMESPACE'];
  if (variable) return variable;
  try {
    return (await readFile(join(environment.serviceAccountFolder, 'namespace'), 'utf8')).trim() || 'default';
  } catch {
    return 'default';
  }
}
