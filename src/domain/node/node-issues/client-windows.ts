import type { NodeIssueKind } from './node-issue-kind.ts';

/** Windows 10 or 11 as a node. */
export const clientWindows = {
  id: 'client-windows',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#windows-os-version-support',
  check({ node }) {
    if (node.channel !== 'client') return null;
    // https://github.com/microsoft/hcsshim/issues/2566, read 2026-11-30
    const known = node.build !== null && node.build > 26100 ? '; ltsc2025 images are known to fail there with 0xc0370112' : '';
    return { message: `${node.product} is a client: untested and unsupported as a Kubernetes node${known}`, remedy: 'use Windows Server for anything but development' };
  },
} as const satisfies NodeIssueKind;
