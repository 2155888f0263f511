import { defineWorkloadRule } from '../../rule.ts';
import { SAMPLE_CLUSTER, TAINTED, TOLERATING, sampleList, sampleNode, samplePod } from '../../samples.ts';
import type { Obstacle } from '../../../scheduling/placement.ts';
import { nodesBehindTaints } from './shared-placement.ts';
import { unmetTerms } from './shared-unmet-selectors.ts';

/** Obstacles that have rules of their own, or that are meant. */
const TOLD_ELSEWHERE: ReadonlySet<Obstacle['kind']> = new Set(['resources', 'scheduling-gate']);
const NODES_SHOWN = 8;

/** Every Windows node is out of the question, each for reasons of its own. */
export const noNodeFits = defineWorkloadRule({
  id: 'no-node-fits',
  facts: ['C7'],
  severity: 'warning',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Windows pod that no Windows node can take',
  rationale: 'Selectors, taints, cordons and room have to be right on one and the same node. Where each node fails on another of them, the pod stays Pending and the event of the scheduler counts the nodes by reason without naming them.',
  remediation: 'Remove what stands in the way on one of the nodes.',
  reference: 'https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/',
  asOf: '2026-11-30',
  messages: { none: 'none of the {count} Windows nodes can take the pod: {reasons}' },
  samples: {
    bad: [{
      yaml: samplePod({ spec: TOLERATING }), path: 'spec',
      cluster: sampleList(sampleNode({ os: 'linux' }), sampleNode({ taints: TAINTED, unschedulable: true }), sampleNode({ name: 'win-1', build: '10.0.26100', taints: TAINTED })),
    }],
    good: [{ yaml: samplePod({ spec: TOLERATING }), cluster: SAMPLE_CLUSTER }],
  },
  * check(subject, facts) {
    const { workload, placement, os } = subject;
    if (os.os !== 'windows' || placement === null || facts.nodes?.isComplete !== true || placement.windowsCandidates.length > 0) return;
    const windows = placement.nodes.filter(({ node }) => node.os === 'windows');
    // a node name binds the pod to one node; a RuntimeClass that is missing or in conflict is runtime-class-unusable's
    if (windows.length === 0 || windows.some(({ obstacles }) => obstacles.length === 0 || obstacles.some(({ kind }) => kind === 'node-name'))) return;
    if (windows.every(({ obstacles }) => obstacles.every(({ kind }) => kind === 'runtime-class'))) return;
    if (windows.some(({ obstacles }) => obstacles.every(({ kind }) => TOLD_ELSEWHERE.has(kind)))) return;
    if (nodesBehindTaints(subject, facts).length > 0 || unmetTerms(subject, facts).length > 0) return;
    const shown = windows.slice(0, NODES_SHOWN).map(({ node, obstacles }) => `${node.name}: ${obstacles.map(({ text }) => text).join('; ')}`);
    const reasons = new Set(windows.map(({ obstacles }) => obstacles[0]?.text ?? ''));
    yield {
      messageId: 'none', data: { count: windows.length, reasons: [...reasons].slice(0, 3).join('; ') }, path: workload.specPath,
      nodes: windows.map(({ node }) => node.name), evidence: shown,
    };
  },
});
