/** Random edits on real manifests: the value becomes what it should, and lines that are not concerned stay. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { editText } from '../../../../src/adapters/manifests/edit/edit-text.ts';
import { applyEdits } from '../../../../src/domain/check/fix/apply-edits.ts';
import { mergeFixes } from '../../../../src/domain/check/fix/merge-fixes.ts';
import { parseDocuments } from '../../../../src/adapters/inventory/parse-documents.ts';
import type { FieldEdit } from '../../../../src/domain/check/finding.ts';
import { valueAtPath, type FieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { isRecord, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { renderYaml } from '../../../../src/output/yaml.ts';
import { describeCases } from '../../../support/cases.ts';
import { seededRandom, testSeed, type Random } from '../../../support/random.ts';

const SAMPLE = join(import.meta.dirname, '../../../../src/sample/sample-cluster.json');
const VALUES = ['windows', 'yes', '10.0.20348', String.raw`C:\data`, "it's", '# no', 1, true, null, ['a', 'b'], { a: { b: ['c'] } }, {}, [], 'a\nb'];

interface Totals {
  edits: number;
  refused: number;
}

/** All places of a value, itself first. */
function placesOf(value: unknown, path: FieldPath = []): readonly { readonly path: FieldPath; readonly value: unknown }[] {
  const inner = Array.isArray(value) ? value.flatMap((item, index) => placesOf(item, [...path, index])) : isRecord(value) ? Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key])) : [];
  return [{ path, value }, ...inner];
}

function randomEdit(object: KubeObject, random: Random): FieldEdit {
  const places = placesOf(object).filter(({ path }) => path.length > 0 && path[0] !== 'kind' && path[0] !== 'apiVersion' && !(path[0] === 'metadata' && path.length === 1) && path[1] !== 'name');
  const { path, value } = random.pick(places.length === 0 ? [{ path: ['metadata', 'labels'], value: {} }] : places);
  if (random.chance(50)) return { op: 'remove', path };
  if (Array.isArray(value) && random.chance(80)) return { op: 'append', path, value: random.pick(VALUES) };
  if (isRecord(value) && random.chance(80)) return { op: 'set', path: [...path, ...random.pick([['added'], ['added.io/key', 'deep'], ['os', 'name']])], value: random.pick(VALUES) };
  return { op: 'set', path, value: random.pick(VALUES) };
}

async function tryOne(text: string, random: Random, totals: Totals): Promise<void> {
  const documents = (await parseDocuments(text, 'x.yaml')).map(({ value }) => value);
  const objects = documents.filter((value): value is KubeObject => isRecord(value) && typeof value['kind'] === 'string' && !value['kind'].endsWith('List'));
  if (objects.length === 0) return;
  const object = random.pick(objects);
  const fixes = Array.from({ length: 1 + random.below(4) }, () => ({ edits: [randomEdit(object, random)] }));
  const say = JSON.stringify(fixes);
  const edited = await editText(text, [{ object, fixes }]);
  const applied = edited.applied;
  totals.edits += applied.length;
  totals.refused += edited.refused.filter(({ reason }) => !mergeFixes(object, fixes).refused.some((other) => other.reason === reason)).length;
  const merged = mergeFixes(object, applied);
  const expected = applyEdits(object, merged.edits);
  assert.ok('value' in expected, say);
  const after = merged.edits.length === 0 && edited.text === text ? documents : (await parseDocuments(edited.text, 'x.yaml')).map(({ value }) => value);
  assert.deepEqual(after, documents.map((value) => (value === object ? expected.value : value)), say);
  if (merged.edits.length === 0) assert.equal(edited.text, text, say);
  assert.equal(edited.text.includes('\r'), text.includes('\r'), say);
  checkLines(text, edited.text, merged.edits, object, say);
}

/** Lines of the old text that are gone or changed belong to what was removed or set: no more of them than these values have lines. */
function checkLines(before: string, after: string, edits: readonly FieldEdit[], object: KubeObject, say: string): void {
  const left = new Map<string, number>();
  for (const line of after.split('\n')) left.set(line, (left.get(line) ?? 0) + 1);
  let gone = 0;
  for (const line of before.split('\n')) {
    const count = left.get(line) ?? 0;
    if (count === 0 && line.trim() !== '' && !line.trim().startsWith('#')) gone++;
    else left.set(line, count - 1);
  }
  const limit = edits.reduce((sum, { path }) => sum + 3 + linesOf(valueAtPath(object, path)), 0);
  assert.ok(gone <= limit, `${gone} lines changed, at most ${limit} expected: ${say}`);
}

