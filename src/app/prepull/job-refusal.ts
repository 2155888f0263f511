import { remedyOf } from '../../domain/prepull/remedies.ts';
import type { ClusterError } from '../../errors.ts';

/**
 * What the Job controller says where it can make no pod: whether that is a clear refusal. What may pass, as a webhook that does not answer or a
 * full quota, it tries again by itself. Texts: https://github.com/kubernetes/apiserver/blob/v0.37.2/pkg/admission/plugin/webhook/errors/statuserror.go
 * (denied the request), k8s.io/apiserver pkg/admission/plugin/resourcequota/controller.go (exceeded quota, status unknown for quota), read 2026-11-30.
 */
export function isClearRefusal(message: string): boolean {
  return /\bdenied the request\b|\bis forbidden\b|\bis invalid\b/i.test(message) && !isFullQuota(message);
}

/** again: it passes. pull: this one is refused for good. run: all of them will be. */
export function refusalOf(error: ClusterError): 'again' | 'pull' | 'run' {
  const { reason, message, isPassing } = error;
  // a conflict over the use of a quota, too
  if (isPassing || reason === 'Conflict' || (reason === 'Forbidden' && isFullQuota(message))) return 'again';
  return OF_CONNECTION.has(reason) ? 'run' : 'pull';
}

/** What a report says of a pull whose Job is refused: NotFound and others are reasons of registries and nodes there, each with a remedy of its own. */
export function reasonOfRefusal({ reason }: ClusterError): string {
  return remedyOf(reason) === null ? reason : 'Refused';
}

/** Of who is asking, and the way to the server: as elsewhere, they end what is done over it. */
const OF_CONNECTION: ReadonlySet<ClusterError['reason']> = new Set(['Unauthorized', 'CredentialPlugin', 'NoConfiguration', 'BadConfiguration', 'UntrustedCertificate']);

function isFullQuota(message: string): boolean {
  return /exceeded quota|status unknown for quota/i.test(message);
}
