/** On which nodes can a pod land? The scheduler's own predicates (product.md question 2). */
import type { FieldPath } from '../kubernetes/field-path.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import type { FactTable } from '../check/facts.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { Workload } from '../workload/workload.ts';
import { allocatableOf, hasKnownRoom, roomObstacles } from './node-room.ts';
import { constraintObstacles, obstaclesEverywhere, podConstraintsOf, type PodConstraints } from './pod-constraints.ts';
import { podRequestsOf, type PodRequests } from './pod-requests.ts';
import { unevaluatedParts } from './unevaluated-parts.ts';

/** Why a node cannot take a pod. */
export interface Obstacle {
  readonly kind: 'node-name' | 'node-selector' | 'node-affinity' | 'runtime-class' | 'taint' | 'unschedulable' | 'resources' | 'pod-count' | 'host-ports' | 'scheduling-gate';
  /** Field of the object that stands in the way; null where none does (a taint without any toleration). */
  readonly path: FieldPath | null;
  /** A few words with the values: `taint os=windows:NoSchedule is not tolerated`. */
  readonly text: string;
}

export interface NodePlacement {
  readonly node: WindowsNode;
  /** Empty when the pod can land there. */
  readonly obstacles: readonly Obstacle[];
}

export interface Placement {
  /** Every node of the inventory, in its order. Made when it is first read. */
  readonly nodes: readonly NodePlacement[];
  /** Nodes without an obstacle. */
  readonly candidates: readonly WindowsNode[];
  /** Candidates that run Windows. */
  readonly windowsCandidates: readonly WindowsNode[];
  /** Parts of the pod that were not evaluated (volumes' node affinity, topology spread, …), a few words each. */
  readonly notEvaluated: readonly string[];
}

/**
 * The nodes that can take a workload's pods, by what the objects say: NodeName, NodeUnschedulable, TaintToleration,
 * NodeAffinity with nodeSelector, NodeResourcesFit, scheduling gates and the RuntimeClass's part. Nodes are taken as empty:
 * pods that run already are not subtracted, so a candidate may be full today. spec.os.name has no part in it, as for the
 * scheduler. A node that reports no allocatable resources at all is taken to have room, and that is said in `notEvaluated`.
 *
 * Pods with equal constraints share their answer, so thousands of workloads on thousands of nodes cost little; a table of
 * nodes must therefore not change once it was asked for.
 */
export function placeWorkload(workload: Workload, nodes: FactTable<WindowsNode>, runtimeClasses: FactTable<KubeObject> | null): Placement {
  const constraints = podConstraintsOf(workload, runtimeClasses);
  const { runtimeClass, nodeName } = constraints;
  const table = nodeListOf(nodes);
  const shared = sharedPlacement(table, constraints);
  const requests = podRequestsOf(workload, runtimeClass.is === 'found' ? runtimeClass.scheduling.overhead : null);
  const { candidates, windowsCandidates } = roomyCandidates(shared, requests);

  const notEvaluated = [...unevaluatedParts(workload)];
  if (runtimeClass.is === 'unknown') notEvaluated.push(`scheduling of the RuntimeClass ${runtimeClass.name}, which is not known`);
  if (nodeName !== null && nodes.get(nodeName) === undefined && !nodes.isComplete) notEvaluated.push(`node ${nodeName}, which is not known`);
  const unknownRoom = table.withoutRoom.length === 0 ? 0 : candidates.filter((node) => !hasKnownRoom(node)).length;
  if (unknownRoom > 0) notEvaluated.push(`room on ${unknownRoom} ${unknownRoom === 1 ? 'node that reports' : 'nodes that report'} no allocatable resources`);

  let placements: readonly NodePlacement[] | undefined;
  return {
    candidates, windowsCandidates, notEvaluated,
    get nodes(): readonly NodePlacement[] {
      placements ??= nodePlacements(table, shared, requests);
      return placements;
    },
  };
}

interface NodeList {
  readonly nodes: readonly WindowsNode[];
  /** Nodes that report no allocatable resources. */
  readonly withoutRoom: readonly WindowsNode[];
  /** By signature of the constraints, oldest first. */
  readonly shared: Map<string, SharedPlacement>;
  /** Least allocatable of any node, by resource. */
  readonly least: Map<string, number>;
}

