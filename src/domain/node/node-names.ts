import type { WindowsNode } from './windows-node.ts';

const known = new WeakMap<readonly WindowsNode[], readonly string[]>();

/**
 * Names of nodes; one array for one list, which must not change afterwards. Equal placements share their lists, and thousands of
 * workloads and findings in a large cluster would otherwise each hold thousands of names.
 */
export function nodeNames(nodes: readonly WindowsNode[]): readonly string[] {
  let names = known.get(nodes);
  if (names === undefined) known.set(nodes, names = nodes.map(({ name }) => name));
  return names;
}
