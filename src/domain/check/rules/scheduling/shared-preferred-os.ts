import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';
import type { Workload } from '../../../workload/workload.ts';
import { OS_LABELS } from './shared-unmet-selectors.ts';

const PREFERRED = ['affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution'] as const;

/** Path of the preference for Windows nodes that a pod states; null where it states none. */
export function preferredOsOf({ spec, specPath }: Workload): FieldPath | null {
  for (const [index, preference] of arrayAt(spec, ...PREFERRED).entries()) {
    for (const [place, expression] of arrayAt(preference, 'preference', 'matchExpressions').entries()) {
      if (!OS_LABELS.includes(stringAt(expression, 'key') ?? '') || stringAt(expression, 'operator') !== 'In') continue;
      if (arrayAt(expression, 'values').includes('windows')) return [...specPath, ...PREFERRED, index, 'preference', 'matchExpressions', place];
    }
  }
  return null;
}
