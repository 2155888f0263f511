import type { Rule } from '../../rule.ts';

export const CLUSTER_RULES: readonly Rule[] = [];
