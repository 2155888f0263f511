import { ownValue } from '../../kubernetes/object.ts';
import type { NodeIssueKind } from './node-issue-kind.ts';

const OS_SKU_LABEL = 'kubernetes.azure.com/os-sku';

/** Builds of AKS' OS SKUs: https://learn.microsoft.com/azure/aks/upgrade-windows-os, https://learn.microsoft.com/azure/aks/windows-annual-channel, read 2026-11-30. */
const BUILDS: Readonly<Record<string, number>> = { Windows2019: 17763, Windows2022: 20348, WindowsAnnual: 25398, Windows2025: 26100 };

/** AKS' label was edited, or is left over: pods that select by it land on another Windows than they want. */
export const osSkuDiffers = {
  id: 'os-sku-differs',
  facts: [],
  severity: 'info',
  reference: 'https://learn.microsoft.com/azure/aks/use-labels',
  check({ node }) {
    const sku = ownValue(node.labels, OS_SKU_LABEL);
    const build = sku === undefined ? undefined : ownValue(BUILDS, sku);
    if (build === undefined || node.build === null || node.build === build) return null;
    return { message: `the label ${OS_SKU_LABEL} says ${sku}, which is build ${build}; the node's is ${node.build}`, remedy: 'select nodes by node.kubernetes.io/windows-build, and find out who set the label: AKS alone should' };
  },
} as const satisfies NodeIssueKind;
