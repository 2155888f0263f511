import type { Random } from '../../support/random.ts';

/** Strings that some reader of YAML takes for something else when they are not quoted. */
export const AMBIGUOUS = [
  'yes', 'Yes', 'YES', 'no', 'on', 'off', 'y', 'n', 'Y', 'N', 'true', 'True', 'TRUE', 'false', 'null', 'Null', '~', '', '.inf', '-.INF', '.nan', '.NaN', 'NaN',
  '0', '00', '012', '08', '0o14', '0O14', '0x1F', '0b1', '0B1', '1_000', '1e3', '1E3', 'E8', '+E2', '1.', '.1', '.', '..', '...', '---', '--- x', '-', '?', '=', '<<',
  '2020-01-01', '2020-1-1', '2001-12-14t21:59:43.10-05:00', '1:30', '190:20:30', '190:20:30.15', '-1', '+1', '1,000',
  '- a', ': a', 'a: b', 'a #b', 'a:', '!a', '&a', '*a', '@a', '`a', '%a', '|', '>', '{', '[a', '"q"', "it's", 'a\\b', ' lead', 'trail ', ' ',
  '\n', '\n\n', 'a\n', 'a\n\n', '\na', ' \n', 'a\n b\n', '  a\n b', 'a\nb', 'a \nb', 'a\r\nb', 'a\tb', '\ta', '\u0000', '\u001b[31m', '\u007f', '\u0085', '\u2028', '\ufeff', '\u202e', 'é', '😀',
  '10.0.20348.2340', 'v1.31.4', '1.10', 'node.kubernetes.io/windows-build', `${'long '.repeat(60)}end`,
] as const;

const CHARACTERS = [...Array.from('01289_.:-+eExXoObByYnNfFtT~ #\'"{}[],&*!|>%@`=<?\\/\n\t\r\u0085\u2028\ufeff\u202eé\u0000\u007f'), '😀'];

export function randomStrings(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => Array.from({ length: 1 + random.below(6) }, () => random.pick(CHARACTERS)).join(''));
}

/** The strings as values, as keys and as list items. */
export function documentOf(strings: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'strings' },
    values: Object.fromEntries(strings.map((text, index) => [`k${index}`, text])),
    keys: Object.fromEntries(strings.map((text, index) => [text, index])),
    list: strings,
    nested: [[strings.slice(0, 3), []], { empty: {}, none: null, deep: [{ a: [1, -0.5, 1e21, 1e-7, 1234567.25, true, false, null] }] }],
  };
}
