import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realPorts } from '../../../src/cli/wiring.ts';
import { runCommand } from '../../support/run-command.ts';
import { sendJson, startLoopbackApi, type LoopbackApi } from '../../support/loopback-api.ts';

describe('the real ports', () => {
  let folder: string;
  let api: LoopbackApi;
  let headers: Readonly<Record<string, string>>;

  before(async () => {
    api = await startLoopbackApi((request, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      if (request.url === '/version') return sendJson(response, 200, { gitVersion: 'v1.37.2' });
      sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'win-1', labels: { 'kubernetes.io/os': 'windows' } } }] });
    });
  });
  after(() => api.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-win-wiring-'));
    headers = {};
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function kubeconfig(user: Readonly<Record<string, unknown>> = { token: 't' }): string {
    const file = join(folder, 'config');
    writeFileSync(file, JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: api.url, 'certificate-authority-data': Buffer.from(api.ca ?? '').toString('base64') } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }));
    return file;
  }

  it('join flags, kubeconfig, program version and streams to a reader of the live cluster', async () => {
    headers = { Warning: '299 - "v1 is old"', Date: new Date(Date.now() - 7200_000).toUTCString() };
    const { stdout, stderr, exitCode } = await runCommand(['nodes', '-o', 'name', '--kubeconfig', kubeconfig(), '-v=6']);
    assert.equal(stdout, 'node/win-1\n');
    assert.match(stderr, /^"Response" verb="GET" url="https:[^"]*\/api\/v1\/nodes\?limit=500" status="200 OK"/m);
    assert.match(stderr, /^Warning: v1 is old$/m);
    assert.match(stderr, /^Warning: the clock of this machine is (119m|120m) ahead of that of the server /m);
    assert.equal(exitCode, 0);
    assert.match(api.requests.at(-1)?.headers['user-agent'] ?? '', /^kubectl-win\/0\.1\.0 /);
    assert.equal(api.requests.at(-1)?.headers.authorization, 'Bearer t');
  });

  it('tell a credential plugin that standard input is taken', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', 'exit 3'], interactiveMode: 'Always' };
    const compared = await runCommand(['nodes', '--compare=-', '--kubeconfig', kubeconfig({ exec })], { env: { PATH: process.env['PATH'] }, stdin: '{"apiVersion":"v1","kind":"NodeList","items":[]}', isInputTerminal: true });
    assert.deepEqual([compared.stderr.split('\n')[0], compared.exitCode], ['Unable to connect to the server: getting credentials: exec plugin cannot support interactive mode: standard input is unavailable: used by --compare -', 3]);
  });

  it('sleep until the time is over or the signal says stop, with its reason', async () => {
    await realPorts.sleep(1, new AbortController().signal);
    const controller = new AbortController();
    const sleeping = realPorts.sleep(60_000, controller.signal);
    const reason = new Error('stop');
    controller.abort(reason);
    await assert.rejects(sleeping, reason);
    await assert.rejects(realPorts.sleep(1, controller.signal), reason);
  });

  it('makes nonces of 16 hexadecimal digits, none of them twice', () => {
    const nonces = Array.from({ length: 200 }, () => realPorts.createNonce());
    assert.deepEqual([nonces.filter((nonce) => !/^[0-9a-f]{16}$/.test(nonce)), new Set(nonces).size], [[], 200]);
  });

  it('name runs so that objects can be named after them', () => {
    const ids = Array.from({ length: 200 }, () => realPorts.createRunId());
    assert.ok(ids.every((id) => /^[a-z0-9]{6}$/.test(id)));
    assert.equal(new Set(ids).size, 200);
  });
});
