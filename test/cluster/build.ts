/**
 * Builds the programs of the test cluster from the Go module proxy, once per version, into a cache of the user:
 * `node test/cluster/build.ts [PART...]`.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { constants, homedir, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Each program by the name of its file, in the order in which they are built; what reading tests need comes first. */
export const partNames = ['etcd', 'kube-apiserver', 'kubectl', 'kwok', 'kubelet', 'windows-process', 'registry', 'containerd-matcher', 'distribution', 'kube-scheduler', 'kube-controller-manager'] as const;
export type PartName = (typeof partNames)[number];

/** Paths of the programs that were asked for. */
export type Parts<Name extends PartName = PartName> = Readonly<Record<Name, string>>;

interface Recipe {
  readonly goPackage: string;
  /** Whether Kubernetes' version is stamped into it, as its own build does. */
  readonly stamped: boolean;
  /** Whether the sources lie in the module's folder; they then are part of the key. */
  readonly own: boolean;
  /** Folder of its go.mod, where that is not the cluster's: programs whose libraries do not fit together. */
  readonly module?: GoModule;
}

/** A folder with a go.mod, and what in it is compiled into programs of our own. */
interface GoModule {
  readonly folder: string;
  readonly sources: readonly string[];
}

const clusterModule: GoModule = { folder: import.meta.dirname, sources: ['kubelet/main.go', 'kubelet/node.go', ...['main', 'command-line', 'windows-shell', 'powershell', 'copy'].map((name) => `windows-process/${name}.go`)] };
const distributionModule: GoModule = { folder: join(import.meta.dirname, 'distribution'), sources: [] };
const matcherModule: GoModule = { folder: join(import.meta.dirname, '../containerd/matcher'), sources: ['main.go', 'empty.s'] };

