/**
 * Free space of the file system that images are unpacked on, from the kubelet's summary
 * (https://kubernetes.io/docs/reference/instrumentation/node-metrics/#summary-api-source, read 2026-11-30), which the API server passes on to
 * those who may `get` nodes/proxy. Nobody is asked to grant that: it is exec on the kubelet.
 */
import { json } from 'node:stream/consumers';
import { numberAt, valueAt } from '../../domain/kubernetes/object.ts';
import { NODES } from '../../domain/kubernetes/resource.ts';
import type { NodeSpace } from '../../app/ports.ts';
import type { KubeClient } from './api/client.ts';

const PARALLEL_READS = 10;
/** Of one kubelet: a node that does not answer holds nobody up. */
const TIMEOUT_MS = 5_000;

/** Asks once whether it may, then at most ten kubelets at a time. */
export class NodeSpaceReader {
  readonly #client: Pick<KubeClient, 'review' | 'rawStream'>;
  #mayAsk: Promise<boolean> | null = null;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(client: Pick<KubeClient, 'review' | 'rawStream'>) {
    this.#client = client;
  }

  /** null where it is not known; throws only what the signal was aborted with. */
  async read(node: string, signal: AbortSignal | undefined): Promise<NodeSpace | null> {
    this.#mayAsk ??= this.#client.review([{ verb: 'get', group: '', resource: 'nodes', subresource: 'proxy' }], { signal }).then(([answer]) => answer?.allowed === true, () => false);
    const mayAsk = await this.#mayAsk;
    signal?.throwIfAborted();
    if (!mayAsk) return null;
    if (this.#running >= PARALLEL_READS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await this.#ask(node, signal);
    } finally {
      // its place goes to the next one, if there is one
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #ask(node: string, signal: AbortSignal | undefined): Promise<NodeSpace | null> {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const stream = await this.#client.rawStream(NODES, node, { subresource: 'proxy/stats/summary', signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]) });
      return spaceOf(await json(stream));
    } catch {
      // a kubelet that cannot be asked, or answers something else
      signal?.throwIfAborted();
      return null;
    }
  }
}

function spaceOf(summary: unknown): NodeSpace | null {
  for (const fileSystem of [valueAt(summary, 'node', 'runtime', 'imageFs'), valueAt(summary, 'node', 'fs')]) {
    const [availableBytes, capacityBytes] = [numberAt(fileSystem, 'availableBytes'), numberAt(fileSystem, 'capacityBytes')];
    if (availableBytes !== undefined && capacityBytes !== undefined && capacityBytes > 0) return { availableBytes, capacityBytes };
  }
  return null;
}
