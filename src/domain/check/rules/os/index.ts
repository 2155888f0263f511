import type { Rule } from '../../rule.ts';
import { osNameContradictsPlacement } from './os-name-contradicts-placement.ts';
import { osNameMissing } from './os-name-missing.ts';
import { osNameUnsupported } from './os-name-unsupported.ts';
import { podOsLabelMismatch } from './pod-os-label-mismatch.ts';
import { windowsOptionsOnLinux } from './windows-options-on-linux.ts';

export const OS_RULES: readonly Rule[] = [osNameMissing, osNameUnsupported, osNameContradictsPlacement, windowsOptionsOnLinux, podOsLabelMismatch];
