/** `--pull-secret NAMESPACE/NAME`: the run's own copies of pull secrets of other namespaces, removed with it. */
import { arrayAt, nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { SECRETS } from '../../domain/kubernetes/resource.ts';
import { placeText, secretCopy, secretCopyName, type SecretPlace } from '../../domain/prepull/secret-copies.ts';
import { runJobName, type RunOptions, type RunOwner } from '../../domain/prepull/run-objects.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';
import { createOnce } from '../runs/create-once.ts';
import { patiently } from '../runs/patience.ts';
import type { RunClock } from '../runs/run-clock.ts';

export interface SecretCopiesCluster {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly clock: Pick<RunClock, 'sleep'>;
}

/** In dry runs, which know no run. */
const NO_OWNER: RunOwner = { name: 'none', uid: '00000000-0000-0000-0000-000000000000' };

export class SecretCopies {
  readonly #places: readonly SecretPlace[];
  readonly #options: Pick<RunOptions, 'run' | 'namespace' | 'origin'>;
  readonly #cluster: SecretCopiesCluster;
  #sources: readonly KubeObject[] = [];
  readonly #made = new Map<string, string>();

  constructor(places: readonly SecretPlace[], options: Pick<RunOptions, 'run' | 'namespace' | 'origin'>, cluster: SecretCopiesCluster) {
    this.#places = places;
    this.#options = options;
    this.#cluster = cluster;
  }

  /** Reads the secrets, and asks whether copies may be made. Throws ClusterError or UsageError, with the fix. */
  async check(signal: AbortSignal): Promise<void> {
    const { namespace } = this.#options;
    const questions = ['create', 'delete'].map((verb) => ({ verb, group: SECRETS.group, resource: SECRETS.plural, namespace }));
    const missing = (await this.#cluster.writer.review(questions, { signal })).filter(({ allowed }) => allowed === false).map(({ question }) => `${question.verb} ${question.resource}`);
    if (missing.length > 0) {
      throw new ClusterError(`not allowed in the namespace ${namespace}: ${missing.join(', ')}, for a copy of ${this.#places.map(placeText).join(', ')}`, {
        reason: 'Forbidden', status: 403, suggestions: [`ask for the secret to be put into ${namespace}, and name it there: --pull-secret NAME`],
      });
    }
    this.#sources = await Promise.all(this.#places.map((place) => this.#read(place, signal)));
    for (const copy of this.#copies(NO_OWNER)) await this.#cluster.writer.create(SECRETS, copy, { namespace, dryRun: true, signal });
  }

  async #read(place: SecretPlace, signal: AbortSignal): Promise<KubeObject> {
    try {
      return await this.#cluster.reader.get(SECRETS, place.name, { namespace: place.namespace, signal });
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      throw new ClusterError(`the pull secret ${placeText(place)} is not read: ${error.message}`, { reason: error.reason, ...(error.status === null ? {} : { status: error.status }), suggestions: error.suggestions, cause: error });
    }
  }

  #copies(owner: RunOwner): readonly KubeObject[] {
    return this.#sources.map((source, index) => {
      const copy = secretCopy(this.#options, index, source, owner);
      if (copy !== null) return copy;
      const place = placeText(this.#places[index] as SecretPlace); // one for each
      throw new UsageError(`the secret ${place} is no pull secret: its type is ${JSON.stringify(stringAt(source, 'type') ?? '')}`, { suggestions: ['kubectl create secret docker-registry makes one'] });
    });
  }

  /** After `check`. `creating`: of requests whose outcome has to be known. */
  async make(owner: RunOwner, creating: AbortSignal): Promise<void> {
    for (const copy of this.#copies(owner)) {
      // an answer may be lost on the way: then what is there has the same owner
      const isOurs = (found: KubeObject): boolean => arrayAt(found, 'metadata', 'ownerReferences').some((one) => stringAt(one, 'uid') === owner.uid);
      const { object } = await patiently((attempt) => createOnce(SECRETS, copy, (found) => attempt > 1 && isOurs(found), this.#cluster, { namespace: this.#options.namespace, signal: creating }), { clock: this.#cluster.clock, signal: creating });
      this.#made.set(nameOf(copy), stringAt(object, 'metadata', 'uid') ?? '');
    }
  }

  /** Those that were made: what cannot be removed goes with the run. */
  async remove(signal: AbortSignal): Promise<void> {
    for (const [name, uid] of this.#made) {
      await patiently(() => this.#cluster.writer.delete(SECRETS, name, { namespace: this.#options.namespace, uid, signal }), { clock: this.#cluster.clock, signal });
      this.#made.delete(name);
    }
  }
}

/** Names under which pods will have them. */
export function copyNames(places: readonly SecretPlace[], run: string): readonly string[] {
  return places.map((_, index) => secretCopyName(run, index));
}

/** What is said of a plan that nobody carries out now. */
export function copyNotes(places: readonly SecretPlace[], { run, namespace }: Pick<RunOptions, 'run' | 'namespace'>): readonly string[] {
  return places.map((place, index) => `the pull secret ${placeText(place)} is read and copied when it runs: as ${secretCopyName(run, index)} in ${namespace}, which goes with the Job ${runJobName(run)}`);
}
