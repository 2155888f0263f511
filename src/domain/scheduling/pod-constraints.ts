/** What a pod demands of its node, resources apart, with the changes that admission and the DaemonSet controller make. */
import type { FactTable } from '../kubernetes/fact-table.ts';
import type { FieldPath } from '../kubernetes/field-path.ts';
import { arrayAt, booleanAt, isRecord, ownValue, stringAt, type KubeObject } from '../kubernetes/object.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { Workload } from '../workload/workload.ts';
import { matchesNodeAffinity, meetsRequirement, requiredNodeAffinityOf, requirementText, type NodeRequirement, type RequiredNodeAffinity } from './node-affinity.ts';
import type { Obstacle } from './placement.ts';
import { runtimeClassOf, type RuntimeClassLookup, type RuntimeClassScheduling } from './runtime-class.ts';
import { daemonTolerations, DEFAULT_TOLERATIONS, taintText, tolerates, tolerationsOf, untoleratedTaints, type Toleration } from './taint-toleration.ts';

export interface PodConstraints {
  readonly specPath: FieldPath;
  readonly nodeName: string | null;
  /** Whether taints and cordons are looked at as the scheduler does: not where spec.nodeName passes by it. The DaemonSet controller looks at them itself. */
  readonly isScheduled: boolean;
  readonly nodeSelector: readonly (readonly [key: string, value: string])[];
  readonly affinity: RequiredNodeAffinity | null;
  readonly runtimeClass: RuntimeClassLookup;
  readonly tolerations: readonly Toleration[];
  /** Whether the pod itself has tolerations. */
  readonly hasTolerations: boolean;
  readonly gates: readonly string[];
  /** Equal for pods that the same nodes take, for the same reasons; resources apart. */
  readonly signature: string;
}

export function podConstraintsOf(workload: Workload, runtimeClasses: FactTable<KubeObject> | null): PodConstraints {
  const { spec, specPath, object } = workload;
  const runtimeClass = runtimeClassOf(spec, runtimeClasses);
  const scheduling = runtimeClass.is === 'found' ? runtimeClass.scheduling : null;
  const own = tolerationsOf(spec);
  const isDaemonSet = object.kind === 'DaemonSet';
  const nodeName = stringAt(spec, 'nodeName') ?? '';
  const nodeSelector = nodeSelectorOf(spec);
  const gates = arrayAt(spec, 'schedulingGates').flatMap((gate) => stringAt(gate, 'name') ?? []);
  const given = isDaemonSet ? daemonTolerations(booleanAt(spec, 'hostNetwork') === true) : DEFAULT_TOLERATIONS;
  const tolerations = [...own, ...(scheduling?.tolerations ?? []), ...given];
  const affinity = requiredNodeAffinityOf(spec, specPath);
  return {
    specPath, nodeName: nodeName === '' ? null : nodeName, isScheduled: nodeName === '' || isDaemonSet, nodeSelector, affinity, runtimeClass, tolerations, hasTolerations: own.length > 0, gates,
    signature: JSON.stringify([specPath, nodeName, isDaemonSet, nodeSelector, affinity?.terms ?? null, runtimeClass, tolerations, own.length > 0, gates]),
  };
}

/** Entries as the API server reads them; a null value counts as unset, a number or boolean as the text that was meant. */
function nodeSelectorOf(spec: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  const selector = spec['nodeSelector'];
  if (!isRecord(selector)) return [];
  return Object.entries(selector).flatMap(([key, value]) => (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[key, String(value)] as const] : []));
}

/** Obstacles that do not hang on the node: what the API server refuses, what the scheduler waits for. */
export function obstaclesEverywhere({ specPath, runtimeClass, nodeSelector, gates }: PodConstraints): readonly Obstacle[] {
  const obstacles: Obstacle[] = [];
  if (runtimeClass.is === 'missing') obstacles.push({ kind: 'runtime-class', path: [...specPath, 'runtimeClassName'], text: `RuntimeClass ${runtimeClass.name} does not exist: the API server refuses the pod` });
  if (runtimeClass.is === 'found') {
    const { name, nodeSelector: wanted } = runtimeClass.scheduling;
    for (const [key, value] of nodeSelector) {
      const other = ownValue(wanted, key);
      if (other !== undefined && other !== value) obstacles.push({ kind: 'runtime-class', path: [...specPath, 'nodeSelector', key], text: `nodeSelector ${key}=${value}, but RuntimeClass ${name} sets ${key}=${other}: the API server refuses the pod` });
    }
  }
  if (gates.length > 0) obstacles.push({ kind: 'scheduling-gate', path: [...specPath, 'schedulingGates'], text: `the scheduler waits until the ${gates.length === 1 ? 'gate' : 'gates'} ${gates.join(', ')} ${gates.length === 1 ? 'is' : 'are'} removed` });
  return obstacles;
}

const SCHEDULER_EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);
const KUBELET_EFFECTS: ReadonlySet<string> = new Set(['NoExecute']);
const CORDON = { key: 'node.kubernetes.io/unschedulable', value: null, effect: 'NoSchedule' } as const;

