import { containerName } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { memoryOf, samplePod } from '../../samples.ts';
import { amountOf } from '../resource/shared-container-resources.ts';
import { volumesOf } from './shared-volumes.ts';

/** Size of the virtual disk of a Windows container, in bytes, where nobody has changed it. https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-storage, read 2026-11-30 */
const CONTAINER_DISK_BYTES = 20 * 2 ** 30;

/** More ephemeral storage than the C: drive of a Windows container holds. */
export const ephemeralStorageBeyondContainerDisk = defineWorkloadRule({
  id: 'ephemeral-storage-beyond-container-disk',
  facts: ['VOL-014'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  isolation: 'process',
  summary: 'More ephemeral storage than drive C: of a Windows container holds',
  rationale: 'The writable layer of a Windows container is a virtual disk of 20 GB by default, drive C: of the container. A larger request or limit of ephemeral-storage does not make it grow: writes fail with a full disk long before.',
  remediation: 'Put large data on a volume, and set ephemeral-storage to at most 20Gi.',
  reference: 'https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-storage',
  asOf: '2026-11-30',
  messages: { beyond: 'container {container} has {quantity} of ephemeral-storage as its {what}, but its drive C: holds 20 GB by default' },
  samples: {
    bad: [{ path: 'spec.containers[0].resources.limits.ephemeral-storage', yaml: samplePod({ resources: memoryOf('1Gi', 'ephemeral-storage: 50Gi') }) }],
    good: [{ yaml: samplePod({ resources: memoryOf('1Gi', 'ephemeral-storage: 10Gi') }) }],
  },
  * check({ workload }) {
    // files in an emptyDir count as ephemeral storage too, and stand on the node's disk
    if (volumesOf(workload).some(({ fields }) => Object.hasOwn(fields, 'emptyDir'))) return;
    for (const container of workload.containers) {
      for (const part of ['limits', 'requests'] as const) {
        const amount = amountOf(container, part, 'ephemeral-storage');
        if (amount === null || (amount.value ?? 0) <= CONTAINER_DISK_BYTES) continue;
        const path = [...container.path, 'resources', part, 'ephemeral-storage'];
        const fields = (['limits', 'requests'] as const).filter((one) => (amountOf(container, one, 'ephemeral-storage')?.value ?? 0) > CONTAINER_DISK_BYTES);
        yield {
          messageId: 'beyond', data: { container: containerName(container), quantity: amount.text, what: part === 'limits' ? 'limit' : 'request' }, container: container.name, path,
          fix: { title: 'set ephemeral-storage to 20Gi', edits: fields.map((one) => ({ op: 'set', path: [...container.path, 'resources', one, 'ephemeral-storage'], value: '20Gi' })), isSafe: false },
        };
        break;
      }
    }
  },
});
