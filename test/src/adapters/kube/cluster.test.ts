import assert from 'node:assert/strict';
import { openCluster } from '../../../../src/adapters/kube/cluster.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { connectionTo, sendJson, startLoopbackApi } from '../../../support/loopback-api.ts';

describe('openCluster', () => {
  it('reads through the port that use cases know, names itself and its source, and closes its sockets', async () => {
    const api = await startLoopbackApi((request, response) => {
      if (request.url === '/version') return sendJson(response, 200, { gitVersion: 'v1.37.2' });
      sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '3' }, items: [{ metadata: { name: 'win-1' } }] });
    });
    const cluster = openCluster(connectionTo(api), { userAgentVersion: '9.9.9' });
    try {
      assert.deepEqual(cluster.description, { source: 'cluster', context: 'loopback', location: api.url });
      assert.deepEqual(await cluster.serverVersion(), { gitVersion: 'v1.37.2' });
      const pages = [];
      for await (const page of cluster.list(NODES)) pages.push(page);
      assert.deepEqual(pages, [{ items: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'win-1' } }], resourceVersion: '3' }]);
      assert.match(api.requests[0]?.headers['user-agent'] ?? '', /^kubectl-win\/9\.9\.9 /);
    } finally {
      await cluster.close();
      await api.close();
    }
  });
});