const recipes = {
  etcd: { goPackage: 'go.etcd.io/etcd/server/v3', stamped: false, own: false },
  'kube-apiserver': { goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver', stamped: true, own: false },
  kubectl: { goPackage: 'k8s.io/kubernetes/cmd/kubectl', stamped: true, own: false },
  kwok: { goPackage: 'sigs.k8s.io/kwok/cmd/kwok', stamped: false, own: false },
  kubelet: { goPackage: './kubelet', stamped: false, own: true },
  'windows-process': { goPackage: './windows-process', stamped: false, own: true },
  registry: { goPackage: 'github.com/google/go-containerregistry/cmd/registry', stamped: false, own: false },
  'containerd-matcher': { goPackage: '.', stamped: false, own: true, module: matcherModule },
  distribution: { goPackage: 'github.com/distribution/distribution/v3/cmd/registry', stamped: false, own: false, module: distributionModule },
  'kube-scheduler': { goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler', stamped: true, own: false },
  'kube-controller-manager': { goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager', stamped: true, own: false },
} as const satisfies Readonly<Record<PartName, Recipe>>;

const moduleOf = (part: PartName): GoModule => {
  const recipe: Recipe = recipes[part];
  return recipe.module ?? clusterModule;
};

const day = 24 * 60 * 60 * 1000;

/** Go is not there, and the programs are not all there either: the cluster suites cannot run. */
export class GoMissingError extends Error {
  constructor(missing: readonly PartName[]) {
    super(`Go is not on PATH, and KUBEBUILDER_ASSETS has no ${missing.join(', ')}`);
    this.name = 'GoMissingError';
  }
}

interface GoEnvironment {
  readonly GOVERSION: string;
  readonly GOOS: string;
  readonly GOARCH: string;
  readonly CGO_ENABLED: string;
}

/** What decides the bytes of the programs, asked of Go in the folder of go.mod; null where there is no `go` on PATH. */
async function goEnvironment(): Promise<GoEnvironment | null> {
  const found = (process.env['PATH'] ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, 'go')));
  if (!found) return null;
  const { stdout } = await promisify(execFile)('go', ['env', '-json', 'GOVERSION', 'GOOS', 'GOARCH', 'CGO_ENABLED'], { cwd: clusterModule.folder, env: goVariables() });
  return JSON.parse(stdout) as GoEnvironment;
}

const goVariables = (): NodeJS.ProcessEnv => ({ ...process.env, GOWORK: 'off' });

/** Kubernetes' version as go.mod has it, e.g. `v1.37.2`. */
export async function kubernetesVersion(): Promise<string> {
  const text = await readFile(join(clusterModule.folder, 'go.mod'), 'utf8');
  const version = /^\s*k8s\.io\/kubernetes (v\d+\.\d+\.\d+)/m.exec(text)?.[1];
  if (version === undefined) throw new Error(`${join(clusterModule.folder, 'go.mod')}: no version of k8s.io/kubernetes`);
  return version;
}

/** Folder that holds the builds of all versions. */
export function cacheFolder(): string {
  const root = process.env['KUBECTL_WIN_CACHE'] || process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(root, 'kubectl-win-testcluster');
}

async function linkerFlags(recipe: Recipe): Promise<string> {
  if (!recipe.stamped) return '-s -w';
  const version = await kubernetesVersion();
  const [major, minor] = version.slice(1).split('.');
  // The variables that Kubernetes' own build stamps: hack/lib/version.sh.
  return ['-s -w', ...['client-go/pkg', 'component-base'].map((place) => `-X k8s.io/${place}/version.gitVersion=${version} -X k8s.io/${place}/version.gitMajor=${major} -X k8s.io/${place}/version.gitMinor=${minor}`)].join(' ');
}

async function key(go: GoEnvironment, { folder, sources }: GoModule, own: boolean): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([go.GOVERSION, go.GOOS, go.GOARCH, go.CGO_ENABLED, await linkerFlags(recipes[folder === clusterModule.folder ? 'kube-apiserver' : 'distribution'])]));
  for (const file of ['go.mod', 'go.sum', ...(own ? sources : [])]) hash.update(`\0${file}\0`).update(await readFile(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

interface Places {
  readonly go: GoEnvironment | null;
  /** Where each part is or would be; '' where it can neither be found nor built. */
  readonly paths: Parts;
}

async function places(): Promise<Places> {
  const go = await goEnvironment();
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const paths = Object.fromEntries(await Promise.all(partNames.map(async (part) => {
    // kubebuilder's archives hold kube-apiserver, etcd and kubectl; whoever adds more may.
    const asset = assets === undefined || assets === '' || recipes[part].own || part === 'kwok' ? null : join(assets, part);
    if (asset !== null && existsSync(asset)) return [part, asset];
    return [part, go === null ? '' : join(cacheFolder(), await key(go, moduleOf(part), recipes[part].own), part)];
  }))) as Record<PartName, string>;
  return { go, paths };
}

const isThere = (path: string): boolean => path !== '' && existsSync(path);

/** What could not be run for lack of Go; empty when everything is there or can be built. */
export async function unobtainableParts(wanted: readonly PartName[]): Promise<readonly PartName[]> {
  const { go, paths } = await places();
  return go !== null ? [] : wanted.filter((part) => !isThere(paths[part]));
}

/** File with kwok's own stages for nodes and deleted pods; written next to kwok when that is built. */
export const kwokStagesFile = (parts: Pick<Parts, 'kwok'>): string => `${parts.kwok}-stages.yaml`;

/** Says what happens, one line at a time. */
export type Log = (line: string) => void;

const toTerminal: Log = (line) => { process.stderr.write(`test cluster: ${line}\n`); };

/**
 * Finds the programs, building those that are missing. Two callers at once do not build twice: the second one waits.
 * A build that was interrupted goes on where it was. Throws GoMissingError.
 */
export async function ensureParts<Name extends PartName>(wanted: readonly Name[], log: Log = toTerminal): Promise<Parts<Name>> {
  const { go, paths } = await places();
  const missing = (): readonly Name[] => wanted.filter((part) => !isThere(paths[part]));
  if (missing().length > 0) {
    if (go === null) throw new GoMissingError(missing());
    const release = await lock(join(cacheFolder(), 'build.lock'), () => missing().length === 0, log);
    try {
      await buildAll(missing(), go, paths, log);
    } finally {
      await release();
    }
    await removeOldBuilds(paths);
  }
  await touch(paths);
  return paths;
}

async function buildAll(missing: readonly PartName[], go: GoEnvironment, paths: Parts, log: Log): Promise<void> {
  if (missing.length === 0) return;
  const started = Date.now();
  const many = missing.includes('kube-apiserver') ? '; with an empty Go build cache about 13 minutes on 2 cores, later runs start at once' : '';
  log(`building ${missing.length === 1 ? missing[0] : `${missing.length} programs`} with ${go.GOVERSION} into ${cacheFolder()}${many}`);
  for (const [index, part] of missing.entries()) await buildPart(part, paths[part], (line) => { log(`[${index + 1}/${missing.length}] ${line}`); });
  log(`built in ${elapsed(started)}`);
}

async function buildPart(part: PartName, target: string, log: Log): Promise<void> {
  const started = Date.now();
  const recipe = recipes[part];
  await mkdir(join(target, '..'), { recursive: true });
  const temporary = `${target}.${process.pid}.tmp`;
  // What builds that were killed have left.
  for (const name of await readdir(join(target, '..'))) if (name.startsWith(`${part}.`) && name.endsWith('.tmp')) await rm(join(target, '..', name), { force: true });
  log(recipe.stamped ? `${part} ${await kubernetesVersion()}` : part);
  try {
    // The same flags always, so that Go's own build cache serves the next folder and the next checkout.
    await runGo(['build', '-v', '-buildvcs=false', '-trimpath', '-ldflags', await linkerFlags(recipe), '-o', temporary, recipe.goPackage], part, log);
    if (part === 'kwok') {
      const stages = await kwokStages();
      await writeFile(`${temporary}-stages.yaml`, stages);
      await rename(`${temporary}-stages.yaml`, kwokStagesFile({ kwok: target }));
    }
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
  log(`${part}: done in ${elapsed(started)}`);
}

async function kwokStages(): Promise<string> {
  const { stdout } = await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'], { cwd: clusterModule.folder, env: goVariables() });
  const folder = join(stdout.trim(), 'kustomize/stage');
  const texts = await Promise.all(['node/fast/node-initialize.yaml', 'pod/fast/pod-delete.yaml'].map((file) => readFile(join(folder, file), 'utf8')));
  return texts.join('\n---\n');
}

/** Runs Go at low priority, telling every 20 s how far it is. */
async function runGo(args: readonly string[], part: PartName, log: Log): Promise<void> {
  const started = Date.now();
  const child = spawn('go', args, { cwd: moduleOf(part).folder, env: goVariables(), stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or may not be slowed: neither matters.
  }
  const end = (): void => { child.kill('SIGINT'); };
  process.once('exit', end);
  let compiled = 0;
  let downloaded = 0;
  let rest = '';
  const lastLines: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('go: downloading')) downloaded++;
      else compiled++;
      lastLines.push(line);
      if (lastLines.length > 30) lastLines.shift();
    }
  });
  const ticker = setInterval(() => { log(`${part}: ${elapsed(started)}, ${downloaded} modules downloaded, ${compiled} packages compiled`); }, 20_000);
  try {
    const code = await new Promise<number | null>((resolve, reject) => { child.on('error', reject).on('close', resolve); });
    if (code !== 0) throw new Error(`go ${args.join(' ')} in ${moduleOf(part).folder} ended with ${code}:\n${[...lastLines, rest].join('\n')}`);
  } finally {
    clearInterval(ticker);
    process.removeListener('exit', end);
  }
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

interface LockHolder {
  readonly pid: number;
  readonly id: string;
}

/**
 * Takes the lock file, waiting for its holder. A holder that has died, or has not touched the file for a minute (its
 * number may belong to another process by now), is replaced. Should two replace it in the same moment, both build;
 * that costs time only, because each finished program is put in place by a rename.
 * @param done looked at while waiting; true gives up waiting, and the lock is not taken
 */
export async function lock(file: string, done: () => boolean, log: Log): Promise<() => Promise<void>> {
  await mkdir(join(file, '..'), { recursive: true });
  const mine: LockHolder = { pid: process.pid, id: randomUUID() };
  let told = 0;
  while (!done()) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(JSON.stringify(mine));
      await handle.close();
      const beat = setInterval(() => { utimes(file, new Date(), new Date()).catch(() => undefined); }, 5000);
      beat.unref();
      return async () => {
        clearInterval(beat);
        if ((await readHolder(file))?.id === mine.id) await rm(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readHolder(file);
    if (await isStale(file, holder)) {
      // Moved away first: only one of several waiting processes succeeds in that.
      const aside = `${file}.${mine.id}`;
      await rename(file, aside).catch(() => undefined);
      await rm(aside, { force: true });
      continue;
    }
    if (Date.now() - told > 20_000) {
      log(`waiting for the build of process ${holder?.pid ?? 'unknown'}`);
      told = Date.now();
    }
    await sleep(200);
  }
  return async () => undefined;
}

async function readHolder(file: string): Promise<LockHolder | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as LockHolder;
  } catch {
    return null;
  }
}

