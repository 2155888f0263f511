import type { Rule } from '../../rule.ts';
import { duplicateKey } from './duplicate-key.ts';
import { unknownField } from './unknown-field.ts';
import { unreadableDocument } from './unreadable-document.ts';
import { wrongType } from './wrong-type.ts';

export const MANIFEST_RULES: readonly Rule[] = [unreadableDocument, duplicateKey, unknownField, wrongType];
