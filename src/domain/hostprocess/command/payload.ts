/** What the runner is to do, as the line of literals that stands before it. */
import { literal } from './powershell-literal.ts';
import { RUNNER } from './scripts.ts';
import { batchTail } from './windows-arguments.ts';
import type { Payload } from './transport.ts';

/**
 * One statement that fills $kw, the only variable of the runner, and a line break:
 *
 *     $kw=@{n='NONCE';k='command';e='Stop';w=@('ping','-n','1');l='-n 1';t='';i='&$kw.x -n $kw.w[2];$kw.z=$?'}
 *
 * n nonce, '' for no signs · k kind · e error action · w words · l tail of a native program's command line · b tail for a batch
 * file, where it differs, $null where there is none · t text: code, script, or line of cmd · i the call of what is no native
 * program · m name and version of a script that is ours · a its arguments, as JSON. Values are literals, lists of them, or
 * $null, so that they mean themselves: ConvertFrom-Json, for one, makes dates of texts that look like one.
 */
export function payloadText(payload: Payload): string {
  const { nonce, kind, errorAction, words, line, text } = payload;
  const entries = [`n=${literal(nonce)}`, `k=${literal(kind)}`, `e=${literal(errorAction === 'stop' ? 'Stop' : 'Continue')}`, `w=@(${words.map(literal).join(',')})`, `l=${literal(line)}`];
  if (kind === 'command') {
    const tail = batchTail(words);
    if (tail !== line) entries.push(`b=${tail === null ? '$null' : literal(tail)}`);
  }
  entries.push(`t=${literal(text)}`, `i=${literal(invocation(payload))}`);
  if (payload.name !== undefined) entries.push(`m=${literal(`${payload.name}.v${payload.version ?? 1}`)}`, `a=${literal(JSON.stringify(payload.arguments ?? null))}`);
  return `$kw=@{${entries.join(';')}}\n`;
}

/** All that a node runs: what is to be done, and the runner. */
export function runnerScript(payload: Payload): string {
  return `${payloadText(payload)}${RUNNER}`;
}

function invocation({ kind, words }: Payload): string {
  switch (kind) {
    case 'command': return call(words, 1);
    case 'script': return call(words, 0);
    case 'code': return call([], 0);
    case 'named': return '&$kw.x $kw.a;$kw.z=$?';
    case 'cmd': return '';
  }
}

/** Names of parameters, with a value behind a colon or without. Other dashes (`-5`, `--all`) begin values. */
const PARAMETER = /^-[A-Za-z_][A-Za-z0-9_]*(?::|$)/;

/**
 * Words are values, whatever stands in them; those that have the shape of a parameter are parameters, since a variable is
 * never read as one. `-Confirm:$false` is what nobody can say by a text.
 */
function call(words: readonly string[], first: number): string {
  const parts = words.slice(first).map((word, index) => {
    const [parameter] = PARAMETER.exec(word) ?? [];
    if (parameter === undefined) return `$kw.w[${first + index}]`;
    const value = word.slice(parameter.length);
    return value === '' || /^\$(true|false|null)$/i.test(value) ? `${parameter}${value}` : `${parameter}${literal(value)}`;
  });
  return `${['&$kw.x', ...parts].join(' ')};$kw.z=$?`;
}
