/** The images of a pod, each once with all its containers, and what becomes of them on its nodes. */
import { listText } from '../../../list-text.ts';
import { containersText } from '../../../workload/container-names.ts';
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import type { ImageOnNode } from '../../../image/image-on-node.ts';
import { hostGroupsOf, imageOnGroup, joinGroups, type GroupedNodes, type HostGroup } from '../../../image/host-groups.ts';
import type { ImagePlatforms, ImagePlatformSource } from '../../../image/image-platforms.ts';
import { parseReference, type ParsedReference } from '../../../image/reference.ts';
import type { WindowsNode } from '../../../node/windows-node.ts';
import type { Obstacle, Placement } from '../../../scheduling/placement.ts';
import { parseOsVersion } from '../../../windows/containerd.ts';
import type { Container, Workload } from '../../../workload/workload.ts';
import type { FindingDraft } from '../../finding.ts';

export interface PodImage {
  /** As written. */
  readonly image: string;
  readonly parsed: ParsedReference;
  readonly platforms: ImagePlatforms;
  readonly isHostProcess: boolean;
  /** At least one. */
  readonly containers: readonly Container[];
  /** Of the first container's image. */
  readonly path: FieldPath;
}

/** What becomes of an image on nodes that are alike. */
export interface NodeAnswer {
  readonly group: HostGroup;
  /** One of the group. */
  readonly node: WindowsNode;
  readonly answer: ImageOnNode;
}

/** By workload, for the rules ask one after the other. */
const known = new WeakMap<Workload, { readonly source: ImagePlatformSource; readonly images: readonly PodImage[] }>();

/** Containers without an image are left out. */
export function imagesOfPod(workload: Workload, source: ImagePlatformSource): readonly PodImage[] {
  const before = known.get(workload);
  if (before !== undefined && before.source === source) return before.images;
  const images = readImages(workload, source);
  known.set(workload, { source, images });
  return images;
}

function readImages(workload: Workload, source: ImagePlatformSource): readonly PodImage[] {
  const groups = new Map<string, Container[]>();
  for (const container of workload.containers) {
    if (container.image === null || container.image === '') continue;
    const key = `${String(container.isHostProcess)} ${container.image}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [container]);
    else group.push(container);
  }
  return [...groups.values()].flatMap((containers) => {
    const [first] = containers;
    if (first === undefined || first.image === null) return [];
    return [{
      image: first.image, parsed: parseReference(first.image), platforms: source.platformsOf(first.image), isHostProcess: first.isHostProcess, containers,
      path: [...first.path, 'image'],
    }];
  });
}

/** Obstacles that pass: the node's build is what counts once they are gone. */
const PASSING: ReadonlySet<Obstacle['kind']> = new Set(['resources', 'pod-count', 'unschedulable', 'host-ports']);

/** Placements of pods with equal constraints share their list. */
const withoutPassing = new WeakMap<Placement['nodes'], readonly WindowsNode[]>();

/**
 * The Windows nodes that an image has to fit: the candidates, or, where there are none, those that stay away only for want
 * of room or of a device, or because they are cordoned.
 */
export function nodesForImages({ windowsCandidates, nodes }: Placement): readonly WindowsNode[] {
  if (windowsCandidates.length > 0) return windowsCandidates;
  const before = withoutPassing.get(nodes);
  if (before !== undefined) return before;
  const kept = nodes.filter(({ node, obstacles }) => node.os === 'windows' && obstacles.every(({ kind }) => PASSING.has(kind))).map(({ node }) => node);
  withoutPassing.set(nodes, kept);
  return kept;
}

export function answersOn(image: PodImage, nodes: readonly WindowsNode[]): readonly NodeAnswer[] {
  return hostGroupsOf(nodes).map((group) => ({ group, node: group.node, answer: imageOnGroup(image.platforms, group, image.isHostProcess ? 'host-process' : 'process') }));
}

/** The nodes that answers are about, and their names. */
export function nodesOf(answers: readonly NodeAnswer[]): GroupedNodes {
  return joinGroups(answers.map(({ group }) => group));
}

export function isFailure({ answer }: NodeAnswer): boolean {
  return answer.outcome === 'fails-at-pull' || answer.outcome === 'fails-at-start';
}

export function doesRun({ answer }: NodeAnswer): boolean {
  return answer.outcome === 'runs' || answer.outcome === 'runs-down-level';
}

/** What findings on an image share. */
export function aboutImage(image: PodImage): Pick<FindingDraft, 'path' | 'container' | 'confidence' | 'evidence'> & { readonly data: { readonly image: string; readonly containers: string } } {
  const [first] = image.containers;
  return {
    path: image.path,
    ...(first === undefined || first.name === '' ? {} : { container: first.name }),
    confidence: image.platforms.confidence,
    evidence: [image.platforms.because, ...image.platforms.notes ?? []],
    data: { image: image.image, containers: containersText(image.containers) },
  };
}

/** `builds 10.0.17763 and 10.0.20348`: those of nodes, ascending. */
export function buildsText(nodes: readonly WindowsNode[]): string {
  return buildNumbersText(buildsOf(nodes));
}

/** `build 10.0.20348`, `builds 10.0.20348 and 10.0.26100`. */
export function buildNumbersText(builds: readonly number[]): string {
  return `${builds.length === 1 ? 'build' : 'builds'} ${listText(builds.map((build) => `10.0.${build}`))}`;
}

export function buildsOf(nodes: readonly WindowsNode[]): readonly number[] {
  return [...new Set(hostGroupsOf(nodes).map(({ node }) => node).flatMap(({ build }) => (build === null ? [] : [build])))].toSorted((a, b) => a - b);
}

export function namesOf(nodes: readonly WindowsNode[]): readonly string[] {
  return joinGroups(hostGroupsOf(nodes)).names;
}

/** Builds of Windows that an image holds, ascending; empty when none is known. */
export function imageBuilds({ platforms }: Pick<PodImage, 'platforms'>): readonly number[] {
  const builds = platforms.platforms.flatMap(({ os, osVersion }) => {
    const version = os === 'windows' && osVersion !== null ? parseOsVersion(osVersion) : null;
    return version === null ? [] : [version.build];
  });
  return [...new Set(builds)].toSorted((a, b) => a - b);
}
