/** Which pulls begin when: a window over nodes, back-off, nodes that are away, registries and an API server that ask for a pause. Decides alone; the time is handed to it. */
import { parseReference } from '../../domain/image/reference.ts';
import { durationText } from '../../domain/duration-text.ts';
import { someOf } from '../../domain/some-of.ts';
import type { PlanItem } from '../../domain/prepull/prepull-plan.ts';
import type { ClusterError } from '../../errors.ts';
import { reasonOfRefusal } from './refusal-reason.ts';
import { KnownNodes } from './known-nodes.ts';
import { FIRST_BACKOFF_SECONDS, LONGEST_BACKOFF_SECONDS, RegistryPauses } from './registry-pauses.ts';

export interface Pull {
  readonly index: number;
  readonly item: PlanItem;
  readonly registry: string;
  /** Of the name of its Job, from 1. */
  readonly attempt: number;
  /** Attempts that count as such: those that a registry limits do not. */
  readonly failures: number;
  readonly notBefore: number;
  /** How often the API server did not take its Job, and since when. */
  readonly refusals: number;
  readonly refusedSince: number | null;
  /** Its Job may be there: the answer was lost. It holds a place. */
  readonly isUnsure: boolean;
}

/** Why an attempt, or a pull for good, has failed. */
export interface PullFailure {
  /** One word. */
  readonly reason: string;
  readonly message: string;
  /** Whether another attempt may go better. */
  readonly isPassing: boolean;
}

export interface GivenUp {
  readonly pull: Pull;
  readonly failure: PullFailure;
}

export interface Pause {
  readonly seconds: number;
  readonly message: string;
}

export interface WindowOptions {
  /** Pulls at a time over all nodes; 0 for all at once. */
  readonly parallel: number;
  /** Attempts after the first one. */
  readonly retries: number;
  readonly timeoutSeconds: number;
}

/** Nodes that a message names. */
const MOST_NAMED = 3;
/** A pause that goes on is told of so often. */
const TOLD_EVERY_MS = 60_000;
/** Beyond --timeout, for an API server that does not answer at all: where it is away for everybody, the run ends before that. */
const AWAY_MS = 300_000;
/** Requests at a time. */
const MOST_AT_ONCE = 8;
/** Failures of pulls that a registry has answered, and not with 429. */
const SERVED: ReadonlySet<string> = new Set(['Unauthorized', 'NotFound', 'NoMatchForPlatform', 'DiskFull', 'OsMismatch']);

export class PullWindow {
  readonly nodes = new KnownNodes();
  readonly registries: RegistryPauses;
  readonly #options: WindowOptions;
  readonly #timeoutMs: number;
  #queued: Pull[] = [];
  #nextIndex = 0;
  /** While the API server takes no Jobs. `until`: of the pause; after it one pull alone is tried. */
  #api: { readonly until: number; readonly since: number; readonly error: ClusterError } | null = null;
  #toldApi: { readonly at: number; readonly message: string } | null = null;
  #toldNodes = '';

  constructor(options: WindowOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutSeconds * 1000;
    this.registries = new RegistryPauses(options.timeoutSeconds);
  }

  /** To be begun after what waits. */
  add(items: readonly PlanItem[]): void {
    for (const item of items) {
      this.#queued.push({ index: this.#nextIndex, item, registry: registryOf(item.image), attempt: 1, failures: 0, notBefore: 0, refusals: 0, refusedSince: null, isUnsure: false });
      this.#nextIndex += 1;
    }
  }

  get queued(): readonly Pull[] {
    return this.#queued;
  }

