import { allowsColour } from '../output/colour.ts';
import { visibleControls } from '../output/terminal-text.ts';
import type { CommandContext, OutputStream } from './context.ts';

/** kubectl's rule for colour on one of the context's streams. */
export function isColourAllowed(stream: OutputStream, context: Pick<CommandContext, 'env' | 'platform'>): boolean {
  return allowsColour({ isTTY: stream.isTTY === true, env: context.env, platform: context.platform });
}

/**
 * Writes each different warning of the API server once, as kubectl does; tells whether it was new.
 * https://github.com/kubernetes/client-go/blob/v0.37.2/rest/warnings.go, read 2026-11-30
 */
export function warningWriter(context: Pick<CommandContext, 'env' | 'platform' | 'stderr'>): (text: string) => boolean {
  const seen = new Set<string>();
  const label = isColourAllowed(context.stderr, context) ? '\u001b[33;1mWarning:\u001b[0m' : 'Warning:';
  return (text) => {
    if (seen.has(text)) return false;
    seen.add(text);
    context.stderr.write(`${label} ${visibleControls(text)}\n`);
    return true;
  };
}
