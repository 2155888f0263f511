import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { KubeClient } from '../../../../src/adapters/kube/api/client.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { ClusterError, InterruptedError } from '../../../../src/errors.ts';
import { connectionTo, failure, listen, sendJson, withLoopbackApi, type LoopbackHandler } from '../../../support/loopback-api.ts';

const NODE = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } };

describe('Flights: a patient request', () => {
  const answer: LoopbackHandler = (request, response) => sendJson(response, 200, request.url === '/version' ? { gitVersion: 'v1.37.2' } : NODE);

  it('takes the connection of the request beside it when the server is near', async () => {
    await withLoopbackApi(answer, async (api) => {
      const client = new KubeClient(connectionTo(api));
      const [version, node] = await Promise.all([client.serverVersion(), client.get(NODES, 'n')]);
      assert.deepEqual([version, node], [{ gitVersion: 'v1.37.2' }, NODE]);
      assert.deepEqual([api.connections(), api.requests.map(({ url }) => url)], [1, ['/api/v1/nodes/n', '/version']]);
      client.close();
    });
  });

  it('goes on when the other one fails, and at once when there is none', async () => {
    await withLoopbackApi((request, response, raw) => (request.url === '/version' ? answer(request, response, raw) : sendJson(response, 500, failure(500, 'InternalError', 'etcd'))), async (api) => {
      const client = new KubeClient(connectionTo(api));
      const version = client.serverVersion();
      await assert.rejects(client.get(NODES, 'n'), ClusterError);
      assert.deepEqual(await version, { gitVersion: 'v1.37.2' });
      assert.deepEqual(await client.serverVersion(), { gitVersion: 'v1.37.2' });
      client.close();
    });
  });

  it('stops waiting when it is told to', async () => {
    await withLoopbackApi(() => undefined, async (api) => {
      const client = new KubeClient(connectionTo(api));
      const stop = new AbortController();
      const other = client.get(NODES, 'n', { signal: stop.signal });
      const version = client.serverVersion({ signal: stop.signal });
      setTimeout(() => stop.abort(), 50);
      await Promise.all([assert.rejects(version, InterruptedError), assert.rejects(other, InterruptedError)]);
      assert.deepEqual(api.requests.map(({ url }) => url), ['/api/v1/nodes/n']);
      client.close();
    });
  });

  it('opens a connection of its own to a server that is far', async () => {
    await withLoopbackApi(answer, async (api) => {
      let tunnels = 0;
      let both = (): void => undefined;
      const areBothAsked = new Promise<void>((resolve) => {
        both = resolve;
      });
      const proxy = http.createServer().on('connect', (_request, client: net.Socket) => {
        tunnels += 1;
        if (tunnels === 2) both();
        void areBothAsked.then(() => {
          const server = net.connect(api.port, '127.0.0.1');
          client.write('HTTP/1.1 200 OK\r\n\r\n');
          server.pipe(client).pipe(server);
          for (const socket of [client, server]) socket.on('error', () => undefined).once('close', () => [client, server].forEach((one) => one.destroy()));
        });
      });
      const proxyPort = await listen(proxy);
      const client = new KubeClient(connectionTo(api, { proxyUrl: `http://127.0.0.1:${proxyPort}` }));
      const [version] = await Promise.all([client.serverVersion(), client.get(NODES, 'n')]);
      assert.deepEqual([version, api.connections()], [{ gitVersion: 'v1.37.2' }, 2]);
      client.close();
      await new Promise((resolve) => {
        proxy.close(resolve);
      });
    });
  });
});
