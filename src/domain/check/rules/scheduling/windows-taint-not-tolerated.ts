import { defineWorkloadRule } from '../../rule.ts';
import { OPEN_CLUSTER, SAMPLE_CLUSTER, TOLERATING, samplePod } from '../../samples.ts';
import type { NodeTaint } from '../../../node/windows-node.ts';
import { taintText } from '../../../scheduling/taint-toleration.ts';
import { isKeptOffForEver, namesText, nodesBehindTaints } from './shared-placement.ts';

/** All Windows nodes that could take the pod carry a taint that it does not tolerate. */
export const windowsTaintNotTolerated = defineWorkloadRule({
  id: 'windows-taint-not-tolerated',
  facts: ['SCH-002', 'C6'],
  severity: 'warning',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Windows pod without a toleration for the taint of the Windows nodes',
  rationale: 'A taint with the effect NoSchedule or NoExecute keeps off all pods without a toleration of the same key, value and effect; both are compared letter by letter, so that OS=Windows does not meet os=windows. The pod stays Pending with "node(s) had untolerated taint". It is an error where no node that is known can ever take the pod, a warning where one that is full, cordoned or not ready may.',
  remediation: 'Add a toleration for the taint that the nodes carry.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations',
  asOf: '2026-11-30',
  messages: {
    none: 'the pod does not tolerate {taints}, which all Windows nodes carry that could take it ({nodes})',
    some: 'the pods of this DaemonSet do not tolerate {taints}, and so do not reach the Windows nodes {nodes}',
  },
  samples: {
    bad: [
      { yaml: samplePod(), cluster: SAMPLE_CLUSTER, path: 'spec.tolerations', severity: 'error' },
      { yaml: samplePod({ spec: TOLERATING.replace('key: os', 'key: OS').replace('value: windows', 'value: Windows') }), cluster: SAMPLE_CLUSTER, path: 'spec.tolerations', severity: 'error' },
    ],
    good: [{ yaml: samplePod({ spec: TOLERATING }), cluster: SAMPLE_CLUSTER }, { yaml: samplePod(), cluster: OPEN_CLUSTER }],
  },
  * check(subject, facts) {
    const { workload, placement, os } = subject;
    if (os.os !== 'windows') return;
    if (placement === null || facts.areNodesAssumed === true) {
      yield { notEvaluated: 'nodes', about: 'whether the pod tolerates the taints of the Windows nodes' };
      return;
    }
    const isDaemonSet = workload.object.kind === 'DaemonSet';
    if (placement.windowsCandidates.length > 0 && !isDaemonSet) return;
    const behind = nodesBehindTaints(subject, facts);
    if (behind.length === 0) return;
    const taints = new Map(behind.flatMap((one) => one.taints).map((taint) => [taintText(taint), taint]));
    const nodes = behind.map(({ node }) => node.name);
    const path = [...workload.specPath, 'tolerations'];
    yield {
      messageId: placement.windowsCandidates.length > 0 ? 'some' : 'none',
      ...(placement.windowsCandidates.length > 0 ? { severity: 'info', effect: 'advice' } : isKeptOffForEver(subject, behind, facts) ? { severity: 'error' } : {}),
      data: { taints: `the ${taints.size === 1 ? 'taint' : 'taints'} ${[...taints.keys()].join(', ')}`, nodes: namesText(nodes) },
      path, nodes,
      fix: { title: `tolerate ${[...taints.keys()].join(', ')}`, edits: [...taints.values()].map((taint) => ({ op: 'append', path, value: tolerationFor(taint) })), isSafe: false },
    };
  },
});

function tolerationFor({ key, value, effect }: NodeTaint): Readonly<Record<string, string>> {
  return value === null || value === '' ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect };
}
