/** `--windows`: the same cluster, or none, with Windows nodes of other releases. */
import { isRecord, ownValue, valueAt, type KubeObject } from '../kubernetes/object.ts';
import { describeNode } from '../node/describe-node.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import { placeWorkload, type Placement } from '../scheduling/placement.ts';
import { releaseByName, type ReleaseName } from '../windows/releases.ts';
import type { Workload } from '../workload/workload.ts';
import type { CheckFacts } from './facts.ts';
import { factTable, type FactTable } from '../kubernetes/fact-table.ts';

/** containerd of nodes that are assumed: the newest line with long-term support. https://containerd.io/releases/, read 2026-11-30 */
const ASSUMED_RUNTIME = 'containerd://2.3.5';

/**
 * Facts as if the Windows nodes ran these releases. Known Windows nodes are taken over once per release, with their labels and
 * taints; without any, one node per release is made up, of which nothing but the build counts: taints and other labels of it
 * are not known, and `areNodesAssumed` says so.
 */
export function assumeReleases(facts: CheckFacts, releases: readonly ReleaseName[], asOf: Date): CheckFacts {
  if (releases.length === 0) return facts;
  const known = facts.nodes === null ? [] : [...facts.nodes.values()];
  const windows = known.filter(({ os }) => os === 'windows');
  const nodes = releases.flatMap((release): readonly WindowsNode[] => {
    const build = releaseByName(release)?.build;
    if (build === undefined) return [];
    if (windows.length === 0) return [madeUp(release, build, asOf)];
    return windows.map((node) => rebuilt(node, release, build, asOf, releases.length > 1));
  });
  const others = known.filter(({ os }) => os !== 'windows');
  return {
    ...facts,
    nodes: underOldNames(factTable(new Map([...others, ...nodes].map((node) => [node.name, node])), windows.length > 0 && facts.nodes?.isComplete === true), releases),
    areNodesAssumed: windows.length === 0,
    csiNodes: facts.csiNodes === null ? null : underNewNames(facts.csiNodes),
  };
}

function madeUp(release: string, build: number, asOf: Date): WindowsNode {
  const described = describeNode({
    apiVersion: 'v1', kind: 'Node',
    metadata: { name: `any-${release}`, labels: { 'kubernetes.io/os': 'windows', 'beta.kubernetes.io/os': 'windows', 'kubernetes.io/arch': 'amd64', 'beta.kubernetes.io/arch': 'amd64', 'node.kubernetes.io/windows-build': `10.0.${build}` } },
    status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { operatingSystem: 'windows', architecture: 'amd64', kernelVersion: `10.0.${build}`, containerRuntimeVersion: ASSUMED_RUNTIME } },
  }, { serverVersion: null, asOf });
  return { ...described, issues: [] };
}

/** What one knows a node by that stands for several releases: its first counts, for its OS is that of all. */
function underOldNames(table: FactTable<WindowsNode>, [first]: readonly ReleaseName[]): FactTable<WindowsNode> {
  return { isComplete: table.isComplete, get: (name) => table.get(name) ?? table.get(`${name}@${first ?? ''}`), values: () => table.values(), size: table.size };
}

/** A node that stands for several releases is still the one that its CSINode is named after. */
function underNewNames(table: FactTable<KubeObject>): FactTable<KubeObject> {
  return { isComplete: table.isComplete, get: (name) => table.get(name) ?? table.get(name.replace(/@[^@]*$/, '')), values: () => table.values(), size: table.size };
}

function rebuilt(node: WindowsNode, release: string, build: number, asOf: Date, isOneOfSeveral: boolean): WindowsNode {
  const label = `10.0.${build}`;
  const described = describeNode({
    metadata: { name: node.name, labels: { ...node.labels, 'node.kubernetes.io/windows-build': label } },
    status: { nodeInfo: { operatingSystem: 'windows', architecture: node.architecture, kernelVersion: label, kubeletVersion: node.kubeletVersion, containerRuntimeVersion: node.containerRuntime === null ? ASSUMED_RUNTIME : `${node.containerRuntime.name}://${node.containerRuntime.version}` } },
  }, { serverVersion: null, asOf });
  const { product, channel, canRun } = described;
  return {
    ...node, name: isOneOfSeveral ? `${node.name}@${release}` : node.name, product, release: described.release, channel, build, revision: null, canRun, kernelVersion: label,
    labels: { ...node.labels, 'node.kubernetes.io/windows-build': label }, issues: [],
  };
}

/** Labels of made-up nodes; of any other nobody knows whether the nodes that are meant have it. */
const KNOWN_LABELS: ReadonlySet<string> = new Set(['kubernetes.io/os', 'beta.kubernetes.io/os', 'kubernetes.io/arch', 'beta.kubernetes.io/arch', 'node.kubernetes.io/windows-build']);
/** A requirement that every made-up node meets; it takes the place of one of which nothing is known. */
const MET = { key: 'kubernetes.io/os', operator: 'Exists' };

