import { type KubernetesVersion, compareKubernetesVersions, parseKubernetesVersion } from '../../kubernetes/version.ts';
import { type ContainerdVersion, compareContainerdVersions, parseContainerdVersion } from '../../windows/containerd.ts';
import type { WindowsNode } from '../windows-node.ts';

/** What the Windows nodes of one pool have at best. */
interface PoolFacts {
  readonly newestBuild: number | null;
  readonly newestRevisions: ReadonlyMap<number, number>;
  readonly newestKubelet: { readonly text: string; readonly version: KubernetesVersion } | null;
  readonly newestContainerd: { readonly text: string; readonly version: ContainerdVersion } | null;
}

/** What is known of all nodes that were read, gathered in one pass. */
export interface ClusterFacts {
  readonly asOf: Date;
  /** Whether all nodes of the cluster are known to have been read: false for a selection, and for files that may hold some of them. */
  readonly complete: boolean;
  /** Newest revision among the Windows Server nodes of each build. */
  readonly newestRevisions: ReadonlyMap<number, number>;
  /** Builds of Windows nodes, newest first. */
  readonly builds: readonly number[];
  /** Linux nodes on which pods of cluster services can start: Ready, not cordoned, without a taint that keeps them off. */
  readonly schedulableLinuxNodes: number;
  readonly linuxNodes: number;
  readonly pools: ReadonlyMap<string, PoolFacts>;
}

export interface ClusterFactsOptions {
  readonly asOf: Date;
  readonly complete: boolean;
}

export function clusterFacts(nodes: readonly WindowsNode[], options: ClusterFactsOptions): ClusterFacts {
  const newestRevisions = new Map<number, number>();
  const builds = new Set<number>();
  const members = new Map<string, WindowsNode[]>();
  let schedulableLinuxNodes = 0;
  let linuxNodes = 0;
  for (const node of nodes) {
    if (node.os === 'linux') {
      linuxNodes += 1;
      if (isOpenToServices(node)) schedulableLinuxNodes += 1;
    }
    if (node.os !== 'windows') continue;
    if (node.build !== null) builds.add(node.build);
    raiseRevision(newestRevisions, node);
    if (node.pool === null) continue;
    const pool = members.get(node.pool);
    if (pool === undefined) members.set(node.pool, [node]);
    else pool.push(node);
  }
  return {
    ...options, newestRevisions, schedulableLinuxNodes, linuxNodes,
    builds: [...builds].toSorted((a, b) => b - a),
    pools: new Map([...members].map(([name, pool]) => [name, poolFacts(pool)])),
  };
}

/**
 * Taints that cluster services tolerate: DNS and the like start on control planes and on system pools
 * (https://github.com/kubernetes/kubernetes/blob/v1.37.2/cmd/kubeadm/app/phases/addons/dns/manifests.go,
 * https://learn.microsoft.com/azure/aks/use-system-pools, read 2026-11-30).
 */
const TOLERATED_BY_SERVICES = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master', 'CriticalAddonsOnly'];

function isOpenToServices(node: WindowsNode): boolean {
  if (node.unschedulable || node.ready !== true) return false;
  return !node.taints.some((taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !TOLERATED_BY_SERVICES.includes(taint.key));
}

/** Server nodes only: a client of build 26100 counts its revisions on another scale. */
function raiseRevision(newest: Map<number, number>, node: WindowsNode): void {
  if (node.release === null || node.build === null || node.revision === null) return;
  newest.set(node.build, Math.max(newest.get(node.build) ?? 0, node.revision));
}

function poolFacts(nodes: readonly WindowsNode[]): PoolFacts {
  const newestRevisions = new Map<number, number>();
  let newestBuild: number | null = null;
  let newestKubelet: PoolFacts['newestKubelet'] = null;
  let newestContainerd: PoolFacts['newestContainerd'] = null;
  for (const node of nodes) {
    raiseRevision(newestRevisions, node);
    if (node.build !== null) newestBuild = Math.max(newestBuild ?? 0, node.build);
    const kubelet = node.kubeletVersion === null ? null : parseKubernetesVersion(node.kubeletVersion);
    if (kubelet !== null && node.kubeletVersion !== null && (newestKubelet === null || compareKubernetesVersions(kubelet, newestKubelet.version) > 0)) newestKubelet = { text: node.kubeletVersion, version: kubelet };
    const containerd = containerdVersionOf(node);
    if (containerd !== null && node.containerRuntime !== null && (newestContainerd === null || compareContainerdVersions(containerd, newestContainerd.version) > 0)) newestContainerd = { text: node.containerRuntime.version, version: containerd };
  }
  return { newestBuild, newestRevisions, newestKubelet, newestContainerd };
}

/** Version of a node's containerd; null for another runtime and for a text that is no version. */
export function containerdVersionOf(node: Pick<WindowsNode, 'containerRuntime'>): ContainerdVersion | null {
  return node.containerRuntime?.name === 'containerd' ? parseContainerdVersion(node.containerRuntime.version) : null;
}
