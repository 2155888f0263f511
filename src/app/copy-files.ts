/** `kubectl win hostprocess cp`: files and folders to a node or from it, each checked by its hash, behind what an earlier copy has left. */
import type { CopyPlace } from '../domain/hostprocess/copy/copy-place.ts';
import { planCopy, type CopyPlan, type SourceEntry } from '../domain/hostprocess/copy/copy-plan.ts';
import { COPY_LIST } from '../domain/hostprocess/copy/copy-script.ts';
import { joinNodePath, windowsNameProblem } from '../domain/hostprocess/copy/copy-path.ts';
import { isSuccess, type ExecErrorReason, type ExecOutcome } from '../domain/hostprocess/outcome.ts';
import { InputError } from '../errors.ts';
import { execOnNodes, type ExecCluster, type ExecOptions, type ExecStep } from './exec-on-nodes.ts';
import { CopyLedger, type CopyItem, type CopyTotals } from './hostprocess/copy/copy-ledger.ts';
import { CopyFailure, CopyNode, type OpenSink } from './hostprocess/copy/copy-node.ts';
import { download } from './hostprocess/copy/download.ts';
import { upload } from './hostprocess/copy/upload.ts';
import type { ExecReport } from './hostprocess/exec-report.ts';
import type { LocalTree, SourceDescription } from './ports.ts';

export type CopyOptions = Omit<ExecOptions, 'command' | 'targets' | 'selector' | 'pools' | 'releases' | 'all' | 'parallel' | 'batchSize' | 'batchPauseSeconds' | 'maxFailures' | 'keepSeconds' | 'reuse'> & {
  readonly direction: 'upload' | 'download';
  readonly remote: CopyPlace & { readonly side: 'node' };
  /** As it was typed. */
  readonly localPath: string;
  /** A download goes into the local path by its name, whether that is there or not. */
  readonly isInto: boolean;
  readonly platform: string;
};

export interface CopyCluster extends Omit<ExecCluster, 'streamsOf' | 'work'> {
  readonly local: LocalTree;
  readonly openSink: OpenSink;
  readonly onProgress: (totals: CopyTotals) => void;
}

export interface CopyReport {
  readonly source: SourceDescription;
  readonly serverVersion: string | null;
  readonly run: string | null;
  readonly namespace: string | null;
  readonly phase: ExecReport['phase'];
  readonly direction: 'upload' | 'download';
  /** null where it is not known. */
  readonly node: string | null;
  /** Where it comes from, and where it really goes: paths on a node, and local ones. */
  readonly from: string;
  readonly to: string;
  /** Of the copy as a whole; null where it was not begun. */
  readonly outcome: ExecOutcome | null;
  readonly folders: number;
  readonly items: readonly CopyItem[];
  readonly totals: CopyTotals;
  readonly notes: readonly string[];
}

/** Connections that may be lost before a copy gives up; each goes on where the last one stopped. */
const ATTEMPTS = 4;
const PAUSE_MS = 2_000;

