/**
 * `--keep-warm`: DaemonSets whose containers sleep, so that nodes that come get the images too, and images in use are spared by the
 * kubelet's garbage collection (https://kubernetes.io/docs/concepts/architecture/garbage-collection/#containers-images, read 2026-11-30).
 */
import { readReference } from '../image/reference.ts';
import { matchExpressionsOf, type LabelSelector } from '../kubernetes/selector.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import { WINDOWS_BUILD_LABEL } from '../node/node-issues/build-label-missing.ts';
import { poolLabelOf } from '../node/pool.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { PlanItem } from './prepull-plan.ts';
import { MANAGED_BY, type PullIdentity, type RunOptions } from './run-objects.ts';
import { resourcesOf } from '../runs/resources-of.ts';
import { ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../runs/run-labels.ts';
import { sleepCommand } from '../runs/sleep-command.ts';

/** role of its DaemonSets and pods. */
export const KEEP_WARM_ROLE = 'keep-warm';
/** Names of its containers, one for each image; others may be added on the way. */
export const KEEP_WARM_CONTAINER = /^image-\d+$/;
/** Of what a DaemonSet keeps, where, and as whom it pulls: two with the same do the same. */
export const WARM_HASH_ANNOTATION = 'kubectl-win/keep-warm-hash';
const PART_LABEL = 'kubectl-win/part';

/** What admits nodes to a group. */
export interface WarmSelection {
  readonly selector: LabelSelector;
  readonly pools: readonly string[];
  /** Labels of the user's own that name pools. */
  readonly poolLabels: readonly string[];
}

type Expression = ReturnType<typeof matchExpressionsOf>[number];

/** Images for the same nodes. */
export interface WarmGroup {
  readonly images: readonly string[];
  /** Any of these, each with all that it asks for. */
  readonly terms: readonly (readonly Expression[])[];
}

export interface WarmPlan {
  readonly groups: readonly WarmGroup[];
  /** Of the plan; images that cannot be kept are refused. */
  readonly items: readonly PlanItem[];
  readonly notes: readonly string[];
}

/**
 * The smallest base image with a shell, nanoserver, has 115 MiB compressed (ltsc2022), and whoever builds on it has its layers; CSI
 * drivers on the HostProcess base image, which has no files, have 38 to 40 MiB (as containerd reports them, 2026-11-30).
 */
const LEAST_BYTES_WITH_SHELL = 60_000_000;
const NEVER = new Set<PlanItem['reason']>(['OsMismatch', 'NoMatchForPlatform', 'InvalidImageName', 'NotEnoughSpace', 'NoShell']);

/** Groups by the builds that can run the images, as judged on the nodes that there are, and by pools only where these differ. */
export function planKeepWarm(plan: readonly PlanItem[], nodes: readonly WindowsNode[], selection: WarmSelection): WarmPlan {
  const shellless = new Set(plan.filter(hasNoShell).map(({ image }) => image));
  const items = plan.map((item): PlanItem => (shellless.has(item.image)
    ? { ...item, action: 'refuse', reason: 'NoShell', message: 'it has no shell to sleep in, so that no pod can keep it: pull it without --keep-warm' } : item));
  const cells = cellsOf(nodes, selection);
  const wanted = new Map<Cell, readonly string[]>();
  const mixed: string[] = [];
  for (const cell of cells) {
    const images = [...new Set(items.map(({ image }) => image))].filter((image) => {
      const here = items.filter((item) => item.image === image && cell.nodes.has(item.node));
      const fit = here.filter(({ reason }) => !NEVER.has(reason)).length;
      if (fit > 0 && fit < cell.nodes.size) mixed.push(`${image} on ${cell.pool?.value ?? cell.build ?? 'all nodes'}`);
      return fit > 0;
    });
    if (images.length > 0) wanted.set(cell, images.toSorted());
  }
  return {
    items, groups: groupsOf(cells, wanted, selection),
    notes: mixed.length === 0 ? [] : [`labels of pool and build do not tell the nodes apart that an image is for: ${mixed.join(', ')}; it is kept on all of them`],
  };
}

function hasNoShell({ image, sizeBytes }: PlanItem): boolean {
  const parsed = readReference(image);
  const path = parsed.kind === 'reference' ? parsed.reference.path : '';
  return /(?:^|\/)windows-host-process-containers-base-image$/.test(path) || (sizeBytes !== null && sizeBytes > 0 && sizeBytes < LEAST_BYTES_WITH_SHELL);
}

/** Nodes that are alike to a selector. */
interface Cell {
  readonly pool: { readonly label: string; readonly value: string } | null;
  readonly build: string | null;
  readonly nodes: Set<string>;
}

function cellsOf(nodes: readonly WindowsNode[], { poolLabels }: WarmSelection): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const { name, labels } of nodes) {
    const pool = poolLabelOf(labels, poolLabels);
    const build = labels[WINDOWS_BUILD_LABEL] ?? null;
    const key = JSON.stringify([pool, build]);
    const cell = cells.get(key) ?? { pool, build, nodes: new Set() };
    cells.set(key, cell);
    cell.nodes.add(name);
  }
  return [...cells.values()];
}

