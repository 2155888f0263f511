/**
 * PowerShell as far as its own command line, literals and the fixed scripts go, written from its sources (character classes
 * and ScanStringLiteral of
 * https://github.com/PowerShell/PowerShell/blob/929903692e550140efb5042ed05d65bfd21ccb5f/src/System.Management.Automation/engine/parser/tokenizer.cs,
 * read 2026-11-30). PowerShell itself does not run here.
 */

/** What PowerShell takes for an apostrophe: ' and the single quotation marks of typography. */
const SINGLE_QUOTES = new Set([0x27, 0x2018, 0x2019, 0x201a, 0x201b].map((code) => String.fromCharCode(code)));

/** A literal that begins at `at`, with its value and where it ends. */
export function readLiteral(source: string, at: number): { readonly value: string; readonly end: number } {
  if (!SINGLE_QUOTES.has(source[at] ?? '')) throw new Error(`no literal at ${source.slice(at, at + 20)}`);
  let value = '';
  for (let index = at + 1; index < source.length; index += 1) {
    const character = source[index] ?? '';
    if (!SINGLE_QUOTES.has(character)) {
      value += character;
      continue;
    }
    const next = source[index + 1] ?? '';
    if (!SINGLE_QUOTES.has(next)) return { value, end: index + 1 };
    // Two in a row are the second of them.
    value += next;
    index += 1;
  }
  throw new Error('a literal without an end');
}

export type Datum = string | readonly string[] | null;

/** `$kw=@{key=value;…}` and the line break behind it; what follows is the runner. */
export function readDataLine(script: string): { readonly data: ReadonlyMap<string, Datum>; readonly runner: string } {
  const begin = '$kw=@{';
  if (!script.startsWith(begin)) throw new Error('no data line');
  const data = new Map<string, Datum>();
  let at = begin.length;
  for (;;) {
    const [, key = ''] = /^([a-z])=/.exec(script.slice(at, at + 2)) ?? [];
    if (key === '' || data.has(key)) throw new Error(`no key at ${script.slice(at, at + 20)}`);
    at += 2;
    if (script.startsWith('$null', at)) {
      data.set(key, null);
      at += '$null'.length;
    } else if (script.startsWith('@(', at)) {
      const list = readList(script, at + 2);
      data.set(key, list.values);
      at = list.end;
    } else {
      const { value, end } = readLiteral(script, at);
      data.set(key, value);
      at = end;
    }
    if (script.startsWith('}\n', at)) return { data, runner: script.slice(at + 2) };
    if (script[at] !== ';') throw new Error(`neither the next key nor an end at ${script.slice(at, at + 20)}`);
    at += 1;
  }
}

function readList(script: string, from: number): { readonly values: readonly string[]; readonly end: number } {
  const values: string[] = [];
  let at = from;
  if (script[at] === ')') return { values, end: at + 1 };
  for (;;) {
    const { value, end } = readLiteral(script, at);
    values.push(value);
    if (script[end] === ')') return { values, end: end + 1 };
    if (script[end] !== ',') throw new Error(`neither the next value nor an end at ${script.slice(end, end + 20)}`);
    at = end + 1;
  }
}

/** What a call hands over: a value, or a parameter by name with or without one. */
export type Bound = { readonly value: string } | { readonly parameter: string; readonly with: string | boolean | null | undefined; readonly takesNext: boolean };

/** `&$kw.x …;$kw.z=$?` with values of $kw.w, parameters and literals, and nothing else. */
export function readCall(source: string, words: readonly string[]): readonly Bound[] {
  const begin = '&$kw.x';
  const end = ';$kw.z=$?';
  if (!source.startsWith(begin) || !source.endsWith(end)) throw new Error(`no call: ${source}`);
  const bound: Bound[] = [];
  for (let at = begin.length; at < source.length - end.length;) {
    if (source[at] !== ' ') throw new Error(`no blank between ${source.slice(0, at)} and ${source.slice(at)}`);
    at += 1;
    const [whole, index] = /^\$kw\.w\[(\d+)\]/.exec(source.slice(at, at + 20)) ?? [];
    if (whole !== undefined) {
      const value = words[Number(index)];
      if (value === undefined) throw new Error(`no word ${index}`);
      bound.push({ value });
      at += whole.length;
      continue;
    }
    const [text, parameter = ''] = /^-([A-Za-z_][A-Za-z0-9_]*)/.exec(source.slice(at)) ?? [];
    if (text === undefined) throw new Error(`neither value nor parameter at ${source.slice(at, at + 20)}`);
    at += text.length;
    const isColon = source[at] === ':';
    if (isColon) at += 1;
    const [constant] = isColon ? /^\$(?:true|false|null)(?=[ ;])/i.exec(source.slice(at, at + 8)) ?? [] : [];
    if (constant !== undefined) {
      bound.push({ parameter, with: { $true: true, $false: false }[constant.toLowerCase()] ?? null, takesNext: false });
      at += constant.length;
    } else if (isColon && SINGLE_QUOTES.has(source[at] ?? '')) {
      const { value, end: last } = readLiteral(source, at);
      bound.push({ parameter, with: value, takesNext: false });
      at = last;
    } else bound.push({ parameter, with: undefined, takesNext: isColon });
  }
  return bound;
}

export interface PowerShellStart {
  readonly isInteractive: boolean;
  readonly stays: boolean;
  readonly outputFormat: string | null;
  readonly inputFormat: string | null;
  readonly script: string;
}

/** powershell.exe's own switches, in full as the program writes them. */
export function readPowerShellArguments(words: readonly string[]): PowerShellStart {
  let start: PowerShellStart = { isInteractive: true, stays: false, outputFormat: null, inputFormat: null, script: '' };
  for (let at = 0; at < words.length; at += 1) {
    switch (words[at] ?? '') {
      case '-NoLogo': case '-NoProfile': break;
      case '-NonInteractive': start = { ...start, isInteractive: false }; break;
      case '-NoExit': start = { ...start, stays: true }; break;
      case '-ExecutionPolicy': at += 1; break;
      case '-InputFormat': at += 1; start = { ...start, inputFormat: words[at] ?? null }; break;
      case '-OutputFormat': at += 1; start = { ...start, outputFormat: words[at] ?? null }; break;
      case '-EncodedCommand':
        if (at + 2 !== words.length) throw new Error('-EncodedCommand is not the last');
        return { ...start, script: Buffer.from(words[at + 1] ?? '', 'base64').toString('utf16le') };
      default: throw new Error(`powershell.exe does not know ${words[at]}`);
    }
  }
  throw new Error('powershell.exe waits for commands');
}
