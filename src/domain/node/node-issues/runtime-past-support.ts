import { CONTAINERD_LIFECYCLES, containerdLine } from '../../windows/containerd.ts';
import { ownValue } from '../../kubernetes/object.ts';
import { daysUntil, isoDay } from '../../windows/support-dates.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';
import { providerName } from './provider-limit.ts';

/** Providers whose node images bring the runtime: the operator cannot change it, and the provider patches it by itself. */
const MANAGED = ['aks', 'eks', 'gke', 'openshift'];

/** containerd's own maintainers support the node's line no more. */
export const runtimePastSupport = {
  id: 'runtime-past-support',
  facts: ['NOD-003'],
  severity: 'warning',
  reference: 'https://github.com/containerd/containerd/blob/main/RELEASES.md',
  check({ node, containerd, asOf, overrides }) {
    const end = node.containerRuntime?.supportEnd ?? null;
    if (containerd === null || end === null || daysUntil(end, asOf) >= 0) return null;
    const line = containerdLine(containerd);
    const by = ownValue(overrides.containerd, line) === undefined ? '' : ' by the configuration';
    const message = `containerd ${node.containerRuntime?.version}: line ${line} reached its end of life on ${end}${by}`;
    if (node.provider !== null && MANAGED.includes(node.provider)) {
      return { severity: 'info', message, remedy: `${providerName(node.provider)} maintains the runtime of its nodes; watch for a newer node image` };
    }
    return { message, remedy: `upgrade the node image or containerd to a supported line${supportedLines(asOf)}, or set the date your vendor gives in the configuration` };
  },
} as const satisfies NodeIssueKind;

/** ` (2.4 until 2027-05-16, 2.3 until 2028-04-30)`, newest first; empty on a day that the table knows no supported line for. */
function supportedLines(asOf: Date): string {
  const today = isoDay(asOf);
  const lines = CONTAINERD_LIFECYCLES.filter((row) => row.released <= today && row.end >= today).toReversed();
  return lines.length === 0 ? '' : ` (${lines.map((row) => `${row.line} until ${row.end}`).join(', ')})`;
}
