import assert from 'node:assert/strict';
import type { ClusterReader, ListPage } from '../../../src/app/ports.ts';
import type { InventorySink } from '../../../src/cli/context.ts';
import { recordReader } from '../../../src/cli/recording-reader.ts';
import { NODES, PODS } from '../../../src/domain/kubernetes/resource.ts';

function readerOf(pages: readonly ListPage[]): ClusterReader {
  const unused = (): never => assert.fail('not used');
  return {
    description: { source: 'cluster', context: 'c', location: 'https://127.0.0.1:1' },
    namespace: null, resources: async () => [], completeness: () => 'all',
    serverVersion: async () => ({ gitVersion: 'v1.37.2' }),
    list: async function* () {
      yield* pages;
    },
    get: unused, watch: unused, close: async () => {},
  };
}

function sinks(): { create: () => Promise<InventorySink>; log: string[] } {
  const log: string[] = [];
  let count = 0;
  return {
    log,
    create: async () => {
      const id = ++count;
      log.push(`create ${id}`);
      return {
        write: async (resource, objects, complete) => void log.push(`${id} ${resource.plural} ${objects.length}${complete ? ' complete' : ''}`),
        finish: async (facts) => void log.push(`${id} finish ${facts.source} ${facts.context} ${facts.serverVersion}`),
        abort: async () => void log.push(`${id} abort`),
      };
    },
  };
}

it('recordReader asks for whole objects, whatever the command needs', async () => {
  const asked: unknown[] = [];
  const reader: ClusterReader = {
    ...readerOf([]),
    list: async function* (_resource, options) {
      asked.push([options?.metadataOnly, options?.podDigest, options?.chunkSize]);
      yield { items: [], resourceVersion: '' };
    },
  };
  await drain((await recordReader(reader, sinks().create)).list(PODS, { metadataOnly: true, podDigest: () => true, chunkSize: 5, namespace: 'a' }));
  assert.deepEqual(asked, [[false, undefined, 5]]);
});

async function drain(pages: AsyncIterable<ListPage>): Promise<number> {
  let count = 0;
  for await (const page of pages) count += page.items.length;
  return count;
}

const page = (length: number, restarted = false): ListPage => ({ items: Array.from({ length }, () => ({})), resourceVersion: '1', ...(restarted ? { restarted } : {}) });

describe('recordReader', () => {
  it('writes each page as it passes, and completes the file', async () => {
    const { create, log } = sinks();
    const reader = await recordReader(readerOf([page(2), page(1)]), create);
    assert.equal(await drain(reader.list(NODES)), 3);
    await reader.finish({ generatedAt: 'now', toolVersion: '1' });
    assert.deepEqual(log, ['create 1', '1 nodes 2', '1 nodes 1', '1 nodes 0 complete', '1 finish cluster c v1.37.2']);
  });

  it('writes no object again of a list that is in the file as a whole', async () => {
    const { create, log } = sinks();
    const reader = await recordReader({ ...readerOf([page(2)]), get: async () => ({}) }, create);
    await drain(reader.list(NODES));
    assert.equal(await drain(reader.list(NODES)), 2);
    await reader.get(NODES, 'win1');
    await reader.get(PODS, 'web');
    assert.deepEqual(log, ['create 1', '1 nodes 2', '1 nodes 0 complete', '1 pods 1']);
  });

  it('writes a list again that was cut off, or narrowed', async () => {
    const { create, log } = sinks();
    const reader = await recordReader(readerOf([page(1), page(1)]), create);
    for await (const _ of reader.list(PODS)) break;
    await drain(reader.list(PODS, { labelSelector: 'app=web' }));
    await drain(reader.list(PODS));
    assert.deepEqual(log, ['create 1', '1 pods 1', '1 pods 1', '1 pods 1', '1 pods 0', '1 pods 1', '1 pods 1', '1 pods 0 complete']);
  });

  it('begins the file anew when the list begins anew', async () => {
    const { create, log } = sinks();
    const reader = await recordReader(readerOf([page(2), page(3, true)]), create);
    await drain(reader.list(NODES));
    assert.deepEqual(log, ['create 1', '1 nodes 2', '1 abort', 'create 2', '2 nodes 3', '2 nodes 0 complete']);
  });

  it('a list by selectors, and what is read by name, is no complete one', async () => {
    const { create, log } = sinks();
    const reader = await recordReader({ ...readerOf([page(2)]), get: async () => ({ kind: 'Node' }) }, create);
    await drain(reader.list(NODES, { labelSelector: 'a=b' }));
    await reader.get(NODES, 'c');
    assert.deepEqual(log, ['create 1', '1 nodes 2', '1 nodes 0', '1 nodes 1']);
  });

  it('gives up rather than save a mixture when another list stands in the file already', async () => {
    const { create } = sinks();
    const reader = await recordReader(readerOf([page(2)]), create);
    await drain(reader.list(NODES));
    const second = await recordReader({ ...readerOf([]), list: (resource) => (resource === PODS ? readerOf([page(1), page(1, true)]) : readerOf([page(1)])).list(resource) }, create);
    await drain(second.list(NODES));
    await assert.rejects(drain(second.list(PODS)), { name: 'ClusterError', message: 'the list of pods expired while it was saved' });
  });
});
