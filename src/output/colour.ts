import type { CellTone } from './view.ts';

/** What decides about colour, given rather than looked up so that each stream is judged for itself. */
export interface ColourFacts {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.platform`. */
  readonly platform: string;
}

/**
 * kubectl's rule for one stream: a terminal, TERM not `dumb`, NO_COLOR not set at all (even to nothing), and on Windows
 * a terminal that sets WT_SESSION.
 * https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/printers/terminal.go (AllowsColorOutput), read 2026-11-30
 */
export function allowsColour({ isTTY, env, platform }: ColourFacts): boolean {
  if (!isTTY || env['TERM'] === 'dumb' || env['NO_COLOR'] !== undefined) return false;
  return platform !== 'win32' || (env['WT_SESSION'] ?? '') !== '';
}

const SGR: Readonly<Record<Exclude<CellTone, 'plain'>, string>> = { good: '32', warning: '33', bad: '31', muted: '2' };

/** The text in the colour of its tone; the 16 colours of the terminal's own palette only. */
export function paint(text: string, tone: CellTone): string {
  return tone === 'plain' ? text : `\u001b[${SGR[tone]}m${text}\u001b[0m`;
}
