import { SERVER_RELEASES } from '../../windows/releases.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** A build that this version of the program does not know. */
export const buildNotInTable = {
  id: 'build-not-in-table',
  facts: [],
  severity: 'info',
  reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info',
  check({ node }) {
    if (node.build === null || node.product !== null) return null;
    const newest = SERVER_RELEASES.at(-1)?.build ?? 0;
    return {
      message: `build ${node.build} is ${node.build > newest ? 'newer than' : 'not among'} the releases that this version of kubectl win knows, so its support dates are unknown`,
      remedy: 'update kubectl win',
    };
  },
} as const satisfies NodeIssueKind;
