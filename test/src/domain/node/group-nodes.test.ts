import assert from 'node:assert/strict';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { distinctValues, groupNodes } from '../../../../src/domain/node/group-nodes.ts';
import { type NodeParts, rawNode } from '../../../support/fake-cluster.ts';

const node = (name: string, parts: NodeParts) => describeNode(rawNode(name, parts), { serverVersion: 'v1.37.2', asOf: new Date('2026-11-30T00:00:00Z') });

describe('groupNodes', () => {
  const nodes = [
    node('a', { pool: 'old', kernelVersion: '10.0.17763.8389' }), node('b', { pool: 'new', kernelVersion: '10.0.26100.4061' }),
    node('c', { pool: 'new', kernelVersion: '10.0.26100.32995' }), node('d', { kernelVersion: '' , labels: { 'node.kubernetes.io/windows-build': '' } }),
  ];
  const keys = (grouping: Parameters<typeof groupNodes>[1]) => groupNodes(nodes.map((one) => ({ node: one, context: null })), grouping).map(({ key, nodes: members }) => [key, members.map(({ name }) => name).join(' ')]);
  it('by pool, in the order of the names, nodes without a pool last', () => assert.deepEqual(keys('pool'), [['new', 'b c'], ['old', 'a'], [null, 'd']]));
  it('by release, newest first', () => assert.deepEqual(keys('release'), [['ltsc2025', 'b c'], ['ltsc2019', 'a'], [null, 'd']]));
  it('by build, newest first', () => assert.deepEqual(keys('build'), [['26100', 'b c'], ['17763', 'a'], [null, 'd']]));
  it('pools of one name in two clusters are two pools, releases are one', () => {
    const two = nodes.slice(1, 3).map((one, index) => ({ node: one, context: `c${index}` }));
    assert.deepEqual(groupNodes(two, 'pool').map(({ context, key }) => [context, key]), [['c0', 'new'], ['c1', 'new']]);
    assert.deepEqual(groupNodes(two, 'release').map(({ context, key }) => [context, key]), [[null, 'ltsc2025']]);
  });
  it('values that a group has, without the unknown', () => assert.deepEqual(distinctValues(nodes, ({ build }) => build, (a, b) => a - b), [17763, 26100]));
});
