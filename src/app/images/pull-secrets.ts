/** Texts of the imagePullSecrets that the kubelet would pull a pod's images with: the pod's own, or those of its service account. */
import { arrayAt, stringAt } from '../../domain/kubernetes/object.ts';
import { SECRETS, SERVICE_ACCOUNTS } from '../../domain/kubernetes/resource.ts';
import { someOf } from '../../domain/some-of.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader } from '../ports.ts';

/** Where a pod's images are pulled for. */
export interface PullScope {
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Names that the pod spec itself has. */
  readonly secretNames: readonly string[];
}

/**
 * Of a pod spec in a namespace. `serviceAccount` is the old name of serviceAccountName, which wins
 * (SetDefaults_PodSpec of https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/v1/defaults.go, read 2026-11-30).
 */
export function pullScopeOf(spec: unknown, namespace: string): PullScope {
  return { namespace, serviceAccount: stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount') || 'default', secretNames: namesOf(arrayAt(spec, 'imagePullSecrets')) };
}

/**
 * The kubelet passes over a secret whose type and key do not agree
 * (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/credentialprovider/secrets/secrets.go, read 2026-11-30). API servers give every secret a type.
 */
const KEYS = [{ type: 'kubernetes.io/dockerconfigjson', key: '.dockerconfigjson' }, { type: 'kubernetes.io/dockercfg', key: '.dockercfg' }] as const;

/** Names of secrets in one note. */
const MOST_NAMED = 3;

/** Who reads pull secrets for a command: nobody where they are not wanted, and without a live cluster, which is then said. */
export function pullSecretsFrom(reader: ClusterReader | null, isWanted: boolean, signal: AbortSignal | undefined): { readonly secrets: PullSecretReader | null; readonly secretsUnread: string | null } {
  if (!isWanted) return { secrets: null, secretsUnread: null };
  if (reader === null) return { secrets: null, secretsUnread: 'without --live' };
  return reader.description.source === 'cluster' ? { secrets: new PullSecretReader(reader, signal), secretsUnread: null } : { secrets: null, secretsUnread: 'where the cluster is a recording' };
}

/** Equal for pods with the same secrets. */
export function pullScopeKey({ namespace, serviceAccount, secretNames }: PullScope): string {
  return `${namespace}/${serviceAccount}/${secretNames.join(',')}`;
}

/**
 * Reads secrets of a live cluster, each once, and only when a registry refused what the user has. What may not be read is
 * missing, and noted: the audit goes on without it.
 */
export class PullSecretReader {
  readonly #reader: ClusterReader;
  readonly #signal: AbortSignal | undefined;
  readonly #secrets = new Map<string, Promise<string | null>>();
  readonly #accounts = new Map<string, Promise<readonly string[]>>();
  /** Namespaces by what could not be read there. */
  readonly #refused = new Map<string, Set<string>>();
  /** Names of secrets by namespace. */
  readonly #missing = new Map<string, Set<string>>();

  constructor(reader: ClusterReader, signal: AbortSignal | undefined) {
    this.#reader = reader;
    this.#signal = signal;
  }

  /**
   * In the kubelet's order. The ServiceAccount admission controller gives a pod without imagePullSecrets those of its service
   * account, and only then (https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#add-image-pull-secret-to-service-account,
   * https://github.com/kubernetes/kubernetes/blob/v1.37.2/plugin/pkg/admission/serviceaccount/admission.go, read 2026-11-30).
   */
  async textsFor({ namespace, serviceAccount, secretNames }: PullScope): Promise<readonly string[]> {
    const names = secretNames.length > 0 ? secretNames : await this.#namesOfAccount(namespace, serviceAccount);
    const texts = await Promise.all(names.map((name) => this.#text(namespace, name)));
    return texts.filter((text) => text !== null);
  }

  /** What could not be read, a sentence each. */
  get notes(): readonly string[] {
    return [
      ...[...this.#missing].map(([namespace, names]) => `${names.size === 1 ? 'secret' : 'secrets'} ${someOf([...names].toSorted(), MOST_NAMED)} of the namespace ${namespace} ${names.size === 1 ? 'does' : 'do'} not exist`),
      ...[...this.#refused].map(([what, namespaces]) => {
        const [plural, problem] = what.split('\n');
        return `${plural} of the namespace${namespaces.size === 1 ? '' : 's'} ${[...namespaces].toSorted().join(', ')} ${problem}: registries that want imagePullSecrets were asked without`;
      }),
    ];
  }

  #namesOfAccount(namespace: string, name: string): Promise<readonly string[]> {
    return once(this.#accounts, `${namespace}/${name}`, async () => namesOf(arrayAt(await this.#get(SERVICE_ACCOUNTS, name, namespace), 'imagePullSecrets')));
  }

  #text(namespace: string, name: string): Promise<string | null> {
    return once(this.#secrets, `${namespace}/${name}`, async () => {
      const secret = await this.#get(SECRETS, name, namespace);
      const type = stringAt(secret, 'type');
      const data = KEYS.flatMap((row) => (type === undefined || type === row.type ? stringAt(secret, 'data', row.key) || [] : []))[0];
      return data === undefined ? null : Buffer.from(data, 'base64').toString('utf8');
    });
  }

  async #get(resource: typeof SECRETS | typeof SERVICE_ACCOUNTS, name: string, namespace: string): Promise<unknown> {
    try {
      return await this.#reader.get(resource, name, { namespace, signal: this.#signal });
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (!(error instanceof ClusterError)) throw error;
      if (error.reason !== 'NotFound') addTo(this.#refused, `${resource.plural}\n${error.reason === 'Forbidden' ? 'may not be read' : `could not be read (${error.message})`}`, namespace);
      else if (resource === SECRETS) addTo(this.#missing, namespace, name);
      return null;
    }
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value));
}

function once<Value>(known: Map<string, Promise<Value>>, key: string, read: () => Promise<Value>): Promise<Value> {
  const before = known.get(key);
  if (before !== undefined) return before;
  const reading = read();
  known.set(key, reading);
  return reading;
}

function namesOf(references: readonly unknown[]): readonly string[] {
  return references.flatMap((reference) => stringAt(reference, 'name') || []);
}
