/** Runs rules over one subject. Pure: facts come in, findings go out. */
import { compareKubernetesVersions, parseKubernetesVersion, type KubernetesVersion } from '../kubernetes/version.ts';
import { refOf, type ObjectRef } from '../kubernetes/object-ref.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import { kindKey } from '../kubernetes/resource.ts';
import { FACT_NAMES, type CheckFacts } from './facts.ts';
import type { Finding, FindingDraft, NotEvaluated, NotEvaluatedDraft } from './finding.ts';
import type { ClusterRule, ManifestFault, ManifestRule, ObjectRule, Rule, WorkloadRule, WorkloadSubject } from './rule.ts';

export interface RuleOutcome {
  readonly findings: Finding[];
  readonly notEvaluated: NotEvaluated[];
}

/** Whether a rule holds for a version; for one that is not known, rules that ended with an older minor do not. */
export function isInWindow(rule: Pick<Rule, 'since' | 'until'>, version: KubernetesVersion | null): boolean {
  if (rule.since === undefined && rule.until === undefined) return true;
  if (version === null) return rule.until === undefined;
  let bounds = windows.get(rule);
  if (bounds === undefined) windows.set(rule, bounds = { since: parseKubernetesVersion(rule.since ?? ''), until: parseKubernetesVersion(rule.until ?? '') });
  const { since, until } = bounds;
  const minor = { ...version, patch: null };
  return (since === null || compareKubernetesVersions(minor, since) >= 0) && (until === null || compareKubernetesVersions(minor, until) <= 0);
}

/** Asked of each rule for each object. */
const windows = new WeakMap<Pick<Rule, 'since' | 'until'>, { readonly since: KubernetesVersion | null; readonly until: KubernetesVersion | null }>();

export function runWorkloadRules(rules: readonly WorkloadRule[], subject: WorkloadSubject, facts: CheckFacts, outcome: RuleOutcome): void {
  const { ref, isHostProcess } = subject.workload;
  // A pod for Windows by its image's name alone, or by one of two fields that contradict each other, may be meant for Linux.
  const mayBeForLinux = subject.os.os !== 'windows' || subject.os.evidence.every(({ os, strength }) => os !== 'windows' || strength === 'hint');
  for (const rule of rules) {
    if (!meansOs(rule, subject.os.os)) continue;
    if (rule.isolation !== undefined && (rule.isolation === 'host-process') !== isHostProcess) continue;
    collect(rule, ref, facts, () => (rule.os === 'windows' && mayBeForLinux ? withUnsafeFixes(rule.check(subject, facts)) : rule.check(subject, facts)), outcome);
  }
}

/** What Windows ignores may be removed from a pod that is surely for Windows only: on Linux it counts. */
function* withUnsafeFixes<Draft extends FindingDraft | NotEvaluatedDraft>(drafts: Iterable<Draft>): Generator<Draft> {
  for (const draft of drafts) yield 'fix' in draft && draft.fix !== undefined ? { ...draft, fix: { ...draft.fix, isSafe: false } } : draft;
}

export function runObjectRules(rules: readonly ObjectRule[], object: KubeObject, facts: CheckFacts, outcome: RuleOutcome): void {
  const kind = kindKey(object);
  const ref = refOf(object);
  for (const rule of rules) {
    if (rule.kinds.includes(kind)) collect(rule, ref, facts, () => rule.check(object, facts, ref), outcome);
  }
}

export function runClusterRules(rules: readonly ClusterRule[], facts: CheckFacts, outcome: RuleOutcome): void {
  const cluster: ObjectRef = { apiVersion: null, kind: 'Cluster', namespace: null, name: '' };
  for (const rule of rules) collect(rule, cluster, facts, () => rule.check(facts), outcome);
}

/** `ref`: the object that the faults are of; NO_OBJECT for a document that could not be read. They hold for every version. */
export function runManifestRules(rules: readonly ManifestRule[], faults: readonly ManifestFault[], ref: ObjectRef, outcome: Pick<RuleOutcome, 'findings'>): void {
  for (const fault of faults) {
    for (const rule of rules) for (const draft of rule.check(fault)) outcome.findings.push(toFinding(rule, draft, ref));
  }
}

/** What a finding on a document is about that holds no object. */
export const NO_OBJECT: ObjectRef = { apiVersion: null, kind: null, namespace: null, name: '' };

function meansOs(rule: WorkloadRule, os: WorkloadSubject['os']['os']): boolean {
  switch (rule.os) {
    case 'any':
      return true;
    case 'windows':
      return os === 'windows' || os === 'contradictory';
    case 'linux':
      return os === 'linux' || os === 'either';
  }
}

function collect(rule: Rule, ref: ObjectRef, facts: CheckFacts, check: () => Iterable<FindingDraft | NotEvaluatedDraft>, outcome: RuleOutcome): void {
  if (!isInWindow(rule, facts.kubernetesVersion)) return;
  const missing = (rule.needs ?? []).filter((name) => facts[name] === null);
  if (missing.length > 0) {
    outcome.notEvaluated.push({ rule: rule.id, object: ref, reason: `${missing.map((name) => FACT_NAMES[name]).join(' and ')} not known` });
    return;
  }
  for (const draft of check()) {
    if ('notEvaluated' in draft) {
      const name = draft.notEvaluated === 'image platforms' ? draft.notEvaluated : FACT_NAMES[draft.notEvaluated];
      outcome.notEvaluated.push({ rule: rule.id, object: ref, reason: `${name} not known${draft.about === undefined ? '' : `: ${draft.about}`}` });
    } else {
      outcome.findings.push(toFinding(rule, draft, ref));
    }
  }
}

function toFinding(rule: Rule, draft: FindingDraft, ref: ObjectRef): Finding {
  return {
    rule: rule.id,
    facts: draft.facts ?? rule.facts,
    severity: draft.severity ?? rule.severity,
    effect: draft.effect ?? rule.effect,
    object: draft.object ?? ref,
    container: draft.container === '' ? null : draft.container ?? null,
    path: draft.path,
    message: fillSlots(rule.messages[draft.messageId] ?? draft.messageId, draft.data ?? {}),
    nodes: draft.nodes ?? [],
    confidence: draft.confidence ?? 'proven',
    evidence: draft.evidence ?? [],
    remedy: draft.remediation ?? rule.remediation,
    reference: draft.reference ?? rule.reference,
    fix: draft.fix ?? null,
  };
}

/** A slot without a value stays as it is, so that a test sees it. */
function fillSlots(text: string, data: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (slot, name: string) => (Object.hasOwn(data, name) ? String(data[name]) : slot));
}
