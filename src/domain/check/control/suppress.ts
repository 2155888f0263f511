import { editDistance, nearestBy } from '../../kubernetes/edit-distance.ts';
import { stringMapAt, type KubeObject } from '../../kubernetes/object.ts';
import { isoDay, isIsoDay } from '../../windows/support-dates.ts';
import type { Finding } from '../finding.ts';

/** Annotation on an object or its pod template: `ignore.kubectl-win/<rule-id>: "<reason>"`. */
export const SUPPRESSION_PREFIX = 'ignore.kubectl-win/';

/** What the annotations of an object say of rules. */
export interface Suppressions {
  /** Reason by rule id or catalogue number, in lower case; those that hold. */
  readonly reasons: ReadonlyMap<string, string>;
  /** Those that do not hold, each with why: no reason, past its day, no day. */
  readonly void: ReadonlyMap<string, string>;
}

const NONE: Suppressions = { reasons: new Map(), void: new Map() };
const SEPARATOR = /[\s:;,–—-]/;
const UNTIL = /\buntil[ =:]*(\d{4}-\d\d-\d\d)\b/i;
/** A day as people write it elsewhere: taken for a part of the reason it would never end. */
const UNTIL_OTHERWISE = /\buntil[ =:]*(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})\b/i;

/**
 * Reads the suppressions of an object; `templates` are the metadata of its pod templates. The value is the reason, and may
 * hold an end: `until 2027-01-31: the vendor's image has no other user`. The day named is the last on which it holds.
 */
export function suppressionsOf(object: KubeObject, templates: readonly Readonly<Record<string, unknown>>[], asOf: Date): Suppressions {
  const annotations = [stringMapAt(object, 'metadata', 'annotations'), ...templates.map((metadata) => stringMapAt(metadata, 'annotations'))];
  const entries = annotations.flatMap((map) => Object.entries(map)).filter(([key]) => key.startsWith(SUPPRESSION_PREFIX));
  if (entries.length === 0) return NONE;
  const reasons = new Map<string, string>();
  const unheeded = new Map<string, string>();
  for (const [key, value] of entries) {
    const rule = key.slice(SUPPRESSION_PREFIX.length).toLowerCase();
    const until = UNTIL.exec(value)?.[1];
    const reason = withoutSeparators(value.replace(UNTIL, ''));
    if (reason === '') unheeded.set(rule, `the annotation ${key} gives no reason, so it suppresses nothing`);
    else if (until === undefined && UNTIL_OTHERWISE.test(value)) unheeded.set(rule, `the annotation ${key} names an end that is no day as YYYY-MM-DD, so it suppresses nothing`);
    else if (until !== undefined && !isIsoDay(until)) unheeded.set(rule, `the annotation ${key} ends on ${until}, which is no day, so it suppresses nothing`);
    else if (until !== undefined && until < isoDay(asOf)) unheeded.set(rule, `the annotation ${key} suppressed this until ${until}`);
    else reasons.set(rule, until === undefined ? reason : `${reason} (until ${until})`);
  }
  return { reasons, void: unheeded };
}

/** What suppressions name though no rule has it as its id or number, each with the rule that it may have meant; `known` in lower case. */
export function unknownRulesIn({ reasons, void: unheeded }: Suppressions, known: ReadonlySet<string>): ReadonlyMap<string, string | null> {
  if (reasons.size + unheeded.size === 0) return new Map();
  const unknown = [...reasons.keys(), ...unheeded.keys()].filter((word) => !known.has(word));
  return new Map(unknown.map((word) => [word, nearestBy(word, known, (name) => editDistance(word, name))]));
}

/** Without what separates the reason from the day; character by character, as an expression would try each place of a long text anew. */
function withoutSeparators(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SEPARATOR.test(text.charAt(start))) start++;
  while (end > start && SEPARATOR.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The reason why a finding is suppressed, or null. */
export function suppressionOf(finding: Pick<Finding, 'rule' | 'facts'>, suppressions: Suppressions): string | null {
  return lookUp(finding, suppressions.reasons);
}

/** Why a suppression that names the finding does not hold, or null. */
export function voidSuppressionOf(finding: Pick<Finding, 'rule' | 'facts'>, suppressions: Suppressions): string | null {
  return lookUp(finding, suppressions.void);
}

function lookUp({ rule, facts }: Pick<Finding, 'rule' | 'facts'>, map: ReadonlyMap<string, string>): string | null {
  if (map.size === 0) return null;
  for (const name of [rule, ...facts]) {
    const found = map.get(name.toLowerCase());
    if (found !== undefined) return found;
  }
  return null;
}
