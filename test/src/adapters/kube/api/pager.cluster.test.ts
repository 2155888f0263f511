import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeClient } from '../../../../../src/adapters/kube/api/client.ts';
import { nameOf } from '../../../../../src/domain/kubernetes/object.ts';
import { NAMESPACES, NODES } from '../../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import { useCluster } from '../../../../cluster/use-cluster.ts';
import { connectionTo } from '../../../../support/loopback-api.ts';

describe('pages of a real API server that forgets quickly', function () {
  this.timeout(60_000);
  // Five minutes is the usual interval. The watch cache would keep old pages up to 15 s longer (apiserver v0.37.2, pkg/storage/cacher/compactor.go).
  const cluster = useCluster({ apiServerArgs: ['--etcd-compaction-interval=500ms', '--watch-cache=false'], shared: false });

  /** Waits until the server refuses the second page of a list that began now, and gives the refusal. */
  async function compacted(client: KubeClient): Promise<ClusterError> {
    const { continueToken } = await client.listPage(NODES, {}, { limit: 2, continueToken: '' });
    for (let number = 0; ; number += 1) {
      // Each change is a revision; without one there is nothing to forget.
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: `change-${number}-` } });
      try {
        await client.listPage(NODES, {}, { limit: 2, continueToken });
      } catch (error) {
        assert.ok(error instanceof ClusterError, String(error));
        return error;
      }
      await delay(100);
    }
  }

  it('R188: a list whose revision was compacted away meanwhile is read whole, and says that it began anew', async () => {
    const { admin, server, ca } = cluster();
    const client = new KubeClient(connectionTo({ url: server, ca }, { credentials: { get: async () => ({ clientCertificate: admin.identity }), refresh: async () => false } }));
    try {
      const names = Array.from({ length: 7 }, (_, index) => `n${index}`);
      for (const name of names) await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
      const pages: (readonly string[])[] = [];
      let isRestarted = false;
      for await (const page of client.list(NODES, { chunkSize: 2 })) {
        pages.push(page.items.map(nameOf));
        isRestarted = page.restarted === true;
        if (pages.length > 1) continue;
        await client.delete(NODES, 'n6');
        const refusal = await compacted(client);
        assert.deepEqual([refusal.reason, refusal.status], ['Expired', 410]);
        assert.match(refusal.message, /^Error from server \(Expired\): The provided continue parameter is too old/);
      }
      // The second page was under way when the first was handed over.
      assert.deepEqual(pages, [['n0', 'n1'], ['n2', 'n3'], ['n0', 'n1', 'n2', 'n3', 'n4', 'n5']]);
      assert.equal(isRestarted, true);
    } finally {
      client.close();
    }
  });
});
