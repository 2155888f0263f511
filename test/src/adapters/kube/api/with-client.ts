import { KubeClient } from '../../../../../src/adapters/kube/api/client.ts';
import type { TransportOptions } from '../../../../../src/adapters/http/transport.ts';
import { connectionTo, withLoopbackApi, type LoopbackHandler, type RecordedRequest } from '../../../../support/loopback-api.ts';

/** A client of a loopback server, for one piece of work; both are closed after it. */
export async function withClient(handler: LoopbackHandler, work: (client: KubeClient, requests: readonly RecordedRequest[]) => Promise<void>, options: TransportOptions = {}): Promise<void> {
  await withLoopbackApi(handler, async (api) => {
    const client = new KubeClient(connectionTo(api), options);
    try {
      await work(client, api.requests);
    } finally {
      client.close();
    }
  });
}
