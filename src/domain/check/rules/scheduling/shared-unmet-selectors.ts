/** Terms of nodeSelector and required node affinity that no node of the cluster meets. */
import type { CheckFacts } from '../../facts.ts';
import type { WorkloadSubject } from '../../rule.ts';
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { ownValue } from '../../../kubernetes/object.ts';
import type { WindowsNode } from '../../../node/windows-node.ts';
import { matchesNodeAffinity, meetsRequirement, requirementText, type NodeRequirement } from '../../../scheduling/node-affinity.ts';
import { podConstraintsOf } from '../../../scheduling/pod-constraints.ts';

export const BUILD_LABEL = 'node.kubernetes.io/windows-build';
export const OS_LABELS: readonly string[] = ['kubernetes.io/os', 'beta.kubernetes.io/os'];

/** Labels that providers put on nodes, not Kubernetes: prefixes, and one bare name of AKS. */
const PROVIDER_LABELS = [
  'kubernetes.azure.com/', 'agentpool', // https://learn.microsoft.com/azure/aks/use-labels, read 2026-11-30
  'cloud.google.com/', // https://cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows, read 2026-11-30
  'eks.amazonaws.com/', 'alpha.eksctl.io/', 'karpenter.sh/', 'karpenter.k8s.aws/', // https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html, read 2026-11-30
  'node.openshift.io/',
] as const;

export function isProviderLabel(key: string): boolean {
  return PROVIDER_LABELS.some((known) => (known.endsWith('/') ? key.startsWith(known) : key === known));
}

export interface UnmetTerm {
  readonly key: string;
  /** `agentpool=win`, `kubernetes.io/os In [windows]`; several joined by `and` where only all of them together meet no node. */
  readonly wanted: string;
  readonly path: FieldPath;
  /** Which nodes were looked at: `Windows node` or `node`. */
  readonly among: string;
  /** What the nodes have under this key. */
  readonly here: string;
}

/**
 * Terms that no node meets, for a pod that no node's labels fit; empty where a node fits, and where not all nodes are known.
 * With Windows nodes in the cluster the terms are compared with those alone, so that a label of a Linux pool does not count.
 */
export function unmetTerms({ workload, placement, os }: WorkloadSubject, facts: CheckFacts): readonly UnmetTerm[] {
  if (placement === null || facts.nodes === null || facts.nodes.size === 0) return [];
  const isForWindows = os.os === 'windows';
  const areAssumed = facts.areNodesAssumed === true;
  // nodes that are made up are all that is asked about, and have a build alone
  if (areAssumed ? !isForWindows : !facts.nodes.isComplete) return [];
  if (isForWindows ? placement.windowsCandidates.length > 0 : placement.candidates.length > 0) return [];
  const constraints = podConstraintsOf(workload, facts.runtimeClasses);
  if (constraints.nodeName !== null) return [];
  const everyNode = [...facts.nodes.values()];
  const windows = everyNode.filter((node) => node.os === 'windows');
  const nodes = isForWindows && windows.length > 0 ? windows : everyNode;
  const among = nodes === windows ? 'Windows node' : 'node';
  const selector: readonly NodeRequirement[] = constraints.nodeSelector.map(([key, value]) => ({ of: 'label', key, operator: 'In', values: [value], path: [...constraints.specPath, 'nodeSelector', key] }));
  const fits = (node: WindowsNode): boolean => selector.every((requirement) => meetsRequirement(requirement, node)) && (constraints.affinity === null || matchesNodeAffinity(constraints.affinity, node));
  if (nodes.some(fits)) return [];

  const unmetIn = (requirements: readonly NodeRequirement[]): readonly NodeRequirement[] => requirements.filter((requirement) => (!areAssumed || requirement.key === BUILD_LABEL) && !nodes.some((node) => meetsRequirement(requirement, node)));
  const terms = constraints.affinity?.terms ?? [];
  const unmetOfTerms = terms.map((term) => unmetIn(term.requirements));
  const unmet = [...unmetIn(selector), ...(unmetOfTerms.every((found) => found.length > 0) ? unmetOfTerms.flatMap(([first]) => first ?? []) : [])];
  // a cluster without Windows nodes has none of their other labels either
  const systems = unmet.filter(({ key }) => OS_LABELS.includes(key));
  const told = systems.length > 0 ? systems.slice(0, 1) : unmet;
  if (told.length > 0) return told.map((requirement) => ({ key: requirement.key, wanted: wantedText(requirement), path: requirement.path, among, here: hereText(requirement, nodes) }));
  const together = [...selector.map(wantedText), ...terms.map((term) => term.requirements.map(requirementText).join(' and '))];
  const path = selector.length > 0 ? [...constraints.specPath, 'nodeSelector'] : constraints.affinity?.path ?? constraints.specPath;
  return [{ key: '', wanted: together.length === 0 ? 'a nodeAffinity without terms' : together.join(' and '), path, among, here: '' }];
}

function wantedText(requirement: NodeRequirement): string {
  return requirement.operator === 'In' && requirement.values.length === 1 ? `${requirement.key}=${requirement.values[0] ?? ''}` : requirementText(requirement);
}

/** Values shown of a label that nodes have. */
const VALUES_SHOWN = 5;

function hereText({ of, key }: NodeRequirement, nodes: readonly WindowsNode[]): string {
  if (of === 'field') return 'node names are others';
  const values = [...new Set(nodes.flatMap(({ labels }) => ownValue(labels, key) ?? []))].toSorted();
  if (values.length === 0) return 'no node has the label';
  return `values here: ${values.slice(0, VALUES_SHOWN).join(', ')}${values.length > VALUES_SHOWN ? ', …' : ''}`;
}
