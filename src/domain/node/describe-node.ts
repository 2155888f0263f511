import { arrayAt, booleanAt, nameOf, ownValue, stringAt, stringMapAt, valueAt } from '../kubernetes/object.ts';
import { parseKubernetesVersion } from '../kubernetes/version.ts';
import { buildMatches, containerdLifecycle, containerdLine, matcherEra, parseContainerdVersion } from '../windows/containerd.ts';
import { isPauseImage } from '../windows/pause-images.ts';
import { type LifecycleOverrides, type ProviderLimits, providerLimits } from '../windows/providers.ts';
import { SERVER_RELEASES, type ServerRelease, lastDayOf, productOfBuild } from '../windows/releases.ts';
import { monthOfRevision, monthsBehind, newestRevision } from '../windows/revisions.ts';
import { daysUntil } from '../windows/support-dates.ts';
import { WINDOWS_BUILD_LABEL } from './node-issues/build-label-missing.ts';
import { failsOnClient } from './node-issues/client-windows.ts';
import { containerdVersionOf } from './node-issues/cluster-facts.ts';
import { NODE_ISSUE_KINDS, UNKNOWN_OS_ISSUE_KINDS } from './node-issues/index.ts';
import { type NodeIssueKind, type NodeSubject, toIssue } from './node-issues/node-issue-kind.ts';
import { imagesOf } from './node-images.ts';
import { bySeverity } from '../severity.ts';
import { poolOf } from './pool.ts';
import { providerOf } from './provider.ts';
import type { NodeCondition, NodeIssue, NodePatch, NodeRuntime, NodeSupport, NodeTaint, WindowsNode } from './windows-node.ts';

/** The kubelet's default of nodeStatusMaxImages: https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/, read 2026-11-30. */
const KUBELET_IMAGE_LIMIT = 50;

export interface DescribeNodeContext {
  /** `v1.37.2`; null when not known. */
  readonly serverVersion: string | null;
  /** The day that support and patch age are judged for. */
  readonly asOf: Date;
  readonly overrides?: LifecycleOverrides | undefined;
  /** Labels of the user's own that name a pool; they go before the providers'. */
  readonly poolLabels?: readonly string[] | undefined;
}

/**
 * What a raw Node object says, with the issues that it has by itself. Never throws: fields of other types than the API's
 * count as missing. What needs the other nodes is added by judgeCluster.
 */
