import { podConstraintsOf } from '../../../scheduling/pod-constraints.ts';
import type { Workload } from '../../../workload/workload.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import type { WindowsNode } from '../../../node/windows-node.ts';
import { namesText } from './shared-placement.ts';
import { preferredOsOf } from './shared-preferred-os.ts';

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
    missing: 'the pod is for Windows, but nothing keeps it on Windows nodes',
    other: 'the pod is for Windows, but only {selectors} chooses its node, which says nothing of the operating system',
    landing: 'the pod is for Windows, but it can land on the Linux nodes {nodes}',
  },
  samples: {
    bad: [
      { path: 'spec.nodeSelector[kubernetes.io/os]', yaml: samplePod({ nodeSelector: null }) },
      { path: 'spec.nodeSelector[kubernetes.io/os]', yaml: samplePod({ nodeSelector: 'kubernetes.io/hostname: win-0' }) },
    ],
    good: [
      { yaml: samplePod() },
      { yaml: samplePod({ nodeSelector: null, spec: `
          affinity:
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
    const selectors = selectorsText(workload);
    const linux = placement === null ? [] : linuxNames(placement.candidates);
    yield {
      messageId: linux.length > 0 ? 'landing' : selectors === null ? 'missing' : 'other',
      data: { nodes: namesText(linux), selectors: selectors ?? '' },
      evidence: signs.map(({ text }) => text),
      path, nodes: linux,
      confidence: signs.some(({ strength }) => strength !== 'hint') ? 'proven' : 'tag',
      fix: { title: 'set nodeSelector kubernetes.io/os to windows', edits: [{ op: 'set', path, value: 'windows' }], isSafe: false },
    };
  },
});

/** What chooses the pod's node without naming an OS: `nodeSelector kubernetes.io/hostname=win-1`; null for nothing. */
function selectorsText(workload: Workload): string | null {
  const { nodeName, nodeSelector, affinity } = podConstraintsOf(workload, null);
  if (nodeName !== null) return `nodeName ${nodeName}`;
  if (nodeSelector.length > 0) return `nodeSelector ${namesText(nodeSelector.map(([key, value]) => `${key}=${value}`))}`;
  return affinity === null ? null : 'a required nodeAffinity';
}

const linuxNodes = new WeakMap<readonly WindowsNode[], readonly string[]>();

/** One array for one list of candidates, which placements share. */
function linuxNames(candidates: readonly WindowsNode[]): readonly string[] {
  let known = linuxNodes.get(candidates);
  if (known === undefined) linuxNodes.set(candidates, known = candidates.filter(({ os }) => os === 'linux').map(({ name }) => name));
  return known;
}
