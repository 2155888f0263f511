import assert from 'node:assert/strict';
import { openCluster } from '../../../../src/adapters/kube/cluster.ts';
import { connectionTo, sendJson, startLoopbackApi, type LoopbackApi } from '../../../support/loopback-api.ts';

const SUMMARIES: Readonly<Record<string, unknown>> = {
  'win-1': { node: { fs: { availableBytes: 1, capacityBytes: 2 }, runtime: { imageFs: { availableBytes: 40, capacityBytes: 100 } } } },
  'win-2': { node: { fs: { availableBytes: 30, capacityBytes: 100 } } },
  'win-3': { node: {} },
  'win-4': 'no summary',
};

describe('nodeSpace', () => {
  let mayAsk: boolean;
  let most: number;
  let running: number;
  let api: LoopbackApi;
  before(async () => {
    api = await startLoopbackApi((request, response) => {
      if (request.method === 'POST') return sendJson(response, 201, { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', status: { allowed: mayAsk } });
      const node = /^\/api\/v1\/nodes\/([^/]+)\/proxy\/stats\/summary$/.exec(request.url ?? '')?.[1] ?? '';
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        if (Object.hasOwn(SUMMARIES, node)) sendJson(response, 200, SUMMARIES[node]);
        else sendJson(response, 503, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'ServiceUnavailable', code: 503 });
      }, 5);
    });
  });
  after(() => api.close());
  beforeEach(() => {
    mayAsk = true;
    most = 0;
    running = 0;
  });

  async function read(nodes: readonly string[], signal?: AbortSignal): Promise<readonly unknown[]> {
    const cluster = openCluster(connectionTo(api), { userAgentVersion: '1' });
    try {
      return await Promise.all(nodes.map(async (node) => cluster.nodeSpace?.(node, { signal })));
    } finally {
      await cluster.close();
    }
  }

  it('is that of images, else of the node, and null where nobody says', async () => {
    assert.deepEqual(await read(['win-1', 'win-2', 'win-3', 'win-4', 'gone']), [{ availableBytes: 40, capacityBytes: 100 }, { availableBytes: 30, capacityBytes: 100 }, null, null, null]);
  });

  it('is not asked for by those who may not', async () => {
    mayAsk = false;
    const before = api.requests.length;
    assert.deepEqual(await read(['win-1', 'win-2']), [null, null]);
    assert.equal(api.requests.length - before, 1);
  });

  it('is asked of ten at a time', async () => {
    assert.equal((await read(Array.from({ length: 40 }, () => 'win-1'))).length, 40);
    assert.ok(most > 1 && most <= 10, String(most));
  });

  it('ends with the signal', async () => {
    const reason = new Error('stop');
    await assert.rejects(read(['win-1'], AbortSignal.abort(reason)), reason);
  });
});
