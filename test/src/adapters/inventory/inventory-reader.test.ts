import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { InventoryReader, resourceKey } from '../../../../src/adapters/inventory/inventory-reader.ts';
import { nameOf, stringAt } from '../../../../src/domain/kubernetes/object.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { DAEMON_SETS, NODES, PODS } from '../../../../src/domain/kubernetes/resource.ts';
import type { Resource } from '../../../../src/domain/kubernetes/resource.ts';
import type { ListOptions } from '../../../../src/app/ports.ts';
import { ClusterError, UsageError } from '../../../../src/errors.ts';

const pod = (namespace: string | undefined, name: string, more: Record<string, unknown> = {}): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...(namespace === undefined ? {} : { namespace }), labels: { app: name } }, ...more });
const node = (name: string, labels: Record<string, string> = {}, spec: Record<string, unknown> = {}): KubeObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec });

function reader(objects: readonly KubeObject[], held: readonly string[] = [resourceKey('', 'Node'), resourceKey('', 'Pod')]): InventoryReader {
  return new InventoryReader({ objects, held: new Map(held.map((key) => [key, key === resourceKey('', 'Node')])), files: ['prod.json'], sources: ['prod.json'], serverVersion: null, recordedAt: null, context: null, notes: [] });
}

async function pages(inventory: InventoryReader, resource: Resource, options?: ListOptions): Promise<string[][]> {
  const found: string[][] = [];
  for await (const page of inventory.list(resource, options)) {
    assert.equal(page.resourceVersion, '');
    found.push(page.items.map((object) => `${stringAt(object, 'metadata', 'namespace') ?? ''}/${nameOf(object)}`));
  }
  return found;
}

describe('InventoryReader', () => {
  it('lists in the order of etcd keys: a-b/x before a/x, since - sorts before /', async () => {
    const inventory = reader([pod('b', 'x'), pod('a', 'y'), pod('a', 'x'), pod('a-b', 'x'), pod('a', 'x-1')]);
    assert.deepEqual(await pages(inventory, PODS), [['a-b/x', 'a/x', 'a/x-1', 'a/y', 'b/x']]);
  });

  it('lists page by page', async () => {
    const inventory = reader(['c', 'a', 'e', 'b', 'd'].map((name) => node(name)));
    assert.deepEqual(await pages(inventory, NODES, { chunkSize: 2 }), [['/a', '/b'], ['/c', '/d'], ['/e']]);
    assert.deepEqual(await pages(inventory, NODES, { chunkSize: 0 }), [['/a', '/b', '/c', '/d', '/e']]);
    assert.deepEqual(await pages(reader(Array.from({ length: 501 }, (_, index) => node(`n${String(index).padStart(3, '0')}`))), NODES).then((found) => found.map((page) => page.length)), [500, 1]);
  });

  it('gives one empty page for what was recorded and empty, and no page for what was not recorded', async () => {
    const inventory = reader([]);
    assert.deepEqual(await pages(inventory, NODES), [[]]);
    assert.deepEqual(await pages(inventory, DAEMON_SETS), []);
    assert.deepEqual([inventory.holds(NODES), inventory.holds(DAEMON_SETS)], [true, false]);
    assert.deepEqual([inventory.completeness(NODES), inventory.completeness(PODS), inventory.completeness(DAEMON_SETS)], ['all', 'some', 'none']);
  });

  it('filters by namespace; an object without one is in default', async () => {
    const inventory = reader([pod('a', 'x'), pod(undefined, 'y'), pod('b', 'z')]);
    assert.deepEqual(await pages(inventory, PODS, { namespace: 'a' }), [['a/x']]);
    assert.deepEqual(await pages(inventory, PODS, { namespace: 'default' }), [['/y']]);
    assert.deepEqual(await pages(inventory, PODS, { namespace: 'none' }), [[]]);
  });

  it('filters by labels and fields as the API server does', async () => {
    const inventory = reader([node('a', { os: 'windows' }), node('b', { os: 'linux' }, { unschedulable: true }), node('c')]);
    assert.deepEqual(await pages(inventory, NODES, { labelSelector: 'os=windows' }), [['/a']]);
    assert.deepEqual(await pages(inventory, NODES, { labelSelector: 'os notin (linux)' }), [['/a', '/c']]);
    assert.deepEqual(await pages(inventory, NODES, { fieldSelector: 'spec.unschedulable=true' }), [['/b']]);
    assert.deepEqual(await pages(inventory, NODES, { labelSelector: '!os', fieldSelector: 'metadata.name!=a' }), [['/c']]);
  });

  it('refuses a selector that the server could not read', async () => {
    await assert.rejects(pages(reader([]), NODES, { labelSelector: 'a in (' }), UsageError);
    await assert.rejects(pages(reader([]), NODES, { fieldSelector: 'status.phase=Running' }), { name: 'UsageError', message: 'field label not supported: status.phase' });
  });

  it('finds a resource whatever version it was recorded in', async () => {
    const old = { apiVersion: 'apps/v1beta2', kind: 'DaemonSet', metadata: { name: 'd', namespace: 'a' } };
    assert.deepEqual(await pages(reader([old], ['apps/DaemonSet']), DAEMON_SETS), [['a/d']]);
  });

  it('gets one object, or says NotFound in the words of kubectl', async () => {
    const inventory = reader([node('win-1'), pod('a', 'x')]);
    assert.equal(nameOf(await inventory.get(NODES, 'win-1')), 'win-1');
    assert.equal(nameOf(await inventory.get(PODS, 'x', { namespace: 'a' })), 'x');
    await assert.rejects(inventory.get(PODS, 'x'), { name: 'ClusterError', message: 'pods "x" not found', reason: 'NotFound', suggestions: ['the inventory prod.json does not hold it'] });
    await assert.rejects(inventory.get(DAEMON_SETS, 'd', { namespace: 'a' }), (error: unknown) => {
      assert.ok(error instanceof ClusterError);
      assert.equal(error.message, 'daemonsets.apps "d" not found');
      assert.deepEqual(error.suggestions, ['the inventory prod.json was recorded without daemonsets']);
      return true;
    });
  });

  it('cannot be watched', () => {
    assert.throws(() => reader([]).watch(NODES, { resourceVersion: '' }), { name: 'UsageError', message: 'an inventory cannot be watched: it does not change' });
  });

  it('stops when the signal says so', async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const inventory = reader(['a', 'b', 'c'].map((name) => node(name)));
    await assert.rejects(async () => {
      for await (const page of inventory.list(NODES, { chunkSize: 1, signal: controller.signal })) {
        seen.push(...page.items.map(nameOf));
        controller.abort(new Error('interrupted'));
      }
    }, { message: 'interrupted' });
    assert.deepEqual(seen, ['a']);
  });
});
