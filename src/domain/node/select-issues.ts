import type { NodeIssue, Severity } from './windows-node.ts';

/** Words for the issues that people act on together; each stands for numbers of the rule catalogue. */
export const ISSUE_CLASSES = {
  eol: ['NOD-001', 'NOD-002'],
  runtime: ['NOD-003'],
  skew: ['NOD-004'],
  taint: ['NOD-005'],
  patch: ['NOD-006'],
  label: ['NOD-008'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const SEVERITIES = ['error', 'warning', 'info'] as const satisfies readonly Severity[];

/** A test for issues, made of words by parseIssueSelector. */
export type IssueSelector = (issue: NodeIssue) => boolean;

/**
 * Reads words such as `eol`, `warning` (that severity and worse), `NOD-005` or an issue's id; any one of them selects.
 * Returns the words it does not know instead, so that the caller can name them.
 */
export function parseIssueSelector(words: readonly string[], knownIds: readonly string[]): { readonly selects: IssueSelector } | { readonly unknown: readonly string[] } {
  const tests: IssueSelector[] = [];
  const unknown: string[] = [];
  for (const word of words) {
    const test = parseWord(word, knownIds);
    if (test === null) unknown.push(word);
    else tests.push(test);
  }
  return unknown.length > 0 ? { unknown } : { selects: (issue) => tests.some((test) => test(issue)) };
}

/** Every word that parseIssueSelector takes besides the numbers, for help and error texts. */
export function issueSelectorWords(knownIds: readonly string[]): readonly string[] {
  return [...SEVERITIES, ...Object.keys(ISSUE_CLASSES), ...knownIds];
}

function parseWord(word: string, knownIds: readonly string[]): IssueSelector | null {
  const severity = SEVERITIES.indexOf(word as Severity); // -1 for a word that is no severity
  if (severity >= 0) return (issue) => SEVERITIES.indexOf(issue.severity) <= severity;
  const facts = Object.entries(ISSUE_CLASSES).find(([name]) => name === word)?.[1] ?? (/^NOD-\d{3}$/.test(word) ? [word] : undefined);
  if (facts !== undefined) return (issue) => issue.facts.some((fact) => facts.includes(fact as never)); // the table's literals are narrower than any fact
  return knownIds.includes(word) ? (issue) => issue.id === word : null;
}
