import { formatFieldPath } from '../../kubernetes/field-path.ts';
import { groupOf } from '../../kubernetes/resource.ts';
import type { Finding } from '../finding.ts';

/**
 * What makes a finding the same in another run: rule, object and field. Line numbers and wording do not count, so that edits
 * elsewhere in a file open nothing anew. List indices count; where the container has a name, that stands in for its index.
 * A finding on a document without an object is told apart by its file.
 */
export function fingerprintOf(finding: Pick<Finding, 'rule' | 'object' | 'path' | 'container'>, file: string | null = null): string {
  const { apiVersion, kind, namespace, name } = finding.object;
  const path = finding.container === null || finding.container === '' ? finding.path : finding.path.map((step, index) => (typeof step === 'number' && isContainerList(finding.path[index - 1]) ? (finding.container as string) : step));
  return [finding.rule, groupOf(apiVersion), kind ?? '', namespace ?? '', name, formatFieldPath(path), ...(kind === null && file !== null ? [file] : [])].join('|');
}

function isContainerList(step: string | number | undefined): boolean {
  return step === 'containers' || step === 'initContainers' || step === 'ephemeralContainers';
}
