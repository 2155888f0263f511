/**
 * `npm run bench`: our commands against kubectl's on the same API server, in turn (A B A B …), as whole processes.
 * Writes docs/benchmarks.md. Figures are ratios to kubectl, pair by pair: they hold where the machine's speed drifts.
 * Usage: node test/bench/bench.ts [--runs N] [--nodes 5,5000] [--only nodes|check|images|prepull|exec] [--no-write]
 */
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ColumnWriter } from '../../src/output/column-writer.ts';
import { buildBundle } from '../../src/tooling/build.ts';
import { PROJECT_ROOT } from '../../src/tooling/source-commands.ts';
import { startCluster, type TestCluster } from '../cluster/start.ts';
import { benchCheck } from './bench-check.ts';
import { benchExec, type ExecResult } from './bench-exec.ts';
import { benchImages, type ImagesResult } from './bench-images.ts';
import { benchNodes } from './bench-nodes.ts';
import { benchPrepull, type PrepullResult } from './bench-prepull.ts';
import { type Cost, CostMeter, median, type Measured } from './cost.ts';
import { type BenchResult, type CheckResult, checkLines, type Comparison, comparisonLine, currentLoad, execSection, imagesLines, prepullSection, renderReport, type Step, stepLine } from './report.ts';

/** Nodes of the small case; the steps are measured with so many. */
const FEW_NODES = 5;
/** From so many nodes on, lists have several pages. */
const MANY_NODES = 1000;

const progress = (line: string): void => void process.stderr.write(`${line}\n`);

