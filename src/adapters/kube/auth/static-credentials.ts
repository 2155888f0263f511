import { ClusterError } from '../../../errors.ts';
import type { CredentialSource, RequestCredentials } from '../connection.ts';

/** Always the same; after a 401 there is nothing better to offer. */
function constant(credentials: RequestCredentials): CredentialSource {
  return { get: () => Promise.resolve(credentials), refresh: () => Promise.resolve(false) };
}

/** Nobody: the API server sees system:anonymous, or a proxy in between knows better. */
export const NO_CREDENTIALS: CredentialSource = constant({});

/** A bearer token; `place` names where it comes from, for the error when no HTTP header can hold it. */
export function staticToken(token: string, place: string): CredentialSource {
  return constant({ authorization: bearer(token, place) });
}

export function basicCredentials(username: string, password: string): CredentialSource {
  return constant({ authorization: `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}` });
}

/** Value of the Authorization header. Go's HTTP client refuses the same characters (golang.org/x/net/http/httpguts, ValidHeaderFieldValue). */
export function bearer(token: string, place: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(token) || /[^\u0000-\u00ff]/.test(token)) {
    throw new ClusterError(`the token of ${place} holds a line break or another character that no HTTP header can carry`, {
      reason: 'BadConfiguration',
      suggestions: ['write the token again, on one line and without spaces around it'],
    });
  }
  return `Bearer ${token}`;
}
