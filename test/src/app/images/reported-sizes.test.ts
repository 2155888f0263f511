import assert from 'node:assert/strict';
import { NodeShowingReading, ReportedSizes } from '../../../../src/app/images/reported-sizes.ts';
import { nameOf } from '../../../../src/domain/kubernetes/object.ts';
import { NODES, PODS } from '../../../../src/domain/kubernetes/resource.ts';
import { fakeCluster, rawNode } from '../../../support/fake-cluster.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('ReportedSizes', () => {
  const sizes = new ReportedSizes();
  sizes.addNodes([
    rawNode('w1', { images: [{ names: [`docker.io/library/web@${DIGEST}`, 'docker.io/library/web:1'], sizeBytes: 10 }, { names: ['none:1'] }, { names: ['<none>@<none>'], sizeBytes: 4 }] }),
    rawNode('w2', { images: [{ names: ['docker.io/library/web:1'], sizeBytes: 30 }] }),
    rawNode('l', { os: 'linux', images: [{ names: ['docker.io/library/web:1', 'docker.io/library/redis:8'], sizeBytes: 500 }] }),
  ]);

  for (const [image, os, expected] of [
    ['web:1', 'windows', 30], ['docker.io/library/web:1', 'any', 30], [`web:other@${DIGEST}`, 'windows', 10], ['redis:8', 'windows', null], ['redis:8', 'any', 500], ['none:1', 'any', null], ['Web:1', 'any', null],
  ] as const) it(`${image} on ${os} nodes: ${expected}`, () => assert.equal(sizes.sizeOf(image, os), expected));
});

describe('NodeShowingReading', () => {
  it('shows the nodes of a list, and nothing else', async () => {
    const seen: string[] = [];
    const reading = new NodeShowingReading(fakeCluster({ objects: { nodes: [rawNode('a'), rawNode('b'), rawNode('c')], pods: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } }] } }), {}, (nodes) => seen.push(...nodes.map(nameOf)));
    const listed: string[] = [];
    for (const resource of [NODES, PODS]) for await (const objects of reading.objects(resource)) listed.push(...objects.map(nameOf));
    assert.deepEqual([seen, listed], [['a', 'b', 'c'], ['a', 'b', 'c', 'p']]);
  });
});
