/** What is to be done on each node for each image, decided before anything is created. Field names are a contract: PrepullReport.items. */
import { doesFail, hostOfNode, imageOnNode, type ImageOnNode, type Isolation } from '../image/image-on-node.ts';
import { hostGroupsOf } from '../image/host-groups.ts';
import { imageErrorTexts } from '../image/image-error-text.ts';
import type { Confidence, ImageLayer, ImagePlatforms } from '../image/image-platforms.ts';
import { parseReference } from '../image/reference.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import { parseOsVersion } from '../windows/containerd.ts';
import type { NodeImageList } from './image-presence.ts';
import { NodeLayers, unpackedBytes } from './node-layers.ts';

/** pull: to be pulled. skip: nothing to do. refuse: a pull, or the start after it, would fail. unknown: nothing tells, and a pull will show. */
export type PrepullAction = 'pull' | 'skip' | 'refuse' | 'unknown';

export type PlanReason =
  /** The node does not list it: it may be there all the same, and then the pull ends at once. */
  | 'NotListed'
  /** The tag has moved since the node pulled it. */
  | 'TagMoved'
  | 'Present'
  /** An earlier run, which is still on record, has pulled it. */
  | 'PulledBefore'
  | 'PlatformsUnknown'
  /** The tag names a build that the node cannot run, and tags are names. */
  | 'TagOfOtherBuild'
  | 'NoMatchForPlatform'
  | 'OsMismatch'
  | 'InvalidImageName'
  | 'NodeNotReady'
  | 'NodeCordoned'
  /** Its kubelet takes no pod for now. */
  | 'DiskPressure'
  | 'NotEnoughSpace'
  /** --keep-warm: nothing in the image can sleep. */
  | 'NoShell';

export interface PrepullVariant {
  readonly build: number | null;
  readonly osVersion: string | null;
  readonly digest: string | null;
}

export interface PlanItem {
  readonly node: string;
  /** As it will be pulled: the very reference that workloads use. */
  readonly image: string;
  /** What the node's containerd will take, by prediction; null when it is not known, or several may be. */
  readonly variant: PrepullVariant | null;
  /** All that it may take. */
  readonly variants: readonly PrepullVariant[];
  readonly action: PrepullAction;
  readonly reason: PlanReason;
  /** One sentence. */
  readonly message: string;
  /** Compressed bytes of the variant; null when not known. */
  readonly sizeBytes: number | null;
  /** Of which the size is the sum; null when not known. */
  readonly layers: readonly ImageLayer[] | null;
  /** Of the containers that use it; process isolation where nobody tells. */
  readonly isolation: Isolation;
  /** What the prediction rests on. */
  readonly confidence: Confidence;
  /** What was seen of the image, a clause each. */
  readonly evidence: readonly string[];
  /** Of what the reference names at its registry, index or manifest; null when that is not known. */
  readonly registryDigest: string | null;
}

export interface ImageToPrepull {
  readonly image: string;
  readonly platforms: ImagePlatforms;
  readonly isolation: Isolation;
  /** Names of the nodes that it is for; absent or null for all. */
  readonly nodes?: ReadonlySet<string> | null;
}

export interface NodeToPrepull {
  readonly node: WindowsNode;
  readonly images: NodeImageList;
  /** RFC 3339, when its kubelet last sent its state, the list of images with it; absent or null when not known. */
  readonly reportedAt?: string | null;
  /** Of the file system that images are unpacked on; null when not known. */
  readonly space: { readonly availableBytes: number; readonly capacityBytes: number } | null;
}

export interface PlanOptions {
  /** Cordoned nodes are left out. */
  readonly skipsCordoned: boolean;
  /** Share of the disk that stays free, 0 to 1; null for no floor. */
  readonly minFree: number | null;
  /** What is there is pulled all the same, for the pod that keeps it in use. */
  readonly isHeld?: boolean;
  /** An earlier run that has pulled `image` onto `node`; null where none is on record. */
  readonly pulledBefore: (node: string, image: string) => EarlierPull | null;
  readonly asOf: Date;
}

export interface EarlierPull {
  /** RFC 3339, when its run, or its own Job, was created: it pulled later than that. */
  readonly at: string;
  /** Under which the node had it then; null when nothing told. */
  readonly digest: string | null;
}

