import { nameOf, stringAt } from '../domain/kubernetes/object.ts';
import { NODES } from '../domain/kubernetes/resource.ts';
import { describeNode } from '../domain/node/describe-node.ts';
import { judgeCluster } from '../domain/node/judge-cluster.ts';
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
  const known = new Map(start.described.map((node) => [node.name, node]));
  const context = { ...options.describe, serverVersion: start.serverVersion };
  const fieldSelector = options.names[0] === undefined ? options.fieldSelector : `metadata.name=${options.names[0]}`;
  const complete = isComplete(options, cluster);
  const change = (type: NodeChange['type'], described: WindowsNode): NodeChange[] => {
    if (type === 'DELETED') known.delete(described.name);
    else known.set(described.name, described);
    const judged = type === 'DELETED' ? described : judgeCluster([...known.values()], { asOf: options.describe.asOf, complete }).find((node) => node.name === described.name) ?? described;
    return isAskedFor(judged, options) ? [{ type, node: judged }] : [];
  };
  const { labelSelector, signal } = options;
  for await (const event of cluster.watch(NODES, { labelSelector, fieldSelector, signal, resourceVersion: start.resourceVersion })) {
    if (event.type !== 'RELISTED') {
      yield* change(event.type, describeNode(event.object, context));
      continue;
    }
    const names = new Set(event.objects.map(nameOf));
    const gone = [...known.values()].filter((node) => !names.has(node.name));
    for (const node of gone) yield* change('DELETED', node);
    for (const object of event.objects) {
      const before = known.get(nameOf(object));
      if (before !== undefined && before.resourceVersion !== null && before.resourceVersion === stringAt(object, 'metadata', 'resourceVersion')) continue;
      yield* change(before === undefined ? 'ADDED' : 'MODIFIED', describeNode(object, context));
    }
  }
}