/**
 * Obstacles of one node. A pod with spec.nodeName passes by the scheduler: the kubelet of that node looks at selector,
 * affinity and NoExecute taints, but neither at NoSchedule taints nor at cordons.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/lifecycle/predicate.go (generalFilter), read 2026-11-30
 */
export function* constraintObstacles(constraints: PodConstraints, node: WindowsNode): Generator<Obstacle, void> {
  const { specPath, nodeName, isScheduled, nodeSelector, affinity, runtimeClass, tolerations, hasTolerations } = constraints;
  if (nodeName !== null && nodeName !== node.name) {
    yield { kind: 'node-name', path: [...specPath, 'nodeName'], text: `nodeName is ${nodeName}` };
    return;
  }
  const isCordoned = isScheduled && node.unschedulable && !tolerations.some((toleration) => tolerates(toleration, CORDON));
  if (isCordoned) yield { kind: 'unschedulable', path: null, text: 'the node is cordoned' };
  for (const taint of untoleratedTaints(node.taints, tolerations, isScheduled ? SCHEDULER_EFFECTS : KUBELET_EFFECTS)) {
    // A cordoned node has both the field and the taint, one of which is enough to say.
    if (isCordoned && taint.key === CORDON.key) continue;
    yield { kind: 'taint', path: hasTolerations ? [...specPath, 'tolerations'] : null, text: `taint ${taintText(taint)} is not tolerated` };
  }
  for (const [key, value] of nodeSelector) {
    const found = ownValue(node.labels, key);
    if (found !== value) yield { kind: 'node-selector', path: [...specPath, 'nodeSelector', key], text: `nodeSelector ${key}=${value}: ${labelText(found)}` };
  }
  if (runtimeClass.is === 'found') yield* runtimeClassObstacles(runtimeClass.scheduling, nodeSelector, specPath, node);
  if (affinity !== null && !matchesNodeAffinity(affinity, node)) yield affinityObstacle(affinity, node);
}

/** Whether the answer hangs on a node's name, or on a label that has a value of its own on most nodes. */
export function tellsNodesApart({ nodeName, nodeSelector, affinity, runtimeClass }: PodConstraints, individualLabels: ReadonlySet<string>): boolean {
  if (nodeName !== null) return true;
  const keys = [...nodeSelector.map(([key]) => key), ...(runtimeClass.is === 'found' ? Object.keys(runtimeClass.scheduling.nodeSelector) : [])];
  if (keys.some((key) => individualLabels.has(key))) return true;
  return affinity?.terms.some(({ requirements }) => requirements.some(({ of, key }) => of === 'field' || individualLabels.has(key))) === true;
}

function runtimeClassObstacles({ name, nodeSelector }: RuntimeClassScheduling, own: PodConstraints['nodeSelector'], specPath: FieldPath, node: WindowsNode): readonly Obstacle[] {
  return Object.entries(nodeSelector).flatMap(([key, value]) => {
    const found = ownValue(node.labels, key);
    if (found === value || own.some(([ownKey]) => ownKey === key)) return [];
    return [{ kind: 'runtime-class', path: [...specPath, 'runtimeClassName'], text: `RuntimeClass ${name} selects ${key}=${value}: ${labelText(found)}` } as const];
  });
}

/** The requirement that fails, where there is one term; else all terms. */
function affinityObstacle({ terms, path }: RequiredNodeAffinity, node: WindowsNode): Obstacle {
  const [only] = terms;
  if (only === undefined) return { kind: 'node-affinity', path, text: 'required nodeAffinity has no term, so it matches no node' };
  if (terms.length > 1) {
    const texts = terms.map((term) => (term.requirements.length === 0 ? 'an empty term' : term.requirements.map(requirementText).join(' and ')));
    return { kind: 'node-affinity', path, text: `the node meets no term of nodeAffinity: ${texts.join('; ')}` };
  }
  if (only.requirements.length === 0) return { kind: 'node-affinity', path: only.path, text: 'an empty term of nodeAffinity matches no node' };
  if (!only.isValid) return { kind: 'node-affinity', path: only.path, text: `nodeAffinity ${only.requirements.map(requirementText).join(' and ')} is not valid, so it matches no node` };
  const failing = only.requirements.filter((requirement) => !meetsRequirement(requirement, node));
  const [first] = failing;
  if (first === undefined) return { kind: 'node-affinity', path, text: 'the node does not meet nodeAffinity' };
  return { kind: 'node-affinity', path: failing.length === 1 ? first.path : only.path, text: failing.map((requirement) => failureText(requirement, node)).join('; ') };
}

function failureText(requirement: NodeRequirement, node: WindowsNode): string {
  const seen = requirement.of === 'field' ? `the node is ${node.name}` : labelText(ownValue(node.labels, requirement.key));
  return `nodeAffinity ${requirementText(requirement)}: ${seen}`;
}

function labelText(value: string | undefined): string {
  if (value === undefined) return 'the node has no such label';
  return value === '' ? 'the node has it empty' : `the node has ${value}`;
}