interface Bench {
  readonly meter: CostMeter;
  readonly cluster: TestCluster;
  readonly rounds: number;
  /** bin/kubectl-win of the checkout that is measured. */
  readonly launcher: string;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '11' }, nodes: { type: 'string', default: `${FEW_NODES},5000` }, 'no-write': { type: 'boolean', default: false }, only: { type: 'string', default: '' } } });
  const rounds = Number(values.runs);
  const counts = values.nodes.split(',').map(Number);
  if (!(rounds >= 1) || counts.some((count) => !(count >= 1))) throw new Error('--runs takes a number, --nodes numbers with commas between them');
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-bench-'));
  let cluster: TestCluster | undefined;
  try {
    const loadAtStart = currentLoad();
    progress('building');
    const checkout = await copyCheckout(join(folder, 'checkout'));
    const home = join(folder, 'home');
    await mkdir(home);
    progress('starting etcd and the API server');
    cluster = await startCluster({ apiServerArgs: ['--audit-log-path=', '--audit-policy-file='] });
    const meter = await CostMeter.build(folder, { PATH: '/usr/bin:/bin', HOME: home, XDG_CACHE_HOME: join(home, '.cache'), KUBECONFIG: cluster.kubeconfig, KUBECTL_WIN_IMAGES: 'tags' }); // no image of the workloads exists: nobody is asked for them
    const bench: Bench = { meter, cluster, rounds, launcher: join(checkout, 'bin', 'kubectl-win') };

    const comparisons: Comparison[] = values.only !== '' && values.only !== 'nodes' ? [] : [await compare(bench, { title: '`--help`', ours: ['--help'], kubectl: ['--help'], aim: { wall: 1.5, peak: 2 } })];
    const steps: Step[] = [];
    for (const count of values.only !== '' && values.only !== 'nodes' ? [] : counts) {
      progress(`loading ${count} nodes`);
      await cluster.deleteNodes();
      await cluster.loadNodes(benchNodes(count));
      const isLarge = count >= MANY_NODES;
      comparisons.push(await compare(bench, { title: `\`nodes\`, ${count} nodes`, ours: ['nodes'], kubectl: ['get', 'nodes', '-o', 'wide'], aim: { wall: isLarge ? 0.9 : 1.5, peak: 2 } }));
      if (isLarge) comparisons.push(await compare(bench, { title: `\`nodes --all-os -o json\`, ${count} nodes, against \`get nodes -o json\``, ours: ['nodes', '--all-os', '-o', 'json'], kubectl: ['get', 'nodes', '-o', 'json'], aim: null }));
      else if (steps.length === 0) steps.push(...await measureSteps(bench, checkout));
    }
    let check: CheckResult | null = null;
    if (values.only === '' || values.only === 'check') {
      const files = join(folder, 'check');
      await mkdir(files);
      const { comparison, result } = await benchCheck({ ...bench, folder: files, progress });
      process.stdout.write(`${comparisonLine(comparison)}\n${checkLines(result).join('\n')}\n`);
      comparisons.push(comparison);
      check = result;
    }
    let images: ImagesResult | null = null;
    if (values.only === '' || values.only === 'images') {
      const files = join(folder, 'images');
      await mkdir(files);
      images = await benchImages({ ...bench, node: join(checkout, 'node_modules', '.bin', 'node'), folder: files, progress });
      process.stdout.write(`${imagesLines(images).join('\n')}\n`);
    }
    let prepull: PrepullResult | null = null;
    if (values.only === '' || values.only === 'prepull') {
      const files = join(folder, 'prepull');
      await mkdir(files);
      prepull = await benchPrepull({ ...bench, folder: files, progress });
      process.stdout.write(prepullSection(prepull));
    }
    let exec: ExecResult | null = null;
    if (values.only === '' || values.only === 'exec') {
      const files = join(folder, 'exec');
      await mkdir(files);
      exec = await benchExec({ ...bench, folder: files, progress });
      process.stdout.write(execSection(exec));
    }
    progress('formatting a table of 20,000 rows');
    const tableSeconds = await timeTable();
    process.stdout.write(`table of 20,000 rows: ${tableSeconds.toFixed(3)} s\n`);
    const { clientVersion } = JSON.parse((await cluster.kubectl(['version', '-o', 'json'])).stdout) as { clientVersion: { gitVersion: string } }; // `kubectl version -o json`
    const result: BenchResult = { kubectlVersion: clientVersion.gitVersion, rounds, comparisons, check, images, prepull, exec, steps, tableSeconds, loads: [loadAtStart, currentLoad()] };
    if (!values['no-write']) await writeFile(join(PROJECT_ROOT, 'docs', 'benchmarks.md'), renderReport(result));
  } finally {
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A checkout of its own, with its bundle: edits under way would make the sources run in place of the bundle. */
async function copyCheckout(folder: string): Promise<string> {
  for (const part of ['bin', 'commands', 'src', 'package.json']) await cp(join(PROJECT_ROOT, part), join(folder, part), { recursive: true, preserveTimestamps: true });
  await symlink(join(PROJECT_ROOT, 'node_modules'), join(folder, 'node_modules'));
  await buildBundle(join(folder, 'dist'));
  return folder;
}

async function compare(
  { meter, cluster, rounds, launcher }: Bench, { title, ours, kubectl, aim }: { readonly title: string; readonly ours: readonly string[]; readonly kubectl: readonly string[]; readonly aim: Comparison['aim'] },
): Promise<Comparison> {
  const commands: readonly Measured[] = [{ title, command: [launcher, ...ours] }, { title, command: [cluster.parts.kubectl, ...kubectl] }];
  const [left = [], right = []] = await meter.measure(commands, rounds, progressOf(title, rounds));
  const comparison: Comparison = { title, ours: left, kubectl: right, aim };
  process.stdout.write(`${comparisonLine(comparison)}\n`);
  return comparison;
}

/** What a short run consists of, from Node alone up to `nodes` on the cluster as it is. */
async function measureSteps({ meter, rounds, launcher }: Bench, checkout: string): Promise<readonly Step[]> {
  const node = join(checkout, 'node_modules', '.bin', 'node');
  const commands: readonly Measured[] = [
    { title: '`node -e 0`: Node itself', command: [node, '-e', '0'] },
    { title: '`version --client`: and the launcher, the bundle, flags, output', command: [launcher, 'version', '--client'] },
    { title: 'a bare program on Node that lists the nodes (test/bench/bare-request.cjs)', command: [node, '--use-openssl-ca', join(import.meta.dirname, 'bare-request.cjs')] },
    { title: '`nodes`: all of it', command: [launcher, 'nodes'] },
    { title: '`nodes` by bin/kubectl-win.js, without the flags that the launcher gives to Node', command: [node, join(checkout, 'bin', 'kubectl-win.js'), 'nodes'] },
    { title: '`nodes` for the first time, without compiled code from an earlier run', command: [launcher, 'nodes'], env: { XDG_CACHE_HOME: '/dev/null' } },
  ];
  const costs: readonly (readonly Cost[])[] = await meter.measure(commands, rounds, progressOf('where the time goes', rounds));
  const steps = commands.map(({ title }, index): Step => ({ title, costs: costs[index] ?? [] }));
  for (const step of steps) process.stdout.write(`${stepLine(step)}\n`);
  return steps;
}

function progressOf(title: string, rounds: number): (round: number) => void {
  return (round) => progress(`${title.replaceAll('`', '')}: ${round === 0 ? 'warming up' : `${round} of ${rounds}`}`);
}

/** Seconds to format 20,000 rows of ten columns, the median of five. */
async function timeTable(): Promise<number> {
  const headers = ['NAME', 'STATUS', 'RELEASE', 'BUILD', 'PATCH', 'POOL', 'KUBELET', 'RUNTIME', 'AGE', 'ISSUES'];
  const rows = Array.from({ length: 20_000 }, (_, index) => ({
    cells: [`akswin${index}`, 'Ready', 'ltsc2022', '20348.5499', '2026-08(-2)', 'npwin', 'v1.36.3', 'containerd://2.0.4+azure', '3d4h', 'no-isolating-taint,support-ending'],
  }));
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const start = performance.now();
    let characters = 0;
    for (const chunk of await new ColumnWriter(headers).format(rows)) characters += chunk.length;
    if (characters < 20_000 * 100) throw new Error('the table is too small to be right');
    times.push((performance.now() - start) / 1000);
  }
  return median(times);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`npm run bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
