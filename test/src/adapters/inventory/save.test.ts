import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'mocha';
import { openInventory } from '../../../../src/adapters/inventory/open-inventory.ts';
import { InventoryWriter } from '../../../../src/adapters/inventory/save.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { DAEMON_SETS, NODES, PODS } from '../../../../src/domain/kubernetes/resource.ts';
import { sampleClusterPath } from '../../../../src/sample/index.ts';
import { InputError, UsageError } from '../../../../src/errors.ts';

const METADATA = { generatedAt: '2026-11-30T08:30:00Z', source: 'cluster', context: 'prod', serverVersion: 'v1.34.9', toolVersion: '0.1.0' } as const;
// Strings that YAML readers take for something else, and what a cluster can hold besides.
const TRICKY = ['yes', 'y', 'N', 'off', '~', 'null', '014', '0o14', '0x1F', '0b1', '1_000', '1e3', '.5', '1:30', '2020-01-01', '=', '<<', '- a', 'a: b', '#x', ' lead', 'trail ', '', 'a\nb\n', 'a\n\n', '\ttab', 'ä✓😀', '\u0001', '\u2028', '"q"', "it's", '%x', '@x', '`x', '!x', '&x', '*x', '|', '>', '{', '[', '?', '---', '...', '\uFEFFb'];

let folder = '';

async function readBack(file: string): Promise<KubeObject[]> {
  const reader = await openInventory([file], { stdin: Readable.from([]) });
  assert.deepEqual(await reader.serverVersion(), { gitVersion: 'v1.34.9' });
  assert.equal(reader.recordedAt, METADATA.generatedAt);
  assert.equal(reader.recordedContext, 'prod');
  const objects: KubeObject[] = [];
  for await (const page of reader.list(NODES)) objects.push(...page.items);
  return objects;
}

const node = (name: string, more: Record<string, unknown> = {}): KubeObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, managedFields: [{ manager: 'kubelet', fieldsV1: { 'f:status': {} } }] }, ...more });

