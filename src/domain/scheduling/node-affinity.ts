/**
 * Required node affinity as the scheduler reads it.
 * https://github.com/kubernetes/component-helpers/blob/v0.37.2/scheduling/corev1/nodeaffinity/nodeaffinity.go and
 * https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/labels/selector.go (Requirement.Matches), read 2026-11-30
 */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { arrayAt, isRecord, ownValue, stringAt, valueAt } from '../kubernetes/object.ts';
import { meetsOperator, parseInt64 } from '../kubernetes/requirement.ts';

export interface NodeRequirement {
  /** What it is about: a label of the node, or (matchFields) a field, of which there is metadata.name alone. */
  readonly of: 'label' | 'field';
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly path: FieldPath;
}

/** Terms are ORed, the requirements of one are ANDed. */
export interface NodeSelectorTerm {
  readonly requirements: readonly NodeRequirement[];
  /** Whether the scheduler can read all of it. A term that it cannot read, and one without requirements, matches no node. */
  readonly isValid: boolean;
  readonly path: FieldPath;
}

export interface RequiredNodeAffinity {
  readonly terms: readonly NodeSelectorTerm[];
  /** Path of nodeSelectorTerms. */
  readonly path: FieldPath;
}

/** As much of a node as affinity looks at. */
export interface AffinityNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'] as const;

/** The required node affinity of a pod spec; null when it has none. */
export function requiredNodeAffinityOf(spec: unknown, specPath: FieldPath): RequiredNodeAffinity | null {
  const required = valueAt(spec, ...REQUIRED);
  if (!isRecord(required)) return null;
  const path = [...specPath, ...REQUIRED, 'nodeSelectorTerms'];
  return { path, terms: arrayAt(required, 'nodeSelectorTerms').map((term, index) => termOf(term, [...path, index])) };
}

function termOf(term: unknown, path: FieldPath): NodeSelectorTerm {
  const requirements = [...requirementsOf(term, 'matchExpressions', 'label', path), ...requirementsOf(term, 'matchFields', 'field', path)];
  return { requirements, isValid: requirements.length > 0 && requirements.every(isReadable), path };
}

function requirementsOf(term: unknown, list: 'matchExpressions' | 'matchFields', of: NodeRequirement['of'], path: FieldPath): readonly NodeRequirement[] {
  return arrayAt(term, list).map((requirement, index) => ({
    of, key: stringAt(requirement, 'key') ?? '', operator: stringAt(requirement, 'operator') ?? '',
    values: arrayAt(requirement, 'values').filter((value): value is string => typeof value === 'string'), path: [...path, list, index],
  }));
}

const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function isReadable({ of, operator, values }: NodeRequirement): boolean {
  if (of === 'field') return (operator === 'In' || operator === 'NotIn') && values.length === 1;
  if (!values.every((value) => LABEL_VALUE.test(value))) return false;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0;
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0;
    case 'Gt':
    case 'Lt':
      return values.length === 1 && parseInt64(values[0] ?? '') !== null;
    default:
      return false;
  }
}

export function matchesNodeAffinity({ terms }: RequiredNodeAffinity, node: AffinityNode): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

export function matchesTerm({ isValid, requirements }: NodeSelectorTerm, node: AffinityNode): boolean {
  return isValid && requirements.every((requirement) => meetsRequirement(requirement, node));
}

export function meetsRequirement({ of, key, operator, values }: NodeRequirement, node: AffinityNode): boolean {
  // A field that nodes do not have reads as '' for the scheduler.
  const value = of === 'label' ? ownValue(node.labels, key) : key === 'metadata.name' ? node.name : '';
  return meetsOperator(operator, values, value);
}

/** `kubernetes.io/os In [windows]`, `metadata.name In [node-1]`. */
export function requirementText({ key, operator, values }: NodeRequirement): string {
  return values.length === 0 ? `${key} ${operator}` : `${key} ${operator} [${values.join(', ')}]`;
}
