/**
 * The program behind `npm test`: `node test/support/run-tests.ts [fast|bun|cluster|all]`. First what needs no cluster: lint,
 * types, the build, each script of package.json that is named `check:…`, the suites, and those of the client layer once
 * more on Bun. Then the suites that need the
 * test cluster, whose programs are built meanwhile. Its last line is the sum: `N passed, N failed[, N skipped]`.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { delimiter, join, resolve, sep } from 'node:path';
import { partNames, unobtainableParts } from '../cluster/build.ts';
import { findBun } from './bun.ts';
import { isContinuousIntegration } from './cases.ts';
import type { Counts } from './ci-reporter.ts';
import { countLine } from './ci-reporter.ts';

const projectRoot = resolve(import.meta.dirname, '../..');

interface Step {
  readonly name: string;
  /** A command line for the shell; node_modules/.bin comes first on its PATH. */
  readonly command: string;
}

/** The checks, in the order in which they run. A new one is a script `check:NAME` in package.json. */
function checkSteps(): readonly Step[] {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { readonly scripts: Readonly<Record<string, string>> };
  const own = Object.keys(scripts).filter((name) => name === 'build' || name.startsWith('check:'));
  return [
    { name: 'lint', command: 'oxlint --type-aware' },
    { name: 'types', command: 'tsc -p . --noEmit' },
    { name: 'types of the tests', command: 'tsc -p test/tsconfig.json' },
    // The build first: a check may look at what it made.
    ...own.toSorted((a, b) => Number(b === 'build') - Number(a === 'build')).map((name) => ({ name, command: scripts[name] ?? '' })),
  ];
}

const clusterSuites = 'test/**/*.cluster.test.ts';
const allSuites = 'test/**/*.test.ts';
/** Suites that run bin/ as users do. */
const wholeProgram = 'test/e2e/';
/** What has to run on Bun as on Node. */
const clientLayer = ['test/src/adapters/http/', 'test/src/adapters/kube/', 'test/src/adapters/registry/', 'test/registry/'] as const;

const none: Counts = { passed: 0, failed: 0, skipped: 0 };
const onePassed: Counts = { ...none, passed: 1 };
const oneFailed: Counts = { ...none, failed: 1 };
const sum = (counts: readonly Counts[]): Counts => counts.reduce((a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }), none);

const say = (line: string): void => { process.stdout.write(`${line}\n`); };

