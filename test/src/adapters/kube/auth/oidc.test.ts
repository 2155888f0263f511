import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '../../../../cluster/certificates.ts';
import { expiryOf, oidcCredentials } from '../../../../../src/adapters/kube/auth/oidc.ts';
import { resolveConnection } from '../../../../../src/adapters/kube/config/resolve-connection.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import { workplace } from '../config/workplace.ts';
import type { Workplace } from '../config/workplace.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

function jwt(expiresInSeconds: number, id = ''): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: NOW / 1000 + expiresInSeconds, id })}.c2ln`;
}

interface Provider {
  readonly issuer: string;
  /** Authorization header and form of each token request. */
  readonly requests: { readonly authorization: string; readonly form: Record<string, string> }[];
  /** What the token endpoint answers. */
  answer: (request: { readonly authorization: string; readonly form: Record<string, string> }) => { readonly status: number; readonly body: unknown };
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

async function provider(tls?: { readonly cert: string; readonly key: string }): Promise<Provider> {
  const requests: Provider['requests'] = [];
  const handle: RequestListener = (request, response) => {
    void textOf(request).then((text) => {
      const seen = { authorization: request.headers.authorization ?? '', form: Object.fromEntries(new URLSearchParams(text)) };
      let result: { readonly status: number; readonly body: unknown } = { status: 404, body: '<html>' };
      if (request.url === '/realm/.well-known/openid-configuration') result = { status: 200, body: { issuer: self.issuer, token_endpoint: `${self.issuer}/token` } };
      if (request.url === '/realm/token' && request.method === 'POST') {
        requests.push(seen);
        result = self.answer(seen);
      }
      response.writeHead(result.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(result.body));
    });
  };
  const server: Server = tls === undefined ? createHttpServer(handle) : createHttpsServer(tls, handle);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const self: Provider = {
    issuer: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/realm`,
    requests,
    answer: () => ({ status: 500, body: {} }),
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
  return self;
}

