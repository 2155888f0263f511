/** Which labels of nodes tell the operating system, so that selecting by them keeps a pod on it. */
import type { FactTable } from '../kubernetes/fact-table.ts';
import { POOL_LABELS } from '../node/pool.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { NodeRequirement } from '../scheduling/node-affinity.ts';

type Os = 'windows' | 'linux';

interface LabelOs {
  readonly keys: readonly string[];
  /** The OS of nodes that have this value; null where it does not tell. */
  readonly osOf: (value: string) => Os | null;
  /** The OS of every node that has the label, whatever its value; null where both can have it. */
  readonly osOfPresence: Os | null;
  /** The OS of nodes without it; null where either can lack it. */
  readonly osOfAbsence: Os | null;
  readonly source: string;
}

const osOfSku = (value: string): Os | null => (/^windows/i.test(value) ? 'windows' : /linux|ubuntu|mariner|flatcar/i.test(value) ? 'linux' : null);
const osByName = (value: string): Os | null => (/^windows$/i.test(value) ? 'windows' : /^linux$/i.test(value) ? 'linux' : null);

/** All read 2026-11-30. */
const LABELS: readonly LabelOs[] = [
  { keys: ['kubernetes.io/os', 'beta.kubernetes.io/os'], osOf: osByName, osOfPresence: null, osOfAbsence: null, source: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-os' },
  { keys: ['node.kubernetes.io/windows-build'], osOf: () => 'windows', osOfPresence: 'windows', osOfAbsence: 'linux', source: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesiowindows-build' },
  // Control planes run Linux alone: https://kubernetes.io/docs/concepts/windows/intro/
  { keys: ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/controlplane', 'node-role.kubernetes.io/master', 'node-role.kubernetes.io/etcd'], osOf: () => 'linux', osOfPresence: 'linux', osOfAbsence: null, source: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#node-role-kubernetes-io-control-plane' },
  { keys: ['kubernetes.azure.com/os-sku', 'kubernetes.azure.com/os-sku-effective', 'kubernetes.azure.com/os-sku-requested'], osOf: osOfSku, osOfPresence: null, osOfAbsence: null, source: 'https://learn.microsoft.com/javascript/api/@azure/arm-containerservice/ossku' },
  { keys: ['kubernetes.azure.com/node-image-version'], osOf: (value) => osOfSku(value.replace(/^AKS/i, '')), osOfPresence: null, osOfAbsence: null, source: 'https://learn.microsoft.com/azure/aks/upgrade-node-image' },
  { keys: ['cloud.google.com/gke-os-distribution'], osOf: (value) => (/^windows/i.test(value) ? 'windows' : /^(cos|ubuntu)/i.test(value) ? 'linux' : null), osOfPresence: null, osOfAbsence: null, source: 'https://cloud.google.com/kubernetes-engine/docs/concepts/node-images' },
  { keys: ['cloud.google.com/gke-windows-os-version'], osOf: () => 'windows', osOfPresence: 'windows', osOfAbsence: null, source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows' },
];

const BY_KEY: ReadonlyMap<string, LabelOs> = new Map(LABELS.flatMap((label) => label.keys.map((key) => [key, label] as const)));

/** Labels that name one node or one pool, whose nodes share their OS. What they tell stands in the nodes themselves. */
const NAMING_LABELS: ReadonlySet<string> = new Set(['kubernetes.io/hostname', ...POOL_LABELS.map(({ label }) => label)]);

export interface RequirementOs {
  readonly os: Os;
  /** Whether that comes from known nodes, and not from the label's meaning. */
  readonly fromNodes: boolean;
}

/** The OS of all nodes that can meet a requirement; null where it does not tell, or none of the known nodes meets it. */
export function osOfRequirement({ of, key, operator, values }: NodeRequirement, nodes: FactTable<WindowsNode> | null): RequirementOs | null {
  const known = of === 'label' ? BY_KEY.get(key) : undefined;
  if (known !== undefined) {
    const os = osByMeaning(known, operator, values);
    return os === null ? null : { os, fromNodes: false };
  }
  if (nodes === null || operator !== 'In') return null;
  const os = of === 'field' ? osOfAll(values.map((name) => nodes.get(name)?.os ?? null)) : NAMING_LABELS.has(key) ? osOfNodesNamed(key, values, nodes) : null;
  return os === null ? null : { os, fromNodes: true };
}

function osByMeaning(label: LabelOs, operator: string, values: readonly string[]): Os | null {
  switch (operator) {
    case 'In':
      return osOfAll(values.map(label.osOf));
    case 'Exists':
    case 'Gt':
    case 'Lt':
      return label.osOfPresence;
    case 'DoesNotExist':
      return label.osOfAbsence;
    case 'NotIn': {
      // Only of the two names of the OS does one follow from leaving out the other.
      if (label.osOf !== osByName) return null;
      const left = osOfAll(values.map(label.osOf));
      return left === null ? null : left === 'windows' ? 'linux' : 'windows';
    }
    default:
      return null;
  }
}

/** The one OS of a list; null for an empty one, a mixed one, and where one is not known. */
function osOfAll(systems: readonly (Os | null)[]): Os | null {
  const [first] = systems;
  return first !== undefined && systems.every((os) => os === first) ? first : null;
}

/** Pools by label and value, for as long as the table of nodes lives. */
const systemsByLabel = new WeakMap<FactTable<WindowsNode>, Map<string, Map<string, Os | null>>>();

function osOfNodesNamed(key: string, values: readonly string[], nodes: FactTable<WindowsNode>): Os | null {
  const byKey = systemsByLabel.get(nodes) ?? new Map<string, Map<string, Os | null>>();
  systemsByLabel.set(nodes, byKey);
  const byValue = byKey.get(key) ?? new Map<string, Os | null>();
  if (!byKey.has(key)) {
    for (const { labels, os } of nodes.values()) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value !== undefined) byValue.set(value, byValue.has(value) && byValue.get(value) !== os ? null : os);
    }
    byKey.set(key, byValue);
  }
  return osOfAll(values.map((value) => byValue.get(value) ?? null));
}
