import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitSilence } from '../../../../src/app/images/limit-silence.ts';
import type { ClusterReader, ListPage } from '../../../../src/app/ports.ts';
import { NODES, PODS } from '../../../../src/domain/kubernetes/resource.ts';
import { fakeCluster, rawNode } from '../../../support/fake-cluster.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const SILENCE = { name: 'ClusterError', reason: 'DeadlineExceeded', message: 'the API server did not answer within 0.05 s (--request-timeout)' };

async function pagesOf(reader: ClusterReader, signal?: AbortSignal): Promise<readonly ListPage[]> {
  const pages: ListPage[] = [];
  for await (const page of reader.list(NODES, { signal })) pages.push(page);
  return pages;
}

describe('limitSilence', () => {
  it('hands on what comes in time', async () => {
    const cluster = fakeCluster({ objects: { nodes: ['a', 'b', 'c'].map((name) => rawNode(name)), pods: [] } });
    const reader = limitSilence(cluster, 5);
    assert.deepEqual([(await reader.serverVersion())?.gitVersion, (await pagesOf(reader)).flatMap(({ items }) => items).length, (await reader.get(NODES, 'b')).kind, await reader.resources()], ['v1.37.2', 3, 'Node', []]);
    assert.deepEqual([reader.namespace, reader.description, reader.completeness(PODS)], [cluster.namespace, cluster.description, 'all']);
    await reader.close();
    assert.ok(cluster.calls.includes('close'));
  });

  for (const [what, ask] of [
    ['serverVersion', (reader: ClusterReader) => reader.serverVersion()], ['get', (reader: ClusterReader) => reader.get(NODES, 'a')], ['resources', (reader: ClusterReader) => reader.resources()], ['list', (reader: ClusterReader) => pagesOf(reader)],
  ] as const) {
    it(`${what} ends where nothing comes, and nothing is asked after that`, async () => {
      const cluster = fakeCluster();
      let asked = 0;
      const serverVersion = (): Promise<never> => {
        asked += 1;
        return never();
      };
      const silent: ClusterReader = { ...cluster, serverVersion, get: never, resources: never, list: () => ({ [Symbol.asyncIterator]: () => ({ next: never, return: never }) }) };
      const reader = limitSilence(silent, 0.05);
      await assert.rejects(ask(reader), SILENCE);
      await assert.rejects(reader.serverVersion(), SILENCE);
      await assert.rejects(pagesOf(reader), SILENCE);
      assert.equal(asked, what === 'serverVersion' ? 1 : 0);
    });
  }

  it('a list may take longer than that as a whole, and one that falls silent ends', async () => {
    const list = (gaps: readonly number[]) => async function* (): AsyncGenerator<ListPage> {
      for (const gap of gaps) {
        await sleep(gap);
        yield { items: [], resourceVersion: '1' };
      }
    };
    assert.equal((await pagesOf(limitSilence({ ...fakeCluster(), list: list([60, 60, 60, 60]) }, 0.2))).length, 4);
    await assert.rejects(pagesOf(limitSilence({ ...fakeCluster(), list: list([1, 300]) }, 0.05)), SILENCE);
  });

  it('tells the reader to end, and ends with what it is aborted with itself', async () => {
    let ended: unknown;
    const reader = limitSilence({ ...fakeCluster(), serverVersion: ({ signal } = {}) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(ended = signal.reason as Error))) }, 0.05);
    await assert.rejects(reader.serverVersion(), SILENCE);
    assert.equal((ended as Error).name, 'ClusterError');
    await assert.rejects(limitSilence(fakeCluster(), 5).serverVersion({ signal: AbortSignal.abort(new Error('stop')) }), /stop/);
  });

  it('ends the list of whoever has seen enough', async () => {
    let isEnded = false;
    async function* list(): AsyncGenerator<ListPage> {
      try {
        for (;;) yield { items: [], resourceVersion: '1' };
      } finally {
        isEnded = true;
      }
    }
    for await (const { items } of limitSilence({ ...fakeCluster(), list }, 5).list(NODES)) if (items.length === 0) break;
    assert.equal(isEnded, true);
  });
});
