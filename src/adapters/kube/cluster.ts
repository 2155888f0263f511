/** The live cluster as a ClusterReader. */
import type { ClusterReader, ExecChannel, SourceDescription } from '../../app/ports.ts';
import { KubeClient } from './api/client.ts';
import type { Connection } from './connection.ts';
import { setUserAgentVersion } from '../http/agent.ts';
import type { TransportOptions } from '../http/transport.ts';

export interface OpenClusterOptions extends TransportOptions {
  /** This program's version, for the User-Agent header. */
  readonly userAgentVersion: string;
}

/** A live cluster: what reading commands need, and the client for those that write. */
export interface OpenCluster extends ClusterReader {
  readonly client: KubeClient;
  readonly execChannel: ExecChannel;
}

/** Opens the cluster of a connection; nothing is sent before the first request. Throws ClusterError for a server that is no URL. */
export function openCluster(connection: Connection, options: OpenClusterOptions): OpenCluster {
  setUserAgentVersion(connection, options.userAgentVersion);
  const client = new KubeClient(connection, options);
  return { client, execChannel: execChannelOf(connection, options), ...createClusterReader(client, { source: 'cluster', context: connection.contextName, location: connection.server }) };
}

/** WebSockets are loaded by the first call. */
function execChannelOf(connection: Connection, { trace }: TransportOptions): ExecChannel {
  return {
    exec: async (request) => (await import('./streams/exec-channel.ts')).openExec(connection, request, { trace }),
    attach: async (request) => (await import('./streams/exec-channel.ts')).openAttach(connection, request, { trace }),
  };
}

export function createClusterReader(client: KubeClient, description: SourceDescription): ClusterReader {
  return {
    description,
    namespace: client.connection.namespace,
    resources: (options) => client.resources(options),
    mayServiceAccount: (account, question, options) => client.reviewServiceAccount(account, question, options),
    completeness: () => 'all',
    serverVersion: (options) => client.serverVersion(options),
    list: (resource, options) => client.list(resource, options),
    get: (resource, name, options) => client.get(resource, name, options),
    watch: (resource, options) => client.watch(resource, options),
    close: async () => client.close(),
  };
}
