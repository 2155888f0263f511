import type { Rule } from '../../rule.ts';

export const NETWORK_RULES: readonly Rule[] = [];
