import type { NodeLogs } from '../../app/ports.ts';
import { NODES } from '../../domain/kubernetes/resource.ts';
import type { KubeClient } from './api/client.ts';
import { bodyBytes } from './body-bytes.ts';

/**
 * The kubelet's own reader of logs, behind nodes/proxy, a right that this program never asks anybody to grant: it is exec on the kubelet.
 * https://kubernetes.io/docs/concepts/cluster-administration/system-logs/#log-query, read 2026-11-30.
 */
export function nodeLogsOf(client: Pick<KubeClient, 'rawStream' | 'connection'>): NodeLogs {
  return {
    // without the slash at the end the kubelet answers with a redirect
    query: async (node, query, { signal } = {}) => bodyBytes(await client.rawStream(NODES, node, { subresource: 'proxy/logs/', query, signal }), {
      connection: client.connection, attempt: { verb: 'get', resource: 'nodes/proxy', name: node }, signal,
    }),
  };
}
