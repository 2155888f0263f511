/** Every way in which a cluster can fail, through the whole program: its message, its next step, exit code 3, nothing on stdout. */
import assert from 'node:assert/strict';
import { chmod, readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { createAuthority } from '../cluster/certificates.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { installedProgram, type InstalledProgram } from '../support/installed-program.ts';
import {
  closedPort, failure, listen, type LoopbackApi, type LoopbackHandler, type LoopbackOptions, sendJson, startLoopbackApi, startLoopbackProxy,
} from '../support/loopback-api.ts';
import { runCommand } from '../support/run-command.ts';

/** Stands in for tokens, passwords and what plugins print; must never be shown. */
const SECRET = 'S3CRET';

interface ConfigParts {
  readonly ca?: string | undefined;
  readonly cluster?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
}

function kubeconfig(server: string, { ca, cluster, user }: ConfigParts = {}): string {
  return JSON.stringify({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'dev',
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'jane' } }],
    clusters: [{ name: 'c', cluster: { server, ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }), ...cluster } }],
    users: [{ name: 'jane', user: user ?? { token: `${SECRET}-token` } }],
  });
}

const nodeList = (items: readonly unknown[], metadata: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> =>
  ({ kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '10', ...metadata }, items });

/** Answers /version; all else goes to `handler`. */
const withVersion = (handler: LoopbackHandler): LoopbackHandler => (request, response, raw) => {
  if (request.url.startsWith('/version')) sendJson(response, 200, { major: '1', minor: '37', gitVersion: 'v1.37.2' });
  else return handler(request, response, raw);
};

/** A first page that promises a second one, which `second` answers, and the list at once, which `whole` answers. */
const inTwoPages = (second: (response: ServerResponse) => void, whole: (response: ServerResponse) => void): LoopbackHandler => ({ url }, response) => {
  const query = new URL(url, 'https://x').searchParams;
  if (query.has('continue')) second(response);
  else if (query.has('limit')) sendJson(response, 200, nodeList([rawNode('win-a')], { continue: 'token', remainingItemCount: 1 }));
  else whole(response);
};

const sendPage = (response: ServerResponse): void => sendJson(response, 200, nodeList([rawNode('win-a'), rawNode('win-b')]));
const sendExpired = (response: ServerResponse): void => sendJson(response, 410, failure(410, 'Expired', 'The provided continue parameter is too old'));
const sendHtml = (response: ServerResponse, status: number, title: string): void => {
  response.writeHead(status, { 'Content-Type': 'text/html' });
  response.end(`<!DOCTYPE html><html><head><title>${title}</title></head></html>`);
};
const cut = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100000' });
  response.write('{"kind":"NodeList","items":[', () => response.destroy());
};

