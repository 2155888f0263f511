/** Which images are used, by whom, and under which isolation: gathered while workloads are visited. */
import { placementOf } from '../../domain/check/assumed-nodes.ts';
import type { CheckFacts } from '../../domain/check/facts.ts';
import type { WorkloadSubject } from '../../domain/check/rule.ts';
import type { Isolation } from '../../domain/image/image-on-node.ts';
import { refOf, type ObjectRef } from '../../domain/kubernetes/object-ref.ts';
import { namespaceOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import type { Placement } from '../../domain/scheduling/placement.ts';
import { containerName } from '../../domain/workload/container-names.ts';
import { ownerKey, topOwnerOfPod } from '../../domain/workload/owner.ts';
import { targetOsOf } from '../../domain/workload/target-os.ts';
import { workloadsOf, type Container } from '../../domain/workload/workload.ts';
import type { ManifestObject, UnreadableDocument } from '../ports.ts';
import type { WorkloadVisitor } from '../workloads/workload-visitor.ts';
import type { WantedImage } from './image-evidence.ts';
import type { ImageUser } from './image-report.ts';
import { pullScopeKey, pullScopeOf, type PullScope } from './pull-secrets.ts';

export interface UsedImage {
  readonly image: string;
  /** A Windows workload uses it, or it runs on a Windows node. */
  readonly isForWindows: boolean;
  readonly users: readonly ImageUser[];
  /** Of the containers that use it. */
  readonly isolations: readonly Isolation[];
  /** Windows nodes on which pods of its users are or can land, by isolation; null when nodes, or users, are not known. */
  readonly landing: ReadonlyMap<Isolation, ReadonlySet<readonly WindowsNode[]>> | null;
  /** Of its users, where placements are kept: what keeps pods off which node. */
  readonly placements?: readonly Placement[];
}

interface Usage {
  isForWindows: boolean;
  readonly users: Map<string, { object: ObjectRef; readonly containers: Set<string> }>;
  readonly isolations: Set<Isolation>;
  /** Lists of candidates: workloads with the same constraints share theirs. */
  readonly landing: Map<Isolation, Set<readonly WindowsNode[]>>;
  readonly scopes: Map<string, PullScope>;
  readonly placements: Placement[];
}

export interface ImageUsageOptions {
  /** Keep the users of images that are not for Windows, too. */
  readonly allOs: boolean;
  /** Keep what keeps pods off nodes, too: it is asked for where an image lands on none. */
  readonly keepsPlacements?: boolean;
}

export class ImageUsage implements WorkloadVisitor {
  readonly unreadableDocuments: UnreadableDocument[] = [];
  readonly #options: ImageUsageOptions;
  readonly #images = new Map<string, Usage>();
  /** How pods of an owner pull: for images that only its pods have. */
  readonly #scopes = new Map<string, PullScope>();
  readonly #knownScopes = new Map<string, PullScope>();
  /** Each node with a pod as a list of candidates, which its pods share. */
  readonly #ownNodes = new Map<string, readonly WindowsNode[]>();
  #facts: CheckFacts;

  constructor(facts: CheckFacts, options: ImageUsageOptions) {
    this.#facts = facts;
    this.#options = options;
  }

  setPods(pods: CheckFacts['pods']): void {
    this.#facts = { ...this.#facts, pods };
  }

  /**
   * What runs on Windows nodes now, whatever its template says: images of an older revision, containers that a webhook put in.
   * `isWanted` leaves pods out that a selector does not meet.
   */
  addPods(pods: readonly KubeObject[], isWanted: (pod: KubeObject) => boolean = () => true): void {
    const { nodes } = this.#facts;
    if (nodes === null) return;
    for (const pod of pods) {
      const node = nodes.get(stringAt(pod, 'spec', 'nodeName') ?? '');
      const phase = stringAt(pod, 'status', 'phase');
      if (node?.os !== 'windows' || phase === 'Succeeded' || phase === 'Failed' || !isWanted(pod)) continue;
      const owner = topOwnerOfPod(pod);
      const object = owner === null ? refOf(pod) : { apiVersion: owner.apiVersion === '' ? null : owner.apiVersion, kind: owner.kind, namespace: namespaceOf(pod), name: owner.name };
      for (const { containers } of workloadsOf(pod)) this.#add(containers, object, { isForWindows: true, candidates: this.#alone(node) });
    }
  }

  introduce(object: KubeObject): readonly WorkloadSubject[] {
    const facts = this.#facts;
    return workloadsOf(object).map((workload) => {
      const os = targetOsOf(workload, facts);
      return { workload, os, placement: os.os === 'linux' ? null : placementOf(workload, facts) };
    });
  }

  /** Registries are asked when all images are known, each once. */
  prepare(): null {
    return null;
  }

  visit(_object: KubeObject, subjects: readonly WorkloadSubject[]): void {
    for (const { workload, os, placement } of subjects) {
      const isForWindows = os.os === 'windows' || os.os === 'contradictory';
      if (os.os === 'linux' && !this.#options.allOs) {
        for (const { image } of workload.containers) if (image !== null && image !== '') this.#usageOf(image);
        continue;
      }
      const scope = this.#shared(pullScopeOf(workload.spec, namespaceOf(workload.object)));
      this.#scopes.set(keyOf(workload.ref), scope);
      this.#add(workload.containers, workload.ref, { isForWindows, scope, candidates: placement?.windowsCandidates ?? null, placement });
    }
  }

  visitManifest({ object }: ManifestObject, subjects: readonly WorkloadSubject[]): void {
    this.visit(object, subjects);
  }

  unreadable(document: UnreadableDocument): void {
    this.unreadableDocuments.push(document);
  }

  visitCluster(): void {
    // no conclusion hangs on having seen all
  }

  /** Number of different images. */
  get size(): number {
    return this.#images.size;
  }

  /** Those for Windows, or all, by name. */
  images(): readonly UsedImage[] {
    return [...this.#shown()].map(([image, { isForWindows, users, isolations, landing, placements }]): UsedImage => ({
      image, isForWindows,
      users: [...users.values()].map(({ object, containers }) => ({ object, containers: [...containers] })),
      isolations: [...isolations],
      landing: this.#facts.nodes === null ? null : landing,
      ...(this.#options.keepsPlacements === true ? { placements } : {}),
    })).toSorted((a, b) => (a.image < b.image ? -1 : 1));
  }

  /** The images to ask registries for, and for whom: `first` for one user each, `others` for all that pull with other secrets. */
  wanted({ withOthers }: { readonly withOthers: boolean }): { readonly first: readonly WantedImage[]; readonly others: readonly WantedImage[] } {
    const first: WantedImage[] = [];
    const others: WantedImage[] = [];
    for (const [image, { isForWindows, users, scopes }] of this.#shown()) {
      if (!isForWindows && !withOthers) continue;
      const known = scopes.size > 0 ? [...scopes.values()] : [...users.keys()].flatMap((key) => this.#scopes.get(key) ?? []);
      first.push({ image, scope: known[0] ?? null });
      for (const scope of new Set(known.slice(1))) others.push({ image, scope });
    }
    return { first, others };
  }

  #shown(): Iterable<readonly [string, Usage]> {
    return this.#options.allOs ? this.#images : [...this.#images].filter(([, { isForWindows }]) => isForWindows);
  }

  #add(containers: readonly Container[], object: ObjectRef, user: { readonly isForWindows: boolean; readonly scope?: PullScope; readonly candidates?: readonly WindowsNode[] | null; readonly placement?: Placement | null }): void {
    const key = keyOf(object);
    for (const container of containers) {
      const { image } = container;
      if (image === null || image === '') continue;
      const usage = this.#usageOf(image);
      const isolation = container.isHostProcess ? 'host-process' : 'process';
      usage.isForWindows ||= user.isForWindows;
      usage.isolations.add(isolation);
      const known = usage.users.get(key);
      if (known === undefined) usage.users.set(key, { object, containers: new Set([containerName(container)]) });
      else known.containers.add(containerName(container));
      if (user.scope !== undefined) usage.scopes.set(pullScopeKey(user.scope), user.scope);
      if (user.placement != null && this.#options.keepsPlacements === true) usage.placements.push(user.placement);
      if (user.candidates != null && user.candidates.length > 0) usage.landing.set(isolation, (usage.landing.get(isolation) ?? new Set()).add(user.candidates));
    }
  }

  #alone(node: WindowsNode): readonly WindowsNode[] {
    const list = this.#ownNodes.get(node.name) ?? [node];
    this.#ownNodes.set(node.name, list);
    return list;
  }

  #usageOf(image: string): Usage {
    let usage = this.#images.get(image);
    if (usage === undefined) this.#images.set(image, usage = { isForWindows: false, users: new Map(), isolations: new Set(), landing: new Map(), scopes: new Map(), placements: [] });
    return usage;
  }

  #shared(scope: PullScope): PullScope {
    const key = pullScopeKey(scope);
    const known = this.#knownScopes.get(key) ?? scope;
    this.#knownScopes.set(key, known);
    return known;
  }
}

function keyOf({ kind, namespace, name }: ObjectRef): string {
  return ownerKey(kind ?? '', namespace ?? 'default', name);
}
