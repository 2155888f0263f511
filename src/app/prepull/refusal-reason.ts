import { remedyOf } from '../../domain/prepull/remedies.ts';
import type { ClusterError } from '../../errors.ts';

/** What a report says of a pull whose Job is refused: NotFound and others are reasons of registries and nodes there, each with a remedy of its own. */
export function reasonOfRefusal({ reason }: ClusterError): string {
  return remedyOf(reason) === null ? reason : 'Refused';
}
