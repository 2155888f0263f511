import type { Rule } from '../../rule.ts';
import { osNameMissing } from './os-name-missing.ts';

export const OS_RULES: readonly Rule[] = [osNameMissing];
