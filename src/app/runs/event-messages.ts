/** What the cluster says of pods and Jobs beside their status. */
import { stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { EVENTS } from '../../domain/kubernetes/resource.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader } from '../ports.ts';

/** There may have been others of its name. */
export interface ToldOf {
  readonly kind: 'Pod' | 'Job';
  readonly name: string;
  readonly uid: string;
}

export interface Told {
  /** UID of what it is said of. */
  readonly of: string;
  readonly message: string;
}

export class EventMessages {
  readonly #reader: ClusterReader;
  readonly #scope: { readonly namespace: string; readonly signal: AbortSignal };
  readonly #container: string;
  #isRefused = false;

  /** `container`: that of the run; what is said of others in its pods is not meant. */
  constructor(reader: ClusterReader, { namespace, signal, container }: { readonly namespace: string; readonly signal: AbortSignal; readonly container: string }) {
    this.#reader = reader;
    this.#scope = { namespace, signal };
    this.#container = container;
  }

  /** Whether they may not be read. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Messages, the oldest first; none where they cannot be read. `what`: a reason, or all warnings. */
  async messagesOf({ kind, name, uid }: ToldOf, what: string | null): Promise<readonly string[]> {
    const told = await this.#list(`involvedObject.kind=${kind},involvedObject.name=${name},${what === null ? 'type=Warning' : `reason=${what}`}`);
    return told.filter(({ of }) => of === uid).map(({ message }) => message);
  }

  /** Of all pods. For a list of one pod's alone, too, the API server reads all events of the namespace. */
  ofAllPods(reason: string): Promise<readonly Told[]> {
    return this.#list(`involvedObject.kind=Pod,reason=${reason}`);
  }

  async #list(fieldSelector: string): Promise<readonly Told[]> {
    if (this.#isRefused) return [];
    const events: KubeObject[] = [];
    try {
      for await (const { items } of this.#reader.list(EVENTS, { ...this.#scope, fieldSelector })) events.push(...items);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.#isRefused = error.reason === 'Forbidden';
    }
    return events.filter((event) => isOfContainer(event, this.#container)).toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))).map(toldBy).filter(({ message }) => message !== '');
  }
}

export function toldBy(event: KubeObject): Told {
  return { of: stringAt(event, 'involvedObject', 'uid') ?? '', message: stringAt(event, 'message') ?? '' };
}

function timeOf(event: KubeObject): string {
  return stringAt(event, 'lastTimestamp') ?? stringAt(event, 'eventTime') ?? stringAt(event, 'metadata', 'creationTimestamp') ?? '';
}

/** Events name the container; those of a sidecar that was injected are not meant. */
export function isOfContainer(event: KubeObject, container: string): boolean {
  const field = stringAt(event, 'involvedObject', 'fieldPath') ?? '';
  return field === '' || field === `spec.containers{${container}}`;
}
