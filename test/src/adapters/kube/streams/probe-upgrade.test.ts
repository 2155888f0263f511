import assert from 'node:assert/strict';
import type { ExecChannel } from '../../../../../src/app/ports.ts';
import { openCluster } from '../../../../../src/adapters/kube/cluster.ts';
import { probeUpgrade } from '../../../../../src/adapters/kube/streams/probe-upgrade.ts';
import { InterruptedError } from '../../../../../src/errors.ts';
import { closedPort, failure } from '../../../../support/loopback-api.ts';
import { startExecServer, type Call, type ExecServer } from './exec-server.ts';

describe('probeUpgrade', () => {
  let server: ExecServer | undefined;
  const start = async (script: (call: Call) => void, scheme?: 'http'): Promise<ExecServer> => (server = await startExecServer(script, scheme));
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('is null where a watch opens, and closes it at once', async () => {
    let closed: Promise<void> | undefined;
    const { calls, connection } = await start((call) => {
      const { socket } = call.accept(null);
      closed = new Promise((resolve) => socket.once('close', () => resolve()));
    });
    assert.equal(await probeUpgrade(connection(), { namespace: 'a/b' }), null);
    await closed;
    const [call] = calls;
    assert.equal(`${call?.url.pathname}${call?.url.search}`, '/api/v1/namespaces/a%2Fb/pods?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone');
    assert.deepEqual([call?.header('origin'), call?.header('sec-websocket-protocol'), call?.header('authorization')], [[connection().server], [], ['Bearer secret']]);
  });

  it('is the way that commands have it', async () => {
    const { connection } = await start((call) => void call.accept(null));
    const cluster = openCluster(connection(), { userAgentVersion: '1' });
    const channel: ExecChannel = cluster.execChannel;
    assert.equal(await channel.probe({ namespace: 'default' }), null);
    await cluster.close();
  });

  it('takes plain HTTP, as of kubectl proxy', async () => {
    const { connection } = await start((call) => void call.accept(null), 'http');
    assert.equal(await probeUpgrade(connection(), { namespace: 'default' }), null);
  });

  const refusals: readonly [string, (call: Call) => void, string, RegExp][] = [
    ['something on the way that takes no WebSockets', (call) => call.refuse(400, 'Bad Request'), 'UpgradeRefused', /^unable to open a WebSocket to the API server: the answer was HTTP 400: Bad Request$/],
    ['a page of its own', (call) => call.refuse(403, '<html><title>Blocked</title></html>', { 'Content-Type': 'text/html' }), 'UpgradeRefused', /an HTML page with the title "Blocked"/],
    ['an answer that ignores the upgrade', (call) => call.refuse(200, { kind: 'PodList', apiVersion: 'v1', items: [] }), 'UpgradeRefused', /the answer was HTTP 200/],
    ['an empty 403', (call) => call.refuse(403, ''), 'UpgradeRefused', /HTTP 403 without a reason/],
    ['a missing right', (call) => call.refuse(403, failure(403, 'Forbidden', 'pods is forbidden: User "u" cannot watch resource "pods"')), 'Forbidden', /cannot watch resource "pods"/],
    ['missing credentials', (call) => call.refuse(401, failure(401, 'Unauthorized', 'Unauthorized')), 'Unauthorized', /Unauthorized/i],
  ];
  for (const [title, script, reason, message] of refusals) {
    it(`tells of ${title}`, async () => {
      const { connection } = await start(script);
      const error = await probeUpgrade(connection(), { namespace: 'default' });
      assert.equal(error?.reason, reason, error?.message ?? 'none');
      assert.match(error?.message ?? '', message);
    });
  }

  it('tells of a server that is not there', async () => {
    const { connection } = await start(() => undefined);
    assert.equal((await probeUpgrade(connection({ server: `https://127.0.0.1:${await closedPort()}` }), { namespace: 'default' }))?.reason, 'Unreachable');
  });

  it('throws what it is aborted with', async () => {
    const controller = new AbortController();
    const { connection } = await start(() => controller.abort());
    await assert.rejects(probeUpgrade(connection(), { namespace: 'default', signal: controller.signal }), InterruptedError);
  });
});
