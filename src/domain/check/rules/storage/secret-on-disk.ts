import { arrayAt, isRecord } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { volumesOf } from './shared-volumes.ts';

/** Secrets in volumes, which are files on the disk of a Windows node. */
export const secretOnDisk = defineWorkloadRule({
  id: 'secret-on-disk',
  facts: ['VOL-013'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'Secrets of the volume are in clear text on the disk of the node',
  rationale: 'On Linux a secret volume is in memory. Windows has no such thing: the kubelet writes the files into its folder on the node\'s disk, in clear text and without mode bits.',
  remediation: 'Encrypt the disks of the nodes, protect the kubelet\'s folder by file permissions, or fetch secrets from a store at run time.',
  reference: 'https://kubernetes.io/docs/concepts/security/windows-security/#protection-for-secret-data-on-nodes',
  asOf: '2026-11-30',
  messages: { onDisk: 'secrets of {volumes} are written to the disk of the Windows node in clear text' },
  samples: {
    bad: [{ path: 'spec.volumes[0].secret', yaml: samplePod(withVolumes({ certificates: 'secret:\n  secretName: certificates' })) }],
    good: [{ yaml: samplePod(withVolumes({ settings: 'configMap:\n  name: settings' })) }],
  },
  * check({ workload }) {
    const secrets = volumesOf(workload).flatMap(({ name, path, fields }) => {
      if (isRecord(fields['secret'])) return [{ name, path: [...path, 'secret'] }];
      const source = arrayAt(fields, 'projected', 'sources').findIndex((one) => isRecord(one) && isRecord(one['secret']));
      return source === -1 ? [] : [{ name, path: [...path, 'projected', 'sources', source, 'secret'] }];
    });
    const [first] = secrets;
    if (first === undefined) return;
    yield { messageId: 'onDisk', data: { volumes: `${secrets.length === 1 ? 'volume' : 'volumes'} ${secrets.map(({ name }) => name).join(', ')}` }, path: first.path };
  },
});
