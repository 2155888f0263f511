/** What a run cost a control plane, read from its audit log. */
import type { AuditEvent } from '../cluster/start.ts';

export interface AuditFigures {
  /** Of the client, answered or ended: a watch counts once. */
  readonly requests: number;
  /** The same by verb and resource, the most frequent first: `create jobs`. */
  readonly requestsByKind: readonly (readonly [kind: string, count: number])[];
  /** What controllers, scheduler and kubelets wrote in the namespace because of it. */
  readonly writes: number;
  /** Pods whose pull ended, one for each node and image. */
  readonly pulled: number;
  /** When the last of them ended, in milliseconds since the epoch; null where none did. */
  readonly lastPulledAt: number | null;
  /** The most pods that were on nodes, pulling, at one time. */
  readonly mostAtOnce: number;
}

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
/** It plays the kubelets: its first word on the status of a pod is that the pull has ended. */
const KUBELETS = 'kwok/';

/** `agent`: how the User-Agent of the client begins. `namespace`: one that nobody else uses. */
export function auditFigures(events: readonly AuditEvent[], { agent, namespace }: { readonly agent: string; readonly namespace: string }): AuditFigures {
  const kinds = new Map<string, number>();
  let writes = 0;
  const bound = new Map<string, number>();
  const pulled = new Map<string, number>();
  for (const { stage, verb, userAgent = '', objectRef, responseStatus, stageTimestamp } of events) {
    if (stage !== 'ResponseComplete') continue;
    const what = [objectRef?.resource, objectRef?.subresource].filter((part) => part !== undefined).join('/');
    if (userAgent.startsWith(agent)) {
      const kind = `${verb} ${what === '' ? '(no object)' : what}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      continue;
    }
    if (objectRef?.namespace !== namespace || !WRITES.has(verb)) continue;
    writes += 1;
    const pod = objectRef.name ?? '';
    if ((responseStatus?.code ?? 0) >= 300) continue;
    if (what === 'pods/binding') bound.set(pod, Date.parse(stageTimestamp));
    else if (what === 'pods/status' && userAgent.startsWith(KUBELETS) && !pulled.has(pod)) pulled.set(pod, Date.parse(stageTimestamp));
  }
  return {
    requests: [...kinds.values()].reduce((sum, count) => sum + count, 0),
    requestsByKind: [...kinds].toSorted(([, a], [, b]) => b - a),
    writes, pulled: pulled.size, lastPulledAt: pulled.size === 0 ? null : Math.max(...pulled.values()), mostAtOnce: mostAtOnce(bound, pulled),
  };
}

function mostAtOnce(bound: ReadonlyMap<string, number>, pulled: ReadonlyMap<string, number>): number {
  const changes = [...[...bound].map(([, at]) => ({ at, by: 1 })), ...[...pulled].filter(([pod]) => bound.has(pod)).map(([, at]) => ({ at, by: -1 }))];
  let now = 0;
  let most = 0;
  // an end at the same moment makes room first
  for (const { by } of changes.toSorted((a, b) => a.at - b.at || a.by - b.by)) most = Math.max(most, now += by);
  return most;
}
