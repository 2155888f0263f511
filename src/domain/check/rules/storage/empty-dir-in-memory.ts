import { isRecord, stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { volumesOf } from './shared-volumes.ts';

/** An emptyDir that is to be held in memory, which Windows cannot do. */
export const emptyDirInMemory = defineWorkloadRule({
  id: 'empty-dir-in-memory',
  facts: ['VOL-001', 'C39'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  summary: 'The emptyDir volume is to be in memory, which Windows does not have',
  rationale: 'Windows has no tmpfs: the kubelet makes a plain folder on the node\'s disk instead and says nothing. What is written there is neither faster nor kept off the disk, and sizeLimit is only enforced by eviction. For HugePages the mount fails.',
  remediation: 'Remove emptyDir.medium; keep secrets out of such a volume.',
  reference: 'https://kubernetes.io/docs/concepts/storage/windows-storage/',
  asOf: '2026-11-30',
  messages: {
    memory: 'volume {volume} has medium Memory, but on Windows it is a folder on the node\'s disk',
    hugePages: 'volume {volume} has medium {medium}, which the kubelet cannot mount on Windows: only cifs mount is supported now, fstype: "hugetlbfs"',
  },
  samples: {
    bad: [{ path: 'spec.volumes[0].emptyDir.medium', yaml: samplePod(withVolumes({ scratch: 'emptyDir:\n  medium: Memory\n  sizeLimit: 64Mi' })) }],
    good: [{ yaml: samplePod(withVolumes({ scratch: 'emptyDir:\n  sizeLimit: 64Mi' })) }],
  },
  * check({ workload }) {
    for (const { name, path, fields } of volumesOf(workload)) {
      const medium = isRecord(fields['emptyDir']) ? stringAt(fields, 'emptyDir', 'medium') : undefined;
      if (medium === undefined) continue;
      const at = [...path, 'emptyDir', 'medium'];
      if (medium === 'Memory') {
        yield { messageId: 'memory', data: { volume: name }, path: at, fix: { title: `remove emptyDir.medium of volume ${name}`, edits: [{ op: 'remove', path: at }], isSafe: true } };
      } else if (medium.startsWith('HugePages')) {
        yield {
          messageId: 'hugePages', data: { volume: name, medium }, path: at, severity: 'error', effect: 'cannot-run',
          fix: { title: `remove emptyDir.medium of volume ${name}`, edits: [{ op: 'remove', path: at }], isSafe: false },
        };
      }
    }
  },
});
