/** A control plane whose pulls are played by kwok (../cluster/stages-prepull.yaml), and what the suites of prepull ask of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCluster, type OpenCluster } from '../../src/adapters/kube/cluster.ts';
import { processEnvironment } from '../../src/adapters/kube/config/environment.ts';
import { resolveConnection } from '../../src/adapters/kube/config/resolve-connection.ts';
import type { PrepullReport } from '../../src/app/prepull/prepull-report.ts';
import { prepullImages, type PrepullOptions, type PrepullStep } from '../../src/app/prepull-images.ts';
import type { RunClock } from '../../src/app/prepull/run-pulls.ts';
import { NO_PLATFORMS } from '../../src/domain/image/no-platforms.ts';
import { nameOf, stringAt } from '../../src/domain/kubernetes/object.ts';
import { PODS } from '../../src/domain/kubernetes/resource.ts';
import type { TestCluster } from '../cluster/start.ts';

export const PREPULL_STAGES = readFileSync(join(import.meta.dirname, '../cluster/stages-prepull.yaml'), 'utf8');

/** kwok plays these; a node that loses the label has died. */
export const PLAYED = { 'kubectl-win-test/played': 'yes' } as const;

/** Controllers, scheduler and kwok, which renews leases: without, nodes are NotReady for a moment every 50 s. */
export const PLAYED_CLUSTER = { with: ['controllers', 'scheduler', 'kwok'], kwokStages: PREPULL_STAGES, kwokNodes: 'kubectl-win-test/played=yes', kwokLeases: true } as const;

export const realClock: RunClock = { now: () => new Date(), sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }) };

/** The program's own client, as it would be opened by the command line. */
export async function open(kubeconfig: string): Promise<OpenCluster> {
  const environment = processEnvironment({ variables: {}, stdinIsTerminal: false, warn: () => undefined, signal: new AbortController().signal });
  return openCluster(await resolveConnection({ kubeconfig }, environment), { userAgentVersion: 'test' });
}

export interface Prepulled {
  readonly report: PrepullReport | null;
  readonly steps: readonly PrepullStep[];
  readonly error: unknown;
}

export function optionsFor(parts: Partial<PrepullOptions> & Pick<PrepullOptions, 'named' | 'run'>): PrepullOptions {
  return {
    from: [], namespace: 'default', isNamespaceGiven: true, nodes: [], nodeSelector: undefined, pools: [], skipsCordoned: true, minFree: null, images: NO_PLATFORMS, registry: null, readsPullSecrets: false,
    asOf: new Date(), overrides: {}, poolLabels: [], spaceOf: async () => null, signal: new AbortController().signal,
    origin: 'kubectl win test prepull', parallel: 10, retries: 3, timeoutSeconds: 60, serviceAccount: null, pullSecrets: [], dryRun: 'none', ...parts,
  };
}

/** `onStep` may abort, or do something to the cluster. */
export async function prepull(kubeconfig: string, options: PrepullOptions, onStep: (step: PrepullStep) => Promise<void> | void = () => undefined): Promise<Prepulled> {
  const cluster = await open(kubeconfig);
  const steps: PrepullStep[] = [];
  let report: PrepullReport | null = null;
  try {
    for await (const step of prepullImages(options, { reader: cluster, writer: cluster.writer, manifests: null, clock: realClock }, (one) => { report = one; })) {
      steps.push(step);
      await onStep(step);
    }
    return { report, steps, error: null };
  } catch (error) {
    return { report, steps, error };
  } finally {
    await cluster.close();
  }
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
