/** On which nodes can a pod land? The scheduler's own predicates (product.md question 2). */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { ownValue, type KubeObject } from '../kubernetes/object.ts';
import type { FactTable } from '../kubernetes/fact-table.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { Workload } from '../workload/workload.ts';
import { hasKnownRoom, indexNodes, type NodeIndex } from './node-index.ts';
import { roomObstacle } from './node-room.ts';
import { constraintObstacles, obstaclesEverywhere, podConstraintsOf, tellsNodesApart, type PodConstraints } from './pod-constraints.ts';
import { podRequestsOf, type PodRequests, type ResourceRequest } from './pod-requests.ts';
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
  const answers = answersOf(nodes);
  const shared = sharedPlacement(answers, constraints);
  const requests = podRequestsOf(workload, runtimeClass.is === 'found' ? runtimeClass.scheduling.overhead : null);
  const { candidates, windowsCandidates } = roomyCandidates(answers.index, shared, requests);

  const notEvaluated = [...unevaluatedParts(workload)];
  if (runtimeClass.is === 'unknown') notEvaluated.push(`scheduling of the RuntimeClass ${runtimeClass.name}, which is not known`);
  if (nodeName !== null && nodes.get(nodeName) === undefined && !nodes.isComplete) notEvaluated.push(`node ${nodeName}, which is not known`);
  const unknownRoom = answers.index.hasUnknownRoom ? candidates.filter((node) => !hasKnownRoom(node)).length : 0;
  if (unknownRoom > 0) notEvaluated.push(`room on ${unknownRoom} ${unknownRoom === 1 ? 'node that reports' : 'nodes that report'} no allocatable resources`);

  let placements: readonly NodePlacement[] | undefined;
  return {
    candidates, windowsCandidates, notEvaluated,
    get nodes(): readonly NodePlacement[] {
      placements ??= nodePlacements(answers, shared, requests);
      return placements;
    },
  };
}

/** What was worked out for a table of nodes, for as long as it lives. */
interface Answers {
  readonly index: NodeIndex;
  /** By signature of the constraints. */
  readonly shared: Map<string, SharedPlacement>;
  /** Placements of pods that not all nodes have room for, by signature and those requests. */
  readonly short: Map<string, readonly NodePlacement[]>;
}

/** What all pods with the same constraints have in common. */
interface SharedPlacement {
  readonly constraints: PodConstraints;
  /** Places of the nodes that meet them. */
  readonly places: readonly number[];
  readonly candidates: Candidates;
  /** Least allocatable of any of them, by resource. */
  readonly least: Map<string, number>;
  /** Those with room for requests that not all have room for, by those requests. */
  readonly roomy: Map<string, Candidates>;
  placements: readonly NodePlacement[] | null;
}

type Candidates = Pick<Placement, 'candidates' | 'windowsCandidates'>;
type Demand = readonly [resource: string, request: ResourceRequest];

/** How many answers of a kind are kept: clusters have fewer kinds of pods than that, and more would cost memory. */
const KEPT_ANSWERS = 128;
const KEPT_SHORT_ANSWERS = 16;

const answersByTable = new WeakMap<FactTable<WindowsNode>, Answers>();

function answersOf(table: FactTable<WindowsNode>): Answers {
  const known = answersByTable.get(table);
  if (known !== undefined) return known;
  const answers: Answers = { index: indexNodes(table), shared: new Map(), short: new Map() };
  answersByTable.set(table, answers);
  return answers;
}

/** The remembered value, or a new one that is remembered in place of the oldest. */
function remember<Value>(kept: Map<string, Value>, limit: number, key: string, make: () => Value): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const [oldest] = kept.keys();
  if (kept.size >= limit && oldest !== undefined) kept.delete(oldest);
  const value = make();
  kept.set(key, value);
  return value;
}

function sharedPlacement({ index, shared }: Answers, constraints: PodConstraints): SharedPlacement {
  return remember(shared, KEPT_ANSWERS, constraints.signature, () => {
    const isRefused = obstaclesEverywhere(constraints).length > 0;
    const places = isRefused ? [] : fittingPlaces(index, constraints);
    return { constraints, places, candidates: candidatesAt(index, places), least: new Map(), roomy: new Map(), placements: null };
  });
}