/** Where a workload can land by what is known; null when nodes are not known. On nodes that are made up nothing but OS, architecture and build can stand in the way. */
export function placementOf(workload: Workload, facts: CheckFacts): Placement | null {
  const { nodes, runtimeClasses } = facts;
  if (nodes === null) return null;
  if (facts.areNodesAssumed !== true) {
    const { nodeName } = workload.spec;
    const bound = typeof nodeName === 'string' ? nodes.get(nodeName) : undefined;
    return bound === undefined || bound.name === nodeName ? placeWorkload(workload, nodes, runtimeClasses) : placeOnEach(workload, String(nodeName), nodes, runtimeClasses);
  }
  const { real, madeUp: assumed, classes } = partsOf(nodes, runtimeClasses);
  const there = placeWorkload({ ...workload, spec: withoutUnknownLabels(workload.spec) }, assumed, classes);
  if (real.size === 0) return there;
  const here = placeWorkload(workload, real, runtimeClasses);
  return {
    candidates: [...here.candidates, ...there.candidates], windowsCandidates: there.windowsCandidates, notEvaluated: [...new Set([...here.notEvaluated, ...there.notEvaluated])],
    get nodes(): Placement['nodes'] {
      return [...here.nodes, ...there.nodes];
    },
  };
}

/** A pod that is bound to a node that stands for several releases, on each of them. */
function placeOnEach(workload: Workload, nodeName: string, nodes: FactTable<WindowsNode>, runtimeClasses: CheckFacts['runtimeClasses']): Placement {
  const placements = [...nodes.values()].filter(({ name }) => name.startsWith(`${nodeName}@`)).map(({ name }) => ({ name, placement: placeWorkload({ ...workload, spec: { ...workload.spec, nodeName: name } }, nodes, runtimeClasses) }));
  return {
    candidates: placements.flatMap(({ placement }) => placement.candidates), windowsCandidates: placements.flatMap(({ placement }) => placement.windowsCandidates),
    notEvaluated: [...new Set(placements.flatMap(({ placement }) => placement.notEvaluated))],
    get nodes(): Placement['nodes'] {
      const own = new Map(placements.map(({ name, placement }) => [name, placement]));
      return (placements[0]?.placement.nodes ?? []).map((one, index) => own.get(one.node.name)?.nodes[index] ?? one);
    },
  };
}

interface AssumedParts {
  readonly real: FactTable<WindowsNode>;
  readonly madeUp: FactTable<WindowsNode>;
  readonly classes: FactTable<KubeObject> | null;
}

/** Tables by the one they are parts of: placements are remembered by table. */
const partsByTable = new WeakMap<FactTable<WindowsNode>, AssumedParts>();

function partsOf(nodes: FactTable<WindowsNode>, runtimeClasses: FactTable<KubeObject> | null): AssumedParts {
  let parts = partsByTable.get(nodes);
  if (parts === undefined) {
    const tableOf = (isMadeUp: boolean): FactTable<WindowsNode> => factTable(new Map([...nodes.values()].filter(({ os }) => (os === 'windows') === isMadeUp).map((node) => [node.name, node])), nodes.isComplete);
    const relaxed = (object: KubeObject | undefined): KubeObject | undefined => {
      const scheduling = valueAt(object, 'scheduling');
      return object === undefined || !isRecord(scheduling) ? object : { ...object, scheduling: { ...scheduling, nodeSelector: knownOf(scheduling['nodeSelector']) } };
    };
    const classes = runtimeClasses === null ? null : { isComplete: runtimeClasses.isComplete, get: (name: string) => relaxed(runtimeClasses.get(name)), values: () => runtimeClasses.values(), size: runtimeClasses.size };
    parts = { real: tableOf(false), madeUp: tableOf(true), classes };
    partsByTable.set(nodes, parts);
  }
  return parts;
}

function knownOf(selector: unknown): unknown {
  return isRecord(selector) ? Object.fromEntries(Object.entries(selector).filter(([key]) => KNOWN_LABELS.has(key))) : selector;
}

/** A pod spec that demands of its node nothing but what is known of made-up ones; list indices stay, so that paths hold. */
function withoutUnknownLabels(spec: Workload['spec']): Workload['spec'] {
  const { nodeName: _, ...rest } = spec;
  const terms = valueAt(spec, 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const relaxed = { ...rest, nodeSelector: knownOf(spec['nodeSelector']) };
  if (!Array.isArray(terms)) return relaxed;
  return { ...relaxed, affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.map(relaxedTerm) } } } };
}

function relaxedTerm(term: unknown): unknown {
  if (!isRecord(term)) return term;
  const { matchExpressions, matchFields } = term;
  const expressions: readonly unknown[] = Array.isArray(matchExpressions) ? matchExpressions.map((one: unknown) => (isRecord(one) && !KNOWN_LABELS.has(String(ownValue(one, 'key'))) ? MET : one)) : [];
  return { matchExpressions: Array.isArray(matchFields) && matchFields.length > 0 ? [...expressions, MET] : expressions };
}
