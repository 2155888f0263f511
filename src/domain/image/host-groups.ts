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
  /** Differs for each group of the process. */
  readonly id: number;
}

/** Nodes of several groups together. */
export interface GroupedNodes {
  readonly nodes: readonly WindowsNode[];
  readonly names: readonly string[];
}

const NO_NODES: GroupedNodes = { nodes: [], names: [] };

const known = new WeakMap<readonly WindowsNode[], readonly HostGroup[]>();
const joined = new WeakMap<HostGroup, Map<string, GroupedNodes>>();
const outcomes = new WeakMap<ImagePlatforms, Map<string, ImageOnNode>>();
let lastId = 0;

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
  const groups = [...bySignature.values()].flatMap((group) => {
    const [node] = group;
    return node === undefined ? [] : [{ node, nodes: group, host: hostOfNode(node), id: ++lastId }];
  });
  known.set(nodes, groups);
  return groups;
}

/** imageOnNode for a group; asked once for each image that is the same object. */
export function imageOnGroup(platforms: ImagePlatforms, group: HostGroup, isolation: Isolation): ImageOnNode {
  const answers = outcomes.get(platforms) ?? new Map<string, ImageOnNode>();
  outcomes.set(platforms, answers);
  const key = `${group.id} ${isolation}`;
  const before = answers.get(key);
  if (before !== undefined) return before;
  const answer = imageOnNode(platforms, group.host, isolation);
  answers.set(key, answer);
  return answer;
}

/** The nodes of groups, and their names; the same object for the same groups, so that thousands of findings share it. */
export function joinGroups(groups: readonly HostGroup[]): GroupedNodes {
  const [first] = groups;
  if (first === undefined) return NO_NODES;
  const key = groups.map(({ id }) => id).join(' ');
  const answers = joined.get(first) ?? new Map<string, GroupedNodes>();
  joined.set(first, answers);
  const before = answers.get(key);
  if (before !== undefined) return before;
  const nodes = groups.flatMap((group) => group.nodes);
  const answer = { nodes, names: nodes.map(({ name }) => name) };
  answers.set(key, answer);
  return answer;
}