export function describeNode(raw: unknown, context: DescribeNodeContext): WindowsNode {
  const { asOf, overrides = {} } = context;
  const labels = stringMapAt(raw, 'metadata', 'labels');
  const osImage = textAt(raw, 'status', 'nodeInfo', 'osImage');
  const kernelVersion = textAt(raw, 'status', 'nodeInfo', 'kernelVersion');
  const kubeletVersion = textAt(raw, 'status', 'nodeInfo', 'kubeletVersion');
  const buildLabel = ownValue(labels, WINDOWS_BUILD_LABEL) ?? null;
  const { os, evidence: osEvidence } = osOf(raw, labels, osImage);
  const { build, revision, evidence: buildEvidence } = os === 'windows' ? buildOf(kernelVersion, buildLabel) : NO_BUILD;
  const what = build === null ? null : productOfBuild(build, osImage);
  const release = what?.kind === 'server' ? withOverrides(what.release, overrides) : null;
  const provider = providerOf(raw);
  const limits = providerLimits(provider, release?.release ?? null, overrides);
  const containerRuntime = runtimeOf(textAt(raw, 'status', 'nodeInfo', 'containerRuntimeVersion'), overrides);
  const conditions = conditionsOf(raw);
  const imageCount = imageCountOf(raw);
  const node: Omit<WindowsNode, 'issues'> = {
    name: nameOf(raw),
    uid: textAt(raw, 'metadata', 'uid'),
    resourceVersion: textAt(raw, 'metadata', 'resourceVersion'),
    ready: readyOf(conditions),
    status: statusText(conditions, isUnschedulable(raw)),
    os, osEvidence,
    product: release?.product ?? (what?.kind === 'client' ? what.client.product : null),
    release: release?.release ?? null,
    channel: release?.channel ?? (what?.kind === 'client' ? 'client' : null),
    build, revision, buildEvidence,
    edition: os === 'windows' ? editionOf(osImage) : null,
    osImage, kernelVersion,
    architecture: textAt(raw, 'status', 'nodeInfo', 'architecture') ?? labels['kubernetes.io/arch'] ?? labels['beta.kubernetes.io/arch'] ?? null,
    provider,
    pool: poolOf(raw, context.poolLabels),
    kubeletVersion, containerRuntime,
    canRun: build === null ? null : releasesThatRunOn(build, what?.kind === 'client', containerRuntime),
    patch: release === null ? NO_PATCH : patchOf(release.build, revision, null),
    support: supportOf(release, limits, asOf),
    taints: taintsOf(raw),
    unschedulable: isUnschedulable(raw),
    conditions,
    createdAt: textAt(raw, 'metadata', 'creationTimestamp'),
    internalIP: internalIPOf(raw),
    labels,
    capacity: stringMapAt(raw, 'status', 'capacity'),
    allocatable: stringMapAt(raw, 'status', 'allocatable'),
    imageCount,
    // More than the limit shows that the limit was changed; the list may then be whole.
    imagesTruncated: imageCount === KUBELET_IMAGE_LIMIT,
  };
  const subject: NodeSubject = {
    node, release, limits, buildLabel, asOf, overrides,
    serverVersion: context.serverVersion === null ? null : parseKubernetesVersion(context.serverVersion),
    kubeletVersion: kubeletVersion === null ? null : parseKubernetesVersion(kubeletVersion),
    containerd: containerdVersionOf(node),
    readyMessage: readyMessageOf(raw),
    pauseImages: imagesOf(raw).flatMap(({ names }) => names).filter(isPauseImage),
  };
  return { ...node, issues: judge(subject) };
}

/** Linux nodes are listed, not judged. */
function judge(subject: NodeSubject): readonly NodeIssue[] {
  if (subject.node.os === 'linux') return [];
  const kinds: readonly NodeIssueKind[] = subject.node.os === null ? UNKNOWN_OS_ISSUE_KINDS : NODE_ISSUE_KINDS;
  return bySeverity(
    kinds.flatMap((kind) => {
      const finding = kind.check(subject);
      return finding === null ? [] : [toIssue(kind, finding)];
    }),
  );
}

/** A string that is there and not empty: sources that leave a field out often leave it empty. */
function textAt(raw: unknown, ...path: readonly string[]): string | null {
  const text = stringAt(raw, ...path);
  return text === undefined || text === '' ? null : text;
}

interface OsVerdict {
  readonly os: WindowsNode['os'];
  readonly evidence: NonNullable<WindowsNode['osEvidence']> | null;
}

function osOf(raw: unknown, labels: Readonly<Record<string, string>>, osImage: string | null): OsVerdict {
  const nodeInfo = osName(textAt(raw, 'status', 'nodeInfo', 'operatingSystem'));
  if (nodeInfo !== null) return { os: nodeInfo, evidence: 'nodeInfo' };
  const label = osName(labels['kubernetes.io/os']) ?? osName(labels['beta.kubernetes.io/os']) ?? osOfLabels(labels);
  if (label !== null) return { os: label, evidence: 'label' };
  if (osImage === null) return { os: null, evidence: null };
  if (/\bwindows\b/i.test(osImage)) return { os: 'windows', evidence: 'osImage' };
  return { os: null, evidence: null };
}

function osName(text: string | null | undefined): 'windows' | 'linux' | null {
  const name = text?.toLowerCase();
  return name === 'windows' || name === 'linux' ? name : null;
}

