import assert from 'node:assert/strict';
import { compareNodes } from '../../../../src/domain/node/compare-nodes.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { type NodeParts, rawNode } from '../../../support/fake-cluster.ts';

const node = (name: string, parts: NodeParts = {}, uid = `uid-${name}`) => ({ ...describeNode(rawNode(name, parts), { serverVersion: 'v1.37.2', asOf: new Date('2026-11-30T00:00:00Z') }), uid });

describe('compareNodes', () => {
  it('tells what an upgrade changed, and whether it changed the build', () => {
    const before = [node('same'), node('patched', { kernelVersion: '10.0.20348.5000' }), node('gone'), node('reimaged', {}, 'old'), node('kubelet', { kubeletVersion: 'v1.35.0' }), node('runtime', { runtime: 'containerd://1.7.28' })];
    const after = [node('same'), node('patched', { kernelVersion: '10.0.20348.5386' }), node('new'), node('reimaged', {}, 'new'), node('kubelet'), node('runtime')];
    const compared = compareNodes(before, after);
    assert.deepEqual(compared.map(({ name, change, replaced, buildChanged }) => [name, change, replaced, buildChanged]), [
      ['same', 'unchanged', false, false], ['patched', 'changed', false, true], ['new', 'added', false, null], ['reimaged', 'unchanged', true, false],
      ['kubelet', 'changed', false, false], ['runtime', 'changed', false, false], ['gone', 'removed', false, null],
    ]);
    assert.deepEqual([compared[1]?.before?.revision, compared[1]?.after?.revision], [5000, 5386]);
  });

  it('a recording without uids compares by name', () => {
    const [compared] = compareNodes([{ ...node('a'), uid: null }], [node('a')]);
    assert.deepEqual([compared?.change, compared?.replaced], ['unchanged', false]);
  });

  it('a build that is not known cannot be compared', () => assert.equal(compareNodes([{ ...node('a'), build: null }], [node('a')])[0]?.buildChanged, null));
});
