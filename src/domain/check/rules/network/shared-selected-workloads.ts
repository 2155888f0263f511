/** Which workloads the selector of a Service or NetworkPolicy meets. */
import type { CheckFacts, SelectableWorkload } from '../../facts.ts';
import type { FactTable } from '../../../kubernetes/fact-table.ts';
import { arrayAt, namespaceOf, stringAt, stringMapAt, valueAt, type KubeObject } from '../../../kubernetes/object.ts';
import { someOf } from '../../../some-of.ts';
import { meetsRequirement, type NodeRequirement } from '../../../scheduling/node-affinity.ts';

/** Workloads whose pods a Service sends traffic to; empty for a Service without a selector. */
export function backendsOf(service: KubeObject, facts: CheckFacts): readonly SelectableWorkload[] {
  const matchLabels = stringMapAt(service, 'spec', 'selector');
  return Object.keys(matchLabels).length === 0 ? [] : selectedBy({ matchLabels }, service, facts);
}

export function hasSelector(service: KubeObject): boolean {
  return Object.keys(stringMapAt(service, 'spec', 'selector')).length > 0 && stringAt(service, 'spec', 'type') !== 'ExternalName';
}

/** Workloads whose pods a NetworkPolicy is for; an empty podSelector selects all of the namespace. */
export function podsOfPolicy(policy: KubeObject, facts: CheckFacts): readonly SelectableWorkload[] {
  return selectedBy(valueAt(policy, 'spec', 'podSelector'), policy, facts);
}

/** Workloads of a namespace, and what was found among them last: several rules ask the same of one object after the other. */
interface NamespaceIndex {
  readonly workloads: readonly SelectableWorkload[];
  last: { readonly selector: string; readonly found: readonly SelectableWorkload[] } | null;
}

/** By namespace, so that each of many Services does not go through the workloads of all others; made anew when one was added. */
const indexes = new WeakMap<FactTable<SelectableWorkload>, { readonly size: number; readonly byNamespace: ReadonlyMap<string, NamespaceIndex> }>();

function indexOf(namespace: string, workloads: FactTable<SelectableWorkload>): NamespaceIndex | null {
  let index = indexes.get(workloads);
  if (index?.size !== workloads.size) {
    const groups = Map.groupBy(workloads.values(), (workload) => workload.namespace ?? 'default');
    index = { size: workloads.size, byNamespace: new Map([...groups].map(([name, group]) => [name, { workloads: group, last: null }])) };
    indexes.set(workloads, index);
  }
  return index.byNamespace.get(namespace) ?? null;
}

function selectedBy(selector: unknown, object: KubeObject, { workloads }: CheckFacts): readonly SelectableWorkload[] {
  const index = workloads === null ? null : indexOf(namespaceOf(object), workloads);
  if (index === null) return [];
  const text = JSON.stringify(selector) ?? '';
  if (index.last?.selector !== text) {
    const requirements = requirementsOf(selector);
    index.last = { selector: text, found: index.workloads.filter(({ labels }) => requirements.every((requirement) => meetsRequirement(requirement, { name: '', labels }))) };
  }
  return index.last.found;
}

/** Those of a label selector; none for what is no map, which selects all. */
function requirementsOf(selector: unknown): readonly NodeRequirement[] {
  const common = { of: 'label', path: [] } as const;
  return [
    ...Object.entries(stringMapAt(selector, 'matchLabels')).map(([key, value]) => ({ ...common, key, operator: 'In', values: [value] })),
    ...arrayAt(selector, 'matchExpressions').map((expression) => ({
      ...common, key: stringAt(expression, 'key') ?? '', operator: stringAt(expression, 'operator') ?? '',
      values: arrayAt(expression, 'values').filter((value) => typeof value === 'string'),
    })),
  ];
}

/** Pods of the network of containers: HostProcess pods have that of their node. */
export function onlyWindows(workloads: readonly SelectableWorkload[]): readonly SelectableWorkload[] {
  return workloads.filter(({ os, isHostProcess }) => os === 'windows' && !isHostProcess);
}

/** `deployment/web, statefulset/db and 2 more`. */
export function workloadsText(workloads: readonly SelectableWorkload[], limit = 3): string {
  return someOf(workloads, limit, ({ kind, name }) => `${kind.toLowerCase()}/${name}`);
}
