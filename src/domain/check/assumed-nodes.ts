/** `--windows`: the same cluster, or none, with Windows nodes of other releases. */
import { describeNode } from '../node/describe-node.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import { releaseByName, type ReleaseName } from '../windows/releases.ts';
import { factTable, type CheckFacts } from './facts.ts';

/** containerd of nodes that are assumed: the newest line with long-term support. https://containerd.io/releases/, read 2026-11-30 */
const ASSUMED_RUNTIME = 'containerd://2.3.5';

/**
 * Facts as if the Windows nodes ran these releases. Known Windows nodes are taken over once per release, with their labels and
 * taints; without any, one node per release is made up, of which nothing but the build counts: taints and other labels of it
 * are not known, and `areNodesAssumed` says so.
 */
export function assumeReleases(facts: CheckFacts, releases: readonly ReleaseName[], asOf: Date): CheckFacts {
  if (releases.length === 0) return facts;
  const known = facts.nodes === null ? [] : [...facts.nodes.values()];
  const windows = known.filter(({ os }) => os === 'windows');
  const nodes = releases.flatMap((release): readonly WindowsNode[] => {
    const build = releaseByName(release)?.build;
    if (build === undefined) return [];
    if (windows.length === 0) return [madeUp(release, build, asOf)];
    return windows.map((node) => rebuilt(node, release, build, asOf, releases.length > 1));
  });
  const others = known.filter(({ os }) => os !== 'windows');
  return {
    ...facts,
    nodes: factTable(new Map([...others, ...nodes].map((node) => [node.name, node])), windows.length > 0 && facts.nodes?.isComplete === true),
    areNodesAssumed: windows.length === 0,
  };
}

function madeUp(release: string, build: number, asOf: Date): WindowsNode {
  return describeNode({
    apiVersion: 'v1', kind: 'Node',
    metadata: { name: `any-${release}`, labels: { 'kubernetes.io/os': 'windows', 'kubernetes.io/arch': 'amd64', 'node.kubernetes.io/windows-build': `10.0.${build}` } },
    status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { operatingSystem: 'windows', architecture: 'amd64', kernelVersion: `10.0.${build}`, containerRuntimeVersion: ASSUMED_RUNTIME } },
  }, { serverVersion: null, asOf });
}

function rebuilt(node: WindowsNode, release: string, build: number, asOf: Date, isOneOfSeveral: boolean): WindowsNode {
  const label = `10.0.${build}`;
  const described = describeNode({
    metadata: { name: node.name, labels: { ...node.labels, 'node.kubernetes.io/windows-build': label } },
    status: { nodeInfo: { operatingSystem: 'windows', architecture: node.architecture, kernelVersion: label, kubeletVersion: node.kubeletVersion, containerRuntimeVersion: node.containerRuntime === null ? ASSUMED_RUNTIME : `${node.containerRuntime.name}://${node.containerRuntime.version}` } },
  }, { serverVersion: null, asOf });
  const { product, channel, canRun } = described;
  return {
    ...node, name: isOneOfSeveral ? `${node.name}@${release}` : node.name, product, release: described.release, channel, build, revision: null, canRun, kernelVersion: label,
    labels: { ...node.labels, 'node.kubernetes.io/windows-build': label }, issues: [],
  };
}
