import { buildText } from '../build-text.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

const SERVER_2016_BUILD = 14393;

/** Windows Server 2016 compares the fourth number of image and host too. */
export const revisionBound = {
  id: 'revision-bound',
  facts: [],
  severity: 'info',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
  check({ node }) {
    if (node.build !== SERVER_2016_BUILD || node.channel === 'client') return null;
    return { message: `on Windows Server 2016 only images of the host's own revision are sure to start: ${node.revision === null ? 'the revision is not known' : `those of ${buildText(node)}`}`, remedy: 'rebuild images with each update of the node, or move to Windows Server 2022 or newer' };
  },
} as const satisfies NodeIssueKind;
