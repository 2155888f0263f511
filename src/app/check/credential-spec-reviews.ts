/** Asks a live API server which service accounts may use which GMSACredentialSpec, each question once. */
import type { CredentialSpecAccess } from '../../domain/check/facts.ts';
import { credentialSpecNames } from '../../domain/workload/credential-specs.ts';
import { stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { workloadsOf } from '../../domain/workload/workload.ts';
import type { ClusterReader } from '../ports.ts';

export class CredentialSpecReviews implements CredentialSpecAccess {
  readonly #reader: ClusterReader;
  readonly #signal: AbortSignal | undefined;
  readonly #answers = new Map<string, boolean | null>();

  constructor(reader: ClusterReader, signal: AbortSignal | undefined) {
    this.#reader = reader;
    this.#signal = signal;
  }

  mayUse(namespace: string, serviceAccount: string, credentialSpec: string): boolean | null {
    return this.#answers.get(keyOf(namespace, serviceAccount, credentialSpec)) ?? null;
  }

  /** Asks what the rules will want to know of an object. Nearly all name no credential spec, and nothing is asked. */
  async prepare(object: KubeObject): Promise<void> {
    if (this.#reader.mayServiceAccount === undefined) return;
    const namespace = stringAt(object, 'metadata', 'namespace') ?? 'default';
    for (const workload of workloadsOf(object)) {
      const account = stringAt(workload.spec, 'serviceAccountName') || 'default';
      for (const name of credentialSpecNames(workload)) {
        const key = keyOf(namespace, account, name);
        if (this.#answers.has(key)) continue;
        this.#answers.set(key, await this.#reader.mayServiceAccount({ namespace, name: account }, { verb: 'use', group: 'windows.k8s.io', resource: 'gmsacredentialspecs', name }, { signal: this.#signal }));
      }
    }
  }
}

function keyOf(namespace: string, account: string, spec: string): string {
  return `${namespace}/${account}/${spec}`;
}
