import type { Severity } from '../../severity.ts';
import type { Rule } from '../rule.ts';

/** What a configuration says; a selection beats it. */
export type RuleDefaults = Omit<RuleSelection, 'only'>;

const NO_DEFAULTS: RuleDefaults = { skip: [], severities: {} };

/** Which rules run, as flags say it. */
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

/** Every word that rulesNamed knows, in lower case. */
export function ruleNames(rules: readonly Rule[]): ReadonlySet<string> {
  return new Set(rules.flatMap(({ id, facts }) => [id, ...facts.map((fact) => fact.toLowerCase())]));
}

/** Applies a selection upon defaults, or gives the words that name no rule. The later word on a rule counts; what is skipped by the selection itself stays out. */
export function selectRules(rules: readonly Rule[], selection: RuleSelection, defaults: RuleDefaults = NO_DEFAULTS): SelectedRules | { readonly unknown: readonly string[] } {
  const words = [...selection.only, ...selection.skip, ...Object.keys(selection.severities), ...defaults.skip, ...Object.keys(defaults.severities)];
  const unknown = words.filter((word) => rulesNamed(word, rules).length === 0);
  if (unknown.length > 0) return { unknown };
  const ids = (names: readonly string[]): ReadonlySet<string> => new Set(names.flatMap((word) => rulesNamed(word, rules).map(({ id }) => id)));
  const only = ids(selection.only);
  const severities = new Map<string, Severity>();
  const skip = new Set(ids(defaults.skip));
  const grade = (graded: RuleSelection['severities'], alsoRuns: boolean): void => {
    for (const [word, severity] of Object.entries(graded)) {
      for (const { id } of rulesNamed(word, rules)) {
        if (severity === 'off') {
          skip.add(id);
          continue;
        }
        severities.set(id, severity);
        if (alsoRuns) skip.delete(id);
      }
    }
  };
  grade(defaults.severities, false);
  for (const id of only) skip.delete(id);
  grade(selection.severities, true);
  for (const id of ids(selection.skip)) skip.add(id);
  return { rules: rules.filter(({ id }) => (only.size === 0 || only.has(id)) && !skip.has(id)), severities };
}
