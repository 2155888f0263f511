import type { CopyTotals } from '../../app/hostprocess/copy/copy-ledger.ts';
import { counted } from '../counted.ts';
import { fileSizeText } from '../size-text.ts';
import { cutText } from './cut-text.ts';

/** How far a copy is, for the one line that a terminal shows of it. */
export class CopyStatusLine {
  #totals: CopyTotals | null = null;
  /** Where the rate is measured from: what was there before does not count. */
  #since: { readonly at: number; readonly sentBytes: number } | null = null;

  take(totals: CopyTotals, now: Date): void {
    this.#totals = totals;
    if (this.#since === null && totals.sentBytes > 0) this.#since = { at: now.getTime(), sentBytes: totals.sentBytes };
  }

  /** null before anything is known. */
  text(now: Date, width: number): string | null {
    if (this.#totals === null) return null;
    const { files, doneFiles, doneBytes, sizeBytes, sentBytes } = this.#totals;
    const seconds = this.#since === null ? 0 : (now.getTime() - this.#since.at) / 1000;
    const rate = seconds < 1 || this.#since === null ? [] : [`${fileSizeText((sentBytes - this.#since.sentBytes) / seconds)}/s`];
    return cutText([`${fileSizeText(doneBytes)} of ${fileSizeText(sizeBytes)}`, `${doneFiles} of ${counted(files, 'file')}`, ...rate].join('; '), width);
  }
}