/** Labels that only nodes of one operating system have. */
function osOfLabels(labels: Readonly<Record<string, string>>): 'windows' | 'linux' | null {
  if (ownValue(labels, WINDOWS_BUILD_LABEL) !== undefined) return 'windows';
  const sku = ownValue(labels, 'kubernetes.azure.com/os-sku');
  if (sku === undefined) return null;
  return sku.startsWith('Windows') ? 'windows' : 'linux';
}

interface BuildVerdict {
  readonly build: number | null;
  readonly revision: number | null;
  readonly evidence: WindowsNode['buildEvidence'];
}

const NO_BUILD: BuildVerdict = { build: null, revision: null, evidence: null };

/** First build of Windows 10; a smaller number after `10.0.` is no Windows. */
const FIRST_BUILD = 10240;

/** The kernel's version, else the label; a text of another form is no evidence. */
function buildOf(kernelVersion: string | null, buildLabel: string | null): BuildVerdict {
  const kernel = /^10\.0\.(\d{5,6})(?:\.(\d{1,9}))?(?![\d.])/.exec(kernelVersion ?? '');
  if (kernel !== null && Number(kernel[1]) >= FIRST_BUILD) return { build: Number(kernel[1]), revision: kernel[2] === undefined ? null : Number(kernel[2]), evidence: 'kernelVersion' };
  const label = /^10\.0\.(\d{5,6})(?![\d])/.exec(buildLabel ?? '');
  if (label !== null && Number(label[1]) >= FIRST_BUILD) return { build: Number(label[1]), revision: null, evidence: 'label' };
  return NO_BUILD;
}

function withOverrides(release: ServerRelease, overrides: LifecycleOverrides): NonNullable<NodeSubject['release']> {
  const own = ownValue(overrides.releases, release.release) ?? {};
  const merged = { ...release, ...own };
  const lastDayField = merged.extendedEnd === null ? 'mainstreamEnd' : 'extendedEnd';
  return { ...merged, mainstreamConfigured: own.mainstreamEnd !== undefined, lastDayConfigured: own[lastDayField] !== undefined };
}

/** `containerd://2.0.4+azure` → containerd, 2.0.4+azure. */
function runtimeOf(text: string | null, overrides: LifecycleOverrides): NodeRuntime | null {
  const match = /^([a-z][a-z0-9.-]*):\/\/(.+)$/i.exec(text ?? '');
  const [, writtenName, version] = match ?? [];
  if (writtenName === undefined || version === undefined) return null;
  const name = writtenName.toLowerCase();
  return { name, version, supportEnd: name === 'containerd' ? containerdEnd(version, overrides) : null };
}

function containerdEnd(text: string, overrides: LifecycleOverrides): string | null {
  const version = parseContainerdVersion(text);
  if (version === null) return null;
  const own = ownValue(overrides.containerd, containerdLine(version));
  return own === undefined ? containerdLifecycle(version)?.end ?? null : own;
}

/** What is left of osImage without the product's name: `Datacenter`, `Standard Evaluation`, `Enterprise`. */
function editionOf(osImage: string | null): string | null {
  const rest = /^(?:Microsoft )?Windows (?:Server|10|11)(?:,? version \w+)?(?: \d{4})?(?: R2)?\s*(.*)$/i.exec(osImage ?? '')?.[1]?.trim();
  return rest === undefined || rest === '' ? null : rest;
}

/** Releases with base images of their own whose containers run on a build with this runtime, newest first. */
function releasesThatRunOn(build: number, isClient: boolean, runtime: NodeRuntime | null): readonly string[] {
  const rule = matcherEra(containerdVersionOf({ containerRuntime: runtime }))?.builds ?? 'first-ltsc';
  return SERVER_RELEASES.filter((release) => release.baseImages && buildMatches(rule, build, release.build) && !(isClient && failsOnClient(build, release.build)))
    .map((release) => release.release).toReversed();
}

const NO_PATCH: NodePatch = { month: null, monthsBehind: null, newerThanTable: false, newestRevision: null, newestFrom: null, tableMonth: null, source: null, asOf: null };

