import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Identity } from './certificates.ts';

/** What a token lets its bearer do with one repository. */
export interface TokenAccess {
  readonly type: 'repository';
  readonly name: string;
  readonly actions: readonly string[];
}

/** How a token was asked for. */
export interface TokenRequest {
  readonly method: 'GET' | 'POST';
  /** `anonymous`, `password` or `refresh_token`. */
  readonly grant: 'anonymous' | 'password' | 'refresh_token';
  readonly service: string;
  readonly scopes: readonly string[];
  readonly status: number;
}

/** A token service as https://distribution.github.io/distribution/spec/auth/ describes it (read 2026-11-30). */
export interface TokenService {
  /** The `realm` of the registry's challenges. */
  readonly realm: string;
  readonly service: string;
  readonly issuer: string;
  /** Public keys, as the registry's option `jwks` wants them. */
  readonly jwks: string;
  /** Every request so far. */
  readonly requests: readonly TokenRequest[];
  /** A token for whoever needs not ask for one. */
  issue(access: readonly TokenAccess[]): string;
  stop(): Promise<void>;
}

/** Who may ask, and for what. */
export interface TokenServiceOptions {
  /** Certificate of the service. */
  readonly identity: Identity;
  readonly user: string;
  readonly password: string;
  readonly refreshToken: string;
  /** Whether a repository may be pulled by everybody; the user may pull all of them. */
  readonly isPublic: (repository: string) => boolean;
}

const SERVICE = 'registry.test';
const ISSUER = 'kubectl-win tests';
const LIFETIME_SECONDS = 300;

/** Starts one on a free loopback port. */
export async function startTokenService(options: TokenServiceOptions): Promise<TokenService> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const keyId = createHash('sha256').update(JSON.stringify([jwk.x, jwk.y])).digest('base64url');
  const requests: TokenRequest[] = [];

  const issue = (access: readonly TokenAccess[], subject = options.user): string => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: ISSUER, sub: subject, aud: SERVICE, iat: now, nbf: now - 10, exp: now + LIFETIME_SECONDS, jti: randomUUID(), access };
    const signed = [{ typ: 'JWT', alg: 'ES256', kid: keyId }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    // JSON Web Signature has the two numbers one after the other (RFC 7518, section 3.4).
    return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };

  /** What of the scopes may be had: nothing is no error, as at Docker Hub, and the registry then refuses the token. */
  function granted(scopes: readonly string[], isUser: boolean): readonly TokenAccess[] {
    return scopes.flatMap((scope): readonly TokenAccess[] => {
      const [, name = '', actions = ''] = /^repository:(.+):([a-z,*]*)$/.exec(scope) ?? [];
      return name !== '' && actions.split(',').includes('pull') && (isUser || options.isPublic(name)) ? [{ type: 'repository', name, actions: ['pull'] }] : [];
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'https://localhost');
    const isPost = request.method === 'POST';
    const fields = isPost ? new URLSearchParams(await textOf(request)) : url.searchParams;
    const scopes = fields.getAll('scope').flatMap((scope) => scope.split(' ')).filter((scope) => scope !== '');
    const asked = isPost ? grantOfForm(fields, options) : grantOfHeader(request.headers.authorization, options);
    const isComplete = url.pathname === '/token' && fields.get('service') === SERVICE && (!isPost || (fields.get('client_id') ?? '') !== '');
    const status = !isComplete ? 400 : asked.isGood ? 200 : 401;
    requests.push({ method: isPost ? 'POST' : 'GET', grant: asked.grant, service: fields.get('service') ?? '', scopes, status });
    response.writeHead(status, { 'content-type': 'application/json' });
    if (status !== 200) {
      response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: status === 400 ? 'service or client_id is missing' : 'incorrect username or password' }] }));
      return;
    }
    const token = issue(granted(scopes, asked.grant !== 'anonymous'), asked.grant === 'anonymous' ? '' : options.user);
    const common = { access_token: token, expires_in: LIFETIME_SECONDS, issued_at: new Date().toISOString() };
    // The form's answer has no `token`: https://distribution.github.io/distribution/spec/auth/oauth/, read 2026-11-30
    response.end(JSON.stringify(isPost ? { ...common, scope: scopes.join(' ') } : { ...common, token }));
  }

  const server = createServer({ cert: options.identity.cert, key: options.identity.key }, (request, response) => {
    answer(request, response).catch(() => { response.destroy(); });
  });
  await new Promise<void>((resolve, reject) => { server.once('error', reject).listen(0, '127.0.0.1', resolve); });
  server.unref();
  // Not a path, because a server on a TCP port was asked for.
  const { port } = server.address() as AddressInfo;
  return {
    realm: `https://localhost:${port}/token`, service: SERVICE, issuer: ISSUER, requests, issue,
    jwks: JSON.stringify({ keys: [{ ...jwk, kid: keyId, use: 'sig', alg: 'ES256' }] }),
    stop: () => new Promise((resolve) => {
      server.close(() => { resolve(); });
      server.closeAllConnections();
    }),
  };
}

interface Grant {
  readonly grant: TokenRequest['grant'];
  readonly isGood: boolean;
}

function grantOfHeader(header: string | undefined, { user, password }: TokenServiceOptions): Grant {
  if (header === undefined) return { grant: 'anonymous', isGood: true };
  return { grant: 'password', isGood: header === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

function grantOfForm(fields: URLSearchParams, { user, password, refreshToken }: TokenServiceOptions): Grant {
  if (fields.get('grant_type') === 'password') return { grant: 'password', isGood: fields.get('username') === user && fields.get('password') === password };
  return { grant: 'refresh_token', isGood: fields.get('grant_type') === 'refresh_token' && fields.get('refresh_token') === refreshToken };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
