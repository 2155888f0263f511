/** A copy from a node to here. */
import { readListing } from '../../../domain/hostprocess/copy/copy-listing.ts';
import type { NodePath } from '../../../domain/hostprocess/copy/copy-path.ts';
import { planCopy, type CopyPlan, type PlannedFile, type SourceEntry } from '../../../domain/hostprocess/copy/copy-plan.ts';
import { COPY_LIST, COPY_SEND } from '../../../domain/hostprocess/copy/copy-script.ts';
import { CopyStreamReader, linesFrame, mostOnTheWay, RECEIPT_BYTES, receiptFrame, type CopyFrame } from '../../../domain/hostprocess/copy/copy-stream.ts';
import { InputError } from '../../../errors.ts';
import type { CopyTarget, LocalTree } from '../../ports.ts';
import type { CopyLedger } from './copy-ledger.ts';
import { CopyFailure, fromNode, type CopyNode } from './copy-node.ts';
import { onNode, partsOf, refused } from './upload.ts';

export interface Download {
  readonly source: NodePath;
  readonly local: LocalTree;
  /** What is copied goes into it by its name, whether it is there or not. */
  readonly isInto: boolean;
  readonly platform: string;
  readonly onProgress: () => void;
  /** `name`: of what is in the folder that was given; null for that itself. */
  readonly onRoot: (name: string | null) => void;
}

/** Throws CopyFailure for what ends all of it; what becomes of a file is in the ledger. Once more with the same ledger goes on. */
export async function download(node: CopyNode, { source, local, isInto, platform, onProgress, onRoot }: Download, ledger: CopyLedger): Promise<void> {
  const text = await node.text(COPY_LIST, { path: source.path, into: null, walk: true, compare: false }, new Uint8Array(0));
  const { root, entries } = fromNode(() => readListing(text));
  if (root.kind === 'missing') throw notFound(`${source.path} is not on the node`);
  if (root.kind === 'link') throw refused(`${source.path} is a link on the node, which is not followed: name what it leads to`);
  if (root.kind === 'file' && source.isFolder) throw refused(`${source.path} is a file on the node, and was named as a folder`);
  const name = await nameInside(local, { kind: root.kind, isInto, name: source.name });
  const tree = name === null ? local : local.into(name);
  onRoot(name);
  try {
    const plan = planCopy(entries, { to: 'local', platform });
    ledger.plan(plan);
    onProgress();
    await makeFolders(tree, plan, node);
    await receive(node, source.path, tree, plan, ledger, onProgress);
  } finally {
    if (tree !== local) await tree.close();
  }
}

/** What is known by its name already goes into `local`, without a folder being listed. */
export async function downloadEntries(node: CopyNode, { root, entries, local, platform, onProgress }: Pick<Download, 'local' | 'platform' | 'onProgress'> & { readonly root: string; readonly entries: readonly SourceEntry[] }, ledger: CopyLedger): Promise<void> {
  const plan = planCopy(entries, { to: 'local', platform });
  ledger.plan(plan);
  await makeFolders(local, plan, node);
  await receive(node, root, local, plan, ledger, onProgress);
}

/** Under which name it goes into the folder that was given; null: that is its own name. */
async function nameInside(local: LocalTree, { kind, isInto, name }: { readonly kind: 'file' | 'folder'; readonly isInto: boolean; readonly name: string }): Promise<string | null> {
  const there = await local.kind();
  if (there === 'other') throw refused('the destination is no file and no folder');
  if (kind === 'folder' && there === 'file') throw refused('the destination is a file, and a folder is to be copied');
  // the root of a drive has no name
  return name !== '' && (isInto || (kind === 'file' && there === 'folder')) ? name : null;
}

async function makeFolders(tree: LocalTree, { folders }: CopyPlan, node: CopyNode): Promise<void> {
  for (const path of folders) {
    try {
      await tree.makeFolder(partsOf(path));
    } catch (error) {
      // its files say so, too
      if (!(error instanceof InputError) || path === '') throw error;
      node.note(error.message);
    }
  }
}

