import { defineWorkloadRule } from '../../rule.ts';
import { SAMPLE_CLUSTER, sampleWorkload } from '../../samples.ts';
import { requiredNodeAffinityOf } from '../../../scheduling/node-affinity.ts';
import { arrayAt, isRecord, stringAt } from '../../../kubernetes/object.ts';
import { nodeNames } from '../../../node/node-names.ts';
import { namesText } from './shared-placement.ts';

const agent = (toleration: readonly string[], nodeSelector: string | null = null): string => (
  sampleWorkload('DaemonSet', { name: 'agent', osName: null, nodeSelector, spec: ['tolerations:', ...toleration], image: 'registry.example.com/monitoring/agent:2.9.0', resources: '' })
);
const EVERYTHING = ['- operator: Exists'];

/** A DaemonSet for Linux that goes to every node, Windows nodes with any taint included. */
export const daemonSetToleratesEverything = defineWorkloadRule({
  id: 'daemon-set-tolerates-everything',
  facts: ['SCH-004', 'C5', 'C6'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'linux',
  summary: 'DaemonSet that tolerates every taint and selects no OS',
  rationale: 'A toleration with the operator Exists and no key passes every taint, also the one that keeps Linux pods off Windows nodes. The DaemonSet puts a pod on each Windows node, which never starts, and its rollout waits for it.',
  remediation: 'Set nodeSelector kubernetes.io/os to linux in the pod template.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations',
  asOf: '2026-11-30',
  messages: {
    landing: 'the DaemonSet tolerates every taint and selects no OS: it puts pods on the Windows nodes {nodes}',
    anywhere: 'the DaemonSet tolerates every taint and selects no node: it puts a pod on each Windows node that the cluster has',
  },
  samples: {
    bad: [
      { yaml: agent(EVERYTHING), cluster: SAMPLE_CLUSTER, path: 'spec.template.spec.tolerations[0]' },
      { yaml: agent(EVERYTHING), path: 'spec.template.spec.tolerations[0]', severity: 'info' },
    ],
    good: [
      { yaml: agent(EVERYTHING, 'kubernetes.io/os: linux'), cluster: SAMPLE_CLUSTER },
      { yaml: agent(['- operator: Exists', '  key: node-role.kubernetes.io/control-plane']), cluster: SAMPLE_CLUSTER },
    ],
  },
  * check({ workload, os, placement }, { areNodesAssumed }) {
    const { object, spec, specPath } = workload;
    if (object.kind !== 'DaemonSet' || os.pinned !== null) return;
    const index = arrayAt(spec, 'tolerations').findIndex((toleration) => {
      const effect = stringAt(toleration, 'effect') ?? '';
      return isRecord(toleration) && (stringAt(toleration, 'key') ?? '') === '' && stringAt(toleration, 'operator') === 'Exists' && (effect === '' || effect === 'NoSchedule');
    });
    if (index === -1) return;
    const path = [...specPath, 'tolerations', index];
    const selector = [...specPath, 'nodeSelector', 'kubernetes.io/os'];
    const fix = { title: 'set nodeSelector kubernetes.io/os to linux', edits: [{ op: 'set', path: selector, value: 'linux' }], isSafe: false } as const;
    const confidence = os.os === 'linux' ? 'proven' : 'unknown';
    if (placement === null || areNodesAssumed === true) {
      const selects = requiredNodeAffinityOf(spec, specPath) !== null || (isRecord(spec['nodeSelector']) && Object.values(spec['nodeSelector']).some((value) => value !== null));
      // a cluster without Windows nodes is none the worse for it
      if (!selects && stringAt(spec, 'nodeName') === undefined) yield { messageId: 'anywhere', severity: 'info', path, confidence, fix };
      return;
    }
    const nodes = nodeNames(placement.windowsCandidates);
    if (nodes.length > 0) yield { messageId: 'landing', data: { nodes: namesText(nodes) }, path, nodes, confidence, fix };
  },
});
