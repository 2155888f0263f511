import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureParts } from './build.ts';
import { createAuthority } from './certificates.ts';
import { freePorts } from './ports.ts';
import { answering } from './registry.ts';
import type { TestRegistry } from './registry.ts';
import { startSupervisor } from './supervisor.ts';
import type { TokenService } from './token-service.ts';
import { startTokenService } from './token-service.ts';

/** Who may pull from a registry. none: everybody, over plain HTTP. The others have TLS. */
export type DistributionAuthentication = 'none' | 'basic' | 'token';

/** The registry that most others are built on, as a program of its own. */
export interface Distribution extends TestRegistry {
  /** Whom it and its token service let in. */
  readonly user: string;
  readonly password: string;
  readonly refreshToken: string;
  /** null where it has none. */
  readonly tokens: TokenService | null;
}

/** Repositories below it are for everybody who asks the token service. */
export const PUBLIC_PREFIX = 'public/';

// With a colon, which ends the user's name and not the password (RFC 7617, section 2).
const USER = 'reader';
const PASSWORD = 'pass:word';
/** bcrypt of the password above, at its lowest cost: the registry computes it for each request. */
const PASSWORD_HASH = '$2a$04$AsSvuVd20p6elOc.OpjkquzgYXqWICtH/n/PWvvnav1o3ZD6P6FpS';
const REFRESH_TOKEN = 'refresh-token-of-the-tests';

/** Starts cmd/registry of github.com/distribution/distribution with its blobs in memory. */
export async function startDistribution(authentication: DistributionAuthentication): Promise<Distribution> {
  const parts = await ensureParts(['distribution']);
  const [port] = await freePorts(1);
  const authority = authentication === 'none' ? null : await createAuthority();
  const identity = await authority?.issue({ commonName: 'localhost', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
  const tokens = authentication !== 'token' || identity === undefined ? null : await startTokenService({
    identity, user: USER, password: PASSWORD, refreshToken: REFRESH_TOKEN, isPublic: (repository) => repository.startsWith(PUBLIC_PREFIX),
  });
  const supervisor = await startSupervisor();
  const stop = async (): Promise<void> => {
    await supervisor.stopAll();
    await tokens?.stop();
  };
  try {
    const files: Readonly<Record<string, string>> = {
      'config.json': JSON.stringify({
        version: '0.1',
        log: { level: 'warn', accesslog: { disabled: true } },
        storage: { inmemory: {} },
        http: { addr: `127.0.0.1:${port}`, secret: 'of the tests', ...(identity === undefined ? {} : { tls: { certificate: 'server.crt', key: 'server.key' } }) },
        ...(authentication === 'basic' ? { auth: { htpasswd: { realm: 'kubectl-win', path: 'htpasswd' } } } : {}),
        ...(tokens === null ? {} : { auth: { token: { realm: tokens.realm, service: tokens.service, issuer: tokens.issuer, jwks: 'jwks.json', signingalgorithms: ['ES256'] } } }),
        // Foreign layers of Windows images; without this no manifest with URLs may be pushed.
        validation: { manifests: { urls: { allow: ['^https://mcr\\.microsoft\\.com/'] } } },
      }),
      htpasswd: `${USER}:${PASSWORD_HASH}\n`,
      'jwks.json': tokens?.jwks ?? '',
      'server.crt': identity?.cert ?? '',
      'server.key': identity?.key ?? '',
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(supervisor.folder, name), text);
    // Without this it sends its traces to a collector on port 4318.
    await supervisor.start({ name: 'distribution', program: parts.distribution, args: ['serve', 'config.json'], env: { OTEL_TRACES_EXPORTER: 'none' } });
    const registry: Distribution = {
      host: `localhost:${port}`, url: `${identity === undefined ? 'http' : 'https'}://localhost:${port}`,
      certificateAuthority: authority?.cert ?? null,
      user: USER, password: PASSWORD, refreshToken: REFRESH_TOKEN, tokens,
      authorizationToPush: (repository) => {
        if (tokens !== null) return `Bearer ${tokens.issue([{ type: 'repository', name: repository, actions: ['pull', 'push'] }])}`;
        return authentication === 'basic' ? `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}` : null;
      },
      stop,
    };
    await answering(registry, supervisor, 'distribution');
    return registry;
  } catch (error) {
    await stop();
    throw error;
  }
}
