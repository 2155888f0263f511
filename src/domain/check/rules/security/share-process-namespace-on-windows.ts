import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A process namespace shared by the containers of a pod for Windows. */
export const shareProcessNamespaceOnWindows = defineLinuxOnlyRule({
  id: 'share-process-namespace-on-windows',
  facts: ['SEC-017', 'C18', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.shareProcessNamespace, ['SEC-017', 'C18', 'C23']]],
  summary: 'Shared process namespace in a Windows pod',
  rationale: 'Windows containers cannot share a process namespace. The API server refuses shareProcessNamespace where spec.os.name is windows, even false; without it the containers do not see each other\'s processes.',
  remediation: 'Remove shareProcessNamespace.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod',
  asOf: '2026-11-30',
  sample: { spec: ['shareProcessNamespace: true'] },
  mended: {},
  samplePath: 'spec.shareProcessNamespace',
});
