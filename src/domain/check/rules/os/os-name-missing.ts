import { defineWorkloadRule } from '../../rule.ts';

/** A pod for Windows does not say so in spec.os.name. */
export const osNameMissing = defineWorkloadRule({
  id: 'os-name-missing',
  facts: ['OS-001'],
  severity: 'warning',
  effect: 'advice',
  os: 'windows',
  summary: 'Windows pod without spec.os.name',
  rationale: 'The API server checks Linux-only fields, and Pod Security exempts Windows pods from Linux-only rules, only where spec.os.name is windows. The kubelet then refuses the pod on a Linux node instead of failing later in confusing ways.',
  remediation: 'Set spec.os.name to windows.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host',
  asOf: '2026-11-30',
  since: '1.25',
  messages: { missing: 'the pod is for Windows ({evidence}), but spec.os.name does not say so' },
  samples: {
    bad: [{
      path: 'spec.os.name',
      yaml: `
apiVersion: v1
kind: Pod
metadata:
  name: iis
spec:
  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`,
    }],
    good: [{
      yaml: `
apiVersion: v1
kind: Pod
metadata:
  name: iis
spec:
  os:
    name: windows
  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348
  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`,
    }],
  },
  * check({ workload, os }) {
    // A pod that its constraints keep on Linux is contradictory; to call it a Windows pod would be a guess.
    if (workload.osName !== null || os.pinned === 'linux') return;
    const path = [...workload.specPath, 'os', 'name'];
    const evidence = os.evidence.filter((one) => one.os === 'windows').map(({ text }) => text).join(', ');
    yield { messageId: 'missing', data: { evidence }, path, fix: { title: 'set spec.os.name to windows', edits: [{ op: 'set', path, value: 'windows' }], isSafe: false } };
  },
});
