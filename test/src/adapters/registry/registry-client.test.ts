import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenRegistryOptions } from '../../../../src/adapters/registry/open-registry.ts';
import { failureIn, lookUp, LoopbackRegistry, platformsIn, send, sendError, sendStored, withFolder, withOpen, type Fault } from './loopback-registry.ts';
import type { RecordedRequest } from '../../../support/loopback-api.ts';

const WINDOWS = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.5386' };
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

/** Runs work with the credentials of the user in a folder for Docker. */
async function withCredentials<T>(auths: Readonly<Record<string, unknown>>, work: (options: Partial<OpenRegistryOptions>) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    await writeFile(join(folder, 'config.json'), JSON.stringify({ auths }));
    return work({ env: { DOCKER_CONFIG: folder, HOME: '/nonexistent', PATH: '/nonexistent' } });
  });
}

interface TokenOptions {
  /** URL in the challenge; the registry's own /token by default. */
  readonly realm?: string;
  readonly challenge?: string;
  /** Answer of the token server; null for a refusal. */
  readonly token?: (request: RecordedRequest) => Readonly<Record<string, unknown>> | null;
  readonly accepts?: (authorization: string | undefined, request: RecordedRequest) => boolean;
}

function withTokens(registry: LoopbackRegistry, { realm = `${registry.url}/token`, challenge, token = () => ({ token: 'T' }), accepts = (authorization) => authorization === 'Bearer T' }: TokenOptions = {}): Fault {
  return (request, response) => {
    if (request.url.startsWith('/token')) {
      const answer = token(request);
      return answer === null ? sendError(response, 401, 'UNAUTHORIZED', 'incorrect username or password') : send(response, 200, answer);
    }
    if (accepts(request.headers.authorization, request)) return false;
    const repository = /^\/v2\/(.+)\/(?:manifests|blobs)\//.exec(request.url)?.[1];
    return sendError(response, 401, 'UNAUTHORIZED', 'authentication required', {
      'WWW-Authenticate': challenge ?? `Bearer realm="${realm}",service="registry.test"${repository === undefined ? '' : `,scope="repository:${repository}:pull"`}`,
    });
  };
}