describe('oidcCredentials', () => {
  let place: Workplace;
  let idp: Provider;
  beforeEach(async () => {
    place = workplace();
    idp = await provider();
  });
  afterEach(async () => {
    await idp.close();
    place.close();
  });

  /** A kubeconfig as people have them: comments, odd spacing, another user. */
  function kubeconfig(config: Readonly<Record<string, string>>, name = 'config'): string {
    return place.write(name, [
      '# made by hand, keep!',
      'apiVersion: v1',
      'kind: Config',
      'clusters: [ {name: c, cluster: {server: "https://127.0.0.1:1"}} ]   # one line',
      'users:',
      '- name: other',
      '  user: {token: keep}',
      '- user:',
      '    auth-provider:',
      '      name: oidc   # legacy',
      '      config:',
      ...Object.entries(config).map(([key, value]) => `        ${key}: ${value}`),
      '  name: u',
      'contexts: [ {name: x, context: {cluster: c, user: u}} ]',
      'current-context: x',
      '',
    ].join('\n'), 0o640);
  }
  const base = (): Record<string, string> => ({ 'idp-issuer-url': idp.issuer, 'client-id': 'kubernetes', 'client-secret': 's3cr3t' });
  async function open(config: Readonly<Record<string, string>>) {
    const file = kubeconfig(config);
    return { file, ...(await resolveConnection({ kubeconfig: file }, place.environment({ now: () => NOW }))) };
  }

  it('uses the id-token while it is valid, ten seconds less', async () => {
    const { credentials } = await open({ ...base(), 'id-token': jwt(11) });
    assert.deepEqual(await credentials.get(), { authorization: `Bearer ${jwt(11)}` });
    assert.equal(idp.requests.length, 0);
  });

  it('renews it by the refresh-token, once for all who wait, and writes both back', async () => {
    const fresh = jwt(3600, 'fresh');
    idp.answer = () => ({ status: 200, body: { id_token: fresh, refresh_token: 'r2' } });
    const { file, credentials } = await open({ ...base(), 'id-token': jwt(10), 'refresh-token': 'r1' });
    const before = readFileSync(file, 'utf8');
    const all = await Promise.all([credentials.get(), credentials.get(), credentials.get()]);
    assert.deepEqual(all, Array.from({ length: 3 }, () => ({ authorization: `Bearer ${fresh}` })));
    assert.deepEqual(idp.requests, [{ authorization: `Basic ${Buffer.from('kubernetes:s3cr3t').toString('base64')}`, form: { grant_type: 'refresh_token', refresh_token: 'r1' } }]);
    assert.equal(readFileSync(file, 'utf8'), before.replace(jwt(10), `"${fresh}"`).replace(': r1', ': "r2"'));
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(place.folder), ['config'], 'no lock or temporary file is left');
    // A new process begins with what was written.
    const again = await resolveConnection({ kubeconfig: file }, place.environment({ now: () => NOW }));
    assert.deepEqual(await again.credentials.get(), { authorization: `Bearer ${fresh}` });
    assert.equal(idp.requests.length, 1);
    assert.deepEqual(place.warnings, []);
  });

  it('keeps the refresh-token when the provider does not renew it, and adds a missing id-token', async () => {
    const fresh = jwt(3600);
    idp.answer = () => ({ status: 200, body: { id_token: fresh } });
    const { file, credentials } = await open({ ...base(), 'refresh-token': 'r1' });
    const before = readFileSync(file, 'utf8');
    assert.deepEqual(await credentials.get(), { authorization: `Bearer ${fresh}` });
    assert.equal(readFileSync(file, 'utf8'), before.replace('      config:\n', `      config:\n        id-token: "${fresh}"\n`).replace(': r1', ': "r1"'));
  });

  it('sends the client secret in the body when the header is refused', async () => {
    idp.answer = ({ authorization }) => (authorization === '' ? { status: 200, body: { id_token: jwt(60) } } : { status: 401, body: { error: 'invalid_client' } });
    const { credentials } = await open({ ...base(), 'refresh-token': 'r1' });
    assert.deepEqual(await credentials.get(), { authorization: `Bearer ${jwt(60)}` });
    assert.deepEqual(idp.requests[1], { authorization: '', form: { grant_type: 'refresh_token', refresh_token: 'r1', client_id: 'kubernetes', client_secret: 's3cr3t' } });
  });

  it('asks for another token after a 401 when it has a refresh-token', async () => {
    idp.answer = () => ({ status: 200, body: { id_token: jwt(7200, 'second') } });
    const { credentials } = await open({ ...base(), 'id-token': jwt(3600), 'refresh-token': 'r1' });
    await credentials.get();
    assert.equal(await credentials.refresh(), true);
    assert.deepEqual(await credentials.get(), { authorization: `Bearer ${jwt(7200, 'second')}` });
    const without = await open({ ...base(), 'id-token': jwt(3600) });
    assert.equal(await without.credentials.refresh(), false);
  });

  it('goes on, with a warning, when the new tokens cannot be written', async () => {
    idp.answer = () => ({ status: 200, body: { id_token: jwt(60) } });
    const source = oidcCredentials({ userName: 'gone', file: kubeconfig(base()), config: { ...base(), 'refresh-token': 'r1' }, environment: place.environment({ now: () => NOW }) });
    assert.deepEqual(await source.get(), { authorization: `Bearer ${jwt(60)}` });
    assert.match(place.warnings.join(), /^could not persist new tokens to .*config: user "gone" has no auth-provider\.config there any more; you may have to log in again next time$/);
  });

  it('trusts the provider by idp-certificate-authority-data and not without', async () => {
    const authority = await createAuthority();
    const secure = await provider(await authority.issue({ commonName: 'idp', ipAddresses: ['127.0.0.1'] }));
    try {
      secure.answer = () => ({ status: 200, body: { id_token: jwt(60) } });
      const config = { ...base(), 'idp-issuer-url': secure.issuer, 'refresh-token': 'r1' };
      const trusted = await open({ ...config, 'idp-certificate-authority-data': Buffer.from(authority.cert).toString('base64') });
      assert.deepEqual(await trusted.credentials.get(), { authorization: `Bearer ${jwt(60)}` });
      const { credentials } = await open(config);
      await assert.rejects(credentials.get(), /the identity provider 127\.0\.0\.1:\d+ cannot be asked for a token: .*certificate/);
    } finally {
      await secure.close();
    }
  });

  describe('errors', () => {
    const table: readonly (readonly [title: string, config: Record<string, string>, answer: { readonly status: number; readonly body: unknown }, message: RegExp])[] = [
      ['no refresh-token', { 'id-token': jwt(-60) }, { status: 200, body: {} }, /^Unable to connect to the server: No valid id-token, and cannot refresh without refresh-token$/],
      ['an id-token that is none', { 'id-token': 'hunter2' }, { status: 200, body: {} }, /^Unable to connect to the server: ID Token is not a valid JWT$/],
      ['a spent refresh-token', { 'refresh-token': 'hunter2' }, { status: 400, body: { error: 'invalid_grant', error_description: 'hunter2' } }, /^Unable to connect to the server: failed to refresh token: invalid_grant$/],
      ['an HTML page', { 'refresh-token': 'hunter2' }, { status: 502, body: '<html>' }, /^Unable to connect to the server: failed to refresh token: HTTP 502$/],
      ['no id_token in the answer', { 'refresh-token': 'hunter2' }, { status: 200, body: { access_token: 'hunter2' } }, /^Unable to connect to the server: token response did not contain an id_token/],
      ['a wrong issuer', { 'refresh-token': 'hunter2', 'idp-issuer-url': 'OTHER' }, { status: 200, body: {} }, /^Unable to connect to the server: oidc: failed to query metadata endpoint: HTTP 404$/],
    ];
    for (const [title, config, answer, message] of table) {
      it(`name ${title}`, async () => {
        idp.answer = () => answer;
        const { credentials } = await open({ ...base(), ...config, ...(config['idp-issuer-url'] === 'OTHER' ? { 'idp-issuer-url': `${idp.issuer}/other` } : {}) });
        await assert.rejects(credentials.get(), (error: unknown) => {
          assert.ok(error instanceof ClusterError && error.reason === 'CredentialPlugin');
          assert.match(error.message, message);
          assert.doesNotMatch([error.message, ...error.suggestions].join(), /hunter2|s3cr3t/);
          return true;
        });
      });
    }
  });
});

describe('expiryOf', () => {
  it('reads exp in seconds, fractions too, and tells what is no JWT', () => {
    const token = (payload: string): string => `e30.${Buffer.from(payload).toString('base64url')}.x`;
    assert.equal(expiryOf(token('{"exp":1700000000}')), 1_700_000_000_000);
    assert.equal(expiryOf(token('{"exp":1700000000.5}')), 1_700_000_000_500);
    assert.equal(expiryOf(token('{}')), 0);
    assert.equal(expiryOf(token('no')), undefined);
    assert.equal(expiryOf('a.b'), undefined);
  });
});
