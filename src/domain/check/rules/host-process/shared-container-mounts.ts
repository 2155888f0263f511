/** Mounts of containers with the volumes behind them. */
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, isRecord, stringAt } from '../../../kubernetes/object.ts';
import type { Container, Workload } from '../../../workload/workload.ts';

export interface ContainerMount {
  readonly container: Container;
  readonly volumeName: string;
  readonly mountPath: string;
  /** Path of the volumeMount in the object. */
  readonly path: FieldPath;
  /** hostPath.path of its volume; null for other volumes. */
  readonly hostPath: string | null;
}

/** All volumeMounts of a pod template that have a name and a path. */
export function containerMountsOf(workload: Workload): readonly ContainerMount[] {
  const hostPaths = new Map<string, string>();
  for (const volume of arrayAt(workload.spec, 'volumes')) {
    const name = stringAt(volume, 'name');
    const hostPath = stringAt(volume, 'hostPath', 'path');
    if (name !== undefined && hostPath !== undefined) hostPaths.set(name, hostPath);
  }
  return workload.containers.flatMap((container) => arrayAt(container.fields, 'volumeMounts').flatMap((mount, index) => {
    const volumeName = stringAt(mount, 'name');
    const mountPath = stringAt(mount, 'mountPath');
    return !isRecord(mount) || volumeName === undefined || mountPath === undefined ? [] : [{
      container, volumeName, mountPath, path: [...container.path, 'volumeMounts', index], hostPath: hostPaths.get(volumeName) ?? null,
    }];
  }));
}
