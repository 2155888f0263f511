/** Gathers images, nodes and evidence, and plans. Reads alone. */
import type { CheckFacts } from '../../domain/check/facts.ts';
import { FactsBuilder, type FactsOptions } from '../../domain/check/facts-of-objects.ts';
import type { Isolation } from '../../domain/image/image-on-node.ts';
import type { ImagePlatformSource } from '../../domain/image/image-platforms.ts';
import { NO_PLATFORMS } from '../../domain/image/no-platforms.ts';
import { arrayAt, nameOf, stringAt, stringMapAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { NODES, RUNTIME_CLASSES } from '../../domain/kubernetes/resource.ts';
import { imagesOf } from '../../domain/node/node-images.ts';
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import { nodesFilledByPulls, SAFE_MIN_FREE } from '../../domain/prepull/garbage-collection.ts';
import { NodeImageList } from '../../domain/prepull/image-presence.ts';
import { planPrepull, type ImageToPrepull, type NodeToPrepull, type PlanItem, type PlanOptions } from '../../domain/prepull/prepull-plan.ts';
import type { Placement } from '../../domain/scheduling/placement.ts';
import { withSettledNodes } from '../../domain/scheduling/settled-node.ts';
import { someOf } from '../../domain/some-of.ts';
import type { LifecycleOverrides } from '../../domain/windows/providers.ts';
import { InputError, UsageError } from '../../errors.ts';
import { ImageEvidence } from '../images/image-evidence.ts';
import { ImageUsage, type UsedImage } from '../images/image-usage.ts';
import { seePods, seeRunningPods } from '../images/live-images.ts';
import { PullSecretReader, type PullScope } from '../images/pull-secrets.ts';
import type { ClusterReader, ImageRegistry, ManifestSource, SourceDescription, UnreadableDocument } from '../ports.ts';
import { labelMatcher } from '../workloads/label-matcher.ts';
import { readFacts } from '../workloads/read-facts.ts';
import { Reading } from '../workloads/reading.ts';
import { walkCluster, type WorkloadTarget } from '../workloads/walk-cluster.ts';
import { walkFiles } from '../workloads/walk-files.ts';
import { landingNotes, landingOf, type Landing } from './landing.ts';

export interface PlanPrepullOptions {
  /** Images by name. */
  readonly named: readonly string[];
  /** --from: workloads of the cluster whose images are meant. */
  readonly from: readonly WorkloadTarget[];
  /** Where workloads are looked for, and pulls run; null for an inventory's own. */
  readonly namespace: string | null;
  /** Names of nodes; with a selector and pools all have to hold. All Windows nodes where nothing is given. */
  readonly nodes: readonly string[];
  readonly nodeSelector: string | undefined;
  readonly pools: readonly string[];
  readonly skipsCordoned: boolean;
  /** Share of the disk that stays free, 0 to 1; null for no floor. */
  readonly minFree: number | null;
  /** What images hold where there is no better evidence: NO_PLATFORMS, names alone; null for all evidence that there is. */
  readonly images: ImagePlatformSource | null;
  readonly registry: ImageRegistry | null;
  readonly readsPullSecrets: boolean;
  readonly kubernetesVersion?: string | undefined;
  readonly asOf: Date;
  readonly overrides: LifecycleOverrides;
  readonly poolLabels: readonly string[];
  /** Of PlanOptions. */
  readonly isHeld?: boolean;
  /** Images are in use once they are pulled, by pods that stay. */
  readonly areKeptInUse?: boolean;
  /** Of runs in a namespace: whoever may create Jobs elsewhere must not make a pull of this one be skipped. */
  readonly earlierPulls: (namespace: string) => Promise<PlanOptions['pulledBefore']>;
  /** Where pulls run, by the scope that workloads have in common. */
  readonly namespaceOf: (scope: PullScope | null) => string;
  /** Free space of the disk of a node; null when it is not known. */
  readonly spaceOf: (node: string) => Promise<NodeToPrepull['space']>;
  readonly signal: AbortSignal;
}

export interface PrepullPlan {
  readonly source: SourceDescription;
  readonly serverVersion: string | null;
  readonly items: readonly PlanItem[];
  /** Those that were asked for. */
  readonly nodes: readonly WindowsNode[];
  /** How pods of the workloads pull; of several the first one. */
  readonly scope: PullScope | null;
  /** The same by image. */
  readonly scopes: ReadonlyMap<string, PullScope>;
  readonly notes: readonly string[];
  /** The same for a node that comes later, as the API server shows it; nothing for one that was asked for and Ready, or is not asked for. */
  readonly planNode: (node: KubeObject) => Promise<readonly PlanItem[]>;
}

/** Nodes that a note names. */
const MOST_NAMED = 3;

interface Wanted {
  readonly image: string;
  /** null of one that is named: nobody tells. */
  readonly isolation: Isolation | null;
  /** Nodes that it is for; null for all that were asked for. */
  readonly landing: Landing | null;
  /** Of the workloads that use it. */
  readonly placements?: readonly Placement[];
}

/** Throws ClusterError where the nodes cannot be read, UsageError where nothing is meant. */
export async function preparePlan(options: PlanPrepullOptions, { reader, manifests }: { readonly reader: ClusterReader; readonly manifests: ManifestSource | null }): Promise<PrepullPlan> {
  const { signal } = options;
  const reading = new Reading(reader, { signal });
  const notes: string[] = [];
  const secrets = options.readsPullSecrets && reader.description.source === 'cluster' ? new PullSecretReader(reader, signal) : null;
  const evidence = options.images === null ? new ImageEvidence({ registry: options.registry, secrets, sizes: 'with-layers', signal }) : null;
  const source = options.images ?? evidence ?? NO_PLATFORMS;
  const serverVersion = options.kubernetesVersion ?? (await reader.serverVersion({ signal }).catch(() => null))?.gitVersion ?? null;
  const raw = new Map<string, KubeObject>();
  const onNodes = (nodes: readonly KubeObject[]): void => {
    for (const node of nodes) raw.set(nameOf(node), node);
  };
  const factsOptions = (completeness: FactsOptions['completeness']): FactsOptions => ({
    kubernetesVersion: serverVersion, asOf: options.asOf, images: source, overrides: options.overrides, poolLabels: options.poolLabels, completeness,
  });

  const { facts, usage, settled } = await readImagesAndNodes(options, { reader, reading, manifests, evidence, onNodes, factsOptions, notes });
  const nodes = chosenNodes(facts, raw, options);
  const wanted = wantedImages(options.named, usage, (used) => landingOf(used, settled, (name) => facts.nodes?.get(name)));
  if (wanted.length === 0) throw new UsageError('no image to pull: the workloads have none for Windows', { suggestions: ['kubectl win check says for which OS each workload is'] });
  const scopes = new Map(usage?.wanted({ withOthers: false }).first.flatMap(({ image, scope }) => (scope === null ? [] : [[image, scope] as const])) ?? []);
  await evidence?.lookUp([
    ...options.named.map((image) => ({ image, scope: options.namespace === null ? null : { namespace: options.namespace, serviceAccount: 'default', secretNames: [] } })),
    ...usage?.wanted({ withOthers: false }).first ?? [],
  ]);

  const nodeToPull = async (node: WindowsNode, object: KubeObject | undefined): Promise<NodeToPrepull> => ({
    node, images: new NodeImageList(imagesOf(object)), reportedAt: reportedAtOf(object), space: options.minFree === null ? null : await options.spaceOf(node.name),
  });
  const toPull = await Promise.all(nodes.map((node) => nodeToPull(node, raw.get(node.name))));
  if (options.minFree !== null) {
    const unknown = toPull.filter(({ space }) => space === null).length;
    if (unknown > 0) notes.push(`the free space of ${unknown} node${unknown === 1 ? '' : 's'} is not known (it takes get on nodes/proxy, which is more than this program asks for): --min-free was not evaluated there`);
  }
  const scope = commonScope([...scopes.values()], notes);
  const planOptions: PlanOptions = { ...options, pulledBefore: await options.earlierPulls(options.namespaceOf(scope)) };
  const imageToPull = ({ image, isolation }: Wanted, own: ReadonlySet<string> | null): ImageToPrepull => {
    const platforms = source.platformsOf(image);
    return { image, platforms, isolation: isolation ?? (platforms.isHostProcessBase === true ? 'host-process' : 'process'), nodes: own };
  };
  const items = planPrepull(wanted.map((one) => imageToPull(one, one.landing?.nodes ?? null)), toPull, planOptions);
  notes.push(...landingNotes(wanted, nodes, items), ...garbageCollectionNotes(nodesFilledByPulls(items, toPull), options.areKeptInUse === true));
  const judged = new Set(nodes.filter(({ ready }) => ready === true).map(({ name }) => name));
  const planNode = async (object: KubeObject): Promise<readonly PlanItem[]> => {
    const builder = new FactsBuilder(factsOptions(() => 'some'));
    builder.add({ apiVersion: 'v1', kind: 'Node', ...object });
    const node = builder.facts().nodes?.get(nameOf(object));
    if (node === undefined || judged.has(node.name) || !isChosen(options)(node, object)) return [];
    const own = wanted.filter(({ landing }) => landing === null || landing.nodes.has(node.name) || nodes.some((other) => landing.nodes.has(other.name) && isLike(node, other)));
    return planPrepull(own.map((one) => imageToPull(one, null)), [await nodeToPull(node, object)], planOptions);
  };
  return { source: reader.description, serverVersion, items, nodes, scope, scopes, notes: [...notes, ...reading.notes, ...(evidence?.notes ?? []), ...(manifests?.notes ?? [])], planNode };
}

function garbageCollectionNotes(names: readonly string[], areKeptInUse: boolean): readonly string[] {
  if (names.length === 0) return [];
  const meant = areKeptInUse ? '' : ', and first those that were pulled beforehand: --hold keeps these in use';
  return [`pulls fill the disk of ${someOf(names, MOST_NAMED)} to 85%, from where a kubelet by default removes images that no pod uses${meant}; --min-free=${SAFE_MIN_FREE} leaves such pulls out`];
}

/** Of workloads that pull in several ways: the service account that all have, and all secrets of the first one's namespace. */
function commonScope(scopes: readonly PullScope[], notes: string[]): PullScope | null {
  const [first] = scopes;
  if (first === undefined) return null;
  const here = scopes.filter(({ namespace }) => namespace === first.namespace);
  const accounts = new Set(here.map(({ serviceAccount }) => serviceAccount));
  if (here.length < scopes.length) notes.push(`the workloads are in several namespaces: pulls have the secrets of those in ${first.namespace} alone`);
  if (accounts.size > 1) notes.push(`the workloads have several service accounts (${[...accounts].toSorted().join(', ')}): each image is pulled as that of the first workload that uses it (--service-account says another)`);
  return { ...first, secretNames: [...new Set(here.flatMap(({ secretNames }) => secretNames))] };
}

interface Parts {
  readonly reader: ClusterReader;
  readonly reading: Reading;
  readonly manifests: ManifestSource | null;
  readonly evidence: ImageEvidence | null;
  readonly onNodes: (nodes: readonly KubeObject[]) => void;
  readonly factsOptions: (completeness: FactsOptions['completeness']) => FactsOptions;
  readonly notes: string[];
}

const FACTS = [NODES, RUNTIME_CLASSES];

interface Read {
  readonly facts: CheckFacts;
  readonly usage: ImageUsage | null;
  /** Nodes in the lists of candidates that stand for what others will be. */
  readonly settled: ReadonlySet<WindowsNode>;
}

async function readImagesAndNodes(options: PlanPrepullOptions, { reader, reading, manifests, evidence, onNodes, factsOptions, notes }: Parts): Promise<Read> {
  const { signal, from, namespace } = options;
  let facts: CheckFacts | null = null;
  let settled: ReadonlySet<WindowsNode> = new Set();
  const see = (found: CheckFacts): ImageUsage => {
    facts = found;
    if (found.nodes === null) return new ImageUsage(found, { allOs: false });
    const both = withSettledNodes(found.nodes);
    ({ settled } = both);
    return new ImageUsage({ ...found, nodes: both.nodes }, { allOs: false, keepsPlacements: true });
  };
  let usage: ImageUsage | null = null;
  if (manifests !== null) {
    usage = await walkFiles(manifests, { signal, namespace }, see, async (objects) => {
      const builder = await readFacts(reading, null, factsOptions, { wanted: FACTS, onNodes });
      for (const object of objects) builder.add(object);
      onNodes(objects.filter(({ kind }) => kind === 'Node'));
      return builder.facts();
    });
    requireReadable(usage.unreadableDocuments);
  } else if (from.length > 0) {
    usage = await walkCluster(reader, reading, {
      scope: { namespace, targets: from, customResources: 'known' }, otherKinds: new Set(), facts: FACTS, withEvents: false, signal, onNodes,
      ...(evidence === null ? {} : { onPods: (pods, known) => seePods(evidence.live, pods, known.nodes) }),
    }, see, factsOptions, notes);
  } else {
    facts = (await readFacts(reading, null, factsOptions, { wanted: [NODES], onNodes })).facts();
  }
  const failure = reading.failure;
  if (failure !== null) throw failure;
  const found: CheckFacts = facts ?? new FactsBuilder(factsOptions(() => 'none')).facts();
  if (evidence !== null && from.length === 0) await seeRunningPods(evidence.live, reading, found.nodes);
  return { facts: found, usage, settled };
}

/** Images of what cannot be read would be cold, and a run without them would end well. */
function requireReadable([first, ...others]: readonly UnreadableDocument[]): void {
  if (first === undefined) return;
  const more = others.length === 0 ? [] : [`${someOf(others.map(({ file, line }) => (line === null ? file : `${file}:${line}`)), MOST_NAMED)} cannot be read either`];
  throw new InputError(first, first.message, { suggestions: [...first.suggestions, ...more] });
}

/** Windows nodes alone; a name that is none is an error, as it is for kubectl. */
function chosenNodes(facts: CheckFacts, raw: ReadonlyMap<string, KubeObject>, { nodes: names, nodeSelector, pools }: PlanPrepullOptions): readonly WindowsNode[] {
  const all = [...facts.nodes?.values() ?? []];
  for (const name of names) {
    const node = all.find((one) => one.name === name);
    if (node === undefined) throw new UsageError(`nodes "${name}" not found`, { suggestions: ['kubectl win nodes lists them'] });
    if (node.os === 'linux') throw new UsageError(`node "${name}" runs Linux, not Windows`);
  }
  const chosen = isChosen({ nodes: names, nodeSelector, pools });
  return all.filter((node) => chosen(node, raw.get(node.name) ?? { kind: 'Node', metadata: { labels: stringMapAt(node, 'labels') } }));
}

function isChosen({ nodes: names, nodeSelector, pools }: Pick<PlanPrepullOptions, 'nodes' | 'nodeSelector' | 'pools'>): (node: WindowsNode, raw: KubeObject) => boolean {
  const matches = labelMatcher(nodeSelector);
  return (node, raw) => node.os === 'windows' && (names.length === 0 || names.includes(node.name)) && (pools.length === 0 || pools.includes(node.pool ?? '')) && matches(raw);
}

/** When the kubelet last sent its state. */
function reportedAtOf(node: KubeObject | undefined): string | null {
  const ready = arrayAt(node, 'status', 'conditions').find((condition) => stringAt(condition, 'type') === 'Ready');
  return stringAt(ready, 'lastHeartbeatTime') ?? null;
}

/** As far as pods can tell: they land on nodes by labels that the nodes of a pool share. */
function isLike(node: WindowsNode, other: WindowsNode): boolean {
  return node.pool === other.pool && node.build === other.build;
}

/** Of an image that both kinds of containers use, process isolation decides: it asks more of the node. */
function wantedImages(named: readonly string[], usage: ImageUsage | null, landingOfUsed: (used: UsedImage) => Landing | null): readonly Wanted[] {
  const wanted = new Map<string, Wanted>(named.map((image) => [image, { image, isolation: null, landing: null }]));
  for (const used of usage?.images() ?? []) {
    const isolation: Isolation = used.isolations.includes('process') ? 'process' : 'host-process';
    if (!wanted.has(used.image)) wanted.set(used.image, { image: used.image, isolation, landing: landingOfUsed(used), ...(used.placements === undefined ? {} : { placements: used.placements }) });
  }
  return [...wanted.values()];
}
