import assert from 'node:assert/strict';
import { jsonPlaces } from '../../../../src/adapters/manifests/json-places.ts';
import { textPlaces } from '../../../../src/adapters/manifests/text-places.ts';
import { yamlPlaces } from '../../../../src/adapters/manifests/yaml-places.ts';
import type { FieldPath } from '../../../../src/domain/kubernetes/field-path.ts';

const YAML = [
  '# comment', // 1
  'base: &base', // 2
  '  x: 1', // 3
  '  "q y": 2', // 4
  'list:', // 5
  '- a: 1', // 6
  '  b: {c: [1, two, {d: 3}]}', // 7
  '-   # comment', // 8
  '  e: f', // 9
  '- *base', // 10
  '- |', // 11
  '  block', // 12
  '- - n1', // 13
  '  - "n2"', // 14
  'merged:', // 15
  '  <<: *base', // 16
  '  z: 1', // 17
  'merged-list:', // 18
  '  <<: [{k: 1}, *base]', // 19
  'multi: [', // 20
  '  ä🙂, key: v', // 21
  ']', // 22
  '? complex', // 23
  ': value', // 24
  '014: octal', // 25
  'yes: boolean', // 26
  'twice: 1', // 27
  'twice: 2', // 28
  'empty:', // 29
  'items: [&first {m: 1}, *first,]#c', // 30
  '', // 31
].join('\n');

// path, line, column, length
const PLACES: readonly (readonly [FieldPath, number, number, number])[] = [
  [['base'], 2, 1, 4], [['base', 'x'], 3, 3, 1], [['base', 'q y'], 4, 3, 5], [['list'], 5, 1, 4], [['list', 0], 6, 3, 1], [['list', 0, 'b'], 7, 3, 1],
  [['list', 0, 'b', 'c', 1], 7, 14, 3], [['list', 0, 'b', 'c', 2, 'd'], 7, 20, 1], [['list', 1], 9, 3, 1], [['list', 1, 'e'], 9, 3, 1],
  [['list', 2], 10, 3, 5], [['list', 2, 'q y'], 4, 3, 5], [['list', 3], 11, 3, 1], [['list', 4, 0], 13, 5, 2], [['list', 4, 1], 14, 5, 4],
  [['merged', 'x'], 3, 3, 1], [['merged', 'z'], 17, 3, 1], [['merged', 'nowhere'], 15, 1, 6], [['merged-list', 'k'], 19, 9, 1], [['merged-list', 'x'], 3, 3, 1],
  [['multi', 0], 21, 3, 2], [['multi', 1, 'key'], 21, 7, 3], [['complex'], 23, 3, 7], [['12'], 25, 1, 3], [['true'], 26, 1, 3], [['twice'], 28, 1, 5],
  [['empty'], 29, 1, 5], [['empty', 'deep', 3], 29, 1, 5], [['list', 99], 5, 1, 4], [['list', 'key'], 5, 1, 4], [['base', 0], 2, 1, 4], [['items', 1, 'm'], 30, 17, 1],
];

