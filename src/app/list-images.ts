/** `kubectl win images`: which images are used, what they hold, and on which nodes they run. */
import type { ClusterReader, ImageRegistry, ManifestSource, RegistryFailure } from './ports.ts';
import { ImageEvidence, SECRETS_MAY_HELP, type WantedImage } from './images/image-evidence.ts';
import type { ImageItem, ImageReport } from './images/image-report.ts';
import { contradictionNotes } from './images/contradictions.ts';
import { ImageUsage } from './images/image-usage.ts';
import { judgeImage, relevantReleases, type ImageToJudge } from './images/judge-image.ts';
import { limitSilence } from './images/limit-silence.ts';
import { seePods, seeRunningPods } from './images/live-images.ts';
import { pullSecretsFrom } from './images/pull-secrets.ts';
import { SandboxImages } from './images/sandbox-images.ts';
import { ReportedSizes } from './images/reported-sizes.ts';
import { labelMatcher } from './workloads/label-matcher.ts';
import { readFacts } from './workloads/read-facts.ts';
import { Reading } from './workloads/reading.ts';
import { walkCluster, type WorkloadScope } from './workloads/walk-cluster.ts';
import { walkFiles } from './workloads/walk-files.ts';
import type { CheckFacts } from '../domain/check/facts.ts';
import { FactsBuilder, type FactsOptions } from '../domain/check/facts-of-objects.ts';
import type { ImagePlatformSource } from '../domain/image/image-platforms.ts';
import { NO_PLATFORMS } from '../domain/image/no-platforms.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import { NODES, RUNTIME_CLASSES } from '../domain/kubernetes/resource.ts';
import type { WindowsNode } from '../domain/node/windows-node.ts';
import type { LifecycleOverrides } from '../domain/windows/providers.ts';
import { ClusterError } from '../errors.ts';

export interface ListImagesOptions {
  /** Images to look at in place of those that are used. */
  readonly named: readonly string[];
  /** Whose imagePullSecrets registries may be shown for named images: those of this namespace's default service account; null for nobody's. */
  readonly pullNamespace: string | null;
  /** Read imagePullSecrets where a registry refuses what the user has. */
  readonly pullSecrets: boolean;
  /** Images that are not for Windows too. */
  readonly allOs: boolean;
  /** The pause images of Windows nodes too. */
  readonly sandbox: boolean;
  /** Ask registries for those of other workloads too. */
  readonly looksUpAll: boolean;
  /** Ask for the size of each platform, which costs a request each. */
  readonly sizes: boolean;
  /** What images hold where there is no better evidence: NO_PLATFORMS, names alone; null for all evidence that there is. */
  readonly images: ImagePlatformSource | null;
  /** Asked where `images` is null; null for none. */
  readonly registry: ImageRegistry | null;
  /** --kubernetes-version; replaces the server's. */
  readonly kubernetesVersion?: string | undefined;
  readonly asOf: Date;
  readonly overrides: LifecycleOverrides;
  readonly poolLabels: readonly string[];
  /** What is looked at of the cluster or inventory; ignored where manifests or images are named. */
  readonly scope: WorkloadScope;
  readonly chunkSize?: number | undefined;
  /** Go on without the cluster where it does not answer: named images can be shown without. */
  readonly goesOnWithoutCluster: boolean;
  /** How long it may say nothing then, in seconds. */
  readonly silenceSeconds: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ImageSources {
  /** Whose nodes are meant, or whose workloads; null for images or manifests alone. */
  readonly reader: ClusterReader | null;
  /** -f; null for others. */
  readonly manifests: ManifestSource | null;
}

/** What tells of the OS of a pod, and where it lands. */
const FACTS = [NODES, RUNTIME_CLASSES];

/** Throws ClusterError when nothing of a cluster could be read, InputError when no manifest could. */
export async function listImages(options: ListImagesOptions, sources: ImageSources): Promise<ImageReport> {
  return new ImageList(options, sources).report();
}

interface Found {
  readonly facts: CheckFacts | null;
  readonly images: readonly ImageToJudge[];
  readonly usage: ImageUsage | null;
}

class ImageList {
  readonly #options: ListImagesOptions;
  readonly #sources: ImageSources;
  readonly #reading: Reading | null;
  readonly #sizes = new ReportedSizes();
  readonly #sandboxes = new SandboxImages();
  /** null where all evidence is one source. */
  readonly #evidence: ImageEvidence | null;
  readonly #notes: string[] = [];
  /** What kept the cluster from answering at all. */
  #unreached: ClusterError | null = null;

