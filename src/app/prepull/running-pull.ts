/** A pull whose Job is there. */
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import type { PrepullOutcome } from '../../domain/prepull/prepull-event.ts';
import type { PulledEvent } from '../../domain/prepull/pull-state.ts';
import { PULLED_OR_PRESENT } from '../../domain/prepull/kruise-objects.ts';
import { durationText } from '../../domain/duration-text.ts';
import type { RunOwner } from '../../domain/prepull/run-objects.ts';
import type { ToldOf } from '../runs/event-messages.ts';
import type { Pull } from './pull-window.ts';

export interface Running {
  readonly pull: Pull;
  readonly job: RunOwner;
  readonly startedAt: number;
  pod: ToldOf | null;
  /** Whether its pod has ended, or is gone. */
  podIsOver: boolean;
  scheduledAt: number | null;
  /** The scheduler's, while no node has it. */
  pendingMessage: string | null;
  /** When it was last told of, once a node has it. */
  toldAt: number;
  /** What the kubelet has said of the pull, and of which pod. */
  pulledEvent: (PulledEvent & { readonly of: string }) | null;
  /** The image is there; what the kubelet says of the pull is waited for. */
  pulled: { readonly digest: string | null; readonly at: number; readonly isRunning: boolean } | null;
  /** Nothing goes on with it: since when, and what is said of that. */
  stalled: { readonly since: number; readonly message: string } | null;
  /** Whether its registry has been seen to let it through. */
  isLetThrough: boolean;
  /** When its Job was given up; the place is free once the pod is over. */
  leavingSince: number | null;
  lookedForPodAt: number;
}

export function runningPull(pull: Pull, job: RunOwner, now: number): Running {
  return {
    pull, job, startedAt: now, pod: null, podIsOver: false, scheduledAt: null, pendingMessage: null, toldAt: 0, pulledEvent: null, pulled: null, stalled: null, isLetThrough: false, leavingSince: null, lookedForPodAt: now,
  };
}

/** The Job whose controller made a pod: labels may be anybody's. */
export function jobOf(pod: KubeObject): RunOwner | null {
  const owner = arrayAt(pod, 'metadata', 'ownerReferences').find((one) => stringAt(one, 'kind') === 'Job' && isController(one));
  return owner === undefined ? null : { name: stringAt(owner, 'name') ?? '', uid: stringAt(owner, 'uid') ?? '' };
}

function isController(owner: unknown): boolean {
  return typeof owner === 'object' && owner !== null && 'controller' in owner && owner.controller === true;
}

export function podOf(pod: KubeObject): ToldOf {
  return { kind: 'Pod', name: nameOf(pod), uid: stringAt(pod, 'metadata', 'uid') ?? '' };
}

/** Of the very pod; null while nothing has been said. */
export function pulledEventOf({ pod, pulledEvent }: Running): PulledEvent | null {
  return pulledEvent !== null && pulledEvent.of === pod?.uid ? pulledEvent : null;
}

export function isHeld({ pulled, podIsOver }: Running, holdSeconds: number): boolean {
  return holdSeconds > 0 && pulled?.isRunning === true && !podIsOver;
}

/** `event`: null where nothing told, so that the image may have been there; then no byte is counted. */
export function outcomeOf(running: Running, event: PulledEvent | null, holdSeconds: number): PrepullOutcome {
  const { pulled, scheduledAt, startedAt } = running;
  const held = holdSeconds === 0 ? '' : isHeld(running, holdSeconds) ? `; held for ${durationText(holdSeconds)}` : '; not held: its container does not run, which needs a shell in the image';
  const digest = pulled?.digest ?? null;
  if (event === null) return { result: 'pulled', reason: PULLED_OR_PRESENT, message: `it is there, and nothing told whether it was before${held}`, seconds: null, sizeBytes: null, digest };
  if (!event.wasPulled) return { result: 'present', reason: 'AlreadyPresent', message: `it was on the node${held}`, seconds: null, sizeBytes: event.sizeBytes, digest };
  const outside = pulled === null ? null : (pulled.at - (scheduledAt ?? startedAt)) / 1000;
  return { result: 'pulled', reason: 'Pulled', message: `pulled${held}`, seconds: event.seconds ?? outside, sizeBytes: event.sizeBytes, digest };
}
