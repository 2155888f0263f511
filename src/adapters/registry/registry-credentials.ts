/** What a registry is asked with. */
import { createHash } from 'node:crypto';

export type RegistryCredentials =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  /** OAuth refresh token, which the token server gives tokens for. */
  | { readonly kind: 'identity-token'; readonly token: string }
  /** Bearer token that goes to the registry as it is. */
  | { readonly kind: 'registry-token'; readonly token: string };

/** The user name that stands for an identity token (https://github.com/docker/cli/blob/3d41bbacb04b2fcfd4b4504323a46cc8da5b7681/cli/config/credentials/native_store.go, tokenUsername, read 2026-11-30). */
export const TOKEN_USERNAME = '<token>';

/** Credentials in an entry of `auths`; null where it holds none that can be used. */
export function decodeAuth(entry: Readonly<Record<string, unknown>>): RegistryCredentials | null {
  const text = (name: string): string => (typeof entry[name] === 'string' ? entry[name] : '');
  if (text('registrytoken') !== '') return { kind: 'registry-token', token: text('registrytoken') };
  if (text('identitytoken') !== '') return { kind: 'identity-token', token: text('identitytoken') };
  let username = text('username');
  let password = text('password');
  if (text('auth') !== '') {
    const decoded = Buffer.from(text('auth').trim(), 'base64').toString('utf8');
    const colon = decoded.indexOf(':');
    if (colon === -1) return null;
    username = decoded.slice(0, colon);
    // Old Docker clients padded with NUL.
    password = decoded.slice(colon + 1).replace(/^\0+|\0+$/g, '');
  }
  return passwordOrToken(username, password);
}

/** A user name and a password, as credential helpers and `auth` give them. */
export function passwordOrToken(username: string, password: string): RegistryCredentials | null {
  if (username === TOKEN_USERNAME && password !== '') return { kind: 'identity-token', token: password };
  return username === '' && password === '' ? null : { kind: 'password', username, password };
}

export function basicAuthorization({ username, password }: RegistryCredentials & { readonly kind: 'password' }): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

/** Everything in credentials that no message may show; how servers may spell it is SecretPattern's to know. */
export function secretsOf(credentials: RegistryCredentials): readonly string[] {
  if (credentials.kind !== 'password') return [credentials.token];
  const pair = `${credentials.username}:${credentials.password}`;
  const encoded = Buffer.from(pair).toString('base64');
  // Not everybody writes the padding.
  return [credentials.password, ...(credentials.username === '' ? [] : [pair]), encoded, encoded.replace(/=+$/, ''), Buffer.from(pair).toString('base64url')];
}

/** Tells credentials apart without holding them. */
export function credentialsKey(credentials: RegistryCredentials | null): string {
  if (credentials === null) return 'anonymous';
  const parts = credentials.kind === 'password' ? [credentials.kind, credentials.username, credentials.password] : [credentials.kind, credentials.token];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
