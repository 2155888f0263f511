/**
 * The legacy auth-provider `oidc`, as client-go has it:
 * https://github.com/kubernetes/client-go/blob/v0.37.2/plugin/pkg/client/auth/oidc/oidc.go, read 2026-11-30.
 * @kubernetes/client-node 2.0.1 has one too (dist/oidc_auth.js), which is not used: it sends no client secret, compares
 * seconds until expiry with seconds since 1970 (so it refreshes at every request), forgets a refresh token that is not
 * renewed, and is anonymous without an id-token.
 */
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { resolve } from 'node:path';
import { numberAt, stringAt } from '../../../domain/kubernetes/object.ts';
import { ClusterError } from '../../../errors.ts';
import type { ConnectionEnvironment } from '../config/environment.ts';
import { readProblem } from '../config/kubeconfig-files.ts';
import { writeAuthProviderConfig } from '../config/write-auth-provider.ts';
import type { CredentialSource, RequestCredentials } from '../connection.ts';
import { trustedRoots } from '../../http/agent.ts';
import { SingleFlight } from './single-flight.ts';
import { bearer } from './static-credentials.ts';

export interface OidcOptions {
  readonly userName: string;
  /** kubeconfig file that new tokens are written back to. */
  readonly file: string;
  /** idp-issuer-url, client-id, client-secret, id-token, refresh-token, idp-certificate-authority(-data). */
  readonly config: Readonly<Record<string, string>>;
  readonly environment: ConnectionEnvironment;
}

/** A token counts as expired this much before its time, for clocks that differ (golang.org/x/oauth2, expiryDelta). */
const EXPIRY_SLACK_MILLISECONDS = 10_000;
const LARGEST_ANSWER_BYTES = 1024 * 1024;
const ANSWER_MILLISECONDS = 30_000;

/** The id-token while it is valid, else a new one by the refresh-token, which is written back to the kubeconfig. */
export function oidcCredentials(options: OidcOptions): CredentialSource {
  for (const field of ['idp-issuer-url', 'client-id']) {
    if (!options.config[field]) {
      throw new ClusterError(`Must provide ${field}`, { reason: 'BadConfiguration', suggestions: [`add it to auth-provider.config of user ${JSON.stringify(options.userName)} in ${options.file}`] });
    }
  }
  return new Oidc(options);
}

class Oidc implements CredentialSource {
  readonly #options: OidcOptions;
  readonly #refreshing: SingleFlight<RequestCredentials>;
  #config: Readonly<Record<string, string>>;
  #current: RequestCredentials | null = null;
  #refused = false;

  constructor(options: OidcOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#refreshing = new SingleFlight((signal) => this.#fetch(signal));
  }