function groupsOf(cells: readonly Cell[], wanted: ReadonlyMap<Cell, readonly string[]>, { selector, pools }: WarmSelection): readonly WarmGroup[] {
  const groups = new Map<string, { images: readonly string[]; terms: Map<string, readonly Expression[]> }>();
  const own = matchExpressionsOf(selector);
  for (const [cell, images] of wanted) {
    const key = images.join(' ');
    const isForAllPools = pools.length === 0 && cells.filter(({ build }) => build === cell.build).every((other) => (wanted.get(other) ?? []).join(' ') === key);
    const build: Expression = cell.build === null ? { key: WINDOWS_BUILD_LABEL, operator: 'DoesNotExist' } : { key: WINDOWS_BUILD_LABEL, operator: 'In', values: [cell.build] };
    const pool: readonly Expression[] = isForAllPools || cell.pool === null ? [] : [{ key: cell.pool.label, operator: 'In', values: [cell.pool.value] }];
    const group = groups.get(key) ?? { images, terms: new Map() };
    groups.set(key, group);
    const term = [...own, ...pool, build];
    group.terms.set(JSON.stringify(term), term);
  }
  return [...groups.values()].map(({ images, terms }) => ({ images, terms: [...terms.values()] }));
}

export function keepWarmName(run: string, part: number): string {
  return `kubectl-win-keep-warm-${run}-${part}`;
}

/** The same whatever order nodes, labels and secrets come in. FNV-1a, 64 bits: it tells sets of one namespace apart, and keeps nobody out. */
function warmHash({ images, terms }: WarmGroup, { serviceAccount, pullSecrets }: PullIdentity): string {
  const expressionText = ({ key, operator, values = [] }: Expression): string => JSON.stringify([key, operator, [...values].toSorted()]);
  const text = JSON.stringify([images.toSorted(), terms.map((term) => term.map(expressionText).toSorted().join(' ')).toSorted(), serviceAccount, pullSecrets.toSorted()]);
  let hash = 0xcbf29ce484222325n;
  for (const unit of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(unit)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}

/** One container per image: each is pulled and kept whatever becomes of the others. */
export function keepWarmDaemonSets(groups: readonly WarmGroup[], { run, namespace, origin, serviceAccount, pullSecrets }: RunOptions): readonly KubeObject[] {
  return groups.map(({ images, terms }, part): KubeObject => {
    const labels = { ...MANAGED_BY, [RUN_LABEL]: run, [ROLE_LABEL]: KEEP_WARM_ROLE, [PART_LABEL]: String(part) };
    const annotations = { [ORIGIN_ANNOTATION]: origin };
    return {
      apiVersion: 'apps/v1', kind: 'DaemonSet',
      metadata: { name: keepWarmName(run, part), namespace, labels, annotations: { ...annotations, [WARM_HASH_ANNOTATION]: warmHash({ images, terms }, { serviceAccount, pullSecrets }) } },
      spec: {
        selector: { matchLabels: { [RUN_LABEL]: run, [ROLE_LABEL]: KEEP_WARM_ROLE, [PART_LABEL]: String(part) } },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%' } },
        template: {
          metadata: { labels, annotations },
          spec: {
            os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' },
            affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.map((matchExpressions) => ({ matchExpressions })) } } },
            tolerations: [{ operator: 'Exists' }],
            terminationGracePeriodSeconds: 0, automountServiceAccountToken: false, enableServiceLinks: false,
            ...(serviceAccount === null ? {} : { serviceAccountName: serviceAccount }),
            ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
            securityContext: { runAsNonRoot: true, windowsOptions: { runAsUserName: 'ContainerUser' } },
            containers: images.map((image, index) => ({
              name: `image-${index}`, image, imagePullPolicy: 'IfNotPresent', command: [...sleepCommand(null)], stdin: true, resources: resourcesOf(),
            })),
          },
        },
      },
    };
  });
}
