/** Where the pods of a run are made. */
import { NAMESPACES } from '../../domain/kubernetes/resource.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader } from '../ports.ts';
import { requireNamespaceName } from '../runs/namespace-name.ts';

/** Whoever may exec into pods of a namespace is SYSTEM on a node as long as such a pod is there: one for that alone is safer than one that others use. */
export const OWN_NAMESPACE = 'kubectl-win';

export interface FoundNamespace {
  readonly namespace: string;
  /** A clause, for notes. */
  readonly because: string;
}

/** The one that is named, else that of the configuration, else `kubectl-win` where it is there, else the context's. Throws UsageError for what is no name of one. */
export async function findNamespace(given: string | null, settings: { readonly namespace: string | null }, reader: ClusterReader, signal?: AbortSignal): Promise<FoundNamespace> {
  const named = given ?? settings.namespace;
  if (named !== null) {
    requireNamespaceName(named);
    return { namespace: named, because: given === null ? 'as configured (hostProcess.namespace)' : 'as named (-n)' };
  }
  const context = reader.namespace ?? 'default';
  try {
    if (reader.completeness(NAMESPACES) === 'none') return { namespace: context, because: 'that of the context' };
    await reader.get(NAMESPACES, OWN_NAMESPACE, { signal });
    return { namespace: OWN_NAMESPACE, because: 'which is there for it' };
  } catch (error) {
    if (!(error instanceof ClusterError) || (error.reason !== 'NotFound' && error.reason !== 'Forbidden')) throw error;
    const why = error.reason === 'NotFound' ? `there is no ${OWN_NAMESPACE}` : `whether there is a ${OWN_NAMESPACE} may not be looked at (get namespaces); -n ${OWN_NAMESPACE} names it`;
    return { namespace: context, because: `that of the context: ${why}` };
  }
}