interface Wanted {
  readonly file: PlannedFile;
  /** What is there: all of it, or its beginning. */
  readonly have: { readonly sizeBytes: number; readonly sha256: string; readonly isWhole: boolean } | null;
}

async function receive(node: CopyNode, root: string, tree: LocalTree, plan: CopyPlan, ledger: CopyLedger, onProgress: () => void): Promise<void> {
  const wanted: Wanted[] = [];
  for (const file of ledger.open(plan.files)) {
    try {
      const { obstacle, whole, part } = await tree.arrived(partsOf(file.path), file.sizeBytes);
      if (obstacle === null) wanted.push({ file, have: whole === null ? part === null ? null : { ...part, isWhole: false } : { sizeBytes: file.sizeBytes, sha256: whole, isWhole: true } });
      else ledger.fail(file.path, `a ${obstacle} has its name here`);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      ledger.fail(file.path, error.message);
    }
  }
  if (wanted.length === 0) return;
  const arrival = new Arrival(wanted, tree, ledger, onProgress);
  const receipts = new Receipts();
  const frames = new CopyStreamReader();
  const lines = wanted.map(({ file: { path }, have }) => `${have?.sizeBytes ?? 0}\t${have?.sha256 ?? '-'}\t${onNode(path)}`);
  try {
    await node.run(COPY_SEND, { root }, receipts.behind(linesFrame(lines)), async (bytes) => {
      for (const frame of fromNode(() => frames.push(bytes))) {
        await arrival.take(frame);
        // a file that has grown makes it wait for more
        if (frame.frame === 'data' || frame.frame === 'begin') receipts.took(frame.frame === 'data' ? frame.bytes.length : 0, () => arrival.missingBytes);
      }
    });
  } finally {
    receipts.end();
    await arrival.stop();
  }
  if (!arrival.isComplete) throw disorder('fewer files than it was asked for');
}

function listedBytes(wanted: Wanted | undefined): number {
  return wanted === undefined ? 0 : wanted.file.sizeBytes - (wanted.have?.sizeBytes ?? 0);
}

/** Files as they come, in the order in which they were asked for. */
class Arrival {
  readonly #wanted: readonly Wanted[];
  readonly #tree: LocalTree;
  readonly #ledger: CopyLedger;
  readonly #onProgress: () => void;
  #index = 0;
  /** As listed, of this file and those behind it. */
  #ahead: number;
  #target: CopyTarget | null = null;
  #begun: { readonly from: number; readonly size: number } | null = null;
  /** Why this file is not kept, although its bytes come. */
  #problem: string | null = null;
  /** Bytes of this file. */
  #came = 0;
  #isStopped = false;

  constructor(wanted: readonly Wanted[], tree: LocalTree, ledger: CopyLedger, onProgress: () => void) {
    this.#wanted = wanted;
    this.#ahead = wanted.reduce((sum, one) => sum + listedBytes(one), 0);
    this.#tree = tree;
    this.#ledger = ledger;
    this.#onProgress = onProgress;
  }

