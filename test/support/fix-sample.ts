/** Does the fixes of a rule in the text of a sample. */
import { editText } from '../../src/adapters/manifests/edit/edit-text.ts';
import { areEqualValues } from '../../src/domain/check/fix/equal-values.ts';
import type { Finding, Fix } from '../../src/domain/check/finding.ts';
import type { Rule, Sample } from '../../src/domain/check/rule.ts';
import { refOf } from '../../src/domain/kubernetes/object-ref.ts';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { judgeSample, objectsOf } from './check-sample.ts';

export interface FixedSample {
  readonly text: string;
  readonly applied: number;
  /** Reasons. */
  readonly refused: readonly string[];
}

export interface ObjectWithFixes {
  readonly object: KubeObject;
  readonly fixes: readonly Fix[];
}

/** The objects of a sample, each with what the rule finds wrong with it and can mend. */
export async function fixesOf(rule: Pick<Rule, 'id'>, sample: Sample): Promise<readonly ObjectWithFixes[]> {
  const findings = await findingsOf(rule, sample);
  return (await objectsOf(sample.yaml)).map((object) => ({
    object, fixes: findings.flatMap(({ fix, object: of }) => (fix !== null && areEqualValues(of, refOf(object)) ? [fix] : [])),
  })).filter(({ fixes }) => fixes.length > 0);
}

export async function findingsOf(rule: Pick<Rule, 'id'>, sample: Sample): Promise<readonly Finding[]> {
  return (await judgeSample(sample)).findings.filter((finding) => finding.rule === rule.id);
}

export async function fixSample(rule: Pick<Rule, 'id'>, sample: Sample): Promise<FixedSample> {
  const edited = await editText(sample.yaml, await fixesOf(rule, sample));
  return { text: edited.text, applied: edited.applied.length, refused: edited.refused.map(({ reason }) => reason) };
}
