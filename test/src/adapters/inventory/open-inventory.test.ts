import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'mocha';
import { openInventory } from '../../../../src/adapters/inventory/open-inventory.ts';
import type { InventoryReader } from '../../../../src/adapters/inventory/inventory-reader.ts';
import { NODES, PODS } from '../../../../src/domain/kubernetes/resource.ts';
import type { Resource } from '../../../../src/domain/kubernetes/resource.ts';
import { nameOf } from '../../../../src/domain/kubernetes/object.ts';
import { seededRandom } from '../../../support/random.ts';
import { AppError, InputError, UsageError } from '../../../../src/errors.ts';

const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'win-1' } };
const NODE_YAML = 'apiVersion: v1\nkind: Node\nmetadata:\n  name: win-1\n';

let folder = '';
let counter = 0;

async function file(content: string | Uint8Array, name = `f${counter++}.yaml`): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

function open(sources: string | readonly string[], options: { stdin?: string } = {}): Promise<InventoryReader> {
  return openInventory(typeof sources === 'string' ? [sources] : sources, { stdin: Readable.from([Buffer.from(options.stdin ?? '')]) });
}

async function names(reader: InventoryReader, resource: Resource = NODES): Promise<string[]> {
  const found: string[] = [];
  for await (const page of reader.list(resource)) found.push(...page.items.map(nameOf));
  return found;
}

/** The message without the folder of this run, so that file:line:column can be compared as a whole. */
async function failure(content: string | Uint8Array, name?: string): Promise<string> {
  const path = await file(content, name);
  try {
    await open(path);
  } catch (error) {
    assert.ok(error instanceof InputError, `expected an InputError, got ${String(error)}`);
    assert.equal(error.exitCode, 2);
    return error.message.replace(path, 'FILE');
  }
  throw new Error('the input was accepted');
}

