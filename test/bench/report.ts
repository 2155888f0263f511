import { cpus, loadavg, totalmem } from 'node:os';
import type { ExecResult, ExecRun } from './bench-exec.ts';
import type { ImagesResult } from './bench-images.ts';
import type { PrepullResult, PrepullRun } from './bench-prepull.ts';
import { type Cost, median } from './cost.ts';

/** Ours against kubectl's, pair by pair. */
export interface Comparison {
  readonly title: string;
  readonly ours: readonly Cost[];
  readonly kubectl: readonly Cost[];
  /** Largest ratios to kubectl that are aimed at; null where there is no aim. */
  readonly aim: { readonly wall: number; readonly peak: number | null } | null;
}

/** One step of what a run consists of: each one does all that those above it do, and more. */
export interface Step {
  readonly title: string;
  readonly costs: readonly Cost[];
}

/** What `check` costs beyond the comparison with kubectl. */
export interface CheckResult {
  /** A replayed server with ever more pods, five to a workload. */
  readonly replayed: readonly { readonly pods: number; readonly costs: readonly Cost[] }[];
  readonly files: {
    readonly count: number;
    readonly bytes: number;
    /** What a process that reads the files with js-yaml alone takes more than an empty one. */
    readonly parseSeconds: number;
    /** `version --client`: the start of the program. */
    readonly start: readonly Cost[];
    readonly check: readonly Cost[];
  };
}

export interface BenchResult {
  readonly kubectlVersion: string;
  readonly rounds: number;
  readonly comparisons: readonly Comparison[];
  readonly check: CheckResult | null;
  readonly images: ImagesResult | null;
  readonly prepull: PrepullResult | null;
  readonly exec: ExecResult | null;
  readonly steps: readonly Step[];
  /** Seconds to format a table of 20,000 rows. */
  readonly tableSeconds: number;
  /** Load averages of one minute when it began and when it ended. */
  readonly loads: readonly [number, number];
}

/** The page docs/benchmarks.md. */
export function renderReport(result: BenchResult): string {
  const [cpu] = cpus();
  return `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpu?.model.trim() ?? 'unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}, kubectl ${result.kubectlVersion}, a kube-apiserver of the same version with etcd on the same machine (TLS, client certificate), nodes of 10 KB. Load average ${result.loads.map((load) => load.toFixed(1)).join(' at the start, ')} at the end; a command and the API server alone make no more than 2.

Each command runs as a whole process from a checkout (\`bin/kubectl-win\` after \`npm run build\`), in turn with kubectl and with the same small environment (PATH, HOME, KUBECONFIG, XDG_CACHE_HOME); the ratios are ours / kubectl over ${result.rounds} pairs, as median (smallest-largest). Below 1 is better than kubectl.

| command | wall | CPU | peak memory | aim | ours | kubectl |
|---|---|---|---|---|---|---|
${result.comparisons.map(comparisonRow).join('\n')}

A table of 20,000 rows and ten columns takes ${result.tableSeconds.toFixed(2)} s (aim: 0.3 s).
${result.check === null ? '' : checkSection(result.check)}${result.images === null ? '' : imagesSection(result.images)}${result.prepull === null ? '' : prepullSection(result.prepull)}${result.exec === null ? '' : execSection(result.exec)}
## Where the time goes

Whole processes again, in turn, with five nodes: what Node costs by itself, what the program adds to it, and what two of its means save. Medians of ${result.rounds}.

| step | wall | CPU | peak memory |
|---|---|---|---|
${result.steps.map(stepRow).join('\n')}

What is not ours to save: Node's own start, its TLS and HTTP modules, the first use of OpenSSL, the handshake. What keeps the rest small (each measured, see docs/decisions/0002-start-up.md): a bundle of one CommonJS file with its rare packages beside it, compiled code kept from a whole earlier run, modules of Node and of oclif loaded when they are used, no garbage collection and no reading of root certificates in a short run, and one TLS connection to a server that is near.
`;
}

/** What `check` costs, a sentence each. */
export function checkLines({ replayed, files }: CheckResult): readonly string[] {
  const [few, many] = replayed;
  const seconds = (costs: readonly Cost[]): number => median(costs.map(({ wallSeconds }) => wallSeconds));
  const memory = (costs: readonly Cost[]): number => median(costs.map(({ peakBytes }) => peakBytes));
  const lines: string[] = [];
  if (few !== undefined && many !== undefined) {
    lines.push(`\`check -A\` on a replayed server: ${few.pods} pods ${absolute(few.costs)}; ${many.pods} pods ${absolute(many.costs)}: ${(seconds(many.costs) / seconds(few.costs)).toFixed(1)} × the time (aim: 10) and ${(memory(many.costs) / memory(few.costs)).toFixed(2)} × the memory (aim: 1.2).`);
  }
  const aim = 2 * (seconds(files.start) + files.parseSeconds);
  lines.push(`\`check -f\` on ${files.count} files (${(files.bytes / 2 ** 20).toFixed(1)} MiB): ${absolute(files.check)}; the program's start takes ${Math.round(seconds(files.start) * 1000)} ms and js-yaml alone, as a process of its own, ${Math.round(files.parseSeconds * 1000)} ms, so the aim of twice both is ${Math.round(aim * 1000)} ms: ${seconds(files.check) <= aim ? 'met' : 'missed'}.`);
  return lines;
}

