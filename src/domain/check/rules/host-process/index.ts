import type { Rule } from '../../rule.ts';
import { hostProcessCommandMetacharacters } from './host-process-command-metacharacters.ts';
import { hostProcessCommandNotOnHost } from './host-process-command-not-on-host.ts';
import { hostProcessFullBaseImage } from './host-process-full-base-image.ts';
import { hostProcessHostAliases } from './host-process-host-aliases.ts';
import { hostProcessInRestrictedNamespace } from './host-process-in-restricted-namespace.ts';
import { hostProcessLocalGroup } from './host-process-local-group.ts';
import { hostProcessMixed } from './host-process-mixed.ts';
import { hostProcessMountPathRelocated } from './host-process-mount-path-relocated.ts';
import { hostProcessMountShadowsHost } from './host-process-mount-shadows-host.ts';
import { hostProcessNamedPipeMount } from './host-process-named-pipe-mount.ts';
import { hostProcessRunAsNonRoot } from './host-process-run-as-non-root.ts';
import { hostProcessSystemAccount } from './host-process-system-account.ts';
import { hostProcessUnsupportedNode } from './host-process-unsupported-node.ts';
import { hostProcessWithoutHostNetwork } from './host-process-without-host-network.ts';
import { hostProcessWithoutUser } from './host-process-without-user.ts';

export const HOST_PROCESS_RULES: readonly Rule[] = [
  hostProcessWithoutHostNetwork,
  hostProcessMixed,
  hostProcessInRestrictedNamespace,
  hostProcessWithoutUser,
  hostProcessNamedPipeMount,
  hostProcessRunAsNonRoot,
  hostProcessHostAliases,
  hostProcessMountPathRelocated,
  hostProcessMountShadowsHost,
  hostProcessCommandMetacharacters,
  hostProcessCommandNotOnHost,
  hostProcessFullBaseImage,
  hostProcessLocalGroup,
  hostProcessUnsupportedNode,
  hostProcessSystemAccount,
];