describe('openInventory', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-inventory-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  describe('reads', () => {
    const shapes: readonly (readonly [string, string, readonly string[]])[] = [
      ['one JSON object', JSON.stringify(NODE), ['win-1']],
      ['one YAML object', NODE_YAML, ['win-1']],
      ['several YAML documents, empty ones among them', `---\n${NODE_YAML}---\n# nothing\n---\n${NODE_YAML.replace('win-1', 'win-2')}...\n`, ['win-1', 'win-2']],
      ['a List of kubectl', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [NODE, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'a' } }] }), ['win-1']],
      ['a typed list, whose items have no kind', JSON.stringify({ apiVersion: 'v1', kind: 'NodeList', metadata: {}, items: [{ metadata: { name: 'win-1' } }] }), ['win-1']],
      ['a List inside a List', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'List', items: [NODE] }] }), ['win-1']],
      ['JSON documents one after the other', `${JSON.stringify(NODE)}\n${JSON.stringify({ ...NODE, metadata: { name: 'win-2' } })}`, ['win-1', 'win-2']],
      ['JSON documents between --- lines', `${JSON.stringify(NODE)}\n---\n${JSON.stringify({ ...NODE, metadata: { name: 'win-2' } })}\n`, ['win-1', 'win-2']],
      ['YAML in flow style', '{apiVersion: v1, kind: Node, metadata: {name: win-1}}', ['win-1']],
      ['Windows line ends', NODE_YAML.replaceAll('\n', '\r\n'), ['win-1']],
      ['a UTF-8 byte order mark', `\uFEFF${NODE_YAML}`, ['win-1']],
      ['a byte order mark before JSON', `\uFEFF${JSON.stringify(NODE)}`, ['win-1']],
    ];
    for (const [title, content, expected] of shapes) {
      it(title, async () => {
        assert.deepEqual(await names(await open(await file(content))), expected);
      });
    }

    it('UTF-16 with a byte order mark, as PowerShell 5.1 writes with > (kubernetes#39007, kubectl#679)', async () => {
      const little = Buffer.from(`\uFEFF${NODE_YAML}`, 'utf16le');
      assert.deepEqual(await names(await open(await file(little))), ['win-1']);
      assert.deepEqual(await names(await open(await file(Buffer.from(little).swap16()))), ['win-1']);
    });

    it('gzip, also of UTF-16', async () => {
      assert.deepEqual(await names(await open(await file(gzipSync(JSON.stringify(NODE)), 'n.json.gz'))), ['win-1']);
      assert.deepEqual(await names(await open(await file(gzipSync(Buffer.from(`\uFEFF${NODE_YAML}`, 'utf16le'))))), ['win-1']);
    });

    it('standard input', async () => {
      const reader = await open('-', { stdin: NODE_YAML });
      assert.deepEqual(await names(reader), ['win-1']);
      assert.deepEqual(reader.description, { source: 'files', context: null, location: 'stdin' });
    });

    it('folders with their folders, in order, and only manifests', async () => {
      const root = join(folder, 'tree');
      await mkdir(join(root, 'b', 'c'), { recursive: true });
      await mkdir(join(root, '.git'));
      await writeFile(join(root, 'a.yaml'), NODE_YAML);
      await writeFile(join(root, 'b', 'x.yml'), NODE_YAML.replace('win-1', 'win-2'));
      await writeFile(join(root, 'b', 'c', 'y.JSON'), JSON.stringify({ ...NODE, metadata: { name: 'win-3' } }));
      await writeFile(join(root, 'b', 'README.md'), '# not a manifest');
      await writeFile(join(root, '.git', 'config.yaml'), 'not: a manifest');
      await symlink(root, join(root, 'b', 'loop'));
      await symlink(join(root, 'nowhere'), join(root, 'b', 'dangling'));
      const reader = await open(root);
      assert.deepEqual(reader.files, [join(root, 'a.yaml'), join(root, 'b', 'c', 'y.JSON'), join(root, 'b', 'x.yml')]);
      assert.deepEqual(await names(reader), ['win-1', 'win-2', 'win-3']);
      assert.deepEqual(reader.notes, []);
    });

    it('a mounted ConfigMap once, although every file is there twice', async () => {
      const root = join(folder, 'mount');
      await mkdir(join(root, '..2026_11_30'), { recursive: true });
      await writeFile(join(root, '..2026_11_30', 'n.yaml'), NODE_YAML);
      await symlink('..2026_11_30', join(root, '..data'));
      await symlink(join('..data', 'n.yaml'), join(root, 'n.yaml'));
      const reader = await open(root);
      assert.deepEqual(reader.files, [join(root, 'n.yaml')]);
      assert.deepEqual(reader.notes, []);
    });

    it('a List in a List, of more objects than a call has room for arguments', async function () {
      this.timeout(20_000);
      const nodes = Array.from({ length: 150_000 }, (_, index) => `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n${index}"}}`);
      const text = `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List","items":[${nodes.join(',')}]}]}`;
      let count = 0;
      for await (const { items } of (await open(await file(text))).list(NODES)) count += items.length;
      assert.equal(count, nodes.length);
    });

    it('what occurs twice once, as read last, with a note', async () => {
      const first = await file(NODE_YAML);
      const second = await file(`${NODE_YAML}spec: {unschedulable: true}\n`);
      const reader = await open([first, second]);
      assert.equal((await reader.get(NODES, 'win-1'))['spec'] !== undefined, true);
      assert.deepEqual(reader.notes, [`an object occurs more than once, the last one read counts: node/win-1 (again in ${second})`]);
    });

    it('keeps every field as it was, also unknown ones and __proto__', async () => {
      const object = '{"apiVersion":"v1","kind":"Node","metadata":{"name":"win-1","managedFields":[{"manager":"kubelet"}]},"brandNew":{"__proto__":{"a":1}}}';
      const reader = await open(await file(object));
      assert.equal(JSON.stringify(await reader.get(NODES, 'win-1')), object);
    });

    it('an empty NodeList as knowledge, an empty List as none', async () => {
      const typed = await open(await file('{"apiVersion":"v1","kind":"NodeList","items":[]}'));
      assert.equal(typed.holds(NODES), true);
      assert.equal(typed.holds(PODS), false);
      const path = await file('{"apiVersion":"v1","kind":"List","items":null}');
      const plain = await open(path);
      assert.equal(plain.holds(NODES), false);
      assert.deepEqual(plain.notes, [`${path} is an empty list; of which kind it does not say`]);
    });
  });

  describe('the server version', () => {
    const inventory = (version: string | null, time: string): string => JSON.stringify({ apiVersion: 'kubectl-win/v1alpha1', kind: 'Inventory', metadata: { generatedAt: time, context: 'prod', serverVersion: version, toolVersion: '0.1.0', resources: [{ group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }] }, items: [NODE] });

    it('comes from an Inventory, with its time, context and the resources that it was read for', async () => {
      const reader = await open(await file(inventory('v1.34.9', '2026-11-30T08:30:00Z')));
      assert.deepEqual(await reader.serverVersion(), { gitVersion: 'v1.34.9' });
      assert.equal(reader.recordedAt, '2026-11-30T08:30:00Z');
      assert.equal(reader.recordedContext, 'prod');
      assert.equal(reader.holds(PODS), true);
      assert.deepEqual(await names(reader, PODS), []);
    });

    it('is not known from a plain dump', async () => {
      assert.equal(await (await open(await file(NODE_YAML))).serverVersion(), null);
    });

    it('of the newest Inventory counts, with a note', async () => {
      const newer = await file(inventory('v1.35.0', '2026-11-30T08:30:00Z'));
      const older = await file(inventory('v1.34.9', '2026-10-01T08:30:00Z'));
      const reader = await open([newer, older]);
      assert.deepEqual(await reader.serverVersion(), { gitVersion: 'v1.35.0' });
      assert.ok(reader.notes.includes(`the inventories were recorded with different server versions (v1.34.9, v1.35.0): v1.35.0 of ${newer} is used`), reader.notes.join('\n'));
    });
  });

  describe('refuses', () => {
    const mistakes: readonly (readonly [string, string | Uint8Array, string])[] = [
      ['an empty file', '', 'FILE: the input is empty'],
      ['white space and comments', '\n# nothing\n---\n', 'FILE: the input holds no objects, only white space or comments'],
      ['text', 'hello world', 'FILE:1: the document is text, not a Kubernetes object'],
      ['a list without kind, as jq .items leaves it', JSON.stringify([NODE]), 'FILE:1: the document is a list, not a Kubernetes object'],
      ['bad YAML', 'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n bad: x\n', 'FILE:5:2: not valid YAML: bad indentation of a mapping entry'],
      ['bad YAML in a later document, by its line in the file', `${NODE_YAML}---\na: "x`, 'FILE:6:6: not valid YAML: unexpected end of the stream within a double quoted scalar'],
      ['a key that is given twice, with both lines', 'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {}\n  name: b\n', 'FILE:6:3: key "name" is given twice, first in line 4'],
      ['bad JSON', '{\n  "apiVersion": "v1",\n  "kind" "Node"\n}', 'FILE:3:10: not valid JSON: expected ":" after a key instead of "\\""'],
      ['JSON that a broken pipe cut off', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [NODE] }).slice(0, 60), 'FILE:1:61: the JSON is cut off: the file ends in the middle of an object'],
      ['a kubectl YAML list that was cut off', 'apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n', 'FILE:1: the document has items but no kind: it is probably cut off'],
      ['an object without kind, by document and line', `${NODE_YAML}---\n\nreplicaCount: 2\n`, 'FILE:7: document 2: the document has no kind: it is not a Kubernetes object'],
      ['an object without apiVersion', 'kind: Node\nmetadata: {name: a}', 'FILE:1: the document (kind Node) has no apiVersion'],
      ['an object without name', 'apiVersion: v1\nkind: Node\nmetadata: {}', 'FILE:1: the object (kind Node) has no name'],
      ['a name that is a number', 'apiVersion: v1\nkind: Node\nmetadata: {name: 014}', 'FILE:1: the object (kind Node) has the number 12 as its name'],
      ['metadata that is a list', 'apiVersion: v1\nkind: Node\nmetadata: [a]', 'FILE:1: the object (kind Node) has a list as metadata'],
      ['an item that is no object', '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},7]}', 'FILE:1: items[1] is the number 7, not a Kubernetes object'],
      ['items that are no list', '{"apiVersion":"v1","kind":"NodeList","items":{"a":1}}', 'FILE:1: the document (kind NodeList) has a map as items'],
      ['an HTML page', '<!DOCTYPE html>\n<html><body>Sign in</body></html>', 'FILE:1: the file is an HTML or XML page, not JSON or YAML'],
      ['the table of kubectl get', 'NAME    STATUS   ROLES    AGE   VERSION\nwin-1   Ready    <none>   1d    v1.34.9\n', 'FILE:1: the file is the table that kubectl prints for people'],
      ['an error of kubectl', 'Error from server (Forbidden): nodes is forbidden\n', 'FILE:1: the file holds a message of kubectl instead of objects: Error from server (Forbidden): nodes is forbidden'],
      ['a Status of the API server', '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"nodes is forbidden","code":403}', 'FILE:1: the document is an answer of the API server, not an object: nodes is forbidden'],
      ['a report of ours', '{"apiVersion":"kubectl-win/v1alpha1","kind":"WindowsNodeList","items":[]}', 'FILE:1: the document is a report of kubectl win (kind WindowsNodeList), which does not hold the objects themselves'],
      ['an Inventory of a later version', '{"apiVersion":"kubectl-win/v2","kind":"Inventory","items":[]}', 'FILE:1: the document is an Inventory of version kubectl-win/v2; this version of kubectl win reads kubectl-win/v1alpha1'],
      ['an Inventory that was cut off', 'apiVersion: kubectl-win/v1alpha1\nkind: Inventory\nitems: []\n', 'FILE:1: the document is an Inventory without metadata: it is cut off, or was edited'],
      ['an Inventory with a time that only resembles one', '{"apiVersion":"kubectl-win/v1alpha1","kind":"Inventory","items":[],"metadata":{"generatedAt":"garbage 5"}}', 'FILE:1: metadata.generatedAt is "garbage 5", not a time such as 2026-11-30T08:30:00Z'],
      ['a kubeconfig', 'apiVersion: v1\nkind: Config\nclusters: []\n', 'FILE:1: the document is a kubeconfig, not an inventory'],
      ['infinity, as kubectl does', `${NODE_YAML}spec: {a: .inf}`, 'FILE:5:8: not valid YAML: infinity and not-a-number have no JSON form'],
      ['an anchor that contains itself', `${NODE_YAML}spec: &a [*a]`, 'FILE:5:12: anchor "a" contains itself'],
      ['binary data', Uint8Array.of(1, 2, 0, 4), 'FILE: the file is binary (byte 3 is zero), not JSON or YAML'],
      ['a zip archive', Uint8Array.of(0x50, 0x4b, 3, 4, 0), 'FILE: the file is a zip archive, not JSON or YAML'],
      ['damaged gzip', gzipSync(JSON.stringify(NODE)).subarray(0, 30), 'FILE: the gzip data is damaged or cut off (unexpected end of file)'],
      ['UTF-16 without a byte order mark', Buffer.from(NODE_YAML, 'utf16le'), 'FILE: the text is in UTF-16 (little endian) without a byte order mark, which is not supported'],
      ['UTF-16 that ends in half a character (flux2#1126)', Buffer.from(`\uFEFF${NODE_YAML}`, 'utf16le').subarray(0, 41), 'FILE: the UTF-16LE text is cut off in the middle of a character'],
      ['UTF-32', Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0), 'FILE: the text is in UTF-32 (little endian), which is not supported'],
      ['a Windows code page, with its place', Buffer.from('a: 1\nb: caf\xe9 x\n', 'latin1'), 'FILE:2:7: the text is not UTF-8 (byte 0xE9): it is probably in a Windows code page such as Windows-1252'],
    ];
    for (const [title, content, message] of mistakes) {
      it(title, async () => {
        assert.equal(await failure(content), message);
      });
    }

    it('aliases that stand for billions of values', async () => {
      const lines = ['a: &a [x,x,x,x,x,x,x,x,x,x]', ...'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${Array.from({ length: 10 }, () => `*${'abcdefgh'.charAt(index)}`).join(',')}]`)];
      assert.equal(await failure(NODE_YAML + lines.join('\n')), 'FILE:10:15: aliases expand to more than 400000 values');
    });

    it('nesting without end, in JSON and YAML', async () => {
      const message = 'FILE:1: the document is nested deeper than 500 levels';
      assert.equal(await failure('['.repeat(100_000)), message);
      assert.equal(await failure(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), message);
      // behind the part that is looked at before parsing
      assert.equal(await failure(`["${'x'.repeat(70_000)}",${'['.repeat(1000)}${']'.repeat(1000)}]`), message);
      // brackets in strings are no nesting
      assert.equal(await failure(`{"a":"${'[{\\"'.repeat(1000)}"}`), 'FILE:1: the document has no kind: it is not a Kubernetes object');
      assert.match(await failure(`a: ${'['.repeat(100_000)}`), /^FILE:1:\d+: not valid YAML: nesting exceeded maxDepth \(500\)$/);
    });

    it('a kind of many megabytes, of which the message shows the start', async () => {
      const message = await failure(JSON.stringify({ kind: 'x'.repeat(2 ** 20) }));
      assert.match(message, /^FILE:1: the document \(kind x+…$/);
      assert.ok(message.length < 600, `${message.length} characters`);
    });

    it('a line of many megabytes', async () => {
      assert.equal(await failure('a'.repeat(20 * 1024 * 1024)), `FILE:1: this line has ${20 * 1024 * 1024} characters, which no Kubernetes manifest has`);
    });

    it('what is not there, or not readable, or a folder without manifests', async () => {
      await assert.rejects(open(join(folder, 'missing.json')), { name: 'InputError', message: `${join(folder, 'missing.json')}: no such file or folder` });
      const empty = join(folder, 'empty');
      await mkdir(empty);
      await assert.rejects(open(empty), { name: 'InputError', message: `${empty}: the folder has no .yaml, .yml or .json files` });
      const loop = join(folder, 'loop.yaml');
      await symlink(loop, loop);
      await assert.rejects(open(loop), { name: 'InputError', message: `${loop}: a chain of symbolic links that leads back to itself` });
    });

    it('no source, standard input twice, a URL', async () => {
      await assert.rejects(open([]), UsageError);
      await assert.rejects(open(['-', '-'], { stdin: NODE_YAML }), { name: 'UsageError', message: 'standard input (-) can be given only once' });
      await assert.rejects(open('https://example.com/nodes.json'), { name: 'InputError', message: 'https://example.com/nodes.json: an inventory is read from files only' });
    });

    it('everything as soon as one of several sources is bad', async () => {
      const good = await file(NODE_YAML);
      const bad = await file('{"kind":');
      await assert.rejects(open([good, bad]), InputError);
    });
  });

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController();
    const stdin = new Readable({ read() {} });
    const opened = openInventory(['-'], { stdin, signal: controller.signal });
    stdin.push(NODE_YAML);
    setImmediate(() => controller.abort(new Error('interrupted')));
    await assert.rejects(opened, { message: 'interrupted' });
  });

  it('gives objects or an InputError for any bytes', async () => {
    const sequence = seededRandom(20261130);
    const random = (limit: number): number => sequence.below(limit);
    const seeds = [NODE_YAML, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [NODE, NODE] }), `${NODE_YAML}---\n${NODE_YAML}`, '\uFEFFa: &a [*a, <<: {b: !!int "1"}]'].map((text) => Buffer.from(text));
    let refused = 0;
    for (let round = 0; round < 1500; round++) {
      const seed = seeds[random(seeds.length)] ?? Buffer.alloc(0);
      const bytes = random(4) === 0 ? Buffer.from(Array.from({ length: random(60) }, () => random(256))) : Buffer.from(seed);
      for (let change = random(4); change > 0 && bytes.length > 0; change--) bytes[random(bytes.length)] = random(2) === 0 ? random(256) : '{}[]:,-"\'&*!|>%#\n\t \\'.charCodeAt(random(20));
      const cut = random(3) === 0 ? bytes.subarray(0, random(bytes.length + 1)) : bytes;
      try {
        await names(await openInventory(['-'], { stdin: Readable.from([cut]) }));
      } catch (error) {
        refused++;
        assert.ok(error instanceof AppError && error.exitCode === 2, `${JSON.stringify(cut.toString('latin1'))} gave ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
    assert.ok(refused > 300 && refused < 1500, `${refused} of 1500 inputs were refused`);
  });
});
