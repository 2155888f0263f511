/** Objects by name, or by `namespace/name` for namespaced kinds. */
export interface FactTable<T> {
  /** Whether all of the cluster's are here, so that a missing one does not exist. */
  readonly isComplete: boolean;
  get(key: string): T | undefined;
  values(): Iterable<T>;
  readonly size: number;
}

/** A table from a map. */
export function factTable<T>(entries: ReadonlyMap<string, T>, isComplete: boolean): FactTable<T> {
  return { isComplete, get: (key) => entries.get(key), values: () => entries.values(), size: entries.size };
}
