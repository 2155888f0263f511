import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A privileged container in a pod for Windows. */
export const privilegedOnWindows = defineLinuxOnlyRule({
  id: 'privileged-on-windows',
  facts: ['SEC-012', 'C22', 'C23'],
  fields: [[LINUX_ONLY_FIELDS.privileged, ['SEC-012', 'C22', 'C23']]],
  summary: 'Field privileged in a Windows pod',
  rationale: 'Windows has no privileged containers. The API server refuses the field where spec.os.name is windows, even false; without it the container gets no more rights. HostProcess containers are what comes near to it.',
  remediation: 'Remove securityContext.privileged; where the container has to reach the host, make the pod a HostProcess pod.',
  asOf: '2026-11-30',
  sample: { containerSecurity: ['privileged: true'] },
  mended: {},
  samplePath: 'spec.containers[0].securityContext.privileged',
});
