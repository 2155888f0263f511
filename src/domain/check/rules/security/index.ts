import type { Rule } from '../../rule.ts';
import { allowPrivilegeEscalationOnWindows } from './allow-privilege-escalation-on-windows.ts';
import { appArmorProfileOnWindows } from './app-armor-profile-on-windows.ts';
import { capabilitiesOnWindows } from './capabilities-on-windows.ts';
import { containerAdministrator } from './container-administrator.ts';
import { fsGroupOnWindows } from './fs-group-on-windows.ts';
import { gmsaCredentialSpecInvalid } from './gmsa-credential-spec-invalid.ts';
import { gmsaCredentialSpecMissing } from './gmsa-credential-spec-missing.ts';
import { gmsaHostname } from './gmsa-hostname.ts';
import { gmsaServiceAccountAccess } from './gmsa-service-account-access.ts';
import { hostNamespacesOnWindows } from './host-namespaces-on-windows.ts';
import { hostUsersOnWindows } from './host-users-on-windows.ts';
import { linuxProfileAnnotations } from './linux-profile-annotations.ts';
import { nonRootContainerAdministrator } from './non-root-container-administrator.ts';
import { privilegedOnWindows } from './privileged-on-windows.ts';
import { procMountOnWindows } from './proc-mount-on-windows.ts';
import { readOnlyRootFilesystemOnWindows } from './read-only-root-filesystem-on-windows.ts';
import { runAsGroupOnWindows } from './run-as-group-on-windows.ts';
import { runAsNonRootWithoutUser } from './run-as-non-root-without-user.ts';
import { runAsUserNameInvalid } from './run-as-user-name-invalid.ts';
import { runAsUserOnWindows } from './run-as-user-on-windows.ts';
import { seLinuxChangePolicyOnWindows } from './se-linux-change-policy-on-windows.ts';
import { seLinuxOptionsOnWindows } from './se-linux-options-on-windows.ts';
import { seccompProfileOnWindows } from './seccomp-profile-on-windows.ts';
import { shareProcessNamespaceOnWindows } from './share-process-namespace-on-windows.ts';
import { supplementalGroupsOnWindows } from './supplemental-groups-on-windows.ts';
import { supplementalGroupsPolicyOnWindows } from './supplemental-groups-policy-on-windows.ts';
import { sysctlsOnWindows } from './sysctls-on-windows.ts';

export const SECURITY_RULES: readonly Rule[] = [
  seLinuxOptionsOnWindows,
  seccompProfileOnWindows,
  appArmorProfileOnWindows,
  runAsUserOnWindows,
  runAsGroupOnWindows,
  fsGroupOnWindows,
  supplementalGroupsOnWindows,
  supplementalGroupsPolicyOnWindows,
  sysctlsOnWindows,
  seLinuxChangePolicyOnWindows,
  capabilitiesOnWindows,
  privilegedOnWindows,
  allowPrivilegeEscalationOnWindows,
  readOnlyRootFilesystemOnWindows,
  procMountOnWindows,
  hostNamespacesOnWindows,
  shareProcessNamespaceOnWindows,
  hostUsersOnWindows,
  nonRootContainerAdministrator,
  runAsNonRootWithoutUser,
  runAsUserNameInvalid,
  gmsaCredentialSpecInvalid,
  gmsaCredentialSpecMissing,
  linuxProfileAnnotations,
  containerAdministrator,
  gmsaHostname,
  gmsaServiceAccountAccess,
];
