import assert from 'node:assert/strict';
import { readFacts } from '../../../../src/app/workloads/read-facts.ts';
import { Reading } from '../../../../src/app/workloads/reading.ts';
import type { FactsOptions } from '../../../../src/domain/check/facts-of-objects.ts';
import { NO_PLATFORMS } from '../../../../src/domain/image/no-platforms.ts';
import { nameOf } from '../../../../src/domain/kubernetes/object.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { fakeCluster, rawNode } from '../../../support/fake-cluster.ts';

const optionsOf = (completeness: FactsOptions['completeness']): FactsOptions => ({ kubernetesVersion: null, asOf: new Date('2026-11-30'), images: NO_PLATFORMS, completeness });

describe('readFacts', () => {
  const objects = { nodes: ['a', 'b', 'c'].map((name) => rawNode(name)), namespaces: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }] };

  it('shows raw nodes page by page, each once, and nothing else', async () => {
    for (const restartsAfterFirstPage of [false, true]) {
      const pages: (readonly string[])[] = [];
      const facts = (await readFacts(new Reading(fakeCluster({ objects, restartsAfterFirstPage }), {}), null, optionsOf, { onNodes: (nodes) => pages.push(nodes.map(nameOf)) })).facts();
      assert.deepEqual([pages, facts.nodes?.size, facts.namespaces?.size], [[['a', 'b'], ['c']], 3, 1]);
    }
  });

  it('reads what is wanted alone', async () => {
    const reader = fakeCluster({ objects });
    const facts = (await readFacts(new Reading(reader, {}), null, optionsOf, { wanted: [NODES] })).facts();
    assert.deepEqual([reader.calls, facts.nodes?.size, facts.namespaces], [['list nodes'], 3, null]);
  });
});
