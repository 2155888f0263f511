/** Nodes that images are for, by where the pods can land that use them, and what is to be said of these nodes. */
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import { isToPull, type PlanItem } from '../../domain/prepull/prepull-plan.ts';
import type { Placement } from '../../domain/scheduling/placement.ts';
import { leavingTaints, passingTaints } from '../../domain/scheduling/settled-node.ts';
import { taintText } from '../../domain/scheduling/taint-toleration.ts';
import { someOf } from '../../domain/some-of.ts';
import type { UsedImage } from '../images/image-usage.ts';

/** Names of nodes. */
export interface Landing {
  /** Pods can land there, now or when what keeps them off has passed. */
  readonly nodes: ReadonlySet<string>;
  /** Those of them where pods can land now. */
  readonly now: ReadonlySet<string>;
  /** Pods could land there if these were not being removed. */
  readonly leaving: ReadonlySet<string>;
}

interface LandingImage {
  readonly image: string;
  /** null for images that are for all nodes. */
  readonly landing: Landing | null;
  /** Of the workloads that use it, on nodes and on what these will be; absent where it is not known. */
  readonly placements?: readonly Placement[];
}

/** Nodes that a note names. */
const MOST_NAMED = 3;

/** `settled`: nodes among the candidates that stand for what others will be. null where it is not known. */
export function landingOf({ landing }: UsedImage, settled: ReadonlySet<WindowsNode>, nodeOf: (name: string) => WindowsNode | undefined): Landing | null {
  if (landing === null) return null;
  const candidates = new Set([...landing.values()].flatMap((lists) => [...lists].flat()));
  const now = new Set([...candidates].filter((node) => !settled.has(node)).map(({ name }) => name));
  const leaving = new Set([...candidates].map(({ name }) => name).filter((name) => !now.has(name) && taintsOf(nodeOf(name), leavingTaints) !== ''));
  return { nodes: new Set([...candidates].map(({ name }) => name).filter((name) => !leaving.has(name))), now, leaving };
}

/** `nodes`: those that were asked for. */
export function landingNotes(images: readonly LandingImage[], nodes: readonly WindowsNode[], items: readonly PlanItem[]): readonly string[] {
  const pulledOnto = new Set(items.filter(isToPull).map(({ node }) => node));
  const own = nodes.filter(({ name }) => pulledOnto.has(name));
  const isForLater = ({ name }: WindowsNode): boolean => images.some(({ landing }) => landing !== null && landing.nodes.has(name) && !landing.now.has(name));
  const isLeaving = ({ name }: WindowsNode): boolean => images.some(({ landing }) => landing?.leaving.has(name) === true);
  const names = new Set(nodes.map(({ name }) => name));
  const nowhere = nodes.length === 0 ? [] : images.filter(({ landing }) => landing !== null && ![...landing.nodes, ...landing.leaving].some((name) => names.has(name)));
  return [
    ...together(own.filter(({ unschedulable }) => unschedulable), () => 'cordoned', (_, { it, is }) => `pulled onto although ${it} ${is} cordoned (--skip-cordoned leaves such nodes out)`),
    ...together(own.filter(isForLater), (node) => taintsOf(node, passingTaints), (taints, { it, has }) => `pulled onto although no pod of a workload lands there while ${it} ${has} the taint ${taints} (kubectl win nodes --show-issues)`),
    ...together(nodes.filter(isLeaving), (node) => taintsOf(node, leavingTaints), (taints, { it, is }) => `nothing is pulled there, for ${it} ${is} being removed (${taints})`),
    ...nowhere.map(({ image, placements = [] }) => `${image}: pods that use it land on none of the nodes that were asked for${whyNowhere(placements, names)}`),
  ];
}

/** What keeps pods off most of the nodes, as `check` words it, for good: of a node that is not settled what is said of what it will be. */
function whyNowhere(placements: readonly Placement[], names: ReadonlySet<string>): string {
  const byText = new Map<string, Set<string>>();
  for (const { nodes } of placements) {
    const last = new Map(nodes.filter(({ node }) => names.has(node.name)).map(({ node, obstacles }) => [node.name, obstacles]));
    for (const [name, obstacles] of last) for (const { text } of obstacles) byText.set(text, (byText.get(text) ?? new Set()).add(name));
  }
  const [most] = [...byText].toSorted(([, one], [, other]) => other.size - one.size);
  if (most === undefined) return '';
  const [text, { size }] = most;
  return `: ${text}${size === names.size ? '' : ` (${size} of ${names.size} nodes)`}`;
}

function taintsOf(node: WindowsNode | undefined, which: typeof passingTaints): string {
  return node === undefined ? '' : which(node).map(taintText).join(', ');
}

const ONE = { it: 'it', is: 'is', has: 'has' } as const;
const SEVERAL = { it: 'they', is: 'are', has: 'have' } as const;

/** A note for all nodes of which the same is to be said; none where that is ''. */
function together(nodes: readonly WindowsNode[], keyOf: (node: WindowsNode) => string, textOf: (key: string, words: typeof ONE | typeof SEVERAL) => string): readonly string[] {
  const byKey = new Map<string, string[]>();
  for (const node of nodes) if (keyOf(node) !== '') byKey.set(keyOf(node), [...byKey.get(keyOf(node)) ?? [], node.name]);
  return [...byKey].map(([key, names]) => `${someOf(names, MOST_NAMED)}: ${textOf(key, names.length === 1 ? ONE : SEVERAL)}`);
}
