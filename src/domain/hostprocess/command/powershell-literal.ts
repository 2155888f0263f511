/** String literals of PowerShell. */

/**
 * PowerShell reads four typographic quotes as if they were the apostrophe: any of the five ends a literal, two in a row, of
 * whichever kind, stand for the second of them. Each is doubled by itself therefore. Line breaks, `$` and backticks mean nothing
 * inside. IsSingleQuote and ScanStringLiteral of
 * https://github.com/PowerShell/PowerShell/blob/929903692e550140efb5042ed05d65bfd21ccb5f/src/System.Management.Automation/engine/parser/CharTraits.cs
 * and tokenizer.cs beside it, read 2026-11-30; https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules.
 */
const SINGLE_QUOTES = /['\u2018\u2019\u201a\u201b]/g;

export function literal(text: string): string {
  return `'${text.replaceAll(SINGLE_QUOTES, '$&$&')}'`;
}
