/** Logs of pods and nodes, which come as bytes. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { openCluster, type OpenCluster } from '../../../../src/adapters/kube/cluster.ts';
import type { ByteSource } from '../../../../src/app/ports.ts';
import { ClusterError, InterruptedError } from '../../../../src/errors.ts';
import { connectionTo, failure, sendJson, startLoopbackApi, type LoopbackApi, type LoopbackHandler } from '../../../support/loopback-api.ts';

const PLACE = { namespace: 'shop', pod: 'web-1', container: 'hostprocess' };
const BYTES = Buffer.from([0x61, 0xff, 0x00, 0x0d, 0x0a]);

describe('logs as bytes', () => {
  let api: LoopbackApi;
  let cluster: OpenCluster;
  const start = async (handler: LoopbackHandler): Promise<OpenCluster> => {
    api = await startLoopbackApi(handler);
    return (cluster = openCluster(connectionTo(api), { userAgentVersion: '1' }));
  };
  afterEach(async () => {
    await cluster.close();
    await api.close();
  });
  const sources: readonly [string, string, (signal?: AbortSignal) => Promise<ByteSource>][] = [
    ['of a pod', '/api/v1/namespaces/shop/pods/web-1/log?container=hostprocess', (signal) => cluster.podLogs.read(PLACE, { signal })],
    ['of a node', '/api/v1/nodes/win-1/proxy/logs/?query=kubelet&query=containerd&tailLines=5', (signal) => cluster.nodeLogs.query('win-1', { query: ['kubelet', 'containerd'], tailLines: ['5'] }, { signal })],
  ];

  for (const [what, url, read] of sources) {
    describe(what, () => {
      it('are asked for as the API has it, and come as they are', async () => {
        await start((_, response) => {
          response.writeHead(200, { 'Content-Type': 'text/plain' });
          response.end(BYTES);
        });
        assert.deepEqual(await buffer(await read()), BYTES);
        assert.deepEqual(api.requests.map((request) => [request.method, request.url]), [['GET', url]]);
      });

      for (const [status, reason, body] of [[403, 'Forbidden', failure(403, 'Forbidden', 'no')], [404, 'NotFound', failure(404, 'NotFound', 'not found')]] as const) {
        it(`that are refused with ${status} throw ${reason} before the first byte`, async () => {
          await start((_, response) => sendJson(response, status, body));
          await assert.rejects(read(), (error) => error instanceof ClusterError && error.reason === reason);
        });
      }

      it('that break in the middle are no whole log', async () => {
        await start((_, response) => {
          response.writeHead(200, { 'Content-Type': 'text/plain' });
          response.write(BYTES, () => response.destroy());
        });
        const seen: Buffer[] = [];
        await assert.rejects((async () => {
          for await (const chunk of await read()) seen.push(Buffer.from(chunk));
        })(), (error) => error instanceof ClusterError && error.reason === 'ConnectionLost' && /cut off after 5 bytes/.test(error.message));
        assert.deepEqual(Buffer.concat(seen), BYTES);
      });

      it('end with the signal', async () => {
        const controller = new AbortController();
        await start((_, response) => {
          response.writeHead(200, { 'Content-Type': 'text/plain' });
          response.write(BYTES);
        });
        await assert.rejects((async () => {
          for await (const _ of await read(controller.signal)) controller.abort();
        })(), InterruptedError);
      });
    });
  }

  it('of a kubelet that offers none are not found', async () => {
    await start((_, response) => {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('404 page not found\n');
    });
    await assert.rejects(cluster.nodeLogs.query('win-1', { query: ['kubelet'] }), (error) => error instanceof ClusterError && error.reason === 'NotFound');
  });
});
