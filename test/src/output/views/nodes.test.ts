import assert from 'node:assert/strict';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { columnRow } from '../../../../src/output/print.ts';
import { countByRelease, nodeColumns, nodesFooter } from '../../../../src/output/views/nodes.ts';
import { type NodeParts, rawNode } from '../../../support/fake-cluster.ts';

const now = new Date('2026-11-30T12:00:00Z');
const node = (name: string, parts: NodeParts = {}): WindowsNode => describeNode(rawNode(name, parts), { serverVersion: 'v1.37.2', asOf: now });
const cell = (row: WindowsNode, header: string): string => {
  const columns = nodeColumns({ now, labelColumns: [], showLabels: false, showAgents: false, showDeep: false, showOs: true, showContext: false });
  const index = columns.findIndex((column) => column.header === header);
  assert.ok(index >= 0, `no column ${header}`);
  return columnRow(columns, { node: row, pods: null, context: null, serverVersion: null }, false).cells[index] ?? '';
};

describe('the cells of a node', () => {
  it('a Linux node has no Windows facts, and none of them is unknown', () => {
    const linux = node('l', { os: 'linux' });
    assert.deepEqual(['RELEASE', 'BUILD', 'PATCH', 'CAN-RUN', 'SUPPORT-ENDS'].map((header) => cell(linux, header)), ['', '', '', '', '']);
  });
  it('what a node does not report is unknown', () => {
    const bare = describeNode({ metadata: { name: 'bare', labels: { 'kubernetes.io/os': 'windows' } } }, { serverVersion: null, asOf: now });
    assert.deepEqual(['RELEASE', 'BUILD', 'PATCH', 'KUBELET', 'RUNTIME', 'AGE', 'RESERVED', 'PODS'].map((header) => cell(bare, header)), Array.from({ length: 8 }, () => '<unknown>'));
  });
  for (const [what, row, header, text] of [
    ['a patch in the table', node('a', { kernelVersion: '10.0.20348.5386' }), 'PATCH', '2026-07(-3)'],
    ['the newest one', node('a', { kernelVersion: '10.0.20348.5761' }), 'PATCH', '2026-10'],
    ['a build without a revision', node('a', { kernelVersion: '10.0.20348' }), 'BUILD', '20348'],
    ['the provider that ends first', node('a', { pool: 'x' }), 'SUPPORT-ENDS', '2028-06-30(aks)'],
    ['Microsoft that ends first', node('a'), 'SUPPORT-ENDS', '2031-10-14'],
    ['what is kept from pods', node('a'), 'RESERVED', '100m/2048Mi'],
    ['a taint with a value', node('a'), 'TAINTS', 'os=windows:NoSchedule'],
    ['a taint without one', node('a', { taints: [{ key: 'k', effect: 'NoExecute' }] }), 'TAINTS', 'k:NoExecute'],
    ['information counted, not named', node('a', { kernelVersion: '10.0.20348.5761', kubeletVersion: 'v1.37.2' }), 'ISSUES', '+1'],
  ] as const) {
    it(`${what}: ${text}`, () => assert.equal(cell(row, header), text));
  }
});

describe('nodesFooter', () => {
  const nodes = [node('a'), node('b', { kernelVersion: '10.0.26100.32995' }), node('c', { kernelVersion: '' , labels: { 'node.kubernetes.io/windows-build': 'x' } })];
  it('counts releases, newest first, and what is not shown', () => {
    assert.equal(nodesFooter(nodes, 2), '3 Windows nodes: 1 ltsc2025, 1 ltsc2022, 1 unknown; 2 Linux nodes not shown');
    assert.equal(nodesFooter([...nodes.slice(0, 1), node('l', { os: 'linux' })], 0), '1 Windows node: 1 ltsc2022; 1 other node');
    assert.equal(nodesFooter([], 1), '0 Windows nodes; 1 Linux node not shown');
  });
  it('countByRelease leaves Linux out', () => assert.deepEqual([...countByRelease([node('l', { os: 'linux' })])], []));
});
