/** Every rule, explicitly: a folder per topic, a file per rule, and an index.ts per folder that lists them in the order in which they are shown. */
import type { Rule } from '../rule.ts';
import { CLUSTER_RULES } from './cluster/index.ts';
import { HOST_PROCESS_RULES } from './host-process/index.ts';
import { IMAGE_RULES } from './image/index.ts';
import { LIFECYCLE_RULES } from './lifecycle/index.ts';
import { MANIFEST_RULES } from './manifest/index.ts';
import { NETWORK_RULES } from './network/index.ts';
import { OS_RULES } from './os/index.ts';
import { RESOURCE_RULES } from './resource/index.ts';
import { SCHEDULING_RULES } from './scheduling/index.ts';
import { SECURITY_RULES } from './security/index.ts';
import { STORAGE_RULES } from './storage/index.ts';

export const RULES: readonly Rule[] = [
  ...MANIFEST_RULES, ...OS_RULES, ...SCHEDULING_RULES, ...IMAGE_RULES, ...SECURITY_RULES, ...HOST_PROCESS_RULES,
  ...NETWORK_RULES, ...STORAGE_RULES, ...RESOURCE_RULES, ...LIFECYCLE_RULES, ...CLUSTER_RULES,
];