async function isStale(file: string, holder: LockHolder | null): Promise<boolean> {
  const touched = await stat(file).then((found) => found.mtimeMs, () => null);
  if (touched === null) return false;
  const silentMilliseconds = Date.now() - touched;
  // Between its creation and its first byte the file has no holder yet.
  if (holder === null) return silentMilliseconds > 5000;
  return silentMilliseconds > 60_000 || !isAlive(holder.pid);
}

/** Whether a process with this number runs; one that has ended and waits for its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    // The state is the first letter after the name in parentheses, which may itself hold parentheses (proc(5)).
    return process.platform !== 'linux' || !/\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const keyFolders = (paths: Parts): ReadonlySet<string> => new Set(Object.values(paths).filter((path) => path.startsWith(cacheFolder())).map((path) => join(path, '..')));

async function touch(paths: Parts): Promise<void> {
  for (const folder of keyFolders(paths)) await utimes(folder, new Date(), new Date()).catch(() => undefined);
}

/** A build takes half a gigabyte, so versions that nobody used for a month go. */
async function removeOldBuilds(paths: Parts): Promise<void> {
  const current = keyFolders(paths);
  for (const entry of await readdir(cacheFolder(), { withFileTypes: true })) {
    const folder = join(cacheFolder(), entry.name);
    if (!entry.isDirectory() || current.has(folder)) continue;
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > 30 * day) await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !partNames.some((part) => part === name));
  if (unknown.length > 0) {
    toTerminal(`unknown part ${unknown.join(', ')}; known are ${partNames.join(', ')}`);
    process.exitCode = 2;
  } else {
    try {
      const wanted = partNames.filter((part) => asked.length === 0 || asked.includes(part));
      const parts = await ensureParts(wanted);
      process.stdout.write(wanted.map((part) => `${parts[part]}\n`).join(''));
    } catch (error) {
      toTerminal(error instanceof Error ? error.message : String(error));
      process.exitCode = 1;
    }
  }
}