/** What all pods with the same constraints have in common. */
interface SharedPlacement {
  readonly constraints: PodConstraints;
  readonly candidates: Candidates;
  /** Least allocatable of any candidate, by resource. */
  readonly least: Map<string, number>;
  /** Candidates that have room for requests which not all have room for, by those requests. */
  readonly roomy: Map<string, Candidates>;
  placements: readonly NodePlacement[] | null;
}

type Candidates = Pick<Placement, 'candidates' | 'windowsCandidates'>;

/** How many different answers are kept; a cluster has fewer kinds of pods than that, and more would cost memory. */
const KEPT_ANSWERS = 128;

/** Remembers answers for as long as the table of nodes lives. */
const nodeLists = new WeakMap<FactTable<WindowsNode>, NodeList>();

function nodeListOf(table: FactTable<WindowsNode>): NodeList {
  const known = nodeLists.get(table);
  if (known !== undefined) return known;
  const nodes = [...table.values()];
  const list: NodeList = { nodes, withoutRoom: nodes.filter((node) => !hasKnownRoom(node)), shared: new Map(), least: new Map() };
  nodeLists.set(table, list);
  return list;
}

/** The remembered value, or a new one that is remembered in place of the oldest. */
function remember<Value>(kept: Map<string, Value>, key: string, make: () => Value): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const [oldest] = kept.keys();
  if (kept.size >= KEPT_ANSWERS && oldest !== undefined) kept.delete(oldest);
  const value = make();
  kept.set(key, value);
  return value;
}

function sharedPlacement(table: NodeList, constraints: PodConstraints): SharedPlacement {
  return remember(table.shared, constraints.signature, () => {
    const isRefused = obstaclesEverywhere(constraints).length > 0;
    const fitting = isRefused ? [] : table.nodes.filter((node) => constraintObstacles(constraints, node).length === 0);
    return { constraints, candidates: withWindows(fitting), least: new Map(), roomy: new Map(), placements: null };
  });
}

function withWindows(candidates: readonly WindowsNode[]): Candidates {
  return { candidates, windowsCandidates: candidates.filter(({ os }) => os === 'windows') };
}

/** Resources and amounts of which some of the nodes have less; the place among the node's pods is one of them. */
function scarce(nodes: readonly WindowsNode[], least: Map<string, number>, requests: PodRequests): readonly (readonly [resource: string, amount: number])[] {
  return [['pods', 1] as const, ...[...requests].map(([resource, { amount }]) => [resource, amount] as const)].filter(([resource, amount]) => {
    const known = least.get(resource) ?? nodes.reduce((lowest, node) => Math.min(lowest, allocatableOf(node, resource)), Infinity);
    least.set(resource, known);
    return known < amount;
  });
}

function roomyCandidates({ candidates, least, roomy }: SharedPlacement, requests: PodRequests): Candidates {
  const short = scarce(candidates.candidates, least, requests);
  if (short.length === 0) return candidates;
  return remember(roomy, JSON.stringify(short), () => withWindows(candidates.candidates.filter((node) => short.every(([resource, amount]) => allocatableOf(node, resource) >= amount))));
}

function nodePlacements(table: NodeList, shared: SharedPlacement, requests: PodRequests): readonly NodePlacement[] {
  shared.placements ??= constraintPlacements(table.nodes, shared.constraints);
  if (scarce(table.nodes, table.least, requests).length === 0) return shared.placements;
  const { nodeName } = shared.constraints;
  return shared.placements.map((placement) => {
    // Where the pod cannot be meant for a node at all, its room tells nothing.
    if (nodeName !== null && nodeName !== placement.node.name) return placement;
    const room = roomObstacles(placement.node, requests);
    return room.length === 0 ? placement : { node: placement.node, obstacles: [...placement.obstacles, ...room] };
  });
}

/** With one object for each obstacle, however many nodes have it. */
function constraintPlacements(nodes: readonly WindowsNode[], constraints: PodConstraints): readonly NodePlacement[] {
  const everywhere = obstaclesEverywhere(constraints);
  const known = new Map<string, readonly Obstacle[]>();
  return nodes.map((node) => {
    const obstacles = [...everywhere, ...constraintObstacles(constraints, node)];
    const key = JSON.stringify(obstacles);
    const same = known.get(key);
    if (same === undefined) known.set(key, obstacles);
    return { node, obstacles: same ?? obstacles };
  });
}
