import type { Rule } from '../../rule.ts';

export const LIFECYCLE_RULES: readonly Rule[] = [];
