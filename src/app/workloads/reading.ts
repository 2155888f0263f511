/** Lists that go on without what may not be read, and say so. */
import type { ClusterReader, ListOptions, ListPage } from '../ports.ts';
import { nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import type { Resource } from '../../domain/kubernetes/resource.ts';
import { isBuiltInGroup } from '../../domain/workload/custom-resources.ts';
import { ClusterError } from '../../errors.ts';

export class Reading {
  readonly #reader: ClusterReader;
  readonly #chunkSize: number | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #refused = new Map<string, ClusterError>();
  #discoveryError: ClusterError | null = null;
  #answered = false;

  constructor(reader: ClusterReader, options: { readonly chunkSize?: number | undefined; readonly signal?: AbortSignal | undefined }) {
    this.#reader = reader;
    this.#chunkSize = options.chunkSize;
    this.#signal = options.signal;
  }

  /** Objects per page that lists are asked for; undefined where nobody said. */
  get chunkSize(): number | undefined {
    return this.#chunkSize;
  }

  /** Resources that could not be listed, one sentence each. */
  get notes(): readonly string[] {
    const forbidden = [...this.#refused].filter(([, error]) => error.reason === 'Forbidden').map(([name]) => name);
    const others = [...this.#refused].filter(([, error]) => error.reason !== 'Forbidden');
    const discovery = this.#discoveryError;
    return [
      ...(discovery === null ? [] : [discovery.reason === 'Forbidden'
        ? 'not allowed to read which resources the server has (get on the non-resource URLs /api and /apis): custom resources were not looked into'
        : `the resources of the server could not be read, so custom resources were not looked into: ${discovery.message}`]),
      ...(forbidden.length === 0 ? [] : [`not allowed to list ${forbidden.join(', ')}: what needs them was not evaluated`]),
      ...others.map(([name, error]) => `${name} could not be listed: ${error.message}`),
    ];
  }

  /** What stopped everything, where nothing at all could be read. */
  get failure(): ClusterError | null {
    return this.#answered ? null : [...this.#refused.values()][0] ?? null;
  }

  /** 'none' for what was refused. */
  completeness(resource: Resource): 'all' | 'some' | 'none' {
    return this.#refused.has(wordOf(resource)) ? 'none' : this.#reader.completeness(resource);
  }

  /** Objects of a resource, each once, even where the list had to be begun anew. A list that is refused ends, and is noted. */
  async* objects(resource: Resource, options: ListOptions = {}): AsyncGenerator<readonly KubeObject[]> {
    for await (const { items } of this.pages(resource, options)) yield items;
  }

  /** As `objects`, for lists whose pages may be of digests. */
  async* pages(resource: Resource, options: ListOptions = {}): AsyncGenerator<Pick<ListPage, 'items' | 'whole'>> {
    let last = '';
    let seenUpTo: string | null = null;
    try {
      for await (const page of this.#reader.list(resource, { chunkSize: this.#chunkSize, signal: this.#signal, ...options })) {
        this.#answered = true;
        if (page.restarted === true) seenUpTo = last;
        const items = seenUpTo === null ? page.items : page.items.filter((item) => placeInList(item) > (seenUpTo ?? ''));
        for (const item of items) {
          const place = placeInList(item);
          if (place > last) last = place;
        }
        yield page.whole === undefined ? { items } : { items, whole: page.whole };
      }
    } catch (error) {
      if (!(error instanceof ClusterError) || !isPassing(error, resource)) throw error;
      // a resource that the server does not have has no objects: nothing is missing
      if (error.reason === 'NotFound') this.#answered = true;
      else this.#refused.set(wordOf(resource), error);
    }
  }

  /** What the server has; nothing where that may not be read, which is noted. */
  async resources(): Promise<readonly Resource[]> {
    try {
      return await this.#reader.resources({ signal: this.#signal });
    } catch (error) {
      if (!(error instanceof ClusterError) || !isPassing(error, null)) throw error;
      this.#discoveryError = error;
      return [];
    }
  }

  /** An object that a list has named, which whoever may list it need not be allowed to get; null when it is gone. */
  async listed(resource: Resource, name: string, namespace: string | undefined): Promise<KubeObject | null> {
    try {
      return await this.get(resource, name, namespace);
    } catch (error) {
      if (!(error instanceof ClusterError) || (error.reason !== 'NotFound' && error.reason !== 'Forbidden')) throw error;
      if (error.reason === 'NotFound') return null;
    }
    for await (const objects of this.objects(resource, { namespace, fieldSelector: `metadata.name=${name}` })) {
      const found = objects.find((object) => nameOf(object) === name);
      if (found !== undefined) return found;
    }
    return null;
  }

  async get(resource: Resource, name: string, namespace: string | undefined): Promise<KubeObject> {
    const object = await this.#reader.get(resource, name, { namespace, signal: this.#signal });
    this.#answered = true;
    return object;
  }
}

/** The server lists in the order of etcd's keys, /registry/RESOURCE/NAMESPACE/NAME, so that what comes again comes before the last one seen. */
export function placeInList(object: KubeObject): string {
  return `${stringAt(object, 'metadata', 'namespace') ?? ''}/${nameOf(object)}`;
}

function wordOf({ group, plural }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/**
 * Refusals that concern one resource, and not the connection or the login. Custom resources may hang on a webhook or another
 * server that does not work, for which the API server answers with an error of its own; the same error for a resource of
 * Kubernetes' own means that the server itself cannot answer, and that most of what was asked for would be missing. Without a
 * resource: what the server has.
 */
function isPassing({ reason, status }: ClusterError, resource: Resource | null): boolean {
  if (reason === 'Forbidden' || reason === 'NotFound' || reason === 'MethodNotAllowed' || reason === 'NotAcceptable') return true;
  if (status === 503) return reason === 'ServiceUnavailable' && (resource === null || !isBuiltInGroup(resource.group));
  return status === 500 && resource !== null && !isBuiltInGroup(resource.group);
}
