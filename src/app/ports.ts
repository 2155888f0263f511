/** The interfaces through which use cases see the world. Adapters implement them; tests bring their own. */
import type { KubeObject } from '../domain/kubernetes/object.ts';
import type { Resource } from '../domain/kubernetes/resource.ts';

/** Where the data come from; becomes `metadata` of every output document. */
export interface SourceDescription {
  readonly source: 'cluster' | 'files';
  /** kubeconfig context, null for files. */
  readonly context: string | null;
  /** Server URL or file names, for messages. */
  readonly location: string;
}

/** What GET /version answers, as far as anybody needs it. */
export interface ServerVersion {
  /** e.g. `v1.37.2` or `v1.31.4-gke.1372000`. */
  readonly gitVersion: string;
}

export interface ListOptions {
  /** Namespace of a namespaced resource; undefined means all namespaces. */
  readonly namespace?: string | undefined;
  /** kubectl's -l. */
  readonly labelSelector?: string | undefined;
  /** kubectl's --field-selector. */
  readonly fieldSelector?: string | undefined;
  /** Objects per page; 0 asks for everything at once. Default 500, as kubectl's --chunk-size. */
  readonly chunkSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list, in the server's order. */
export interface ListPage {
  readonly items: readonly KubeObject[];
  /** metadata.resourceVersion of the list; '' from files. */
  readonly resourceVersion: string;
  /** true when the pages before this one are to be forgotten: the list was begun anew after 410 Expired. */
  readonly restarted?: boolean;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** Everything known before is replaced by these objects: a watch had to be begun anew (410). */
  | { readonly type: 'RELISTED'; readonly objects: readonly KubeObject[] };

export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
}

/** Reads an inventory: a live cluster, or what was recorded of one. */
export interface ClusterReader {
  readonly description: SourceDescription;
  /** null when not known (a recording without a version). */
  serverVersion(options?: { readonly signal?: AbortSignal | undefined }): Promise<ServerVersion | null>;
  /** Pages of raw objects; each object has apiVersion and kind. A recording that never held the resource yields no page. */
  list(resource: Resource, options?: ListOptions): AsyncIterable<ListPage>;
  /** Throws ClusterError with reason NotFound. */
  get(resource: Resource, name: string, options?: { readonly namespace?: string | undefined; readonly signal?: AbortSignal | undefined }): Promise<KubeObject>;
  /** Changes after `resourceVersion`, for ever (resumes by itself). A recording throws UsageError. */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** Releases connections. */
  close(): Promise<void>;
}

export interface Clock {
  now(): Date;
}
