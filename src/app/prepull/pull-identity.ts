/** As whom pulls are done: service accounts and pull secrets, by name. No secret is read. */
import { arrayAt, stringAt } from '../../domain/kubernetes/object.ts';
import { SERVICE_ACCOUNTS } from '../../domain/kubernetes/resource.ts';
import type { PullIdentity } from '../../domain/prepull/run-objects.ts';
import { ClusterError } from '../../errors.ts';
import type { PullScope } from '../images/pull-secrets.ts';
import type { ClusterReader } from '../ports.ts';

export interface IdentityOptions {
  readonly namespace: string;
  /** --service-account; null for that of the workload. */
  readonly serviceAccount: string | null;
  /** --pull-secret */
  readonly pullSecrets: readonly string[];
  /** Where one identity is for all images, or secrets have to be named. */
  readonly isShared: boolean;
  readonly mustNameSecrets: boolean;
  readonly signal: AbortSignal;
}

export interface Identities {
  /** Of images without workloads; where it is shared, of all. */
  readonly own: PullIdentity;
  /** Of images that pull otherwise. */
  readonly byImage: ReadonlyMap<string, PullIdentity>;
  readonly notes: readonly string[];
}

/**
 * `scopes`: of the first workload that uses an image; those of other namespaces mean nothing here. A pod that names secrets is given none
 * of its service account (https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#add-image-pull-secret-to-service-account,
 * read 2026-11-30), so that where it has to name some, the account is asked for its own.
 */
export async function identitiesOf(scopes: ReadonlyMap<string, PullScope>, options: IdentityOptions, reader: ClusterReader): Promise<Identities> {
  const { namespace, pullSecrets, isShared, mustNameSecrets } = options;
  const here = new Map([...scopes].filter(([, scope]) => scope.namespace === namespace));
  const accounts = new Map<string, readonly string[] | null>();
  const isMixed = isShared && new Set([...here.values()].map((scope) => JSON.stringify(scope))).size > 1;
  const namesOf = async (account: string): Promise<readonly string[]> => {
    if (!accounts.has(account)) accounts.set(account, await secretsOfAccount(reader, namespace, account, options.signal));
    return accounts.get(account) ?? [];
  };
  const identityOf = async (scope: PullScope | null): Promise<PullIdentity> => {
    const serviceAccount = options.serviceAccount ?? scope?.serviceAccount ?? null;
    const named = scope?.secretNames ?? [];
    const own = named.length > 0 || !(pullSecrets.length > 0 || mustNameSecrets || isMixed) ? named : await namesOf(serviceAccount ?? 'default');
    return { serviceAccount, pullSecrets: [...new Set([...own, ...pullSecrets])] };
  };
  const byImage = new Map<string, PullIdentity>();
  for (const [image, scope] of here) byImage.set(image, await identityOf(scope));
  const [first] = byImage.values();
  const own = isShared && first !== undefined ? { ...first, pullSecrets: [...new Set([...byImage.values()].flatMap((one) => one.pullSecrets))] } : first ?? await identityOf(null);
  const unread = [...accounts].filter(([, names]) => names === null).map(([account]) => account);
  return {
    own, byImage: isShared ? new Map() : new Map([...byImage].filter(([, one]) => JSON.stringify(one) !== JSON.stringify(own))),
    notes: unread.length === 0 ? [] : [`the service account ${unread.join(', ')} in ${namespace} may not be read: its pull secrets are not used beside those that are named`],
  };
}

/** null where it may not be read. */
async function secretsOfAccount(reader: ClusterReader, namespace: string, name: string, signal: AbortSignal): Promise<readonly string[] | null> {
  try {
    return arrayAt(await reader.get(SERVICE_ACCOUNTS, name, { namespace, signal }), 'imagePullSecrets').flatMap((reference) => stringAt(reference, 'name') ?? []);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    return error.reason === 'NotFound' ? [] : null;
  }
}
