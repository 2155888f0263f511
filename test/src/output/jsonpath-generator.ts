import type { Random } from '../../support/random.ts';

export interface Document {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap';
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

const NAMES = ['a', 'b', 'spec', 'status', 'kubernetes.io/os', 'x-y', 'n1', '_u', 'é'] as const;
const TEXTS = ['', 'x', 'windows', '10.0.20348', 'a b', 'true', '3', '<b>&', 'é😀', '"', "it's", 'a\nb', '\\', '{}', '\t'] as const;

/** A document without whole floats (JavaScript does not know them apart) and without `items` (kubectl would take it for a list). */
export function randomDocument(random: Random): Document {
  const document: Record<string, unknown> = {};
  for (const name of NAMES) if (random.chance(70)) document[name] = randomValue(random, 4);
  document['list'] = Array.from({ length: random.below(5) }, () => randomRecord(random, 2));
  document['numbers'] = Array.from({ length: random.below(5) }, () => random.below(5));
  return { ...document, apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'object', labels: { z: '1', 'kubernetes.io/os': 'windows' } } };
}

function randomRecord(random: Random, depth: number): Record<string, unknown> {
  return Object.fromEntries(NAMES.filter(() => random.chance(40)).map((name) => [name, randomValue(random, depth - 1)]));
}

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 10 : 6);
  if (kind === 0) return random.pick(TEXTS);
  if (kind === 1) return random.below(1000) - 500;
  if (kind === 2) return random.chance(50);
  if (kind === 3) return random.chance(30) ? null : random.pick(TEXTS);
  if (kind === 4) return random.pick([0.5, -1.25, 1234567.5, 0.00001234, 1.5e-9, 123456.75, 2 ** 40, -(2 ** 52)]);
  if (kind === 5) return random.pick(TEXTS);
  if (kind <= 7) return randomRecord(random, depth);
  return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
}

/** A template of one to four parts that mostly fits the document, sometimes not, and is sometimes malformed. */
export function randomTemplate(random: Random, document: Document): string {
  const parts = Array.from({ length: 1 + random.below(3) }, () => randomPart(random, document));
  const template = parts.join('') || 'x';
  if (!random.chance(12)) return template;
  const cut = random.below(template.length + 1);
  return random.chance(50) && cut > 0 ? template.slice(0, cut) : `${template.slice(0, cut)}${random.pick(['{', '}', '[', ']', '"', "'", '.', '@', '#', '(', ')', '\\', ','])}${template.slice(cut)}`;
}

function randomPart(random: Random, document: Document): string {
  const kind = random.below(12);
  if (kind === 0) return random.pick(['text', ' ', 'NAME=', '\n', '$.', 'é']);
  if (kind === 1) return `{${random.pick(['"\\n"', '"\\t"', "'q'", '"it\'s"', '"\\u00e9\\x41"', '"a\\"b"', '1', '-2', '1.50', 'true', 'false'])}}`;
  if (kind === 2) return `{range ${randomPath(random, document)}}${random.pick(['{@}', '{.a}', '{.a}:{.b}', '{.spec.a}'])}{"\\n"}{end}`;
  if (kind === 3) return `{range .list[*]}{range ${random.pick(['.a[*]', '.spec.b', '.b'])}}{@};{end}{.a}|{end}`;
  return `{${random.pick(['', '', '@', '$', ' '])}${randomPath(random, document)}${random.pick(['', '', '', ' '])}}`;
}

function randomPath(random: Random, document: Document): string {
  let path = '';
  let value: unknown = document;
  const steps = 1 + random.below(4);
  for (let step = 0; step < steps; step += 1) {
    if (Array.isArray(value)) {
      const [text, next] = listStep(random, value);
      path += text;
      value = next;
    } else if (typeof value === 'object' && value !== null) {
      const record = value as Readonly<Record<string, unknown>>;
      const name = random.chance(90) && Object.keys(record).length > 0 ? random.pick(Object.keys(record)) : random.pick(NAMES);
      const kind = random.below(20);
      if (kind === 0) path += random.pick(['.*', '[*]']);
      else if (kind === 1) path += `..${random.pick(['a', 'b', 'spec'])}`;
      else if (kind === 2) path += `['${name.replaceAll('.', '\\.')}','a']`;
      else if (kind < 8) path += `['${name.replaceAll('.', '\\.')}']`;
      else path += `.${name.replaceAll('.', '\\.')}`;
      value = record[name];
    } else {
      path += random.pick(['', '', '.a', '[0]', '.*']);
      break;
    }
  }
  return path;
}

function listStep(random: Random, list: readonly unknown[]): readonly [string, unknown] {
  const index = (): string => String(random.below(list.length + 2) - 1);
  const kind = random.below(8);
  if (kind === 0) return ['[*]', list[0]];
  if (kind === 1) return [`[${index()}]`, list[0]];
  if (kind === 2) return [`[${random.pick(['', index()])}:${random.pick(['', index()])}]`, list[0]];
  if (kind === 3) return [`[${random.pick(['', index()])}:${random.pick(['', index()])}:${random.pick(['', '1', '2', '0', '-1'])}]`, list[0]];
  if (kind === 4) return [`[${index()},${index()}]`, list[0]];
  return [randomFilter(random), list[0]];
}

function randomFilter(random: Random): string {
  const left = random.pick(['@', '@.a', '@.b', '@.spec', '@.spec.a', '@.nope', '@[0]', '@.kubernetes\\.io/os', "@['a']"]);
  if (random.chance(25)) return `[?(${left})]`;
  const operator = random.pick(['==', '!=', '<', '>', '<=', '>=', ' == ', '=', '===', '=~']);
  return `[?(${left}${operator}${random.pick(['1', '-3', '0.5', '1.0', '"x"', "'windows'", '"a b"', 'true', 'false', '@.b', '$.a', 'word', '")"'])})]`;
}
