import { isDnsLabel } from '../../domain/kubernetes/dns-label.ts';
import { UsageError } from '../../errors.ts';

/** Runs create objects there, and the name stands in commands and in Roles that users copy. */
export function requireNamespaceName(namespace: string): void {
  if (!isDnsLabel(namespace)) throw new UsageError(`${JSON.stringify(namespace)} is no name of a namespace: lower-case letters, digits and -, at most 63`);
}
