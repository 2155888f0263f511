/** Which network plugin the Windows nodes have, as far as DaemonSets and nodes tell, and whether it enforces NetworkPolicies there. */
import type { CheckFacts } from '../../facts.ts';
import { nameOf } from '../../../kubernetes/object.ts';

export interface PolicyEngine {
  /** As people call it: `Flannel`. */
  readonly name: string;
  /** Whether NetworkPolicies hold for pods on Windows nodes; null when that is not known. */
  readonly isEnforced: boolean | null;
  /** Day since which nobody supports it on Windows: it may still do its work where it was not removed. */
  readonly endedOn?: string;
  /** What it was told by. */
  readonly evidence: string;
  readonly reference: string;
}

interface EngineEvidence extends Omit<PolicyEngine, 'evidence'> {
  /** Name of a DaemonSet. */
  readonly daemonSet: RegExp;
}

/** First day without support of Azure NPM on Windows: https://learn.microsoft.com/azure/aks/use-network-policies, read 2026-11-30. */
const AZURE_NPM_END = '2026-09-30';

/**
 * In the order of what is trusted more: an engine that enforces on Windows by itself, beside whichever plugin.
 * All read 2026-11-30; the names are those of the projects' manifests and of the providers' add-ons.
 */
function engines(day: string): readonly EngineEvidence[] {
  return [
    { name: 'Calico', daemonSet: /^calico-(node-)?windows/, isEnforced: true, reference: 'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/limitations' },
    { name: 'Antrea', daemonSet: /^antrea-agent-windows/, isEnforced: true, reference: 'https://github.com/antrea-io/antrea/blob/main/docs/windows.md' },
    { name: 'Azure Network Policy Manager', daemonSet: /^azure-npm-win/, isEnforced: day < AZURE_NPM_END, ...(day < AZURE_NPM_END ? {} : { endedOn: AZURE_NPM_END }), reference: 'https://learn.microsoft.com/azure/aks/use-network-policies' },
    // without a DaemonSet for Windows Calico may run there as a service: AKS installs it so
    { name: 'Calico', daemonSet: /^calico-node$/, isEnforced: null, reference: 'https://docs.tigera.io/calico/latest/getting-started/kubernetes/windows-calico/' },
    { name: 'Cilium', daemonSet: /^cilium$/, isEnforced: false, reference: 'https://learn.microsoft.com/azure/aks/migrate-from-npm-to-cilium-network-policy' },
    { name: 'Azure Network Policy Manager without its part for Windows', daemonSet: /^azure-npm$/, isEnforced: false, reference: 'https://learn.microsoft.com/azure/aks/use-network-policies' },
    { name: 'the Amazon VPC CNI', daemonSet: /^aws-node$/, isEnforced: false, reference: 'https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy.html' },
    { name: 'Flannel', daemonSet: /^kube-flannel/, isEnforced: false, reference: 'https://github.com/flannel-io/flannel/blob/master/README.md' },
  ];
}

/** The engine that decides; null when nothing known was found. */
export function policyEngineOf({ daemonSets, asOf }: CheckFacts): PolicyEngine | null {
  if (daemonSets === null) return null;
  const names = [...daemonSets.values()].map(nameOf);
  for (const { daemonSet, ...engine } of engines(asOf.toISOString().slice(0, 10))) {
    const found = names.find((name) => daemonSet.test(name));
    if (found !== undefined) return { ...engine, evidence: `daemonset/${found}` };
  }
  return null;
}

/** Providers of the Windows nodes. */
export function windowsProviders({ nodes }: CheckFacts): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { os, provider } of nodes?.values() ?? []) if (os === 'windows' && provider !== null) found.add(provider);
  return found;
}
