/** A workload: anything with a pod template, seen as the rules need it. */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { refOf, type ObjectRef } from '../kubernetes/object-ref.ts';
import { arrayAt, booleanAt, isRecord, numberAt, stringAt, type KubeObject } from '../kubernetes/object.ts';
import { podTemplatesOf, type PodTemplate } from './pod-template.ts';

/** The lists of containers of a pod spec, in the order in which messages name them. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
export type ContainerList = (typeof CONTAINER_LISTS)[number];

export interface Container {
  readonly list: ContainerList;
  readonly index: number;
  /** '' where it has none. */
  readonly name: string;
  /** null where it is missing or no text. */
  readonly image: string | null;
  /** Path of the container in the object: `['spec', 'template', 'spec', 'containers', 0]`. */
  readonly path: FieldPath;
  /** The container as it stands in the object. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Effective windowsOptions.hostProcess: the container's own, else the pod's. */
  readonly isHostProcess: boolean;
  /** Effective windowsOptions.runAsUserName: the container's own, else the pod's. */
  readonly runAsUserName: string | null;
  /** Effective runAsNonRoot: the container's own, else the pod's. */
  readonly runAsNonRoot: boolean | null;
  /** An init container that goes on running (restartPolicy Always). */
  readonly isSidecar: boolean;
}

export interface Workload {
  readonly object: KubeObject;
  readonly ref: ObjectRef;
  readonly template: PodTemplate;
  /** Path of the pod spec in the object. */
  readonly specPath: FieldPath;
  /** `template.spec`. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** Init containers, containers and ephemeral containers, in this order. */
  readonly containers: readonly Container[];
  /** Whether any container is a HostProcess container. The API server takes all or none. */
  readonly isHostProcess: boolean;
  /** spec.os.name; null where it is missing or no text. */
  readonly osName: string | null;
  /** spec.replicas of the object; null where it has none. */
  readonly replicas: number | null;
}

/** The workloads of an object: one per pod template. Never throws, whatever the object holds. */
export function workloadsOf(object: KubeObject): readonly Workload[] {
  return podTemplatesOf(object).map((template) => {
    const specPath = [...template.path, 'spec'];
    const containers = CONTAINER_LISTS.flatMap((list) => containersOf(template.spec, list, specPath));
    return {
      object, ref: refOf(object), template, specPath, spec: template.spec, containers,
      isHostProcess: booleanAt(template.spec, 'securityContext', 'windowsOptions', 'hostProcess') === true || containers.some(({ isHostProcess }) => isHostProcess),
      osName: stringAt(template.spec, 'os', 'name') ?? null,
      replicas: numberAt(object, 'spec', 'replicas') ?? null,
    };
  });
}

function containersOf(spec: Readonly<Record<string, unknown>>, list: ContainerList, specPath: FieldPath): readonly Container[] {
  return arrayAt(spec, list).flatMap((fields, index) => {
    if (!isRecord(fields)) return [];
    const own = (field: string): readonly string[] => ['securityContext', 'windowsOptions', field];
    return [{
      list, index, fields,
      name: stringAt(fields, 'name') ?? '',
      image: stringAt(fields, 'image') ?? null,
      path: [...specPath, list, index],
      isHostProcess: booleanAt(fields, ...own('hostProcess')) ?? booleanAt(spec, ...own('hostProcess')) ?? false,
      runAsUserName: stringAt(fields, ...own('runAsUserName')) ?? stringAt(spec, ...own('runAsUserName')) ?? null,
      runAsNonRoot: booleanAt(fields, 'securityContext', 'runAsNonRoot') ?? booleanAt(spec, 'securityContext', 'runAsNonRoot') ?? null,
      isSidecar: list === 'initContainers' && stringAt(fields, 'restartPolicy') === 'Always',
    }];
  });
}
