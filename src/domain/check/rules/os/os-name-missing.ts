import { defineWorkloadRule } from '../../rule.ts';
import { sampleNamespace, samplePod } from '../../samples.ts';
import { removalsOfLinuxOnlyFields } from '../security/shared-linux-only-fields.ts';
import { enforcesRestrictedWithExemption, missingForRestricted } from './shared-restricted-pod-security.ts';

/** A pod for Windows does not say so in spec.os.name. */
export const osNameMissing = defineWorkloadRule({
  id: 'os-name-missing',
  facts: ['OS-001', 'C28'],
  severity: 'warning',
  effect: 'advice',
  os: 'windows',
  summary: 'Windows pod without spec.os.name',
  rationale: 'The API server checks Linux-only fields, and Pod Security exempts Windows pods from Linux-only rules, only where spec.os.name is windows. The kubelet then refuses the pod on a Linux node instead of failing later in confusing ways.',
  remediation: 'Set spec.os.name to windows.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host',
  asOf: '2026-11-30',
  since: '1.25',
  messages: {
    missing: 'the pod is for Windows, but spec.os.name does not say so',
    restricted: 'namespace {namespace} enforces the Pod Security level restricted, which refuses this Windows pod: without spec.os.name it needs the Linux-only {missing}',
  },
  samples: {
    bad: [{ path: 'spec.os.name', yaml: samplePod({ osName: null }) }, {
      path: 'spec.os.name',
      severity: 'error',
      cluster: sampleNamespace('shop', 'pod-security.kubernetes.io/enforce: restricted'),
      yaml: samplePod({
        metadata: 'namespace: shop',
        osName: null,
        podSecurity: `
          runAsNonRoot: true
          windowsOptions:
            runAsUserName: ContainerUser`,
      }),
    }],
    good: [{ yaml: samplePod() }],
  },
  * check({ workload, os }, { namespaces, kubernetesVersion }) {
    // A pod that its constraints keep on Linux is contradictory; to call it a Windows pod would be a guess.
    if (workload.osName !== null || os.pinned === 'linux') return;
    const path = [...workload.specPath, 'os', 'name'];
    const evidence = os.evidence.filter((one) => one.os === 'windows').map(({ text }) => text);
    const refused = removalsOfLinuxOnlyFields(workload, kubernetesVersion);
    const fix = {
      title: refused.length === 0 ? 'set spec.os.name to windows' : 'set spec.os.name to windows and remove what is refused beside it',
      edits: [{ op: 'set', path, value: 'windows' }, ...refused],
      isSafe: false,
    } as const;
    const remediation = refused.length === 0 ? {} : { remediation: 'Set spec.os.name to windows, and remove the Linux-only fields, which the API server refuses beside it.' };
    const { namespace: name } = workload.ref;
    const namespace = name === null ? undefined : namespaces?.get(name);
    const missing = namespace !== undefined && enforcesRestrictedWithExemption(namespace) ? missingForRestricted(workload) : [];
    if (missing.length === 0) {
      yield { messageId: 'missing', evidence, path, facts: ['OS-001'], fix, ...remediation };
      return;
    }
    yield {
      messageId: 'restricted',
      data: { namespace: name ?? '', missing: missing.join(', ') },
      evidence,
      path,
      severity: 'error',
      effect: workload.template.path.length === 0 ? 'rejected' : 'cannot-run',
      fix,
      ...remediation,
    };
  },
});
