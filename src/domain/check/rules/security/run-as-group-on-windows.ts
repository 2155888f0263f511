import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A numeric group in a pod for Windows. */
export const runAsGroupOnWindows = defineLinuxOnlyRule({
  id: 'run-as-group-on-windows',
  facts: ['SEC-005', 'C20', 'C23', 'C61'],
  fields: [[LINUX_ONLY_FIELDS.runAsGroup, ['SEC-005', 'C20', 'C23', 'C61']]],
  summary: 'Numeric group (runAsGroup) in a Windows pod',
  rationale: 'Windows has no group numbers. The API server refuses runAsGroup where spec.os.name is windows; without it the kubelet on Windows ignores the field.',
  remediation: 'Remove runAsGroup from the pod and its containers.',
  asOf: '2026-11-30',
  sample: { containerSecurity: ['runAsGroup: 1000'] },
  mended: {},
  samplePath: 'spec.containers[0].securityContext.runAsGroup',
});
