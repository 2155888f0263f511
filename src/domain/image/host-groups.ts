/** Nodes that every image and every kubelet treats alike, so that a question is put once per group and not once per node. */
import type { WindowsNode } from '../node/windows-node.ts';
import { hostOfNode, imageOnNode, type ImageHost, type ImageOnNode, type Isolation } from './image-on-node.ts';
import type { ImagePlatforms } from './image-platforms.ts';

export interface HostGroup {
  /** One of them, for what they have in common: OS, build, revision, architecture, runtime, the label for the OS. */
  readonly node: WindowsNode;
  /** All of them, in the order of the list. */
  readonly nodes: readonly WindowsNode[];
  readonly host: ImageHost;
  /** The same for all groups that are alike, of whichever list: one for each kind of node that the process has met. */
  readonly kind: number;
}

/** Nodes of several groups together. */
export interface GroupedNodes {
  readonly nodes: readonly WindowsNode[];
  readonly names: readonly string[];
}

const NO_NODES: GroupedNodes = { nodes: [], names: [] };

const known = new WeakMap<readonly WindowsNode[], readonly HostGroup[]>();
const kinds = new Map<string, number>();
const outcomes = new WeakMap<ImagePlatforms, Map<string, ImageOnNode>>();

/** Sequences of groups by their first one, and so on: nothing outlives the groups that it is about, of which a divided group has new ones for each workload. */
interface Joined {
  nodes: GroupedNodes | null;
  readonly longer: WeakMap<HostGroup, Joined>;
}

const joined: Joined = { nodes: NO_NODES, longer: new WeakMap() };

/** The groups of a list, which must not change afterwards: they are kept as long as the list is. */
export function hostGroupsOf(nodes: readonly WindowsNode[]): readonly HostGroup[] {
  const before = known.get(nodes);
  if (before !== undefined) return before;
  const bySignature = new Map<string, WindowsNode[]>();
  for (const node of nodes) {
    const { os, build, revision, architecture, containerRuntime, labels } = node;
    const signature = [os, build, revision, architecture, containerRuntime?.name, containerRuntime?.version, labels['kubernetes.io/os']].join('|');
    const group = bySignature.get(signature);
    if (group === undefined) bySignature.set(signature, [node]);
    else group.push(node);
  }
  const groups = [...bySignature].flatMap(([signature, group]) => {
    const [node] = group;
    return node === undefined ? [] : [{ node, nodes: group, host: hostOfNode(node), kind: kindOf(signature) }];
  });
  known.set(nodes, groups);
  return groups;
}

function kindOf(signature: string): number {
  const kind = kinds.get(signature) ?? kinds.size;
  kinds.set(signature, kind);
  return kind;
}

/** imageOnNode for a group; asked once for each image that is the same object, and all groups that are alike. */
export function imageOnGroup(platforms: ImagePlatforms, group: HostGroup, isolation: Isolation): ImageOnNode {
  const answers = outcomes.get(platforms) ?? new Map<string, ImageOnNode>();
  outcomes.set(platforms, answers);
  const key = `${group.kind} ${isolation}`;
  const before = answers.get(key);
  if (before !== undefined) return before;
  const answer = imageOnNode(platforms, group.host, isolation);
  answers.set(key, answer);
  return answer;
}

/** The nodes of groups, and their names; the same object for the same groups, so that thousands of findings share it. */
export function joinGroups(groups: readonly HostGroup[]): GroupedNodes {
  let found = joined;
  for (const group of groups) {
    const next = found.longer.get(group) ?? { nodes: null, longer: new WeakMap<HostGroup, Joined>() };
    found.longer.set(group, next);
    found = next;
  }
  if (found.nodes === null) {
    const nodes = groups.flatMap((group) => group.nodes);
    found.nodes = { nodes, names: nodes.map(({ name }) => name) };
  }
  return found.nodes;
}
