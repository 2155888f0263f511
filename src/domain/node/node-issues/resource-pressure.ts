import type { NodeIssueKind } from './node-issue-kind.ts';

const PRESSURE = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The kubelet evicts pods or is about to. */
export const resourcePressure = {
  id: 'resource-pressure',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/',
  check({ node }) {
    const pressing = node.conditions.filter((condition) => PRESSURE.includes(condition.type) && condition.status === 'True').map((condition) => condition.type);
    if (pressing.length === 0) return null;
    return { message: `the node reports ${pressing.join(', ')}`, remedy: 'free what is short: remove images and pods, or make the node bigger' };
  },
} as const satisfies NodeIssueKind;
