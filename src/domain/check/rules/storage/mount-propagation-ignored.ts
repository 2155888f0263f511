import { containerName } from '../../../workload/container-names.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { allVolumeMountsOf } from './shared-volumes.ts';

/** mountPropagation, which Windows does not have. */
export const mountPropagationIgnored = defineWorkloadRule({
  id: 'mount-propagation-ignored',
  facts: ['VOL-003', 'C40'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  summary: 'Mount propagation, which does nothing on Windows',
  rationale: 'The kubelet takes every mount of a Windows container as private, whatever mountPropagation says: mounts made later on the node or in the container are not seen by the other.',
  remediation: 'Remove mountPropagation.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod',
  asOf: '2026-11-30',
  messages: { ignored: 'mountPropagation {value} of volume {volume} in container {container} is ignored: Windows mounts are always private' },
  samples: {
    bad: [{
      path: 'spec.containers[0].volumeMounts[0].mountPropagation',
      yaml: samplePod(withVolumes({ data: 'hostPath:\n  path: C:\\data' }, ['data', 'mountPath: C:\\data\nmountPropagation: HostToContainer'])),
    }],
    good: [{ yaml: samplePod(withVolumes({ data: 'hostPath:\n  path: C:\\data' }, ['data', 'mountPath: C:\\data\nmountPropagation: None'])) }],
  },
  * check({ workload }) {
    for (const mount of allVolumeMountsOf(workload)) {
      const value = stringAt(mount.fields, 'mountPropagation');
      if (value !== 'HostToContainer' && value !== 'Bidirectional') continue;
      const path = [...mount.path, 'mountPropagation'];
      yield {
        messageId: 'ignored', data: { value, volume: mount.name, container: containerName(mount.container) }, container: mount.container.name, path,
        fix: { title: 'remove mountPropagation', edits: [{ op: 'remove', path }], isSafe: true },
      };
    }
  },
});
