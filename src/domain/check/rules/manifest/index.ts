import type { Rule } from '../../rule.ts';

export const MANIFEST_RULES: readonly Rule[] = [];
