/** Faults on a real API server: the first line is the one that the real kubectl ends with. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import net from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthority } from '../cluster/certificates.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import { closedPort, listen, startLoopbackApi, startLoopbackProxy } from '../support/loopback-api.ts';

const BIN = join(import.meta.dirname, '..', '..', 'bin');

/** kubectl logs each failing try of its discovery; what it says itself comes last. */
function ownLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line !== '' && !/^(?:[EIW]\d{4} |\t| >)/.test(line));
  const last = lines.findLastIndex((line) => /^(?:error|Error|Unable|The )/.test(line));
  // The builder of `kubectl get` puts what it was about to do before some errors (cli-runtime pkg/resource/selector.go).
  return withoutTimes(lines[last] ?? '').replace(/Unable to (?:list|find) "\/v1, Resource=nodes"(?: that match label selector "[^"]*", field selector "[^"]*")?: /, '');
}

/** Without the name server that Go asked and the moment. */
function withoutTimes(line: string): string {
  return line.replace(/ on [\d.:[\]a-f]+:53/, '').replace(/current time \S+/, 'current time NOW');
}

describe('faults of a real API server, beside kubectl', function () {
  this.timeout(90_000);
  const cluster = useCluster();
  let program: InstalledProgram;
  let files = 0;

  before(async () => {
    program = await installedProgram();
    await cluster().deleteNodes();
    await cluster().loadNodes([rawNode('win-a')]);
    // With what it knows of the API in its cache, kubectl fails at the request for nodes, as this program does.
    await cluster().kubectl(['get', 'nodes']);
  });

  interface Parts {
    readonly server?: string;
    readonly ca?: string | null;
    readonly cluster?: Readonly<Record<string, unknown>>;
    readonly user?: Readonly<Record<string, unknown>>;
  }
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const write = async (parts: Parts): Promise<string> => program.write(`kubeconfigs/${files++}`, JSON.stringify({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'dev',
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: parts.server ?? cluster().server, ...(parts.ca === null ? {} : { 'certificate-authority-data': base64(parts.ca ?? cluster().ca) }), ...parts.cluster } }],
    users: [{ name: 'u', user: parts.user ?? { 'client-certificate-data': base64(cluster().admin.identity.cert), 'client-key-data': base64(cluster().admin.identity.key) } }],
  }));

  /** Both programs with the same kubeconfig and arguments. */
  async function assertSameLine(kubeconfig: string, argv: readonly string[] = []): Promise<string> {
    const theirs = await cluster().kubectl(['get', 'nodes', ...argv], { kubeconfig });
    const ours = await program.run(['nodes', ...argv], { env: { KUBECONFIG: kubeconfig } });
    assert.notEqual(theirs.code, 0);
    assert.equal(ours.exitCode, 3, ours.stderr);
    assert.equal(ours.stdout, '');
    assert.equal(withoutTimes(ours.stderr.split('\n')[0] ?? ''), ownLine(theirs.stderr));
    assert.doesNotMatch(ours.stderr, /\n\s+at |internal error/);
    return ours.stderr;
  }

  it('an unknown context', async () => void await assertSameLine(await write({}), ['--context', 'prod']));
  it('a wrong certificate authority', async () => void await assertSameLine(await write({ ca: (await createAuthority('another')).cert })));
  it('no certificate authority', async () => void await assertSameLine(await write({ ca: null })));
  it('a certificate that does not hold the name', async () => {
    const text = await assertSameLine(await write({ cluster: { 'tls-server-name': 'kube.example.com' } }));
    assert.match(text, /not kube\.example\.com\n/);
  });
  it('a lapsed certificate of the server', async () => {
    const lapsed = await startLoopbackApi((_request, response) => void response.end(), { tls: { notAfter: new Date('2026-01-01T00:00:00Z') } });
    await assertSameLine(await write({ server: lapsed.url, ca: lapsed.ca ?? null }));
    await lapsed.close();
  });
  it('refused', async () => void await assertSameLine(await write({ server: `https://127.0.0.1:${await closedPort()}` })));
  it('a host name that does not exist', async function () {
    const kubeconfig = await write({ server: 'https://kube.invalid:6443' });
    const { stderr } = await cluster().kubectl(['get', 'nodes'], { kubeconfig });
    // Where there is no name server at all, Go and the C library fail in words of their own.
    if (!stderr.includes('no such host')) return this.skip();
    await assertSameLine(kubeconfig);
  });
  it('TLS spoken to plain HTTP', async () => {
    const plain = await startLoopbackApi((_request, response) => void response.end(), { tls: false });
    await assertSameLine(await write({ server: `https://127.0.0.1:${plain.port}` }));
    await plain.close();
  });
  it('plain HTTP spoken to the API server', async () => {
    const kubeconfig = await write({ server: cluster().server.replace('https:', 'http:'), ca: null });
    assert.match(await assertSameLine(kubeconfig), /the server of the context "dev" speaks TLS: write it with https:\/\/ in place of http:/);
  });
  it('a proxy that wants a password', async () => {
    const proxy = await startLoopbackProxy(1, { authorization: 'Basic another' });
    const kubeconfig = await write({ cluster: { 'proxy-url': `http://127.0.0.1:${proxy.port}` } });
    const ours = await program.run(['nodes'], { env: { KUBECONFIG: kubeconfig } });
    const theirs = await cluster().kubectl(['get', 'nodes'], { kubeconfig });
    await proxy.close();
    assert.equal(ours.exitCode, 3);
    assert.equal(ownLine(theirs.stderr), 'Unable to connect to the server: Proxy Authentication Required');
    assert.match(ours.stderr, /^Unable to connect to the server: the proxy http:\/\/127\.0\.0\.1:\d+ wants a user name and password \(407 Proxy Authentication Required\)\n/);
  });
  it('a server that says nothing, ended by --request-timeout', async () => {
    const silent = net.createServer((socket) => void socket.on('error', () => undefined));
    const port = await listen(silent);
    const kubeconfig = await write({ server: `https://127.0.0.1:${port}` });
    const ours = await program.run(['nodes', '--request-timeout=500ms'], { env: { KUBECONFIG: kubeconfig } });
    const theirs = await cluster().kubectl(['get', 'nodes', '--request-timeout=500ms'], { kubeconfig });
    silent.close();
    assert.equal(ours.exitCode, 3);
    for (const line of [ours.stderr.split('\n')[0] ?? '', ownLine(theirs.stderr)]) assert.match(line, /^Unable to connect to the server: (?:context deadline exceeded|net\/http: )/);
  });

  describe('credentials', () => {
    const plugin = async (body: string): Promise<string> => {
      const path = await program.write(`plugins/${files++}.sh`, `#!/bin/sh\n${body}\n`);
      await chmod(path, 0o755);
      return path;
    };
    const exec = (command: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never', ...more } });

    it('an expired token', async () => {
      const token = await cluster().signServiceAccountToken('default', 'default', new Date(Date.now() - 60_000));
      const text = await assertSameLine(await write({ user: { token } }));
      assert.ok(!text.includes(token));
      assert.match(text, /^error: You must be logged in to the server \(Unauthorized\)\nthe credentials of the user "u" are missing, expired or from another cluster/);
    });
    it('an expired client certificate', async () => {
      const user = await cluster().user('late', { notAfter: new Date(Date.now() - 60_000) });
      const { exitCode, stderr } = await program.run(['nodes'], { env: { KUBECONFIG: user.kubeconfig } });
      assert.equal(exitCode, 3);
      assert.match(stderr, /^error: You must be logged in to the server \(Unauthorized\)\n/);
    });
    it('a plugin that fails, says why, is missing, or prints nonsense', async () => {
      await assertSameLine(await write({ user: exec(await plugin('exit 3')) }));
      const kubeconfig = await write({ user: exec(await plugin('echo "token expired, log in" >&2; exit 1')) });
      const { stderr, exitCode } = await program.run(['nodes'], { env: { KUBECONFIG: kubeconfig } });
      assert.equal(exitCode, 3);
      assert.match(stderr, /^token expired, log in\nUnable to connect to the server: getting credentials: exec: executable /);
      const text = await assertSameLine(await write({ user: exec('no-such-kubelogin', { installHint: 'winget install kubelogin' }) }));
      assert.match(text, /^winget install kubelogin$/m);
      await assertSameLine(await write({ user: exec(await plugin(`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential"}'`)) }));
      await assertSameLine(await write({ user: exec(await plugin('exit 0'), { interactiveMode: 'Always' }) }));
    });
    it('a plugin that works', async () => {
      const token = await cluster().signServiceAccountToken('default', 'default', new Date(Date.now() + 600_000));
      await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'fault-reader' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }, subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }] });
      try {
        const command = await plugin(`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${token}"}}'`);
        const { stdout, exitCode, stderr } = await program.run(['nodes', '-o', 'name'], { env: { KUBECONFIG: await write({ user: exec(command) }) } });
        assert.deepEqual([stdout, exitCode], ['node/win-a\n', 0], stderr);
      } finally {
        await cluster().api.delete('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/fault-reader');
      }
    });
  });

  describe('refusals', () => {
    it('403, whose ClusterRole is taken by the API server and is enough (R180, R182)', async () => {
      const { kubeconfig } = await cluster().user('no-nodes');
      const text = await assertSameLine(kubeconfig);
      const role = /\n(apiVersion: rbac[^]*?)\nand for the binding: kubectl (create clusterrolebinding [^\n]*)\n/.exec(text);
      assert.ok(role !== null, text);
      const created = await cluster().kubectl(['create', '-f', '-'], { input: `${role[1]}\n` });
      assert.equal(created.code, 0, created.stderr);
      const bound = await cluster().kubectl((role[2] ?? '').split(' '));
      assert.equal(bound.code, 0, bound.stderr);
      try {
        const { stdout, exitCode, stderr } = await program.run(['nodes', '-o', 'name'], { env: { KUBECONFIG: kubeconfig } });
        assert.deepEqual([stdout, exitCode], ['node/win-a\n', 0], stderr);
      } finally {
        await cluster().kubectl(['delete', 'clusterrole,clusterrolebinding', 'kubectl-win-nodes']);
      }
    });
    it('a Role in a namespace is not enough, and that is said (R182)', async () => {
      const { kubeconfig } = await cluster().user('one-namespace');
      await cluster().kubectl(['create', 'role', 'node-reader', '-n', 'default', '--verb=list', '--resource=pods']);
      await cluster().kubectl(['create', 'rolebinding', 'node-reader', '-n', 'default', '--clusterrole=cluster-admin', '--user=one-namespace']);
      assert.match(await assertSameLine(kubeconfig), /for the whole cluster \(a ClusterRole with a ClusterRoleBinding; a RoleBinding is not enough\)/);
    });
    it('a node that is not there', async () => void await assertSameLine(cluster().kubeconfig, ['win-gone']));
    it('a field selector that nodes do not have', async () => void await assertSameLine(cluster().kubeconfig, ['--field-selector', 'spec.colour=red']));
    it('impersonation that is not allowed', async () => {
      const { kubeconfig } = await cluster().user('nobody-else');
      await assertSameLine(kubeconfig, ['--as', 'admin']);
    });
  });

  it('goes through the real kubectl as it is: exit code, both streams', async () => {
    const { kubeconfig } = await cluster().user('no-nodes-either');
    const { code, stdout, stderr } = await cluster().kubectl(['win', 'nodes', '-o', 'json'], { kubeconfig, env: { PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}` } });
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /^Error from server \(Forbidden\): nodes is forbidden: User "no-nodes-either" cannot list resource "nodes"/);
  });
});

describe('a watch whose API server is killed', function () {
  this.timeout(120_000);
  const cluster = useCluster({ shared: false });

  it('goes on when the server is back, with what changed meanwhile', async () => {
    const program = await installedProgram();
    await cluster().loadNodes([rawNode('win-a'), rawNode('win-b')]);
    const child: ChildProcess = spawn(process.execPath, [program.entry, 'nodes', '-w'], { env: { PATH: process.env['PATH'], HOME: program.home, KUBECONFIG: cluster().kubeconfig }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => { stdout += chunk.toString(); });
    child.stderr?.on('data', (chunk: Buffer) => { stderr += chunk.toString(); });
    const ended = new Promise<number | null>((resolve) => { child.once('close', resolve); });
    try {
      await eventually('the list', 30, async () => (stdout.includes('win-b') ? true : undefined));
      await cluster().stopComponent('kube-apiserver');
      await sleep(1000);
      assert.equal(child.exitCode, null, stderr);
      await cluster().restartComponent('kube-apiserver');
      await cluster().loadNodes([rawNode('win-new')]);
      await cluster().api.delete('/api/v1/nodes/win-a');
      await eventually('the new node', 60, async () => (stdout.includes('win-new') ? true : undefined));
      await eventually('the removed node', 60, async () => (stdout.split('win-a').length >= 3 ? true : undefined));
    } finally {
      child.kill('SIGINT');
    }
    assert.equal(await ended, 130, stderr);
    assert.equal(stdout.split('win-b').length, 2, 'what did not change is not shown again');
    assert.equal(stdout.split('\n').filter((line) => line.startsWith('NAME')).length, 1);
    assert.doesNotMatch(stderr, /\n\s+at |internal error/);
  });
});
