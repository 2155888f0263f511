import type { Rule } from '../../rule.ts';

export const RESOURCE_RULES: readonly Rule[] = [];
