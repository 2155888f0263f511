/** The builds of Windows that a pod's own constraints name, whatever nodes there are. */
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { isRecord, type KubeObject } from '../../../kubernetes/object.ts';
import { requiredNodeAffinityOf, type NodeRequirement } from '../../../scheduling/node-affinity.ts';
import { runtimeClassOf } from '../../../scheduling/runtime-class.ts';
import { parseOsVersion } from '../../../windows/containerd.ts';
import type { Workload } from '../../../workload/workload.ts';
import type { FactTable } from '../../../kubernetes/fact-table.ts';

export interface BuildPin {
  /** Ascending; at least one. */
  readonly builds: readonly number[];
  /** Label that says so, and where. */
  readonly key: string;
  readonly path: FieldPath;
  /** `nodeSelector node.kubernetes.io/windows-build=10.0.20348`. */
  readonly text: string;
}

const AKS_SKUS: Readonly<Record<string, number>> = { windows2019: 17763, windows2022: 20348, windowsannual: 25398, windows2025: 26100 };

/**
 * Labels of providers that name a release.
 * AKS: https://learn.microsoft.com/azure/aks/use-labels; GKE: https://docs.cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows, read 2026-11-30
 */
const BUILDS_BY_LABEL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'kubernetes.azure.com/os-sku': AKS_SKUS,
  'kubernetes.azure.com/os-sku-effective': AKS_SKUS,
  'kubernetes.azure.com/os-sku-requested': AKS_SKUS,
  'cloud.google.com/gke-windows-os-version': { 2019: 17763, 2022: 20348 },
};

/** null where nothing names a build. */
export function buildPinOf(workload: Workload, runtimeClasses: FactTable<KubeObject> | null): BuildPin | null {
  const { spec, specPath } = workload;
  const selector = isRecord(spec['nodeSelector']) ? spec['nodeSelector'] : {};
  for (const [key, value] of Object.entries(selector)) {
    const build = typeof value === 'string' ? buildOfLabel(key, value) : null;
    if (build !== null) return { builds: [build], key, path: [...specPath, 'nodeSelector', key], text: `nodeSelector ${key}=${String(value)}` };
  }
  const runtimeClass = runtimeClassOf(spec, runtimeClasses);
  if (runtimeClass.is === 'found') {
    for (const [key, value] of Object.entries(runtimeClass.scheduling.nodeSelector)) {
      const build = buildOfLabel(key, value);
      if (build !== null) return { builds: [build], key, path: [...specPath, 'runtimeClassName'], text: `RuntimeClass ${runtimeClass.scheduling.name} selects ${key}=${value}` };
    }
  }
  const terms = (requiredNodeAffinityOf(spec, specPath)?.terms ?? []).filter(({ isValid }) => isValid);
  const pins = terms.map(({ requirements }) => requirements.map(requirementBuilds).find((one) => one !== null) ?? null);
  const [first] = pins;
  if (first === undefined || first === null || pins.includes(null)) return null;
  return { ...first, builds: [...new Set(pins.flatMap((pin) => pin?.builds ?? []))].toSorted((a, b) => a - b) };
}

function requirementBuilds({ of, key, operator, values, path }: NodeRequirement): BuildPin | null {
  if (of !== 'label' || operator !== 'In') return null;
  const builds = values.map((value) => buildOfLabel(key, value));
  if (builds.length === 0 || builds.includes(null)) return null;
  return { builds: builds.filter((build) => build !== null), key, path: [...path, 'values'], text: `nodeAffinity ${key} in ${values.join(', ')}` };
}

function buildOfLabel(key: string, value: string): number | null {
  if (key === 'node.kubernetes.io/windows-build') return parseOsVersion(value)?.build ?? null;
  const table = Object.hasOwn(BUILDS_BY_LABEL, key) ? BUILDS_BY_LABEL[key] : undefined;
  const name = value.toLowerCase();
  return table !== undefined && Object.hasOwn(table, name) ? table[name] ?? null : null;
}
