/** What a cluster makes of the Jobs of a run when it lets them in: webhooks and policies change them, and some changes keep them from working. */
import { durationText } from '../duration-text.ts';
import { numberAt, stringAt, valueAt, type KubeObject } from '../kubernetes/object.ts';
import { managedBy } from './run-labels.ts';

export interface Admission {
  /** Why it cannot work, and what to do. */
  readonly refusal: { readonly message: string; readonly fix: string } | null;
  /** What is worth saying and stops nothing. */
  readonly notes: readonly string[];
}

const [[LABEL, VALUE]] = Object.entries(managedBy('prepull')) as [[string, string]]; // the same for all that this program makes

/** What to do about a change. */
export function exemption(kind: 'pods' | 'Jobs'): string {
  return `a mutating webhook or policy does so; exempt ${kind} with the label ${LABEL}: ${VALUE}, or use another namespace (-n)`;
}

/** https://kueue.sigs.k8s.io/docs/reference/kueue-config.v1beta2/ (manageJobsWithoutQueueName, managedJobsNamespaceSelector), read 2026-11-30 */
const SUSPENDED = `a queue for Jobs holds them back, as Kueue does with manageJobsWithoutQueueName; use a namespace that it does not manage (-n), or have Jobs with the label ${LABEL}: ${VALUE} exempted`;
const OWN_CONTROLLER = 'kubernetes.io/job-controller';

export interface JobWords {
  /** The command that removes what stays. */
  readonly cleanUp: string;
  /** What was done is known of the Job alone. */
  readonly isRecord: boolean;
}

/** `sent`: what was shown to the API server; `made`: what it would have made of it. */
export function judgeAdmittedJob(sent: KubeObject, made: KubeObject, { cleanUp, isRecord }: JobWords): Admission {
  const refuse = (message: string, fix: string): Admission => ({ refusal: { message: `the cluster changes the Jobs so that they do not work: ${message}`, fix }, notes: [] });
  if (valueAt(made, 'spec', 'suspend') === true) return refuse('they are suspended, and nobody lets them go', SUSPENDED);
  const controller = stringAt(made, 'spec', 'managedBy') ?? OWN_CONTROLLER;
  if (controller !== OWN_CONTROLLER) return refuse(`they are left to ${controller}`, SUSPENDED);
  for (const field of ['parallelism', 'completions'] as const) {
    const [asked, got] = [numberAt(sent, 'spec', field), numberAt(made, 'spec', field)];
    if (got !== asked) return refuse(`${field} becomes ${got ?? 'nothing'}`, exemption('Jobs'));
  }
  const [deadline, limit] = [numberAt(sent, 'spec', 'activeDeadlineSeconds') ?? 0, numberAt(made, 'spec', 'activeDeadlineSeconds')];
  if (limit === undefined) return refuse('they have no activeDeadlineSeconds any more, so that nothing would end what this program cannot', exemption('Jobs'));
  const [ttl, kept] = [numberAt(sent, 'spec', 'ttlSecondsAfterFinished') ?? 0, numberAt(made, 'spec', 'ttlSecondsAfterFinished')];
  return { refusal: null, notes: [
    ...(limit < deadline ? [`the cluster gives Jobs no more than ${durationText(limit)} (activeDeadlineSeconds): what takes longer is ended`] : []),
    ...(kept === undefined ? [`the cluster takes ttlSecondsAfterFinished from Jobs: what this program cannot remove stays until ${cleanUp}`] : []),
    ...(isRecord && kept !== undefined && kept < ttl ? [`the cluster removes Jobs ${durationText(kept)} after their end (ttlSecondsAfterFinished): what they did may not be on record for long`] : []),
  ] };
}