  /** Takes out what may begin now, as many as requests are made at once. `busy`: nodes with a pull, one each. */
  next(now: number, busy: ReadonlySet<string>): readonly Pull[] {
    if (this.#api !== null && now < this.#api.until) return [];
    const { parallel } = this.#options;
    let free = parallel === 0 ? Number.POSITIVE_INFINITY : parallel - busy.size - this.#queued.filter(({ isUnsure }) => isUnsure).length;
    if (free <= 0 && !this.#queued.some(({ isUnsure }) => isUnsure)) return [];
    // One image at a time on a node: its kubelet pulls one after the other anyway, and places are for nodes.
    const taken = new Set(busy);
    const chosen: Pull[] = [];
    for (const pull of this.#apiProbesFirst()) {
      if (chosen.length === (this.#api === null ? MOST_AT_ONCE : 1)) break;
      const { item: { node }, registry, isUnsure } = pull;
      if ((!isUnsure && free <= 0) || pull.notBefore > now || taken.has(node) || this.nodes.notReadySince(node) !== null) continue;
      if (!isUnsure && !this.registries.allows(registry, now)) continue;
      this.registries.began(registry, nameOf(pull));
      if (!isUnsure) free -= 1;
      taken.add(node);
      chosen.push(pull);
    }
    if (chosen.length > 0) this.#queued = this.#queued.filter((pull) => !chosen.includes(pull));
    return chosen;
  }

  /** After a pause of the API server those first that it has refused least: what it takes from none of them shows nothing of the others. */
  #apiProbesFirst(): readonly Pull[] {
    return this.#api === null ? this.#queued : this.#queued.toSorted((a, b) => a.refusals - b.refusals);
  }

  /** The API server has taken a Job. */
  accepted(): void {
    this.#api = null;
  }

  /** The API server takes no Jobs for a while. Gives the pause where it is to be told of, and what is given up. */
  refused(refused: readonly { readonly pull: Pull; readonly error: ClusterError }[], now: number): { readonly pause: Pause | null; readonly givenUp: readonly GivenUp[] } {
    const givenUp: GivenUp[] = [];
    const back: Pull[] = [];
    for (const { pull, error } of refused) {
      const since = pull.refusedSince ?? now;
      this.registries.ended(pull.registry, nameOf(pull), null);
      if (this.#isTooLong(error, now - since)) givenUp.push({ pull, failure: { reason: reasonOfRefusal(error), message: this.#notBegun(error.message), isPassing: false } });
      else back.push({ ...pull, refusals: pull.refusals + 1, refusedSince: since, isUnsure: !isAnswer(error) });
    }
    this.#queued.unshift(...back);
    const { error } = refused.at(-1) as { readonly error: ClusterError }; // called with some
    const { message } = error;
    this.#api = { until: now + FIRST_BACKOFF_SECONDS * 1000, since: this.#api?.since ?? now, error };
    const isTold = this.#toldApi !== null && this.#toldApi.message === message && now - this.#toldApi.at < TOLD_EVERY_MS;
    if (!isTold) this.#toldApi = { at: now, message };
    return { pause: isTold ? null : { seconds: FIRST_BACKOFF_SECONDS, message }, givenUp };
  }

  /** An attempt has failed. Gives in how many seconds the next may begin, null where there is none, and a pause that begins with it. */
  failed(pull: Pull, failure: PullFailure, now: number): { readonly retrySeconds: number | null; readonly pause: Pause | null } {
    if (failure.reason === 'TooManyRequests') return this.#limited(pull, failure.message, now);
    this.served(pull, SERVED.has(failure.reason) ? true : null);
    if (!failure.isPassing || pull.failures >= this.#options.retries) return { retrySeconds: null, pause: null };
    const retrySeconds = Math.min(LONGEST_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** pull.failures);
    this.#again({ ...pull, failures: pull.failures + 1 }, now + retrySeconds * 1000);
    return { retrySeconds, pause: null };
  }

  #limited(pull: Pull, message: string, now: number): { readonly retrySeconds: number; readonly pause: Pause | null } {
    const { until, isNew } = this.registries.limit(pull.registry, nameOf(pull), message, now);
    const seconds = Math.ceil((until - now) / 1000);
    this.#again(pull, until);
    return { retrySeconds: seconds, pause: isNew ? { seconds, message: `${pull.registry}: ${message}` } : null };
  }

  #again(pull: Pull, notBefore: number): void {
    this.#queued.push({ ...pull, attempt: pull.attempt + 1, notBefore, refusals: 0, refusedSince: null, isUnsure: false });
  }

  /** A pull has ended, or has got on so far that this much is known: whether its registry served it; null where nothing tells. */
  served(pull: Pull, isServed: boolean | null): void {
    this.registries.ended(pull.registry, nameOf(pull), isServed);
  }

  /** Takes out the pulls of a node. */
  withdraw(node: string): readonly Pull[] {
    const withdrawn = this.#queued.filter(({ item }) => item.node === node);
    if (withdrawn.length > 0) this.#queued = this.#queued.filter(({ item }) => item.node !== node);
    return withdrawn;
  }

  /** Takes out what nothing is waited for any longer. */
  giveUp(now: number): readonly GivenUp[] {
    const givenUp: GivenUp[] = [];
    for (const pull of this.#queued) {
      const failure = this.#hopeless(pull, now);
      if (failure !== null) givenUp.push({ pull, failure });
    }
    if (givenUp.length > 0) {
      const pulls = new Set(givenUp.map(({ pull }) => pull));
      this.#queued = this.#queued.filter((pull) => !pulls.has(pull));
    }
    return givenUp;
  }

  #hopeless({ item: { node }, registry }: Pull, now: number): PullFailure | null {
    const waited = durationText(this.#options.timeoutSeconds);
    if (this.nodes.isGone(node)) return { reason: 'NodeLost', message: 'the node is gone', isPassing: false };
    const notReadySince = this.nodes.notReadySince(node);
    if (notReadySince !== null && now - notReadySince >= this.#timeoutMs) return { reason: 'NodeLost', message: `the node has not been Ready for ${waited} (--timeout)`, isPassing: false };
    const limited = this.registries.hopeless(registry, now);
    if (limited !== null) return { reason: 'TooManyRequests', message: `the registry has let no pull through for ${waited} (--timeout): ${limited}`, isPassing: false };
    if (this.#api !== null && this.#isTooLong(this.#api.error, now - this.#api.since)) return { reason: reasonOfRefusal(this.#api.error), message: this.#notBegun(this.#api.error.message), isPassing: false };
    return null;
  }

  #isTooLong({ status }: ClusterError, milliseconds: number): boolean {
    return milliseconds >= this.#timeoutMs + (status === null ? AWAY_MS : 0);
  }

  #notBegun(message: string): string {
    return `not begun within ${durationText(this.#options.timeoutSeconds)} (--timeout): ${message}`;
  }

  /** To be told where all that is left waits for nodes that are not Ready; null where it does not, or has been told. */
  waitForNodes(now: number): Pause | null {
    const nodes = [...new Set(this.#queued.map(({ item }) => item.node))];
    if (nodes.length === 0 || nodes.some((node) => this.nodes.notReadySince(node) === null)) {
      this.#toldNodes = '';
      return null;
    }
    const message = `${someOf(nodes, MOST_NAMED)} ${nodes.length === 1 ? 'is' : 'are'} not Ready, and the pulls that are left wait for that`;
    if (message === this.#toldNodes) return null;
    this.#toldNodes = message;
    const last = Math.max(...nodes.map((node) => this.nodes.notReadySince(node) ?? now));
    return { seconds: Math.max(0, Math.ceil((last + this.#timeoutMs - now) / 1000)), message };
  }
}

/** A name for a pull, whatever its attempt. */
function nameOf({ index }: Pull): string {
  return String(index);
}

/** Whether the API server has said that it did not take the Job; otherwise it may have. */
function isAnswer({ reason }: ClusterError): boolean {
  return reason === 'Forbidden' || reason === 'TooManyRequests' || reason === 'Conflict';
}

function registryOf(image: string): string {
  const parsed = parseReference(image);
  return parsed.kind === 'reference' ? parsed.reference.domain : '';
}
