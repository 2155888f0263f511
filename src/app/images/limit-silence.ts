import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ListOptions, ListPage } from '../ports.ts';

/**
 * A reader that gives up on a cluster which says nothing for so long, where what it would say is an extra: with ClusterError, for
 * that call and for all that follow. A list may take longer as a whole as long as its pages come.
 */
export function limitSilence(reader: ClusterReader, seconds: number): ClusterReader {
  let silence: ClusterError | null = null;

  async function within<Value>(signal: AbortSignal | undefined, ask: (signal: AbortSignal) => Promise<Value>, end = new AbortController()): Promise<Value> {
    if (silence !== null) throw silence;
    signal?.throwIfAborted();
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      silence ??= new ClusterError(`the API server did not answer within ${seconds} s (--request-timeout)`, { reason: 'DeadlineExceeded' });
      end.abort(silence);
      late.reject(silence);
    }, seconds * 1000);
    try {
      return await Promise.race([ask(signal === undefined ? end.signal : AbortSignal.any([signal, end.signal])), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    description: reader.description,
    namespace: reader.namespace,
    completeness: (resource) => reader.completeness(resource),
    resources: ({ signal } = {}) => within(signal, (limited) => reader.resources({ signal: limited })),
    serverVersion: ({ signal } = {}) => within(signal, (limited) => reader.serverVersion({ signal: limited })),
    get: (resource, name, { namespace, signal } = {}) => within(signal, (limited) => reader.get(resource, name, { namespace, signal: limited })),
    async* list(resource, options: ListOptions = {}): AsyncGenerator<ListPage> {
      const { signal } = options;
      const end = new AbortController();
      const pages = reader.list(resource, { ...options, signal: signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]) })[Symbol.asyncIterator]();
      try {
        for (;;) {
          const page = await within(signal, () => pages.next(), end);
          if (page.done === true) return;
          yield page.value;
        }
      } finally {
        // a page that nobody sends may keep it waiting
        const ending = pages.return?.();
        if (silence === null) await ending;
        else ending?.catch(() => undefined);
      }
    },
    watch: (resource, options) => reader.watch(resource, options),
    close: () => reader.close(),
  };
}
