import { workloadsOf } from '../workload/workload.ts';
import { targetOsOf } from '../workload/target-os.ts';
import { placementOf } from './assumed-nodes.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import type { CheckFacts } from './facts.ts';
import type { ClusterRule, ManifestRule, ObjectRule, Rule, WorkloadRule, WorkloadSubject } from './rule.ts';
import { runObjectRules, runWorkloadRules, type RuleOutcome } from './run-rules.ts';

/** Rules by what they look at. */
export interface RuleSet {
  readonly workload: readonly WorkloadRule[];
  readonly object: readonly ObjectRule[];
  readonly cluster: readonly ClusterRule[];
  readonly manifest: readonly ManifestRule[];
}

export function ruleSetOf(rules: readonly Rule[]): RuleSet {
  return {
    workload: rules.filter((rule) => rule.scope === 'workload'),
    object: rules.filter((rule) => rule.scope === 'object'),
    cluster: rules.filter((rule) => rule.scope === 'cluster'),
    manifest: rules.filter((rule) => rule.scope === 'manifest'),
  };
}

/** The subjects of an object: one per pod template, none for a Service. */
export function subjectsOf(object: KubeObject, facts: CheckFacts): readonly WorkloadSubject[] {
  return workloadsOf(object).map((workload) => ({
    workload, os: targetOsOf(workload, facts), placement: placementOf(workload, facts),
  }));
}

/** Judges one object, and its subjects, by all rules that look at it. */
export function judgeObject(object: KubeObject, subjects: readonly WorkloadSubject[], rules: RuleSet, facts: CheckFacts, outcome: RuleOutcome): void {
  runObjectRules(rules.object, object, facts, outcome);
  for (const subject of subjects) runWorkloadRules(rules.workload, subject, facts, outcome);
}