describe('RegistryClient', () => {
  let registry: LoopbackRegistry;
  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
    registry.index('team/app', [WINDOWS], 'v1');
    registry.index('team/other', [WINDOWS], 'v1');
  });
  afterEach(() => registry.close());

  const image = (): string => `${registry.host}/team/app:v1`;

  describe('tokens', () => {
    it('are fetched by the challenge, without credentials where there are none', async () => {
      registry.fault = withTokens(registry);
      platformsIn(await lookUp(image()));
      assert.deepEqual(registry.paths, ['GET /v2/team/app/manifests/v1', 'GET /token?service=registry.test&scope=repository%3Ateam%2Fapp%3Apull', 'GET /v2/team/app/manifests/v1']);
      assert.equal(registry.requests[1]?.headers.authorization, undefined);
    });

    it('are fetched with a user name and password', async () => {
      registry.fault = withTokens(registry, { token: ({ headers }) => (headers.authorization === basic('u:p') ? { access_token: 'T' } : null) });
      await withCredentials({ [registry.host]: { username: 'u', password: 'p' } }, async (options) => platformsIn(await lookUp(image(), options)));
    });

    it('are fetched with an identity token, in a body that no trace shows', async () => {
      registry.fault = withTokens(registry, { token: ({ method, body }) => (method === 'POST' && new URLSearchParams(body).get('refresh_token') === 'refresh-me' ? { access_token: 'T' } : null) });
      const trace: string[] = [];
      await withCredentials({ [registry.host]: { identitytoken: 'refresh-me' } }, async (options) => {
        platformsIn(await lookUp(image(), { ...options, verbosity: 10, onTrace: (line) => trace.push(line) }));
      });
      const form = new URLSearchParams(registry.requests[1]?.body);
      assert.deepEqual(Object.fromEntries(form), { grant_type: 'refresh_token', service: 'registry.test', client_id: 'kubectl-win', scope: 'repository:team/app:pull', refresh_token: 'refresh-me' });
      assert.ok(trace.length > 4);
      assert.doesNotMatch(trace.join('\n'), /refresh-me|Bearer T\b|"T"/);
    });

    it('that stand in the configuration go to the registry as they are', async () => {
      registry.fault = withTokens(registry);
      await withCredentials({ [registry.host]: { registrytoken: 'T' } }, async (options) => platformsIn(await lookUp(image(), options)));
      assert.equal(registry.requests.length, 2);
    });

    it('are kept per repository, and asked for at once where the registry has told how', async () => {
      registry.fault = withTokens(registry);
      await withOpen({}, async (opened) => {
        platformsIn(await opened.lookUp(image()));
        platformsIn(await opened.lookUp(`${registry.host}/team/other:v1`));
        failureIn(await opened.lookUp(`${registry.host}/team/other:v2`));
      });
      assert.deepEqual(registry.paths.slice(3), ['GET /token?service=registry.test&scope=repository%3Ateam%2Fother%3Apull', 'GET /v2/team/other/manifests/v1', 'GET /v2/team/other/manifests/v2']);
    });

    it('are fetched once for many', async () => {
      registry.fault = withTokens(registry);
      for (let index = 0; index < 6; index += 1) registry.index('team/app', [{ ...WINDOWS, 'os.version': `10.0.20348.${index}` }], `t${index}`);
      await withOpen({}, async (opened) => {
        for (const answer of await Promise.all(Array.from({ length: 6 }, (_, index) => opened.lookUp(`${registry.host}/team/app:t${index}`)))) platformsIn(answer);
      });
      assert.equal(registry.requests.filter(({ url }) => url.startsWith('/token')).length, 1);
    });

    it('are fetched anew when the registry does not take them any more', async () => {
      let valid = 'T1';
      registry.fault = withTokens(registry, { token: () => ({ token: valid, expires_in: 3600 }), accepts: (authorization) => authorization === `Bearer ${valid}` });
      await withOpen({}, async (opened) => {
        platformsIn(await opened.lookUp(image()));
        valid = 'T2';
        platformsIn(await opened.lookUp(`${registry.host}/team/app@${registry.stored('team/app', 'v1')?.digest}`));
      });
      assert.equal(registry.requests.filter(({ url }) => url.startsWith('/token')).length, 2);
    });

    const refusals: readonly (readonly [what: string, options: (url: string) => TokenOptions, reason: string, message: RegExp])[] = [
      ['the token server refuses', () => ({ token: () => null }), 'Unauthorized', /^127\.0\.0\.1:\d+ got no token: its token server 127\.0\.0\.1:\d+ answered 401 Unauthorized \(unauthorized: incorrect username or password\)$/],
      ['the token is refused', () => ({ accepts: () => false }), 'Unauthorized', /answered 401 Unauthorized \(unauthorized: authentication required\)$/],
      ['there is no token in the answer', () => ({ token: () => ({ tokken: 'T' }) }), 'Malformed', /gave an answer without a token$/],
      ['the token could end its header', () => ({ token: () => ({ token: 'T\r\nX: y' }) }), 'Malformed', /gave an answer without a token$/],
      ['no token server is named', () => ({ challenge: 'Bearer service="x"' }), 'Malformed', /without naming a token server$/],
      ['the token server is no web address', () => ({ realm: 'file:///etc/passwd' }), 'Malformed', /without naming a token server$/],
      ['the scheme is not known', () => ({ challenge: 'Negotiate' }), 'Unauthorized', /answered 401 Unauthorized/],
      ['there is no challenge', () => ({ challenge: '' }), 'Unauthorized', /answered 401 Unauthorized/],
    ];
    it('are given up where their server is not where the registry says, which tells nothing of the image', async () => {
      const tokens = withTokens(registry);
      registry.fault = (request, response) => (request.url.startsWith('/token') ? sendError(response, 404, 'X', 'not here') : tokens(request, response));
      const failure = failureIn(await lookUp(image()));
      assert.equal(failure.reason, 'Unauthorized');
      assert.match(failure.message, /^127\.0\.0\.1:\d+ got no token: its token server 127\.0\.0\.1:\d+ answered 404 Not Found \(x: not here\)$/);
      assert.deepEqual(failure.suggestions, [`log in with \`docker login ${registry.host}\`, or use credentials that may pull it`]);
    });

    for (const [what, options, reason, message] of refusals) {
      it(`are given up where ${what}`, async () => {
        registry.fault = withTokens(registry, options(registry.url));
        const failure = failureIn(await lookUp(image()));
        assert.match(failure.message, message);
        assert.equal(failure.reason, reason);
      });
    }

    const odd = 'id~!\'()* "tok\\en"/+';
    it('and what they are fetched with are repeated in no spelling, neither in messages nor in traces', async () => {
      const spellings = [odd, encodeURIComponent(odd), new URLSearchParams({ x: odd }).toString().slice(2), JSON.stringify(odd).slice(1, -1), Buffer.from(`u:${odd}`).toString('base64')];
      for (const credentials of [{ identitytoken: odd }, { username: 'u', password: odd }]) {
        for (const spelling of spellings) {
          const trace: string[] = [];
          registry.fault = ({ url, headers }, response) => {
            const echo = { 'X-Auth-Token': 'fetched-token', 'X-Echo': encodeURIComponent(spelling) };
            if (url.startsWith('/token')) return url.includes('good') ? send(response, 200, { token: 'fetched-token' }, echo) : sendError(response, 403, 'DENIED', `no: ${spelling}`, echo);
            if (headers.authorization === undefined) return sendError(response, 401, 'UNAUTHORIZED', 'who?', { 'WWW-Authenticate': `Bearer realm="${registry.url}/token${url.includes('good') ? '?good' : ''}",service="s"` });
            return sendError(response, 403, 'DENIED', `no: ${spelling} ${headers.authorization}`, { 'Content-Type': `text/${encodeURIComponent(spelling)}` });
          };
          await withCredentials({ [registry.host]: credentials }, async (options) => {
            for (const tag of ['v1', 'good']) trace.push(JSON.stringify(failureIn(await lookUp(`${registry.host}/team/app:${tag}`, { ...options, verbosity: 10, onTrace: (line) => trace.push(line) }))));
          });
          assert.ok(trace.length > 10);
          const text = trace.join('\n');
          assert.doesNotMatch(text, /fetched-token/);
          // A server's text stands in JSON once more in what is read here.
          for (const one of [...spellings, ...spellings.map((each) => JSON.stringify(each).slice(1, -1))]) assert.ok(!text.includes(one), `${one} in ${text}`);
        }
      }
    });

    describe('of a server that redirects', () => {
      let server: LoopbackRegistry;
      beforeEach(async () => {
        server = await LoopbackRegistry.start();
      });
      afterEach(() => server.close());

      const redirecting = (location: () => string): void => {
        const tokens = withTokens(registry);
        registry.fault = (request, response) => (request.url.startsWith('/token') ? send(response, 302, '', { Location: location() }) : tokens(request, response));
      };

      it('are fetched there, without the credentials', async () => {
        redirecting(() => `${server.url}/moved?x=1`);
        server.fault = (_request, response) => send(response, 200, { token: 'T' });
        await withCredentials({ [registry.host]: { username: 'u', password: 'p' }, [server.host]: { username: 'u', password: 'p' } }, async (options) => platformsIn(await lookUp(image(), options)));
        assert.deepEqual(server.paths, ['GET /moved?x=1']);
        assert.equal(server.requests[0]?.headers.authorization, undefined);
      });

      it('within its host are fetched with them', async () => {
        const tokens = withTokens(registry);
        registry.fault = (request, response) => {
          if (request.url.startsWith('/token')) return send(response, 307, '', { Location: '/moved' });
          if (request.url === '/moved') return request.headers.authorization === basic('u:p') ? send(response, 200, { token: 'T' }) : send(response, 401, '');
          return tokens(request, response);
        };
        await withCredentials({ [registry.host]: { username: 'u', password: 'p' } }, async (options) => platformsIn(await lookUp(image(), options)));
      });

      it('are not fetched with an identity token, which would go to somebody else', async () => {
        redirecting(() => `${server.url}/moved`);
        await withCredentials({ [registry.host]: { identitytoken: 'refresh-me' } }, async (options) => assert.match(failureIn(await lookUp(image(), options)).message, /its token server .* answered 302 Found$/));
        assert.equal(server.requests.length, 0);
      });

      for (const [what, location, message] of [
        ['without an end', () => '/token', /redirects more than 5 times$/],
        ['to what is no web address', () => 'file:///etc/passwd', /redirects to what is no web address$/],
        ['to plain HTTP elsewhere', () => 'http://auth.example/token', /redirects to plain HTTP at auth\.example, where anybody could answer$/],
      ] as const) {
        it(`${what} are given up`, async () => {
          redirecting(location);
          const failure = failureIn(await lookUp(image()));
          assert.equal(failure.reason, 'Malformed');
          assert.match(failure.message, message);
        });
      }
    });

    it('never make credentials go over plain HTTP to a server elsewhere', async () => {
      registry.fault = withTokens(registry, { realm: 'http://auth.example/token' });
      await withCredentials({ [registry.host]: { username: 'u', password: 'p' } }, async (options) => {
        const failure = failureIn(await lookUp(image(), options));
        assert.equal(failure.reason, 'Unauthorized');
        assert.match(failure.message, /names a token server at auth\.example over plain HTTP, where credentials and tokens would go in the clear: it was not asked$/);
      });
    });

    it('of a server on another port of loopback are taken, as its registry is there, too', async () => {
      const server = await LoopbackRegistry.start();
      server.fault = (request, response) => (request.headers.authorization === basic('u:p') ? send(response, 200, { token: 'T' }) : sendError(response, 401, 'DENIED', 'no'));
      registry.fault = withTokens(registry, { realm: `${server.url}/token` });
      await withCredentials({ [registry.host]: { username: 'u', password: 'p' } }, async (options) => platformsIn(await lookUp(image(), options)));
      const failure = failureIn(await lookUp(image()));
      assert.equal(failure.message, `${registry.host} got no token: its token server ${server.host} answered 401 Unauthorized (denied: no)`);
      assert.deepEqual(failure.suggestions, [`log in with \`docker login ${registry.host}\`, or use credentials that may pull it`]);
      await server.close();
    });
  });

  describe('Basic', () => {
    const wantsBasic: Fault = ({ headers }, response) =>
      headers.authorization === basic('u:p') ? false : sendError(response, 401, 'UNAUTHORIZED', `no access for ${headers.authorization ?? 'nobody'}`, { 'WWW-Authenticate': 'Basic realm="r"' });

    it('is answered with the credentials of this host, and from then on without being asked', async () => {
      registry.fault = wantsBasic;
      await withCredentials({ [registry.host]: { username: 'u', password: 'p' }, 'r.example': { username: 'x', password: 'y' } }, (options) => withOpen(options, async (opened) => {
        platformsIn(await opened.lookUp(image()));
        platformsIn(await opened.lookUp(`${registry.host}/team/other:v1`));
      }));
      assert.equal(registry.requests.length, 3);
    });

    it('stays unanswered without credentials', async () => {
      registry.fault = wantsBasic;
      const failure = failureIn(await lookUp(image()));
      assert.equal(failure.reason, 'Unauthorized');
      assert.equal(failure.message, `${registry.host} answered 401 Unauthorized (unauthorized: no access for nobody)`);
      assert.deepEqual(failure.suggestions, [`log in with \`docker login ${registry.host}\`, or use credentials that may pull it`]);
      assert.equal(registry.requests.length, 1);
    });

    it('with a wrong password is refused, and the password is not repeated', async () => {
      registry.fault = wantsBasic;
      await withCredentials({ [registry.host]: { username: 'u', password: 'hunter22' } }, async (options) => {
        const failure = failureIn(await lookUp(image(), options));
        assert.equal(failure.message, `${registry.host} answered 401 Unauthorized (unauthorized: no access for Basic <masked>)`);
      });
    });
  });

  it('asks again without a login that has expired, for what everybody may see', async () => {
    registry.fault = withTokens(registry, { token: ({ headers }) => (headers.authorization === undefined ? { token: 'T' } : null) });
    await withCredentials({ [registry.host]: { username: 'u', password: 'expired' } }, async (options) => platformsIn(await lookUp(image(), options)));
  });

  it('introduces itself to a registry that says 404 to strangers without asking', async () => {
    registry.fault = ({ url, headers }, response) => {
      if (headers.authorization === basic('u:p')) return false;
      return url === '/v2/' ? sendError(response, 401, 'UNAUTHORIZED', 'who?', { 'WWW-Authenticate': 'Basic realm="r"' }) : sendError(response, 404, 'NAME_UNKNOWN', 'name unknown');
    };
    await withCredentials({ [registry.host]: { username: 'u', password: 'p' } }, async (options) => platformsIn(await lookUp(image(), options)));
    assert.equal(failureIn(await lookUp(image())).reason, 'NotFound');
  });

  describe('redirects', () => {
    let store: LoopbackRegistry;
    beforeEach(async () => {
      store = await LoopbackRegistry.start();
    });
    afterEach(() => store.close());

    it('are followed to another host, which gets no Authorization, and whose address is not traced', async () => {
      const single = registry.image('team/single', WINDOWS, 'v1');
      registry.fault = (request, response) => {
        if (request.headers.authorization !== basic('u:p')) return sendError(response, 401, 'UNAUTHORIZED', 'who?', { 'WWW-Authenticate': 'Basic realm="r"' });
        return request.url.includes('/blobs/') ? send(response, 307, '', { Location: `${store.url}/bucket${request.url}?X-Signature=hush-hush&sig=hush-hush` }) : false;
      };
      store.fault = ({ url }, response) => {
        const stored = registry.stored('team/single', url.replace(/^.*\/blobs\//, '').replace(/\?.*$/, ''));
        if (stored !== undefined) sendStored(response, stored, 'GET');
        return stored !== undefined;
      };
      const trace: string[] = [];
      await withCredentials({ [registry.host]: { username: 'u', password: 'p' }, [store.host]: { username: 'u', password: 'p' } }, async (options) => {
        const platforms = platformsIn(await lookUp(`${registry.host}/team/single:v1`, { ...options, verbosity: 10, onTrace: (line) => trace.push(line) }));
        assert.equal(platforms.digest, single.digest);
      });
      assert.equal(store.requests.length, 1);
      assert.equal(store.requests[0]?.headers.authorization, undefined);
      assert.ok(trace.some((line) => line.includes('/bucket/')));
      assert.doesNotMatch(trace.join('\n'), /hush-hush/);
    });

    it('within the host keep it', async () => {
      registry.fault = (request, response) => {
        if (request.headers.authorization !== basic('u:p')) return sendError(response, 401, 'UNAUTHORIZED', 'who?', { 'WWW-Authenticate': 'Basic realm="r"' });
        return request.url.endsWith('/v1') ? send(response, 302, '', { Location: '/v2/team/other/manifests/v1?moved' }) : false;
      };
      registry.fault = ((before) => (request, response) => (request.url.endsWith('moved') ? false : before(request, response)))(registry.fault);
      await withCredentials({ [registry.host]: { username: 'u', password: 'p' } }, async (options) => platformsIn(await lookUp(image(), options)));
      assert.equal(registry.requests.at(-1)?.headers.authorization, basic('u:p'));
    });

    it('are followed with a token for everybody, where the other host wants one', async () => {
      registry.fault = ({ url }, response) => send(response, 307, '', { Location: `${store.url}${url}` });
      store.index('team/app', [WINDOWS], 'v1');
      store.fault = withTokens(store);
      platformsIn(await lookUp(image()));
    });

    const refused: readonly (readonly [what: string, location: () => string, message: RegExp])[] = [
      ['without an end', () => '/v2/team/app/manifests/v1', /redirects more than 5 times$/],
      ['to and fro', () => `${store.url}/x`, /redirects more than 5 times$/],
      ['to what is no web address', () => 'data:text/plain,x', /redirects to what is no web address$/],
    ];
    for (const [what, location, message] of refused) {
      it(`${what} are given up`, async () => {
        registry.fault = (_request, response) => send(response, 307, '', { Location: location() });
        store.fault = (_request, response) => send(response, 307, '', { Location: `${registry.url}/v2/team/app/manifests/v1` });
        const failure = failureIn(await lookUp(image()));
        assert.equal(failure.reason, 'Malformed');
        assert.match(failure.message, message);
        assert.ok(registry.requests.length + store.requests.length <= 7);
      });
    }

    it('and types of any length and any characters make no message that is longer than people read', async () => {
      const faults: readonly Fault[] = [
        (_request, response) => send(response, 200, '<html>', { 'Content-Type': `text/${'x'.repeat(200_000)}` }),
        (_request, response) => send(response, 307, '', { Location: `http://${'a'.repeat(50_000)}.example/` }),
        (_request, response) => send(response, 401, '', { 'WWW-Authenticate': `Bearer realm="http://${'a'.repeat(10_000)}.example/token"` }),
        (_request, response) => send(response, 200, '<html>', { 'Content-Type': 'text/\u009b2J' }),
      ];
      for (const fault of faults) {
        registry.fault = fault;
        const failure = failureIn(await lookUp(image()));
        assert.ok(JSON.stringify(failure).length < 2000, JSON.stringify(failure).slice(0, 3000));
        assert.doesNotMatch(failure.message, /[\p{Cc}\p{Cf}]/u);
      }
    });

    it('from TLS to plain HTTP are followed for what a digest proves, and for no tag', async () => {
      const secure = await LoopbackRegistry.start({});
      const index = store.index('team/app', [WINDOWS], 'v1');
      secure.fault = ({ url }, response) => send(response, 307, '', { Location: `${store.url}${url}` });
      assert.match(failureIn(await lookUp(`${secure.host}/team/app:v1`)).message, /redirects from TLS to plain HTTP at 127\.0\.0\.1:\d+, where anybody could answer$/);
      platformsIn(await lookUp(`${secure.host}/team/app@${index.digest}`));
      await secure.close();
    });
  });
});
