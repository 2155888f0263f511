import type { Rule } from '../../rule.ts';
import { cpuLimitSlowsStart } from './cpu-limit-slows-start.ts';
import { fractionalBytes } from './fractional-bytes.ts';
import { hugePages } from './huge-pages.ts';
import { memoryNotReserved } from './memory-not-reserved.ts';
import { memoryRequestBelowBase } from './memory-request-below-base.ts';
import { podLevelResources } from './pod-level-resources.ts';
import { resizePolicyIgnored } from './resize-policy-ignored.ts';
import { resourceClaims } from './resource-claims.ts';
import { resourcesBeyondNodes } from './resources-beyond-nodes.ts';

export const RESOURCE_RULES: readonly Rule[] = [
  hugePages, podLevelResources, memoryNotReserved, cpuLimitSlowsStart, resizePolicyIgnored, resourceClaims, memoryRequestBelowBase, fractionalBytes, resourcesBeyondNodes,
];
