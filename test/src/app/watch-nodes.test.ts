import assert from 'node:assert/strict';
import { type ListNodesOptions, listNodes } from '../../../src/app/list-nodes.ts';
import type { WatchEvent } from '../../../src/app/ports.ts';
import { watchNodes } from '../../../src/app/watch-nodes.ts';
import { fakeCluster, rawNode } from '../../support/fake-cluster.ts';

const options: ListNodesOptions = { names: [], allOs: false, pools: [], releases: [], withPods: false, describe: { asOf: new Date('2026-11-30T12:00:00Z') } };

async function changes(events: readonly WatchEvent[], changed: Partial<ListNodesOptions> = {}): Promise<string[]> {
  const cluster = fakeCluster({ objects: { nodes: [rawNode('win-0'), rawNode('win-1'), rawNode('linux-0', { os: 'linux' })] }, events, pageSize: 10 });
  const report = await listNodes({ ...options, ...changed }, cluster);
  const seen: string[] = [];
  for await (const { type, node } of watchNodes({ ...options, ...changed }, cluster, report)) seen.push(`${type} ${node.name} ${node.status} ${node.issues.some(({ id }) => id === 'no-linux-node')}`);
  return seen;
}

describe('watchNodes', () => {
  it('reports what changes, Windows nodes only', async () => {
    assert.deepEqual(await changes([
      { type: 'MODIFIED', object: rawNode('win-0', { ready: false, resourceVersion: '9' }) },
      { type: 'MODIFIED', object: rawNode('linux-0', { os: 'linux', resourceVersion: '9' }) },
      { type: 'ADDED', object: rawNode('win-2') },
      { type: 'DELETED', object: rawNode('win-1') },
    ]), ['MODIFIED win-0 NotReady false', 'ADDED win-2 Ready false', 'DELETED win-1 Ready false']);
  });

  it('judges against what has become of the others', async () => {
    assert.deepEqual(await changes([
      { type: 'DELETED', object: rawNode('linux-0', { os: 'linux' }) },
      { type: 'MODIFIED', object: rawNode('win-0', { resourceVersion: '9' }) },
    ]), ['MODIFIED win-0 Ready true']);
  });

  it('after a new list (410 Expired) reports only what differs', async () => {
    assert.deepEqual(await changes([
      { type: 'RELISTED', objects: [rawNode('win-0'), rawNode('win-3'), rawNode('linux-0', { os: 'linux' })] },
    ]), ['DELETED win-1 Ready false', 'ADDED win-3 Ready false']);
  });

  it('keeps to the filters', async () => {
    assert.deepEqual(await changes([{ type: 'ADDED', object: rawNode('win-4', { pool: 'other' }) }, { type: 'ADDED', object: rawNode('win-5', { pool: 'mine' }) }], { pools: ['mine'] }), ['ADDED win-5 Ready false']);
  });

  it('a new list of a big cluster costs one look at it, and heartbeats none', async () => {
    const count = 3000;
    const nodes = Array.from({ length: count }, (_, index) => rawNode(`win-${index}`, { pool: `p${index % 20}` }));
    const newer = Array.from({ length: count }, (_, index) => rawNode(`win-${index}`, { pool: `p${index % 20}`, resourceVersion: '9' }));
    const cluster = fakeCluster({ objects: { nodes }, pageSize: count, events: [{ type: 'RELISTED', objects: newer }, ...newer.map((object) => ({ type: 'MODIFIED' as const, object }))] });
    const report = await listNodes(options, cluster);
    let seen = 0;
    for await (const { node } of watchNodes(options, cluster, report)) seen += node.issues.length > 0 ? 1 : 0;
    // one look per event would be 18 million node visits, minutes beyond mocha's limit
    assert.equal(seen, 2 * count);
  });
});
