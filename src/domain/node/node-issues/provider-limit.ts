import { compareKubernetesVersions, minorText, parseKubernetesVersion } from '../../kubernetes/version.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

/** The provider has no nodes of this release for this version of Kubernetes. */
export const providerLimit = {
  id: 'provider-limit',
  facts: ['NOD-001'],
  severity: 'error',
  reference: 'https://learn.microsoft.com/azure/aks/upgrade-windows-os',
  check({ node, release, limits, serverVersion, kubeletVersion }) {
    if (limits === null || release === null) return null;
    const isConfigured = (field: 'firstKubernetes' | 'lastKubernetes'): boolean => limits.configured.includes(field);
    const reference = limits.source === null ? {} : { reference: limits.source };
    const provider = providerName(node.provider);
    if (!limits.offered) {
      return { ...reference, severity: 'warning', message: `${provider} offers no nodes of ${release.product}`, remedy: 'find out who made this node and who supports it' };
    }
    // A kubelet is never newer than its API server, so it bounds the server's version from below where that is not known.
    const version = serverVersion ?? kubeletVersion;
    const last = limits.lastKubernetes === null ? null : parseKubernetesVersion(limits.lastKubernetes);
    if (version !== null && last !== null && compareKubernetesVersions({ ...version, patch: 0 }, last) > 0) {
      return {
        ...(isConfigured('lastKubernetes') ? {} : reference),
        message: `${provider} has no ${release.product} nodes for Kubernetes ${minorText(version)}: ${minorText(last)} was the last version${isConfigured('lastKubernetes') ? ' by the configuration' : ''}`,
        remedy: 'make a pool of a newer release and move the workloads there',
      };
    }
    const first = limits.firstKubernetes === null ? null : parseKubernetesVersion(limits.firstKubernetes);
    if (serverVersion !== null && first !== null && compareKubernetesVersions({ ...serverVersion, patch: 0 }, first) < 0) {
      return {
        ...(isConfigured('firstKubernetes') ? {} : reference), severity: 'warning',
        message: `${provider} has ${release.product} nodes from Kubernetes ${minorText(first)} on${isConfigured('firstKubernetes') ? ' by the configuration' : ''}, the API server is ${minorText(serverVersion)}`,
        remedy: `upgrade the cluster to ${minorText(first)} or newer`,
      };
    }
    return null;
  },
} as const satisfies NodeIssueKind;

/** The provider's name as it writes it. */
export function providerName(provider: string | null): string {
  const names: Readonly<Record<string, string>> = { aks: 'AKS', 'aks-engine': 'AKS Engine', eks: 'EKS', gke: 'GKE', openshift: 'OpenShift' };
  return provider === null ? 'the provider' : names[provider] ?? provider;
}
