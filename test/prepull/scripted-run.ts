/** A run of pulls in a scripted cluster, and what came of it. */
import { runPulls, type PullsOptions } from '../../src/app/prepull/run-pulls.ts';
import { stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import type { PrepullEvent } from '../../src/domain/prepull/prepull-event.ts';
import type { PlanItem } from '../../src/domain/prepull/prepull-plan.ts';
import { readRecord, type RunRecord } from '../../src/domain/prepull/run-record.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { planItem } from '../support/plan-item.ts';
import type { PlayedPull, ScriptedCluster } from './scripted-cluster.ts';

export const IMAGE = 'r.example/x:1';
export const RUN = 'kubectl-win-prepull-ab12c';

export function itemsOf(nodes: readonly string[], images: readonly string[] = [IMAGE], more: Partial<PlanItem> = {}): readonly PlanItem[] {
  return images.flatMap((image) => nodes.map((node) => planItem({ node, image, ...more })));
}

export const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);

export interface Ran {
  readonly events: readonly PrepullEvent[];
  readonly error: unknown;
  /** `NODE IMAGE: RESULT REASON` */
  readonly outcomes: readonly string[];
  readonly messages: readonly string[];
}

export async function run(cluster: ScriptedCluster, items: readonly PlanItem[], options: Partial<PullsOptions> = {}, onEvent: (event: PrepullEvent) => void = () => undefined): Promise<Ran> {
  cluster.objects['nodes'] ??= [...new Set(items.map(({ node }) => node))].map((node) => rawNode(node));
  const events: PrepullEvent[] = [];
  let failure: unknown = null;
  try {
    for await (const event of runPulls(items, {
      run: 'ab12c', namespace: 'web', origin: 'test', timeoutSeconds: 2700, serviceAccount: null, pullSecrets: [], parallel: 10, retries: 3, signal: new AbortController().signal, refused: 0, skipped: 0, ...options,
    }, { reader: cluster.reader, writer: cluster.writer, clock: cluster.clock })) {
      events.push(event);
      onEvent(event);
    }
  } catch (thrown) {
    failure = thrown;
  }
  return {
    events, error: failure,
    outcomes: events.flatMap((event) => (event.type === 'finished' ? [`${event.item.node} ${event.item.image}: ${event.outcome.result} ${event.outcome.reason}`] : [])),
    messages: events.flatMap((event) => (event.type === 'finished' ? [event.outcome.message] : event.type === 'note' || event.type === 'paused' ? [event.message] : [])),
  };
}

export function recordOf(cluster: ScriptedCluster): RunRecord | null {
  return readRecord(stringAt(cluster.jobs.get(RUN), 'metadata', 'annotations', 'kubectl-win/record'));
}

/** The Job controller says why it makes no pod. */
export function noPod(cluster: ScriptedCluster, { job }: PlayedPull, message: string): void {
  const involvedObject = { kind: 'Job', name: job, uid: stringAt(cluster.jobs.get(job), 'metadata', 'uid') };
  cluster.events.push({ apiVersion: 'v1', kind: 'Event', metadata: { name: `e${cluster.events.length}`, namespace: 'web' }, involvedObject, type: 'Warning', reason: 'FailedCreate', message, lastTimestamp: new Date(cluster.clock.now()).toISOString() });
}

/** Names of the Jobs of pulls that were asked for. */
export function created(cluster: ScriptedCluster): readonly string[] {
  return cluster.calls.filter(({ verb, name }) => verb === 'create' && name !== RUN).map(({ name }) => name);
}

/** A node of that name that is another machine. */
export function otherNode(name: string, ready = true): KubeObject {
  const node = rawNode(name, { ready });
  return { ...node, metadata: { ...node.metadata as object, uid: `other-${name}` } } as unknown as KubeObject; // a Node with another UID
}
