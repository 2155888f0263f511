import type { Severity } from '../../node/windows-node.ts';
import type { Rule } from '../rule.ts';

/** Which rules run, as flags and configuration say it. */
export interface RuleSelection {
  /** Only these; empty means all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Severity by word, in place of the finding's own; `off` skips. */
  readonly severities: Readonly<Record<string, Severity | 'off'>>;
}

export interface SelectedRules {
  readonly rules: readonly Rule[];
  /** Severity by rule id. */
  readonly severities: ReadonlyMap<string, Severity>;
}

/** The rules that a word means: an id, or a number of the catalogue (`SEC-004`), in any case. Empty for an unknown word. */
export function rulesNamed(word: string, rules: readonly Rule[]): readonly Rule[] {
  const lowered = word.toLowerCase();
  return rules.filter(({ id, facts }) => id === lowered || facts.some((fact) => fact.toLowerCase() === lowered));
}

/** Applies a selection, or gives the words that name no rule. */
export function selectRules(rules: readonly Rule[], selection: RuleSelection): SelectedRules | { readonly unknown: readonly string[] } {
  const unknown = [...selection.only, ...selection.skip, ...Object.keys(selection.severities)].filter((word) => rulesNamed(word, rules).length === 0);
  if (unknown.length > 0) return { unknown };
  const ids = (words: readonly string[]): ReadonlySet<string> => new Set(words.flatMap((word) => rulesNamed(word, rules).map(({ id }) => id)));
  const only = ids(selection.only);
  const severities = new Map<string, Severity>();
  const skip = new Set(ids(selection.skip));
  for (const [word, severity] of Object.entries(selection.severities)) {
    for (const { id } of rulesNamed(word, rules)) {
      if (severity === 'off') skip.add(id);
      else severities.set(id, severity);
    }
  }
  return { rules: rules.filter(({ id }) => (only.size === 0 || only.has(id)) && !skip.has(id)), severities };
}