/** Items by image, the largest first, of equals those whose layers others have too; and by node in the order given. */
export function planPrepull(images: readonly ImageToPrepull[], nodes: readonly NodeToPrepull[], options: PlanOptions): readonly PlanItem[] {
  const planned = images.map((image) => {
    const meant = image.nodes == null ? nodes : nodes.filter(({ node }) => image.nodes?.has(node.name));
    const answers = answersByNode(image, meant);
    return meant.map((node) => planItem(image, node, answers.get(node.node.name) ?? imageOnNode(image.platforms, hostOfNode(node.node), image.isolation), options));
  });
  const commonBytes = commonBytesOf(planned);
  const ordered = planned.map((items, place) => ({ items, bytes: items.reduce((largest, { sizeBytes }) => Math.max(largest, sizeBytes ?? 0), 0), common: commonBytes[place] ?? 0 }))
    .toSorted((a, b) => b.bytes - a.bytes || b.common - a.common);
  return refusedForSpace(ordered.flatMap(({ items }) => items), nodes, options.minFree);
}

/** Bytes of each image in layers that other images of the plan have, too: these are there for them when it is pulled. */
function commonBytesOf(planned: readonly (readonly PlanItem[])[]): readonly number[] {
  const layersByImage = planned.map((items) => new Map([...new Set(items.map(({ layers }) => layers))].flatMap((layers) => (layers ?? []).map(({ digest, sizeBytes }) => [digest, sizeBytes] as const))));
  const images = new Map<string, number>();
  for (const layers of layersByImage) for (const digest of layers.keys()) images.set(digest, (images.get(digest) ?? 0) + 1);
  return layersByImage.map((layers) => [...layers].reduce((sum, [digest, sizeBytes]) => sum + ((images.get(digest) ?? 0) > 1 ? sizeBytes : 0), 0));
}

/** Nodes that are alike are asked about once. */
function answersByNode({ platforms, isolation }: ImageToPrepull, nodes: readonly NodeToPrepull[]): ReadonlyMap<string, ImageOnNode> {
  const answers = new Map<string, ImageOnNode>();
  for (const group of hostGroupsOf(nodes.map(({ node }) => node))) {
    const answer = imageOnNode(platforms, group.host, isolation);
    for (const { name } of group.nodes) answers.set(name, answer);
  }
  return answers;
}

function planItem({ image, platforms, isolation }: ImageToPrepull, toPull: NodeToPrepull, answer: ImageOnNode, options: PlanOptions): PlanItem {
  const { node, images } = toPull;
  const variants = variantsOf(platforms, node, answer);
  const [variant = null] = variants;
  const digests = digestsOf(platforms);
  const sizeBytes = largestOf(variants) ?? images.sizeOf(image);
  const item = (action: PrepullAction, reason: PlanReason, message: string): PlanItem => ({
    node: node.name, image, action, reason, message, variants: variants.map(({ build, osVersion, digest }) => ({ build, osVersion, digest })),
    variant: variant === null || variants.length > 1 ? null : { build: variant.build, osVersion: variant.osVersion, digest: variant.digest },
    sizeBytes, layers: layersOf(variants), isolation, confidence: platforms.confidence, evidence: [platforms.because, ...platforms.notes ?? []], registryDigest: platforms.confidence === 'registry' ? platforms.digest ?? null : null,
  });
  const parsed = parseReference(image);
  if (parsed.kind !== 'reference') return item('refuse', 'InvalidImageName', parsed.kind === 'invalid' ? `it is no image reference: ${parsed.reason}` : `${parsed.placeholder} is a placeholder`);
  const listed = images.presenceOf(image, digests);
  const isHearsay = answer.outcome !== 'unknown' && isMereName(platforms, answer);
  const outcome = isHearsay ? 'unknown' : answer.outcome;
  if (outcome === 'fails-at-start') return item('refuse', 'OsMismatch', failure(image, answer));
  // What is there can be used on a node that takes no pods for now; and what its kubelet lists was pulled, whatever is reckoned here.
  const obstacle = obstacleOn(node, options);
  const isHeld = options.isHeld === true && obstacle === null;
  if (listed === 'present') return isHeld ? item('pull', 'Present', 'the node lists it, and it is to be held there') : item('skip', 'Present', 'the node lists it');
  if (outcome === 'fails-at-pull') return item('refuse', 'NoMatchForPlatform', failure(image, answer));
  const before = listed === 'stale' ? null : pullBefore(image, toPull, options);
  const hasMoved = listed === 'stale' || (before !== null && before.digest !== null && digests.length > 0 && !digests.includes(before.digest));
  if (before !== null && !hasMoved && (isRecent(before, toPull, options) || images.mayOmit(sizeBytes))) {
    const message = `pulled by a run that began at ${before.at}`;
    return isHeld ? item('pull', 'PulledBefore', `${message}, and it is to be held`) : item('skip', 'PulledBefore', message);
  }
  if (obstacle !== null) return item('refuse', obstacle.reason, obstacle.message);
  if (isHearsay && doesFail(answer.outcome)) return item('unknown', 'TagOfOtherBuild', `by its tag alone (${platforms.because}) ${answer.because}: whether it is one, the pull will show`);
  if (outcome === 'unknown') return item('unknown', 'PlatformsUnknown', `${isHearsay ? platforms.because : answer.because}: whether it runs there, the pull will show`);
  if (hasMoved) return item('pull', 'TagMoved', `the node has ${listed === 'stale' ? 'an older image' : 'another image'} under this tag`);
  return item('pull', 'NotListed', 'the node does not list it');
}

