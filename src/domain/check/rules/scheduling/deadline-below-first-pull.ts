import { defineWorkloadRule } from '../../rule.ts';
import { sampleWorkload } from '../../samples.ts';
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { valueAtPath } from '../../../kubernetes/field-path.ts';
import type { Workload } from '../../../workload/workload.ts';
import { containersWithLargeImages } from './shared-large-images.ts';

/**
 * Default of progressDeadlineSeconds; a first pull of Server Core and its unpacking take minutes on common disks
 * (https://github.com/Mirantis/cri-dockerd/issues/372, https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds, read 2026-11-30).
 */
const FIRST_PULL_SECONDS = 600;

/** A deadline that a first pull of a large image does not keep. */
export const deadlineBelowFirstPull = defineWorkloadRule({
  id: 'deadline-below-first-pull',
  facts: ['PUL-003'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Deadline shorter than a first pull of the image may take',
  rationale: 'The first pull of a Server Core image on a new node takes minutes, most of it unpacking. activeDeadlineSeconds counts it and ends the pod with DeadlineExceeded; progressDeadlineSeconds reports the rollout as failed.',
  remediation: 'Raise the deadline above the time of a first pull, or pull the image onto the nodes before the rollout (a DaemonSet that runs it there).',
  reference: 'https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds',
  asOf: '2026-11-30',
  messages: { short: '{field} is {seconds} s; a first pull of {image} may take longer' },
  samples: {
    bad: [{ path: 'spec.progressDeadlineSeconds', yaml: sampleWorkload('Deployment', {}, 'progressDeadlineSeconds: 60') }],
    good: [{ yaml: sampleWorkload('Deployment', {}, 'progressDeadlineSeconds: 1200') }, { yaml: sampleWorkload('Deployment') }],
  },
  * check({ workload }, { images }) {
    const [large] = containersWithLargeImages(workload, images);
    if (large === undefined) return;
    for (const path of deadlinePaths(workload)) {
      const seconds = valueAtPath(workload.object, path);
      if (typeof seconds !== 'number' || !(seconds > 0 && seconds < FIRST_PULL_SECONDS)) continue;
      yield { messageId: 'short', data: { field: String(path.at(-1)), seconds, image: large.image ?? '' }, path, confidence: 'unknown' };
    }
  },
});

function deadlinePaths({ object, specPath }: Workload): readonly FieldPath[] {
  const paths: FieldPath[] = [[...specPath, 'activeDeadlineSeconds']];
  if (object.kind === 'Deployment') paths.push(['spec', 'progressDeadlineSeconds']);
  if (object.kind === 'Job') paths.push(['spec', 'activeDeadlineSeconds']);
  if (object.kind === 'CronJob') paths.push(['spec', 'jobTemplate', 'spec', 'activeDeadlineSeconds']);
  return paths;
}
