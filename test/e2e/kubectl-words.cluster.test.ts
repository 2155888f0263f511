/**
 * What `kubectl win nodes` says first about a kubeconfig, credentials, rights and the way to a server, beside what the
 * real `kubectl get nodes` says about the same: equal, but for the listed cases, where kubectl misleads or says less.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type Identity } from '../cluster/certificates.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { closedPort, startLoopbackApi, type LoopbackApi } from '../support/loopback-api.ts';
import { runCommand } from '../support/run-command.ts';

type Fields = Readonly<Record<string, unknown>>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const ofIdentity = ({ cert, key }: Identity): Fields => ({ 'client-certificate-data': base64(cert), 'client-key-data': base64(key) });
/** A user with a credential plugin; undefined leaves a field out. */
const plugin = (fields: Fields): Fields => ({ exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command: 'no-such-plugin', ...fields } });
const credential = (status: Fields | undefined, fields: Fields = {}): string => `echo '${JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status, ...fields })}'`;
const oidc = (config: Fields): Fields => ({ 'auth-provider': { name: 'oidc', config } });

describe("errors in kubectl's words", function () {
  this.timeout(60_000);
  const cluster = useCluster();
  let home: string;
  let jane: Identity;
  let expired: Identity;
  let foreign: Identity;
  let otherAuthority: string;
  let plain: LoopbackApi;
  let unused: number;

  before('make users and servers', async () => {
    // other suites of the shared cluster leave nodes, of which ours tells more than kubectl
    await cluster().deleteNodes();
    home = mkdtempSync(join(tmpdir(), 'kubectl-win-words-'));
    mkdirSync(join(home, '.kube'));
    jane = (await cluster().user('jane', { groups: ['readers'] })).identity;
    expired = (await cluster().user('old', { notAfter: new Date(Date.now() - 3_600_000) })).identity;
    const authority = await createAuthority('another authority');
    otherAuthority = authority.cert;
    foreign = await authority.issue({ commonName: 'jane' });
    plain = await startLoopbackApi((_request, response) => void response.end('{}'), { tls: false });
    unused = await closedPort();
    // kubectl keeps what the server can do; without it some errors come out of asking for that.
    assert.deepEqual((await say(config(admin()), [])).succeeded, [true, true]);
  });
  after(async () => {
    await plain.close();
    rmSync(home, { recursive: true, force: true });
  });

  afterEach(() => rmSync(join(home, '.kube', 'kuberc'), { force: true }));

  function write(name: string, text: string, mode = 0o600): string {
    const file = join(home, name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }
  const program = (body: string): string => write('plugin', `#!/bin/sh\n${body}\n`, 0o755);
  const admin = (): Fields => ofIdentity(cluster().admin.identity);
  /** A kubeconfig with a cluster, a user and a context; undefined leaves a field out. */
  const config = (user: Fields, ofCluster: Fields = {}, context: Fields = {}, top: Fields = {}): string => JSON.stringify({
    apiVersion: 'v1', kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: cluster().server, 'certificate-authority-data': base64(cluster().ca), ...ofCluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    'current-context': 'x',
    ...top,
  });

  const withKuberc = (fields: Fields, user: Fields): string => {
    writeFileSync(join(home, '.kube', 'kuberc'), JSON.stringify({ apiVersion: 'kubectl.config.k8s.io/v1beta1', kind: 'Preference', ...fields }));
    return config(user);
  };

  interface Said {
    readonly kubectl: string;
    readonly ours: string;
    readonly succeeded: readonly [kubectl: boolean, ours: boolean];
  }

  /** First lines of stderr, without full stops; those of kubectl's own log (discovery) are left out. */
  async function say(text: string, flags: readonly string[]): Promise<Said> {
    writeFileSync(join(home, '.kube', 'config'), text);
    const [kubectl, ours] = await Promise.all([
      cluster().kubectl(['get', 'nodes', ...flags], { kubeconfig: '', env: { HOME: home } }),
      runCommand(['nodes', ...flags], { env: { HOME: home, PATH: process.env['PATH'] } }),
    ]);
    const first = (stderr: string): string => (stderr.split('\n').find((line) => !/^(E\d{4} |\t| >)/.test(line)) ?? '').replace(/\.$/, '');
    return { kubectl: first(kubectl.stderr), ours: first(ours.stderr), succeeded: [kubectl.code === 0, ours.exitCode === 0] };
  }

  const equal: readonly (readonly [title: string, config: () => string, ...flags: string[]])[] = [
    ['a kubeconfig that is not there', () => '', '--kubeconfig=/nowhere/config'],
    ['an unknown current-context', () => config(admin(), {}, {}, { 'current-context': 'gone' })],
    ['an unknown --context', () => config(admin()), '--context=gone'],
    ['an unknown --cluster', () => config(admin()), '--cluster=gone'],
    ['an unknown --user', () => config(admin()), '--user=gone'],
    ['a CA as file and data', () => config(admin(), { 'certificate-authority': '/nowhere/ca' })],
    ['a CA with skipping', () => config(admin(), { 'insecure-skip-tls-verify': true })],
    ['a CA file that is missing', () => config(admin(), { 'certificate-authority-data': undefined, 'certificate-authority': '/nowhere/ca' })],
    ['a --certificate-authority that is missing', () => config(admin()), '--certificate-authority=/nowhere/ca'],
    ['--insecure-skip-tls-verify with a --certificate-authority that is missing', () => config(admin()), '--certificate-authority=/nowhere/ca', '--insecure-skip-tls-verify'],
    ['token and basic', () => config({ token: 't', username: 'n', password: 'p' })],
    ['a token with --username', () => config({ token: 't' }), '--username=n'],
    ['a certificate without a key', () => config({ 'client-certificate-data': base64('x') })],
    ['certificate and key files that are missing', () => config({ 'client-certificate': '/nowhere/c', 'client-key': '/nowhere/k' })],
    ['groups without a user', () => config({ ...admin(), 'as-groups': ['g'] })],
    ['--as-group without --as', () => config(admin()), '--as-group=g'],
    ['--as-uid without --as', () => config(admin()), '--as-uid=7'],
    ['--as-user-extra without --as', () => config(admin()), '--as-user-extra=a=b'],
    ['a proxy of an unknown scheme', () => config(admin(), { 'proxy-url': 'ftp://p' })],
    ['a proxy without a scheme', () => config(admin(), { 'proxy-url': '10.0.0.1:3128' })],
    ['a --proxy-url of an unknown scheme', () => config(admin()), '--proxy-url=ftp://p'],
    ['exec without interactiveMode', () => config(plugin({ interactiveMode: undefined }))],
    ['exec with an unknown interactiveMode', () => config(plugin({ interactiveMode: 'never' }))],
    ['exec of an old version', () => config(plugin({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }))],
    ['exec without a command', () => config(plugin({ command: '' }))],
    ['exec without command and apiVersion', () => config(plugin({ command: '', apiVersion: '' }))],
    ['exec with auth-provider', () => config({ ...plugin({}), ...oidc({}) })],
    ['a plugin that is not in PATH', () => config(plugin({}))],
    ['a plugin that is not at its path', () => config(plugin({ command: '/nowhere/plugin' }))],
    ['a plugin that may not run', () => config(plugin({ command: write('data', 'x') }))],
    ['a plugin that fails', () => config(plugin({ command: program('exit 3') }))],
    ['a plugin that answers in another version', () => config(plugin({ command: program(credential({ token: 't' }, { apiVersion: 'client.authentication.k8s.io/v1beta1' })) }))],
    ['a plugin that answers without a status', () => config(plugin({ command: program(credential(undefined)) }))],
    ['a plugin that answers with an empty status', () => config(plugin({ command: program(credential({})) }))],
    ['a plugin that answers a certificate without a key', () => config(plugin({ command: program(credential({ clientCertificateData: 'x' })) }))],
    ['a plugin that answers a certificate that is none', () => config(plugin({ command: program(credential({ clientCertificateData: 'x', clientKeyData: 'y' })) }))],
    ['a plugin that must ask, without a terminal', () => config(plugin({ command: program('true'), interactiveMode: 'Always' }))],
    ['a kuberc that forbids plugins', () => withKuberc({ credentialPluginPolicy: 'DenyAll' }, plugin({ command: program(credential({ token: 't' })) }))],
    ['a kuberc that allows other plugins', () => withKuberc({ credentialPluginPolicy: 'Allowlist', credentialPluginAllowlist: [{ command: 'other' }] }, plugin({ command: program(credential({ token: 't' })) }))],
    ['a kuberc that allows the plugin', () => withKuberc({ credentialPluginPolicy: 'Allowlist', credentialPluginAllowlist: [{ command: join(home, 'plugin') }] }, plugin({ command: program('exit 4') }))],
    ['a kuberc that does not matter to a token', () => withKuberc({ credentialPluginPolicy: 'DenyAll' }, { token: 'wrong' })],
    ['auth-provider gcp', () => config({ 'auth-provider': { name: 'gcp' } })],
    ['auth-provider azure', () => config({ 'auth-provider': { name: 'azure' } })],
    ['an unknown auth-provider', () => config({ 'auth-provider': { name: 'openstack' } })],
    ['OIDC without an issuer', () => config(oidc({ 'client-id': 'i' }))],
    ['OIDC without a client', () => config(oidc({ 'idp-issuer-url': 'https://127.0.0.1:1' }))],
    ['OIDC without tokens', () => config(oidc({ 'client-id': 'i', 'idp-issuer-url': 'https://127.0.0.1:1' }))],
    ['OIDC with a token that is none', () => config(oidc({ 'client-id': 'i', 'idp-issuer-url': 'https://127.0.0.1:1', 'id-token': 'x' }))],
    ['a certificate beside a wrong --token', () => config(admin()), '--token=wrong'],
    ['a token that is refused', () => config({ token: 'wrong' })],
    ['a user name and password, which the server no longer takes', () => config({ username: 'a', password: 'b' })],
    ['an expired certificate', () => config(ofIdentity(expired))],
    ['a certificate of another authority', () => config(ofIdentity(foreign))],
    ['a missing right', () => config(ofIdentity(jane))],
    ['a missing right of the user in --as', () => config(admin()), '--as=joe'],
    ['a missing right of user and groups', () => config(admin()), '--as=joe', '--as-group=a', '--as-group=b', '--as-uid=7', '--as-user-extra=k=v', '--as-user-extra=k=w'],
    ['a right by --as-group', () => config(admin()), '--as=joe', '--as-group=a', '--as-group=system:masters'],
    ['a missing right of the user in the kubeconfig', () => config({ ...admin(), as: 'joe' })],
    ['a right by groups of the kubeconfig', () => config({ ...admin(), as: 'joe', 'as-groups': ['a', 'system:masters'] })],
    ['a user who may not impersonate', () => config(ofIdentity(jane)), '--as=admin'],
    ['a group that may not be impersonated', () => config(ofIdentity(jane)), '--as=jane', '--as-group=system:masters'],
    ['an extra field without a value', () => config(admin()), '--as=joe', '--as-user-extra=nokey'],
    ['another CA', () => config(admin(), { 'certificate-authority-data': base64(otherAuthority) })],
    ['no CA', () => config(admin(), { 'certificate-authority-data': undefined })],
    ['a wrong tls-server-name', () => config(admin(), { 'tls-server-name': 'inside.example' })],
    ['a wrong address as tls-server-name', () => config(admin(), { 'tls-server-name': '10.9.8.7' })],
    ['a right name in --tls-server-name', () => config(admin(), { 'tls-server-name': 'inside.example' }), '--tls-server-name=kubernetes'],
    ['a server that is not there', () => config(admin(), { server: `https://127.0.0.1:${unused}` })],
    ['a server of plain HTTP that is not there', () => config(admin(), { server: `http://127.0.0.1:${unused}` })],
    ['a --server that is not there', () => config(admin()), `--server=https://127.0.0.1:1`],
    ['a server without a scheme that is not there', () => config(admin(), { server: `127.0.0.1:${unused}` })],
    ['TLS to a server of plain HTTP', () => config(admin(), { server: plain.url.replace('http', 'https') })],
    ['a server that is no URL', () => config(admin(), { server: 'h/x' })],
    ['a server with a blank', () => config(admin(), { server: 'https://a b' })],
    ['a node that does not exist', () => config(admin()), 'gone'],
    ['nothing wrong', () => config(admin())],
  ];

  for (const [title, text, ...flags] of equal) {
    it(`${title}: equal`, async () => {
      const { kubectl, ours, succeeded } = await say(text(), flags);
      assert.equal(ours, kubectl);
      assert.equal(succeeded[1], succeeded[0]);
    });
  }

  // kubectl's line is asserted too, so that a new version which no longer differs is noticed.
  const better: readonly (readonly [title: string, config: () => string, kubectl: RegExp, ours: RegExp])[] = [
    ['no kubeconfig: kubectl tries a server nobody meant', () => '', /^The connection to the server localhost:8080 was refused/, /^error: no configuration has been provided/],
    ['no current-context: likewise', () => config(admin(), {}, {}, { 'current-context': '' }), /^The connection to the server localhost:8080 was refused/, /^error: no context chosen: .*config sets no current-context$/],
    ['an unknown cluster: likewise', () => config(admin(), {}, { cluster: 'gone' }), /^The connection to the server localhost:8080 was refused/, /^error: cluster "gone" was not found for context "x"$/],
    ['a cluster without a server: likewise', () => config(admin(), { server: '' }), /^The connection to the server localhost:8080 was refused/, /^error: no server found for cluster "c"$/],
    ['an unknown user: kubectl asks for a user name and password', () => config(admin(), {}, { user: 'gone' }), /^error: EOF$/, /^error: user "gone" was not found for context "x"$/],
    ['nobody: likewise', () => config({}), /^error: EOF$/, /User "system:anonymous" cannot list resource "nodes"/],
    ['a CA that is none: the place is named', () => config(admin(), { 'certificate-authority-data': base64('x') }), /^error: unable to load root certificates: unable to parse/, /^error: unable to load root certificates: certificate-authority-data of cluster "c" holds no PEM/],
    ['a certificate that is none: the user is named', () => config({ 'client-certificate-data': base64('x'), 'client-key-data': base64('x') }), /^error: tls: failed to find any PEM data in certificate input$/, /user "u" cannot be used: tls: failed to find any PEM data in certificate input$/],
    ["another's key: likewise", () => config({ ...ofIdentity(jane), 'client-key-data': base64(foreign.key) }), /^error: tls: private key does not match public key$/, /user "u" cannot be used: tls: private key does not match public key$/],
    ['a proxy that is not there: kubectl names the server', () => config(admin(), { 'proxy-url': `http://127.0.0.1:${unused}` }), /^The connection to the server 127\.0\.0\.1:\d+ was refused/, /^Unable to connect to the server: proxyconnect tcp: dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/],
    ['a SOCKS proxy that is not there: likewise', () => config(admin(), { 'proxy-url': `socks5://127.0.0.1:${unused}` }), /^The connection to the server 127\.0\.0\.1:\d+ was refused/, /^Unable to connect to the server: proxyconnect tcp: dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/],
    ['an identity provider that is not there: likewise', () => config(oidc({ 'client-id': 'i', 'idp-issuer-url': `https://127.0.0.1:${unused}`, 'refresh-token': 'r' })), /^The connection to the server 127\.0\.0\.1:\d+ was refused/, /^Unable to connect to the server: the identity provider 127\.0\.0\.1:\d+ cannot be asked for a token/],
    ['a plugin that prints text: kubectl speaks of Go types', () => config(plugin({ command: program('echo hello') })), /cannot unmarshal string into Go value/, /^Unable to connect to the server: getting credentials: decoding stdout: .*plugin wrote no ExecCredential to standard output$/],
    ['a plugin that prints nothing: kubectl speaks of its own types', () => config(plugin({ command: program('true') })), /plugin returned version client\.authentication\.k8s\.io\/__internal$/, /wrote no ExecCredential to standard output$/],
    ['a plugin that is killed: the signal is named', () => config(plugin({ command: program('kill -9 $$') })), /failed with exit code -1$/, /was ended by SIGKILL$/],
    ['a token of two lines: the user is named', () => config({ token: 'a\nb' }), /net\/http: invalid header field value for "Authorization"$/, /^error: the token of user "u" holds a line break/],
    ['a tokenFile that is empty: the file is named', () => config({ tokenFile: write('empty', '') }), /^error: EOF$/, /^error: read empty token from file ".*empty"$/],
    ['a kuberc with a list and no policy: kubectl refuses every command, ours those that need a plugin', () => withKuberc({ credentialPluginAllowlist: [{ command: 'x' }] }, plugin({ command: program('exit 4') })), /^error occurred while applying preferences misconfigured credential plugin allowlist: (.*)$/, /allowlist misconfiguration: misconfigured credential plugin allowlist: plugin policy is "" but allowlist is non-nil$/],
    ['a kuberc with an empty list: likewise', () => withKuberc({ credentialPluginPolicy: 'Allowlist', credentialPluginAllowlist: [] }, plugin({ command: program('exit 4') })), /^error occurred while applying preferences credential plugin policy set to "Allowlist", but allowlist is empty/, /allowlist misconfiguration: credential plugin policy set to "Allowlist", but allowlist is empty/],
    ['a kuberc with an unknown policy: likewise', () => withKuberc({ credentialPluginPolicy: 'Some' }, plugin({ command: program('exit 4') })), /^error occurred while applying preferences unknown plugin policy: "Some"$/, /allowlist misconfiguration: unknown plugin policy: "Some"$/],
    ['a number for a token: line and field are named', () => 'users:\n- name: u\n  user:\n    token: 5\n', /cannot unmarshal number into Go struct field/, /^error: .*config:4: users\[0\]\.user\.token must be a string, not a number; put it in quotes$/],
    ['a name twice: kubectl prints the users, tokens included', () => 'users:\n- name: u\n- name: u\n  user: {token: hunter2}\n', /duplicate name "u" in list: .*hunter2/, /^error: .*config:3: duplicate name "u" in users$/],
    ['a kubeconfig that is no YAML: line and column', () => 'a: [\n', /^error: error loading config file ".*": yaml: line 1/, /^error: .*config:2:1: is not valid YAML/],
  ];

  for (const [title, text, kubectl, ours] of better) {
    it(`${title}`, async () => {
      const said = await say(text(), []);
      assert.match(said.kubectl, kubectl);
      assert.match(said.ours, ours);
      assert.doesNotMatch(said.ours, /hunter2/);
      assert.equal(said.succeeded[1], false);
    });
  }
});
