/** Visits what a cluster or a recorded inventory holds, page by page: pods first, for they are the evidence; what selects pods last. */
import type { CheckFacts } from '../../domain/check/facts.ts';
import type { WorkloadSubject } from '../../domain/check/rule.ts';
import type { FactsOptions } from '../../domain/check/facts-of-objects.ts';
import { collectPodEvidence, type PodEvidenceCollector } from '../../domain/check/pod-evidence-collector.ts';
import { nameOf, namespaceOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { editDistance, nearestBy } from '../../domain/kubernetes/edit-distance.ts';
import { builtInResource, builtInResourceWords, resourcesNamed } from '../../domain/kubernetes/resource-names.ts';
import {
  CRON_JOBS, DAEMON_SETS, DEPLOYMENTS, EVENTS, JOBS, kindKey, NAMESPACES, NETWORK_POLICIES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, POD_TEMPLATES, PODS,
  REPLICA_SETS, REPLICATION_CONTROLLERS, resourceKindKey, RUNTIME_CLASSES, SERVICES, STATEFUL_SETS, STORAGE_CLASSES, type Resource,
} from '../../domain/kubernetes/resource.ts';
import { isBuiltInGroup, podMakersAmong } from '../../domain/workload/custom-resources.ts';
import { controllerOf, ownerKey, topOwnerOfPod, type Owner } from '../../domain/workload/owner.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import type { ClusterReader, ListOptions } from '../ports.ts';
import { labelMatcher } from './label-matcher.ts';
import { readFacts } from './read-facts.ts';
import { placeInList, type Reading } from './reading.ts';
import { Turns } from './turns.ts';
import type { WorkloadVisitor } from './workload-visitor.ts';

export interface WorkloadScope {
  /** undefined: the reader's own; null: all namespaces. */
  readonly namespace: string | null | undefined;
  readonly labelSelector?: string | undefined;
  /** TYPE and TYPE/NAME; empty means everything. */
  readonly targets: readonly WorkloadTarget[];
  /** Which custom resources are looked into: those that are known to make pods, all, none. */
  readonly customResources: 'known' | 'all' | 'none';
}

export interface WorkloadTarget {
  /** As typed: `deploy`, `rollouts.argoproj.io`. */
  readonly type: string;
  readonly name: string | null;
}

/** Kubernetes' own kinds with pod templates; ReplicaSets and Pods are read in their own ways. */
const TEMPLATE_RESOURCES: readonly Resource[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS, CRON_JOBS, JOBS, REPLICATION_CONTROLLERS, POD_TEMPLATES];
/** What rules look at beyond workloads, after them. */
const OTHER_RESOURCES: readonly Resource[] = [SERVICES, NETWORK_POLICIES, RUNTIME_CLASSES, STORAGE_CLASSES, PERSISTENT_VOLUMES, PERSISTENT_VOLUME_CLAIMS, NAMESPACES];
const OWNING_KINDS: ReadonlyMap<string, Resource> = new Map([...TEMPLATE_RESOURCES, REPLICA_SETS].map((resource) => [resource.kind, resource]));
/** Pods are read before their templates: all their containers are kept, and the rule leaves out those that the template has. */
const NO_CONTAINERS: ReadonlySet<string> = new Set();
/** Pods of a page of digests that are read one by one; where there are more, the page is read again. */
const SINGLE_READS_PER_PAGE = 20;
const PARALLEL_READS = 10;
/** Bare pods in trouble that wait for the events to be read; the rest is judged without. */
const WAITING_PODS = 2_000;

/** kubectl's --chunk-size where none is given. */
const KUBECTL_CHUNK_SIZE = 500;
const DIGESTS_PER_PAGE = 2_000;

export interface WalkOptions {
  readonly scope: WorkloadScope;
  /** Kinds to visit beside those with pod templates: `/Service`. */
  readonly otherKinds: ReadonlySet<string>;
  /** What is read as facts; absent: all that rules may ask for. */
  readonly facts?: readonly Resource[];
  /** false where nobody asks for the events of pods. */
  readonly withEvents?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with what kept an object from being read that was asked for by name; the others are visited. Without it that is thrown. */
  readonly onUnread?: (error: ClusterError) => void;
  /** Called with each page of nodes as they came, before any pod is read. */
  readonly onNodes?: (nodes: readonly KubeObject[]) => void;
  /** Called with each page of pods, before any workload is visited. */
  readonly onPods?: (pods: readonly KubeObject[], facts: CheckFacts) => void;
}

export async function walkCluster<Visitor extends WorkloadVisitor>(
  reader: ClusterReader, reading: Reading, options: WalkOptions,
  visitorOf: (facts: CheckFacts) => Visitor, factsOptions: (completeness: FactsOptions['completeness']) => FactsOptions, notes: string[],
): Promise<Visitor> {
  const { scope } = options;
  const namespace = scope.namespace === undefined ? reader.namespace : scope.namespace;
  const needsDiscovery = scope.targets.length === 0 ? scope.customResources !== 'none' : scope.targets.some(({ type }) => builtInResource(type) === null);
  const [facts, served] = await Promise.all([
    readFacts(reading, namespace, factsOptions, { wanted: options.facts, onNodes: options.onNodes }).then((builder) => builder.facts()),
    // a type that was typed cannot be looked up without
    needsDiscovery ? (scope.targets.length === 0 ? reading.resources() : reader.resources({ signal: options.signal })) : [],
  ]);
  const visitor = visitorOf(facts);
  const walk = new Walk({ reader, reading, visitor, facts, namespace, scope, served, signal: options.signal, onUnread: options.onUnread, onPods: options.onPods, withEvents: options.withEvents ?? true });
  await walk.readPods();
  if (scope.targets.length > 0) await walk.visitTargets();
  else await walk.visitAll(options.otherKinds);
  notes.push(...walk.notes);
  // conclusions about the cluster need all of it
  if (namespace === null && scope.targets.length === 0 && !scope.labelSelector) visitor.visitCluster();
  return visitor;
}

interface WalkParts {
  readonly reader: ClusterReader;
  readonly reading: Reading;
  readonly visitor: WorkloadVisitor;
  readonly facts: CheckFacts;
  readonly namespace: string | null;
  readonly scope: WorkloadScope;
  readonly served: readonly Resource[];
  readonly signal: AbortSignal | undefined;
  readonly onUnread: ((error: ClusterError) => void) | undefined;
  readonly onPods: ((pods: readonly KubeObject[], facts: CheckFacts) => void) | undefined;
  readonly withEvents: boolean;
}

class Walk {
  readonly notes: string[] = [];
  readonly #parts: WalkParts;
  readonly #matches: (object: KubeObject) => boolean;
  readonly #pods: PodEvidenceCollector;
  readonly #representatives = new Set<string>();
  /** Custom resources of the server that are known to make pods: every pod and ReplicaSet asks for its owner's. */
  readonly #podMakers: ReadonlyMap<string, Resource>;
  /** One owner by kind, of the pods that are judged through theirs. */
  readonly #owners = new Map<string, Owner>();
  readonly #turns: Turns;

  constructor(parts: WalkParts) {
    this.#parts = parts;
    this.#podMakers = new Map(podMakersAmong(parts.served).map((resource) => [resourceKindKey(resource), resource]));
    this.#turns = new Turns(parts.signal);
    this.#matches = labelMatcher(parts.scope.labelSelector);
    this.#pods = collectPodEvidence({
      ownerOf: (pod) => {
        const object = pod as KubeObject; // the collector hands on what it was given below
        const owner = topOwnerOfPod(object) ?? { kind: 'Pod', name: nameOf(object) };
        return { kind: owner.kind, namespace: namespaceOf(object), name: owner.name, templateContainers: NO_CONTAINERS };
      },
    });
  }

  #listOptions(resource: Resource): ListOptions {
    const { namespace, scope } = this.#parts;
    return { ...inNamespace(resource.namespaced ? namespace : null), labelSelector: scope.labelSelector };
  }

  /** Reads pods for what they tell of their owners, and judges those without one where everything is judged. */
  async readPods(): Promise<void> {
    const { reading, visitor, facts, namespace, scope, onPods, withEvents } = this.#parts;
    const visitsPods = scope.targets.length === 0 || scope.targets.some(({ type, name }) => name === null && builtInResource(type) === PODS);
    const waiting: KubeObject[] = [];
    visitor.setPods(this.#pods);
    let any = false;
    let left = 0;
    const seen = (pods: readonly KubeObject[]): readonly KubeObject[] => {
      any ||= pods.length > 0;
      this.#pods.addPods(pods);
      onPods?.(pods, facts);
      return visitsPods ? pods.filter((pod) => {
        if (!this.#matches(pod)) return false;
        if (this.#isVisitedItself(pod)) return true;
        left++;
        this.#noteOwner(pod);
        return false;
      }) : [];
    };
    for await (const pods of this.#wholePods(seen)) {
      const now: KubeObject[] = [];
      for (const pod of pods) (isRunning(pod) || waiting.length >= WAITING_PODS ? now : waiting).push(pod);
      await this.#visit(now);
    }
    if (reading.completeness(PODS) === 'none') visitor.setPods(null);
    else if (any && withEvents) {
      for await (const events of reading.objects(EVENTS, { ...inNamespace(namespace), fieldSelector: 'type=Warning,involvedObject.kind=Pod' })) this.#pods.addEvents(events);
    }
    await this.#visit(waiting);
    if (scope.targets.length > 0 && left > 0) this.notes.push(`${left} ${left === 1 ? 'pod is' : 'pods are'} judged through ${left === 1 ? 'its owner' : 'their owners'}: name the owner, or the pod`);
  }

  /** Remembers through which kinds pods are meant to be judged. */
  #noteOwner(pod: KubeObject): void {
    for (const owner of [topOwnerOfPod(pod), controllerOf(pod)]) if (owner !== null) this.#owners.set(`${owner.apiVersion} ${owner.kind}`, owner);
  }

  /** Pods whose owners turned out to be none that may be listed: the first of each owner stands for all. */
  async #visitLeftPods(): Promise<void> {
    if ([...this.#owners.values()].every((owner) => this.#isVisited(owner))) return;
    for await (const chosen of this.#wholePods((pods) => pods.filter((one) => topOwnerOfPod(one) !== null && this.#matches(one) && this.#isVisitedItself(one)))) await this.#visit(chosen);
  }

  /**
   * Lists pods, hands over each page, and gives those that it asks for, whole and in their order. Where few are asked for the
   * pages are of digests, and the few are read one by one: nearly all pods of most clusters only tell of their owners. Each
   * page tells what to ask the next ones for; the first is whole where pods are what was named.
   */
  async* #wholePods(choose: (pods: readonly KubeObject[]) => readonly KubeObject[]): AsyncGenerator<readonly KubeObject[]> {
    const { reading, scope, namespace } = this.#parts;
    let digest = !scope.targets.some(({ type, name }) => name === null && builtInResource(type) === PODS);
    for await (const { items, whole } of reading.pages(PODS, { ...inNamespace(namespace), ...largePages(reading.chunkSize), podDigest: () => digest })) {
      const chosen = choose(items);
      digest = chosen.length <= SINGLE_READS_PER_PAGE;
      if (whole === undefined) yield chosen;
      else if (digest) yield* this.#readOneByOne(chosen);
      else yield* this.#readAgain(chosen, whole);
    }
  }

  /** Pods that are gone meanwhile are left out. */
  async* #readOneByOne(pods: readonly KubeObject[]): AsyncGenerator<readonly KubeObject[]> {
    const { reading } = this.#parts;
    for (let start = 0; start < pods.length; start += PARALLEL_READS) {
      const found = await Promise.all(pods.slice(start, start + PARALLEL_READS).map((pod) => reading.listed(PODS, nameOf(pod), namespaceOf(pod))));
      yield found.filter((pod) => pod !== null);
    }
  }

  async* #readAgain(pods: readonly KubeObject[], whole: () => Promise<readonly KubeObject[]>): AsyncGenerator<readonly KubeObject[]> {
    let page: readonly KubeObject[];
    try {
      page = await whole();
    } catch (error) {
      // the page may be too old by now, or be cut short again
      if (!(error instanceof ClusterError) || !['Expired', 'Gone', 'ConnectionLost'].includes(error.reason)) throw error;
      yield* this.#readOneByOne(pods);
      return;
    }
    const places = new Set(pods.map(placeInList));
    yield page.filter((pod) => places.has(placeInList(pod)));
  }

  async #visit(objects: readonly KubeObject[]): Promise<void> {
    const { visitor } = this.#parts;
    const subjects: (readonly WorkloadSubject[])[] = [];
    for (const object of objects) {
      await this.#turns.next();
      subjects.push(visitor.introduce(object));
    }
    const preparing = visitor.prepare(objects, subjects);
    if (preparing !== null) await preparing;
    for (const [index, object] of objects.entries()) {
      await this.#turns.next();
      visitor.visit(object, subjects[index] ?? []);
    }
  }

  async visitAll(kindsOfRules: ReadonlySet<string>): Promise<void> {
    const { scope, served, reading } = this.#parts;
    for (const resource of TEMPLATE_RESOURCES) await this.#visitList(resource);
    const custom = scope.customResources === 'none' ? [] : scope.customResources === 'all' ? served.filter(({ group }) => !isBuiltInGroup(group)) : podMakersAmong(served);
    for (const resource of custom) await this.#visitList(resource);
    // after all that can own them: what may not be listed is known now
    await this.#visitReplicaSets();
    await this.#visitLeftPods();
    for (const resource of OTHER_RESOURCES) {
      if (kindsOfRules.has(resourceKindKey(resource)) && reading.completeness(resource) !== 'none') await this.#visitList(resource);
    }
  }

  async visitTargets(): Promise<void> {
    const { scope, served, reader, namespace } = this.#parts;
    for (const { type, name } of scope.targets) {
      const several = resourcesNamed(type, served);
      const resource = builtInResource(type) ?? (several.length === 1 ? several[0] : undefined);
      if (resource === undefined) {
        if (several.length > 1) throw new UsageError(`several groups have the resource type "${type}"`, { suggestions: [`write it with its group: ${several.map(({ plural, group }) => `${plural}.${group}`).join(', ')}`] });
        throw new UsageError(`the server doesn't have a resource type "${type}"`, { suggestions: suggestionsFor(type, served) });
      }
      if (resource.group === '' && resource.kind === 'Node') {
        throw new UsageError('nodes are not judged one by one', { suggestions: ['kubectl win nodes --show-issues tells what is wrong with them', 'kubectl win check -A tells what of it concerns the pods'] });
      }
      if (name !== null) {
        if (resource.namespaced && namespace === null && reader.description.source === 'cluster') throw new UsageError('a resource cannot be retrieved by name across all namespaces');
        await this.#visitNamed(resource, name);
      } else if (resource === REPLICA_SETS) await this.#visitReplicaSets();
      else if (resource !== PODS) await this.#visitList(resource); // pods were judged while they were read
    }
  }

  /** Objects that are not there, or may not be read, keep no other from being judged. */
  async #visitNamed(resource: Resource, name: string): Promise<void> {
    let object: KubeObject;
    try {
      object = await this.#named(resource, name);
    } catch (error) {
      const { onUnread } = this.#parts;
      if (onUnread === undefined || !(error instanceof ClusterError) || (error.reason !== 'NotFound' && error.reason !== 'Forbidden')) throw error;
      onUnread(error);
      return;
    }
    await this.#visit([object]);
  }

  /** An object by name; of a recording that is read as a whole, from whichever namespace has it. */
  async #named(resource: Resource, name: string): Promise<KubeObject> {
    const { reading, namespace } = this.#parts;
    if (!resource.namespaced || namespace !== null) return reading.get(resource, name, resource.namespaced ? namespace ?? undefined : undefined);
    for await (const objects of reading.objects(resource, {})) {
      const found = objects.find((object) => nameOf(object) === name);
      if (found !== undefined) return found;
    }
    return reading.get(resource, name, undefined);
  }

  async #visitList(resource: Resource): Promise<void> {
    const { signal } = this.#parts;
    const known = this.#known(resource);
    if (known !== null) {
      await this.#visit([...known].filter((object) => this.#matches(object) && !this.#isVisitedThroughOwner(object)));
      return;
    }
    for await (const objects of this.#parts.reading.objects(resource, this.#listOptions(resource))) {
      signal?.throwIfAborted();
      const own = objects.filter((object) => !this.#isVisitedThroughOwner(object));
      await this.#visit(own);
      for (const object of own) this.#pods.forget(resource.kind, namespaceOf(object), nameOf(object));
    }
  }

  /** Objects that were read as facts already. */
  #known(resource: Resource): Iterable<KubeObject> | null {
    const { facts, namespace } = this.#parts;
    const tables: readonly (readonly [Resource, CheckFacts['daemonSets']])[] = [
      [DAEMON_SETS, facts.daemonSets], [RUNTIME_CLASSES, facts.runtimeClasses], [STORAGE_CLASSES, facts.storageClasses],
      [PERSISTENT_VOLUMES, facts.persistentVolumes], [PERSISTENT_VOLUME_CLAIMS, facts.persistentVolumeClaims], [NAMESPACES, facts.namespaces],
    ];
    const table = tables.find(([one]) => one === resource)?.[1];
    if (table == null) return null;
    const all = [...table.values()];
    return resource.namespaced && namespace !== null ? all.filter((object) => namespaceOf(object) === namespace) : all;
  }

  async #visitReplicaSets(): Promise<void> {
    const { reading, reader } = this.#parts;
    const isLive = reader.description.source === 'cluster';
    // only metadata first: nearly all ReplicaSets belong to Deployments, which keep ten old ones each
    for await (const objects of reading.objects(REPLICA_SETS, { ...this.#listOptions(REPLICA_SETS), metadataOnly: isLive })) {
      const whole: KubeObject[] = [];
      for (const object of objects) {
        if (this.#isVisitedThroughOwner(object)) continue;
        const read = isLive ? await reading.listed(REPLICA_SETS, nameOf(object), namespaceOf(object)) : object;
        if (read !== null) whole.push(read);
      }
      await this.#visit(whole);
    }
  }

  #isVisitedThroughOwner(object: KubeObject): boolean {
    const owner = controllerOf(object);
    return owner !== null && this.#isVisited(owner);
  }

  /** Whether objects of the owner's kind are there to be judged. */
  #isVisited(owner: Owner): boolean {
    const { scope, reading } = this.#parts;
    const resource = OWNING_KINDS.get(owner.kind);
    if (resource !== undefined) return reading.completeness(resource) !== 'none';
    const maker = scope.customResources === 'none' ? undefined : this.#podMakers.get(kindKey(owner));
    return maker !== undefined && reading.completeness(maker) !== 'none';
  }

  /** A bare pod, or the first of an owner that is not there to be judged. */
  #isVisitedItself(pod: KubeObject): boolean {
    const owner = topOwnerOfPod(pod);
    if (owner === null) return true;
    if (this.#isVisited(owner) || this.#isVisitedThroughOwner(pod)) return false;
    const key = ownerKey(owner.kind, namespaceOf(pod), owner.name);
    if (this.#representatives.has(key)) return false;
    this.#representatives.add(key);
    return true;
  }
}

/** Larger pages for digests, of which a pod takes little: 20,000 pods took 2.9 s in place of 3.4 (API server v1.37.2, 2026-11-30). Who says --chunk-size means it. */
function largePages(chunkSize: number | undefined): { readonly chunkSize?: number } {
  return chunkSize === undefined || chunkSize === KUBECTL_CHUNK_SIZE ? { chunkSize: DIGESTS_PER_PAGE } : {};
}

function inNamespace(namespace: string | null): { readonly namespace?: string } {
  return namespace === null ? {} : { namespace };
}

function isRunning(pod: KubeObject): boolean {
  const phase = stringAt(pod, 'status', 'phase');
  return phase === 'Running' || phase === 'Succeeded';
}

/** What a type that the server does not have may have meant, and what can be asked for. */
function suggestionsFor(type: string, served: readonly Resource[]): readonly string[] {
  const word = type.toLowerCase();
  const near = word.length < 3 ? null : nearestBy(word, [...builtInResourceWords(), ...served.map(({ plural }) => plural)], (candidate) => editDistance(word, candidate));
  return [...(near === null ? [] : [`did you mean ${near}?`]), `types that are always there: ${builtInResourceWords().join(', ')}`];
}