function checkSection(result: CheckResult): string {
  return `\n## check\n\n${checkLines(result).join('\n\n')}\n`;
}

/** What `images` costs, a sentence for each registry. */
export function imagesLines({ count, runs }: ImagesResult): readonly string[] {
  const seconds = (costs: readonly Cost[]): number => median(costs.map(({ wallSeconds }) => wallSeconds));
  const ratio = (costs: readonly Cost[], sequence: readonly Cost[]): string => `${(seconds(costs) / seconds(sequence)).toFixed(2)} × (${absolute(costs)})`;
  return runs.map(({ registry, sequence, cold, warm }) => `${count} images, registry ${registry}: a loop that asks for one after the other, as \`skopeo inspect\` does, takes ${absolute(sequence)}; \`images -f\` with an empty cache ${ratio(cold, sequence)}, with a warm one ${ratio(warm, sequence)}.`);
}

function imagesSection(result: ImagesResult): string {
  return `\n## images\n\n${imagesLines(result).join('\n\n')}\n`;
}

/** What an image on all nodes costs, a row for each command: figures, and in brackets what they are of those of the DaemonSet. */
export function prepullLines({ pullSeconds, clusters }: PrepullResult): readonly string[] {
  return clusters.flatMap(({ nodes, daemonSet, ours }) => [
    prepullRow({ nodes, name: 'DaemonSet', atLeast: pullSeconds, runs: daemonSet, daemonSet: null }),
    ...ours.map(({ parallel, runs }) => prepullRow({ nodes, name: `\`prepull --parallel ${parallel}\``, atLeast: Math.ceil(nodes / parallel) * pullSeconds, runs, daemonSet })),
  ]);
}

/** `atLeast`: seconds that the pulls take by themselves, so many at a time. */
function prepullRow({ nodes, name, atLeast, runs, daemonSet }: { readonly nodes: number; readonly name: string; readonly atLeast: number; readonly runs: readonly PrepullRun[]; readonly daemonSet: readonly PrepullRun[] | null }): string {
  const cell = (field: keyof PrepullFigures, show: (middle: number) => string): string => {
    const middle = show(median(runs.map((run) => run[field])));
    return daemonSet === null ? middle : `${middle} [${spread(runs.map((run, index) => run[field] / (daemonSet[index]?.[field] ?? Number.NaN)))}]`;
  };
  const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`;
  const perNode = (count: number): string => (count / nodes).toFixed(2);
  const cells = [
    cell('imageSeconds', (seconds) => `${inSeconds(seconds)} (at least ${inSeconds(atLeast)})`), String(Math.max(...runs.map((run) => run.mostAtOnce))), cell('wallSeconds', inSeconds), cell('cpuSeconds', inSeconds),
    cell('peakBytes', (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`), cell('requests', perNode), cell('writes', perNode), cell('serverCpuSeconds', inSeconds),
  ];
  return `| ${nodes} | ${name} | ${cells.join(' | ')} |`;
}

type PrepullFigures = Pick<PrepullRun, 'imageSeconds' | 'wallSeconds' | 'cpuSeconds' | 'peakBytes' | 'requests' | 'writes' | 'serverCpuSeconds'>;

/** `## prepull` of docs/benchmarks.md. */
export function prepullSection(result: PrepullResult): string {
  const [first] = result.clusters;
  return `
## prepull

One image onto all nodes, in a control plane with its controllers and scheduler whose kubelets are played by kwok: on each node the pull takes ${result.pullSeconds} s, whatever else goes on. Against the DaemonSet that people write by hand (an init container with the image that ends, a pause container; \`kubectl apply\`, \`rollout status\` and \`delete\`), in turn. Medians of ${first?.daemonSet.length ?? 0}; in square brackets ours / DaemonSet pair by pair, as median (smallest-largest). Requests are those of the client, writes those of controllers, scheduler and kubelets, events among them; the API server's CPU is counted until nothing is left.

| nodes | command | all nodes have it after | pulls at once | whole command | CPU | peak memory | requests per node | writes per node | CPU of the API server |
|---|---|---|---|---|---|---|---|---|---|
${prepullLines(result).join('\n')}

The DaemonSet has no window: the registry and the disks get all pulls at once, and where these take longer for it the figures above do not show it. It needs a shell in the image and room for a pod on each node, tries for ever what cannot succeed, such as an image without a variant for the node, and says neither which nodes failed nor why; \`rollout status\` waits. It stays until somebody deletes it. Its client has next to nothing to do, since a controller makes the pods; ours makes a Job for each node and image, writes down what became of it, and removes it.
`;
}

