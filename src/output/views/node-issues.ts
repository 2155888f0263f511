import { bySeverity } from '../../domain/node/order-issues.ts';
import type { NodeIssue, WindowsNode } from '../../domain/node/windows-node.ts';

/** One kind of issue over all nodes that have it. */
export interface IssueGroup {
  /** Of the first node that has it; its message names that node's values. */
  readonly issue: NodeIssue;
  readonly nodes: readonly string[];
  /** Different messages, each with its nodes, in the order of the nodes. */
  readonly messages: readonly { readonly message: string; readonly nodes: readonly string[] }[];
}

/** Issues by id and severity, worst first, then by how many nodes have them. */
export function groupIssues(nodes: readonly WindowsNode[]): readonly IssueGroup[] {
  const groups = new Map<string, { issue: NodeIssue; nodes: string[]; messages: Map<string, string[]> }>();
  for (const node of nodes) {
    for (const issue of node.issues) {
      const key = `${issue.id} ${issue.severity}`;
      const group = groups.get(key) ?? { issue, nodes: [], messages: new Map<string, string[]>() };
      groups.set(key, group);
      group.nodes.push(node.name);
      group.messages.set(issue.message, [...(group.messages.get(issue.message) ?? []), node.name]);
    }
  }
  const found = [...groups.values()].toSorted((a, b) => b.nodes.length - a.nodes.length);
  const order = bySeverity(found.map(({ issue }) => issue));
  return order.map((issue) => {
    const group = found.find((candidate) => candidate.issue === issue);
    return { issue, nodes: group?.nodes ?? [], messages: [...(group?.messages ?? [])].map(([message, names]) => ({ message, nodes: names })) };
  });
}

/** Rows of the explanation that `nodes --show-issues` prints: severity and issue, where, what and what to do. */
export function issueRows(groups: readonly IssueGroup[]): readonly (readonly string[])[] {
  return groups.map(({ issue, nodes, messages }) => [
    `${issue.severity}\n${issue.id}${issue.facts.length === 0 ? '' : `\n${issue.facts.join(' ')}`}`,
    someOf(nodes, 6),
    [
      ...messages.slice(0, 4).map(({ message, nodes: names }) => (messages.length === 1 ? message : `${someOf(names, 3).replaceAll('\n', ', ')}: ${message}`)),
      ...(messages.length > 4 ? [`(and ${messages.length - 4} more like these; -o json has them all)`] : []),
      `→ ${issue.remedy}`,
      issue.reference,
    ].join('\n'),
  ]);
}

function someOf(names: readonly string[], most: number): string {
  return [...names.slice(0, most), ...(names.length > most ? [`+${names.length - most} more`] : [])].join('\n');
}
