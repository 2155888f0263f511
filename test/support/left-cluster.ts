/** A cluster in memory that holds what runs of `hostprocess exec` have left, and lets go of it, on a clock that does not wait. */
import type { ClusterReader, ClusterWriter } from '../../src/app/ports.ts';
import type { RunClock } from '../../src/app/runs/run-clock.ts';
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { fakeCluster } from './fake-cluster.ts';
import { isIn } from './selection.ts';

export interface LeftClusterParts {
  /** Jobs and pods. */
  readonly objects: readonly KubeObject[];
  /** UID of kube-system. */
  readonly cluster?: string;
  /** Thrown by a call such as `list pods`, `get namespaces`, or by `delete NAME`. */
  readonly errors?: Readonly<Record<string, Error>>;
  /** How long the kubelet of a pod takes to end it; Infinity for one that does not answer. */
  readonly endsAfterSeconds?: (pod: KubeObject) => number;
  /** Called before a deletion. */
  readonly onDelete?: (name: string) => void;
}

export interface LeftCluster {
  readonly reader: ClusterReader & { readonly calls: readonly string[] };
  readonly writer: ClusterWriter;
  readonly clock: RunClock;
  /** UIDs of what is there, in order. */
  readonly uids: () => readonly string[];
  /** What was asked to be deleted: `jobs NAME`. */
  readonly deletes: readonly string[];
  /** Puts another object into the place of one. */
  readonly replace: (uid: string, object: KubeObject) => void;
}

export function leftCluster({ objects, cluster = 'uid-kube-system', errors = {}, endsAfterSeconds = () => 0, onDelete }: LeftClusterParts): LeftCluster {
  const uidOf = (object: KubeObject): string => stringAt(object, 'metadata', 'uid') ?? '';
  const there = new Map(objects.map((object) => [uidOf(object), object]));
  const deletes: string[] = [];
  const due: { readonly at: number; readonly uid: string }[] = [];
  let now = Date.parse('2026-11-30T12:00:00Z');
  const of = (kind: string): readonly KubeObject[] => [...there.values()].filter((object) => object.kind === kind);
  const reader = fakeCluster({
    objects: {
      get jobs() {
        return of('Job');
      },
      get pods() {
        return of('Pod');
      },
      namespaces: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: cluster } }],
    },
    errors,
  });
  const end = (pod: KubeObject): void => {
    const seconds = endsAfterSeconds(pod);
    if (seconds === 0) there.delete(uidOf(pod));
    else due.push({ at: now + seconds * 1000, uid: uidOf(pod) });
  };
  const refuse = async (): Promise<never> => Promise.reject(new Error('a sweep only deletes'));
  return {
    reader,
    writer: {
      create: refuse, merge: refuse, review: refuse,
      delete: async (resource, name, { namespace, uid, signal }) => {
        signal?.throwIfAborted();
        onDelete?.(name);
        deletes.push(`${resource.plural} ${name}`);
        const error = errors[`delete ${name}`];
        if (error !== undefined) throw error;
        const object = of(resource.kind).find((one) => nameOf(one) === name && isIn(resource, one, namespace));
        // as the port says: one with another UID, or none, is as good as deleted
        if (object === undefined || uidOf(object) !== uid) return;
        if (resource.kind === 'Pod') end(object);
        else {
          there.delete(uid);
          for (const pod of of('Pod')) if (arrayAt(pod, 'metadata', 'ownerReferences').some((owner) => stringAt(owner, 'uid') === uid)) end(pod);
        }
      },
    },
    clock: {
      now: () => new Date(now),
      sleep: async (milliseconds, signal) => {
        signal.throwIfAborted();
        now += milliseconds;
        for (const { at, uid } of due) if (at <= now) there.delete(uid);
      },
    },
    uids: () => [...there.keys()], deletes,
    replace: (uid, object) => {
      there.delete(uid);
      there.set(uidOf(object), object);
    },
  };
}