describe('faults', function () {
  this.timeout(60_000);
  let program: InstalledProgram;
  let files = 0;
  const opened: { close(): Promise<void> }[] = [];

  before(async () => {
    program = await installedProgram();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });

  const serve = async (handler: LoopbackHandler, options?: LoopbackOptions): Promise<LoopbackApi> => {
    const api = await startLoopbackApi(withVersion(handler), options);
    opened.push(api);
    return api;
  };

  interface Expected {
    /** First line of stderr: the whole of it, or a pattern. */
    readonly line: string | RegExp;
    readonly next: RegExp;
    readonly exitCode?: number;
    /** Lines of a credential plugin, which come first. */
    readonly before?: string;
  }

  /** Runs `nodes` as a process, and with -o json in this one; both must fail alike. */
  async function assertFails(argv: readonly string[], config: string | null, expected: Expected): Promise<void> {
    const where = config === null ? [] : ['--kubeconfig', await program.write(`configs/${files++}`, config)];
    const [ended, ...again] = await Promise.all([
      program.run(['nodes', ...argv, ...where]),
      // what a plugin writes to stderr would go to that of the test
      ...(config?.includes('"exec"') === true ? [] : [runCommand(['nodes', '-o', 'json', ...argv, ...where], { env: { HOME: program.home, PATH: process.env['PATH'] } })]),
    ]);
    for (const { stdout, stderr, exitCode } of [ended, ...again]) {
      assert.equal(exitCode, expected.exitCode ?? 3, stderr);
      assert.equal(stdout, '');
      assert.doesNotMatch(stderr, /\n\s+at |internal error|undefined|\[object/);
      assert.ok(!stderr.includes(SECRET), stderr);
    }
    assert.ok(ended.stderr.startsWith(expected.before ?? ''), ended.stderr);
    const text = ended.stderr.slice((expected.before ?? '').length);
    const [line = ''] = text.split('\n');
    if (typeof expected.line === 'string') assert.equal(line, expected.line);
    else assert.match(line, expected.line);
    assert.match(text.slice(line.length), expected.next);
  }

  describe('configuration', () => {
    it('no kubeconfig', () => assertFails([], null, {
      line: `error: no configuration has been provided (not found: ${join(program.home, '.kube', 'config')})`,
      next: /^\nset KUBECONFIG or --kubeconfig to an existing kubeconfig[^]*try offline: --inventory FILE, with what kubectl get -o json printed elsewhere\n$/,
    }));
    it('a kubeconfig that is not there', () => assertFails(['--kubeconfig', '/nonexistent/config'], null, {
      line: 'error: stat /nonexistent/config: no such file or directory', next: /name an existing kubeconfig with --kubeconfig/,
    }));
    it('an unknown context', () => assertFails(['--context', 'prod'], kubeconfig('https://127.0.0.1:1'), {
      line: 'Error in configuration: context was not found for specified context: prod', next: /^\ncontexts in .*: dev\n$/,
    }));
    it('a kubeconfig without a current context', () => assertFails([], kubeconfig('https://127.0.0.1:1').replace('"current-context":"dev",', ''), {
      line: /^error: no context chosen: .* sets no current-context$/, next: /choose one with --context[^]*: dev\n/,
    }));
    it('a kubeconfig that is not YAML, with exit code 2', () => assertFails([], 'apiVersion: v1\nkind: Config\n  bad: [\n', {
      line: /^error: .*:3:6: is not valid YAML: /, next: /^\n/, exitCode: 2,
    }));
    it('a certificate authority that is none', () => assertFails([], kubeconfig('https://127.0.0.1:1', { ca: 'none' }), {
      line: 'error: unable to load root certificates: certificate-authority-data of cluster "c" holds no PEM certificate', next: /get the kubeconfig anew/,
    }));
    it('an auth provider that is no longer supported (R186)', () => assertFails([], kubeconfig('https://127.0.0.1:1', { user: { 'auth-provider': { name: 'azure', config: { 'access-token': SECRET } } } }), {
      line: 'error: The azure auth plugin has been removed', next: /kubelogin convert-kubeconfig/,
    }));
    it('--request-timeout=garbage, with exit code 2', () => assertFails(['--request-timeout=garbage'], kubeconfig('https://127.0.0.1:1'), {
      line: 'error: invalid argument "garbage" for "--request-timeout" flag: must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)',
      next: /^\nSee 'kubectl win nodes --help' for usage\.\n$/, exitCode: 2,
    }));
  });

  describe('on the way to the server', () => {
    const reachable: LoopbackHandler = (_request, response) => sendPage(response);

    it('refused', async () => {
      const port = await closedPort();
      await assertFails([], kubeconfig(`https://127.0.0.1:${port}`), {
        line: `The connection to the server 127.0.0.1:${port} was refused - did you specify the right host or port?`,
        next: /^\nserver https:\/\/127\.0\.0\.1:\d+ comes from the context "dev"\nis it the right cluster/,
      });
    });
    it('a host name that does not exist', () => assertFails([], kubeconfig('https://kube.invalid:6443'), {
      // EAI_AGAIN where the machine has no name server at all
      line: /^Unable to connect to the server: dial tcp: lookup kube\.invalid: (?:no such host|temporary failure in name resolution)$/, next: /comes from the context "dev"/,
    }));
    it('a wrong certificate authority', async () => {
      const api = await serve(reachable);
      await assertFails([], kubeconfig(api.url, { ca: (await createAuthority('another')).cert }), {
        line: 'Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority',
        next: /certificate-authority-data of the kubeconfig does not belong to this server/,
      });
    });
    it('no certificate authority', async () => {
      await assertFails([], kubeconfig((await serve(reachable)).url), {
        line: 'Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority', next: /the kubeconfig names no certificate-authority/,
      });
    });
    it('a certificate that does not hold the name', async () => {
      const api = await serve(reachable);
      await assertFails(['--tls-server-name', 'kube.example.com'], kubeconfig(api.url, { ca: api.ca }), {
        line: /^Unable to connect to the server: tls: failed to verify certificate: x509: certificate is valid for localhost.*, not kube\.example\.com$/, next: /tls-server-name in the kubeconfig/,
      });
    });
    it('a lapsed certificate of the server', async () => {
      const api = await serve(reachable, { tls: { notAfter: new Date('2026-01-01T00:00:00Z') } });
      await assertFails([], kubeconfig(api.url, { ca: api.ca }), {
        line: /x509: certificate has expired or is not yet valid: current time \d{4}-\S+Z is after 2026-01-01T00:00:00Z$/, next: /has to be renewed/,
      });
    });
    it('TLS spoken to a server of plain HTTP', async () => {
      const { port } = await serve(reachable, { tls: false });
      await assertFails([], kubeconfig(`https://127.0.0.1:${port}`), {
        line: 'Unable to connect to the server: http: server gave HTTP response to HTTPS client', next: /speaks plain HTTP: is it another port/,
      });
    });
    it('plain HTTP spoken to a server of TLS', async () => {
      const { port } = await serve(reachable);
      await assertFails([], kubeconfig(`http://127.0.0.1:${port}`), { line: 'Unable to connect to the server: EOF', next: /is plain HTTP, which API servers do not speak: is https:\/\/ meant\?/ });
    });
    it('a proxy that is not there', async () => {
      const port = await closedPort();
      await assertFails([], kubeconfig('https://kube.example.com', { cluster: { 'proxy-url': `http://joe:${SECRET}@127.0.0.1:${port}` } }), {
        line: `Unable to connect to the server: proxyconnect tcp: dial tcp 127.0.0.1:${port}: connect: connection refused`,
        next: /^\nthe proxy http:\/\/127\.0\.0\.1:\d+ cannot be used: check proxy-url in the kubeconfig, --proxy-url, HTTPS_PROXY and NO_PROXY\n$/,
      });
    });
    it('a proxy that refuses', async () => {
      const proxy = await startLoopbackProxy(1, { authorization: 'Basic another' });
      opened.push(proxy);
      await assertFails([], kubeconfig('https://kube.example.com', { cluster: { 'proxy-url': `http://joe:${SECRET}@127.0.0.1:${proxy.port}` } }), {
        line: `Unable to connect to the server: the proxy http://127.0.0.1:${proxy.port} wants a user name and password (407 Proxy Authentication Required)`, next: /put them into the proxy address/,
      });
    });
    it('a server that takes the connection and says nothing, ended by --request-timeout', async () => {
      const silent = net.createServer((socket) => void socket.on('error', () => undefined));
      const port = await listen(silent);
      opened.push({ close: async () => void silent.close() });
      const started = performance.now();
      await assertFails(['--request-timeout=300ms'], kubeconfig(`https://127.0.0.1:${port}`), {
        line: `Unable to connect to the server: context deadline exceeded: no complete answer from 127.0.0.1:${port} in 0.3 s`, next: /raise --request-timeout/,
      });
      assert.ok(performance.now() - started < 10_000);
    });
    it('a server that takes the request and says nothing, ended by --request-timeout', async () => {
      const api = await serve(() => undefined);
      await assertFails(['--request-timeout=300ms'], kubeconfig(api.url, { ca: api.ca }), { line: /^Unable to connect to the server: context deadline exceeded: no complete answer/, next: /raise --request-timeout/ });
    });
  });

  describe('credential plugins (R187)', () => {
    const plugin = async (body: string): Promise<string> => {
      const path = await program.write(`plugins/${files++}.sh`, `#!/bin/sh\n${body}\n`);
      await chmod(path, 0o755);
      return path;
    };
    const user = (command: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never', args: [`--password=${SECRET}`], env: [{ name: 'CLIENT_SECRET', value: SECRET }], ...more },
    });
    before(function () {
      if (process.platform === 'win32') this.skip();
    });

    it('one that fails without a word', async () => {
      const command = await plugin('exit 3');
      await assertFails([], kubeconfig('https://127.0.0.1:1', { user: user(command) }), {
        line: `Unable to connect to the server: getting credentials: exec: executable ${command} failed with exit code 3`, next: /log in again with the tool/,
      });
    });
    it('one that says why before it fails', async () => {
      const command = await plugin('echo "AADSTS700082: the refresh token has expired" >&2; exit 1');
      await assertFails([], kubeconfig('https://127.0.0.1:1', { user: user(command) }), {
        before: 'AADSTS700082: the refresh token has expired\n',
        line: `Unable to connect to the server: getting credentials: exec: executable ${command} failed with exit code 1`, next: /its own message, if it wrote one, stands above/,
      });
    });
    it('one that is not there, with its install hint', () => assertFails([], kubeconfig('https://127.0.0.1:1', { user: user('no-such-kubelogin', { installHint: 'winget install kubelogin\u001b[31m' }) }), {
      line: 'Unable to connect to the server: getting credentials: exec: executable no-such-kubelogin not found', next: /^\ninstall it, or add its folder to PATH; .*\nwinget install kubeloginU\+001B\[31m\nsee https:/,
    }));
    it('one that prints something else', async () => {
      const command = await plugin(`echo not json ${SECRET}`);
      await assertFails([], kubeconfig('https://127.0.0.1:1', { user: user(command) }), {
        line: `Unable to connect to the server: getting credentials: decoding stdout: ${command} wrote no ExecCredential to standard output`, next: /messages belong on standard error/,
      });
    });
    it('one that hangs, ended by --request-timeout', async () => {
      const command = await plugin('exec sleep 30');
      const started = performance.now();
      await assertFails(['--request-timeout=300ms'], kubeconfig('https://127.0.0.1:1', { user: user(command) }), { line: /^Unable to connect to the server: context deadline exceeded/, next: /raise --request-timeout/ });
      assert.ok(performance.now() - started < 20_000);
    });
    it('one whose token is refused', async () => {
      const api = await serve((_request, response) => sendJson(response, 401, failure(401, 'Unauthorized', 'Unauthorized')));
      const command = await plugin(`echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"${SECRET}"}}'`);
      await assertFails([], kubeconfig(api.url, { ca: api.ca, user: user(command) }), { line: 'error: You must be logged in to the server (Unauthorized)', next: /the credentials of the user "jane" are missing, expired or from another cluster/ });
    });
  });

  describe('answers', () => {
    const FORBIDDEN = 'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope';
    const table: readonly (readonly [title: string, handler: LoopbackHandler, line: string | RegExp, next: RegExp])[] = [
      ['401', (_request, response) => sendJson(response, 401, failure(401, 'Unauthorized', 'Unauthorized')), 'error: You must be logged in to the server (Unauthorized)', /log in again, or check `kubectl config view --minify`/],
      ['403, with verb, resource and the role to ask for', (_request, response) => sendJson(response, 403, failure(403, 'Forbidden', FORBIDDEN, { kind: 'nodes' })), `Error from server (Forbidden): ${FORBIDDEN}`,
        /missing right: verb "list" on "nodes" for the whole cluster[^]*\nkind: ClusterRole\n[^]*resources: \["nodes"\]\n {2}verbs: \["get", "list", "watch"\]\n[^]*kubectl create clusterrolebinding kubectl-win-nodes --clusterrole=kubectl-win-nodes --user=jane\n$/],
      ['403 of a firewall', (_request, response) => void response.writeHead(403).end('blocked'), 'Error from server (Forbidden): blocked (get nodes)', /this is no refusal of Kubernetes itself/],
      ['404 of something else', (_request, response) => void response.writeHead(404).end('404 page not found'), 'Error from server (NotFound): the server could not find the requested resource (get nodes)', /check the server of the context "dev", path included/],
      ['a 429 storm, given up after ten more tries', (_request, response) => sendJson(response, 429, failure(429, 'TooManyRequests', 'too many requests'), { 'Retry-After': '0' }), 'Error from server (TooManyRequests): too many requests', /^\ntried 11 times; try again later\n$/],
      ['500', (_request, response) => sendJson(response, 500, failure(500, 'InternalError', 'etcdserver: leader changed')), 'Error from server (InternalError): etcdserver: leader changed', /try again later/],
      ['500 in plain text', (_request, response) => void response.writeHead(500).end('boom'), 'Error from server (InternalError): an error on the server ("boom") has prevented the request from succeeding (get nodes)', /try again later/],
      ['503', (_request, response) => void response.writeHead(503).end(), 'Error from server (ServiceUnavailable): the server is currently unable to handle the request (get nodes)', /try again later/],
      ['an HTML page', (_request, response) => sendHtml(response, 200, 'Sign in'), /^error: the server answered with HTML; is a proxy or login page in the way\? \("list nodes" at 127\.0\.0\.1:\d+: status 200, title "Sign in"\)$/, /open it in a browser/],
      ['a 502 page', (_request, response) => sendHtml(response, 502, '502 Bad Gateway'), /status 502, title "502 Bad Gateway"\)$/, /HTTPS_PROXY/],
      ['a redirect to a login page', (_request, response) => void response.writeHead(302, { Location: `https://login.example/oauth?state=${SECRET}` }).end(), /with a redirect to https:\/\/login\.example\/oauth \(status 302\), which is not followed/, /check the server of the kubeconfig/],
      ['another list', (_request, response) => sendJson(response, 200, { kind: 'PodList', apiVersion: 'v1', items: [] }), /answered "list nodes" with a PodList instead of a NodeList; is it a Kubernetes API server\?$/, /check the server of the context "dev"/],
      ['nothing at all', (_request, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end(), /answered "list nodes" with an empty body$/, /check the server of the kubeconfig/],
      ['JSON without its end', (_request, response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"kind":"NodeList","items":['), /with JSON that was cut short after 28 bytes$/, /a smaller --chunk-size helps/],
      ['a connection that closes', (_request, response) => void response.destroy(), 'Unable to connect to the server: EOF', /comes from the context "dev"/],
    ];
    for (const [title, handler, line, next] of table) {
      it(title, async () => {
        const api = await serve(handler);
        await assertFails([], kubeconfig(api.url, { ca: api.ca }), { line, next });
      });
    }

    it('a 429 storm ends within --request-timeout, with what the server said', async () => {
      const api = await serve((_request, response) => sendJson(response, 429, failure(429, 'TooManyRequests', 'too many requests'), { 'Retry-After': '1' }));
      const started = performance.now();
      await assertFails(['--request-timeout=1500ms'], kubeconfig(api.url, { ca: api.ca }), { line: 'Error from server (TooManyRequests): too many requests', next: /^\ntried 2 times; the server asks to wait 1 s before the next try\n$/ });
      assert.ok(performance.now() - started < 8000);
    });
  });

  describe('in the middle of a list', () => {
    const table: readonly (readonly [title: string, second: (response: ServerResponse) => void, whole: (response: ServerResponse) => void, line: string | RegExp, next: RegExp])[] = [
      ['cut, twice', cut, sendPage, /^error: the answer of the server 127\.0\.0\.1:\d+ was cut off after 28 bytes: unexpected EOF$/, /a proxy or load balancer on the way may limit/],
      ['410, and the full list fails', sendExpired, (response) => sendJson(response, 500, failure(500, 'InternalError', 'boom')), 'Error from server (InternalError): boom', /try again later/],
      ['410, and the full list has expired too', sendExpired, sendExpired, 'Error from server (Expired): The provided continue parameter is too old', /run the command again, or with --chunk-size=0/],
      ['HTML', (response) => sendHtml(response, 200, 'Sign in'), sendPage, /^error: the server answered with HTML/, /log in to the network/],
      ['silence, ended by --request-timeout', () => undefined, sendPage, /context deadline exceeded: no complete answer/, /raise --request-timeout/],
    ];
    for (const [title, second, whole, line, next] of table) {
      it(title, async () => {
        const api = await serve(inTwoPages(second, whole));
        const file = join(program.folder, 'saved', `${files++}.json`);
        await program.write('saved/.keep', '');
        // with --save as well: nothing half-done may stay
        await assertFails(['--save', file, ...(title.startsWith('silence') ? ['--request-timeout=500ms'] : [])], kubeconfig(api.url, { ca: api.ca }), { line, next });
        assert.deepEqual(await readdir(join(file, '..')), ['.keep']);
      });
    }

    it('410 is mended by the full list (R188)', async () => {
      const api = await serve(inTwoPages(sendExpired, sendPage));
      const { stdout, stderr, exitCode } = await program.run(['nodes', '-o', 'name', '--kubeconfig', await program.write('configs/expired', kubeconfig(api.url, { ca: api.ca }))]);
      assert.deepEqual([stdout, stderr, exitCode], ['node/win-a\nnode/win-b\n', '', 0]);
      assert.deepEqual(api.requests.map(({ url }) => url).filter((url) => url.startsWith('/api')), ['/api/v1/nodes?limit=500', '/api/v1/nodes?limit=500&continue=token', '/api/v1/nodes']);
    });

    it('a page that was cut once is asked for again', async () => {
      let cuts = 0;
      const api = await serve(inTwoPages((response) => (cuts++ === 0 ? cut(response) : sendJson(response, 200, nodeList([rawNode('win-b')]))), sendPage));
      const { stdout, exitCode } = await program.run(['nodes', '-o', 'name', '--kubeconfig', await program.write('configs/cut', kubeconfig(api.url, { ca: api.ca }))]);
      assert.deepEqual([stdout, exitCode, cuts], ['node/win-a\nnode/win-b\n', 0, 2]);
    });
  });
});
