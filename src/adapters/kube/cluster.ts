/** The live cluster as a ClusterReader. */
import type { ClusterReader, ClusterWriter, ExecChannel, NodeLogs, PodLogs, SourceDescription } from '../../app/ports.ts';
import { ClusterError } from '../../errors.ts';
import { KubeClient } from './api/client.ts';
import type { Connection } from './connection.ts';
import { nodeLogsOf } from './node-logs.ts';
import { NodeSpaceReader } from './node-space.ts';
import { podLogsOf } from './pod-logs.ts';
import { setUserAgentVersion } from '../http/agent.ts';
import type { TransportOptions } from '../http/transport.ts';

export interface OpenClusterOptions extends TransportOptions {
  /** This program's version, for the User-Agent header. */
  readonly userAgentVersion: string;
}

/** A live cluster: what reading commands need, and the client for those that write. */
export interface OpenCluster extends ClusterReader {
  readonly client: KubeClient;
  readonly writer: ClusterWriter;
  readonly execChannel: ExecChannel;
  readonly podLogs: PodLogs;
  readonly nodeLogs: NodeLogs;
}

/** Opens the cluster of a connection; nothing is sent before the first request. Throws ClusterError for a server that is no URL. */
export function openCluster(connection: Connection, options: OpenClusterOptions): OpenCluster {
  setUserAgentVersion(connection, options.userAgentVersion);
  const client = new KubeClient(connection, options);
  return {
    client, writer: createClusterWriter(client), execChannel: execChannelOf(connection, options), podLogs: podLogsOf(client), nodeLogs: nodeLogsOf(client),
    ...createClusterReader(client, { source: 'cluster', context: connection.contextName, location: connection.server }),
  };
}

/** WebSockets are loaded by the first call. */
function execChannelOf(connection: Connection, { trace }: TransportOptions): ExecChannel {
  return {
    exec: async (request) => (await import('./streams/exec-channel.ts')).openExec(connection, request, { trace }),
    attach: async (request) => (await import('./streams/exec-channel.ts')).openAttach(connection, request, { trace }),
    probe: async (options) => (await import('./streams/probe-upgrade.ts')).probeUpgrade(connection, { ...options, trace }),
  };
}

export function createClusterWriter(client: KubeClient): ClusterWriter {
  return {
    create: (resource, object, options) => client.create(resource, object, options),
    merge: (resource, name, patch, options) => client.patch(resource, name, patch, { ...options, type: 'merge' }),
    delete: async (resource, name, options) => {
      try {
        await client.delete(resource, name, { ...options, propagationPolicy: 'Background' });
      } catch (error) {
        // a namesake that came after it is not meant
        if (!(error instanceof ClusterError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error;
      }
    },
    review: (questions, options) => client.review(questions, options),
  };
}

export function createClusterReader(client: KubeClient, description: SourceDescription): ClusterReader {
  const space = new NodeSpaceReader(client);
  return {
    description,
    namespace: client.connection.namespace,
    resources: (options) => client.resources(options),
    mayServiceAccount: (account, question, options) => client.reviewServiceAccount(account, question, options),
    nodeSpace: (node, options) => space.read(node, options?.signal),
    completeness: () => 'all',
    serverVersion: (options) => client.serverVersion(options),
    list: (resource, options) => client.list(resource, options),
    get: (resource, name, options) => client.get(resource, name, options),
    watch: (resource, options) => client.watch(resource, options),
    close: async () => client.close(),
  };
}
