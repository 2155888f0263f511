import type { Rule } from '../../rule.ts';

export const HOST_PROCESS_RULES: readonly Rule[] = [];
