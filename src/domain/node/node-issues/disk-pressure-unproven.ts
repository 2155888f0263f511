import type { NodeIssueKind } from './node-issue-kind.ts';

/**
 * A full system disk was reported with DiskPressure False, on Docker and kubelet 1.19
 * (https://github.com/kubernetes/kubernetes/issues/103032, open on 2026-11-30). Nothing of the kind is known of containerd.
 */
export const diskPressureUnproven = {
  id: 'disk-pressure-unproven',
  facts: [],
  severity: 'info',
  reference: 'https://github.com/kubernetes/kubernetes/issues/103032',
  check({ node }) {
    if (node.containerRuntime?.name !== 'docker') return null;
    if (node.conditions.findLast((condition) => condition.type === 'DiskPressure')?.status !== 'False') return null;
    return { message: 'DiskPressure False is no proof of free space here: with Docker it was seen to stay False on a full system disk', remedy: 'watch the free space of C: by other means (windows_exporter, Get-Volume)' };
  },
} as const satisfies NodeIssueKind;
