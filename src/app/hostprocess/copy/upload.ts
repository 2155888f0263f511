/** A copy from here to a node. */
import { readListing, readResult, type NodeListing } from '../../../domain/hostprocess/copy/copy-listing.ts';
import { joinNodePath, windowsNameProblem, type NodePath } from '../../../domain/hostprocess/copy/copy-path.ts';
import { whereToBegin, type CopyPlan, type PlannedFile } from '../../../domain/hostprocess/copy/copy-plan.ts';
import { COPY_LIST, COPY_RECEIVE } from '../../../domain/hostprocess/copy/copy-script.ts';
import { dataFrame, endFrame, failedFrame, linesFrame, mostOnTheWay } from '../../../domain/hostprocess/copy/copy-stream.ts';
import { InputError } from '../../../errors.ts';
import type { CopySource, LocalTree } from '../../ports.ts';
import type { CopyLedger } from './copy-ledger.ts';
import { CopyFailure, fromNode, LineReader, type CopyNode } from './copy-node.ts';

export interface Upload {
  readonly local: LocalTree;
  readonly kind: 'file' | 'folder';
  readonly plan: CopyPlan;
  readonly destination: NodePath;
  /** What has changed in the ledger is to be shown. */
  readonly onProgress: () => void;
  /** Where it really goes. */
  readonly onRoot: (path: string) => void;
}

/** Throws CopyFailure for what ends all of it; what becomes of a file is in the ledger. Once more with the same ledger goes on. */
export async function upload(node: CopyNode, { local, kind, plan, destination, onProgress, onRoot }: Upload, ledger: CopyLedger): Promise<void> {
  const files = ledger.open(plan.files);
  const isInto = destination.isFolder && local.name !== '';
  const text = await node.text(COPY_LIST, {
    path: isInto ? joinNodePath(destination.path, local.name) : destination.path, into: !isInto && kind === 'file' && windowsNameProblem(local.name) === null ? local.name : null, walk: false, compare: true,
  }, linesFrame(files.map(({ sizeBytes, path }) => `${sizeBytes}\t${onNode(path)}`)));
  const listing = fromNode(() => readListing(text));
  const { root } = listing;
  onRoot(root.path);
  if (root.kind === 'link') throw refused(`${root.path} is a link on the node, which is not followed: name what it leads to`);
  if (kind === 'folder' && root.kind === 'file') throw refused(`${root.path} is a file on the node, and a folder is to be copied`);
  if (kind === 'file' && root.kind === 'folder') throw refused(`${root.path} is a folder on the node`);
  const toSend = await begun(files, listing, local, ledger);
  onProgress();
  // folders that were made before are there
  const lines = [...plan.folders.map((path) => `d\t${onNode(path)}`), ...toSend.map(({ file: { path, modifiedMs }, from }) => `f\t${from}\t${modifiedMs}\t${onNode(path)}`)];
  if (lines.length === 0) return;
  const hashes = new Map<string, { readonly sha256: string; readonly sizeBytes: number }>();
  const results = new LineReader();
  const way = new Way();
  const sending = node.run(COPY_RECEIVE, { root: root.path }, stream(lines, toSend, local, ledger, hashes, way, onProgress), (bytes) => {
    for (const line of results.push(bytes)) {
      const result = fromNode(() => readResult(line));
      if ('receipt' in result) {
        way.arrived(result.receipt);
        continue;
      }
      const { index, problem } = result;
      const folder = plan.folders[index];
      const sent = toSend[index - plan.folders.length];
      if (folder !== undefined && problem !== null) node.note(`${folder === '' ? root.path : folder} cannot be made: ${problem}`);
      if (sent === undefined) continue;
      const { path } = sent.file;
      const hash = hashes.get(path);
      if (problem !== null || hash === undefined) ledger.fail(path, problem ?? 'it did not arrive');
      else ledger.done(path, sent.from > 0 ? 'resumed' : 'copied', hash);
      onProgress();
    }
  });
  try {
    await sending;
  } finally {
    await way.end();
  }
  for (const { file: { path } } of toSend) if (ledger.open([{ path, sizeBytes: 0, modifiedMs: 0 }]).length > 0) ledger.fail(path, 'the node does not say that it arrived');
}

interface Begun {
  readonly file: PlannedFile;
  readonly from: number;
}

/** What is on the way: no more bytes than may be lost, of one file that is open. */
class Way {
  #sent = 0;
  #arrived = 0;
  #wake: (() => void) | null = null;

  #isOver = false;
  #source: CopySource | null = null;

  /** Waits until there is room for more; false when there is no way any more. */
  async take(bytes: number): Promise<boolean> {
    while (!this.#isOver && this.#sent + bytes - this.#arrived > mostOnTheWay(this.#sent + bytes)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#sent += bytes;
    return !this.#isOver;
  }

  async open(open: () => Promise<CopySource>): Promise<CopySource> {
    this.#source = await open();
    return this.#source;
  }

  async close(): Promise<void> {
    await this.#source?.close();
    this.#source = null;
  }

  /** Whoever reads what is sent may have stopped in the middle of a file. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#wake?.();
    await this.close();
  }

  arrived(bytes: number): void {
    this.#arrived += bytes;
    this.#wake?.();
  }
}

/** Which files are sent, and from where on. */
async function begun(files: readonly PlannedFile[], { arrived }: NodeListing, local: LocalTree, ledger: CopyLedger): Promise<readonly Begun[]> {
  const toSend: Begun[] = [];
  for (const file of files) {
    const there = arrived.get(file.path);
    if (there === undefined) throw refused(`the node does not say what it has of ${file.path}`);
    if (there.obstacle !== null) {
      ledger.fail(file.path, `a ${there.obstacle} has its name on the node`);
      continue;
    }
    try {
      const from = there.whole === null && there.part === null ? 0 : await withSource(local, file.path, (source) => whereToBegin(file, there, (length) => source.prefix(length)));
      if (from === 'same') ledger.done(file.path, 'unchanged', { sha256: there.whole ?? '', sizeBytes: file.sizeBytes });
      else {
        ledger.begin(file.path, from);
        toSend.push({ file, from });
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      ledger.fail(file.path, error.message);
    }
  }
  return toSend;
}

async function* stream(lines: readonly string[], toSend: readonly Begun[], local: LocalTree, ledger: CopyLedger, hashes: Map<string, { readonly sha256: string; readonly sizeBytes: number }>, way: Way, onProgress: () => void): AsyncGenerator<Uint8Array, void, undefined> {
  yield linesFrame(lines);
  for (const { file: { path }, from } of toSend) {
    try {
      const source = await way.open(() => local.source(partsOf(path)));
      for await (const bytes of source.read(from)) {
        if (!await way.take(bytes.length)) return;
        yield dataFrame(bytes);
        ledger.sent(path, bytes.length);
        onProgress();
      }
      hashes.set(path, { sha256: source.sha256(), sizeBytes: source.sizeBytes });
      yield endFrame(source.sha256());
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      yield failedFrame(error.message);
    } finally {
      await way.close();
    }
  }
}

async function withSource<Value>(local: LocalTree, path: string, use: (source: CopySource) => Promise<Value>): Promise<Value> {
  const source = await local.source(partsOf(path));
  try {
    return await use(source);
  } finally {
    await source.close();
  }
}

export function partsOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('/');
}

export function onNode(path: string): string {
  return path.replaceAll('/', '\\');
}

/** What ends a copy before anything is changed. */
export function refused(message: string): CopyFailure {
  return new CopyFailure({ exitCode: null, error: { reason: 'Refused', message }, pid: null, durationSeconds: 0 });
}
