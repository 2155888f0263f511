/** Who watches what in a cluster in memory. */
import type { ListOptions, WatchEvent } from '../../src/app/ports.ts';
import type { Resource } from '../../src/domain/kubernetes/resource.ts';
import { selection, toldOf } from './selection.ts';

export class Watchers {
  readonly #pushes = new Map<string, Set<(event: WatchEvent | Error) => void>>();

  /** All who watch that resource, and hear of such an object. An error ends their watch. */
  tell(plural: string, event: WatchEvent | Error): void {
    for (const push of this.#pushes.get(plural) ?? []) push(event);
  }

  async* watch(resource: Resource, options: ListOptions): AsyncGenerator<WatchEvent> {
    const { signal } = options;
    const isSelected = selection(resource, options);
    const queue: (WatchEvent | Error)[] = [];
    let wake: (() => void) | null = null;
    const push = (event: WatchEvent | Error): void => {
      queue.push(event);
      wake?.();
    };
    const pushes = this.#pushes.get(resource.plural) ?? new Set();
    this.#pushes.set(resource.plural, pushes.add(push));
    signal?.addEventListener('abort', () => wake?.());
    try {
      for (;;) {
        for (const event of queue.splice(0)) {
          if (event instanceof Error) throw event;
          const told = toldOf(event, isSelected);
          if (told !== null) yield told;
        }
        signal?.throwIfAborted();
        await new Promise<void>((resolve) => { wake = resolve; });
      }
    } finally {
      pushes.delete(push);
    }
  }
}
