/** What becomes of each file of a copy. */
import type { CopyPlan, PlannedFile } from '../../../domain/hostprocess/copy/copy-plan.ts';

/** resumed: behind what an earlier copy had left. pending: not reached. skipped, refused: not meant to be copied, as a plan says. */
export type CopyResult = 'copied' | 'resumed' | 'unchanged' | 'skipped' | 'refused' | 'failed' | 'pending';

export interface CopyItem {
  /** Below the root, `/` separates; '' for a single file. */
  readonly path: string;
  readonly sizeBytes: number | null;
  /** That went over the wire, in all attempts of this run. */
  readonly sentBytes: number;
  readonly result: CopyResult;
  /** Of the whole, where both sides have it. */
  readonly sha256: string | null;
  /** A clause. */
  readonly message: string | null;
}

export interface CopyTotals {
  readonly files: number;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  /** Bytes that are where they belong, or on the way. */
  readonly doneBytes: number;
  readonly doneFiles: number;
}

export class CopyLedger {
  readonly #items = new Map<string, CopyItem>();
  /** Bytes of files that are under way, those that were there before included. */
  readonly #moved = new Map<string, number>();
  folders = 0;

  plan({ files, folders, left }: CopyPlan): void {
    this.folders = folders.length;
    for (const { path, result, message } of left) this.#items.set(`${path}\0`, { path, sizeBytes: null, sentBytes: 0, result, sha256: null, message });
    for (const { path, sizeBytes } of files) {
      const known = this.#items.get(path);
      if (known === undefined || known.result === 'pending') this.#items.set(path, { path, sizeBytes, sentBytes: known?.sentBytes ?? 0, result: 'pending', sha256: null, message: null });
    }
  }

  /** Those that are neither done nor given up. */
  open(files: readonly PlannedFile[]): readonly PlannedFile[] {
    return files.filter(({ path }) => this.#items.get(path)?.result === 'pending');
  }

  begin(path: string, from: number): void {
    this.#moved.set(path, from);
  }

  sent(path: string, bytes: number): void {
    this.#change(path, (item) => ({ sentBytes: item.sentBytes + bytes }));
    this.#moved.set(path, (this.#moved.get(path) ?? 0) + bytes);
  }

  done(path: string, result: 'copied' | 'resumed' | 'unchanged', { sha256, sizeBytes }: { readonly sha256: string; readonly sizeBytes: number }): void {
    this.#change(path, () => ({ result, sha256, sizeBytes }));
  }

  fail(path: string, message: string): void {
    this.#change(path, () => ({ result: 'failed', message }));
  }

  #change(path: string, change: (item: CopyItem) => Partial<CopyItem>): void {
    const item = this.#items.get(path);
    if (item === undefined) throw new Error(`nothing is planned for ${path}`);
    this.#items.set(path, { ...item, ...change(item) });
  }

  get items(): readonly CopyItem[] {
    return [...this.#items.values()].toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  }

  get totals(): CopyTotals {
    let [files, sizeBytes, sentBytes, doneBytes, doneFiles] = [0, 0, 0, 0, 0];
    for (const [key, item] of this.#items) {
      if (key.endsWith('\0')) continue;
      files += 1;
      sizeBytes += item.sizeBytes ?? 0;
      sentBytes += item.sentBytes;
      const isDone = isThere(item.result);
      if (isDone) doneFiles += 1;
      doneBytes += isDone ? item.sizeBytes ?? 0 : item.result === 'pending' ? this.#moved.get(item.path) ?? 0 : 0;
    }
    return { files, sizeBytes, sentBytes, doneBytes, doneFiles };
  }

  /** What a plan leaves is said, and no failure; what is refused is one. */
  get problem(): string | null {
    const counts = Map.groupBy(this.items, ({ result }) => result);
    const failed = (counts.get('failed') ?? []).length + (counts.get('pending') ?? []).length;
    const refused = (counts.get('refused') ?? []).length;
    if (failed + refused === 0) return null;
    return [...(failed === 0 ? [] : [`${filesText(failed)} not copied`]), ...(refused === 0 ? [] : [`${filesText(refused)} refused`])].join(', ');
  }
}

export function isThere(result: CopyResult): boolean {
  return result === 'copied' || result === 'resumed' || result === 'unchanged';
}

function filesText(count: number): string {
  return `${count} file${count === 1 ? '' : 's'}`;
}