function fittingPlaces(index: NodeIndex, constraints: PodConstraints): readonly number[] {
  const fits = (node: WindowsNode): boolean => constraintObstacles(constraints, node).next().done === true;
  const ofClass = tellsNodesApart(constraints, index.individualLabels) ? null : index.representatives.map(fits);
  const places: number[] = [];
  for (const [place, node] of index.nodes.entries()) {
    if (ofClass === null ? fits(node) : ofClass[index.classes[place] ?? 0] === true) places.push(place);
  }
  return places;
}

function candidatesAt({ nodes }: NodeIndex, places: readonly number[]): Candidates {
  const candidates = places.flatMap((place) => nodes[place] ?? []);
  return { candidates, windowsCandidates: candidates.filter(({ os }) => os === 'windows') };
}

const ONE_POD: Demand = ['pods', { amount: 1, path: [] }];

/** Demands that some of the nodes at these places have too little for; the pod's own place among the node's pods is one. */
function scarce(index: NodeIndex, places: readonly number[], least: Map<string, number>, requests: PodRequests): readonly Demand[] {
  return [ONE_POD, ...requests].filter(([resource, { amount }]) => {
    let lowest = least.get(resource);
    if (lowest === undefined) {
      const column = index.allocatable(resource);
      lowest = places.reduce((found, place) => Math.min(found, column[place] ?? 0), Infinity);
      least.set(resource, lowest);
    }
    return lowest < amount;
  });
}

function roomyCandidates(index: NodeIndex, { places, candidates, least, roomy }: SharedPlacement, requests: PodRequests): Candidates {
  const demands = scarce(index, places, least, requests);
  if (demands.length === 0) return candidates;
  return remember(roomy, KEPT_ANSWERS, JSON.stringify(demands.map(([resource, { amount }]) => [resource, amount])), () => {
    const columns = demands.map(([resource, { amount }]) => ({ amount, column: index.allocatable(resource) }));
    return candidatesAt(index, places.filter((place) => columns.every(({ amount, column }) => (column[place] ?? 0) >= amount)));
  });
}

function nodePlacements({ index, short }: Answers, shared: SharedPlacement, requests: PodRequests): readonly NodePlacement[] {
  shared.placements ??= constraintPlacements(index, shared.constraints);
  const { placements, constraints } = shared;
  const demands = [ONE_POD, ...requests].filter(([resource, { amount }]) => index.allocatable(resource).some((has) => has < amount));
  if (demands.length === 0) return placements;
  return remember(short, KEPT_SHORT_ANSWERS, `${JSON.stringify(demands)} ${constraints.signature}`, () => withRoomObstacles(index, placements, constraints.nodeName, demands));
}

/** With one object for each obstacle, however many nodes have it. */
function withRoomObstacles(index: NodeIndex, placements: readonly NodePlacement[], nodeName: string | null, demands: readonly Demand[]): readonly NodePlacement[] {
  const columns = demands.map(([resource, request]) => ({ resource, request, column: index.allocatable(resource) }));
  const known = new Map<readonly Obstacle[], Map<string, readonly Obstacle[]>>();
  return placements.map((placement, place) => {
    const { node, obstacles } = placement;
    // Where the pod is meant for another node, the room of this one tells nothing.
    if (nodeName !== null && nodeName !== node.name) return placement;
    let lacks = '';
    for (const { resource, request, column } of columns) {
      if ((column[place] ?? 0) < request.amount) lacks += `${resource}=${ownValue(node.allocatable, resource) ?? ''};`;
    }
    if (lacks === '') return placement;
    const ofSame = known.get(obstacles) ?? new Map<string, readonly Obstacle[]>();
    known.set(obstacles, ofSame);
    let all = ofSame.get(lacks);
    if (all === undefined) {
      const short = columns.filter(({ column, request }) => (column[place] ?? 0) < request.amount);
      all = [...obstacles, ...short.map(({ resource, request }) => roomObstacle(resource, request, ownValue(node.allocatable, resource)))];
      ofSame.set(lacks, all);
    }
    return { node, obstacles: all };
  });
}

function constraintPlacements(index: NodeIndex, constraints: PodConstraints): readonly NodePlacement[] {
  const everywhere = obstaclesEverywhere(constraints);
  const obstaclesOf = (node: WindowsNode): readonly Obstacle[] => [...everywhere, ...constraintObstacles(constraints, node)];
  if (tellsNodesApart(constraints, index.individualLabels)) return index.nodes.map((node) => ({ node, obstacles: obstaclesOf(node) }));
  const ofClass = index.representatives.map(obstaclesOf);
  return index.nodes.map((node, place) => ({ node, obstacles: ofClass[index.classes[place] ?? 0] ?? [] }));
}
