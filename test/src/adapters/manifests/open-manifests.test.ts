import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { openManifests } from '../../../../src/adapters/manifests/open-manifests.ts';
import type { ManifestObject, ManifestSource, UnreadableDocument } from '../../../../src/app/ports.ts';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { nameOf } from '../../../../src/domain/kubernetes/object.ts';
import { UsageError } from '../../../../src/errors.ts';

const map = (name: string, rest = ''): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${rest}`;

describe('manifests', function () {
  this.timeout(20_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-win-manifests-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, content: string | Uint8Array): string {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  interface Read {
    readonly objects: readonly ManifestObject[];
    readonly unreadable: readonly UnreadableDocument[];
    readonly source: ManifestSource;
    readonly names: readonly string[];
  }

  async function read(sources: readonly string[], options: { readonly stdin?: string | Uint8Array; readonly recursive?: boolean } = {}): Promise<Read> {
    const source = openManifests(sources, { stdin: Readable.from([Buffer.from(options.stdin ?? '')]), recursive: options.recursive === true });
    const objects: ManifestObject[] = [];
    const unreadable: UnreadableDocument[] = [];
    for await (const entry of source.read()) {
      if ('object' in entry) objects.push(entry);
      else unreadable.push(entry);
    }
    return { objects, unreadable, source, names: objects.map(({ object }) => nameOf(object)) };
  }

  const readText = (text: string | Uint8Array): Promise<Read> => read(['-'], { stdin: text });
  const problemsOf = ({ objects }: Read): readonly string[] => objects.flatMap(({ problems }) => problems.map(({ kind, path }) => `${kind} ${formatFieldPath(path)}`));

  describe('are found', () => {
    it('in files of any name, in folders by their endings and by name, on standard input, in the order given', async () => {
      write('d/b.yml', map('b'));
      write('d/a.yaml', map('a'));
      write('d/c.json', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }));
      write('d/x.txt', 'no manifest');
      write('d/deep/d.yaml', map('d'));
      const file = write('manifest.txt', map('e'));
      assert.deepEqual((await read([file, join(folder, 'd'), '-'], { stdin: map('f') })).names, ['e', 'a', 'b', 'c', 'f']);
      assert.deepEqual((await read([join(folder, 'd')], { recursive: true })).names, ['a', 'b', 'c', 'd']);
      assert.deepEqual((await read([join(folder, 'd')])).objects.map((entry) => entry.file), ['a.yaml', 'b.yml', 'c.json'].map((name) => join(folder, 'd', name)));
      assert.equal((await read(['-'], { stdin: map('f') })).objects[0]?.file, 'stdin');
    });

    it('by a pattern that no shell has expanded, and in lists with commas', async () => {
      const [a, b] = [write('a-1.yaml', map('a')), write('a-2.yaml', map('b'))];
      write('sub/c.yaml', map('c'));
      assert.deepEqual((await read([join(folder, 'a-?.yaml')])).names, ['a', 'b']);
      assert.deepEqual((await read([join(folder, '*', '[a-c].yaml')])).names, ['c']);
      assert.deepEqual((await read([`${a},${b}`])).names, ['a', 'b']);
      assert.deepEqual((await read([write('with,comma[1].yaml', map('d'))])).names, ['d']);
      assert.match((await read([join(folder, 'z*.yaml')])).unreadable[0]?.message ?? '', /no such file/);
    });

    it('but for what a folder holds beside them, which a note names', async () => {
      write('values.yaml', 'replicas: 3\n');
      write('empty.yaml', '');
      write('comment.yaml', '# nothing\n---\n');
      write('kustomization.yaml', 'resources: [a.yaml]\n');
      write('list.yaml', '- 1\n');
      write('a.yaml', map('a'));
      const result = await read([folder]);
      assert.deepEqual([result.names, result.unreadable], [['a'], []]);
      assert.match(result.source.notes.join('\n'), /left out: .*list\.yaml, .*values\.yaml/);
      assert.match(result.source.notes.join('\n'), /kubectl kustomize .* \| kubectl win check -f -/);
      mkdirSync(join(folder, 'bare'));
      assert.match((await read([join(folder, 'bare')])).source.notes.join(), /has no \.yaml, \.yml or \.json files of its own; with -R/);
      assert.match((await read([join(folder, 'values.yaml')])).unreadable[0]?.message ?? '', /has no kind/);
      assert.match((await read([join(folder, 'empty.yaml')])).unreadable[0]?.message ?? '', /empty/);
      assert.match((await read([join(folder, 'comment.yaml')])).unreadable[0]?.message ?? '', /no objects/);
    });

    it('in no URL', () => {
      for (const source of ['https://example.com/a.yaml', 'HTTP://x', 'git+ssh://x', '']) {
        assert.throws(() => openManifests([source], { stdin: Readable.from([]) }), UsageError, source);
      }
      assert.throws(() => openManifests([], { stdin: Readable.from([]) }), UsageError);
      assert.throws(() => openManifests(['-', '-'], { stdin: Readable.from([]) }), UsageError);
    });

    it('past what cannot be read: missing, forbidden and vanished files, links that lead nowhere or in a circle, pipes in folders', async function () {
      if (process.platform === 'win32') this.skip();
      write('d/a.yaml', map('a'));
      write('d/z.yaml', map('z'));
      symlinkSync(join(folder, 'nowhere'), join(folder, 'd/broken.yaml'));
      symlinkSync('loop.yaml', join(folder, 'd/loop.yaml'));
      symlinkSync('..', join(folder, 'd/up'));
      symlinkSync('..', join(folder, 'd/up.yaml'));
      execFileSync('mkfifo', [join(folder, 'd/pipe.yaml')]);
      const result = await read([join(folder, 'd'), join(folder, 'missing.yaml')], { recursive: true });
      assert.deepEqual(result.names, ['a', 'z']);
      assert.deepEqual(result.unreadable.map(({ file, message }) => [file.slice(folder.length), message]), [
        ['/d/broken.yaml', 'no such file or folder'], ['/d/loop.yaml', 'a chain of symbolic links that leads back to itself'], ['/missing.yaml', 'no such file or folder'],
      ]);
      assert.match(result.source.notes.join(), /pipe\.yaml is no regular file/);
      const source = openManifests([join(folder, 'd')], { stdin: Readable.from([]) });
      const messages: string[] = [];
      for await (const entry of source.read()) {
        unlinkIfThere(join(folder, 'd/z.yaml'));
        if (!('object' in entry)) messages.push(`${entry.file.slice(folder.length)}: ${entry.message}`);
      }
      assert.ok(messages.includes('/d/z.yaml: no such file or folder'), messages.join());
      if (process.getuid?.() !== 0) {
        chmodSync(write('secret.yaml', map('s')), 0);
        assert.match((await read([join(folder, 'secret.yaml')])).unreadable[0]?.message ?? '', /permission denied/);
      }
    });

    it('until the signal says to stop', async () => {
      write('a.yaml', map('a'));
      await assert.rejects(async () => {
        for await (const _ of openManifests([folder], { stdin: Readable.from([]) }).read(AbortSignal.abort(new Error('stopped')))) assert.fail();
      }, /stopped/);
    });
  });

  describe('are read', () => {
    it('as UTF-8 and UTF-16 with a byte order mark, and other encodings are named (R131, R132, R134)', async () => {
      const text = map('ä');
      const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
      const big = Buffer.from(utf16).swap16();
      for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`), utf16, big]) {
        const result = await readText(bytes);
        assert.deepEqual(result.names, ['ä']);
        assert.deepEqual(result.objects[0]?.locate(['kind']), { file: 'stdin', line: 2, column: 1, length: 4 });
      }
      assert.match((await readText(Buffer.from(text, 'latin1'))).unreadable[0]?.message ?? '', /not UTF-8.*Windows-1252/);
      assert.match((await readText(Buffer.from(text, 'utf16le'))).unreadable[0]?.message ?? '', /UTF-16 \(little endian\) without a byte order mark/);
      assert.match((await readText('apiVersion: v1\0')).unreadable[0]?.message ?? '', /binary/);
    });

    it('document by document: a broken one is told with its place, the others are judged', async () => {
      const result = await readText(`# Source: a.yaml\n---\n${map('a')}---\nkind: ConfigMap\n bad: x\n---\n# Source: b.yaml\n---\n${map('b', 'data:\n  text: |\n    x\n    --- no marker\n')}--- # Source: c.yaml\n${map('c')}...\n`);
      assert.deepEqual(result.names, ['a', 'b', 'c']);
      assert.deepEqual(result.unreadable.map(({ line, column }) => [line, column]), [[9, 5]]);
      assert.deepEqual(result.objects.map((entry) => entry.locate(['metadata', 'name']).line), [6, 16, 25]);
      assert.equal(result.objects[2]?.lineText(25), '  name: c');
    });

    it('with Lists unrolled, at the places of their items', async () => {
      const pod = (name: string): string => `  - metadata:\n      name: ${name}\n    spec:\n      containers: [{name: c, imag: x}]\n`;
      const result = await readText(`apiVersion: v1\nkind: PodList\nitems:\n${pod('a')}${pod('b')}`);
      const withNull = await readText('{"apiVersion":"v1","kind":"PodList","items":[{"apiVersion":null,"kind":null,"metadata":{"name":"n"}}]}');
      assert.deepEqual(withNull.objects.map(({ object }) => [object.apiVersion, object.kind]), [['v1', 'Pod']]);
      assert.deepEqual(result.objects.map(({ object }) => [object.apiVersion, object.kind, nameOf(object)]), [['v1', 'Pod', 'a'], ['v1', 'Pod', 'b']]);
      assert.deepEqual(problemsOf(result), ['unknown-field spec.containers[0].imag', 'unknown-field spec.containers[0].imag']);
      assert.deepEqual(result.objects.map((entry) => entry.locate(['spec', 'containers', 0, 'imag'])).map(({ line, column, length }) => [line, column, length]), [[7, 30, 4], [11, 30, 4]]);
      const nested = await readText(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } }, 7, { kind: 'Pod' }] }] }, null, 1));
      assert.deepEqual(nested.names, ['n']);
      assert.deepEqual(nested.unreadable.map(({ message }) => message), ['items[0].items[1] is the number 7, not a Kubernetes object', 'items[0].items[2] (kind Pod) has no apiVersion']);
      assert.equal(nested.objects[0]?.lineText(nested.objects[0].locate(['metadata', 'name']).line).trim(), '"name": "n"');
      const empty = await readText('{"apiVersion":"v1","items":[],"kind":"List"}');
      assert.deepEqual([empty.names, empty.unreadable], [[], []]);
    });

    it('with custom resources whose kind ends in List as objects', async () => {
      assert.deepEqual((await readText('apiVersion: example.com/v1\nkind: AllowList\nmetadata:\n  name: a\n')).names, ['a']);
    });

    it('from several JSON values, and from JSON and YAML in one file', async () => {
      const json = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"j"}}';
      assert.deepEqual((await readText(`${json}\n${json}\n`)).names, ['j', 'j']);
      const mixed = await readText(`${json}\n---\n${map('yy')}---\n${json}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: flow}}\n`);
      assert.deepEqual(mixed.names, ['j', 'yy', 'j', 'flow']);
      assert.deepEqual(mixed.objects.map((entry) => entry.locate(['metadata', 'name'])).map(({ line, column }) => [line, column]), [[1, 51], [6, 3], [8, 51], [10, 46]]);
      const broken = await readText(`{"apiVersion": "v1",\n "kind" "x"}\n---\n${map('yy')}`);
      assert.deepEqual([broken.names, broken.unreadable.map(({ line, column }) => [line, column])], [['yy'], [[2, 9]]]);
    });

    it('with duplicate keys: the last value counts, and both places are told', async () => {
      for (const text of [map('a', 'data:\n  k: "1"\n  k: "2"\n'), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},\n\n\n\n"data":{"k":"1",\n"k":"2"}}']) {
        const [entry] = (await readText(text)).objects;
        assert.deepEqual(entry?.object['data'], { k: '2' });
        const [problem, ...others] = entry.problems;
        assert.deepEqual(others, []);
        assert.deepEqual([problem?.kind, problem?.path], ['duplicate-key', ['data', 'k']]);
        assert.match(problem?.message ?? '', /"k" is given twice, first in line [56]/);
        assert.deepEqual(problem?.place, entry.locate(['data', 'k']));
      }
      const list = await readText(`apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b, name: c}\n`);
      assert.deepEqual(list.objects.map(({ problems }) => problems.length), [0, 1]);
    });

    it('not where they are templates, which are named as such', async () => {
      const cases = [
        ['metadata:\n  name: {{ .Release.Name }}\n', /Go template, as of a Helm chart/], ['{{- if .Values.enabled }}\nkind: Pod\n{{- end }}\n', /Helm/], ['{{ include "x" . }}\n', /Helm/],
        ['{% for x in y %}\nkind: Pod\n{% endfor %}\n', /Jinja/], ['name: {{ app_name }}\n', /a template/], [map('"{{ .Release.Name }}-web"'), /Helm/],
      ] as const;
      for (const [text, expected] of cases) {
        const { unreadable, objects } = await readText(text);
        assert.equal(objects.length, 0, text);
        assert.match(unreadable[0]?.message ?? '', expected);
        assert.ok(unreadable[0]?.line != null && unreadable[0].suggestions.length > 0);
      }
      assert.deepEqual((await readText(map('a', 'data:\n  x: "{{ .Name }}"\n  # {{ if }}\n'))).names, ['a']);
      const fault = (await readText('a: b: c # see {{ .Values }}\n')).unreadable[0];
      assert.match(fault?.message ?? '', /^not valid YAML/);
    });

    it('not where they are pages, tables, messages, kubeconfigs or answers', async () => {
      for (const text of ['<!doctype html><html>', 'NAME   READY   STATUS\nweb    1/1     Running\n', 'Error from server (NotFound): pods "a" not found', 'apiVersion: v1\nkind: Status\nmessage: no\n', 'apiVersion: v1\nkind: Config\nclusters: []\n', 'just text', '[1, 2]', '42', '"x"']) {
        const result = await readText(text);
        assert.deepEqual([result.names, result.unreadable.length, result.unreadable[0]?.line], [[], 1, 1], text);
      }
    });

    it('with brackets and quotes indented as little as kubectl takes', async () => {
      const result = await readText(map('a', 'data:\n  args: [\n    a,\n  "b\n  c"\n  ]#c\n  x: {\n}\n'));
      assert.deepEqual(result.objects[0]?.object['data'], { args: ['a', 'b c'], x: {} });
      assert.deepEqual(result.objects[0].locate(['data', 'args', 1]), { file: 'stdin', line: 8, column: 3, length: 2 });
      assert.deepEqual((await readText(map('a', 'data:\n  args: [\n  a\n  ]\n  x: [\n  }\n'))).unreadable.map(({ line, column }) => [line, column]), [[10, 3]]);
    });
  });

  describe('end quickly with a clear error', () => {
    const cases: readonly (readonly [string, () => string | Uint8Array, RegExp])[] = [
      ['billions of aliases', () => `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'.split('').map((letter, index) => `${letter}: &${letter} [${`*${'abcdefghij'[index]},`.repeat(9)}]\n`).join('')}`, /aliases expand to more than/],
      ['an alias of itself', () => 'kind: &a {x: *a}\n', /contains itself/],
      ['a nest of brackets', () => '['.repeat(100_000), /nested|exceeded|depth/i],
      ['a nest of maps', () => Array.from({ length: 3_000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''), /nested|exceeded|depth/i],
      ['a nest in JSON', () => `{"a":${'['.repeat(100_000)}`, /nested/],
      ['a line of 100 MB', () => `a: ${'x'.repeat(100_000_000)}`, /this line has 100000003 characters/],
      ['zero bytes', () => `${map('a')}data: {x: "\0"}\n`, /binary/],
      ['a program', () => Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 2, 3]), /a program/],
      ['a control character', () => map('a', 'data:\n  x: \u0007\n'), /non-printable/],
    ];
    for (const [name, text, expected] of cases) {
      it(name, async () => {
        const start = performance.now();
        const { unreadable } = await readText(text());
        assert.match(unreadable[0]?.message ?? '', expected);
        assert.ok(performance.now() - start < 5_000, `${performance.now() - start} ms`);
      });
    }

    it('a scalar of 8 MB is just long', async () => {
      assert.deepEqual((await readText(map('a', `data:\n  x: "${'y'.repeat(8_000_000)}"\n`))).names, ['a']);
    });

    it('many lines of a bracket that want mending', async () => {
      const start = performance.now();
      assert.deepEqual((await readText(map('a', `data:\n  x: [\n${'  y,\n'.repeat(300)}  ]\n`))).names, ['a']);
      const many = await readText(map('a', `data:\n  x: [\n${'  y,\n'.repeat(20_000)}  ]\n`));
      assert.equal(many.names.length + many.unreadable.length, 1);
      assert.ok(performance.now() - start < 10_000, `${performance.now() - start} ms`);
    });
  });
});

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // gone already
  }
}
