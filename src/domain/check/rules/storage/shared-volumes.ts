/** Volumes of a pod and their mounts, as the rules on storage read them. */
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, isRecord, stringAt } from '../../../kubernetes/object.ts';
import type { Container, Workload } from '../../../workload/workload.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Volume {
  /** '' where it has none. */
  readonly name: string;
  readonly path: FieldPath;
  readonly fields: Fields;
}

export interface VolumeMount {
  /** Of the volume. */
  readonly name: string;
  readonly mountPath: string | null;
  readonly path: FieldPath;
  readonly fields: Fields;
  readonly container: Container;
}

export function volumesOf(workload: Workload): readonly Volume[] {
  return arrayAt(workload.spec, 'volumes').flatMap((fields, index) => (
    isRecord(fields) ? [{ name: stringAt(fields, 'name') ?? '', path: [...workload.specPath, 'volumes', index], fields }] : []
  ));
}

export function volumeMountsOf(container: Container): readonly VolumeMount[] {
  return arrayAt(container.fields, 'volumeMounts').flatMap((fields, index) => (
    isRecord(fields)
      ? [{ name: stringAt(fields, 'name') ?? '', mountPath: stringAt(fields, 'mountPath') ?? null, path: [...container.path, 'volumeMounts', index], fields, container }]
      : []
  ));
}

/** Mounts of all containers, in their order. */
export function allVolumeMountsOf(workload: Workload): readonly VolumeMount[] {
  return workload.containers.flatMap(volumeMountsOf);
}
