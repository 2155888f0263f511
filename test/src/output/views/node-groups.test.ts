import assert from 'node:assert/strict';
import { groupNodes } from '../../../../src/domain/node/group-nodes.ts';
import { nodeGroupsView } from '../../../../src/output/views/node-groups.ts';
import { READY_NODE } from '../sample-view.ts';

describe('nodeGroupsView', () => {
  const nodes = [{ ...READY_NODE, name: 'a', revision: 4061 }, { ...READY_NODE, name: 'b', revision: 33158, ready: false }];
  const view = nodeGroupsView(groupNodes(nodes.map((node) => ({ node, context: null })), 'pool'), () => ({ kind: 'WindowsNodeList' }));
  const cells = Object.fromEntries(view.columns.map(({ header, value, tone }) => [header, [value(view.items[0] ?? assert.fail()), tone?.(view.items[0] ?? assert.fail())]]));
  it('compares revisions as numbers: 4061 is older than 33158', () => assert.deepEqual(cells['REVISIONS'], ['20348.33158,20348.4061', 'warning']));
  it('counts the Ready ones', () => assert.deepEqual([cells['NODES'], cells['READY']], [['2', undefined], ['1', 'bad']]));
  it('names the nodes in the document', () => assert.deepEqual(view.document()['groups'], [{ by: 'pool', key: 'win22', context: null, nodes: ['a', 'b'] }]));
});
