import { formatFieldPath } from '../../kubernetes/field-path.ts';
import type { Finding } from '../finding.ts';

/**
 * What makes a finding the same in another run: rule, object and field. Line numbers and wording do not count, so that edits
 * elsewhere in a file open nothing anew. List indices count; where the container has a name, that stands in for its index.
 */
export function fingerprintOf(finding: Pick<Finding, 'rule' | 'object' | 'path' | 'container'>): string {
  const { apiVersion, kind, namespace, name } = finding.object;
  const slash = (apiVersion ?? '').indexOf('/');
  const group = slash === -1 ? '' : (apiVersion ?? '').slice(0, slash);
  const path = finding.container === null || finding.container === '' ? finding.path : finding.path.map((step, index) => (typeof step === 'number' && isContainerList(finding.path[index - 1]) ? (finding.container as string) : step));
  return [finding.rule, group, kind ?? '', namespace ?? '', name, formatFieldPath(path)].join('|');
}

function isContainerList(step: string | number | undefined): boolean {
  return step === 'containers' || step === 'initContainers' || step === 'ephemeralContainers';
}