  /** Bytes that have not come: of this file as the node has said, of the others as they were listed. */
  get missingBytes(): number {
    if (this.#begun === null) return this.#ahead;
    return this.#ahead - listedBytes(this.#wanted[this.#index]) + this.#begun.size - this.#begun.from - this.#came;
  }

  get isComplete(): boolean {
    return this.#index === this.#wanted.length;
  }

  async take(frame: CopyFrame): Promise<void> {
    const wanted = this.#wanted[this.#index];
    const mayCome = this.#begun === null ? ['begin', 'failed'] : ['data', 'end', 'failed'];
    if (wanted === undefined || !mayCome.includes(frame.frame)) throw disorder(`what was not asked for (${frame.frame})`);
    const { file: { path, modifiedMs }, have } = wanted;
    switch (frame.frame) {
      case 'begin': {
        this.#begun = frame;
        this.#came = 0;
        if (frame.from !== 0 && frame.from !== have?.sizeBytes) throw disorder('a file from where nobody has stopped');
        this.#ledger.begin(path, frame.from);
        if (this.#isUnchanged(wanted)) return;
        // what is there as a whole is no part that could go on
        if (have?.isWhole === true && frame.from > 0) this.#problem = 'it has become longer meanwhile: the next copy takes all of it';
        else await this.#locally(async () => {
          const target = await this.#tree.target(partsOf(path), frame.from);
          // while it was opened all may have been stopped
          if (this.#isStopped) await target.leave();
          else this.#target = target;
        });
        return;
      }
      case 'data':
        this.#came += frame.bytes.length;
        if (this.#begun !== null && this.#came > this.#begun.size - this.#begun.from) throw disorder('more than it has said');
        this.#ledger.sent(path, frame.bytes.length);
        this.#onProgress();
        // a disk that is full has no room for the next file either
        if (this.#problem === null) await this.#target?.write(frame.bytes);
        return;
      case 'end':
        if (this.#isUnchanged(wanted) && frame.sha256 !== have?.sha256) this.#problem = 'the node says that it is the same, and gives another SHA-256';
        else if (this.#isUnchanged(wanted)) this.#ledger.done(path, 'unchanged', { sha256: frame.sha256, sizeBytes: this.#begun?.size ?? 0 });
        else {
          const [target, begun] = [this.#target, this.#begun];
          if (this.#problem === null) await this.#locally(() => target?.commit(frame.sha256, modifiedMs) ?? Promise.resolve());
          if (this.#problem === null) this.#ledger.done(path, (begun?.from ?? 0) > 0 ? 'resumed' : 'copied', { sha256: frame.sha256, sizeBytes: begun?.size ?? 0 });
        }
        await this.#next(path, this.#problem);
        return;
      case 'failed':
        await this.#next(path, frame.message);
    }
  }

  #isUnchanged({ have }: Wanted): boolean {
    return have?.isWhole === true && this.#begun?.from === have.sizeBytes && this.#begun.size === have.sizeBytes;
  }

  async #locally(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#problem = error.message;
    }
  }

  async #next(path: string, problem: string | null): Promise<void> {
    if (problem !== null) this.#ledger.fail(path, problem);
    await this.#target?.leave();
    this.#target = null;
    this.#begun = null;
    this.#problem = null;
    this.#ahead -= listedBytes(this.#wanted[this.#index]);
    this.#index += 1;
    this.#onProgress();
  }

  /** What has come of a file stays for another time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#target?.leave();
  }
}

/**
 * What the node is told of the bytes that were taken, as long as it waits for that: it may have gone when the last of them are taken, and what is
 * sent then breaks the connection, on which they still come.
 */
class Receipts {
  #received = 0;
  #taken = 0;
  #isOver = false;
  #wake: (() => void) | null = null;
  #isAwaited: () => boolean = () => true;

  /** `missingBytes`: that are still to come of all files, as far as that is known. */
  took(bytes: number, missingBytes: () => number): void {
    this.#received += bytes;
    this.#taken += bytes;
    this.#isAwaited = () => missingBytes() + this.#taken > mostOnTheWay(this.#received + missingBytes());
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async* behind(first: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    yield first;
    while (!this.#isOver) {
      if (this.#taken >= RECEIPT_BYTES && this.#isAwaited()) {
        const bytes = this.#taken;
        this.#taken = 0;
        yield receiptFrame(bytes);
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

function disorder(what: string): CopyFailure {
  return new CopyFailure({ exitCode: null, error: { reason: 'Unknown', message: `the node has sent ${what}` }, pid: null, durationSeconds: 0 });
}

function notFound(message: string): CopyFailure {
  return new CopyFailure({ exitCode: null, error: { reason: 'NotFound', message }, pid: null, durationSeconds: 0 });
}
