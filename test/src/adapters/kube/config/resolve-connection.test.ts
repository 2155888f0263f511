import assert from 'node:assert/strict';
import { createAuthority } from '../../../../cluster/certificates.ts';
import type { Identity } from '../../../../cluster/certificates.ts';
import type { ConnectionFlags } from '../../../../../src/app/ports.ts';
import { resolveConnection } from '../../../../../src/adapters/kube/config/resolve-connection.ts';
import type { Connection } from '../../../../../src/adapters/kube/connection.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import type { ClusterErrorReason } from '../../../../../src/errors.ts';
import { kubeconfigText, workplace } from './workplace.ts';
import type { Workplace } from './workplace.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('resolveConnection', () => {
  let place: Workplace;
  let ca: string;
  let me: Identity;
  let other: Identity;

  before(async () => {
    const authority = await createAuthority();
    ca = authority.cert;
    me = await authority.issue({ commonName: 'me' });
    other = await authority.issue({ commonName: 'other' });
  });
  beforeEach(() => {
    place = workplace();
  });
  afterEach(() => place.close());

  async function resolve(config: string | null, flags: ConnectionFlags = {}, variables: Record<string, string> = {}): Promise<Connection> {
    if (config !== null) place.write('home/.kube/config', config);
    return resolveConnection(flags, place.environment({ variables }));
  }

  async function failure(config: string | null, flags: ConnectionFlags = {}): Promise<ClusterError> {
    try {
      await resolve(config, flags);
    } catch (error) {
      assert.ok(error instanceof ClusterError, `ClusterError expected, got ${String(error)}`);
      assert.equal(error.exitCode, 3);
      return error;
    }
    assert.fail('no error');
  }

  it('takes everything from the current context', async () => {
    const connection = await resolve(kubeconfigText({
      cluster: { server: 'https://api.example:6443/k8s/clusters/c-1/?x=1#y', 'certificate-authority-data': base64(ca), 'tls-server-name': 'inside', 'proxy-url': 'http://proxy:3128', 'disable-compression': true },
      user: { token: 'abc', as: 'jane', 'as-uid': '7', 'as-groups': ['g1', 'g2'], 'as-user-extra': { scopes: ['a', 'b'] } },
      context: { namespace: 'shop' },
    }));
    const { credentials, ...rest } = connection;
    assert.deepEqual(rest, {
      server: 'https://api.example:6443/k8s/clusters/c-1',
      tls: { ca, insecureSkipVerify: false, serverName: 'inside' },
      proxyUrl: 'http://proxy:3128',
      disableCompression: true,
      impersonate: { user: 'jane', uid: '7', groups: ['g1', 'g2'], extra: { scopes: ['a', 'b'] } },
      contextName: 'x', clusterName: 'c', userName: 'u', namespace: 'shop',
    });
    assert.deepEqual(await credentials.get(), { authorization: 'Bearer abc' });
    assert.equal(await credentials.refresh(), false);
  });

  describe('servers', () => {
    const table: readonly (readonly [given: string, used: string])[] = [
      ['https://h:6443', 'https://h:6443'],
      ['https://h:6443/', 'https://h:6443'],
      ['https://h/a/b/', 'https://h/a/b'],
      ['http://127.0.0.1:8001', 'http://127.0.0.1:8001'],
      ['localhost:8080', 'http://localhost:8080'],
      ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
      ['h', 'http://h'],
      ['https://[::1]:6443', 'https://[::1]:6443'],
    ];
    for (const [given, used] of table) {
      it(`${given} means ${used}`, async () => {
        assert.equal((await resolve(kubeconfigText({ cluster: { server: given } }))).server, used);
      });
    }
    for (const given of ['h/path', 'https://', 'ftp://h']) {
      it(`${given} is refused`, async () => {
        assert.match((await failure(kubeconfigText({ cluster: { server: given } }))).message, /host must be a URL or a host:port pair|it must be https or http/);
      });
    }
  });

  it('sends no credentials to a plain http server', async () => {
    const connection = await resolve(kubeconfigText({ cluster: { server: 'http://127.0.0.1:8001', 'insecure-skip-tls-verify': true }, user: { token: 'abc', as: 'jane' } }), { token: 'def' });
    assert.deepEqual(await connection.credentials.get(), {});
    assert.equal(connection.tls.insecureSkipVerify, false);
    assert.equal(connection.impersonate?.user, 'jane');
  });

  it('keeps CA and skip-TLS of a context without a user', async () => {
    const withCa = await resolve(kubeconfigText({ cluster: { 'certificate-authority-data': base64(ca) }, context: { user: '' } }));
    assert.deepEqual([withCa.tls.ca, withCa.userName, await withCa.credentials.get()], [ca, null, {}]);
    const skipped = await resolve(kubeconfigText({ cluster: { 'insecure-skip-tls-verify': true }, context: { user: null } }));
    assert.equal(skipped.tls.insecureSkipVerify, true);
  });

  it('reads certificate files next to the kubeconfig', async () => {
    place.write('home/.kube/pki/ca.crt', ca);
    place.write('home/.kube/me.crt', me.cert);
    place.write('home/.kube/me.key', me.key);
    const connection = await resolve(kubeconfigText({ cluster: { 'certificate-authority': 'pki/ca.crt' }, user: { 'client-certificate': 'me.crt', 'client-key': 'me.key' } }));
    assert.equal(connection.tls.ca, ca);
    assert.deepEqual(await connection.credentials.get(), { clientCertificate: { cert: me.cert, key: me.key } });
  });

  describe('flags', () => {
    const config = JSON.stringify({
      clusters: [
        { name: 'east', cluster: { server: 'https://east', 'tls-server-name': 'east-inside', 'insecure-skip-tls-verify': true } },
        { name: 'west', cluster: { server: 'https://west', 'proxy-url': 'http://west:3128' } },
      ],
      users: [{ name: 'a', user: { token: 'token-a' } }, { name: 'b', user: { token: 'token-b' } }],
      contexts: [{ name: 'ea', context: { cluster: 'east', user: 'a', namespace: 'n1' } }, { name: 'wb', context: { cluster: 'west', user: 'b' } }],
      'current-context': 'ea',
    });

    const table: readonly (readonly [title: string, flags: ConnectionFlags, check: (connection: Connection) => unknown, expected: unknown])[] = [
      ['--context chooses cluster, user and namespace', { context: 'wb' }, (c) => [c.server, c.contextName, c.userName, c.namespace], ['https://west', 'wb', 'b', 'default']],
      ['--cluster and --user change the context', { cluster: 'west', user: 'b' }, (c) => [c.server, c.contextName, c.clusterName, c.userName, c.namespace], ['https://west', 'ea', 'west', 'b', 'n1']],
      ['-n beats the context', { namespace: 'n2' }, (c) => c.namespace, 'n2'],
      ['--server replaces the server and drops its TLS name', { server: 'https://10.0.0.1' }, (c) => [c.server, c.tls.serverName, c.tls.insecureSkipVerify], ['https://10.0.0.1', undefined, true]],
      ['--tls-server-name stays with --server', { server: 'https://10.0.0.1', tlsServerName: 'n' }, (c) => c.tls.serverName, 'n'],
      ['--tls-server-name beats the cluster', { tlsServerName: 'n' }, (c) => c.tls.serverName, 'n'],
      ['--proxy-url gives a proxy', { proxyUrl: 'socks5://127.0.0.1:1080' }, (c) => c.proxyUrl, 'socks5://127.0.0.1:1080'],
      ['--proxy-url beats the cluster', { context: 'wb', proxyUrl: 'http://flag:3128' }, (c) => c.proxyUrl, 'http://flag:3128'],
      ['an empty --proxy-url leaves that of the cluster', { context: 'wb', proxyUrl: '' }, (c) => c.proxyUrl, 'http://west:3128'],
      ['--disable-compression', { disableCompression: true }, (c) => c.disableCompression, true],
      ['empty texts count as not given', { context: '', server: '', token: '', namespace: '', user: '', cluster: '', as: '', kubeconfig: '' }, (c) => [c.server, c.namespace, c.userName], ['https://east', 'n1', 'a']],
      ['--as, --as-uid, --as-group and --as-user-extra', { as: 'jane', asUid: '7', asGroup: ['g1', 'g2'], asUserExtra: ['k=a', 'k=b=c', 'bare'] }, (c) => c.impersonate, { user: 'jane', uid: '7', groups: ['g1', 'g2'], extra: { k: ['a', 'b=c'] } }],
    ];
    for (const [title, flags, check, expected] of table) {
      it(title, async () => {
        assert.deepEqual(check(await resolve(config, flags)), expected);
      });
    }

    it('--token beats the user', async () => {
      assert.deepEqual(await (await resolve(config, { token: 'mine' })).credentials.get(), { authorization: 'Bearer mine' });
    });

    it('--insecure-skip-tls-verify clears the CA of the kubeconfig, --certificate-authority its skipping', async () => {
      const file = place.write('flag-ca.crt', ca);
      const insecure = await resolve(kubeconfigText({ cluster: { 'certificate-authority-data': base64(ca) } }), { insecureSkipTlsVerify: true });
      assert.deepEqual(insecure.tls, { insecureSkipVerify: true });
      const trusted = await resolve(kubeconfigText({ cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority-data': base64('x') } }), { certificateAuthority: file });
      assert.deepEqual(trusted.tls, { ca, insecureSkipVerify: false });
    });

    it('--client-certificate and --client-key beat the data of the user', async () => {
      const flags = { clientCertificate: place.write('f.crt', other.cert), clientKey: place.write('f.key', other.key) };
      const connection = await resolve(kubeconfigText({ user: { 'client-certificate-data': base64(me.cert), 'client-key-data': base64(me.key) } }), flags);
      assert.deepEqual(await connection.credentials.get(), { clientCertificate: { cert: other.cert, key: other.key } });
    });

    it('are enough without any kubeconfig', async () => {
      const connection = await resolve(null, { server: 'https://127.0.0.1:1', insecureSkipTlsVerify: true, username: 'joe', password: 'p:w' });
      assert.deepEqual(await connection.credentials.get(), { authorization: `Basic ${base64('joe:p:w')}` });
      assert.deepEqual([connection.contextName, connection.clusterName, connection.userName, connection.namespace], [null, null, null, 'default']);
    });

    for (const flags of [{ token: 't' }, { username: 'u' }] satisfies ConnectionFlags[]) {
      it(`${Object.keys(flags).join()} keeps the credential plugin from running`, async () => {
        const marker = `${place.folder}/ran`;
        const command = place.write('plugin', `#!/bin/sh\ntouch ${marker}\n`, 0o755);
        const connection = await resolve(kubeconfigText({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' } } }), flags);
        assert.match((await connection.credentials.get()).authorization ?? '', /^(Bearer t|Basic )/);
        await assert.rejects((await import('node:fs/promises')).access(marker));
      });
    }
  });

  describe('in a pod', () => {
    const variables = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    function mountServiceAccount(): void {
      place.write('serviceaccount/token', 'pod-token\n');
      place.write('serviceaccount/ca.crt', ca);
      place.write('serviceaccount/namespace', 'pod-ns\n');
    }

    it('uses the service account', async () => {
      mountServiceAccount();
      const { credentials, ...rest } = await resolve(null, {}, variables);
      assert.deepEqual(rest, { server: 'https://10.0.0.1:443', tls: { insecureSkipVerify: false, ca }, disableCompression: false, contextName: null, clusterName: null, userName: null, namespace: 'pod-ns' });
      assert.deepEqual(await credentials.get(), { authorization: 'Bearer pod-token' });
    });

    it('puts an IPv6 address in brackets', async () => {
      mountServiceAccount();
      assert.equal((await resolve(null, {}, { ...variables, KUBERNETES_SERVICE_HOST: 'fd00::1' })).server, 'https://[fd00::1]:443');
    });

    it('still takes --token, --as, -n and POD_NAMESPACE', async () => {
      mountServiceAccount();
      const connection = await resolve(null, { token: 'mine', as: 'jane' }, { ...variables, POD_NAMESPACE: 'from-variable' });
      assert.deepEqual([await connection.credentials.get(), connection.impersonate?.user, connection.namespace], [{ authorization: 'Bearer mine' }, 'jane', 'from-variable']);
      assert.equal((await resolve(null, { namespace: 'n' }, variables)).namespace, 'n');
    });

    it('takes --proxy-url and --certificate-authority, and refuses such as cannot be used', async () => {
      mountServiceAccount();
      const connection = await resolve(null, { proxyUrl: 'http://p:3128', certificateAuthority: place.write('other.crt', me.cert) }, variables);
      assert.deepEqual([connection.proxyUrl, connection.tls.ca], ['http://p:3128', me.cert]);
      await assert.rejects(resolve(null, { proxyUrl: 'ftp://p' }, variables), { message: 'invalid \'proxy-url\' "ftp://p" for cluster "": unsupported scheme "ftp", must be http, https, or socks5' });
    });

    it('goes on with the system\'s authorities, and says so, when ca.crt is missing', async () => {
      place.write('serviceaccount/token', 'pod-token');
      assert.equal((await resolve(null, {}, variables)).tls.ca, undefined);
      assert.match(place.warnings.join(), /expected to load root CA config from/);
    });

    it('prefers a kubeconfig, yet takes the namespace from the pod when the context has none', async () => {
      mountServiceAccount();
      const connection = await resolve(kubeconfigText(), {}, variables);
      assert.deepEqual([connection.server, connection.namespace], ['https://127.0.0.1:6443', 'pod-ns']);
      assert.equal((await resolve(kubeconfigText({ context: { namespace: 'default' } }), {}, variables)).namespace, 'default');
    });
  });

  it('takes the default server from KUBERNETES_MASTER', async () => {
    assert.equal((await resolve(null, {}, { KUBERNETES_MASTER: 'http://master:8080' })).server, 'http://master:8080');
  });

  describe('says what is wrong', () => {
    const two = (user: Record<string, unknown>, cluster: Record<string, unknown> = {}): string => kubeconfigText({ user, cluster });
    const plugin = { apiVersion: 'client.authentication.k8s.io/v1', command: 'p', interactiveMode: 'Never' };
    const table: readonly (readonly [title: string, config: string | null, flags: ConnectionFlags, message: string | RegExp, reason: ClusterErrorReason, suggestion: RegExp])[] = [
      ['no kubeconfig', null, {}, /^no configuration has been provided \(not found: .*home\/\.kube\/config\)$/, 'NoConfiguration', /try offline: --inventory FILE, with what kubectl get/],
      ['an empty kubeconfig', '', {}, /^no configuration has been provided \(nothing in .*config\)$/, 'NoConfiguration', /set KUBECONFIG or --kubeconfig/],
      ['no current context', kubeconfigText().replace('"current-context":"x"', '"y":1'), {}, /^no context chosen: .*config sets no current-context$/, 'NoConfiguration', /contexts in .*config: x/],
      ['an unknown --context', kubeconfigText(), { context: 'z' }, 'Error in configuration: context was not found for specified context: z', 'BadConfiguration', /contexts in .*config: x$/m],
      ['--context without a kubeconfig', null, { context: 'z' }, 'Error in configuration: context was not found for specified context: z', 'BadConfiguration', /no kubeconfig was found/],
      ['an unknown current context', kubeconfigText().replace('"current-context":"x"', '"current-context":"gone"'), {}, 'Error in configuration: context was not found for specified context: gone', 'BadConfiguration', /choose another with --context[^]*contexts in .*: x/],
      ['an unknown --cluster', kubeconfigText(), { cluster: 'z' }, 'no server found for cluster "z"', 'BadConfiguration', /clusters in .*: c/],
      ['an unknown --user', kubeconfigText(), { user: 'z' }, 'auth info "z" does not exist', 'BadConfiguration', /users in .*: u/],
      ['a context with an unknown cluster', kubeconfigText({ context: { cluster: 'gone' } }), {}, 'cluster "gone" was not found for context "x"', 'BadConfiguration', /clusters in .*: c/],
      ['a context with an unknown user', kubeconfigText({ context: { user: 'gone' } }), {}, 'user "gone" was not found for context "x"', 'BadConfiguration', /users in .*: u/],
      ['a context without a cluster', kubeconfigText({ context: { cluster: '' } }), {}, 'cluster was not specified for context "x"', 'BadConfiguration', /clusters in .*: c/],
      ['a cluster without a server', kubeconfigText({ cluster: { server: '' } }), {}, 'no server found for cluster "c"', 'BadConfiguration', /or give --server/],
      ['CA file and data', two({}, { 'certificate-authority': '/ca', 'certificate-authority-data': 'eA==' }), {}, 'Error in configuration: \n* certificate-authority-data and certificate-authority are both specified for c. certificate-authority-data will override\n* unable to read certificate-authority /ca for c due to open /ca: no such file or directory', 'BadConfiguration', /check the flags and the entries in /],
      ['a CA with skipping', two({}, { 'certificate-authority-data': 'eA==', 'insecure-skip-tls-verify': true }), {}, 'specifying a root certificates file with the insecure flag is not allowed', 'BadConfiguration', /check the flags and the entries in /],
      ['--certificate-authority with --insecure-skip-tls-verify', kubeconfigText(), { certificateAuthority: process.execPath, insecureSkipTlsVerify: true }, 'specifying a root certificates file with the insecure flag is not allowed', 'BadConfiguration', /./],
      ['a CA file that is missing', two({}, { 'certificate-authority': '/nowhere/ca.crt' }), {}, 'unable to read certificate-authority /nowhere/ca.crt for c due to open /nowhere/ca.crt: no such file or directory', 'BadConfiguration', /^check the flags and the entries in /],
      ['a CA that is none', two({}, { 'certificate-authority-data': 'eA==' }), {}, /^unable to load root certificates: certificate-authority-data of cluster "c" holds no PEM certificate$/, 'BadConfiguration', /^get the kubeconfig anew/],
      ['token and basic', two({ token: 't', username: 'n', password: 'p' }), {}, 'more than one authentication method found for u; found [token basicAuth], only one is allowed', 'BadConfiguration', /./],
      ['tokenFile and basic', two({ tokenFile: 't', username: 'n' }), {}, 'username/password or bearer token may be set, but not both', 'BadConfiguration', /./],
      ['a token with --username', two({ token: 't' }), { username: 'n' }, 'more than one authentication method found for u; found [token basicAuth], only one is allowed', 'BadConfiguration', /./],
      ['a certificate without a key', two({ 'client-certificate-data': 'eA==' }), {}, 'client-key-data or client-key must be specified for u to use the clientCert authentication method', 'BadConfiguration', /./],
      ['a certificate file that is missing', two({ 'client-certificate': '/nowhere/c', 'client-key-data': 'eA==' }), {}, 'unable to read client-cert /nowhere/c for u due to open /nowhere/c: no such file or directory', 'BadConfiguration', /^check the flags and the entries in /],
      ['certificate and key files that are missing', two({ 'client-certificate': '/nowhere/c', 'client-key': '/nowhere/k' }), {}, 'Error in configuration: \n* unable to read client-cert /nowhere/c for u due to open /nowhere/c: no such file or directory\n* unable to read client-key /nowhere/k for u due to open /nowhere/k: no such file or directory', 'BadConfiguration', /./],
      ['a certificate that is none', two({ 'client-certificate-data': 'eA==', 'client-key-data': 'eA==' }), {}, /cannot be used: tls: failed to find any PEM data in certificate input$/, 'BadConfiguration', /fetch the kubeconfig anew/],
      ['groups without a user', two({ 'as-groups': ['g'] }), {}, 'requesting uid, groups or user-extra for u without impersonating a user', 'BadConfiguration', /./],
      ['--as-group without --as', kubeconfigText(), { asGroup: ['g'] }, 'requesting uid, groups or user-extra for u without impersonating a user', 'BadConfiguration', /./],
      ['a proxy of another scheme', two({}, { 'proxy-url': 'ftp://joe:hunter2@p' }), {}, 'invalid \'proxy-url\' "ftp://p" for cluster "c": unsupported scheme "ftp", must be http, https, or socks5', 'BadConfiguration', /./],
      ['a proxy that is no URL', two({}, { 'proxy-url': 'joe:hunter2@p :1' }), {}, /^invalid 'proxy-url' "p :1" for cluster "c": (could not parse: p :1|unsupported scheme "joe".*)$/, 'BadConfiguration', /./],
      ['a --proxy-url of another scheme', kubeconfigText(), { proxyUrl: 'ftp://joe:hunter2@p' }, 'invalid \'proxy-url\' "ftp://p" for cluster "c": unsupported scheme "ftp", must be http, https, or socks5', 'BadConfiguration', /check the flags and the entries/],
      ['exec with auth-provider', two({ exec: plugin, 'auth-provider': { name: 'oidc' } }), {}, 'authProvider cannot be provided in combination with an exec plugin for u', 'BadConfiguration', /./],
      ['exec of v1 without interactiveMode', two({ exec: { ...plugin, interactiveMode: '' } }), {}, 'interactiveMode must be specified for u to use exec authentication plugin', 'BadConfiguration', /./],
      ['exec with a made-up interactiveMode', two({ exec: { ...plugin, interactiveMode: 'never' } }), {}, 'invalid interactiveMode for u: "never"', 'BadConfiguration', /./],
      ['exec without a command, name and apiVersion', two({ exec: { env: [{ value: 'v' }], interactiveMode: 'Never' } }), {}, 'Error in configuration: \n* command must be specified for u to use exec authentication plugin\n* apiVersion must be specified for u to use exec authentication plugin\n* env variable name must be specified for u to use exec authentication plugin', 'BadConfiguration', /./],
      ['exec of v1alpha1', two({ exec: { ...plugin, apiVersion: 'client.authentication.k8s.io/v1alpha1' } }), {}, 'exec plugin: invalid apiVersion "client.authentication.k8s.io/v1alpha1"', 'BadConfiguration', /client\.authentication\.k8s\.io\/v1,/],
      ['auth-provider gcp', two({ 'auth-provider': { name: 'gcp' } }), {}, 'The gcp auth plugin has been removed', 'BadConfiguration', /gke-gcloud-auth-plugin/],
      ['auth-provider azure', two({ 'auth-provider': { name: 'azure' } }), {}, 'The azure auth plugin has been removed', 'BadConfiguration', /kubelogin convert-kubeconfig/],
      ['an unknown auth-provider', two({ 'auth-provider': { name: 'openstack' } }), {}, 'no Auth Provider found for name "openstack"', 'BadConfiguration', /credential plugin/],
      ['oidc without an issuer', two({ 'auth-provider': { name: 'oidc', config: { 'client-id': 'i' } } }), {}, 'Must provide idp-issuer-url', 'BadConfiguration', /add it to auth-provider\.config/],
      ['a token with a line break', two({ token: 'hunter2\n' }), {}, /^the token of user "u" holds a line break/, 'BadConfiguration', /on one line/],
      ['a tokenFile that is missing', two({ tokenFile: '/nowhere/token' }), {}, 'failed to read token file "/nowhere/token": no such file or directory', 'BadConfiguration', /check tokenFile/],
    ];
    for (const [title, config, flags, message, reason, suggestion] of table) {
      it(title, async () => {
        const error = await failure(config, flags);
        if (typeof message === 'string') assert.equal(error.message, message);
        else assert.match(error.message, message);
        assert.equal(error.reason, reason);
        assert.match(error.suggestions.join('\n'), suggestion);
        assert.doesNotMatch([error.message, ...error.suggestions].join(), /hunter2/);
      });
    }

    it('a key that belongs to another certificate', async () => {
      const error = await failure(two({ 'client-certificate-data': base64(me.cert), 'client-key-data': base64(other.key) }));
      assert.equal(error.message, 'the client certificate of user "u" cannot be used: tls: private key does not match public key');
    });
  });
});
