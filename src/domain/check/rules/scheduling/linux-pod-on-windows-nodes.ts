import type { CheckFacts } from '../../facts.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { OPEN_CLUSTER, SAMPLE_CLUSTER, samplePod } from '../../samples.ts';
import { tolerationsOf } from '../../../scheduling/taint-toleration.ts';
import type { Workload } from '../../../workload/workload.ts';
import { nodeNames } from '../../../node/node-names.ts';
import { namesText } from './shared-placement.ts';

/** A pod for Linux, or for no OS that anything tells, can land on a Windows node. */
export const linuxPodOnWindowsNodes = defineWorkloadRule({
  id: 'linux-pod-on-windows-nodes',
  facts: ['SCH-003', 'C5'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'linux',
  summary: 'Linux pod that can land on Windows nodes',
  rationale: 'A Windows node without a taint looks like any other node to the scheduler. A Linux pod there fails with "no match for platform in manifest", or, on kubelets before 1.31, hangs in ContainerCreating with "chown … not supported by windows". spec.os.name does not help: the scheduler does not look at it.',
  remediation: 'Set nodeSelector kubernetes.io/os to linux, or taint the Windows nodes.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations',
  asOf: '2026-11-30',
  messages: {
    linux: 'the pod is for Linux, but it can land on the Windows nodes {nodes}',
    unknown: 'nothing says that the pod is for Windows, but it can land on the Windows nodes {nodes}',
  },
  samples: {
    bad: [
      { yaml: samplePod({ osName: null, nodeSelector: null, image: 'registry.example.com/shop/cart:3.4.1' }), cluster: OPEN_CLUSTER, path: 'spec.nodeSelector[kubernetes.io/os]' },
      { yaml: samplePod({ osName: 'linux', nodeSelector: null, image: 'registry.example.com/shop/cart:3.4.1' }), cluster: OPEN_CLUSTER },
    ],
    good: [
      { yaml: samplePod({ osName: 'linux', nodeSelector: 'kubernetes.io/os: linux', image: 'registry.example.com/shop/cart:3.4.1' }), cluster: OPEN_CLUSTER },
      { yaml: samplePod({ osName: null, nodeSelector: null, image: 'registry.example.com/shop/cart:3.4.1' }), cluster: SAMPLE_CLUSTER },
    ],
  },
  * check({ workload, os, placement }, facts) {
    if (os.pinned !== null || hasWindowsVariants(workload, facts)) return;
    if (placement === null || facts.areNodesAssumed === true) {
      yield { notEvaluated: 'nodes', about: 'whether the pod can land on Windows nodes' };
      return;
    }
    const nodes = nodeNames(placement.windowsCandidates);
    if (nodes.length === 0 || toleratesEverywhere(workload)) return;
    const path = [...workload.specPath, 'nodeSelector', 'kubernetes.io/os'];
    const evidence = os.evidence.filter((one) => one.os === 'linux').map(({ text }) => text);
    yield {
      messageId: os.os === 'linux' && evidence.length > 0 ? 'linux' : 'unknown', data: { nodes: namesText(nodes) }, path, nodes, ...(os.os === 'linux' ? { evidence } : {}),
      confidence: os.os === 'linux' ? 'proven' : 'unknown',
      fix: { title: 'set nodeSelector kubernetes.io/os to linux', edits: [{ op: 'set', path, value: 'linux' }], isSafe: false },
    };
  },
});

/** DaemonSets with a blanket toleration are told of by daemon-set-tolerates-everything. */
function toleratesEverywhere({ object, spec }: Workload): boolean {
  return object.kind === 'DaemonSet' && tolerationsOf(spec).some(({ key, operator, effect }) => key === '' && operator === 'Exists' && (effect === '' || effect === 'NoSchedule'));
}

/** Whether all images are known to have variants for Windows, so that the pod may well be for both. */
function hasWindowsVariants({ containers }: Workload, { images }: CheckFacts): boolean {
  return containers.length > 0 && containers.every(({ image }) => image !== null && images.platformsOf(image).platforms.some(({ os }) => os === 'windows'));
}