/** What a command on nodes costs, a row for each side. */
export function execLines({ clusters }: ExecResult): readonly string[] {
  return clusters.flatMap(({ nodes, byHand, ours }) => [execRow(nodes, 'kubectl by hand', byHand, null), execRow(nodes, '`hostprocess exec`', ours, byHand)]);
}

function execRow(nodes: number, name: string, runs: readonly ExecRun[], byHand: readonly ExecRun[] | null): string {
  const cell = (field: 'wallSeconds' | 'cpuSeconds' | 'peakBytes' | 'requests', show: (middle: number) => string): string => {
    const middle = show(median(runs.map((run) => run[field])));
    return byHand === null ? middle : `${middle} [${spread(runs.map((run, index) => run[field] / (byHand[index]?.[field] ?? Number.NaN)))}]`;
  };
  const inSeconds = (seconds: number): string => `${seconds.toFixed(2)} s`;
  return `| ${nodes} | ${name} | ${[cell('wallSeconds', inSeconds), cell('cpuSeconds', inSeconds), cell('peakBytes', (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`), cell('requests', (count) => (count / nodes).toFixed(2))].join(' | ')} |`;
}

/** `## hostprocess exec` of docs/benchmarks.md. */
export function execSection(result: ExecResult): string {
  return `
## hostprocess exec

One command on each node, ${result.parallel} nodes at a time, in a control plane with its controllers: kwok plays the pods, and the kubelet's side of exec is a program on the same machine. Against a HostProcess pod made by hand on each node (\`kubectl create\`, \`wait\`, \`exec\`, \`delete\`, by \`xargs -P\`), in turn. Medians of ${result.clusters[0]?.ours.length ?? 0}; in square brackets ours / kubectl pair by pair, as median (smallest-largest). The peak is that of the largest process; by hand there are up to ${result.parallel} at a time.

| nodes | command | wall | CPU | peak memory | requests per node |
|---|---|---|---|---|---|
${execLines(result).join('\n')}

What ours asks for more on one node: rights, dry runs, quotas and WebSockets are looked at before anything is created, once for each run.
`;
}

function comparisonRow({ title, ours, kubectl, aim }: Comparison): string {
  const wall = ratios(ours, kubectl, 'wallSeconds');
  const peak = ratios(ours, kubectl, 'peakBytes');
  const aims = aim === null ? '' : [aimText('wall', wall, aim.wall), ...(aim.peak === null ? [] : [aimText('memory', peak, aim.peak)])].join(', ');
  return `| ${title} | ${spread(wall)} | ${spread(ratios(ours, kubectl, 'cpuSeconds'))} | ${spread(peak)} | ${aims} | ${absolute(ours)} | ${absolute(kubectl)} |`;
}

function stepRow({ title, costs }: Step): string {
  return `| ${title} | ${milliseconds(costs, 'wallSeconds')} | ${milliseconds(costs, 'cpuSeconds')} | ${mebibytes(costs)} |`;
}

/** One line about a comparison, for the terminal. */
export function comparisonLine({ title, ours, kubectl }: Comparison): string {
  return `${title.replaceAll('`', '')}: wall ${spread(ratios(ours, kubectl, 'wallSeconds'))}, CPU ${spread(ratios(ours, kubectl, 'cpuSeconds'))}, memory ${spread(ratios(ours, kubectl, 'peakBytes'))}; ours ${absolute(ours)}; kubectl ${absolute(kubectl)}`;
}

/** One line about a step, for the terminal. */
export function stepLine({ title, costs }: Step): string {
  return `${title.replaceAll('`', '')}: ${absolute(costs)}`;
}

function ratios(ours: readonly Cost[], kubectl: readonly Cost[], field: 'wallSeconds' | 'cpuSeconds' | 'peakBytes'): readonly number[] {
  return ours.map((cost, index) => cost[field] / (kubectl[index]?.[field] ?? Number.NaN));
}

/** `0.85 (0.80-0.93)`: median, smallest and largest. */
function spread(numbers: readonly number[]): string {
  return `${median(numbers).toFixed(2)} (${Math.min(...numbers).toFixed(2)}-${Math.max(...numbers).toFixed(2)})`;
}

function aimText(what: string, numbers: readonly number[], limit: number): string {
  return `${what} ≤ ${limit}: ${median(numbers) <= limit ? 'met' : '**missed**'}`;
}

function absolute(costs: readonly Cost[]): string {
  return `${milliseconds(costs, 'wallSeconds')}, ${milliseconds(costs, 'cpuSeconds')} CPU, ${mebibytes(costs)}`;
}

function milliseconds(costs: readonly Cost[], field: 'wallSeconds' | 'cpuSeconds'): string {
  return `${(median(costs.map((cost) => cost[field])) * 1000).toFixed(0)} ms`;
}

function mebibytes(costs: readonly Cost[]): string {
  return `${(median(costs.map(({ peakBytes }) => peakBytes)) / 2 ** 20).toFixed(0)} MiB`;
}

/** The load average of the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}
