import { SEVERITIES, type Severity } from '../severity.ts';
import type { NodeIssue, WindowsNode } from './windows-node.ts';

interface IssueClass {
  /** Ids of the issues that people act on together. */
  readonly ids: readonly string[];
  /** Whether the node does not say enough to be judged in this regard; absent = it always does. */
  readonly isUnjudged?: (node: WindowsNode) => boolean;
}

/** Limits of providers depend on the version of the API server. */
function isServerUnknown(node: WindowsNode): boolean {
  return node.issues.some(({ id }) => id === 'kubelet-skew-unknown');
}

/** Words for issues that people act on together. `eol` is over; what only nears its end is `ending`. */
export const ISSUE_CLASSES = {
  eol: { ids: ['provider-limit', 'past-support'], isUnjudged: (node) => node.release === null || (node.provider !== null && isServerUnknown(node)) },
  ending: { ids: ['support-ending'], isUnjudged: (node) => node.release === null },
  runtime: { ids: ['runtime-exact-match', 'runtime-past-support', 'runtime-docker', 'runtime-too-old'], isUnjudged: (node) => node.containerRuntime === null },
  skew: { ids: ['kubelet-skew'], isUnjudged: isServerUnknown },
  taint: { ids: ['no-isolating-taint'] },
  patch: { ids: ['patch-behind'], isUnjudged: (node) => node.patch.monthsBehind === null },
  label: { ids: ['build-label-missing', 'build-label-differs'] },
} as const satisfies Readonly<Record<string, IssueClass>>;

/** Issues that exist: their ids and the numbers of the rule catalogue. */
export interface KnownIssues {
  readonly ids: readonly string[];
  readonly facts: readonly string[];
}

/** What words such as `--fail-on eol,patch` select. */
export interface IssueSelector {
  readonly selects: (issue: NodeIssue) => boolean;
  /** Words of which this node does not say enough to be judged; "not evaluated" must not read as passed. */
  readonly unjudged: (node: WindowsNode) => readonly string[];
}

interface WordTest {
  readonly word: string;
  readonly selects: (issue: NodeIssue) => boolean;
  readonly isUnjudged: (node: WindowsNode) => boolean;
}

/**
 * Reads words such as `eol`, `warning` (that severity and worse), `NOD-005` or an issue's id; any one of them selects.
 * Returns the words it does not know instead, so that the caller can name them.
 */
export function parseIssueSelector(words: readonly string[], known: KnownIssues): IssueSelector | { readonly unknown: readonly string[] } {
  const tests: WordTest[] = [];
  const unknown: string[] = [];
  for (const word of words) {
    const test = parseWord(word, known);
    if (test === null) unknown.push(word);
    else tests.push(test);
  }
  if (unknown.length > 0) return { unknown };
  return {
    selects: (issue) => tests.some((test) => test.selects(issue)),
    unjudged: (node) => (node.os === 'windows' ? tests.filter((test) => test.isUnjudged(node)).map(({ word }) => word) : []),
  };
}

/** Every word that parseIssueSelector takes besides the numbers, for help and error texts. */
export function issueSelectorWords({ ids }: KnownIssues): readonly string[] {
  return [...SEVERITIES, ...Object.keys(ISSUE_CLASSES), ...ids];
}

function parseWord(word: string, { ids, facts }: KnownIssues): WordTest | null {
  const always = (): boolean => false;
  const severity = SEVERITIES.indexOf(word as Severity); // -1 for a word that is no severity
  if (severity >= 0) return { word, selects: (issue) => SEVERITIES.indexOf(issue.severity) <= severity, isUnjudged: always };
  const known = Object.entries<IssueClass>(ISSUE_CLASSES).find(([name]) => name === word)?.[1];
  if (known !== undefined) return { word, selects: (issue) => known.ids.includes(issue.id), isUnjudged: known.isUnjudged ?? always };
  const number = word.toUpperCase();
  if (facts.includes(number)) return { word: number, selects: (issue) => issue.facts.includes(number), isUnjudged: always };
  if (!ids.includes(word)) return null;
  const classOfId = Object.values<IssueClass>(ISSUE_CLASSES).find((one) => one.ids.includes(word));
  return { word, selects: (issue) => issue.id === word, isUnjudged: classOfId?.isUnjudged ?? always };
}
