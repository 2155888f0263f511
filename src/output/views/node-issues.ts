import { compareSeverity } from '../../domain/severity.ts';
import type { NodeIssue, WindowsNode } from '../../domain/node/windows-node.ts';

/** One kind of issue over all nodes that have it. */
export interface IssueGroup {
  /** Of the first node that has it; its message names that node's values. */
  readonly issue: NodeIssue;
  /** Every page that one of the messages rests on. */
  readonly references: readonly string[];
  readonly nodes: readonly string[];
  /** Different messages, each with its nodes, in the order of the nodes. */
  readonly messages: readonly { readonly message: string; readonly nodes: readonly string[] }[];
}

/** Issues of one id, severity and remedy (a provider has its own), worst first, then by how many nodes have them. */
export function groupIssues(nodes: readonly WindowsNode[]): readonly IssueGroup[] {
  const groups = new Map<string, { issue: NodeIssue; references: Set<string>; nodes: string[]; messages: Map<string, string[]> }>();
  for (const node of nodes) {
    for (const issue of node.issues) {
      const key = JSON.stringify([issue.id, issue.severity, issue.remedy]);
      const group = groups.get(key) ?? { issue, references: new Set<string>(), nodes: [], messages: new Map<string, string[]>() };
      groups.set(key, group);
      group.nodes.push(node.name);
      group.references.add(issue.reference);
      group.messages.set(issue.message, [...(group.messages.get(issue.message) ?? []), node.name]);
    }
  }
  return [...groups.values()]
    .toSorted((a, b) => compareSeverity(a.issue, b.issue) || b.nodes.length - a.nodes.length)
    .map(({ issue, references, nodes: names, messages }) => ({ issue, references: [...references], nodes: names, messages: [...messages].map(([message, of]) => ({ message, nodes: of })) }));
}

/** What `nodes --show-issues` prints: a boxed row per kind of issue, and below the box the links, whole, so that they can be opened. */
export interface IssueExplanation {
  readonly headers: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** `[1] https://…`, one line each, in the order of their first use. */
  readonly references: readonly string[];
}

/** Explains issues: severity and id, where, what is wrong, what to do, and where that is written. */
export function explainIssues(groups: readonly IssueGroup[]): IssueExplanation {
  const links = [...new Set(groups.flatMap(({ references }) => references))];
  return {
    headers: ['ISSUE', 'NODES', 'WHAT AND WHAT TO DO'],
    rows: groups.map(({ issue, nodes, messages, references }) => [
      [issue.severity, issue.id, ...issue.facts].join('\n'),
      someOf(nodes, 4).join('\n'),
      [
        ...messages.slice(0, 4).map(({ message, nodes: names }) => (messages.length === 1 ? message : `${someOf(names, 2).join(', ')}: ${message}`)),
        ...(messages.length > 4 ? [`(and ${messages.length - 4} more like these; -o json has them all)`] : []),
        `→ ${issue.remedy} ${references.map((link) => `[${links.indexOf(link) + 1}]`).join('')}`,
      ].join('\n'),
    ]),
    references: links.map((link, index) => `[${index + 1}] ${link}`),
  };
}

function someOf(names: readonly string[], most: number): readonly string[] {
  return [...names.slice(0, most), ...(names.length > most ? [`+${names.length - most} more`] : [])];
}
