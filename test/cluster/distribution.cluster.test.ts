import assert from 'node:assert/strict';
import type { Distribution, DistributionAuthentication } from './distribution.ts';
import { startDistribution } from './distribution.ts';
import { requestRegistry } from './registry-client.ts';
import type { RegistryResponse } from './registry-client.ts';
import { partsOrSkip } from './use-cluster.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';

async function push(registry: Distribution, repository: string): Promise<number> {
  const authorization = registry.authorizationToPush(repository);
  const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [] }));
  const { status } = await requestRegistry(registry, { method: 'PUT', path: `/v2/${repository}/manifests/1`, headers: { 'content-type': INDEX, ...(authorization === null ? {} : { authorization }) }, body });
  return status;
}

function pull(registry: Distribution, repository: string, authorization: string | null): Promise<RegistryResponse> {
  return requestRegistry(registry, { method: 'GET', path: `/v2/${repository}/manifests/1`, headers: { accept: INDEX, ...(authorization === null ? {} : { authorization }) } });
}

describe('distribution as a test registry', function () {
  this.timeout(30_000);
  const running: Distribution[] = [];
  before('build it', async function () {
    this.timeout(30 * 60 * 1000);
    await partsOrSkip(this, ['distribution']);
  });
  afterEach(async () => { await Promise.all(running.splice(0).map((registry) => registry.stop())); });

  async function start(authentication: DistributionAuthentication): Promise<Distribution> {
    const registry = await startDistribution(authentication);
    running.push(registry);
    return registry;
  }

  const basic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  it('lets everybody in without authentication, over plain HTTP', async () => {
    const registry = await start('none');
    assert.equal(await push(registry, 'app'), 201);
    assert.equal((await pull(registry, 'app', null)).status, 200);
    assert.match(registry.url, /^http:/);
  });

  it('with basic authentication takes the right password alone, and its certificate is of its own authority', async () => {
    const registry = await start('basic');
    assert.equal(await push(registry, 'app'), 201);
    const refused = await pull(registry, 'app', null);
    assert.equal(refused.status, 401);
    assert.match(String(refused.headers['www-authenticate']), /^Basic realm="kubectl-win"/);
    assert.equal((await pull(registry, 'app', basic(registry.user, registry.password))).status, 200);
    assert.equal((await pull(registry, 'app', basic(registry.user, 'other'))).status, 401);
    await assert.rejects(fetch(`${registry.url}/v2/`), (error: Error) => /certificate|verify/i.test(`${error.message} ${String(error.cause)}`));
  });

  it('with tokens: public repositories for everybody, others for the user, by password or refresh token', async () => {
    const registry = await start('token');
    const tokens = registry.tokens ?? assert.fail();
    for (const repository of ['public/app', 'private/app']) assert.equal(await push(registry, repository), 201);
    const challenge = await pull(registry, 'private/app', null);
    assert.equal(challenge.status, 401);
    assert.equal(challenge.headers['www-authenticate'], `Bearer realm="${tokens.realm}",service="${tokens.service}",scope="repository:private/app:pull"`);

    const server = { url: tokens.realm, certificateAuthority: registry.certificateAuthority };
    const query = (scope: string): string => `?${new URLSearchParams({ service: tokens.service, scope }).toString()}`;
    const get = (scope: string, headers: Readonly<Record<string, string>> = {}) => requestRegistry(server, { method: 'GET', path: `/token${query(scope)}`, headers });
    const post = (fields: Readonly<Record<string, string>>) => requestRegistry(server, { method: 'POST', path: '/token', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: Buffer.from(new URLSearchParams(fields).toString()) });
    const bearer = ({ body }: RegistryResponse): string => `Bearer ${(JSON.parse(body.toString('utf8')) as { readonly access_token: string }).access_token}`;

    assert.equal((await pull(registry, 'public/app', bearer(await get('repository:public/app:pull')))).status, 200);
    const insufficient = await pull(registry, 'private/app', bearer(await get('repository:private/app:pull')));
    assert.equal(insufficient.status, 401);
    assert.match(String(insufficient.headers['www-authenticate']), /error="insufficient_scope"/);
    const withPassword = await get('repository:private/app:pull', { authorization: basic(registry.user, registry.password) });
    assert.equal((await pull(registry, 'private/app', bearer(withPassword))).status, 200);
    assert.equal((await get('repository:private/app:pull', { authorization: basic(registry.user, 'other') })).status, 401);

    const form = { grant_type: 'refresh_token', service: tokens.service, client_id: 'a-test', scope: 'repository:private/app:pull' };
    assert.equal((await pull(registry, 'private/app', bearer(await post({ ...form, refresh_token: registry.refreshToken })))).status, 200);
    assert.equal((await post({ ...form, refresh_token: 'other' })).status, 401);
    // The registry itself verifies what a token says, and who signed it.
    const [header = '', , signature = ''] = bearer(withPassword).split('.');
    const forged = Buffer.from(JSON.stringify({ iss: tokens.issuer, aud: tokens.service, exp: 4e9, access: [{ type: 'repository', name: 'private/app', actions: ['pull'] }] })).toString('base64url');
    assert.equal((await pull(registry, 'private/app', `${header}.${forged}.${signature}`)).status, 401);
    assert.deepEqual(tokens.requests.map(({ method, grant, status }) => `${method} ${grant} ${status}`), ['GET anonymous 200', 'GET anonymous 200', 'GET password 200', 'GET password 401', 'POST refresh_token 200', 'POST refresh_token 401']);
  });
});