describe('places in YAML', () => {
  for (const [name, text] of [['line feeds', YAML], ['CRLF', YAML.replaceAll('\n', '\r\n')]] as const) {
    const places = textPlaces('f.yaml', text, 11);
    const yaml = yamlPlaces(text);
    it(`are those of the exact key or item, or of the nearest one above (${name})`, () => {
      for (const [path, line, column, length] of PLACES) {
        assert.deepEqual(places.placeOf(yaml.find(0, path)), { file: 'f.yaml', line: line + 10, column, length }, path.join(' '));
      }
    });

    it(`come with the line as it stands in the file (${name})`, () => {
      assert.equal(places.lineText(17), '  b: {c: [1, two, {d: 3}]}');
      assert.equal(places.lineText(10), '');
      assert.equal(places.lineText(99), '');
    });

    it(`tell both places of a duplicate key (${name})`, () => {
      const [found, ...others] = yaml.duplicates(0);
      assert.deepEqual(others, []);
      assert.ok(found !== undefined);
      assert.deepEqual(found.path, ['twice']);
      assert.equal(places.placeOf(found.first).line, 37);
      assert.equal(places.placeOf(found.last).line, 38);
    });
  }

  it('are found in each document of a text', () => {
    const yaml = yamlPlaces('a: 1\n...\n---\nb:\n  a: 2\n');
    assert.equal(textPlaces('f', 'a: 1\n...\n---\nb:\n  a: 2\n', 1).placeOf(yaml.find(1, ['b', 'a'])).line, 5);
  });

  for (const [what, text, pathOf, lineOf] of [
    ['the items of a list', `items:\n${Array.from({ length: 20_000 }, (_none, index) => `- metadata: {name: p${index}}\n`).join('')}`, (index) => ['items', index, 'metadata'], (index) => index + 2],
    ['the keys of a map', `data:\n${Array.from({ length: 20_000 }, (_none, index) => `  k${index}: v\n`).join('')}`, (index) => ['data', `k${index}`], (index) => index + 2],
    ['values behind aliases', `base: &b {x: 1}\nitems:\n${'- *b\n'.repeat(20_000)}`, (index) => ['items', index, 'x'], () => 1],
  ] satisfies readonly [string, string, (index: number) => FieldPath, (index: number) => number][]) {
    it(`are found for all of 20,000 in the time of one walk: ${what}`, () => {
      const yaml = yamlPlaces(text);
      const places = textPlaces('f', text, 1);
      const started = performance.now();
      for (let index = 0; index < 20_000; index++) assert.equal(places.placeOf(yaml.find(0, pathOf(index))).line, lineOf(index));
      const elapsed = performance.now() - started;
      assert.ok(elapsed < 1_000, `${elapsed.toFixed(0)} ms`);
    });
  }

  it('are looked for in each map once where merges fan out', () => {
    const text = `m0: &m0 {x: 1}\n${Array.from({ length: 20 }, (_none, index) => `m${index + 1}: &m${index + 1} {<<: [*m${index}, *m${index}, *m${index}, *m${index}]}\n`).join('')}`;
    const yaml = yamlPlaces(text);
    const started = performance.now();
    const places = textPlaces('f', text, 1);
    assert.equal(places.placeOf(yaml.find(0, ['m20', 'none'])).line, 21);
    assert.equal(places.placeOf(yaml.find(0, ['m20', 'x'])).line, 1);
    assert.ok(performance.now() - started < 1_000);
  });
});

const JSON_TEXT = '{\n  "a": {"b": [1, "two", {"c\\u0064": null}, []]},\n\t"ä🙂": [{"x": true}, [1,2]], "e": {}, "a\\"]": "}",\n  "twice": 1, "deep": [{"t": 1, "t": 2}], "twice": 3\n}\n';

// path, line, column, length
const JSON_PLACES: readonly (readonly [FieldPath, number, number, number])[] = [
  [[], 2, 3, 3], [['a'], 2, 3, 3], [['a', 'b'], 2, 9, 3], [['a', 'b', 0], 2, 15, 1], [['a', 'b', 1], 2, 18, 5], [['a', 'b', 2], 2, 26, 9], [['a', 'b', 2, 'cd'], 2, 26, 9], [['a', 'b', 3], 2, 44, 1],
  [['a', 'b', 4], 2, 9, 3], [['a', 'c'], 2, 3, 3], [['ä🙂'], 3, 2, 4], [['ä🙂', 0, 'x'], 3, 10, 3], [['ä🙂', 1, 1], 3, 25, 1], [['e', 'x'], 3, 30, 3], [['a"]'], 3, 39, 6], [['twice'], 4, 43, 7], [['deep', 0, 't'], 4, 33, 3],
];

describe('places in JSON', () => {
  it('are those of the exact key or item, or of the nearest one above', () => {
    const places = textPlaces('f.json', JSON_TEXT, 1);
    const json = jsonPlaces(JSON_TEXT);
    for (const [path, line, column, length] of JSON_PLACES) assert.deepEqual(places.placeOf(json.find(0, path)), { file: 'f.json', line, column, length }, path.join(' '));
  });

  it('tell duplicate keys, and that there are none', () => {
    const json = jsonPlaces(JSON_TEXT);
    assert.equal(json.hasDuplicates(0, JSON_TEXT.length, JSON.parse(JSON_TEXT)), true);
    assert.deepEqual(json.duplicates(0).map(({ path }) => path), [['deep', 0, 't'], ['twice']]);
    const single = '{"a:": ":", "b": [{"c": "\\\\"}, {"__proto__": 1}]}';
    assert.equal(jsonPlaces(single).hasDuplicates(0, single.length, JSON.parse(single)), false);
    assert.deepEqual(jsonPlaces(single).duplicates(0), []);
  });
});
