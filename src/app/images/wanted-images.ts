import type { WorkloadSubject } from '../../domain/check/rule.ts';
import { namespaceOf } from '../../domain/kubernetes/object.ts';
import type { WantedImage } from './image-evidence.ts';
import { pullScopeOf } from './pull-secrets.ts';

/** Images of pod templates that are for Windows; others are nobody's question. */
export function windowsImages(subjects: readonly WorkloadSubject[]): readonly WantedImage[] {
  return subjects.filter(({ os }) => os.os === 'windows' || os.os === 'contradictory').flatMap(({ workload }) => {
    const scope = pullScopeOf(workload.spec, namespaceOf(workload.object));
    return workload.containers.flatMap(({ image }) => (image === null || image === '' ? [] : [{ image, scope }]));
  });
}
