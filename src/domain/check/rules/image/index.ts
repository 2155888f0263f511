import type { Rule } from '../../rule.ts';

export const IMAGE_RULES: readonly Rule[] = [];
