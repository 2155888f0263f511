import assert from 'node:assert/strict';
import https from 'node:https';
import { agentFor, closeAgent, requestHeaders, setUserAgentVersion } from '../../../../src/adapters/http/agent.ts';
import { KubeClient } from '../../../../src/adapters/kube/api/client.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { createAuthority } from '../../../cluster/certificates.ts';
import { connectionTo, loopbackAuthority, sendJson, startLoopbackApi, startLoopbackProxy, startLoopbackSocks, type LoopbackHandler } from '../../../support/loopback-api.ts';

const versionHandler: LoopbackHandler = (_request, response) => sendJson(response, 200, { kind: 'Info', gitVersion: 'v1.37.2' });

describe('agentFor', () => {
  it('gives up a kept socket before the server does, and none that is waited on', async () => {
    const api = await startLoopbackApi((request, response) => void setTimeout(() => sendJson(response, 200, { kind: 'Node' }), request.url.endsWith('slow') ? 120 : 0));
    const connection = connectionTo(api);
    const { options } = agentFor(connection, {}) as unknown as { readonly options: { timeout: number } };
    assert.equal(options.timeout, 60_000);
    options.timeout = 40;
    const client = new KubeClient(connection);
    try {
      await client.get(NODES, 'slow');
      assert.equal(api.connections(), 1);
      while (api.openConnections() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await client.get(NODES, 'n');
      assert.equal(api.connections(), 2);
    } finally {
      client.close();
      await api.close();
    }
  });

  it('#1 #23: keeps one agent per connection and client certificate, and a rotated certificate makes a new one', async () => {
    const authority = await loopbackAuthority();
    const one = await authority.issue({ commonName: 'one' });
    const two = await authority.issue({ commonName: 'two' });
    const connection = connectionTo({ url: 'https://127.0.0.1:1', ca: authority.cert });
    const first = agentFor(connection, { clientCertificate: one });
    assert.equal(agentFor(connection, { clientCertificate: { ...one }, authorization: 'Bearer other' }), first);
    assert.notEqual(agentFor(connection, { clientCertificate: two }), first);
    assert.notEqual(agentFor(connectionTo({ url: 'https://127.0.0.1:1', ca: authority.cert }), { clientCertificate: one }), first);
    closeAgent(connection);
  });

  it('#1: twenty requests in turn take one connection, twenty at once no more than ten', async () => {
    const api = await startLoopbackApi(versionHandler);
    const client = new KubeClient(connectionTo(api));
    try {
      for (let count = 0; count < 20; count += 1) await client.serverVersion();
      assert.equal(api.connections(), 1);
      await Promise.all(Array.from({ length: 20 }, () => client.serverVersion()));
      assert.ok(api.connections() <= 10, `${api.connections()} connections`);
      assert.equal(api.requests.length, 40);
    } finally {
      client.close();
      await api.close();
    }
  });

  it('#17: without a CA trusts the roots of Node and of the machine, and still refuses a private one', async () => {
    const api = await startLoopbackApi(versionHandler);
    const client = new KubeClient(connectionTo(api, { tls: { insecureSkipVerify: false } }));
    try {
      await assert.rejects(client.serverVersion(), (error) => error instanceof ClusterError && error.reason === 'UntrustedCertificate');
    } finally {
      client.close();
      await api.close();
    }
  });

  it('insecure-skip-tls-verify takes any certificate', async () => {
    const api = await startLoopbackApi(versionHandler, { tls: { dnsNames: ['other.example'], ipAddresses: [] } });
    const client = new KubeClient(connectionTo(api, { tls: { insecureSkipVerify: true } }));
    try {
      assert.deepEqual(await client.serverVersion(), { gitVersion: 'v1.37.2' });
    } finally {
      client.close();
      await api.close();
    }
  });

  it('tls-server-name is sent as SNI and is the name that is verified', async () => {
    const api = await startLoopbackApi(versionHandler, { tls: { dnsNames: ['kubernetes.example'], ipAddresses: ['10.9.8.7'] } });
    const named = new KubeClient(connectionTo(api, { tls: { ca: api.ca, insecureSkipVerify: false, serverName: 'kubernetes.example' } }));
    const addressed = new KubeClient(connectionTo(api, { tls: { ca: api.ca, insecureSkipVerify: false, serverName: '10.9.8.7' } }));
    const wrong = new KubeClient(connectionTo(api, { tls: { ca: api.ca, insecureSkipVerify: false, serverName: 'else.example' } }));
    try {
      await named.serverVersion();
      assert.deepEqual(api.serverNames, ['kubernetes.example']);
      await addressed.serverVersion();
      assert.deepEqual(api.serverNames, ['kubernetes.example', '']);
      await assert.rejects(wrong.serverVersion(), { message: 'Unable to connect to the server: tls: failed to verify certificate: x509: certificate is valid for kubernetes.example, not else.example' });
    } finally {
      for (const client of [named, addressed, wrong]) client.close();
      await api.close();
    }
  });

  it('presents the client certificate', async () => {
    const users = await createAuthority('users');
    const api = await startLoopbackApi(versionHandler, { clientAuthority: users });
    const clientCertificate = await users.issue({ commonName: 'jane' });
    const client = new KubeClient(connectionTo(api, { credentials: { get: async () => ({ clientCertificate }), refresh: async () => false } }));
    const nobody = new KubeClient(connectionTo(api));
    try {
      assert.deepEqual(await client.serverVersion(), { gitVersion: 'v1.37.2' });
      await assert.rejects(nobody.serverVersion(), (error) => error instanceof ClusterError && error.message.startsWith('Unable to connect to the server: '));
      assert.equal(api.requests.length, 1);
    } finally {
      client.close();
      nobody.close();
      await api.close();
    }
  });

  it('says which setting is wrong when key and certificate do not fit or a CA is no PEM', async () => {
    const authority = await loopbackAuthority();
    const [one, two] = [await authority.issue({ commonName: 'one' }), await authority.issue({ commonName: 'two' })];
    const wrong = (error: unknown): boolean => error instanceof ClusterError && error.reason === 'BadConfiguration' && error.message.startsWith('unable to use the ');
    assert.throws(() => agentFor(connectionTo({ url: 'https://127.0.0.1:1', ca: authority.cert }), { clientCertificate: { cert: one.cert, key: two.key } }), wrong);
    assert.throws(() => agentFor(connectionTo({ url: 'https://127.0.0.1:1', ca: authority.cert }), { clientCertificate: { cert: 'rubbish', key: two.key } }), wrong);
  });

  describe('#10: proxies', () => {
    it('tunnels through proxy-url with its user, keeping the tunnel for later requests', async () => {
      const api = await startLoopbackApi(versionHandler, { tls: { dnsNames: ['api.cluster.example'] } });
      const proxy = await startLoopbackProxy(api.port, { authorization: `Basic ${Buffer.from('jane:p@ss').toString('base64')}` });
      const client = new KubeClient(connectionTo({ url: 'https://api.cluster.example:6443', ca: api.ca }, { proxyUrl: `http://jane:p%40ss@127.0.0.1:${proxy.port}` }));
      try {
        await client.serverVersion();
        await client.serverVersion();
        assert.deepEqual(proxy.seen.map(({ target }) => target), ['api.cluster.example:6443']);
        assert.equal(api.connections(), 1);
        assert.equal(api.requests[0]?.headers['proxy-authorization'], undefined);
        assert.equal(api.requests[0]?.headers.host, 'api.cluster.example:6443');
      } finally {
        client.close();
        await proxy.close();
        await api.close();
      }
    });

    it('says what a proxy refused, without its password', async () => {
      const proxy = await startLoopbackProxy(1, { authorization: 'Basic other' });
      const client = new KubeClient(connectionTo({ url: 'https://api.cluster.example:6443', ca: undefined }, { proxyUrl: `http://jane:secret@127.0.0.1:${proxy.port}` }));
      try {
        await assert.rejects(client.serverVersion(), (error) => {
          assert.ok(error instanceof ClusterError);
          assert.equal(error.reason, 'ProxyError');
          assert.equal(error.message, `Unable to connect to the server: the proxy http://127.0.0.1:${proxy.port} wants a user name and password (407 Proxy Authentication Required)`);
          assert.ok(!error.suggestions.join().includes('secret'));
          return true;
        });
      } finally {
        client.close();
        await proxy.close();
      }
    });

    it('sends plain HTTP to a proxy as an absolute URL, as Go does', async () => {
      const api = await startLoopbackApi(versionHandler, { tls: false });
      const proxy = await startLoopbackProxy(api.port);
      const client = new KubeClient(connectionTo({ url: 'http://api.cluster.example:8001', ca: undefined }, { proxyUrl: `http://127.0.0.1:${proxy.port}` }));
      try {
        await client.serverVersion();
        assert.deepEqual(proxy.seen.map(({ target }) => target), ['http://api.cluster.example:8001/version']);
      } finally {
        client.close();
        await proxy.close();
        await api.close();
      }
    });

    it('goes through SOCKS5 with the name unresolved', async () => {
      const api = await startLoopbackApi(versionHandler, { tls: { dnsNames: ['api.cluster.example'] } });
      const proxy = await startLoopbackSocks(api.port);
      const client = new KubeClient(connectionTo({ url: 'https://api.cluster.example:6443', ca: api.ca }, { proxyUrl: `socks5://127.0.0.1:${proxy.port}` }));
      try {
        await client.serverVersion();
        await client.serverVersion();
        assert.deepEqual(proxy.seen.map(({ target }) => target), ['api.cluster.example:6443']);
      } finally {
        client.close();
        await proxy.close();
        await api.close();
      }
    });

    it('takes HTTPS_PROXY from the environment, but not for names and ranges of NO_PROXY', async () => {
      const api = await startLoopbackApi(versionHandler, { tls: { dnsNames: ['api.cluster.example'], ipAddresses: ['127.0.0.1'] } });
      const proxy = await startLoopbackProxy(api.port);
      const before = { HTTPS_PROXY: process.env.HTTPS_PROXY, NO_PROXY: process.env.NO_PROXY };
      process.env.HTTPS_PROXY = `127.0.0.1:${proxy.port}`;
      process.env.NO_PROXY = '10.0.0.0/8';
      const proxied = new KubeClient(connectionTo({ url: 'https://api.cluster.example:6443', ca: api.ca }));
      const direct = new KubeClient(connectionTo(api));
      try {
        await proxied.serverVersion();
        await direct.serverVersion();
        assert.deepEqual(proxy.seen.map(({ target }) => target), ['api.cluster.example:6443']);
      } finally {
        for (const [name, value] of Object.entries(before)) {
          if (value === undefined) delete process.env[name];
          else process.env[name] = value;
        }
        proxied.close();
        direct.close();
        await proxy.close();
        await api.close();
      }
    });
  });

  it('#16 #22: talks to http servers and to ports that fetch would block', async () => {
    const api = await startLoopbackApi(versionHandler, { tls: false });
    const client = new KubeClient(connectionTo(api));
    try {
      assert.deepEqual(await client.serverVersion(), { gitVersion: 'v1.37.2' });
    } finally {
      client.close();
      await api.close();
    }
    const blocked = new KubeClient(connectionTo({ url: 'http://127.0.0.1:6000', ca: undefined }));
    // Nobody listens there; what matters is that the connection was tried.
    await assert.rejects(blocked.serverVersion(), { message: 'The connection to the server 127.0.0.1:6000 was refused - did you specify the right host or port?' });
    blocked.close();
  });
});

describe('requestHeaders', () => {
  it('#14: repeats the group header, encodes keys of extra fields and sends UTF-8', async () => {
    const api = await startLoopbackApi(versionHandler);
    const connection = connectionTo(api, {
      impersonate: { user: 'jané', uid: 'u-1', groups: ['g1', 'g 2', 'g,3'], extra: { 'example.com/Role%': ['a', 'b'], empty: [] } },
      credentials: { get: async () => ({ authorization: 'Bearer abc' }), refresh: async () => false },
    });
    setUserAgentVersion(connection, '1.2.3');
    const client = new KubeClient(connection);
    try {
      // With a body: Node would write head and text body together as UTF-8.
      await client.create(NODES, { kind: 'Node', metadata: { name: 'größe' } });
      assert.equal(api.requests[0]?.body, '{"kind":"Node","metadata":{"name":"größe"}}');
      const sent = api.requests[0]?.rawHeaders ?? [];
      const pairs = sent.flatMap((name, index) => (index % 2 === 0 ? [[name, sent[index + 1] ?? ''] as const] : []));
      const values = (wanted: string): readonly string[] => pairs.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
      assert.deepEqual(values('impersonate-group'), ['g1', 'g 2', 'g,3']);
      assert.equal(Buffer.from(values('impersonate-user')[0] ?? '', 'latin1').toString('utf8'), 'jané');
      assert.deepEqual(values('impersonate-uid'), ['u-1']);
      assert.deepEqual(values('impersonate-extra-example.com%2frole%25'), ['a', 'b']);
      assert.deepEqual(values('authorization'), ['Bearer abc']);
      assert.match(values('user-agent')[0] ?? '', /^kubectl-win\/1\.2\.3 \((linux|darwin|windows)\/(amd64|arm64)\)$/);
    } finally {
      client.close();
      await api.close();
    }
  });

  it('refuses a token with a line break in words', () => {
    const connection = connectionTo({ url: 'https://127.0.0.1:1', ca: undefined });
    assert.throws(() => requestHeaders(connection, { authorization: 'Bearer a\nb' }), { message: 'invalid value for the header "Authorization": it contains a line break or control character' });
  });

  it('makes agents of node:https, which WebSockets can use as well', () => {
    const connection = connectionTo({ url: 'https://127.0.0.1:1', ca: undefined });
    assert.ok(agentFor(connection, {}) instanceof https.Agent);
    closeAgent(connection);
  });
});
