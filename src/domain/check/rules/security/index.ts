import type { Rule } from '../../rule.ts';

export const SECURITY_RULES: readonly Rule[] = [];