/**
 * Whether a prediction rests on a name that may mislead. A tag is a hint: whoever pushes gives it, to an index for several builds or to one
 * image, which HostProcess containers run whatever its build. Enough to expect that it runs where it fits; to refuse, in repositories alone
 * whose makers are known to keep to it, of which the shape is known (known-repositories.ts).
 */
function isMereName({ confidence, shape, isGuess }: ImagePlatforms, { outcome }: ImageOnNode): boolean {
  return confidence === 'tag' && (isGuess === true || (shape === 'unknown' && doesFail(outcome)));
}

/** A node of this name that is younger than the run is another one. */
function pullBefore(image: string, { node }: NodeToPrepull, { pulledBefore }: PlanOptions): EarlierPull | null {
  const before = pulledBefore(node.name, image);
  return before === null || Date.parse(node.createdAt ?? '') > Date.parse(before.at) ? null : before;
}

/**
 * A kubelet looks for images every 30 s and sends what it has at once, or after 5 minutes where it believes that nothing has changed
 * (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/images/image_gc_manager.go, Start, and
 * https://kubernetes.io/docs/reference/node/node-status/#heartbeats, read 2026-11-30): what it does not list after twice that time is gone,
 * as far as its list is whole. Garbage collection takes images first that no pod has used.
 */
const LIST_DELAY_MS = 10 * 60_000;

/** Whether the list of the node may be older than the pull. Its own time counts where it tells it: that of this machine may be another. */
function isRecent({ at }: EarlierPull, { reportedAt }: NodeToPrepull, { asOf }: PlanOptions): boolean {
  const now = Date.parse(reportedAt ?? '');
  return (Number.isNaN(now) ? asOf.getTime() : now) - Date.parse(at) < LIST_DELAY_MS;
}

/**
 * What keeps every pod from a node for now. Under DiskPressure a kubelet admits none but critical ones, whatever they tolerate
 * (https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/eviction/eviction_manager.go, Admit, read 2026-11-30). DiskPressure False proves
 * nothing (https://github.com/kubernetes/kubernetes/issues/103032): that is what the floor of free space is for.
 */
function obstacleOn({ ready, unschedulable, conditions }: WindowsNode, { skipsCordoned }: PlanOptions): Pick<PlanItem, 'reason' | 'message'> | null {
  if (ready !== true) return { reason: 'NodeNotReady', message: `the node is ${ready === null ? 'not known to be Ready' : 'not Ready'}: no pod starts there` };
  if (unschedulable && skipsCordoned) return { reason: 'NodeCordoned', message: 'the node is cordoned' };
  if (conditions.some(({ type, status }) => type === 'DiskPressure' && status === 'True')) return { reason: 'DiskPressure', message: 'the node reports DiskPressure: its kubelet takes no pod, and removes images that no pod uses' };
  return null;
}

