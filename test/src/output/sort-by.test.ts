import assert from 'node:assert/strict';
import { UsageError } from '../../../src/errors.ts';
import { sortByColumn, sortByPath, sortItems } from '../../../src/output/sort-by.ts';
import type { Column } from '../../../src/output/view.ts';

const values = (items: readonly { readonly value?: unknown }[]): unknown[] => items.map(({ value }) => value);
const items = (...each: readonly unknown[]): { readonly value?: unknown }[] => each.map((value) => (value === undefined ? {} : { value }));

describe('sortByPath', () => {
  const cases = [
    ['numbers', [10, 9, -1, 100], [-1, 9, 10, 100]],
    ['strings by their bytes', ['b', 'a', 'B', 'é', '😀', 'ｚ'], ['B', 'a', 'b', 'é', 'ｚ', '😀']],
    ['quantities by size', ['2Gi', '1500Mi', '100m', '1', '1e3'], ['100m', '1', '1e3', '1500Mi', '2Gi']],
    ['missing fields first, then null', [2, undefined, null, 1], [undefined, null, 1, 2]],
    ['equal values in the order they had', ['1000m', '1', '1.0'], ['1000m', '1', '1.0']],
  ] as const;
  for (const [name, given, expected] of cases) it(`sorts ${name}`, () => assert.deepEqual(values(sortByPath(items(...given), '.value')), expected));

  it('takes every form of path', () => {
    for (const path of ['value', '.value', '{value}', '{.value}']) assert.deepEqual(values(sortByPath(items(2, 1), path)), [1, 2]);
  });

  it('says when no object has the field', () => {
    assert.throws(() => sortByPath(items(1, 2), '.nope'), new UsageError(`couldn't find any field with path "{.nope}" in the list of objects`));
    assert.deepEqual(sortByPath([], '.nope'), []);
  });

  it('says when values cannot be compared', () => {
    assert.throws(() => sortByPath(items(true, false), '.value'), new UsageError('field {.value} is an unsortable type: boolean'));
    assert.throws(() => sortByPath(items('a', 1), '.value'), new UsageError('field {.value} holds values of different types: integer, string'));
    assert.throws(() => sortByPath(items(1, 1.5), '.value'), new UsageError('field {.value} holds values of different types: float, integer'));
    assert.throws(() => sortByPath(items({}, {}), '.value'), new UsageError('field {.value} is an unsortable type: map'));
    assert.throws(() => sortByPath(items(1, 2), '{.a'), UsageError);
  });
});

describe('sortByColumn', () => {
  const column: Column<string> = { header: 'X', value: (text) => text };
  const cases = [
    ['ages by time', ['3d4h', '5m', '10h', '2y1d', '59s'], ['59s', '5m', '10h', '3d4h', '2y1d']],
    ['versions by their numbers', ['v1.31.10', 'v1.31.9', 'v1.4.0'], ['v1.4.0', 'v1.31.9', 'v1.31.10']],
    ['revisions by their numbers', ['17763.100', '17763.99', '20348.1'], ['17763.99', '17763.100', '20348.1']],
    ['what is not known last', ['<unknown>', '20348', '', '17763'], ['17763', '20348', '<unknown>', '']],
    ['sizes', ['2Gi', '512Mi', '1500Mi'], ['512Mi', '1500Mi', '2Gi']],
  ] as const;
  for (const [name, given, expected] of cases) it(`sorts ${name}`, () => assert.deepEqual(sortByColumn(given, column), expected));
});

describe('sortItems', () => {
  const columns: Column<{ readonly name: string; readonly build: number }>[] = [
    { header: 'NAME', value: ({ name }) => name },
    { header: 'BUILD', value: ({ build }) => String(build) },
  ];
  const nodes = [{ name: 'b', build: 100 }, { name: 'a', build: 20 }];

  it('takes the name of a column in any case, and paths', () => {
    for (const sortBy of ['build', 'BUILD', '.build', '{.build}', 'name']) assert.deepEqual(sortItems(nodes, sortBy, columns).map(({ name }) => name), ['a', 'b']);
  });

  it('names the columns that there are when it finds neither', () => {
    assert.throws(() => sortItems(nodes, 'age', columns), (error: UsageError) => {
      assert.equal(error.message, `couldn't find any field with path "{.age}" in the list of objects`);
      assert.deepEqual(error.suggestions, ['sort by a column: name, build', 'or by a field that -o json shows: --sort-by=.name']);
      return true;
    });
  });

  it('leaves the list it was given as it is', () => {
    sortItems(nodes, 'name', columns);
    assert.deepEqual(nodes.map(({ name }) => name), ['b', 'a']);
  });
});
