import type { ClusterReader, ListOptions, ListPage, ServerVersion, WatchEvent } from '../../src/app/ports.ts';
import { arrayAt, type KubeObject, nameOf } from '../../src/domain/kubernetes/object.ts';
import type { Resource } from '../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../src/errors.ts';
import { isIn, selection, toldOf } from './selection.ts';

export interface FakeClusterParts {
  /** Objects by plural name of their resource; pages of `pageSize`. */
  readonly objects?: Readonly<Record<string, readonly KubeObject[]>>;
  readonly pageSize?: number;
  /** null = the version is not known. */
  readonly version?: string | null;
  /** Thrown by a call such as `list pods`, `get nodes`, `version`, `resources`. */
  readonly errors?: Readonly<Record<string, Error>>;
  readonly events?: readonly WatchEvent[];
  readonly source?: 'cluster' | 'files';
  /** Of files: whether the recording is known to hold all objects of its resources. */
  readonly isComplete?: boolean;
  /** What discovery answers. */
  readonly resources?: readonly Resource[];
  /** Pages of nodes that end with a list begun anew, as after 410 Expired. */
  readonly restartsAfterFirstPage?: boolean;
  /** Gives digests of pods where they are asked for, as a live cluster does. */
  readonly givesDigests?: boolean;
}

export interface FakeCluster extends ClusterReader {
  /** What was asked: `list nodes`, `get nodes NAME`, `version`. */
  readonly calls: readonly string[];
}

/** A cluster of plain lists, for use cases and commands; the adapters are tested against real servers. */
export function fakeCluster(parts: FakeClusterParts = {}): FakeCluster {
  const calls: string[] = [];
  const fail = (call: string): void => {
    const error = parts.errors?.[call];
    if (error !== undefined) throw error;
  };
  const objectsOf = (resource: Resource): readonly KubeObject[] => parts.objects?.[resource.plural] ?? [];
  return {
    calls,
    description: { source: parts.source ?? 'cluster', context: parts.source === 'files' ? null : 'test', location: 'https://cluster.test' },
    namespace: parts.source === 'files' ? null : 'default',
    async resources(): Promise<readonly Resource[]> {
      fail('resources');
      return parts.resources ?? [];
    },
    completeness: (resource) => (parts.source !== 'files' || parts.isComplete === true ? 'all' : parts.objects?.[resource.plural] === undefined ? 'none' : 'some'),
    async serverVersion(): Promise<ServerVersion | null> {
      calls.push('version');
      fail('version');
      return parts.version === null ? null : { gitVersion: parts.version ?? 'v1.37.2' };
    },
    async* list(resource: Resource, options: ListOptions = {}): AsyncGenerator<ListPage> {
      calls.push([`list ${resource.plural}`, ...(options.labelSelector ? [`-l ${options.labelSelector}`] : [])].join(' '));
      fail(`list ${resource.plural}`);
      options.signal?.throwIfAborted();
      const objects = objectsOf(resource).filter(selection(resource, options));
      const size = parts.pageSize ?? 2;
      if (parts.restartsAfterFirstPage === true) {
        yield { items: objects.slice(0, size), resourceVersion: '1' };
        yield { items: objects, resourceVersion: '2', restarted: true };
        return;
      }
      for (let start = 0; start === 0 || start < objects.length; start += size) {
        const items = objects.slice(start, start + size);
        if (parts.givesDigests !== true || resource.kind !== 'Pod' || options.podDigest?.() !== true) {
          yield { items, resourceVersion: '7' };
          continue;
        }
        const whole = async (): Promise<readonly KubeObject[]> => {
          calls.push(`whole page ${start / size}`);
          fail('whole page');
          return items;
        };
        yield { items: items.map(digestOf), resourceVersion: '7', whole };
      }
    },
    async get(resource: Resource, name: string, options: { readonly namespace?: string | undefined } = {}): Promise<KubeObject> {
      calls.push(`get ${resource.plural} ${name}`);
      fail(`get ${resource.plural}`);
      const found = objectsOf(resource).find((object) => nameOf(object) === name && isIn(resource, object, options.namespace));
      if (found === undefined) throw new ClusterError(`Error from server (NotFound): ${resource.plural} "${name}" not found`, { reason: 'NotFound', status: 404 });
      return found;
    },
    async* watch(resource: Resource, options: ListOptions): AsyncGenerator<WatchEvent> {
      calls.push('watch');
      const isSelected = selection(resource, options);
      for (const event of parts.events ?? []) {
        const told = toldOf(event, (object) => object.kind === resource.kind && isSelected(object));
        if (told !== null) yield told;
      }
    },
    async close(): Promise<void> {
      calls.push('close');
    },
  };
}

/** What is left of containers. */
function digestOf(pod: KubeObject): KubeObject {
  return { ...pod, spec: { containers: arrayAt(pod, 'spec', 'containers').map((container) => ({ name: nameOf({ metadata: container }) })) } };
}

/** 403 as the client layer reports it. */
export function forbidden(verb: string, resource: string): ClusterError {
  return new ClusterError(`Error from server (Forbidden): ${resource} is forbidden`, { reason: 'Forbidden', status: 403, attempt: { verb, resource } });
}

export interface NodeParts {
  readonly os?: 'windows' | 'linux';
  readonly kernelVersion?: string;
  readonly kubeletVersion?: string;
  readonly runtime?: string;
  readonly pool?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ready?: boolean;
  readonly resourceVersion?: string;
  readonly images?: readonly unknown[];
  readonly taints?: readonly unknown[];
}

/** A node that has everything a kubelet reports. */
export function rawNode(name: string, parts: NodeParts = {}): KubeObject {
  const os = parts.os ?? 'windows';
  const kernelVersion = parts.kernelVersion ?? (os === 'windows' ? '10.0.20348.5386' : '6.6.96');
  const build = /^10\.0\.(\d+)/.exec(kernelVersion)?.[1];
  return {
    apiVersion: 'v1', kind: 'Node',
    metadata: {
      name, uid: `uid-${name}`, resourceVersion: parts.resourceVersion ?? '5', creationTimestamp: '2026-11-20T12:00:00Z',
      labels: {
        'kubernetes.io/os': os, 'kubernetes.io/arch': 'amd64', ...(os === 'windows' && build !== undefined ? { 'node.kubernetes.io/windows-build': `10.0.${build}` } : {}),
        ...(parts.pool === undefined ? {} : { 'kubernetes.azure.com/agentpool': parts.pool }), ...parts.labels,
      },
    },
    spec: { taints: parts.taints ?? (os === 'windows' ? [{ key: 'os', value: 'windows', effect: 'NoSchedule' }] : []) },
    status: {
      addresses: [{ type: 'InternalIP', address: '10.224.0.4' }],
      capacity: { cpu: '4', memory: '16Gi', pods: '30' }, allocatable: { cpu: '3900m', memory: '14Gi', pods: '30' },
      conditions: [{ type: 'Ready', status: (parts.ready ?? true) ? 'True' : 'False', reason: 'KubeletReady' }],
      images: parts.images ?? [],
      nodeInfo: {
        operatingSystem: os, architecture: 'amd64', kernelVersion, osImage: os === 'windows' ? 'Windows Server 2022 Datacenter' : 'Ubuntu 24.04',
        kubeletVersion: parts.kubeletVersion ?? 'v1.36.3', containerRuntimeVersion: parts.runtime ?? 'containerd://2.0.4+azure',
      },
    },
  };
}

