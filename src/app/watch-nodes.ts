import { type KubeObject, nameOf, stringAt } from '../domain/kubernetes/object.ts';
import { NODES } from '../domain/kubernetes/resource.ts';
import { type DescribeNodeContext, describeNode } from '../domain/node/describe-node.ts';
import { factsKey, judgeBesideOthers } from '../domain/node/judge-cluster.ts';
import { type ClusterFacts, type ClusterFactsOptions, clusterFacts } from '../domain/node/node-issues/cluster-facts.ts';
import type { WindowsNode } from '../domain/node/windows-node.ts';
import { type ListNodesOptions, isAskedFor, isComplete } from './list-nodes.ts';
import type { ClusterReader } from './ports.ts';

export interface NodeChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly node: WindowsNode;
}

/** What a watch goes on from. */
export interface WatchStart {
  /** Every node read so far, Linux ones too: a node is judged against the others. */
  readonly described: readonly WindowsNode[];
  readonly resourceVersion: string;
  readonly serverVersion: string | null;
}

/**
 * Changes of the nodes asked for, for ever. After a watch had to begin anew, only what differs from what was known
 * is reported, and nodes that are gone as DELETED.
 */
export async function* watchNodes(options: ListNodesOptions, cluster: ClusterReader, start: WatchStart): AsyncGenerator<NodeChange, void> {
  const known = new KnownNodes(start.described, { asOf: options.describe.asOf, complete: isComplete(options, cluster) });
  const context = { ...options.describe, serverVersion: start.serverVersion };
  const fieldSelector = options.names[0] === undefined ? options.fieldSelector : `metadata.name=${options.names[0]}`;
  const { labelSelector, signal } = options;
  for await (const event of cluster.watch(NODES, { labelSelector, fieldSelector, signal, resourceVersion: start.resourceVersion })) {
    const changes = event.type === 'RELISTED' ? relisted(event.objects, known, context) : [known.take(event.type, describeNode(event.object, context))];
    // judged after all of them are known, so that a new list costs one look at the cluster and not one per node
    for (const { type, node } of changes) {
      const judged = known.judge(node);
      if (isAskedFor(judged, options)) yield { type, node: judged };
    }
  }
}

function relisted(objects: readonly KubeObject[], known: KnownNodes, context: DescribeNodeContext): readonly NodeChange[] {
  const names = new Set(objects.map(nameOf));
  const gone = known.nodes().filter((node) => !names.has(node.name)).map((node) => known.take('DELETED', node));
  const others = objects.flatMap((object): NodeChange[] => {
    const before = known.get(nameOf(object));
    if (before !== undefined && before.resourceVersion !== null && before.resourceVersion === stringAt(object, 'metadata', 'resourceVersion')) return [];
    return [known.take(before === undefined ? 'ADDED' : 'MODIFIED', describeNode(object, context))];
  });
  return [...gone, ...others];
}

/** The nodes as described last, and what follows from them for each other; that is reckoned anew only when it can have changed, which heartbeats cannot do. */
class KnownNodes {
  readonly #nodes: Map<string, WindowsNode>;
  readonly #options: ClusterFactsOptions;
  #facts: ClusterFacts | null = null;

  constructor(described: readonly WindowsNode[], options: ClusterFactsOptions) {
    this.#nodes = new Map(described.map((node) => [node.name, node]));
    this.#options = options;
  }

  nodes(): readonly WindowsNode[] {
    return [...this.#nodes.values()];
  }

  get(name: string): WindowsNode | undefined {
    return this.#nodes.get(name);
  }

  take(type: NodeChange['type'], node: WindowsNode): NodeChange {
    const before = this.#nodes.get(node.name);
    if (type === 'DELETED' || before === undefined || factsKey(before) !== factsKey(node)) this.#facts = null;
    if (type === 'DELETED') this.#nodes.delete(node.name);
    else this.#nodes.set(node.name, node);
    return { type, node };
  }

  judge(node: WindowsNode): WindowsNode {
    this.#facts ??= clusterFacts(this.nodes(), this.#options);
    return judgeBesideOthers(node, this.#facts);
  }
}
