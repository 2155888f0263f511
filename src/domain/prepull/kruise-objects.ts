/**
 * `--engine kruise`: OpenKruise's ImagePullJobs, and what they and its NodeImages say. Fields and their meaning:
 * https://github.com/openkruise/kruise/blob/master/apis/apps/v1beta1/imagepulljob_types.go, nodeimage_types.go and
 * pkg/controller/imagepulljob/imagepulljob_controller.go (calculateStatus); v1alpha1 has the same ones. Read 2026-11-30.
 */
import { canonicalImage } from '../image/reference.ts';
import { arrayAt, numberAt, recordAt, stringAt, type KubeObject } from '../kubernetes/object.ts';
import { apiVersionOf, type Resource } from '../kubernetes/resource.ts';
import type { PrepullOutcome } from './prepull-event.ts';
import { isToPull, type PlanItem } from './prepull-plan.ts';
import { explainPullFailure } from '../pods/pull-reasons.ts';
import { deadlineSeconds, IMAGE_ANNOTATION, MANAGED_BY, recordTtlSecondsOf, runJobName, type RunOptions } from './run-objects.ts';
import { ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../runs/run-labels.ts';

export const KRUISE_ROLE = 'kruise';
/** In the version that all releases serve; discovery tells the one to use. */
export const IMAGE_PULL_JOBS = { group: 'apps.kruise.io', version: 'v1alpha1', plural: 'imagepulljobs', kind: 'ImagePullJob', namespaced: true } as const satisfies Resource;
export const NODE_IMAGES = { group: 'apps.kruise.io', version: 'v1alpha1', plural: 'nodeimages', kind: 'NodeImage', namespaced: false } as const satisfies Resource;

const LONGEST_SECONDS = 7 * 86_400;

export interface KruisePull {
  readonly image: string;
  readonly items: readonly PlanItem[];
  readonly job: KubeObject;
  readonly deadlineSeconds: number;
}

/** Pulls of one image at a time: its window is per image (https://github.com/openkruise/kruise/issues/2208), so that of all is shared out. 0: all at once. */
export function kruiseWindow(parallel: number, images: number): number {
  return parallel === 0 ? 0 : Math.max(1, Math.floor(parallel / images));
}

/** One for each image. */
export function kruisePulls(items: readonly PlanItem[], options: RunOptions & { readonly parallel: number; readonly retries: number }, resource: Resource): readonly KruisePull[] {
  const { run, namespace, origin, timeoutSeconds, pullSecrets, retries } = options;
  const byImage = new Map<string, PlanItem[]>();
  for (const item of items) if (isToPull(item)) byImage.set(item.image, [...byImage.get(item.image) ?? [], item]);
  const window = kruiseWindow(options.parallel, byImage.size);
  return [...byImage].map(([image, own], index): KruisePull => {
    const parallelism = window === 0 ? own.length : Math.min(window, own.length);
    // It counts from its start, and so its rounds, each with all its attempts.
    const seconds = Math.min(LONGEST_SECONDS, deadlineSeconds({ ...options, timeoutSeconds: timeoutSeconds * (retries + 1) * Math.ceil(own.length / parallelism) }));
    return {
      image, items: own, deadlineSeconds: seconds,
      job: {
        apiVersion: apiVersionOf(resource), kind: resource.kind,
        metadata: { name: `${runJobName(run)}-${index}`, namespace, labels: { ...MANAGED_BY, [RUN_LABEL]: run, [ROLE_LABEL]: KRUISE_ROLE }, annotations: { [ORIGIN_ANNOTATION]: origin, [IMAGE_ANNOTATION]: image } },
        spec: {
          image, selector: { names: own.map(({ node }) => node) }, parallelism,
          pullPolicy: { timeoutSeconds, backoffLimit: retries },
          completionPolicy: { type: 'Always', activeDeadlineSeconds: seconds, ttlSecondsAfterFinished: recordTtlSecondsOf(options) },
          ...(pullSecrets.length === 0 ? {} : { pullSecrets: [...pullSecrets] }),
          ...(own.some(({ reason }) => reason === 'TagMoved') ? { imagePullPolicy: 'Always' } : {}),
        },
      },
    };
  });
}

export interface KruiseState {
  readonly hasStarted: boolean;
  readonly hasEnded: boolean;
  readonly desired: number;
  readonly succeeded: number;
  readonly failedNodes: readonly string[];
  readonly message: string;
}

export function kruiseStateOf(job: KubeObject): KruiseState {
  return {
    hasStarted: stringAt(job, 'status', 'startTime') !== undefined, hasEnded: stringAt(job, 'status', 'completionTime') !== undefined,
    desired: numberAt(job, 'status', 'desired') ?? 0, succeeded: numberAt(job, 'status', 'succeeded') ?? 0,
    failedNodes: arrayAt(job, 'status', 'failedNodes').filter((name) => typeof name === 'string'), message: stringAt(job, 'status', 'message') ?? '',
  };
}

/** What became of an image on the node of a NodeImage, for the ImagePullJob with this UID; null while nothing has. */
export function outcomeOnNode(nodeImage: KubeObject, image: string, jobUid: string): PrepullOutcome | null {
  const canonical = canonicalImage(image);
  const tagsOf = (images: Readonly<Record<string, unknown>>): readonly unknown[] => Object.entries(images).flatMap(([name, entry]) => (
    arrayAt(entry, 'tags').filter((tag) => [':', '@'].some((sign) => canonicalImage(`${name}${sign}${stringAt(tag, 'tag') ?? ''}`) === canonical))));
  const wanted = tagsOf(recordAt(nodeImage, 'spec', 'images')).find((tag) => arrayAt(tag, 'ownerReferences').some((owner) => stringAt(owner, 'uid') === jobUid));
  // The status of another round has another version; none is 0.
  const version = (tag: unknown): number => numberAt(tag, 'version') ?? 0;
  const tag = wanted === undefined ? undefined : tagsOf(recordAt(nodeImage, 'status', 'imageStatuses')).find((one) => version(one) === version(wanted));
  const phase = stringAt(tag, 'phase');
  if (phase === 'Failed') return kruiseFailure(stringAt(tag, 'message') ?? '');
  return phase === 'Succeeded' ? kruiseSuccess(tag) : null;
}

/** Of OpenKruise, which does not tell whether the image was there: then no byte has been pulled. */
export const PULLED_OR_PRESENT = 'PulledOrPresent';

export function kruiseSuccess(tag: unknown): PrepullOutcome {
  const seconds = (Date.parse(stringAt(tag, 'completionTime') ?? '') - Date.parse(stringAt(tag, 'startTime') ?? '')) / 1000;
  return { result: 'pulled', reason: PULLED_OR_PRESENT, message: 'pulled by OpenKruise, unless it was there', seconds: Number.isNaN(seconds) || seconds < 0 ? null : seconds, sizeBytes: null, digest: null };
}

export function kruiseFailure(message: string): PrepullOutcome {
  const { reason, happened } = explainPullFailure('', message);
  return { result: 'failed', reason, message: message === '' ? `${happened}; OpenKruise does not say why: kubectl describe its NodeImage` : `${happened}: ${message}`, seconds: null, sizeBytes: null, digest: null };
}

