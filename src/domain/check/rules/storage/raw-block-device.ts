import { containerName } from '../../../workload/container-names.ts';
import { arrayAt, stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { CLAIMED, samplePod, withVolumes } from '../../samples.ts';

/** A container that wants a raw block device. */
export const rawBlockDevice = defineWorkloadRule({
  id: 'raw-block-device',
  facts: ['VOL-002', 'C40'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Container with a raw block volume, which Windows does not have',
  rationale: 'Raw block devices are not implemented on Windows. The kubelet hands containerd the device with a path in the container, and containerd refuses to create the container: "unexpected ContainerPath …, must be empty".',
  remediation: 'Take the claim in mode Filesystem and mount it with volumeMounts.',
  reference: 'https://kubernetes.io/docs/concepts/storage/windows-storage/',
  asOf: '2026-11-30',
  messages: { device: 'container {container} wants volume {volume} as a raw block device: "unexpected ContainerPath {device}, must be empty"' },
  samples: {
    bad: [{ path: 'spec.containers[0].volumeDevices', yaml: samplePod({ ...withVolumes(CLAIMED), container: ['volumeDevices:', '- name: data', '  devicePath: /dev/xvda'] }) }],
    good: [{ yaml: samplePod(withVolumes(CLAIMED, ['data', 'mountPath: C:\\data'])) }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const [device] = arrayAt(container.fields, 'volumeDevices');
      if (device === undefined) continue;
      const path = [...container.path, 'volumeDevices'];
      yield {
        messageId: 'device', container: container.name, path,
        data: { container: containerName(container), volume: stringAt(device, 'name') ?? '', device: stringAt(device, 'devicePath') ?? '' },
        fix: { title: `remove volumeDevices of container ${containerName(container)}`, edits: [{ op: 'remove', path }], isSafe: false },
      };
    }
  },
});