  async get(signal?: AbortSignal): Promise<RequestCredentials> {
    const idToken = this.#config['id-token'] ?? '';
    if (idToken === '' || this.#refused || !this.#isValid(idToken)) return this.#refreshing.run(signal);
    const authorization = bearer(idToken, `user ${JSON.stringify(this.#options.userName)}`);
    if (this.#current?.authorization !== authorization) this.#current = { authorization };
    return this.#current;
  }

  /** client-go does not try again after a 401; another token may help when the server no longer takes this one. */
  refresh(_signal?: AbortSignal, used?: RequestCredentials): Promise<boolean> {
    if (!this.#config['refresh-token']) return Promise.resolve(false);
    if (used === undefined || used === this.#current) this.#refused = true;
    return Promise.resolve(true);
  }

  #isValid(idToken: string): boolean {
    const expiresAt = expiryOf(idToken);
    if (expiresAt === undefined) {
      throw this.#failed('ID Token is not a valid JWT', ['delete id-token from the kubeconfig and log in again']);
    }
    return this.#options.environment.now() + EXPIRY_SLACK_MILLISECONDS < expiresAt;
  }

  async #fetch(signal: AbortSignal): Promise<RequestCredentials> {
    const { userName, file, environment } = this.#options;
    const refreshToken = this.#config['refresh-token'] ?? '';
    if (refreshToken === '') throw this.#failed('No valid id-token, and cannot refresh without refresh-token', ['log in again with the tool that writes your kubeconfig']);
    const agent = await this.#agent();
    const issuer = this.#config['idp-issuer-url'] ?? '';
    const metadata = await this.#json('GET', `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, null, {}, agent, signal);
    const tokenUrl = stringAt(metadata.body, 'token_endpoint');
    if (metadata.status !== 200) throw this.#failed(`oidc: failed to query metadata endpoint: HTTP ${metadata.status}`, [`is ${issuer} the issuer?`]);
    if (tokenUrl === undefined) throw this.#failed("oidc: discovery object doesn't contain a token_endpoint", [`is ${issuer} the issuer?`]);
    const answer = await this.#grant(tokenUrl, refreshToken, agent, signal);
    const idToken = stringAt(answer, 'id_token');
    if (idToken === undefined) {
      throw this.#failed('token response did not contain an id_token, either the scope "openid" wasn\'t requested upon login, or the provider doesn\'t support id_tokens as part of the refresh response', []);
    }
    const renewed = { 'id-token': idToken, 'refresh-token': stringAt(answer, 'refresh_token') || refreshToken };
    this.#config = { ...this.#config, ...renewed };
    this.#refused = false;
    try {
      await writeAuthProviderConfig({ file: resolve(environment.workingFolder, file), userName, values: renewed });
    } catch (error) {
      // The new tokens are good for this run; the old refresh-token may be spent, so silence would be a trap.
      environment.warn(`could not persist new tokens to ${file}: ${error instanceof Error ? error.message : 'unknown error'}; you may have to log in again next time`);
    }
    this.#current = { authorization: bearer(idToken, issuer) };
    return this.#current;
  }

  /** RFC 6749 §6. Servers differ in where they want the client's secret: the header first, the body when that is refused, as golang.org/x/oauth2 does. */
  async #grant(tokenUrl: string, refreshToken: string, agent: HttpsAgent | undefined, signal: AbortSignal): Promise<unknown> {
    const id = this.#config['client-id'] ?? '';
    const secret = this.#config['client-secret'] ?? '';
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const basic = `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
    const inHeader = await this.#json('POST', tokenUrl, new URLSearchParams(grant), { authorization: basic }, agent, signal);
    if (inHeader.status >= 200 && inHeader.status < 300) return inHeader.body;
    const inBody = await this.#json('POST', tokenUrl, new URLSearchParams({ ...grant, client_id: id, ...(secret === '' ? {} : { client_secret: secret }) }), {}, agent, signal);
    if (inBody.status >= 200 && inBody.status < 300) return inBody.body;
    const code = stringAt(inBody.body, 'error') ?? `HTTP ${inBody.status}`;
    throw this.#failed(`failed to refresh token: ${/^[\w .-]{1,100}$/.test(code) ? code : 'the answer is no OAuth error'}`, ['log in again with the tool that writes your kubeconfig: the refresh-token is no longer taken']);
  }

  async #agent(): Promise<HttpsAgent | undefined> {
    const { environment } = this.#options;
    const data = this.#config['idp-certificate-authority-data'];
    const file = this.#config['idp-certificate-authority'];
    let ca = data ? Buffer.from(data, 'base64').toString('utf8') : undefined;
    if (ca === undefined && file) {
      try {
        ca = await readFile(resolve(environment.workingFolder, file), 'utf8');
      } catch (error) {
        throw this.#failed(`unable to read idp-certificate-authority ${file}: ${readProblem((error as NodeJS.ErrnoException).code)}`, []);
      }
    }
    return new HttpsAgent({ ca: ca ?? trustedRoots(), proxyEnv: environment.variables });
  }

  #json(method: string, url: string, form: URLSearchParams | null, headers: Readonly<Record<string, string>>, agent: HttpsAgent | undefined, signal: AbortSignal): Promise<{ readonly status: number; readonly body: unknown }> {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return Promise.reject(this.#failed(`oidc: ${JSON.stringify(url)} is no http or https URL`, []));
    const secure = url.startsWith('https:');
    return new Promise((resolveAnswer, reject) => {
      const unreachable = (error: Error): void => {
        reject(signal.aborted ? signal.reason as Error : this.#failed(`the identity provider ${new URL(url).host} cannot be asked for a token: ${error.message}`, ['check idp-issuer-url and idp-certificate-authority, and the network']));
      };
      const options = {
        method,
        headers: { accept: 'application/json', ...headers, ...(form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }) },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MILLISECONDS)]),
        ...(secure && agent !== undefined ? { agent } : {}),
      };
      const outgoing = (secure ? httpsRequest : httpRequest)(url, options, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > LARGEST_ANSWER_BYTES) outgoing.destroy(new Error('the answer is too long'));
          else chunks.push(chunk);
        });
        response.on('error', unreachable);
        response.on('end', () => {
          let body: unknown = null;
          try {
            body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
          } catch {
            // Not JSON: the callers find what they need missing and say so.
          }
          resolveAnswer({ status: response.statusCode ?? 0, body });
        });
      });
      outgoing.on('error', unreachable);
      outgoing.end(form?.toString());
    });
  }

  /** Behind kubectl's opening: tokens are fetched when the transport needs them. */
  #failed(message: string, suggestions: readonly string[]): ClusterError {
    return new ClusterError(`Unable to connect to the server: ${message}`, { reason: 'CredentialPlugin', suggestions: [...suggestions, `the auth-provider "oidc" of user ${JSON.stringify(this.#options.userName)} stands in ${this.#options.file}`] });
  }
}

/** `exp` of a JWT in milliseconds since 1970; undefined for what is none. The signature is the API server's business. */
export function expiryOf(jwt: string): number | undefined {
  const parts = jwt.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const seconds = numberAt(JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')), 'exp');
    return (seconds ?? 0) * 1000;
  } catch {
    return undefined;
  }
}
