import type { ClusterReader, ListOptions, ListPage } from '../app/ports.ts';
import type { Resource } from '../domain/kubernetes/resource.ts';
import { ClusterError } from '../errors.ts';
import type { InventorySink } from './context.ts';

/** A reader whose lists are also written to the file of --save, page by page and as they came. */
export interface RecordingReader extends ClusterReader {
  /** Completes the file with what is known at the end. */
  finish(facts: { readonly generatedAt: string; readonly toolVersion: string }): Promise<void>;
  abort(): Promise<void>;
}

/** Wraps a reader. `create` begins the file, and begins it anew when the server makes a list start again (410). */
export async function recordReader(reader: ClusterReader, create: () => Promise<InventorySink>): Promise<RecordingReader> {
  let sink = await create();
  const recorded = new Set<string>();
  /** Resources whose objects are all in the file: they are not written again. */
  const whole = new Set<string>();
  async function* list(resource: Resource, options?: ListOptions): AsyncGenerator<ListPage> {
    const key = `${resource.group}/${resource.plural}`;
    if (whole.has(key)) {
      yield* reader.list(resource, options);
      return;
    }
    recorded.add(key);
    const complete = !options?.labelSelector && !options?.fieldSelector && options?.namespace === undefined;
    // what is recorded must be whole objects
    for await (const page of reader.list(resource, { ...options, metadataOnly: false, podDigest: undefined })) {
      if (page.restarted === true) {
        // what was written of this list is void, and a file cannot be unwritten in the middle
        if (recorded.size > 1) {
          throw new ClusterError(`the list of ${resource.plural} expired while it was saved`, {
            reason: 'Expired', attempt: { verb: 'list', group: resource.group, resource: resource.plural },
            suggestions: ['run the command again, or with --chunk-size=0'],
          });
        }
        await sink.abort();
        sink = await create();
      }
      await sink.write(resource, page.items, false);
      yield page;
    }
    // notes the resource even where it has no objects; only a list that was read to its end is known to be whole
    await sink.write(resource, [], complete);
    if (complete) whole.add(key);
  }
  return {
    description: reader.description,
    namespace: reader.namespace,
    resources: (options) => reader.resources(options),
    ...(reader.mayServiceAccount === undefined ? {} : { mayServiceAccount: reader.mayServiceAccount.bind(reader) }),
    completeness: (resource) => reader.completeness(resource),
    serverVersion: (options) => reader.serverVersion(options),
    list,
    get: async (resource, name, options) => {
      const object = await reader.get(resource, name, options);
      const key = `${resource.group}/${resource.plural}`;
      if (whole.has(key)) return object;
      recorded.add(key);
      await sink.write(resource, [object], false);
      return object;
    },
    watch: (resource, options) => reader.watch(resource, options),
    close: () => reader.close(),
    finish: async ({ generatedAt, toolVersion }) => {
      const serverVersion = (await reader.serverVersion())?.gitVersion ?? null;
      await sink.finish({ source: reader.description.source, context: reader.description.context, serverVersion, generatedAt, toolVersion });
    },
    abort: () => sink.abort(),
  };
}
