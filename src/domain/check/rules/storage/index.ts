import type { Rule } from '../../rule.ts';

export const STORAGE_RULES: readonly Rule[] = [];
