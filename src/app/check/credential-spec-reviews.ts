/** Asks a live API server which service accounts may use which GMSACredentialSpec, each question once. */
import type { CredentialSpecAccess } from '../../domain/check/facts.ts';
import { credentialSpecNames } from '../../domain/workload/credential-specs.ts';
import { stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { podTemplatesOf } from '../../domain/workload/pod-template.ts';
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

  /** Asks what the rules will want to know of objects, one after the other; null where that is nothing, as of nearly all. */
  prepare(objects: readonly KubeObject[]): Promise<void> | null {
    const asking = objects.filter((object) => podTemplatesOf(object).some(({ spec }) => credentialSpecNames(spec).length > 0));
    return this.#reader.mayServiceAccount === undefined || asking.length === 0 ? null : this.#askAll(asking);
  }

  async #askAll(objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) await this.#prepareOne(object);
  }

  #prepareOne(object: KubeObject): Promise<void> | null {
    const questions = podTemplatesOf(object).flatMap(({ spec }) => credentialSpecNames(spec).map((name) => ({ name, account: stringAt(spec, 'serviceAccountName') || 'default' })));
    return questions.length === 0 ? null : this.#ask(stringAt(object, 'metadata', 'namespace') ?? 'default', questions);
  }

  async #ask(namespace: string, questions: readonly { readonly name: string; readonly account: string }[]): Promise<void> {
    for (const { name, account } of questions) {
      const key = keyOf(namespace, account, name);
      if (this.#answers.has(key) || this.#reader.mayServiceAccount === undefined) continue;
      this.#answers.set(key, await this.#reader.mayServiceAccount({ namespace, name: account }, { verb: 'use', group: 'windows.k8s.io', resource: 'gmsacredentialspecs', name }, { signal: this.#signal }));
    }
  }
}

function keyOf(namespace: string, account: string, spec: string): string {
  return `${namespace}/${account}/${spec}`;
}
