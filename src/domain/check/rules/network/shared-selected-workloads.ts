/** Which workloads the selector of a Service or NetworkPolicy meets. */
import type { CheckFacts, SelectableWorkload } from '../../facts.ts';
import type { FactTable } from '../../../kubernetes/fact-table.ts';
import { arrayAt, isRecord, namespaceOf, ownValue, stringAt, stringMapAt, valueAt, type KubeObject } from '../../../kubernetes/object.ts';
import { someOf } from '../../../some-of.ts';
import { meetsRequirement } from '../../../scheduling/node-affinity.ts';

/** Workloads whose pods a Service sends traffic to; empty for a Service without a selector. */
export function backendsOf(service: KubeObject, facts: CheckFacts): readonly SelectableWorkload[] {
  const selector = stringMapAt(service, 'spec', 'selector');
  if (Object.keys(selector).length === 0) return [];
  return inNamespaceOf(service, facts).filter(({ labels }) => Object.entries(selector).every(([key, value]) => ownValue(labels, key) === value));
}

export function hasSelector(service: KubeObject): boolean {
  return Object.keys(stringMapAt(service, 'spec', 'selector')).length > 0 && stringAt(service, 'spec', 'type') !== 'ExternalName';
}

/** Workloads whose pods a NetworkPolicy is for; an empty podSelector selects all of the namespace. */
export function podsOfPolicy(policy: KubeObject, facts: CheckFacts): readonly SelectableWorkload[] {
  const selector = valueAt(policy, 'spec', 'podSelector');
  return inNamespaceOf(policy, facts).filter(({ labels }) => meetsLabelSelector(selector, labels));
}

/** Workloads by namespace, so that each of many Services does not go through those of all others; made anew when one was added. */
const byNamespace = new WeakMap<FactTable<SelectableWorkload>, { readonly size: number; readonly groups: ReadonlyMap<string, readonly SelectableWorkload[]> }>();

function inNamespaceOf(object: KubeObject, { workloads }: CheckFacts): readonly SelectableWorkload[] {
  if (workloads === null) return [];
  let index = byNamespace.get(workloads);
  if (index?.size !== workloads.size) {
    index = { size: workloads.size, groups: Map.groupBy(workloads.values(), ({ namespace }) => namespace ?? 'default') };
    byNamespace.set(workloads, index);
  }
  return index.groups.get(namespaceOf(object)) ?? [];
}

function meetsLabelSelector(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (!isRecord(selector)) return true;
  if (!Object.entries(stringMapAt(selector, 'matchLabels')).every(([key, value]) => ownValue(labels, key) === value)) return false;
  return arrayAt(selector, 'matchExpressions').every((expression) => meetsRequirement({
    of: 'label', key: stringAt(expression, 'key') ?? '', operator: stringAt(expression, 'operator') ?? '', path: [],
    values: arrayAt(expression, 'values').filter((value) => typeof value === 'string'),
  }, { name: '', labels }));
}

/** Pods of the network of containers: HostProcess pods have that of their node. */
export function onlyWindows(workloads: readonly SelectableWorkload[]): readonly SelectableWorkload[] {
  return workloads.filter(({ os, isHostProcess }) => os === 'windows' && !isHostProcess);
}

/** `deployment/web, statefulset/db and 2 more`. */
export function workloadsText(workloads: readonly SelectableWorkload[], limit = 3): string {
  const names = workloads.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`);
  return someOf(names, limit);
}
