/**
 * What a pod requests of its node, as the scheduler adds it up.
 * https://github.com/kubernetes/component-helpers/blob/v0.37.2/resource/helpers.go (PodRequests) and
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/v1/defaults.go, read 2026-11-30
 */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { recordAt } from '../kubernetes/object.ts';
import { parseQuantity } from '../kubernetes/quantity.ts';
import type { Workload } from '../workload/workload.ts';

export interface ResourceRequest {
  /** Thousandths of a core for cpu, bytes or a count for everything else; rounded up, as the scheduler rounds. */
  readonly amount: number;
  /** Field that asks for most of it. */
  readonly path: FieldPath;
}

/** Requests by resource name: cpu, memory, ephemeral-storage, hugepages-*, extended resources. Resources asked for with 0 are left out. */
export type PodRequests = ReadonlyMap<string, ResourceRequest>;

interface Sum {
  readonly amount: number;
  readonly largest: number;
  readonly path: FieldPath;
}

type Sums = Map<string, Sum>;

/**
 * Containers and sidecars together, or the largest init container together with the sidecars before it, whichever is more;
 * pod-level resources in their place where they are set; and the overhead of the RuntimeClass. Limits stand in for missing
 * requests. What a LimitRange or a webhook would add is not known here.
 */
export function podRequestsOf(workload: Workload, overhead: Readonly<Record<string, unknown>> | null): PodRequests {
  const running: Sums = new Map();
  const sidecars: Sums = new Map();
  const initialising: Sums = new Map();
  for (const { list, isSidecar, fields, path } of workload.containers) {
    if (list === 'ephemeralContainers') continue;
    const own = requestsIn(fields, path);
    if (list === 'containers') add(running, own);
    else if (isSidecar) {
      add(running, own);
      add(sidecars, own);
      takeLarger(initialising, sidecars);
    } else {
      const together: Sums = new Map(own);
      add(together, sidecars);
      takeLarger(initialising, together);
    }
  }
  // The order in the list decides which sidecars run beside an init container; running containers come after all of them.
  takeLarger(running, initialising);
  applyPodLevel(running, workload);
  const overheadPath = [...workload.specPath, 'runtimeClassName'];
  for (const [name, value] of Object.entries(overhead ?? recordAt(workload.spec, 'overhead'))) {
    const amount = amountOf(name, value);
    if (amount !== null) add(running, new Map([[name, { amount, largest: amount, path: overhead === null ? [...workload.specPath, 'overhead', name] : overheadPath }]]));
  }
  return new Map([...running].flatMap(([name, { amount, path }]) => (amount > 0 && isCounted(name) ? [[name, { amount: roundUp(amount), path }] as const] : [])));
}

/** Amount of a quantity in the unit of its resource; null for what is no quantity. */
export function amountOf(name: string, quantity: unknown): number | null {
  const value = typeof quantity === 'string' || typeof quantity === 'number' ? parseQuantity(String(quantity)) : null;
  if (value === null) return null;
  return name === 'cpu' ? value * 1000 : value;
}

/** Rounds up as the scheduler does, but not for what floating point added. */
export function roundUp(amount: number): number {
  return Math.ceil(Number(amount.toPrecision(15)));
}

/** Names that the scheduler counts: its own three, and what is qualified or of a family. `storage` is none of a node's. */
function isCounted(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-');
}

function requestsIn(holder: unknown, path: FieldPath): Sums {
  const found: Sums = new Map();
  for (const kind of ['requests', 'limits'] as const) {
    for (const [name, quantity] of Object.entries(recordAt(holder, 'resources', kind))) {
      const amount = found.has(name) ? null : amountOf(name, quantity);
      if (amount !== null) found.set(name, { amount, largest: amount, path: [...path, 'resources', kind, name] });
    }
  }
  return found;
}

/**
 * spec.resources, beta since 1.34. A request that is missing there defaults to the containers' sum for cpu and memory, and
 * else to the limit.
 */
function applyPodLevel(sums: Sums, workload: Workload): void {
  const requests = recordAt(workload.spec, 'resources', 'requests');
  for (const [name, sum] of requestsIn(workload.spec, workload.specPath)) {
    if (!(name === 'cpu' || name === 'memory' || name.startsWith('hugepages-'))) continue;
    if (amountOf(name, requests[name]) === null && sums.has(name) && !name.startsWith('hugepages-')) continue;
    sums.set(name, sum);
  }
}

function add(sums: Sums, more: ReadonlyMap<string, Sum>): void {
  for (const [name, sum] of more) {
    const before = sums.get(name);
    sums.set(name, before === undefined ? sum : { ...(before.largest >= sum.largest ? before : sum), amount: before.amount + sum.amount });
  }
}

function takeLarger(sums: Sums, others: ReadonlyMap<string, Sum>): void {
  for (const [name, other] of others) {
    const before = sums.get(name);
    if (before === undefined || other.amount > before.amount) sums.set(name, other);
  }
}
