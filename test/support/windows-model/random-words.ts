/** Words, texts and bytes that quoting fails at. */
import type { Random } from '../random.ts';

/** What means something to cmd, PowerShell, the C runtime, the shim, JSON or the protocol, and texts that look like one of these. */
const PIECES = [
  '"', '""', '"""', "'", "''", '\u2018', '\u2019', '\u201a', '\u201b', '\u201c', '\u201d', '\u201e', '`', '``', '\\', '\\\\', '\\"', '\\\\"', '\\\\\\"', '^', '^^', '^"', '&', '&&', '|', '||', '<', '>', '>>nul', '2>&1', '(', ')', '()', '!', '!PATH!',
  '%', '%%', '%PATH%', '%path%', '%PATH:a=b%', '%PATH:~0,3%', '%CD%', '%1', '%*', '%~dp0', '%A', '%=C:%', '%CONTAINER_SANDBOX_MOUNT_POINT%', '$env:CONTAINER_SANDBOX_MOUNT_POINT', '$env:PATH', '$(Get-Date)', '${x}', '$null', '$', '@', '@(', '@{', '@"', "@'", '#', '<#', '#>',
  '{', '}', '[', ']', '*', '?', '~', ',', ';', '=', ':', '/', '/c', '/?', '-', '--', '--%', '-Name', '-Force', '-Name:x', '-Confirm:$false', '-Path:', '-5', '-e', '+', '.', '..', ' ', '  ', '\t', '\r', '\n', '\r\n', '\v', '\f', '\u0085', '\u00a0', '\u2028', '\u3000', '\u001b[31m', '\u001e', '\u0001', '\u007f',
  'a', 'b', 'x y', 'C:\\', 'C:\\Program Files\\', 'C:\\x.txt', '\\\\server\\share\\', 'é', 'ß', 'İ', '日本', '👩‍👩‍👧', '\u{10ffff}', '\ufeff', '\u0301', '2024-01-01T00:00:00Z', '/Date(1)/', 'null', 'true', '0x10', '1e3', 'kubectl-win', '\u001ekubectl-win 0123456789abcdef end 0',
];

export function randomWord(random: Random): string {
  if (random.chance(4)) return '';
  const length = random.chance(10) ? random.below(40) : 1 + random.below(6);
  let word = '';
  for (let index = 0; index < length; index += 1) word += random.chance(12) ? randomCharacter(random) : random.pick(PIECES);
  return word;
}

export function randomWords(random: Random, most: number): readonly string[] {
  return Array.from({ length: random.below(most + 1) }, () => randomWord(random));
}

/** Of any plane, but NUL and halves of pairs. */
function randomCharacter(random: Random): string {
  const code = 1 + random.below(random.pick([0x7f, 0xff, 0xffff, 0x10ffff]));
  return code >= 0xd800 && code < 0xe000 ? '\ufffd' : String.fromCodePoint(code);
}

export function randomBytes(random: Random, most: number): Uint8Array {
  return Uint8Array.from({ length: random.below(most + 1) }, () => random.below(256));
}
