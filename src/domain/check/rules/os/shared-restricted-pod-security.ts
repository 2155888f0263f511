/**
 * What the Pod Security level restricted asks of pods unless their spec.os.name is windows.
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted; the checks
 * allowPrivilegeEscalation, capabilities_restricted and seccompProfile_restricted of
 * https://github.com/kubernetes/pod-security-admission/tree/v0.37.2/policy, read 2026-11-30.
 */
import { arrayAt, booleanAt, stringAt, stringMapAt, type KubeObject } from '../../../kubernetes/object.ts';
import type { Workload } from '../../../workload/workload.ts';

const LABEL = 'pod-security.kubernetes.io/enforce';

/** Whether a namespace enforces restricted in a version that exempts Windows pods: 1.25 and later. */
export function enforcesRestrictedWithExemption(namespace: KubeObject): boolean {
  const labels = stringMapAt(namespace, 'metadata', 'labels');
  if (labels[LABEL] !== 'restricted') return false;
  const minor = /^v1\.(\d{1,4})$/.exec(labels[`${LABEL}-version`] ?? 'latest')?.[1];
  return minor === undefined || Number(minor) >= 25;
}

/** Whether restricted may be enforced on the pods of a namespace, in any version: also where its labels are not known. */
export function mayEnforceRestricted(namespace: KubeObject | undefined): boolean {
  return namespace === undefined || stringMapAt(namespace, 'metadata', 'labels')[LABEL] === 'restricted';
}

/** Linux-only fields that restricted asks for and the pod does not have; the pod is taken when there are none. */
export function missingForRestricted({ spec, containers }: Workload): readonly string[] {
  const isConfined = (type: string | undefined): boolean => type === 'RuntimeDefault' || type === 'Localhost';
  const own = stringAt(spec, 'securityContext', 'seccompProfile', 'type');
  const missing: string[] = [];
  if (containers.some(({ fields }) => booleanAt(fields, 'securityContext', 'allowPrivilegeEscalation') !== false)) missing.push('allowPrivilegeEscalation: false');
  if (containers.some(({ fields }) => !arrayAt(fields, 'securityContext', 'capabilities', 'drop').includes('ALL'))) missing.push('capabilities.drop: [ALL]');
  if (containers.some(({ fields }) => !isConfined(stringAt(fields, 'securityContext', 'seccompProfile', 'type') ?? own))) missing.push('seccompProfile');
  return missing;
}
