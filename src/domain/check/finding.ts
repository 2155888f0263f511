/** What rules report. Field names of Finding are a contract: CheckReport.findings (product.md §4). */
import type { Confidence } from '../image/image-platforms.ts';
import type { FieldPath } from '../kubernetes/field-path.ts';
import type { ObjectRef } from '../kubernetes/object-ref.ts';
import type { Severity } from '../severity.ts';
import type { FactName } from './facts.ts';

/** rejected: the API server refuses it. cannot-run: no node, pull or start will work. may-fail. ignored: Windows drops the field. advice. */
export type Effect = 'rejected' | 'cannot-run' | 'may-fail' | 'ignored' | 'advice';

/** One change to an object. Paths are those of the object. */
export type FieldEdit =
  /** Removes a key or list item; maps that become empty go with it where Kubernetes allows that. */
  | { readonly op: 'remove'; readonly path: FieldPath }
  /** Sets a key, making the maps above it as needed. */
  | { readonly op: 'set'; readonly path: FieldPath; readonly value: unknown }
  /** Adds an item at the end of a list, making it as needed. */
  | { readonly op: 'append'; readonly path: FieldPath; readonly value: unknown };

export interface Fix {
  /** Imperative, a few words: `set spec.os.name to windows`. */
  readonly title: string;
  readonly edits: readonly FieldEdit[];
  /** Whether it cannot change what a working pod does: ignored fields removed, what the API server refuses removed. */
  readonly isSafe: boolean;
}

/** What a rule's check yields: values, never sentences. */
export interface FindingDraft<MessageId extends string = string> {
  readonly messageId: MessageId;
  /** Values for the slots of the message. */
  readonly data?: Readonly<Record<string, string | number>>;
  /** Field of the object; it may be missing in it (then the place shown is that of the nearest one above). */
  readonly path: FieldPath;
  readonly container?: string;
  /** Where they are not the rule's own. */
  readonly severity?: Severity;
  readonly effect?: Effect;
  /** Catalogue numbers, where a rule has several and this finding is not of all. */
  readonly facts?: readonly string[];
  /** Nodes concerned. */
  readonly nodes?: readonly string[];
  /** Default: proven. */
  readonly confidence?: Confidence;
  /** What was seen, one sentence each, beyond the message. */
  readonly evidence?: readonly string[];
  /** Where it is more exact than the rule's own. */
  readonly remediation?: string;
  readonly reference?: string;
  readonly fix?: Fix;
  /** Where the finding is about another object than the one that was looked at. */
  readonly object?: ObjectRef;
}

/** A question that the rule could not answer. */
export interface NotEvaluatedDraft {
  readonly notEvaluated: FactName | 'image platforms';
  /** What it would have told, where that is not the rule's summary. */
  readonly about?: string;
}

export interface Finding {
  readonly rule: string;
  readonly facts: readonly string[];
  readonly severity: Severity;
  readonly effect: Effect;
  readonly object: ObjectRef;
  readonly container: string | null;
  readonly path: FieldPath;
  readonly message: string;
  readonly nodes: readonly string[];
  readonly confidence: Confidence;
  readonly evidence: readonly string[];
  readonly remedy: string;
  readonly reference: string;
  readonly fix: Fix | null;
}

export interface NotEvaluated {
  readonly rule: string;
  readonly object: ObjectRef;
  /** The missing fact's name and what it would have told. */
  readonly reason: string;
}

export interface SuppressedFinding {
  readonly finding: Finding;
  /** Where the suppression stands and why: the annotation's text, the configuration, the baseline. */
  readonly by: 'annotation' | 'configuration' | 'baseline';
  readonly reason: string;
}
