import {
  DUMP_SCHEMA, NOT_RESOLVED, Schema, defineMappingTag, defineScalarTag, defineSequenceTag, mergeTag,
} from 'js-yaml';
import type { ScalarTagDefinition } from 'js-yaml';
import { NON_STRING_FIRST_CHARACTERS, resolveKubectlScalar } from './kubectl-scalar.ts';
import type { YamlScalar } from './kubectl-scalar.ts';

const PREFIX = 'tag:yaml.org,2002:';

/** Resolves every plain scalar that is not a string. Never written: values are dumped by their own types. */
const plainTag = defineScalarTag<YamlScalar>('tag:kubectl-win,2026:plain', {
  implicit: true,
  implicitFirstChars: NON_STRING_FIRST_CHARACTERS,
  resolve: (source) => {
    const value = resolveKubectlScalar(source);
    return typeof value === 'string' ? NOT_RESOLVED : value;
  },
  identify: () => false,
});

/** `!!int "12"` resolves the text as if it were plain and refuses what is of another type, as go-yaml does. */
function explicitTag(name: string, accepts: (value: YamlScalar) => boolean): ScalarTagDefinition<YamlScalar> {
  return defineScalarTag<YamlScalar>(PREFIX + name, {
    resolve: (source) => {
      const value = resolveKubectlScalar(source);
      return accepts(value) ? value : NOT_RESOLVED;
    },
    identify: () => false,
  });
}

const stringTag = defineScalarTag<string>(`${PREFIX}str`, { resolve: (source) => source, identify: (data) => typeof data === 'string' });

const binaryTag = defineScalarTag<string>(`${PREFIX}binary`, {
  resolve: (source) => {
    const text = source.replaceAll(/\s/g, '');
    if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return NOT_RESOLVED;
    return Buffer.from(text, 'base64').toString('utf8');
  },
  identify: () => false,
});

function unfit(value: unknown): string {
  return typeof value === 'number' && !Number.isFinite(value) ? 'infinity and not-a-number have no JSON form' : '';
}

/** A key as kubectl turns it into JSON: numbers and booleans become text, null is refused. */
export function keyText(key: unknown): string | null {
  if (typeof key === 'string') return key;
  if (typeof key === 'boolean') return String(key);
  if (typeof key !== 'number') return null;
  return Number.isInteger(key) ? String(key) : shortestSinglePrecision(key);
}

/** sigs.k8s.io/yaml prints float keys with 32 bits: 3.14159265358979 becomes "3.1415927". */
function shortestSinglePrecision(value: number): string {
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return String(value);
  for (let digits = 1; digits <= 9; digits++) {
    const text = Number(single.toPrecision(digits));
    if (Math.fround(text) === single) return String(text);
  }
  return String(single);
}

function mapTag(name: string, matchByTagPrefix: boolean) {
  return defineMappingTag<Record<string, unknown>>(name, {
    matchByTagPrefix,
    create: () => ({}),
    addPair: (map, key, value) => {
      const text = keyText(key);
      if (text === null) return key === null ? 'a key cannot be null' : 'a key cannot be a list or a map';
      const problem = unfit(value);
      if (problem !== '') return problem;
      if (text === '__proto__') Object.defineProperty(map, text, { value, enumerable: true, configurable: true, writable: true });
      else map[text] = value;
      return '';
    },
    has: (map, key) => Object.hasOwn(map, keyText(key) ?? ''),
    keys: (map) => Object.keys(map),
    get: (map, key) => map[keyText(key) ?? ''],
    identify: () => false,
  });
}

function sequenceTag(name: string, matchByTagPrefix: boolean) {
  return defineSequenceTag<unknown[]>(name, {
    matchByTagPrefix,
    create: () => [],
    addItem: (list, item) => {
      const problem = unfit(item);
      if (problem === '') list.push(item);
      return problem;
    },
    identify: () => false,
  });
}

/** Application tags (`!Ref x`) change nothing for kubectl: the content is read as text, list or map. */
const anyTags = ['!', 'tag:'].flatMap((prefix) => [
  defineScalarTag<string>(prefix, { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
  sequenceTag(prefix, true),
  mapTag(prefix, true),
]);

/** YAML as kubectl reads it. */
export const KUBECTL_SCHEMA: Schema = new Schema([
  stringTag,
  plainTag,
  mergeTag,
  explicitTag('null', (value) => value === null),
  explicitTag('bool', (value) => typeof value === 'boolean'),
  explicitTag('int', (value) => Number.isInteger(value)),
  explicitTag('float', (value) => typeof value === 'number'),
  binaryTag,
  sequenceTag(`${PREFIX}seq`, false),
  mapTag(`${PREFIX}map`, false),
  ...anyTags,
]);

/** For writing: a string that kubectl, or any YAML 1.1 or 1.2 reader, would take for something else gets quotes. */
export const KUBECTL_DUMP_SCHEMA: Schema = DUMP_SCHEMA.withTags(plainTag);
