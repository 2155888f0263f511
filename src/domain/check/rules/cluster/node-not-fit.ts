import { defineClusterRule } from '../../rule.ts';
import { SAMPLE_CLUSTER, TAINTED, TOLERATING, sampleList, sampleNode, samplePod } from '../../samples.ts';
import type { NodeIssue } from '../../../node/windows-node.ts';
import { nodeRef } from './shared-node-ref.ts';

/** Issues that other rules tell of beside what they lead to, or that are about the nodes alone. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(['no-isolating-taint', 'no-linux-node']);

/** What `kubectl win nodes` warns of, where it decides over the pods of a cluster. */
export const nodeNotFit = defineClusterRule({
  id: 'node-not-fit',
  facts: ['C60', 'NOD-001', 'NOD-002', 'NOD-003', 'NOD-004'],
  severity: 'warning',
  effect: 'may-fail',
  needs: ['nodes'],
  summary: 'Windows node with a fault that concerns its pods',
  rationale: 'A kubelet outside of the version skew, a containerd without support or one that matches images by their exact build, Docker as the runtime, a Windows that the provider no longer takes: workloads that are right by themselves fail on such nodes.',
  remediation: 'Do what the finding says; kubectl win nodes shows each node with all that is to be said of it.',
  reference: 'https://kubernetes.io/releases/version-skew-policy/#kubelet',
  asOf: '2026-11-30',
  messages: { one: '{message}', many: '{message} (on {count} nodes)', similar: '{message} (similar on {count} nodes)' },
  samples: {
    bad: [{ yaml: samplePod({ spec: TOLERATING }), cluster: sampleList(sampleNode({ os: 'linux' }), sampleNode({ taints: TAINTED }).replace('containerd://2.3.4', 'containerd://1.6.8')) }],
    good: [{ yaml: samplePod({ spec: TOLERATING }), cluster: SAMPLE_CLUSTER }],
  },
  * check({ nodes, areNodesAssumed }) {
    if (areNodesAssumed === true) return;
    const byKind = new Map<string, { readonly issue: NodeIssue; readonly names: string[]; isSame: boolean }>();
    for (const { name, os, ready, issues } of nodes?.values() ?? []) {
      if (os !== 'windows') continue;
      for (const issue of issues) {
        // a manifest of a node reports no condition at all
        if (issue.severity === 'info' || TOLD_ELSEWHERE.has(issue.id) || (issue.id === 'not-ready' && ready === null)) continue;
        const known = byKind.get(`${issue.id}/${issue.severity}`);
        if (known === undefined) byKind.set(`${issue.id}/${issue.severity}`, { issue, names: [name], isSame: true });
        else {
          known.names.push(name);
          known.isSame &&= known.issue.message === issue.message;
        }
      }
    }
    for (const { issue, names, isSame } of byKind.values()) {
      const [first = ''] = names;
      yield {
        messageId: names.length === 1 ? 'one' : isSame ? 'many' : 'similar', data: { message: issue.message, count: names.length },
        object: nodeRef(first), path: ['metadata', 'name'], nodes: names,
        severity: issue.severity, facts: issue.facts.length === 0 ? ['C60'] : issue.facts,
        remediation: sentence(issue.remedy), reference: issue.reference,
      };
    }
  },
});

/** Remedies of nodes begin in lower case and have no full stop; those of findings do and have. */
function sentence(remedy: string): string {
  return `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`;
}
