import type { PodLogs } from '../../app/ports.ts';
import { PODS } from '../../domain/kubernetes/resource.ts';
import type { KubeClient } from './api/client.ts';
import { bodyBytes } from './body-bytes.ts';

/** What the log of a container holds so far, without following it. */
export function podLogsOf(client: Pick<KubeClient, 'rawStream' | 'connection'>): PodLogs {
  return {
    read: async ({ namespace, pod, container }, { signal } = {}) => bodyBytes(await client.rawStream(PODS, pod, { namespace, subresource: 'log', query: { container }, signal }), {
      connection: client.connection, attempt: { verb: 'get', resource: 'pods/log', name: pod, namespace }, signal,
    }),
  };
}
