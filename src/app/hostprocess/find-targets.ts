/** The nodes that are meant: by name, by a pod on them, or by what they have in common. */
import { editDistance, nearestBy } from '../../domain/kubernetes/edit-distance.ts';
import { nameOf, stringAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { LEASES, PODS } from '../../domain/kubernetes/resource.ts';
import type { DescribeNodeContext } from '../../domain/node/describe-node.ts';
import type { WindowsNode } from '../../domain/node/windows-node.ts';
import type { ExecTarget, TargetNode, TargetRefusal } from '../../domain/hostprocess/exec-plan.ts';
import { heartbeatOf } from '../../domain/hostprocess/heartbeat.ts';
import { someOf } from '../../domain/some-of.ts';
import { ClusterError, UsageError } from '../../errors.ts';
import { listNodes } from '../list-nodes.ts';
import type { ClusterReader, SourceDescription } from '../ports.ts';
import { aFewAtATime } from '../runs/patience.ts';

export interface FindTargetsOptions {
  readonly targets: readonly ExecTarget[];
  /** kubectl's -l. */
  readonly selector?: string | undefined;
  readonly pools: readonly string[];
  readonly releases: readonly string[];
  /** All Windows nodes. */
  readonly all: boolean;
  readonly kubernetesVersion?: string | undefined;
  readonly describe: Omit<DescribeNodeContext, 'serverVersion'>;
  readonly signal?: AbortSignal | undefined;
}

export interface TargetsFound {
  /** As they were named, then as the server lists them. */
  readonly nodes: readonly TargetNode[];
  readonly refusals: readonly TargetRefusal[];
  readonly notes: readonly string[];
  readonly serverVersion: string | null;
  readonly source: SourceDescription;
}

/** Windows nodes in an error. */
const SHOWN = 10;

/** Throws UsageError where nothing is meant, or nothing has what is asked for. */
export async function findTargets(options: FindTargetsOptions, reader: ClusterReader): Promise<TargetsFound> {
  const search = new TargetSearch(options, reader);
  if (options.targets.length > 0) await search.named();
  if (isSelection(options)) await search.selected();
  else if (options.targets.length === 0) throw new UsageError('no node is named', { suggestions: [`name some, or -l SELECTOR, --pool POOL, --release RELEASE, --all`, ...await search.windowsNodesInWords()] });
  return search.found();
}

export function isSelection({ selector, pools, releases, all }: Pick<FindTargetsOptions, 'selector' | 'pools' | 'releases' | 'all'>): boolean {
  return all || (selector ?? '') !== '' || pools.length > 0 || releases.length > 0;
}

class TargetSearch {
  readonly #options: FindTargetsOptions;
  readonly #reader: ClusterReader;
  readonly #raw = new Map<string, KubeObject>();
  readonly #nodes = new Map<string, { readonly node: WindowsNode; readonly by: string | null }>();
  readonly #refusals: TargetRefusal[] = [];
  #serverVersion: string | null = null;

  constructor(options: FindTargetsOptions, reader: ClusterReader) {
    this.#options = options;
    this.#reader = reader;
  }

  async named(): Promise<void> {
    const named = new Map<string, string | null>();
    for (const target of this.#options.targets) {
      const [name, by] = target.kind === 'node' ? [target.name, null] : await this.#nodeOf(target);
      if (name !== null && !named.has(name)) named.set(name, by);
    }
    if (named.size === 0) return;
    const nodes = await this.#list({ names: [...named.keys()], allOs: true, pools: [], releases: [] });
    for (const [name, by] of named) {
      const node = nodes.find((one) => one.name === name);
      if (node !== undefined) this.#nodes.set(name, { node, by });
      else if (by !== null) this.#refusals.push({ node: name, reason: 'NotFound', message: `the node of ${by} is gone` });
      else this.#refusals.push({ node: name, reason: 'NotFound', message: 'there is no such node', remedy: await this.#like(name) });
    }
  }

  async selected(): Promise<void> {
    const { selector, pools, releases } = this.#options;
    const nodes = await this.#list({ names: [], allOs: false, labelSelector: selector, pools, releases });
    if (nodes.length === 0 && this.#nodes.size === 0) {
      const asked = [...(selector === undefined ? [] : [`-l ${selector}`]), ...pools.map((pool) => `--pool ${pool}`), ...releases.map((release) => `--release ${release}`)];
      throw new UsageError(asked.length === 0 ? 'the cluster has no Windows nodes' : `no Windows node has what is asked for (${asked.join(' ')})`, { suggestions: asked.length === 0 ? [] : await this.windowsNodesInWords() });
    }
    for (const node of nodes) if (!this.#nodes.has(node.name)) this.#nodes.set(node.name, { node, by: null });
  }

  async found(): Promise<TargetsFound> {
    const leases = await this.#leasesOf([...this.#nodes.values()].filter(({ node }) => node.ready !== true).map(({ node }) => node.name));
    const nodes = [...this.#nodes].map(([name, target]): TargetNode => {
      const raw = this.#raw.get(name) ?? {};
      return { ...target, heartbeat: heartbeatOf(raw, leases.byNode.get(name) ?? null), isBeingDeleted: stringAt(raw, 'metadata', 'deletionTimestamp') !== undefined };
    });
    return { nodes, refusals: this.#refusals, notes: leases.notes, serverVersion: this.#serverVersion, source: this.#reader.description };
  }

  /** A line for an error; none where nodes cannot be listed. */
  async windowsNodesInWords(): Promise<readonly string[]> {
    const names = await this.#windowsNodes();
    return names.length === 0 ? [] : [`Windows nodes: ${someOf(names, SHOWN)}`];
  }

  async #like(name: string): Promise<string | null> {
    const names = await this.#windowsNodes();
    const near = nearestBy(name, names, (candidate) => editDistance(name, candidate));
    if (near !== null) return `Did you mean ${near}?`;
    return names.length === 0 ? null : `Windows nodes: ${someOf(names, SHOWN)}.`;
  }

  #windowsNodesOnce: Promise<readonly string[]> | null = null;

  #windowsNodes(): Promise<readonly string[]> {
    this.#windowsNodesOnce ??= this.#list({ names: [], allOs: false, pools: [], releases: [] }).then((nodes) => nodes.filter(({ os }) => os === 'windows').map(({ name }) => name), (error: unknown) => {
      // Who may read single nodes alone sees as much as that.
      if (error instanceof ClusterError) return [];
      throw error;
    });
    return this.#windowsNodesOnce;
  }

  async #list(selection: { readonly names: readonly string[]; readonly allOs: boolean; readonly labelSelector?: string | undefined; readonly pools: readonly string[]; readonly releases: readonly string[] }): Promise<readonly WindowsNode[]> {
    const { kubernetesVersion, describe, signal } = this.#options;
    const keep = async (nodes: readonly KubeObject[]): Promise<void> => {
      for (const raw of nodes) this.#raw.set(nameOf(raw), raw);
    };
    const report = await listNodes({ ...selection, withPods: false, kubernetesVersion: kubernetesVersion ?? this.#serverVersion ?? undefined, describe, onRawNodes: keep, signal }, this.#reader);
    this.#serverVersion = report.serverVersion;
    return report.nodes;
  }

  /** null, and a refusal, where it is on none. */
  async #nodeOf({ namespace, name }: Extract<ExecTarget, { kind: 'pod' }>): Promise<readonly [node: string | null, by: string]> {
    const scope = namespace ?? this.#reader.namespace ?? 'default';
    const by = namespace === null ? `pod/${name}` : `pod/${namespace}/${name}`;
    const refuse = (message: string): readonly [null, string] => {
      this.#refusals.push({ node: by, reason: 'NotFound', message });
      return [null, by];
    };
    try {
      const node = stringAt(await this.#reader.get(PODS, name, { namespace: scope, signal: this.#options.signal }), 'spec', 'nodeName') ?? '';
      return node === '' ? refuse(`the pod is on no node yet (namespace ${scope})`) : [node, by];
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'NotFound') throw error;
      return refuse(`there is no such pod in the namespace ${scope}`);
    }
  }

  /** Of nodes that are not Ready alone: of the others nobody has to know more. */
  async #leasesOf(names: readonly string[]): Promise<{ readonly byNode: ReadonlyMap<string, KubeObject>; readonly notes: readonly string[] }> {
    const byNode = new Map<string, KubeObject>();
    let isRefused = this.#reader.completeness(LEASES) === 'none';
    const notes: string[] = [];
    await aFewAtATime(names, async (name) => {
      if (isRefused) return;
      try {
        byNode.set(name, await this.#reader.get(LEASES, name, { namespace: 'kube-node-lease', signal: this.#options.signal }));
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        if (error.reason === 'NotFound') return;
        if (!isRefused) notes.push(error.reason === 'Forbidden' ? 'Leases in kube-node-lease may not be read (get leases), so that the last sign of life of nodes that are not Ready is not known' : `Leases in kube-node-lease cannot be read: ${error.message}`);
        isRefused = true;
      }
    });
    return { byNode, notes };
  }
}
