/** The document that `--save` writes: the raw objects as read, with what a list of objects does not say. */
export const INVENTORY_API_VERSION = 'kubectl-win/v1alpha1';
export const INVENTORY_KIND = 'Inventory';

/** A resource that was read, even if the cluster had no object of it. */
export interface RecordedResource {
  readonly group: string;
  readonly version: string;
  /** Lower-case plural, as in URLs. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** false when selectors left objects out; files of before this field count as such. */
  readonly complete?: boolean;
}

export interface InventoryMetadata {
  /** RFC 3339. */
  readonly generatedAt: string;
  readonly source: 'cluster' | 'files';
  readonly context: string | null;
  /** gitVersion of the API server; null when not known. */
  readonly serverVersion: string | null;
  readonly toolVersion: string;
  readonly resources: readonly RecordedResource[];
}
