/** Runs against a control plane whose nodes and pods are played by kwok, and what suites ask of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openCluster, type OpenCluster } from '../../src/adapters/kube/cluster.ts';
import { processEnvironment } from '../../src/adapters/kube/config/environment.ts';
import { resolveConnection } from '../../src/adapters/kube/config/resolve-connection.ts';
import type { RunClock } from '../../src/app/runs/run-clock.ts';
import { nameOf, stringAt } from '../../src/domain/kubernetes/object.ts';
import { PODS } from '../../src/domain/kubernetes/resource.ts';
import type { TestCluster } from './start.ts';

/** kwok plays these; a node that loses the label has died. */
export const PLAYED = { 'kubectl-win-test/played': 'yes' } as const;

export const realClock: RunClock = { now: () => new Date(), sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }) };

/** The program's own client, as it would be opened by the command line. */
export async function open(kubeconfig: string): Promise<OpenCluster> {
  const environment = processEnvironment({ variables: {}, stdinIsTerminal: false, warn: () => undefined, signal: new AbortController().signal });
  return openCluster(await resolveConnection({ kubeconfig }, environment), { userAgentVersion: 'test' });
}

/** Watches pods of runs: how many were there at once that had not ended. */
export class LivePods {
  readonly #live = new Map<string, string>();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  most = 0;
  seen = 0;

  private constructor(cluster: OpenCluster, scope: { readonly namespace: string; readonly labelSelector: string }, resourceVersion: string) {
    this.#done = (async () => {
      const everSeen = new Set<string>();
      for await (const event of cluster.watch(PODS, { ...scope, resourceVersion, signal: this.#stop.signal })) {
        if (event.type === 'RELISTED') throw new Error('the watch of the test was begun anew');
        const name = nameOf(event.object);
        everSeen.add(name);
        const phase = stringAt(event.object, 'status', 'phase');
        if (event.type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed') this.#live.delete(name);
        else this.#live.set(name, stringAt(event.object, 'spec', 'nodeName') ?? '');
        this.most = Math.max(this.most, this.#live.size);
        this.seen = everSeen.size;
      }
    })().catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  static async watch(cluster: OpenCluster, namespace: string, labelSelector: string): Promise<LivePods> {
    let resourceVersion = '';
    for await (const page of cluster.list(PODS, { namespace, labelSelector })) resourceVersion = page.resourceVersion;
    return new LivePods(cluster, { namespace, labelSelector }, resourceVersion);
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the test has seen enough'));
    await this.#done;
  }
}

/** Jobs, pods and secrets of this program that are in a namespace. */
export async function leftIn(cluster: TestCluster, namespace: string): Promise<readonly string[]> {
  const { stdout } = await cluster.kubectl(['get', 'job,pod,secret', '-n', namespace, '-l', 'app.kubernetes.io/managed-by=kubectl-win', '-o', 'name']);
  return stdout.split('\n').filter((line) => line !== '');
}

/** Waits until nothing of this program is left in a namespace. */
export async function nothingLeft(cluster: TestCluster, namespace: string, seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const left = await leftIn(cluster, namespace);
    if (left.length === 0) return;
    if (Date.now() > until) throw new Error(`left after ${seconds} s: ${left.slice(0, 10).join(', ')}${left.length > 10 ? ` and ${left.length - 10} more` : ''}`);
    await sleep(250);
  }
}
