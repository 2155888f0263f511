/** Requests and limits of a container, as the rules on resources read them. */
import { valueAt } from '../../../kubernetes/object.ts';
import { parseQuantity } from '../../../kubernetes/quantity.ts';
import type { Container, Workload } from '../../../workload/workload.ts';

/** A quantity with its text; in YAML it may be a number. */
export interface Amount {
  readonly text: string;
  /** Bytes or cores; null for what is no quantity. */
  readonly value: number | null;
}

export function amountOf(container: Container, part: 'requests' | 'limits', resource: string): Amount | null {
  const raw = valueAt(container.fields, 'resources', part, resource);
  return typeof raw === 'string' || typeof raw === 'number' ? { text: String(raw), value: parseQuantity(String(raw)) } : null;
}

/**
 * Whether bytes are written in parts of one: `800m`, `0.5`. The API server warns of 0.1Gi too, which is no whole number
 * either, but nobody meant anything else by it.
 */
export function isFractionOfByte({ text, value }: Amount): boolean {
  return value !== null && /[num\d]$/.test(text) && !Number.isInteger(value);
}

/** Containers that run for as long as the pod does. */
export function lastingContainers(workload: Workload): readonly Container[] {
  return workload.containers.filter(({ list, isSidecar }) => list === 'containers' || isSidecar);
}
