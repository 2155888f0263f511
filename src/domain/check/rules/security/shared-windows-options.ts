/** securityContext.windowsOptions of a pod template: the pod's own, and those of its containers. */
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { isRecord, stringAt, valueAt } from '../../../kubernetes/object.ts';
import type { Container, Workload } from '../../../workload/workload.ts';
import type { CheckFacts } from '../../facts.ts';

export interface WindowsOptions {
  /** Path in the object. */
  readonly path: FieldPath;
  readonly fields: Readonly<Record<string, unknown>>;
  /** null for the pod's own. */
  readonly container: Container | null;
}

/** Every windowsOptions that is set, empty ones too; the pod's first. */
export function windowsOptionsOf(workload: Workload): readonly WindowsOptions[] {
  const found: WindowsOptions[] = [];
  const own = valueAt(workload.spec, 'securityContext', 'windowsOptions');
  if (isRecord(own)) found.push({ path: [...workload.specPath, 'securityContext', 'windowsOptions'], fields: own, container: null });
  for (const container of workload.containers) {
    const fields = valueAt(container.fields, 'securityContext', 'windowsOptions');
    if (isRecord(fields)) found.push({ path: [...container.path, 'securityContext', 'windowsOptions'], fields, container });
  }
  return found;
}

/** A reference to a GMSACredentialSpec. */
export interface CredentialSpecReference {
  readonly name: string;
  readonly path: FieldPath;
  readonly container: Container | null;
  /** Whether the contents stand beside the name, so that no webhook has to fill them in. */
  readonly hasContents: boolean;
}

/** Names of credential specs that a pod template uses, each where it stands. */
export function credentialSpecsOf(workload: Workload): readonly CredentialSpecReference[] {
  return windowsOptionsOf(workload).flatMap(({ path, fields, container }) => {
    const name = stringAt(fields, 'gmsaCredentialSpecName');
    return name === undefined || name === '' ? [] : [{ name, path: [...path, 'gmsaCredentialSpecName'], container, hasContents: stringAt(fields, 'gmsaCredentialSpec') !== undefined }];
  });
}

/** Whether the cluster is known to have no GMSACredentialSpecs at all: then no webhook looks at their names. */
export function lacksCredentialSpecs({ customResourceDefinitions }: CheckFacts): boolean {
  return customResourceDefinitions?.isComplete === true && customResourceDefinitions.get('gmsacredentialspecs.windows.k8s.io') === undefined;
}

/** Whether the pod runs as a group managed service account, by name or by contents. */
export function usesGmsa(workload: Workload): boolean {
  return windowsOptionsOf(workload).some(({ fields }) => stringAt(fields, 'gmsaCredentialSpecName') !== undefined || stringAt(fields, 'gmsaCredentialSpec') !== undefined);
}
