import { defineClusterRule } from '../../rule.ts';
import { OPEN_CLUSTER, SAMPLE_CLUSTER, sampleList, samplePod } from '../../samples.ts';
import { isIsolating } from '../../../node/node-issues/no-isolating-taint.ts';
import { namesText } from '../scheduling/shared-placement.ts';
import { workloadsText } from '../network/shared-selected-workloads.ts';
import { nodeRef } from './shared-node-ref.ts';

const ANYWHERE = samplePod({ osName: null, nodeSelector: null, image: 'registry.example.com/shop/cart:3.4.1' });

/** Windows nodes without a taint, in a cluster with workloads that nothing keeps off them. */
export const openWindowsNodes = defineClusterRule({
  id: 'open-windows-nodes',
  facts: ['C58', 'NOD-005'],
  // each workload has a finding of its own, linux-pod-on-windows-nodes
  severity: 'info',
  effect: 'advice',
  needs: ['nodes', 'workloads'],
  summary: 'Windows nodes without a taint beside Linux workloads without a selector',
  rationale: 'Manifests for Linux seldom select an OS, and charts of others cannot always be changed. A taint on the Windows nodes keeps all of them off at once; the few Windows workloads tolerate it.',
  remediation: 'Taint the Windows nodes with os=windows:NoSchedule in the settings of their pool, after giving the Windows workloads and the DaemonSets of agents the toleration.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#taints-and-tolerations',
  asOf: '2026-11-30',
  messages: { open: '{count} Windows {nodes} without a taint, and {workloads} that nothing keeps off ({names})' },
  samples: {
    // the workload belongs to the cluster here, so that its own finding does not stand beside
    bad: [{ yaml: samplePod(), cluster: sampleList(OPEN_CLUSTER, ANYWHERE), path: 'spec.taints' }],
    good: [{ yaml: ANYWHERE, cluster: SAMPLE_CLUSTER }],
  },
  * check({ nodes, areNodesAssumed, workloads }) {
    if (areNodesAssumed === true) return;
    const open = [...nodes?.values() ?? []].filter(({ os, taints }) => os === 'windows' && !taints.some(isIsolating)).map(({ name }) => name);
    const [first] = open;
    if (first === undefined) return;
    const names = new Set(open);
    const stray = [...workloads?.values() ?? []].filter(({ os, windowsNodes }) => (os === 'linux' || os === 'either') && (windowsNodes ?? []).some((name) => names.has(name)));
    if (stray.length === 0) return;
    yield {
      messageId: 'open', object: nodeRef(first), path: ['spec', 'taints'], nodes: open,
      data: { count: open.length, nodes: open.length === 1 ? `node (${first}) is` : `nodes (${namesText(open)}) are`, workloads: stray.length === 1 ? 'one workload' : `${stray.length} workloads`, names: workloadsText(stray) },
    };
  },
});