/** Yields what happens on the way to the node; `onReport` gets the report at the end, also of a copy that is interrupted. Throws as execOnNodes does, and InputError for local files. */
export async function* copyFiles(options: CopyOptions, cluster: CopyCluster, onReport: (report: CopyReport) => void): AsyncGenerator<ExecStep, void, undefined> {
  const { direction, remote, localPath, isInto, platform, newNonce, timeoutSeconds, ...run } = options;
  const { local, openSink, onProgress, ...live } = cluster;
  const ledger = new CopyLedger();
  const upwards = direction === 'upload' ? await planUpload(local, options) : null;
  if (upwards !== null) ledger.plan(upwards.plan);
  const place = { remote: remote.path.path, local: localPath };
  const work: ExecCluster['work'] = async (session, _node, { signal, note }) => {
    const begunAt = cluster.clock.now().getTime();
    const node = new CopyNode(session, { openSink, newNonce, clock: cluster.clock, timeoutSeconds, signal, note });
    const tell = (): void => onProgress(ledger.totals);
    const copy = (): Promise<void> => (upwards === null
      ? download(node, { source: remote.path, local, isInto, platform, onProgress: tell, onRoot: (name) => void (place.local = name === null ? localPath : joinLocal(localPath, name, platform)) }, ledger)
      : upload(node, { ...upwards, local, destination: remote.path, onProgress: tell, onRoot: (path) => void (place.remote = path) }, ledger));
    try {
      await again(copy, cluster.clock, signal, note);
    } catch (error) {
      if (!(error instanceof CopyFailure)) throw error;
      return { ...error.outcome, durationSeconds: (cluster.clock.now().getTime() - begunAt) / 1000 };
    }
    return { exitCode: ledger.problem === null ? 0 : 1, error: null, pid: null, durationSeconds: (cluster.clock.now().getTime() - begunAt) / 1000 };
  };
  const steps = execOnNodes({
    ...run, newNonce, timeoutSeconds, targets: [remote.target], pools: [], releases: [], all: false, parallel: 1, batchSize: null, batchPauseSeconds: 0, maxFailures: null,
    command: { shell: 'powershell', words: [], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop', named: { ...COPY_LIST, arguments: {} } },
  }, { ...live, work, streamsOf: () => {
    throw new Error('a copy has streams of its own');
  } }, ({ items, ...report }) => {
    const [item] = items;
    const { node = null, outcome = null } = item ?? {};
    const phase = report.phase === 'succeeded' && (outcome === null || !isSuccess(outcome)) ? 'failed' : report.phase;
    const [from, to] = direction === 'upload' ? [localPath, place.remote] : [place.remote, place.local];
    onReport({ ...report, phase, direction, node, from, to, outcome, folders: ledger.folders, items: ledger.items, totals: ledger.totals });
  });
  yield* steps;
}

/** What is there to be sent, before anybody is asked for anything. */
async function planUpload(local: LocalTree, { localPath, platform, remote, signal }: CopyOptions): Promise<{ readonly kind: 'file' | 'folder'; readonly plan: CopyPlan }> {
  const entries: SourceEntry[] = [];
  for await (const entry of local.walk(signal)) entries.push(entry);
  const [root] = entries;
  if (root === undefined || (root.kind !== 'file' && root.kind !== 'folder')) throw new InputError({ file: localPath }, root?.message ?? 'is no file and no folder');
  const problem = remote.path.isFolder && local.name !== '' ? windowsNameProblem(local.name) : null;
  if (problem !== null) throw new InputError({ file: localPath }, `cannot go into ${remote.path.path} by its name: ${problem}`);
  const plan = planCopy(entries, { to: 'node', platform });
  const [left] = plan.left;
  if (plan.files.length + plan.folders.length === 0) throw new InputError({ file: localPath }, `cannot be copied to a node: ${left?.message ?? 'nothing is there'}`);
  return { kind: root.kind, plan };
}

/** NodeLost: its kubelet was not reached when files had begun to be read for it, so that the command itself was not tried again. */
const OF_THE_WAY: ReadonlySet<ExecErrorReason> = new Set(['ConnectionLost', 'EndNotSeen', 'NodeLost']);

/** A connection that is lost is begun anew, in the same pod. */
async function again(copy: () => Promise<void>, clock: CopyCluster['clock'], signal: AbortSignal, note: (message: string) => void): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await copy();
      return;
    } catch (error) {
      const reason = error instanceof CopyFailure ? error.outcome.error?.reason : undefined;
      if (attempt === ATTEMPTS || reason === undefined || !OF_THE_WAY.has(reason)) throw error;
      note('the connection was lost: the copy goes on where it stopped');
      await clock.sleep(PAUSE_MS * attempt, signal);
    }
  }
}

function joinLocal(folder: string, name: string, platform: string): string {
  return platform === 'win32' ? joinNodePath(folder.replace(/\/$/, ''), name) : `${folder.replace(/\/$/, '')}/${name}`;
}