/** As many as a value can have, in block style with folded texts or in JSON with a line for each bracket. */
function linesOf(value: unknown): number {
  if (typeof value === 'string') return value.split('\n').length * 2 + Math.ceil(value.length / 10);
  return 2 + (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []).reduce((sum: number, item) => sum + linesOf(item), 0);
}

describe('random edits of texts', function () {
  this.timeout(120_000);
  const seed = testSeed();
  const count = Number(process.env['KUBECTL_WIN_EDITS'] ?? 8);

  describeCases('real manifests', (folder) => {
    const files = readdirSync(join(folder, 'manifests')).filter((name) => /\.ya?ml$/.test(name));
    it(`give the value they should in each of ${files.length} files (KUBECTL_WIN_SEED=${seed})`, async () => {
      const totals: Totals = { edits: 0, refused: 0 };
      for (const [index, file] of files.entries()) {
        const random = seededRandom(seed + index);
        const text = readFileSync(join(folder, 'manifests', file), 'utf8');
        // A file that cannot be read as a whole (a key given twice) has no value to compare with.
        if ((await parseDocuments(text, file).catch(() => [])).length === 0) continue;
        for (let turn = 0; turn < count; turn++) await tryOne(text, random, totals);
      }
      assert.ok(totals.edits > files.length * count * 0.5, JSON.stringify(totals));
      assert.ok(totals.refused < totals.edits * 0.1, JSON.stringify(totals));
    });
  });

  it(`give the value they should in the objects of the sample cluster, as YAML and JSON (KUBECTL_WIN_SEED=${seed})`, async () => {
    const { items } = JSON.parse(readFileSync(SAMPLE, 'utf8')) as { readonly items: readonly KubeObject[] };
    const random = seededRandom(seed);
    const totals: Totals = { edits: 0, refused: 0 };
    for (let turn = 0; turn < count * 10; turn++) {
      const object = random.pick(items);
      const yaml = [...(await renderYaml(object))].join('');
      await tryOne(random.pick([yaml, yaml.replaceAll('\n', '\r\n'), JSON.stringify(object), `${JSON.stringify(object, null, 2)}\n`, JSON.stringify(object, null, '\t'), `---\n${yaml}---\nkind: Other\n`]), random, totals);
    }
    assert.ok(totals.refused < totals.edits * 0.02, JSON.stringify(totals));
  });

  it(`give the value they should whatever style the text is in, with comments and blank lines everywhere (KUBECTL_WIN_SEED=${seed})`, async () => {
    const { items } = JSON.parse(readFileSync(SAMPLE, 'utf8')) as { readonly items: readonly KubeObject[] };
    const random = seededRandom(seed + 1);
    const totals: Totals = { edits: 0, refused: 0 };
    for (let turn = 0; turn < count * 10; turn++) {
      const text = withNoise(inRandomStyle(random.pick(items), random), random);
      if ((await parseDocuments(text, 'x.yaml').catch(() => [])).length > 0) await tryOne(text, random, totals);
    }
    assert.ok(totals.edits > count * 8, JSON.stringify(totals));
    assert.ok(totals.refused < totals.edits * 0.05, JSON.stringify(totals));
  });
});

function inRandomStyle(object: KubeObject, random: Random): string {
  return stringify(object, {
    indent: random.pick([2, 3, 4, 8]), indentSeq: random.chance(50), flowCollectionPadding: random.chance(50), lineWidth: random.pick([0, 30, 80]), version: '1.1',
    defaultStringType: random.pick(['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'] as const), defaultKeyType: random.pick(['PLAIN', 'QUOTE_DOUBLE'] as const),
    collectionStyle: random.pick(['any', 'block', 'flow', 'any'] as const), aliasDuplicateObjects: false,
  });
}

/** In block scalars and between braces it becomes content, or an error: then the text is not used. */
function withNoise(text: string, random: Random): string {
  const lines = text.split('\n').flatMap((line) => {
    const indent = ' '.repeat(line.length - line.trimStart().length);
    const before = random.chance(4) ? [`${indent}# about ${line.trim().slice(0, 10)}`] : random.chance(3) ? [''] : random.chance(2) ? ['# at the margin'] : [];
    return [...before, line !== '' && random.chance(6) ? `${line} # note` : line !== '' && random.chance(4) ? `${line}  ` : line];
  });
  return `${random.pick(['', '---\n', '# head\n--- # start\n', '\n\n'])}${lines.join(random.pick(['\n', '\n', '\r\n']))}${random.pick(['', '', '...\n', '---\n', '\n# end\n'])}`;
}
