/** Command lines of Windows: a program gets one text and takes it apart by itself. */

/** What stays as it is. Everything else is quoted, which no program minds that splits by the rules of the C runtime, and keeps others from expanding wildcards. */
const PLAIN = /^[^\s\p{Cc}"*?'[\]{}~^&|<>()%!`,;@#$]+$/u;

/**
 * One argument for CommandLineToArgvW and the C runtimes: backslashes mean themselves but before a quotation mark, where each
 * is doubled and the mark gets one more. The form `""` for a mark within quotes is not used, which runtimes read differently.
 * https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments,
 * https://learn.microsoft.com/windows/win32/api/shellapi/nf-shellapi-commandlinetoargvw, read 2026-11-30.
 */
export function quoteArgument(text: string): string {
  if (PLAIN.test(text)) return text;
  return `"${text.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`;
}

const PROPERTY = /^[A-Za-z_][A-Za-z0-9_.]*=/;

/**
 * As quoteArgument, with the marks around the value alone of `NAME=value`: the same to all that splits by those rules, and the one form that
 * msiexec and its like take (https://github.com/PowerShell/PowerShell/issues/15143, read 2026-11-30).
 */
export function programArgument(text: string): string {
  const [name = ''] = PROPERTY.exec(text) ?? [];
  return name !== '' && name === text ? text : `${name}${quoteArgument(text.slice(name.length))}`;
}

/**
 * As the shim quotes each element of argv: with blanks and tabs in it alone.
 * https://pkg.go.dev/golang.org/x/sys/windows#EscapeArg, which
 * https://github.com/microsoft/hcsshim/blob/7c9ff7f481383ff47524bade75d1b25d631b49ce/internal/cmd/cmd.go#L102 calls, read 2026-11-30.
 */
export function shimArgument(text: string): string {
  if (text === '') return '""';
  const escaped = text.replaceAll(/(\\*)"/g, '$1$1\\"');
  return /[ \t]/.test(text) ? `"${escaped.replace(/\\+$/, '$&$&')}"` : escaped;
}

const PLAIN_FOR_BATCH = /^[A-Za-z0-9_.:/\\+-]+$/;

/**
 * One argument for a batch file, so that `%~1` in it is the text again; null where there is none. Between quotation marks cmd
 * leaves all alone but marks themselves, which it cannot escape, percent signs and line breaks. A backslash before the
 * closing mark would be one thing to the batch file and another to a program that it hands `%1` to.
 *
 * Programs do not see that they start cmd: CreateProcess runs batch files by it, and quotes as for any other
 * (https://blog.rust-lang.org/2024/04/09/cve-2024-24576/, https://kb.cert.org/vuls/id/123335). Read 2026-11-30.
 */
export function batchArgument(text: string): string | null {
  if (PLAIN_FOR_BATCH.test(text)) return text;
  return /["%\r\n]|\\$/.test(text) ? null : `"${text}"`;
}

/** The arguments of a command, for the case that it turns out to be a batch file. */
export function batchTail(words: readonly string[]): string | null {
  const parts = words.slice(1).map(batchArgument);
  return parts.includes(null) ? null : parts.join(' ');
}

/** Why a text cannot be sent to a process on Windows at all; null where it can. */
export function inexpressible(text: string): string | null {
  if (text.includes('\0')) return 'holds a NUL character, at which command lines and PowerShell end a text';
  // what is no UTF-8 was read as U+FFFD, and would arrive as that
  if (text.includes('\u{fffd}')) return 'holds bytes that are no UTF-8, or U+FFFD, which stands for such';
  return text.isWellFormed() ? null : 'holds half a surrogate pair, which UTF-8 cannot express';
}
