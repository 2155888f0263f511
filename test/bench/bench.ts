/**
 * `npm run bench`: our commands against kubectl's on the same API server, in turn (A B A B …), as whole processes.
 * Writes docs/benchmarks.md. Figures are ratios to kubectl, pair by pair: they hold where the machine's speed drifts.
 * Usage: node test/bench/bench.ts [--runs N] [--nodes 5,5000] [--no-write]
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { ColumnWriter } from '../../src/output/column-writer.ts';
import { startCluster } from '../cluster/start.ts';
import { benchNodes } from './bench-nodes.ts';

const root = join(import.meta.dirname, '..', '..');

interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
  readonly stdoutBytes: number;
  readonly exitCode: number;
}

interface Comparison {
  readonly title: string;
  readonly ours: readonly string[];
  readonly kubectl: readonly string[];
}

const { values } = parseArgs({ options: { runs: { type: 'string', default: '11' }, nodes: { type: 'string', default: '5,5000' }, 'no-write': { type: 'boolean', default: false } } });
const runs = Number(values.runs);

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-bench-'));
  const measure = join(folder, 'measure');
  await promisify(execFile)('go', ['build', '-o', measure, '.'], { cwd: join(import.meta.dirname, 'measure') });
  const cluster = await startCluster({ apiServerArgs: ['--audit-log-path=', '--audit-policy-file='] });
  const lines: string[] = [];
  try {
    const ours = [join(root, 'bin', 'kubectl-win')];
    const { kubectl } = cluster.parts;
    const environment = { ...process.env, KUBECONFIG: cluster.kubeconfig };
    const compare = async ({ title, ours: left, kubectl: right }: Comparison): Promise<void> => {
      const pairs: [Cost, Cost][] = [];
      for (let run = -1; run < runs; run++) {
        const pair: [Cost, Cost] = [await cost(measure, left, environment), await cost(measure, right, environment)];
        for (const { exitCode } of pair) if (exitCode !== 0) throw new Error(`${title}: a command ended with ${exitCode}`);
        if (run >= 0) pairs.push(pair); // the first pair warms up
      }
      const row = tableRow(title, pairs);
      process.stdout.write(`${row}\n`);
      lines.push(row);
    };
    await compare({ title: '`--help`', ours: [...ours, '--help'], kubectl: [kubectl, '--help'] });
    for (const count of values.nodes.split(',').map(Number)) {
      await cluster.deleteNodes();
      await cluster.loadNodes(benchNodes(count));
      await compare({ title: `\`nodes\`, ${count} nodes`, ours: [...ours, 'nodes'], kubectl: [kubectl, 'get', 'nodes', '-o', 'wide'] });
      if (count >= 1000) await compare({ title: `\`nodes --all-os -o json\`, ${count} nodes, against \`get nodes -o json\``, ours: [...ours, 'nodes', '--all-os', '-o', 'json'], kubectl: [kubectl, 'get', 'nodes', '-o', 'json'] });
    }
    const seconds = await timeTable();
    process.stdout.write(`table of 20,000 rows: ${seconds.toFixed(3)} s\n`);
    if (!values['no-write']) await writeFile(join(root, 'docs', 'benchmarks.md'), report(lines, seconds, (await cluster.kubectl(['version', '-o', 'json'])).stdout));
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function cost(measure: string, command: readonly string[], env: NodeJS.ProcessEnv): Promise<Cost> {
  const child = spawn(measure, command, { env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const result = child.stdio[3];
  if (result === null || result === undefined) throw new Error('no descriptor 3');
  let text = '';
  for await (const chunk of result as NodeJS.ReadableStream) text += String(chunk);
  return JSON.parse(text) as Cost; // test/bench/measure writes exactly this
}

function tableRow(title: string, pairs: readonly (readonly [Cost, Cost])[]): string {
  const ratio = (pick: (cost: Cost) => number): string => spread(pairs.map(([ours, theirs]) => pick(ours) / pick(theirs)));
  const middle = (side: 0 | 1, pick: (cost: Cost) => number): number => median(pairs.map((pair) => pick(pair[side])));
  const absolute = (side: 0 | 1): string => `${(middle(side, (cost) => cost.wallSeconds) * 1000).toFixed(0)} ms, ${(middle(side, (cost) => cost.cpuSeconds) * 1000).toFixed(0)} ms CPU, ${(middle(side, (cost) => cost.peakBytes) / 2 ** 20).toFixed(0)} MiB`;
  return `| ${title} | ${ratio((cost) => cost.wallSeconds)} | ${ratio((cost) => cost.cpuSeconds)} | ${ratio((cost) => cost.peakBytes)} | ${absolute(0)} | ${absolute(1)} |`;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** `0.85 (0.80-0.93)`: median, smallest and largest. */
function spread(numbers: readonly number[]): string {
  return `${median(numbers).toFixed(2)} (${Math.min(...numbers).toFixed(2)}-${Math.max(...numbers).toFixed(2)})`;
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

function report(rows: readonly string[], tableSeconds: number, versions: string): string {
  const { clientVersion } = JSON.parse(versions) as { clientVersion: { gitVersion: string } }; // `kubectl version -o json`
  const [cpu] = cpus();
  return `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.versions.node}, kubectl ${clientVersion.gitVersion}, a kube-apiserver of the same version with etcd on the same machine, nodes of 10 KB.

Each command runs as a whole process from a checkout (\`bin/kubectl-win\` after \`npm run build\`), in turn with kubectl; the figures are ratios ours / kubectl over ${runs} pairs, as median (smallest-largest). Below 1 is better than kubectl.

| command | wall | CPU | peak memory | ours | kubectl |
|---|---|---|---|---|---|
${rows.join('\n')}

A table of 20,000 rows and ten columns takes ${tableSeconds.toFixed(2)} s.
`;
}

await main();