/** In the words of the phase in which it fails, where both may be. */
function failure(image: string, answer: ImageOnNode): string {
  const texts = imageErrorTexts(image, answer);
  const text = texts.find(({ reason }) => (reason === 'ErrImagePull') === (answer.outcome === 'fails-at-pull')) ?? texts[0];
  return text === undefined ? answer.because : `${answer.because}; it would say: ${text.message}`;
}

interface SizedVariant extends PrepullVariant {
  readonly sizeBytes: number | null;
  readonly layers: readonly ImageLayer[] | null;
}

function variantsOf({ platforms, shape }: ImagePlatforms, { architecture }: WindowsNode, { entries }: ImageOnNode): readonly SizedVariant[] {
  const fitting = platforms.filter(({ os, architecture: own }) => os === 'windows' && (shape === 'manifest' || own === (architecture ?? 'amd64')));
  return entries.map((entry) => {
    // An index may have one version several times: which of them is taken, is not known.
    const named = fitting.filter(({ osVersion }) => (osVersion ?? '') === entry);
    const digests = new Set(named.map(({ digest }) => digest));
    const sizeBytes = largestOf(named);
    return {
      build: parseOsVersion(entry)?.build ?? null, osVersion: entry === '' ? null : entry, digest: digests.size === 1 ? named[0]?.digest ?? null : null, sizeBytes,
      layers: sizeBytes === null ? null : named.find((one) => one.sizeBytes === sizeBytes)?.layers ?? null,
    };
  });
}

/** Of several that may be taken the largest is reckoned with; null where one is not known. */
function largestOf(sizes: readonly { readonly sizeBytes: number | null }[]): number | null {
  let largest: number | null = null;
  for (const { sizeBytes } of sizes) {
    if (sizeBytes === null) return null;
    largest = Math.max(largest ?? 0, sizeBytes);
  }
  return largest;
}

/** Of the variant that is reckoned with. */
function layersOf(variants: readonly SizedVariant[]): readonly ImageLayer[] | null {
  const largest = largestOf(variants);
  return largest === null ? null : variants.find(({ sizeBytes }) => sizeBytes === largest)?.layers ?? null;
}

/** Digests that a node may list for what the reference stands for now: of the index, or of the entry that it took. */
function digestsOf({ digest, platforms, confidence }: ImagePlatforms): readonly string[] {
  if (confidence !== 'registry') return [];
  return [digest, ...platforms.map((platform) => platform.digest)].filter((one) => one != null);
}

/** The items of a node one after the other, in the order of the plan: what does not fit beside those before it is refused. Sizes and space that are not known refuse nothing. */
function refusedForSpace(items: readonly PlanItem[], nodes: readonly NodeToPrepull[], minFree: number | null): readonly PlanItem[] {
  if (minFree === null) return items;
  const left = new Map<string, { room: number; readonly layers: NodeLayers }>();
  for (const { node: { name }, space } of nodes) if (space !== null) left.set(name, { room: space.availableBytes - minFree * space.capacityBytes, layers: new NodeLayers() });
  for (const item of items) if (isThere(item)) left.get(item.node)?.layers.add(item);
  return items.map((item) => {
    const own = left.get(item.node);
    if (own === undefined || !isToPull(item) || isThere(item)) return item;
    const { room, layers } = own;
    const needed = unpackedBytes(layers.missingBytes(item));
    if (needed <= room && room > 0) {
      own.room -= needed;
      layers.add(item);
      return item;
    }
    const floor = `the floor of ${Math.round(minFree * 100)}%`;
    return { ...item, action: 'refuse', reason: 'NotEnoughSpace', message: room <= 0 ? `the free space of the node is at or below ${floor}` : `it takes about ${gibibytes(needed)} unpacked, and the node has ${gibibytes(room)} above ${floor}` };
  });
}

/** Whether a pull is made of it. */
export function isToPull({ action }: Pick<PlanItem, 'action'>): boolean {
  return action === 'pull' || action === 'unknown';
}

/** Pulled for its pod alone. */
export function isThere({ reason }: Pick<PlanItem, 'reason'>): boolean {
  return reason === 'Present' || reason === 'PulledBefore';
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
