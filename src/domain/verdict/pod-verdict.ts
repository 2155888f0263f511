/** What will happen with a pod on a node? (product.md question 4.) Field names are a contract: CheckReport.workloads[].verdicts. */
import type { CheckFacts } from '../check/facts.ts';
import type { Finding } from '../check/finding.ts';
import type { WorkloadSubject } from '../check/rule.ts';

export type PodVerdictName =
  | 'runs' | 'runs-down-level' | 'fails-at-pull' | 'fails-at-start' | 'rejected' | 'refused-by-kubelet' | 'fields-ignored' | 'unknown';

export interface PodVerdict {
  readonly verdict: PodVerdictName;
  /** Names of the candidate nodes that it holds for; empty where it holds everywhere (rejected). */
  readonly nodes: readonly string[];
  /** One sentence. */
  readonly because: string;
}

/** First version, to be replaced: nothing is known. */
export function verdictsOf(subject: WorkloadSubject, _findings: readonly Finding[], _facts: CheckFacts): readonly PodVerdict[] {
  return [{ verdict: 'unknown', nodes: subject.placement?.windowsCandidates.map(({ name }) => name) ?? [], because: 'not evaluated yet' }];
}
