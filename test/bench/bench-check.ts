/** `check` against `kubectl get pods -A -o json` on the same server, on a replayed server with more pods, and on files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import type { TestCluster } from '../cluster/start.ts';
import { benchNodes } from './bench-nodes.ts';
import { benchWorkloads, type BenchObject } from './bench-workloads.ts';
import { median, type Cost, type CostMeter } from './cost.ts';
import type { CheckResult, Comparison } from './report.ts';
import { startReplayServer } from './replay-server.ts';

const NODES = 100;
const PODS = 20_000;
/** Pods of the two replayed clusters. */
const REPLAYED = [10_000, 100_000] as const;
const FILES = 1_000;
/** Requests at a time while loading. */
const PARALLEL = 32;

export interface CheckBenchOptions {
  readonly meter: CostMeter;
  readonly cluster: TestCluster;
  readonly launcher: string;
  /** Empty folder for files. */
  readonly folder: string;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export async function benchCheck(options: CheckBenchOptions): Promise<{ readonly comparison: Comparison; readonly result: CheckResult }> {
  const { meter, cluster, launcher, rounds, progress } = options;
  const nodes = benchNodes(NODES);
  progress(`loading ${PODS} pods in ${PODS / 5} workloads`);
  await cluster.deleteNodes();
  await cluster.loadNodes(nodes);
  await load(cluster, nodes.map((node) => ({ name: String(node.metadata?.['name']), isWindows: String(node.metadata?.['name']).startsWith('akswin') })), progress);
  const title = `\`check -A\`, ${PODS} pods in ${PODS / 5} workloads, against \`get pods -A -o json\``;
  const [ours = [], kubectl = []] = await meter.measure(
    [{ title, command: [launcher, 'check', '-A', '--fail-on=none'] }, { title, command: [cluster.parts.kubectl, 'get', 'pods', '-A', '-o', 'json'] }],
    Math.min(rounds, 3), (round) => progress(`check -A: ${round}`),
  );
  return { comparison: { title, ours, kubectl, aim: { wall: 0.08, peak: null } }, result: { replayed: await benchReplayed(options), files: await benchFiles(options) } };
}

async function load(cluster: TestCluster, nodes: readonly { readonly name: string; readonly isWindows: boolean }[], progress: (line: string) => void): Promise<void> {
  const { namespaces, workloads, pods } = benchWorkloads(PODS, nodes);
  for (const name of namespaces) await cluster.createNamespace(name);
  const queue: readonly BenchObject[] = [...workloads, ...pods];
  let next = 0;
  await Promise.all(Array.from({ length: PARALLEL }, async () => {
    for (let index = next++; index < queue.length; index = next++) {
      const { path, object } = queue[index] as BenchObject; // the index is below the length
      await cluster.api.create(path, object);
      if (object.kind === 'Pod') await cluster.api.patch(`${path}/${String(object.metadata?.['name'])}/status`, { status: object['status'] });
      if (index % 5_000 === 0) progress(`loaded ${index} of ${queue.length}`);
    }
  }));
}

async function benchReplayed({ meter, launcher, folder, rounds, progress }: CheckBenchOptions): Promise<CheckResult['replayed']> {
  const results: { pods: number; costs: readonly Cost[] }[] = [];
  for (const count of REPLAYED) {
    progress(`replaying ${count} pods`);
    const nodes = benchNodes(NODES);
    const { workloads, pods } = benchWorkloads(count, nodes.map((node) => ({ name: String(node.metadata?.['name']), isWindows: String(node.metadata?.['name']).startsWith('akswin') })));
    const of = (kind: string): readonly BenchObject[] => workloads.filter(({ object }) => object.kind === kind);
    const list = (kind: string, objects: readonly BenchObject[]): { kind: string; count: number; item: (index: number) => BenchObject['object'] } => ({ kind, count: objects.length, item: (index) => objects[index]?.object ?? {} });
    const server = await startReplayServer({
      '/api/v1/nodes': { kind: 'Node', count: nodes.length, item: (index) => nodes[index] ?? {} },
      '/api/v1/pods': list('Pod', pods), '/apis/apps/v1/deployments': list('Deployment', of('Deployment')), '/apis/apps/v1/statefulsets': list('StatefulSet', of('StatefulSet')),
    });
    try {
      const kubeconfig = join(folder, `replay-${count}.yaml`);
      await writeFile(kubeconfig, JSON.stringify({
        apiVersion: 'v1', kind: 'Config', 'current-context': 'replay', contexts: [{ name: 'replay', context: { cluster: 'replay', user: 'replay' } }],
        clusters: [{ name: 'replay', cluster: { server: server.url } }], users: [{ name: 'replay', user: {} }],
      }));
      const title = `check -A, ${count} replayed pods`;
      const [costs = []] = await meter.measure([{ title, command: [launcher, 'check', '-A', '--fail-on=none', `--kubeconfig=${kubeconfig}`] }], Math.min(rounds, 3), (round) => progress(`${title}: ${round}`));
      results.push({ pods: count, costs });
    } finally {
      await server.close();
    }
  }
  return results;
}

async function benchFiles({ meter, launcher, folder, rounds, progress }: CheckBenchOptions): Promise<CheckResult['files']> {
  const { workloads } = benchWorkloads(FILES * 5, [{ name: 'w', isWindows: true }, { name: 'l', isWindows: false }]);
  const manifests = join(folder, 'manifests');
  await mkdir(manifests);
  const texts = workloads.map(({ object }) => dump(object));
  for (const [index, text] of texts.entries()) await writeFile(join(manifests, `${String(index).padStart(5, '0')}.yaml`), text);
  const node = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'node');
  const commands = [
    { title: 'version', command: [launcher, 'version', '--client'] },
    { title: 'check -f', command: [launcher, 'check', '-f', manifests, '--fail-on=none'] },
    { title: 'node', command: [node, '-e', '0'] },
    { title: 'js-yaml', command: [node, join(import.meta.dirname, 'parse-yaml.mjs'), manifests] },
  ];
  const [start = [], check = [], bare = [], parse = []] = await meter.measure(commands, Math.min(rounds, 5), (round) => progress(`check -f, ${FILES} files: ${round}`));
  return { count: FILES, bytes: texts.reduce((sum, text) => sum + text.length, 0), parseSeconds: median(parse.map(({ wallSeconds }) => wallSeconds)) - median(bare.map(({ wallSeconds }) => wallSeconds)), start, check };
}