describe('InventoryWriter', () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-save-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  for (const name of ['a.json', 'a.yaml', 'a.yml', 'a.json.gz', 'a.yaml.gz', 'recording']) {
    it(`${name}: what is saved is read back, byte for byte as JSON`, async () => {
      const objects = [
        node('a', { odd: TRICKY, map: Object.fromEntries(TRICKY.map((text, index) => [text === '' ? 'empty' : text, index])) }),
        node('b', { numbers: [0, -1, 1.5, 1e21, 5e-7, 2 ** 53], nothing: null, empty: {}, none: [], same: [TRICKY, TRICKY] }),
      ];
      const file = join(folder, name);
      const writer = await InventoryWriter.create(file);
      await writer.write(NODES, objects.slice(0, 1), false);
      await writer.write(NODES, objects.slice(1), true);
      assert.equal(writer.count, 2);
      await writer.finish(METADATA);
      assert.deepEqual((await readBack(file)).map((object) => JSON.stringify(object)), objects.map((object) => JSON.stringify(object)));
      const mode = (await stat(file)).mode & 0o777;
      if (process.platform !== 'win32') assert.equal(mode.toString(8), '600');
    });

    it(`${name}: nothing found is saved as knowledge`, async () => {
      const file = join(folder, `empty-${name}`);
      const writer = await InventoryWriter.create(file);
      await writer.write(NODES, [], true);
      await writer.finish(METADATA);
      assert.deepEqual(await readBack(file), []);
      const reader = await openInventory([file], { stdin: Readable.from([]) });
      assert.deepEqual([reader.holds(NODES), reader.holds(PODS)], [true, false]);
    });
  }

  it('keeps the sample cluster as it is', async () => {
    const file = join(folder, 'sample.yaml');
    const source = await openInventory([sampleClusterPath()], { stdin: Readable.from([]) });
    const writer = await InventoryWriter.create(file);
    const objects: string[] = [];
    for await (const page of source.list(NODES, { chunkSize: 10 })) {
      await writer.write(NODES, page.items, true);
      objects.push(...page.items.map((object) => JSON.stringify(object)));
    }
    await writer.finish(METADATA);
    assert.deepEqual((await readBack(file)).map((object) => JSON.stringify(object)), objects);
  });

  it('completes items that have no kind, as they come in a typed list', async () => {
    const file = join(folder, 'typed.json');
    const writer = await InventoryWriter.create(file);
    await writer.write(DAEMON_SETS, [{ metadata: { name: 'd', namespace: 'a' } }], true);
    await writer.finish(METADATA);
    const saved: unknown = JSON.parse(await readFile(file, 'utf8'));
    assert.deepEqual(saved, {
      apiVersion: 'kubectl-win/v1alpha1', kind: 'Inventory',
      items: [{ metadata: { name: 'd', namespace: 'a' }, apiVersion: 'apps/v1', kind: 'DaemonSet' }],
      metadata: { ...METADATA, resources: [{ group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet', namespaced: true, complete: true }] },
    });
  });

  it('leaves an existing file alone until it is finished, and after abort', async () => {
    const own = join(folder, 'own');
    await mkdir(own);
    const file = join(own, 'kept.json');
    await writeFile(file, 'old');
    const writer = await InventoryWriter.create(file);
    await writer.write(NODES, [node('a')], true);
    assert.equal(await readFile(file, 'utf8'), 'old');
    await writer.abort();
    await writer.abort();
    assert.equal(await readFile(file, 'utf8'), 'old');
    assert.deepEqual(await readdir(own), ['kept.json']);
    await assert.rejects(writer.write(NODES, [], true), { message: 'the inventory is finished' });
  });

  it('never saves secrets', async () => {
    const writer = await InventoryWriter.create(join(folder, 'secret.json'));
    const secrets = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true } as const;
    await assert.rejects(writer.write(secrets, [], true), UsageError);
    await assert.rejects(writer.write(NODES, [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }], true), { name: 'UsageError', message: 'secrets are never saved to an inventory' });
    await writer.abort();
  });

  it('finishes after its reader left when the file is wanted all the same, and removes it when not', async () => {
    for (const isWanted of [true, false]) {
      const file = join(folder, `wanted-${isWanted}`, 'a.json');
      await mkdir(join(file, '..'));
      const controller = new AbortController();
      const writer = await InventoryWriter.create(file, { signal: controller.signal, isWanted: () => isWanted });
      await writer.write(NODES, [node('a')], true);
      controller.abort();
      if (isWanted) await writer.finish(METADATA);
      else await assert.rejects(writer.finish(METADATA), { name: 'AbortError' });
      assert.deepEqual(await readdir(join(file, '..')), isWanted ? ['a.json'] : []);
    }
  });

  it('takes names of any length that the file system takes', async () => {
    const file = join(folder, `${'\u{1F600}'.repeat(62)}.json`);
    const writer = await InventoryWriter.create(file);
    await writer.finish(METADATA);
    assert.deepEqual(await readBack(file), []);
  });

  it('removes what killed processes left of the same target, when it is old', async () => {
    const place = join(folder, 'leftovers');
    await mkdir(place);
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const gone = `.a.json.${dead}.00000000.tmp`;
    const kept = [`.a.json.${dead}.11111111.tmp`, `.a.json.${process.pid}.00000000.tmp`, `.b.json.${dead}.00000000.tmp`, `.a.json.${dead}.00000000.tmp.bak`];
    for (const name of [gone, ...kept]) {
      await writeFile(join(place, name), '');
      if (name !== kept[0]) await utimes(join(place, name), new Date(0), new Date(0));
    }
    await (await InventoryWriter.create(join(place, 'a.json'))).finish(METADATA);
    assert.deepEqual((await readdir(place)).sort(), [...kept, 'a.json'].sort());
  });

  it('stops when the signal says so', async () => {
    const controller = new AbortController();
    const writer = await InventoryWriter.create(join(folder, 'aborted.json'), { signal: controller.signal });
    controller.abort(new Error('interrupted'));
    await assert.rejects(writer.write(NODES, [node('a')], true), { message: 'interrupted' });
    await assert.rejects(writer.finish(METADATA), { message: 'interrupted' });
    await writer.abort();
    assert.equal((await readdir(folder)).some((name) => name.includes('aborted')), false);
  });

  it('says why a file cannot be written', async () => {
    await assert.rejects(InventoryWriter.create(join(folder, 'missing', 'a.json')), (error: unknown) => error instanceof InputError && error.message.replaceAll('\\', '/').endsWith('missing/a.json: cannot be written: its folder does not exist'));
    await assert.rejects(InventoryWriter.create(folder), { name: 'InputError', message: `${folder}: is a folder; --save needs the name of a file` });
    await assert.rejects(InventoryWriter.create('-'), UsageError);
  });

  it('never replaces a device, which root could', async function () {
    if (process.platform === 'win32') this.skip();
    await assert.rejects(InventoryWriter.create('/dev/null'), { name: 'InputError', message: '/dev/null: is a device or a pipe; --save needs the name of a file' });
    await symlink('/dev/null', join(folder, 'link-to-device'));
    await assert.rejects(InventoryWriter.create(join(folder, 'link-to-device')), InputError);
    assert.ok((await stat('/dev/null')).isCharacterDevice());
  });

  it('writes to the file that a symbolic link leads to', async function () {
    if (process.platform === 'win32') this.skip();
    await mkdir(join(folder, 'elsewhere'));
    await writeFile(join(folder, 'elsewhere', 'real.json'), 'old');
    await symlink(join('elsewhere', 'real.json'), join(folder, 'link.json'));
    const writer = await InventoryWriter.create(join(folder, 'link.json'));
    await writer.write(NODES, [node('a')], true);
    await writer.finish(METADATA);
    assert.ok((await lstat(join(folder, 'link.json'))).isSymbolicLink());
    assert.equal((await readBack(join(folder, 'elsewhere', 'real.json'))).length, 1);
  });
});
