import type { ClusterReader, ListOptions, ListPage, ServerVersion, SourceDescription, WatchEvent, WatchOptions } from '../../app/ports.ts';
import { nameOf, namespaceOf, stringAt, stringMapAt } from '../../domain/kubernetes/object.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { groupOf, type Resource } from '../../domain/kubernetes/resource.ts';
import { SelectorSyntaxError, matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector, selectableFields } from '../../domain/kubernetes/selector.ts';
import { ClusterError, UsageError } from '../../errors.ts';

/** kubectl's --chunk-size. */
const DEFAULT_CHUNK_SIZE = 500;

/** What makes two objects of one resource: versions of a group are the same objects. */
export function resourceKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}

export interface RecordedInventory {
  readonly objects: readonly KubeObject[];
  /** resourceKey of everything that was recorded, with or without objects; true where all objects of the cluster were. */
  readonly held: ReadonlyMap<string, boolean>;
  /** Files read, in their order. */
  readonly files: readonly string[];
  /** As the user gave them. */
  readonly sources: readonly string[];
  readonly serverVersion: string | null;
  readonly recordedAt: string | null;
  readonly context: string | null;
  readonly notes: readonly string[];
}

/** A recorded inventory, read as the API server would answer: same order, selectors and errors. */
export class InventoryReader implements ClusterReader {
  readonly description: SourceDescription;
  readonly namespace = null;
  /** When it was recorded (RFC 3339), to reckon ages and support from; null for plain dumps. */
  readonly recordedAt: string | null;
  /** Context it was recorded from; null for plain dumps. */
  readonly recordedContext: string | null;
  /** Things to tell the user that are no errors: duplicates, differing versions. */
  readonly notes: readonly string[];
  /** Files read, in their order. */
  readonly files: readonly string[];
  readonly #serverVersion: string | null;
  readonly #held: ReadonlyMap<string, boolean>;
  readonly #objects: ReadonlyMap<string, KubeObject[]>;
  readonly #sorted = new Map<string, readonly KubeObject[]>();

  constructor(recorded: RecordedInventory) {
    this.description = { source: 'files', context: recorded.context, location: recorded.sources.map((source) => (source === '-' ? 'stdin' : source)).join(', ') };
    this.recordedAt = recorded.recordedAt;
    this.recordedContext = recorded.context;
    this.notes = recorded.notes;
    this.files = recorded.files;
    this.#serverVersion = recorded.serverVersion;
    this.#held = recorded.held;
    const objects = new Map<string, KubeObject[]>();
    for (const object of recorded.objects) {
      const key = resourceKey(groupOf(object.apiVersion ?? ''), object.kind ?? '');
      const list = objects.get(key);
      if (list === undefined) objects.set(key, [object]);
      else list.push(object);
    }
    this.#objects = objects;
  }

  async serverVersion(): Promise<ServerVersion | null> {
    return this.#serverVersion === null ? null : { gitVersion: this.#serverVersion };
  }

  /** Whether the recording was made with this resource: true with no objects means there were none, false means not known. */
  holds(resource: Pick<Resource, 'group' | 'kind'>): boolean {
    return this.#held.has(resourceKey(resource.group, resource.kind));
  }

  completeness(resource: Pick<Resource, 'group' | 'kind'>): 'all' | 'some' | 'none' {
    if (!this.holds(resource)) return 'none';
    return this.#held.get(resourceKey(resource.group, resource.kind)) === true ? 'all' : 'some';
  }

  /** The kinds of its objects; plurals are guesses, which no lookup here depends on. */
  async resources(): Promise<readonly Resource[]> {
    return [...this.#objects.values()].flatMap(([first, ...rest]) => {
      if (first === undefined) return [];
      const apiVersion = first.apiVersion ?? '';
      const kind = first.kind ?? '';
      const namespaced = [first, ...rest].some((object) => stringAt(object, 'metadata', 'namespace') !== undefined);
      return [{ group: groupOf(apiVersion), version: apiVersion.slice(apiVersion.indexOf('/') + 1), plural: `${kind.toLowerCase()}s`, kind, namespaced }];
    });
  }

  async *list(resource: Resource, options: ListOptions = {}): AsyncGenerator<ListPage> {
    const selects = selection(resource, options);
    options.signal?.throwIfAborted();
    // Not recorded: no page, so that nothing is mistaken for none. Only an empty list that names no kind answers every question.
    if (!this.holds(resource) && this.#held.size > 0) return;
    const namespace = resource.namespaced ? options.namespace : undefined;
    const items = this.#inServerOrder(resource).filter((object) =>
      (namespace === undefined || namespaceOf(object) === namespace) && selects(object));
    const chunkSize = options.chunkSize ?? DEFAULT_CHUNK_SIZE;
    const size = chunkSize > 0 ? chunkSize : Math.max(items.length, 1);
    // A list without objects is still an answer: one empty page.
    for (let start = 0; start === 0 || start < items.length; start += size) {
      options.signal?.throwIfAborted();
      yield { items: items.slice(start, start + size), resourceVersion: '' };
    }
  }

  async get(resource: Resource, name: string, options: { readonly namespace?: string | undefined } = {}): Promise<KubeObject> {
    const namespace = resource.namespaced ? (options.namespace ?? 'default') : undefined;
    const found = (this.#objects.get(resourceKey(resource.group, resource.kind)) ?? [])
      .find((object) => nameOf(object) === name && (namespace === undefined || namespaceOf(object) === namespace));
    if (found !== undefined) return found;
    const subject = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
    throw new ClusterError(`${subject} ${JSON.stringify(name)} not found`, {
      reason: 'NotFound',
      attempt: { verb: 'get', group: resource.group, resource: resource.plural, name, ...(namespace === undefined ? {} : { namespace }) },
      suggestions: [this.holds(resource) ? `the inventory ${this.description.location} does not hold it` : `the inventory ${this.description.location} was recorded without ${resource.plural}`],
    });
  }

  watch(_resource: Resource, _options: WatchOptions): AsyncIterable<WatchEvent> {
    throw new UsageError('an inventory cannot be watched: it does not change', { suggestions: ['leave out --watch, or leave out --inventory to watch the cluster'] });
  }

  async close(): Promise<void> {}

  #inServerOrder(resource: Resource): readonly KubeObject[] {
    const key = resourceKey(resource.group, resource.kind);
    const known = this.#sorted.get(key);
    if (known !== undefined) return known;
    const keyed = (this.#objects.get(key) ?? []).map((object) => ({ object, etcdKey: resource.namespaced ? `${namespaceOf(object)}/${nameOf(object)}` : nameOf(object) }));
    // The server lists in the order of etcd's keys, /registry/pods/NAMESPACE/NAME, compared as bytes; names are ASCII.
    keyed.sort((a, b) => (a.etcdKey < b.etcdKey ? -1 : a.etcdKey > b.etcdKey ? 1 : 0));
    const sorted = keyed.map(({ object }) => object);
    this.#sorted.set(key, sorted);
    return sorted;
  }
}

/** Both selectors as one test. The server answers 400 to a selector that it cannot read; here it is wrong use. */
function selection(resource: Resource, { labelSelector = '', fieldSelector = '' }: ListOptions): (object: KubeObject) => boolean {
  try {
    const labels = parseLabelSelector(labelSelector);
    const fields = selectableFields(resource.kind);
    const fieldRequirements = parseFieldSelector(fieldSelector, fields);
    return (object) => matchesLabels(labels, stringMapAt(object, 'metadata', 'labels')) && matchesFields(fieldRequirements, object, fields);
  } catch (error) {
    if (error instanceof SelectorSyntaxError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
