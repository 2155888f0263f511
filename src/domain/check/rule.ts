/** A rule of `kubectl win check`: one file, one value, made by defineWorkloadRule, defineObjectRule, defineClusterRule or defineManifestRule. */
import type { ObjectRef } from '../kubernetes/object-ref.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import type { Severity } from '../severity.ts';
import type { Placement } from '../scheduling/placement.ts';
import type { TargetOs } from '../workload/target-os.ts';
import type { Workload } from '../workload/workload.ts';
import type { CheckFacts, FactName } from './facts.ts';
import type { Effect, FindingDraft, NotEvaluatedDraft } from './finding.ts';
import type { ManifestProblem, UnreadableDocument } from './manifest-problem.ts';

/** A runnable example: manifests, and what is known of the cluster. */
export interface Sample {
  /** YAML documents that are judged. A bad sample yields findings of its own rule only, a good one none of any rule of severity warning or error. */
  readonly yaml: string;
  /** YAML documents of the cluster: Nodes, RuntimeClasses, Namespaces, CSINodes …; every kind that occurs is taken as completely known. Absent: offline. */
  readonly cluster?: string;
  /** Indexes as a registry gives them, by image: `linux`, `windows/10.0.20348.5386`, in their order; empty for an image that the registry does not have. Images that are not named are known by tag. */
  readonly images?: Readonly<Record<string, readonly string[]>>;
  /** Version of the API server, `1.36`; absent: not known. */
  readonly kubernetesVersion?: string;
  /** For a bad sample: path of the first finding, as formatFieldPath writes it, and its severity where that is not the rule's own. */
  readonly path?: string;
  readonly severity?: Severity;
}

interface RuleTexts<MessageId extends string> {
  /** Kebab-case; the file's name, the docs' anchor, the SARIF id, the key of suppressions. */
  readonly id: string;
  /** Numbers of the rule catalogue (`SEC-004`) or rows of the matrix of checks (`C57`). */
  readonly facts: readonly string[];
  /** Of its findings, where they do not say otherwise. */
  readonly severity: Severity;
  readonly effect: Effect;
  /** One line that says what is wrong, without a full stop. */
  readonly summary: string;
  /** Two or three sentences: what Windows or Kubernetes does, and what the user would see. Quotes the server's text where one exists. */
  readonly rationale: string;
  /** What to change, imperative, with a full stop. */
  readonly remediation: string;
  /** https page that says so, and the day it was read (YYYY-MM-DD). */
  readonly reference: string;
  readonly asOf: string;
  /** First and last Kubernetes minor of which it holds: `1.25`. Absent: no limit. */
  readonly since?: string;
  readonly until?: string;
  /** Facts without which it is not evaluated at all. Those that it merely can use are no needs: its check yields NotEvaluatedDraft. */
  readonly needs?: readonly FactName[];
  /** Sentences by id, without a full stop; `{slot}` is filled from a finding's data. */
  readonly messages: Readonly<Record<MessageId, string>>;
  readonly samples: { readonly bad: readonly Sample[]; readonly good: readonly Sample[] };
}

/** A pod template with what was found out about it. */
export interface WorkloadSubject {
  readonly workload: Workload;
  readonly os: TargetOs;
  /** null when nodes are not known. */
  readonly placement: Placement | null;
}

type Outcomes<MessageId extends string> = Iterable<FindingDraft<MessageId> | NotEvaluatedDraft>;

export interface WorkloadRule<MessageId extends string = string> extends RuleTexts<MessageId> {
  readonly scope: 'workload';
  /**
   * windows: pods for Windows, contradictory ones included. linux: pods for Linux, and those that nothing says an OS of. any: all.
   */
  readonly os: 'windows' | 'linux' | 'any';
  /** Only pods under process isolation, or only HostProcess pods. Default: both. */
  readonly isolation?: 'process' | 'host-process';
  readonly check: (subject: WorkloadSubject, facts: CheckFacts) => Outcomes<MessageId>;
}

export interface ObjectRule<MessageId extends string = string> extends RuleTexts<MessageId> {
  readonly scope: 'object';
  /** `group/Kind`, the core group as `/Service`. */
  readonly kinds: readonly string[];
  readonly check: (object: KubeObject, facts: CheckFacts, ref: ObjectRef) => Outcomes<MessageId>;
}

/** Looks at the cluster once, after everything else; each of its findings names its object. */
export interface ClusterRule<MessageId extends string = string> extends RuleTexts<MessageId> {
  readonly scope: 'cluster';
  readonly check: (facts: CheckFacts) => Iterable<(FindingDraft<MessageId> & { readonly object: ObjectRef }) | NotEvaluatedDraft>;
}

/** What reading a manifest has found. */
export type ManifestFault = ManifestProblem | UnreadableDocument;

/** Tells what was found while manifests were read, before there was an object to judge. */
export interface ManifestRule<MessageId extends string = string> extends RuleTexts<MessageId> {
  readonly scope: 'manifest';
  readonly check: (fault: ManifestFault) => Iterable<FindingDraft<MessageId>>;
}

export type Rule = WorkloadRule | ObjectRule | ClusterRule | ManifestRule;

export function defineWorkloadRule<const MessageId extends string>(rule: Omit<WorkloadRule<MessageId>, 'scope'>): WorkloadRule {
  return { ...rule, scope: 'workload' } as unknown as WorkloadRule; // message ids are checked above; the registry holds rules of any ids
}

export function defineObjectRule<const MessageId extends string>(rule: Omit<ObjectRule<MessageId>, 'scope'>): ObjectRule {
  return { ...rule, scope: 'object' } as unknown as ObjectRule;
}

export function defineClusterRule<const MessageId extends string>(rule: Omit<ClusterRule<MessageId>, 'scope'>): ClusterRule {
  return { ...rule, scope: 'cluster' } as unknown as ClusterRule;
}

export function defineManifestRule<const MessageId extends string>(rule: Omit<ManifestRule<MessageId>, 'scope'>): ManifestRule {
  return { ...rule, scope: 'manifest' } as unknown as ManifestRule;
}
