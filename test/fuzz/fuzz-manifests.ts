/**
 * Reads mutated manifests: none may crash or hang, and whatever cannot be read has a line.
 * `node test/fuzz/fuzz-manifests.ts [COUNT]`, 100,000 by default; KUBECTL_WIN_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { loadSchema } from '../../src/adapters/manifests/load-schema.ts';
import { readManifestText } from '../../src/adapters/manifests/read-manifest-text.ts';
import type { FilePlace } from '../../src/domain/check/manifest-problem.ts';
import { arrayAt, stringAt } from '../../src/domain/kubernetes/object.ts';
import { sampleClusterPath } from '../../src/sample/index.ts';
import { casesFolder } from '../support/cases.ts';
import { seededRandom, testSeed, type Random } from '../support/random.ts';

/** Longest time that one text may take. */
const SLOWEST_MILLISECONDS = 3_000;

/** Pieces that mean something to YAML, JSON, templates or Kubernetes. */
const PIECES = [
  '---', '...', '---\n', '\n---\n', ': ', ':', '- ', '? ', '&a ', '*a', '<<: *a', '!!str ', '!x ', '|', '>-', '|2', '"', "'", '[', ']', '{', '}', ',', '#', ' #', '\t', '\n\t', '\r\n', '\r', '\\', '\\x', '%YAML 1.2\n', '@', '`', '~', 'null',
  'yes', '0x1F', '014', '1e999', '.inf', '-', '{{ .Values.x }}', '{% if x %}', '\u0000', '\u0007', '\ufeff', '\u2028', '\u0085', '🙂', '\ud83d', 'ä', ' '.repeat(300), '['.repeat(600), 'kind: List\nitems:\n', 'items: null\n', '__proto__: {a: 1}\n', 'constructor: 1\n',
  'metadata: []\n', 'spec: 7\n', '  a: 1\n  a: 2\n', '"a": 1, "a": 2,', 'apiVersion: v1\nkind: Pod\n', '=', '<<', '1_000', '2026-11-30',
] as const;

/** Documents to begin with: real manifests where they are there, and the workloads of the sample cluster as YAML and JSON. */
function seeds(): readonly string[] {
  const folder = casesFolder();
  const files = folder === null ? [] : readdirSync(join(folder, 'manifests')).filter((name) => /\.ya?ml$/.test(name)).sort();
  const documents = files.flatMap((name) => readFileSync(join(String(folder), 'manifests', name), 'utf8').split(/^(?=---)/m));
  const sample: unknown = JSON.parse(readFileSync(sampleClusterPath(), 'utf8'));
  const workloads = arrayAt(sample, 'items').filter((item) => /^(?:apps|batch)\//.test(stringAt(item, 'apiVersion') ?? ''));
  const written = workloads.flatMap((item, index) => (index % 3 === 0 ? [JSON.stringify(item, null, 2)] : index % 3 === 1 ? [dump(item)] : [dump({ apiVersion: 'v1', kind: 'List', items: [item] }, { flowLevel: 4 })]));
  return [...documents, ...written].filter((text) => text.trim() !== '' && text.length < 6_000);
}

function mutate(text: string, other: string, random: Random): string {
  let result = text;
  for (let count = 1 + random.below(4); count > 0; count--) {
    const at = random.below(result.length + 1);
    switch (random.below(10)) {
      case 0: result = result.slice(0, at) + result.slice(at + 1 + random.below(10)); break;
      case 1: result = result.slice(0, at) + random.pick(PIECES) + result.slice(at); break;
      case 2: result = result.slice(0, at) + random.pick(PIECES) + result.slice(at + 1); break;
      case 3: result = result.slice(0, at); break;
      case 4: result = result.slice(0, at) + other.slice(random.below(other.length)); break;
      default: result = mutateLine(result, random);
    }
  }
  return result;
}

function mutateLine(text: string, random: Random): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  const line = lines[at] ?? '';
  const key = /^(\s*-?\s*)([\w-]+):(.*)$/.exec(line);
  switch (random.below(7)) {
    case 0: lines.splice(at, 1); break;
    case 1: lines.splice(at, 0, line); break;
    case 2: lines[at] = ' '.repeat(random.below(4)) + line; break;
    case 3: lines[at] = line.slice(random.below(3)); break;
    case 4: lines.splice(random.below(lines.length), 0, line); break;
    case 5: if (key !== null) lines[at] = `${key[1]}${(key[2] ?? '').slice(0, -1)}x:${key[3]}`; break;
    default: if (key !== null) lines[at] = `${key[1]}${key[2]}: ${random.pick(PIECES)}`;
  }
  return lines.join('\n');
}

export interface FuzzResult {
  readonly texts: number;
  readonly objects: number;
  readonly unreadable: number;
  readonly problems: number;
  readonly slowestMilliseconds: number;
}

/** Throws, with the text that did it, at the first that is not read as it should be. */
export async function fuzzManifests(count: number, seed: number): Promise<FuzzResult> {
  const random = seededRandom(seed);
  const texts = seeds();
  const sum = { texts: count, objects: 0, unreadable: 0, problems: 0, slowestMilliseconds: 0 };
  for (let index = 0; index < count; index++) {
    const text = mutate(random.pick(texts), random.pick(texts), random);
    const start = performance.now();
    try {
      const lines = text.split('\n').length;
      for await (const item of readManifestText(text, 'fuzz.yaml', { schema: loadSchema })) {
        if ('foreign' in item) continue;
        if (!('object' in item)) {
          sum.unreadable++;
          assert.ok(item.line !== null && item.line >= 1 && item.line <= lines, `line ${item.line} of ${lines}`);
          assert.ok(item.column === null || item.column >= 1, `column ${item.column}`);
          assert.ok(item.message !== '' && !item.message.startsWith('fuzz.yaml'), item.message);
          continue;
        }
        sum.objects++;
        for (const problem of item.problems) {
          sum.problems++;
          const place: FilePlace = problem.place ?? item.locate(problem.path);
          assert.ok(place.line >= 1 && place.line <= lines, `line ${place.line} of ${lines}`);
          const rest: number = Array.from(item.lineText(place.line)).length - (place.column - 1);
          assert.ok(place.column >= 1 && place.length >= 1 && (place.length <= rest || place.length === 1), `column ${place.column}, length ${place.length} of line ${place.line}`);
        }
        item.locate(['spec', 'template', 'spec', 'containers', 0, 'image']);
      }
      const took = performance.now() - start;
      sum.slowestMilliseconds = Math.max(sum.slowestMilliseconds, took);
      assert.ok(took < SLOWEST_MILLISECONDS, `took ${took} ms`);
    } catch (error) {
      throw new Error(`text ${index} of seed ${seed}: ${JSON.stringify(text)}`, { cause: error });
    }
  }
  return sum;
}

if (import.meta.main) {
  const seed = testSeed();
  const start = performance.now();
  const sum = await fuzzManifests(Number(process.argv[2] ?? 100_000), seed);
  process.stdout.write(`${JSON.stringify({ seed, seconds: Math.round((performance.now() - start) / 1000), ...sum })}\n`);
}
