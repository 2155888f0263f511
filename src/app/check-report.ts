/** What `kubectl win check` found, as the use case gives it and the views print it. Contract: product.md §4, CheckReport. */
import type { Finding, NotEvaluated, SuppressedFinding } from '../domain/check/finding.ts';
import type { ObjectRef } from '../domain/kubernetes/object-ref.ts';
import type { PodVerdict } from '../domain/verdict/pod-verdict.ts';
import type { OsEvidence, WorkloadOs } from '../domain/workload/target-os.ts';
import type { SourceDescription, UnreadableDocument } from './ports.ts';

/** Where a finding stands in a file. */
export interface FindingPlace {
  readonly file: string;
  /** From 1; null where it is the file as a whole that could not be read. */
  readonly line: number | null;
  readonly column: number | null;
  /** The line as it stands in the file, for a snippet; a long one is cut. */
  readonly lineText: string;
  /** Characters of the key or value at `column`, for the caret; 0 where there is no column. */
  readonly length: number;
}

export interface PlacedFinding extends Finding {
  /** null for objects of a cluster. */
  readonly place: FindingPlace | null;
  /** Command that applies the fix to a live object (`kubectl patch …`); null for files, where there is no fix, and where nobody asked for it. */
  readonly patchCommand: string | null;
}

export interface CheckedWorkload {
  readonly object: ObjectRef;
  /** Path of the pod template: `spec.template`; '' for a Pod. */
  readonly templatePath: string;
  readonly os: WorkloadOs;
  readonly osEvidence: readonly OsEvidence[];
  /** Names of the Windows nodes it can land on; null when nodes are not known. */
  readonly candidates: readonly string[] | null;
  readonly verdicts: readonly PodVerdict[];
}

export interface PlacedSuppression extends SuppressedFinding {
  readonly finding: PlacedFinding;
}

export interface CheckSummary {
  readonly objects: number;
  readonly workloads: number;
  readonly windowsWorkloads: number;
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  readonly notEvaluated: number;
  readonly suppressed: number;
  readonly unreadable: number;
}

export interface CheckReport {
  readonly source: SourceDescription;
  /** Version of the API server, or the one that was judged by; null when not known. */
  readonly serverVersion: string | null;
  readonly workloads: readonly CheckedWorkload[];
  /** By object in the order of reading, then by severity. Reports for programs keep that order; those for people show the worst objects of a cluster first. */
  readonly findings: readonly PlacedFinding[];
  readonly notEvaluated: readonly NotEvaluated[];
  readonly suppressed: readonly PlacedSuppression[];
  readonly unreadable: readonly UnreadableDocument[];
  readonly summary: CheckSummary;
  /** What could not be seen, one sentence each. */
  readonly notes: readonly string[];
}
