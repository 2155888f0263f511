import { containerName } from '../../../workload/container-names.ts';
import { isRecord, stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { allVolumeMountsOf, volumesOf } from './shared-volumes.ts';

const SETTINGS = { settings: 'configMap:\n  name: settings' };
const WEB_CONFIG = ['settings', 'mountPath: C:\\inetpub\\wwwroot\\web.config\nsubPath: web.config'] as const;

/** subPath mounts: they work on Windows, though its documentation says otherwise, and never update. */
export const subPathNeverUpdates = defineWorkloadRule({
  id: 'sub-path-never-updates',
  facts: ['VOL-008', 'C42'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'The subPath mount works on Windows with containerd, but never updates',
  rationale: 'The page on Windows storage calls subPath unsupported; the kubelet implements it all the same, and containerd mounts single files. As on Linux, such a mount never sees a change of its ConfigMap or Secret: the pod has to be restarted.',
  remediation: 'Mount the whole volume where changes are to arrive; otherwise leave it as it is.',
  reference: 'https://kubernetes.io/docs/concepts/storage/volumes/#configmap',
  asOf: '2026-11-30',
  messages: {
    static: 'volume {volume} is mounted by {field} in container {container}: changes of its {kind} arrive only with a new pod',
    works: 'volume {volume} is mounted by {field} in container {container}: it works with containerd, though the documentation of Windows storage says otherwise',
  },
  samples: {
    bad: [{
      path: 'spec.containers[0].volumeMounts[0].subPath',
      yaml: samplePod(withVolumes(SETTINGS, WEB_CONFIG)),
    }],
    good: [{ yaml: samplePod(withVolumes(SETTINGS, ['settings', 'mountPath: C:\\settings'])) }],
  },
  * check({ workload }) {
    const volumes = new Map(volumesOf(workload).map(({ name, fields }) => [name, fields]));
    const seen = new Set<string>();
    for (const mount of allVolumeMountsOf(workload)) {
      const field = ['subPath', 'subPathExpr'].find((name) => (stringAt(mount.fields, name) ?? '') !== '');
      if (field === undefined || seen.has(mount.name)) continue;
      seen.add(mount.name); // the volume is the cause: one finding for all of its mounts
      const kind = ['configMap', 'secret', 'downwardAPI', 'projected'].find((name) => isRecord(volumes.get(mount.name)?.[name]));
      const data = { volume: mount.name, field, container: containerName(mount.container) };
      const found = { container: mount.container.name, path: [...mount.path, field] };
      yield kind === undefined ? { ...found, messageId: 'works', data } : { ...found, messageId: 'static', data: { ...data, kind } };
    }
  },
});
