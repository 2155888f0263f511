/** The nodes of an inventory, prepared so that thousands of pods can be held against thousands of them. */
import type { FactTable } from '../kubernetes/fact-table.ts';
import { ownValue } from '../kubernetes/object.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import { amountOf, roundUp } from './pod-requests.ts';

export interface NodeIndex {
  readonly nodes: readonly WindowsNode[];
  /** One node for each class: nodes of a class differ in names, resources and individual labels alone. */
  readonly representatives: readonly WindowsNode[];
  /** Class of each node, as a place in `representatives`. */
  readonly classes: readonly number[];
  /** Labels with a value of its own on most nodes, such as the host name. */
  readonly individualLabels: ReadonlySet<string>;
  /** Whether a node reports no allocatable resources at all: its room is not known, and nothing follows from that. */
  readonly hasUnknownRoom: boolean;
  /** Allocatable of a resource by node, in the unit of requests: 0 where the node does not have it, Infinity where its room is not known. */
  allocatable(resource: string): Float64Array;
}

/** More values than pools, zones and machine types have. */
const MANY_VALUES = 100;

export function indexNodes(table: FactTable<WindowsNode>): NodeIndex {
  const nodes = [...table.values()];
  const individualLabels = labelsWithManyValues(nodes);
  const byKind = new Map<string, number>();
  const representatives: WindowsNode[] = [];
  const classes = nodes.map((node) => {
    const kind = JSON.stringify([Object.entries(node.labels).filter(([key]) => !individualLabels.has(key)).toSorted(([one], [other]) => (one < other ? -1 : 1)), node.taints, node.unschedulable]);
    const known = byKind.get(kind);
    if (known !== undefined) return known;
    byKind.set(kind, representatives.length);
    representatives.push(node);
    return representatives.length - 1;
  });
  const columns = new Map<string, Float64Array>();
  return {
    nodes, representatives, classes, individualLabels, hasUnknownRoom: nodes.some((node) => !hasKnownRoom(node)),
    allocatable(resource) {
      const column = columns.get(resource) ?? columnOf(nodes, resource);
      columns.set(resource, column);
      return column;
    },
  };
}

/** Whether the node says what it has room for. */
export function hasKnownRoom(node: WindowsNode): boolean {
  return Object.keys(node.allocatable).length > 0;
}

function labelsWithManyValues(nodes: readonly WindowsNode[]): ReadonlySet<string> {
  const values = new Map<string, Set<string>>();
  for (const { labels } of nodes) {
    for (const [key, value] of Object.entries(labels)) {
      const seen = values.get(key) ?? new Set();
      values.set(key, seen);
      if (seen.size <= MANY_VALUES) seen.add(value);
    }
  }
  return new Set([...values].flatMap(([key, seen]) => (seen.size > MANY_VALUES ? [key] : [])));
}

function columnOf(nodes: readonly WindowsNode[], resource: string): Float64Array {
  const parsed = new Map<string, number>();
  return Float64Array.from(nodes, (node) => {
    const quantity = ownValue(node.allocatable, resource);
    if (quantity === undefined) return hasKnownRoom(node) ? 0 : Infinity;
    const known = parsed.get(quantity) ?? roundUp(amountOf(resource, quantity) ?? 0);
    parsed.set(quantity, known);
    return known;
  });
}
