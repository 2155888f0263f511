import assert from 'node:assert/strict';
import { applyEdits } from '../../../../../src/domain/check/fix/apply-edits.ts';
import { mergeFixes } from '../../../../../src/domain/check/fix/merge-fixes.ts';
import type { FieldEdit } from '../../../../../src/domain/check/finding.ts';

const set = (path: FieldEdit['path'], value: unknown): FieldEdit => ({ op: 'set', path, value });
const append = (path: FieldEdit['path'], value: unknown): FieldEdit => ({ op: 'append', path, value });
const remove = (...path: FieldEdit['path']): FieldEdit => ({ op: 'remove', path });

describe('edits of values', () => {
  it('leave the given value as it is', () => {
    const value = { a: [1, { b: 2 }] };
    assert.deepEqual(applyEdits(value, [remove('a', 0), set(['a', 0, 'b'], 3)]), { value: { a: [{ b: 3 }] } });
    assert.deepEqual(value, { a: [1, { b: 2 }] });
  });

  const REFUSED: readonly (readonly [string, unknown, FieldEdit, string])[] = [
    ['a key of a text', { a: 'x' }, set(['a', 'b'], 1), 'a is no map'],
    ['an index of a map', { a: {} }, set(['a', 0], 1), 'a is no list'],
    ['an item behind the end', { a: [1] }, remove('a', 1), 'a[1] does not exist'],
    ['a key that is not there', { a: {} }, remove('a', 'b'), 'a.b does not exist'],
    ['an item of what is no list', { a: 1 }, append(['a'], 1), 'a is no list'],
    ['the object itself', {}, { op: 'remove', path: [] }, 'the object itself cannot be removed'],
  ];
  for (const [name, value, edit, reason] of REFUSED) {
    it(`refuse ${name}`, () => {
      assert.deepEqual(applyEdits(value, [edit]), { refused: reason });
    });
  }

  it('take __proto__ for a key like any other', () => {
    const edited = applyEdits(JSON.parse('{"__proto__":{"a":1}}'), [set(['__proto__', 'b'], 2)]);
    assert.equal(JSON.stringify('value' in edited && edited.value), '{"__proto__":{"a":1,"b":2}}');
    assert.equal((({}) as Record<string, unknown>)['b'], undefined);
  });
});

