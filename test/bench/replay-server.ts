/** Answers lists of generated objects page by page over plain HTTP, as `kubectl proxy` would: more pods than a test's etcd should hold. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodePodList } from './encode-pods.ts';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';

export interface ReplayServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `objects` by the path of their list: `/api/v1/pods`. Pages are made when they are asked for. Every other list is empty. */
export async function startReplayServer(objects: Readonly<Record<string, { readonly kind: string; readonly count: number; readonly item: (index: number) => KubeObject }>>): Promise<ReplayServer> {
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://replay');
    const answer = (body: unknown): void => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    if (url.pathname === '/version') return answer({ gitVersion: 'v1.37.2', major: '1', minor: '37' });
    if (url.pathname === '/api' || url.pathname === '/apis') return answer({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items: [] });
    const found = objects[url.pathname];
    if (found === undefined) return answer({ kind: `${kindOf(url.pathname)}List`, apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
    const start = Number(url.searchParams.get('continue') ?? '0');
    const end = Math.min(found.count, start + Number(url.searchParams.get('limit') ?? found.count));
    const items = Array.from({ length: end - start }, (_, index) => found.item(start + index));
    const isProtobuf = found.kind === 'Pod' && String(request.headers.accept).includes('application/vnd.kubernetes.protobuf');
    if (isProtobuf) return void response.writeHead(200, { 'Content-Type': 'application/vnd.kubernetes.protobuf' }).end(encodePodList(items, end < found.count ? String(end) : ''));
    answer({ kind: `${found.kind}List`, apiVersion: 'v1', metadata: { resourceVersion: '1', ...(end < found.count ? { continue: String(end) } : {}) }, items });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

const KINDS: Readonly<Record<string, string>> = {
  nodes: 'Node', namespaces: 'Namespace', runtimeclasses: 'RuntimeClass', storageclasses: 'StorageClass', persistentvolumes: 'PersistentVolume', persistentvolumeclaims: 'PersistentVolumeClaim',
  csinodes: 'CSINode', daemonsets: 'DaemonSet', serviceaccounts: 'ServiceAccount', customresourcedefinitions: 'CustomResourceDefinition', gmsacredentialspecs: 'GMSACredentialSpec', pods: 'Pod',
  events: 'Event', deployments: 'Deployment', statefulsets: 'StatefulSet', cronjobs: 'CronJob', jobs: 'Job', replicationcontrollers: 'ReplicationController', podtemplates: 'PodTemplate',
  replicasets: 'ReplicaSet', services: 'Service', networkpolicies: 'NetworkPolicy',
};

function kindOf(path: string): string {
  return KINDS[path.slice(path.lastIndexOf('/') + 1)] ?? 'Unknown';
}
