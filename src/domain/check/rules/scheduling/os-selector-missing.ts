import { defineWorkloadRule } from '../../rule.ts';
import type { WindowsNode } from '../../../node/windows-node.ts';
import { namesText } from './shared-placement.ts';
import { preferredOsOf } from './shared-preferred-os.ts';
import { samplePod } from './shared-samples.ts';

/** A pod for Windows that the scheduler may place on a Linux node. */
export const osSelectorMissing = defineWorkloadRule({
  id: 'os-selector-missing',
  facts: ['SCH-001'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Windows pod that no selector keeps on Windows nodes',
  rationale: 'The scheduler knows nothing of images and does not look at spec.os.name: without a node selector it places a Windows pod on a Linux node, where the kubelet refuses it (PodOSNotSupported) or the pull fails with "no match for platform in manifest".',
  remediation: 'Set nodeSelector kubernetes.io/os to windows.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host',
  asOf: '2026-11-30',
  messages: {
    missing: 'the pod is for Windows ({evidence}), but nothing keeps it on Windows nodes',
    landing: 'the pod is for Windows ({evidence}), but it can land on the Linux nodes {nodes}',
  },
  samples: {
    bad: [{ path: 'spec.nodeSelector[kubernetes.io/os]', yaml: samplePod({ nodeSelector: null }) }],
    good: [
      { yaml: samplePod() },
      { yaml: samplePod({ nodeSelector: null, spec: `  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions:
          - {key: kubernetes.io/os, operator: In, values: [windows]}
          - {key: node.kubernetes.io/windows-build, operator: In, values: [10.0.20348]}` }) },
    ],
  },
  * check({ workload, os, placement }) {
    // contradictory pods are the rules' on the OS itself; a preference is preferred-os-affinity's
    if (os.os !== 'windows' || os.pinned !== null || preferredOsOf(workload) !== null) return;
    const path = [...workload.specPath, 'nodeSelector', 'kubernetes.io/os'];
    const signs = os.evidence.filter((one) => one.os === 'windows');
    const linux = placement === null ? [] : linuxNames(placement.candidates);
    yield {
      messageId: linux.length === 0 ? 'missing' : 'landing',
      data: { evidence: signs.map(({ text }) => text).join(', '), nodes: namesText(linux) },
      path, nodes: linux,
      confidence: signs.some(({ strength }) => strength !== 'hint') ? 'proven' : 'tag',
      fix: { title: 'set nodeSelector kubernetes.io/os to windows', edits: [{ op: 'set', path, value: 'windows' }], isSafe: false },
    };
  },
});

const linuxNodes = new WeakMap<readonly WindowsNode[], readonly string[]>();

/** One array for one list of candidates, which placements share. */
function linuxNames(candidates: readonly WindowsNode[]): readonly string[] {
  let known = linuxNodes.get(candidates);
  if (known === undefined) linuxNodes.set(candidates, known = candidates.filter(({ os }) => os === 'linux').map(({ name }) => name));
  return known;
}