  constructor(options: ListImagesOptions, sources: ImageSources) {
    const { signal } = options;
    const reader = sources.reader !== null && options.goesOnWithoutCluster ? limitSilence(sources.reader, options.silenceSeconds) : sources.reader;
    this.#options = options;
    this.#sources = { ...sources, reader };
    this.#reading = reader === null ? null : new Reading(reader, options);
    this.#evidence = options.images !== null ? null : new ImageEvidence({
      registry: options.registry, ...pullSecretsFrom(reader, options.pullSecrets, signal), sizes: options.sizes, signal,
    });
  }

  /** Takes raw nodes: facts hold nothing of the images that they report. */
  readonly #see = (nodes: readonly KubeObject[]): void => {
    this.#sizes.addNodes(nodes);
    this.#sandboxes.addNodes(nodes);
  };

  get #source(): ImagePlatformSource {
    return this.#options.images ?? this.#evidence ?? NO_PLATFORMS;
  }

  async report(): Promise<ImageReport> {
    const { reader, manifests } = this.#sources;
    const { asOf, named } = this.#options;
    const looking = this.#lookUpNamed();
    looking.catch(() => undefined); // awaited below; a failing cluster must not leave it unhandled
    const version = await this.#version();
    const found = named.length > 0 ? await this.#named(version, looking) : await this.#used(version);
    const { facts, usage } = found;
    const failure = this.#reading?.failure ?? null;
    if (failure !== null && named.length === 0) throw failure;
    const windowsNodes = facts === null || facts.nodes === null ? null : [...facts.nodes.values()].filter(({ os }) => os === 'windows');
    const releases = relevantReleases(asOf, windowsNodes ?? []);
    const judge = (used: ImageToJudge, on: readonly WindowsNode[] | null): ImageItem => judgeImage(used, {
      platforms: this.#source.platformsOf(used.image), failure: this.#evidence?.failureOf(used.image) ?? null, reportedSize: this.#sizes.sizeOf(used.image, used.isForWindows ? 'windows' : 'any'),
    }, { windowsNodes: on, releases });
    const sandboxes = await this.#sandboxImages();
    const items = [
      ...found.images.map((used) => judge(used, windowsNodes)),
      // a provider's pause image is nobody's concern on nodes of another
      ...sandboxes.map(({ used, nodes }) => judge(used, windowsNodes?.filter(({ name }) => nodes.has(name)) ?? null)),
    ];
    return {
      source: (manifests ?? reader)?.description ?? { source: 'files', context: null, location: '' },
      serverVersion: version, items, windowsNodes: windowsNodes?.length ?? null,
      nodeBuilds: new Map((windowsNodes ?? []).flatMap(({ name, build }) => (build === null ? [] : [[name, build]]))), releases: releases.map(({ release }) => release),
      hidden: usage === null ? 0 : usage.size - found.images.length, unreadable: usage?.unreadableDocuments ?? [],
      notes: [...this.#notes, ...manifests?.notes ?? [], ...this.#reading?.notes ?? [], ...this.#evidence?.notes ?? [], ...contradictionNotes(items)],
    };
  }

  /** Nothing that is judged here hangs on it: it is missing where it may not be read. */
  async #version(): Promise<string | null> {
    const { reader } = this.#sources;
    const { kubernetesVersion, signal, goesOnWithoutCluster } = this.#options;
    if (kubernetesVersion !== undefined || reader === null) return kubernetesVersion ?? null;
    try {
      return (await reader.serverVersion({ signal }))?.gitVersion ?? null;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ClusterError)) throw error;
      if (error.reason === 'Forbidden' || error.reason === 'NotFound') return null;
      if (!goesOnWithoutCluster) throw error;
      this.#unreached = error;
      return null;
    }
  }

  #factsOptions(kubernetesVersion: string | null, completeness: FactsOptions['completeness']): FactsOptions {
    const { asOf, overrides, poolLabels } = this.#options;
    return { kubernetesVersion, asOf, images: this.#source, overrides, poolLabels, completeness };
  }

  async #lookUpNamed(): Promise<void> {
    const { named, pullNamespace } = this.#options;
    const scope = pullNamespace === null ? null : { namespace: pullNamespace, serviceAccount: 'default', secretNames: [] };
    if (named.length > 0) await this.#evidence?.lookUp([...new Set(named)].map((image): WantedImage => ({ image, scope })));
  }

  async #named(version: string | null, looking: Promise<void>): Promise<Found> {
    const [facts] = await Promise.all([this.#nodes(version), looking]);
    return { facts, usage: null, images: [...new Set(this.#options.named)].map((image): ImageToJudge => ({ image, isForWindows: true, users: null, isolations: [], landing: 'all' })) };
  }

  /** The nodes, and what pods on them prove; null without a cluster, and where it does not answer. */
  async #nodes(version: string | null): Promise<CheckFacts | null> {
    const reading = this.#reading;
    if (reading === null) return null;
    let facts: CheckFacts | null = null;
    try {
      if (this.#unreached !== null) throw this.#unreached;
      facts = (await readFacts(reading, null, (completeness) => this.#factsOptions(version, completeness), { wanted: [NODES], onNodes: this.#see })).facts();
      if (this.#evidence !== null) await seeRunningPods(this.#evidence.live, reading, facts.nodes);
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      if (!this.#options.goesOnWithoutCluster || !(error instanceof ClusterError)) throw error;
      this.#notes.push(`${facts === null ? 'nodes are not known' : 'what runs was not seen'}: ${error.message}`);
    }
    return facts;
  }

  async #used(version: string | null): Promise<Found> {
    const [usage, facts] = this.#sources.manifests === null ? await this.#walkCluster(version) : await this.#walkFiles(this.#sources.manifests, version);
    await this.#lookUp(usage);
    return { facts, usage, images: usage.images() };
  }

  async #walkCluster(version: string | null): Promise<readonly [ImageUsage, CheckFacts | null]> {
    const { scope, signal, allOs } = this.#options;
    const evidence = this.#evidence;
    const isWanted = labelMatcher(scope.labelSelector);
    let known: CheckFacts | null = null;
    let visitor: ImageUsage | null = null;
    const usage = await walkCluster(this.#sources.reader as ClusterReader, this.#reading as Reading, { // one of reader and manifests is given
      scope, otherKinds: new Set(), facts: FACTS, withEvents: false, signal, onNodes: this.#see,
      onPods: (pods, facts) => {
        if (evidence !== null) seePods(evidence.live, pods, facts.nodes);
        visitor?.addPods(pods, isWanted);
      },
    }, (facts) => {
      known = facts;
      return visitor = new ImageUsage(facts, { allOs });
    }, (completeness) => this.#factsOptions(version, completeness), this.#notes);
    return [usage, known];
  }

  async #walkFiles(manifests: ManifestSource, version: string | null): Promise<readonly [ImageUsage, CheckFacts | null]> {
    const { scope, signal, allOs } = this.#options;
    const reading = this.#reading;
    let known: CheckFacts | null = null;
    let pods: readonly KubeObject[] = [];
    const usage = await walkFiles(manifests, { signal, namespace: scope.namespace ?? this.#sources.reader?.namespace ?? null }, (facts) => {
      const visitor = new ImageUsage(facts, { allOs });
      visitor.addPods(pods);
      return visitor;
    }, async (objects) => {
      const builder = reading === null ? new FactsBuilder(this.#factsOptions(version, () => 'none')) : await readFacts(reading, null, (completeness) => this.#factsOptions(version, completeness), { wanted: FACTS, onNodes: this.#see });
      for (const object of objects) builder.add(object);
      this.#see(objects.filter(({ kind }) => kind === 'Node'));
      known = builder.facts();
      pods = objects.filter(({ kind }) => kind === 'Pod');
      if (this.#evidence !== null) {
        seePods(this.#evidence.live, pods, known.nodes);
        if (reading !== null) await seeRunningPods(this.#evidence.live, reading, known.nodes);
      }
      return known;
    });
    return [usage, known];
  }

  /** Where they were asked for, and looked up. */
  async #sandboxImages(): Promise<readonly { readonly used: ImageToJudge; readonly nodes: ReadonlySet<string> }[]> {
    if (!this.#options.sandbox) return [];
    const images = this.#sandboxes.images();
    await this.#evidence?.lookUp(images.map(({ image }): WantedImage => ({ image, scope: null })));
    return images.map(({ image, nodes }) => ({ used: { image, role: 'sandbox', isForWindows: true, users: null, isolations: ['process'], landing: null }, nodes }));
  }

  /** Each image for one of its users first; for the others only where their secrets may tell more. */
  async #lookUp(usage: ImageUsage): Promise<void> {
    const evidence = this.#evidence;
    if (evidence === null || !evidence.asksRegistries) return;
    const { first, others } = usage.wanted({ withOthers: this.#options.looksUpAll });
    await evidence.lookUp(first);
    await evidence.lookUp(others.filter(({ image }) => isRefused(evidence.failureOf(image))));
  }
}

function isRefused(failure: RegistryFailure | null): boolean {
  return failure !== null && SECRETS_MAY_HELP.has(failure.reason);
}
