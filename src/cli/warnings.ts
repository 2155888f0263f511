import type { CommandContext, OutputStream } from './context.ts';

/**
 * kubectl's rule for colour on one stream: https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/printers/terminal.go, read 2026-11-30.
 * NO_COLOR counts when it is set at all; Windows' old console shows escape sequences as text.
 */
export function allowsColor(stream: OutputStream, env: Readonly<Record<string, string | undefined>>, platform: string = process.platform): boolean {
  if (stream.isTTY !== true || env['TERM'] === 'dumb' || env['NO_COLOR'] !== undefined) return false;
  return platform !== 'win32' || env['WT_SESSION'] !== undefined;
}

/** Makes text from elsewhere harmless on a terminal, as kubectl does. */
export function neutralise(text: string): string {
  // eslint-disable-next-line no-control-regex -- the controls are what is looked for
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (char) => (char === '\u001b' ? '^[' : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`));
}

/** Writes each different warning of the API server once; tells whether it was new. */
export function warningWriter(context: CommandContext): (text: string) => boolean {
  const seen = new Set<string>();
  const label = allowsColor(context.stderr, context.env) ? '\u001b[33;1mWarning:\u001b[0m' : 'Warning:';
  return (text) => {
    if (seen.has(text)) return false;
    seen.add(text);
    context.stderr.write(`${label} ${neutralise(text)}\n`);
    return true;
  };
}
