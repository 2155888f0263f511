import type { NodeIssueKind } from './node-issue-kind.ts';

/** An evaluation edition runs out. */
export const evaluationEdition = {
  id: 'evaluation-edition',
  facts: [],
  severity: 'warning',
  reference: 'https://learn.microsoft.com/windows-server/get-started/upgrade-conversion-options',
  check({ node }) {
    if (node.edition === null || !/\bevaluation\b/i.test(node.edition)) return null;
    return { message: `the edition is ${node.edition}, which runs out 180 days after its installation`, remedy: 'convert it to a licensed edition (dism /online /set-edition), or replace the node before it runs out' };
  },
} as const satisfies NodeIssueKind;
