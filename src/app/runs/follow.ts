/** Objects as they are, and then as they change, until somebody says that it is enough. */
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import type { Resource } from '../../domain/kubernetes/resource.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, WatchEvent } from '../ports.ts';
import type { RunClock } from './run-clock.ts';

export interface FollowScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface FollowOptions {
  readonly clock: Pick<RunClock, 'sleep'>;
  readonly signal: AbortSignal;
}

/** A list that failed is tried again. */
const LIST_AGAIN_MS = 2_000;

/** Lists, which is told as RELISTED, then watches until the signal. Throws what does not pass by itself. */
export async function follow(reader: ClusterReader, resource: Resource, scope: FollowScope, handle: (event: WatchEvent) => void, options: FollowOptions): Promise<void> {
  const { objects, resourceVersion } = await listAll(reader, resource, scope, options);
  handle({ type: 'RELISTED', objects });
  for await (const event of reader.watch(resource, { ...scope, resourceVersion, signal: options.signal })) handle(event);
}

/** All of them, and where the list is then. */
export function listAll(reader: ClusterReader, resource: Resource, scope: FollowScope, options: FollowOptions): Promise<{ readonly objects: readonly KubeObject[]; readonly resourceVersion: string }> {
  return untilListed(async () => {
    let all: KubeObject[] = [];
    let version = '';
    for await (const page of reader.list(resource, { ...scope, signal: options.signal })) {
      version = page.resourceVersion;
      if (page.restarted === true) all = [];
      all.push(...page.items);
    }
    return { objects: all, resourceVersion: version };
  }, options);
}

/** Where the list of a resource is now, without the list. */
export function currentVersion(reader: ClusterReader, resource: Resource, scope: FollowScope, options: FollowOptions): Promise<string> {
  return untilListed(async () => {
    for await (const { resourceVersion } of reader.list(resource, { ...scope, chunkSize: 1, signal: options.signal })) return resourceVersion;
    return '';
  }, options);
}

/** Once more after failures that pass, until the signal. */
async function untilListed<Answer>(list: () => Promise<Answer>, { clock, signal }: FollowOptions): Promise<Answer> {
  for (;;) {
    try {
      return await list();
    } catch (error) {
      if (signal.aborted || !(error instanceof ClusterError) || !error.isPassing) throw error;
      await clock.sleep(LIST_AGAIN_MS, signal);
    }
  }
}
