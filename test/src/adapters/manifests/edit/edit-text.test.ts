import assert from 'node:assert/strict';
import { editText } from '../../../../../src/adapters/manifests/edit/edit-text.ts';
import { parseDocuments } from '../../../../../src/adapters/inventory/parse-documents.ts';
import type { FieldEdit } from '../../../../../src/domain/check/finding.ts';
import { arrayAt, type KubeObject } from '../../../../../src/domain/kubernetes/object.ts';

interface Case {
  readonly name: string;
  readonly text: string;
  readonly edits: readonly FieldEdit[];
  /** The whole text afterwards. */
  readonly to: string;
}

const set = (path: string, value: unknown): FieldEdit => ({ op: 'set', path: steps(path), value });
const append = (path: string, value: unknown): FieldEdit => ({ op: 'append', path: steps(path), value });
const remove = (path: string): FieldEdit => ({ op: 'remove', path: steps(path) });

function steps(path: string): readonly (string | number)[] {
  return path.split('/').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

const HEAD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n';
const pod = (spec: string): string => HEAD + spec;

const renamed = (from: string, to: string, value: string): readonly FieldEdit[] => [
  { op: 'remove', path: ['spec', 'nodeSelector', from] }, { op: 'set', path: ['spec', 'nodeSelector', to], value },
];

const CASES: readonly Case[] = [
  {
    name: 'a key that goes while another comes with its value is renamed in its place, with the comments around it',
    text: pod('spec:\n  nodeSelector:\n    # the pool\n    beta.kubernetes.io/os: windows # the Windows one\n    tier: web\n'),
    edits: renamed('beta.kubernetes.io/os', 'kubernetes.io/os', 'windows'),
    to: pod('spec:\n  nodeSelector:\n    # the pool\n    kubernetes.io/os: windows # the Windows one\n    tier: web\n'),
  },
  {
    name: 'a renamed key keeps its quotes, in flow style too',
    text: pod(`spec:\n  nodeSelector: {'beta.kubernetes.io/os': "windows", tier: web} # both\n`),
    edits: renamed('beta.kubernetes.io/os', 'kubernetes.io/os', 'windows'),
    to: pod(`spec:\n  nodeSelector: {'kubernetes.io/os': "windows", tier: web} # both\n`),
  },
  {
    name: 'a key goes with the comment behind it and the one right above it; other comments stay',
    text: pod('spec:\n  # about the pod\n  hostPID: true\n  # it must not be root\n  hostIPC: true # why?\n\n  # the network\n  hostNetwork: true\n'),
    edits: [remove('spec/hostIPC')],
    to: pod('spec:\n  # about the pod\n  hostPID: true\n\n  # the network\n  hostNetwork: true\n'),
  },
  {
    name: 'a comment above the first key of a map stays: it may be about them all',
    text: pod('spec:\n  # about the pod\n  hostPID: true\n  hostIPC: true\n'),
    edits: [remove('spec/hostPID')],
    to: pod('spec:\n  # about the pod\n  hostIPC: true\n'),
  },
  {
    name: 'a comment inside of what is removed goes with it',
    text: pod('spec:\n  securityContext:\n    # for Linux\n    runAsUser: 0\n      # deep\n    # - NET_ADMIN\n  # the network\n  hostNetwork: true\n'),
    edits: [remove('spec/securityContext/runAsUser')],
    to: pod('spec:\n  # the network\n  hostNetwork: true\n'),
  },
  {
    name: 'the only key of a map that may not be left out leaves {}',
    text: pod('spec:\n  volumes:\n  - name: v\n    emptyDir: # here\n      medium: Memory\n  hostNetwork: true\n'),
    edits: [remove('spec/volumes/0/emptyDir/medium')],
    to: pod('spec:\n  volumes:\n  - name: v\n    emptyDir: {} # here\n  hostNetwork: true\n'),
  },
  {
    name: 'the first key of a list item hands the dash to the next one',
    text: pod('spec:\n  containers:\n    -   securityContext:\n          privileged: true\n        name: a\n        image: b\n'),
    edits: [remove('spec/containers/0/securityContext/privileged')],
    to: pod('spec:\n  containers:\n    -   name: a\n        image: b\n'),
  },
  {
    name: 'the first key of a list item leaves the dash alone where a comment follows',
    text: pod('spec:\n  containers:\n  - tty: true\n    # its name\n    name: a\n'),
    edits: [remove('spec/containers/0/tty')],
    to: pod('spec:\n  containers:\n  -\n    # its name\n    name: a\n'),
  },
  {
    name: 'the last lines of a file without a line break at its end',
    text: pod('spec:\n  hostNetwork: true\n  hostPID: true'),
    edits: [remove('spec/hostPID')],
    to: pod('spec:\n  hostNetwork: true'),
  },
  {
    name: 'a key added to a file without a line break at its end',
    text: pod('spec:\n  hostNetwork: true'),
    edits: [set('spec/os/name', 'windows')],
    to: pod('spec:\n  hostNetwork: true\n  os:\n    name: windows'),
  },
  {
    name: 'Windows line ends, blanks at line ends and a document end',
    text: `${pod('spec:  \n  hostNetwork: true   \n  hostPID: true # x\n...\n')}`.replaceAll('\n', '\r\n'),
    edits: [remove('spec/hostPID'), set('spec/os/name', 'windows')],
    to: `${pod('spec:  \n  hostNetwork: true   \n  os:\n    name: windows\n...\n')}`.replaceAll('\n', '\r\n'),
  },
  {
    name: 'what people read first stands before the containers',
    text: pod('spec:\n    restartPolicy: Always\n    # the only one\n    containers:\n    - name: a\n'),
    edits: [set('spec/os/name', 'windows'), set('spec/nodeSelector', { 'kubernetes.io/os': 'windows' })],
    to: pod('spec:\n    restartPolicy: Always\n    os:\n        name: windows\n    nodeSelector:\n        kubernetes.io/os: windows\n    # the only one\n    containers:\n    - name: a\n'),
  },
  {
    name: 'values in the quotes that stand there, plain ones only where they stay text',
    text: pod('spec:\n  a: "x" # one\n  b: \'x\'\n  c: x\n  d: x\n  e: x\n  f: x\n'),
    edits: [set('spec/a', 'it"s'), set('spec/b', "it's"), set('spec/c', 'windows'), set('spec/d', 'yes'), set('spec/e', '10.0.20348'), set('spec/f', '1:30')],
    to: pod('spec:\n  a: "it\\"s" # one\n  b: \'it\'\'s\'\n  c: windows\n  d: \'yes\'\n  e: 10.0.20348\n  f: \'1:30\'\n').replace('a: "it\\"s"', 'a: \'it"s\''),
  },
  {
    name: 'a scalar of several lines is replaced with all of them',
    text: pod('spec:\n  a: |+\n    one\n\n    two\n\n  b: one\n    two\n  c: 1\n'),
    edits: [set('spec/a', 'x'), set('spec/b', 'z')],
    to: pod('spec:\n  a: x\n  b: z\n  c: 1\n'),
  },
  {
    name: 'an empty value, a value of another kind',
    text: pod('spec:\n  a: # nothing\n  b: 1 # one\n  c:\n    d: 1\n  e: [1]\n'),
    edits: [set('spec/a', 2), set('spec/b', { x: [1] }), set('spec/c', 3), set('spec/e', 'text')],
    to: pod('spec:\n  a: 2 # nothing\n  b: # one\n    x:\n    - 1\n  c: 3\n  e: text\n'),
  },
  {
    name: 'lists with and without indentation get items like their others',
    text: pod('spec:\n  a:\n    - x\n    # last\n  b:\n  -   name: y\n      value: z\n  c: [ 1, 2 ]\n  d: []\n'),
    edits: [append('spec/a', 'new'), append('spec/b', { name: 'm', value: 'v' }), append('spec/c', 3), append('spec/d', 'first')],
    to: pod('spec:\n  a:\n    - x\n    - new\n    # last\n  b:\n  -   name: y\n      value: z\n  -   name: m\n      value: v\n  c: [ 1, 2, 3 ]\n  d:\n    - first\n'),
  },
  {
    name: 'maps in flow style',
    text: pod('spec:\n  a: {x: 1, w: 2}\n  b: { x: 1 }\n  c: {}\n  d: {x: 1, w: 2, z: 3}\n  e: {\n    x: 1,\n    w: 2,\n    }\n'),
    edits: [remove('spec/a/x'), set('spec/b/w', 'z'), set('spec/c/x', 1), remove('spec/d/w'), remove('spec/d/z'), set('spec/e/z', [1])],
    to: pod('spec:\n  a: {w: 2}\n  b: { x: 1, w: z }\n  c:\n    x: 1\n  d: {x: 1}\n  e: {\n    x: 1,\n    w: 2,\n    z: [1],\n    }\n'),
  },
  {
    name: 'items of lists, several of one',
    text: pod('spec:\n  a:\n  - 0\n  # one\n  - 1\n  - 2 # two\n  - 3\n  b: [0, 1, 2]\n'),
    edits: [remove('spec/a/1'), remove('spec/a/2'), remove('spec/b/0'), remove('spec/b/2')],
    to: pod('spec:\n  a:\n  - 0\n  - 3\n  b: [1]\n'),
  },
  {
    name: 'an item of a list and a key of a later one',
    text: pod('spec:\n  a:\n  - x: 0\n    w: 0\n  - x: 1\n    w: 1\n    z: 1\n'),
    edits: [remove('spec/a/0'), remove('spec/a/1/w'), set('spec/a/1/x', 2), remove('spec/a/1/z')],
    to: pod('spec:\n  a:\n  - x: 2\n'),
  },
  {
    name: 'a null parent',
    text: pod('spec:\n  securityContext:\n  nodeSelector: ~\n  hostNetwork: true\n'),
    edits: [set('spec/securityContext/windowsOptions/hostProcess', true), set('spec/nodeSelector/a', 'b')],
    to: pod('spec:\n  securityContext:\n    windowsOptions:\n      hostProcess: true\n  nodeSelector:\n    a: b\n  hostNetwork: true\n'),
  },
  {
    name: 'all users of an anchor want the same',
    text: pod('spec:\n  containers:\n  - name: a\n    securityContext: &sc\n      privileged: true\n      procMount: x\n  - name: b\n    securityContext: *sc\n'),
    edits: [remove('spec/containers/0/securityContext/privileged'), remove('spec/containers/1/securityContext/privileged')],
    to: pod('spec:\n  containers:\n  - name: a\n    securityContext: &sc\n      procMount: x\n  - name: b\n    securityContext: *sc\n'),
  },
  {
    name: 'all users of a merge key want the same, which is not all that it brings',
    text: pod('spec:\n  containers:\n  - name: a\n    securityContext: &sc\n      privileged: true\n      procMount: x\n  - name: b\n    securityContext:\n      <<: *sc\n      runAsNonRoot: true\n'),
    edits: [remove('spec/containers/0/securityContext/privileged'), remove('spec/containers/1/securityContext/privileged')],
    to: pod('spec:\n  containers:\n  - name: a\n    securityContext: &sc\n      procMount: x\n  - name: b\n    securityContext:\n      <<: *sc\n      runAsNonRoot: true\n'),
  },
  {
    name: 'a field below one that a merge of several brings, through an alias in it',
    text: pod('spec:\n  one: {q: 1}\n  a: &a\n    x: &x {w: 1, z: 1}\n  b: {<<: [{q: 1}, *a]}\n  c: *x\n'),
    edits: [remove('spec/a/x/w'), remove('spec/b/x/w'), remove('spec/c/w')],
    to: pod('spec:\n  one: {q: 1}\n  a: &a\n    x: &x {z: 1}\n  b: {<<: [{q: 1}, *a]}\n  c: *x\n'),
  },
  {
    name: 'a user of an anchor has a value of its own for what the others change',
    text: pod('spec:\n  a: &a\n    x: 1\n    y: 1\n  b:\n    <<: *a\n    x: 3\n'),
    edits: [set('spec/a/x', 2)],
    to: pod('spec:\n  a: &a\n    x: 2\n    y: 1\n  b:\n    <<: *a\n    x: 3\n'),
  },
  {
    name: 'an alias itself is removed or replaced',
    text: pod('spec:\n  a: &x\n    y: 1\n  b: *x\n  c: *x\n'),
    edits: [remove('spec/b'), set('spec/c', 1)],
    to: pod('spec:\n  a: &x\n    y: 1\n  c: 1\n'),
  },
  {
    name: 'an own key beside a merge key',
    text: pod('x: &x\n  w: 1\nspec:\n  <<: *x\n  z: 2\n'),
    edits: [set('spec/w', 3), remove('spec/z')],
    to: pod('x: &x\n  w: 1\nspec:\n  <<: *x\n  w: 3\n'),
  },
  {
    name: 'a list item that starts a list',
    text: pod('spec:\n  a:\n  - - x\n    - y\n  - - z\n'),
    edits: [append('spec/a/0', 'k'), append('spec/a/1', 'm')],
    to: pod('spec:\n  a:\n  - - x\n    - y\n    - k\n  - - z\n    - m\n'),
  },
  {
    name: 'keys in quotes, numbers as keys, keys that kubectl reads as booleans',
    text: pod('spec:\n  "a": 1\n  \'b\': 1\n  on: 1\n  014: 1\n  keep: 1\n'),
    edits: [remove('spec/a'), remove('spec/b'), remove('spec/true')],
    to: pod('spec:\n  014: 1\n  keep: 1\n'),
  },
  {
    name: 'JSON over several lines',
    text: '{\n    "kind": "Pod",\n    "metadata": {\n        "name": "a"\n    },\n    "spec": {\n        "hostPID": true,\n        "containers": [\n            {"name": "a", "tty": true}\n        ]\n    }\n}\n',
    edits: [remove('spec/hostPID'), remove('spec/containers/0/tty'), set('spec/os/name', 'windows'), append('spec/tolerations', { operator: 'Exists' })],
    to: '{\n    "kind": "Pod",\n    "metadata": {\n        "name": "a"\n    },\n    "spec": {\n        "containers": [\n            {"name": "a"}\n        ],\n        "os": {\n            "name": "windows"\n        },\n        "tolerations": [\n            {\n                "operator": "Exists"\n            }\n        ]\n    }\n}\n',
  },
  {
    name: 'JSON in one line',
    text: '{"kind":"Pod","metadata":{"name":"a"},"spec":{"hostPID":true,"x":[1,2]}}',
    edits: [set('spec/os/name', 'windows'), remove('spec/hostPID'), append('spec/x', 3)],
    to: '{"kind":"Pod","metadata":{"name":"a"},"spec":{"x":[1,2,3],"os":{"name":"windows"}}}',
  },
  {
    name: 'a list item becomes another value, in the line of its dash',
    text: pod('spec:\n  a:\n  - x: 1\n    z: |\n      text\n  - |\n    text\n  - 1\n'),
    edits: [set('spec/a/0', 'one'), set('spec/a/1', { k: 'v', l: [1] }), set('spec/a/2', { k: 'v' })],
    to: pod('spec:\n  a:\n  - one\n  - k: v\n    l:\n    - 1\n  - k: v\n'),
  },
  {
    name: 'an object of a List, and a document that is not concerned',
    text: `# first\n%YAML 1.1\n---\nkind: List\napiVersion: v1\nitems:\n- kind: Pod\n  metadata: {name: b}\n  spec:\n    x: 1\n- kind: Pod\n  metadata:\n    name: a\n  spec:\n    x: 1\n    y: 2\n--- # next\nkind:   Pod\nmetadata: { name: "c" }\n`,
    edits: [remove('spec/x')],
    to: `# first\n%YAML 1.1\n---\nkind: List\napiVersion: v1\nitems:\n- kind: Pod\n  metadata: {name: b}\n  spec:\n    x: 1\n- kind: Pod\n  metadata:\n    name: a\n  spec:\n    y: 2\n--- # next\nkind:   Pod\nmetadata: { name: "c" }\n`,
  },
];

async function objectNamed(text: string, name: string): Promise<KubeObject> {
  const values = (await parseDocuments(text, 'x.yaml')).map(({ value }) => value as KubeObject); // the texts above hold objects
  const object = values.flatMap((value) => (value.kind === 'List' ? arrayAt(value, 'items') as readonly KubeObject[] : [value])).find(({ metadata }) => metadata?.['name'] === name);
  assert.ok(object);
  return object;
}

describe('the text of manifests', () => {
  for (const { name, text, edits, to } of CASES) {
    it(name, async () => {
      const fixes = edits.map((edit) => ({ edits: [edit] }));
      const edited = await editText(text, [{ object: await objectNamed(text, 'a'), fixes }]);
      assert.deepEqual(edited.refused.map(({ reason }) => reason), []);
      assert.equal(edited.text, to);
    });
  }

  const REFUSED: readonly { readonly name: string; readonly text: string; readonly edits: readonly FieldEdit[]; readonly reason: RegExp }[] = [
    {
      name: 'another user of an anchor does not want the change',
      text: pod('spec:\n  containers:\n  - name: a\n    securityContext: &sc\n      privileged: true\n      procMount: x\n  - name: b\n    securityContext: *sc\n'),
      edits: [remove('spec/containers/0/securityContext/privileged')], reason: /^the value is shared through the anchor &sc, and the change is not wanted at spec\.containers\[1\]\.securityContext$/,
    },
    {
      name: 'the change would be made in the anchor of another',
      text: pod('x: &x\n  privileged: true\n  y: 1\nspec:\n  securityContext: *x\n'),
      edits: [remove('spec/securityContext/privileged')], reason: /shared through the anchor &x/,
    },
    {
      name: 'the key comes from a merge',
      text: pod('x: &x\n  hostPID: true\nspec:\n  <<: *x\n  z: 2\n'),
      edits: [remove('spec/hostPID')], reason: /^the value is shared through the anchor &x, and the change is not wanted at x$/,
    },
    {
      name: 'a parent comes from a merge',
      text: pod('x: &x\n  os:\n    name: linux\nspec:\n  <<: *x\n  z: 2\n'),
      edits: [set('spec/os/name', 'windows')], reason: /^the value is shared through the anchor &x, and the change is not wanted at x$/,
    },
    {
      name: 'an anchor that others need would go',
      text: pod('spec:\n  hostPID: &yes true\n  hostIPC: *yes\n'),
      edits: [remove('spec/hostPID')], reason: /shared through the anchor &yes/,
    },
    { name: 'the only container', text: pod('spec:\n  containers:\n  - name: a\n'), edits: [remove('spec/containers/0')], reason: /only item of a list that must not be empty/ },
  ];
  for (const { name, text, edits, reason } of REFUSED) {
    it(`stays as it is where ${name}`, async () => {
      const edited = await editText(text, [{ object: await objectNamed(text, 'a'), fixes: [{ edits }] }]);
      assert.equal(edited.text, text);
      assert.deepEqual(edited.applied, []);
      assert.match(edited.refused[0]?.reason ?? '', reason);
    });
  }

  it('gets what can be done, where one of several fixes cannot', async () => {
    const text = pod('spec:\n  a: &yes true\n  b: *yes\n  c: 1\n  d: 1\n');
    const fixes = ['a', 'c', 'd'].map((key) => ({ edits: [remove(`spec/${key}`)] }));
    const edited = await editText(text, [{ object: await objectNamed(text, 'a'), fixes }]);
    assert.equal(edited.text, pod('spec:\n  a: &yes true\n  b: *yes\n'));
    assert.deepEqual(edited.applied, [fixes[1], fixes[2]]);
    assert.deepEqual(edited.refused.map(({ fix }) => fix), [fixes[0]]);
  });

  it('of values that are shared: gets at the anchor what all want, of several objects too, and says of the rest who does not want it', async () => {
    const item = (name: string, spec: string): string => `- apiVersion: v1\n  kind: Pod\n  metadata: {name: ${name}}\n  spec: ${spec}\n`;
    const list = (spec: string): string => `apiVersion: v1\nkind: List\nitems:\n${item('a', `&s ${spec}`)}${item('b', '*s')}${item('c', '{a: &v {x: 1, y: 1}, b: *v}')}`;
    const text = list('{hostPID: true, hostIPC: true, hostNetwork: false}');
    const both = [{ edits: [remove('spec/hostPID')] }, { edits: [remove('spec/hostIPC')] }];
    const ofC = [{ edits: [remove('spec/a/x')] }];
    const edited = await editText(text, [
      { object: await objectNamed(text, 'a'), fixes: both },
      { object: await objectNamed(text, 'b'), fixes: both.slice(0, 1) },
      { object: await objectNamed(text, 'c'), fixes: ofC },
    ]);
    assert.equal(edited.text, list('{hostIPC: true, hostNetwork: false}'));
    assert.equal(edited.applied.length, 2);
    assert.deepEqual(edited.refused, [
      { fix: both[1], reason: 'the value is shared through the anchor &s, and the change is not wanted at items[1].spec' },
      { fix: ofC[0], reason: 'the value is shared through the anchor &v, and the change is not wanted at items[2].spec.b' },
    ]);
  });

  it('of thousands of values that are shared takes no time that grows with their square', async () => {
    const text = `apiVersion: v1\nkind: List\nitems:\n${Array.from({ length: 1_000 }, (_none, index) => `- {kind: Pod, metadata: {name: p${index}}, spec: {a: &v${index} {x: 1, y: 1}, b: *v${index}}}\n`).join('')}`;
    const [list] = (await parseDocuments(text, 'x.yaml')).map(({ value }) => value as KubeObject);
    const objects = arrayAt(list, 'items') as readonly KubeObject[];
    const started = performance.now();
    const edited = await editText(text, objects.map((object, index) => ({ object, fixes: [{ edits: index < 500 ? [remove('spec/a/x')] : [remove('spec/a/x'), remove('spec/b/x')] }] })));
    assert.deepEqual([edited.applied.length, edited.refused.length], [500, 500]);
    assert.ok(performance.now() - started < 5_000);
  });

  it('of an object with a key that is given twice: the last one is meant', async () => {
    const text = pod('spec:\n  a: 1\n  a: 2\n  b: 1\n');
    const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { a: 2, b: 1 } };
    const edited = await editText(text, [{ object, fixes: [{ edits: [remove('spec/a')] }, { edits: [remove('spec/b'), set('spec/a', 3)] }] }]);
    assert.equal(edited.text, text);
    const other = await editText(text, [{ object, fixes: [{ edits: [remove('spec/b'), set('spec/a', 3)] }] }]);
    assert.equal(other.text, pod('spec:\n  a: 1\n  a: 3\n'));
  });

  it('is edited beside a document that cannot be read', async () => {
    const good = pod('spec:\n  a: 1\n  b: 1\n');
    const broken = 'a: [\n---\n';
    const edited = await editText(broken + good, [{ object: await objectNamed(good, 'a'), fixes: [{ edits: [remove('spec/b')] }] }]);
    assert.equal(edited.text, broken + pod('spec:\n  a: 1\n'));
  });

  it('takes two objects of the same content one after the other', async () => {
    const one = pod('spec:\n  a: 1\n  b: 1\n');
    const text = `${one}---\n${one}`;
    const objects = (await parseDocuments(text, 'x.yaml')).map(({ value }) => value as KubeObject); // documents of the text above
    const edited = await editText(text, objects.map((object) => ({ object, fixes: [{ edits: [remove('spec/b')] }] })));
    assert.equal(edited.text, text.replaceAll('  b: 1\n', ''));
    assert.equal(edited.applied.length, 2);
  });

  it('is not edited for an object that is not in it', async () => {
    const text = pod('spec:\n  a: 1\n');
    const edited = await editText(text, [{ object: { kind: 'Pod', metadata: { name: 'z' } }, fixes: [{ edits: [remove('spec/a')] }] }]);
    assert.equal(edited.text, text);
    assert.match(edited.refused[0]?.reason ?? '', /cannot be found/);
  });
});