interface Case {
  readonly name: string;
  readonly object: unknown;
  /** Edits of each fix. */
  readonly fixes: readonly (readonly FieldEdit[])[];
  readonly result: unknown;
  readonly edits?: readonly FieldEdit[];
  /** Reasons. */
  readonly refused?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'items of one list are removed from its end, whatever the order of the findings',
    object: { volumes: [0, 1, 2, 3] }, fixes: [[remove('volumes', 1)], [remove('volumes', 3)], [remove('volumes', 0)]],
    edits: [remove('volumes', 3), remove('volumes', 1), remove('volumes', 0)], result: { volumes: [2] },
  },
  {
    name: 'an edit that two findings want is done once',
    object: { tolerations: [] }, fixes: [[append(['tolerations'], { key: 'os' })], [append(['tolerations'], { key: 'os' })], [set(['os', 'name'], 'windows')], [set(['os', 'name'], 'windows')]],
    edits: [set(['os'], { name: 'windows' }), append(['tolerations'], { key: 'os' })], result: { tolerations: [{ key: 'os' }], os: { name: 'windows' } },
  },
  {
    name: 'of two values for one field the first one is taken',
    object: {}, fixes: [[set(['os', 'name'], 'windows')], [set(['os', 'name'], 'linux'), set(['a'], 1)]],
    result: { os: { name: 'windows' } }, refused: ['another fix sets os.name to something else'],
  },
  {
    name: 'a field is not set in what is removed, nor removed around what is set',
    object: { a: { b: 1 }, c: { d: 1 } }, fixes: [[remove('a')], [set(['a', 'x'], 1)], [set(['c', 'x'], 1)], [remove('c')]],
    result: { c: { d: 1, x: 1 } }, refused: ['another fix removes a', 'another fix sets c.x to something else'],
  },
  {
    name: 'what is removed inside of something removed needs no edit',
    object: { a: { b: 1, c: 2 }, d: 1 }, fixes: [[remove('a', 'b')], [remove('a')]], edits: [remove('a')], result: { d: 1 },
  },
  {
    name: 'maps that become empty go, up to one that stays',
    object: { spec: { securityContext: { capabilities: { drop: ['ALL'], add: null } }, x: 1 } }, fixes: [[remove('spec', 'securityContext', 'capabilities', 'drop')]],
    edits: [remove('spec', 'securityContext')], result: { spec: { x: 1 } },
  },
  {
    name: 'a map in which something is set does not go, and keeps no null',
    object: { securityContext: { runAsUser: 0 } }, fixes: [[remove('securityContext', 'runAsUser')], [set(['securityContext', 'windowsOptions', 'runAsUserName'], 'ContainerUser')]],
    edits: [set(['securityContext', 'windowsOptions'], { runAsUserName: 'ContainerUser' }), remove('securityContext', 'runAsUser')],
    result: { securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } } },
  },
  { name: 'a map that means something when it is empty stays', object: { emptyDir: { medium: 'Memory' } }, fixes: [[remove('emptyDir', 'medium')]], result: { emptyDir: {} } },
  { name: 'a list of options that becomes empty goes', object: { x: 1, tolerations: [1] }, fixes: [[remove('tolerations', 0)]], result: { x: 1 } },
  {
    name: 'the last item of a list that must not be empty stays', object: { containers: [1] }, fixes: [[remove('containers', 0)]], result: { containers: [1] }, edits: [],
    refused: ['containers[0] is the only item of a list that must not be empty'],
  },
  {
    name: 'the items of such a list do not all go one by one', object: { containers: [1, 2] }, fixes: [[remove('containers', 0)], [remove('containers', 1)]], result: { containers: [2] },
    refused: ['containers[0] is the only item of a list that must not be empty'],
  },
  { name: 'a Service keeps a port', object: { spec: { ports: [1] } }, fixes: [[remove('spec', 'ports', 0)]], result: { spec: { ports: [1] } }, refused: ['spec.ports[0] is the only item of a list that must not be empty'] },
  { name: 'an item is replaced', object: { a: [1, 2] }, fixes: [[remove('a', 0), append(['a'], 3)]], edits: [append(['a'], 3), remove('a', 0)], result: { a: [2, 3] } },
  {
    name: 'missing parents are made once', object: { spec: { securityContext: null } },
    fixes: [[set(['spec', 'securityContext', 'a'], 1)], [set(['spec', 'securityContext', 'b', 'c'], 2)], [append(['spec', 'list'], 1), append(['spec', 'list'], 2)]],
    edits: [set(['spec', 'securityContext'], { a: 1, b: { c: 2 } }), set(['spec', 'list'], [1, 2])], result: { spec: { securityContext: { a: 1, b: { c: 2 } }, list: [1, 2] } },
  },
  { name: 'what is there already needs no edit', object: { os: { name: 'windows' } }, fixes: [[set(['os', 'name'], 'windows')], [remove('gone')], [remove('os', 'gone', 'x')]], edits: [], result: { os: { name: 'windows' } } },
  { name: 'a field of something that is no map is refused', object: { os: 'windows' }, fixes: [[set(['os', 'name'], 'windows')]], result: { os: 'windows' }, refused: ['os is no map'] },
];

describe('fixes of several findings', () => {
  for (const { name, object, fixes, result, edits, refused = [] } of CASES) {
    it(name, () => {
      const merged = mergeFixes(object, fixes.map((one) => ({ edits: one })));
      assert.deepEqual(merged.refused.map(({ reason }) => reason), refused);
      assert.deepEqual(merged.result, result);
      if (edits !== undefined) assert.deepEqual(merged.edits, edits);
      assert.deepEqual(applyEdits(object, merged.edits), { value: result });
      // Removals of list items mean other items the second time; everything else changes nothing any more.
      const isRepeatable = fixes.flat().every(({ op, path }) => op === 'set' || (op === 'remove' && !path.some((step) => typeof step === 'number')));
      if (isRepeatable) assert.deepEqual(mergeFixes(merged.result, merged.applied).edits, []);
    });
  }
});
