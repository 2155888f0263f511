import type { Rule } from '../../rule.ts';

export const SCHEDULING_RULES: readonly Rule[] = [];