const environment = (): NodeJS.ProcessEnv => ({ KUBECTL_WIN_IMAGES: 'tags', ...process.env, PATH: [join(projectRoot, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter) });

/** Ends with the exit code, or the signal's name. */
const ended = (child: ChildProcess): Promise<number | string> => new Promise((done, failed) => {
  child.once('error', failed).once('close', (code, signal) => { done(code ?? signal ?? 'unknown'); });
});

async function runStep(step: Step): Promise<Counts> {
  const started = Date.now();
  const child = spawn(step.command, { cwd: projectRoot, shell: true, stdio: ['ignore', 'inherit', 'inherit'], env: environment() });
  const code = await ended(child);
  say(code === 0 ? `${step.name}: passed (${seconds(started)})` : `${step.name}: FAILED, \`${step.command}\` ended with ${code} (${seconds(started)})`);
  return code === 0 ? onePassed : oneFailed;
}

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Options of .mocharc.json without its spec, which mocha would add to the files that are given here. */
function mochaOptions(): readonly string[] {
  const { spec: _all, ...options } = JSON.parse(readFileSync(join(projectRoot, '.mocharc.json'), 'utf8')) as Readonly<Record<string, unknown>>;
  return Object.entries(options).flatMap(([name, value]) => (value === true ? [`--${name}`] : [value].flat().flatMap((one) => [`--${name}`, String(one)])));
}

interface SuitesOptions {
  /** Default: the Node that runs this. */
  readonly runtime?: string;
  /** Keep the output until the end: other suites print meanwhile. */
  readonly isQuiet?: boolean;
}

async function runSuites(title: string, files: readonly string[], { runtime = process.execPath, isQuiet = false }: SuitesOptions = {}): Promise<Counts> {
  if (files.length === 0) return none;
  const started = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-win-counts-'));
  const countsFile = join(folder, 'counts.json');
  try {
    const child = spawn(runtime, [join(projectRoot, 'node_modules/mocha/bin/mocha.js'), '--no-config', ...mochaOptions(), '--reporter', join(import.meta.dirname, 'ci-reporter.ts'), ...files], {
      cwd: projectRoot,
      stdio: isQuiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
      env: { ...environment(), KUBECTL_WIN_TEST_COUNTS: countsFile },
    });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk));
    const code = await ended(child);
    if (isQuiet) process.stdout.write(Buffer.concat(output));
    const counts = existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, 'utf8')) as Counts : none;
    say(`${title}: ${countLine(counts)} (${seconds(started)})`);
    // Failed tests make an exit code; a signal means that mocha did not end as it should.
    if (code === 0 || (typeof code === 'number' && counts.failed > 0)) return counts;
    say(`${title}: FAILED, mocha ended with ${code}`);
    return sum([counts, oneFailed]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the test cluster's programs beside the other tests; null where they cannot be had. */
async function startClusterBuild(): Promise<ChildProcess | null> {
  if ((await unobtainableParts(partNames)).length > 0) return null;
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
  const build = spawn(process.execPath, [join(projectRoot, 'test/cluster/build.ts')], { cwd: projectRoot, stdio });
  // Compilers give way to the tests that run meanwhile.
  if (build.pid !== undefined) setPriority(build.pid, constants.priority.PRIORITY_LOW);
  return build;
}

const suites = (pattern: string): readonly string[] => globSync(pattern, { cwd: projectRoot }).toSorted();

async function runFast(): Promise<readonly Counts[]> {
  const counts: Counts[] = [];
  for (const step of checkSteps()) counts.push(await runStep(step));
  const files = fastSuites();
  const ofProcesses = files.filter((file) => file.replaceAll(sep, '/').startsWith(wholeProgram));
  // Suites that run the program as a process mostly wait for it, so the others have the processors meanwhile.
  counts.push(...await Promise.all([
    runSuites('suites', files.filter((file) => !ofProcesses.includes(file))),
    runSuites('suites of the whole program', ofProcesses, { isQuiet: true }),
    runOnBun('suites', files, { isQuiet: true }),
  ]));
  return counts;
}

function fastSuites(): readonly string[] {
  const inCluster = new Set(suites(clusterSuites));
  return suites(allSuites).filter((file) => !inCluster.has(file));
}

/** The client layer's part of these suites. */
async function runOnBun(title: string, files: readonly string[], options: SuitesOptions = {}): Promise<Counts> {
  const bun = findBun();
  if (bun !== null) return runSuites(`${title} of the client layer on Bun`, files.filter((file) => clientLayer.some((folder) => file.replaceAll(sep, '/').startsWith(folder))), { ...options, runtime: bun });
  say(`not run: ${title} of the client layer on Bun, because no package @oven/bun-* for this machine is installed${isContinuousIntegration() ? '; with CI set this is a failure' : ''}`);
  return isContinuousIntegration() ? oneFailed : { ...none, skipped: 1 };
}

async function runCluster(build: ChildProcess | null): Promise<readonly Counts[]> {
  if (build === null) {
    // The suites still run: each is counted as skipped, and some need less than all the programs.
    say(`not run: suites that need the test cluster, because Go is not on PATH and KUBEBUILDER_ASSETS does not hold all programs${isContinuousIntegration() ? '; with CI set this is a failure' : ''}`);
  } else {
    const code = build.exitCode ?? build.signalCode ?? await ended(build);
    if (code !== 0) {
      say(`cluster suites: FAILED, the build of the test cluster ended with ${code}`);
      return [oneFailed];
    }
  }
  const files = suites(clusterSuites);
  return [await runSuites('cluster suites', files), ...(build === null ? [] : [await runOnBun('cluster suites', files)])];
}

async function main(mode: string): Promise<number> {
  if (!['fast', 'bun', 'cluster', 'all'].includes(mode)) {
    process.stderr.write(`error: unknown argument ${mode}; it takes fast, bun, cluster or all\n`);
    return 2;
  }
  const build = mode === 'fast' || mode === 'bun' ? null : await startClusterBuild();
  const endBuild = (): void => { build?.kill(); };
  process.once('exit', endBuild);
  const counts: Counts[] = [];
  if (mode === 'bun') counts.push(await runOnBun('suites', fastSuites()));
  if (mode === 'fast' || mode === 'all') counts.push(...await runFast());
  if (mode === 'cluster' || mode === 'all') counts.push(...await runCluster(build));
  const total = sum(counts);
  if (total.passed === 0 && total.failed === 0) say('nothing ran');
  say(countLine(total));
  return total.failed > 0 || total.passed === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv[2] ?? 'all');
