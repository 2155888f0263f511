import { defineLinuxOnlyRule, LINUX_ONLY_FIELDS } from './shared-linux-only-fields.ts';

/** A read-only root file system in a pod for Windows. */
export const readOnlyRootFilesystemOnWindows = defineLinuxOnlyRule({
  id: 'read-only-root-filesystem-on-windows',
  facts: ['SEC-014', 'C22', 'C23', 'C61'],
  fields: [[LINUX_ONLY_FIELDS.readOnlyRootFilesystem, ['SEC-014', 'C22', 'C23', 'C61']]],
  summary: 'Read-only root file system in a Windows pod',
  rationale: 'Windows containers cannot have a read-only root file system: the registry and system processes write to it. The API server refuses the field where spec.os.name is windows, even false; without it the file system stays writable.',
  remediation: 'Remove securityContext.readOnlyRootFilesystem; mount what must not change as a read-only volume.',
  asOf: '2026-11-30',
  sample: { containerSecurity: ['readOnlyRootFilesystem: true'] },
  mended: {},
  samplePath: 'spec.containers[0].securityContext.readOnlyRootFilesystem',
});