/** Patch age against the table and, where it is newer, the newest revision seen in the cluster. */
export function patchOf(build: number, revision: number | null, newestInCluster: number | null): NodePatch {
  const table = newestRevision(build);
  const seen = Math.max(newestInCluster ?? -1, revision ?? -1);
  const fromCluster = seen >= 0 && seen > (table?.revision ?? -1);
  const newest = fromCluster ? seen : table?.revision ?? null;
  return {
    month: revision === null ? null : monthOfRevision(build, revision),
    monthsBehind: revision === null || newest === null ? null : monthsBehind(build, revision, newest),
    newerThanTable: table !== null && revision !== null && revision > table.revision,
    newestRevision: newest,
    newestFrom: newest === null ? null : fromCluster ? 'cluster' : 'table',
    tableMonth: table?.month ?? null, source: table?.source ?? null, asOf: table?.asOf ?? null,
  };
}

function supportOf(release: NodeSubject['release'], limits: ProviderLimits | null, asOf: Date): NodeSupport {
  const providerEnd = limits?.end ?? null;
  const microsoftEnd = release === null ? null : lastDayOf(release);
  const isProviders = providerEnd !== null && (microsoftEnd === null || providerEnd < microsoftEnd);
  const lastDay = isProviders ? providerEnd : microsoftEnd;
  const microsoft = release === null || release.lastDayConfigured ? null : release;
  const provider = limits === null || providerEnd === null || limits.configured.includes('end') ? null : limits;
  return {
    mainstreamEnd: release?.mainstreamEnd ?? null,
    extendedEnd: release?.extendedEnd ?? null,
    providerEnd,
    lastDay,
    lastDayOf: lastDay === null ? null : isProviders ? 'provider' : 'microsoft',
    daysLeft: lastDay === null ? null : daysUntil(lastDay, asOf),
    microsoftSource: microsoft?.source ?? null,
    microsoftAsOf: microsoft?.asOf ?? null,
    providerSource: provider?.source ?? null,
    providerAsOf: provider?.asOf ?? null,
  };
}

function conditionsOf(raw: unknown): readonly NodeCondition[] {
  return arrayAt(raw, 'status', 'conditions').flatMap((condition) => {
    const type = stringAt(condition, 'type');
    return type === undefined ? [] : [{ type, status: stringAt(condition, 'status') ?? 'Unknown', reason: textAt(condition, 'reason') }];
  });
}

/** The last condition of a type counts, as for kubectl. */
function readyOf(conditions: readonly NodeCondition[]): boolean | null {
  const status = conditions.findLast((condition) => condition.type === 'Ready')?.status;
  if (status === 'True') return true;
  return status === 'False' ? false : null;
}

function readyMessageOf(raw: unknown): string | null {
  return textAt(arrayAt(raw, 'status', 'conditions').findLast((condition) => stringAt(condition, 'type') === 'Ready'), 'message');
}

/** kubectl's STATUS: https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/printers/internalversion/printers.go (printNode), read 2026-11-30. */
function statusText(conditions: readonly NodeCondition[], unschedulable: boolean): string {
  const ready = conditions.findLast((condition) => condition.type === 'Ready');
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return unschedulable ? `${status},SchedulingDisabled` : status;
}

function isUnschedulable(raw: unknown): boolean {
  return booleanAt(raw, 'spec', 'unschedulable') === true;
}

function taintsOf(raw: unknown): readonly NodeTaint[] {
  return arrayAt(raw, 'spec', 'taints').flatMap((taint) => {
    const key = stringAt(taint, 'key');
    return key === undefined ? [] : [{ key, value: textAt(taint, 'value'), effect: stringAt(taint, 'effect') ?? '' }];
  });
}

function internalIPOf(raw: unknown): string | null {
  return textAt(arrayAt(raw, 'status', 'addresses').find((address) => stringAt(address, 'type') === 'InternalIP'), 'address');
}

/** Null when the node has no such list, as before its kubelet first reported. */
function imageCountOf(raw: unknown): number | null {
  const images = valueAt(raw, 'status', 'images');
  return Array.isArray(images) ? images.length : null;
}
