/**
 * Whose an object is that looks like one of a run. Labels and names can be forged by whoever may create pods, so that nothing is deleted for
 * its labels: a UID that this machine has on record is proof; for what other machines have begun there is its shape, and a question.
 */
import { arrayAt, booleanAt, nameOf, namespaceOf, numberAt, recordAt, stringAt, valueAt, type KubeObject } from '../kubernetes/object.ts';
import { managedBy, NODE_ANNOTATION, ORIGIN_ANNOTATION, RUN_LABEL } from '../runs/run-labels.ts';
import type { Leftover } from './leftover.ts';
import { EXEC_CONTAINER } from './run-objects.ts';

/** What all objects of runs have. */
export const RUN_SELECTOR = managedBy('hostprocess');

/** A run as this machine has it on record. */
export interface RecordedRun {
  readonly run: string;
  readonly namespace: string;
  readonly startedAt: string;
  readonly objects: readonly { readonly resource: 'jobs' | 'pods'; readonly name: string; readonly uid: string | null; readonly node: string }[];
}

/** How far the clocks of this machine and the API server may differ. */
const CLOCKS_MS = 5 * 60 * 1000;

/** `records`: those of this cluster. null for what has nothing to do with runs. */
export function judgeLeftover(object: KubeObject, records: readonly RecordedRun[]): Leftover | null {
  const resource = object.kind === 'Job' ? 'jobs' : 'pods';
  const run = stringAt(object, 'metadata', 'labels', RUN_LABEL) ?? '';
  const pod = resource === 'jobs' ? recordAt(object, 'spec', 'template', 'spec') : recordAt(object, 'spec');
  const createdAt = stringAt(object, 'metadata', 'creationTimestamp') ?? null;
  const facts = {
    resource, namespace: namespaceOf(object), name: nameOf(object), uid: stringAt(object, 'metadata', 'uid') ?? '', run, createdAt,
    node: stringAt(pod, 'nodeName') ?? stringAt(object, 'metadata', 'annotations', NODE_ANNOTATION) ?? null, origin: stringAt(object, 'metadata', 'annotations', ORIGIN_ANNOTATION) ?? null,
    isAlive: !hasEnded(object), endsBy: endOf(object),
  } as const;
  const recorded = recordOf(facts.uid, records);
  if (recorded !== null) return { ...facts, run: recorded.run, judgement: 'own', because: 'it is in the record of this machine' };
  const labels = recordAt(object, 'metadata', 'labels');
  if (Object.entries(RUN_SELECTOR).some(([key, value]) => labels[key] !== value)) return null;
  const fault = faultOf(object, run, pod);
  if (fault !== null) return { ...facts, judgement: 'forged', because: `it has the labels of a run, but ${fault}` };
  // only now: whoever may change a pod may give it any owner
  if (ownersOf(object).some((owner) => recordOf(stringAt(owner, 'uid') ?? '', records) !== null)) return { ...facts, judgement: 'own', because: 'its Job is in the record of this machine' };
  if (isRecordedByName(facts, records)) return { ...facts, judgement: 'own', because: 'its name is in the record of this machine, which ended before its UID came' };
  return { ...facts, judgement: 'others', because: 'it is made as those of a run, and not in the record of this machine' };
}

function recordOf(uid: string, records: readonly RecordedRun[]): RecordedRun | null {
  return uid === '' ? null : records.find(({ objects }) => objects.some((one) => one.uid === uid)) ?? null;
}

/** Of an object whose creation was under way when the program ended: a namesake from before that is none. */
function isRecordedByName({ resource, namespace, name, run, createdAt }: Pick<Leftover, 'resource' | 'namespace' | 'name' | 'run' | 'createdAt'>, records: readonly RecordedRun[]): boolean {
  return records.some((record) => record.run === run && record.namespace === namespace && Date.parse(createdAt ?? '') >= Date.parse(record.startedAt) - CLOCKS_MS
    && record.objects.some((one) => one.resource === resource && one.name === name && one.uid === null));
}

/** What tells an object from those of runs; null for none. A part of a sentence. */
function faultOf(object: KubeObject, run: string, pod: Readonly<Record<string, unknown>>): string | null {
  const name = nameOf(object);
  if (!/^[a-z0-9]{1,32}$/.test(run)) return 'no run has such an id';
  const owners = ownersOf(object);
  const jobName = new RegExp(`^kubectl-win-hostprocess-${run}-\\d+$`);
  const owner = owners[0];
  // the pod of a Job of ours, whose name the Job controller has made longer
  const isOfJob = object.kind === 'Pod' && owners.length === 1 && stringAt(owner, 'kind') === 'Job' && jobName.test(stringAt(owner, 'name') ?? '');
  if (owners.length > 0 && !isOfJob) return `it belongs to ${(stringAt(owner, 'kind') ?? '').toLowerCase()}/${stringAt(owner, 'name') ?? ''}`;
  if (!(isOfJob ? name.startsWith(`${stringAt(owner, 'name') ?? ''}-`) : jobName.test(name))) return 'another name';
  if (stringAt(pod, 'os', 'name') !== 'windows') return 'its pod is not for Windows';
  if (stringAt(pod, 'restartPolicy') !== 'Never') return 'its pod is started again and again';
  const container = arrayAt(pod, 'containers').find((one) => stringAt(one, 'name') === EXEC_CONTAINER);
  if (container === undefined) return `no container of it is called ${EXEC_CONTAINER}`;
  if (![pod, container].some((one) => booleanAt(one, 'securityContext', 'windowsOptions', 'hostProcess') === true)) return 'its pod is no HostProcess pod';
  return null;
}

function ownersOf(object: KubeObject): readonly unknown[] {
  return arrayAt(object, 'metadata', 'ownerReferences');
}

function hasEnded(object: KubeObject): boolean {
  return object.kind === 'Job' ? finishOf(object) !== null : ['Succeeded', 'Failed'].includes(stringAt(object, 'status', 'phase') ?? '');
}

/** When a Job came to its end. */
function finishOf(job: KubeObject): string | null {
  const condition = arrayAt(job, 'status', 'conditions').find((one) => ['Complete', 'Failed'].includes(stringAt(one, 'type') ?? '') && stringAt(one, 'status') === 'True');
  return condition === undefined ? null : stringAt(job, 'status', 'completionTime') ?? stringAt(condition, 'lastTransitionTime') ?? '';
}

/** A Job goes with its pod; a pod alone is ended by its kubelet, and stays as an object. RFC 3339, null where nothing ends it or that is not known. */
function endOf(object: KubeObject): string | null {
  const startedAt = Date.parse(stringAt(object, 'status', 'startTime') ?? stringAt(object, 'metadata', 'creationTimestamp') ?? '');
  const deadline = startedAt + (numberAt(object, 'spec', 'activeDeadlineSeconds') ?? Number.NaN) * 1000;
  if (object.kind !== 'Job') return hasEnded(object) ? null : timeText(deadline);
  const finish = finishOf(object);
  return timeText((finish === null ? deadline : Date.parse(finish)) + (numberAt(object, 'spec', 'ttlSecondsAfterFinished') ?? Number.NaN) * 1000);
}

/** null also beyond what a date can hold: a deadline may be any number. */
function timeText(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Whether the API server has begun to remove it. */
export function isBeingDeleted(object: KubeObject): boolean {
  return valueAt(object, 'metadata', 'deletionTimestamp') !== undefined;
}
