import assert from 'node:assert/strict';
import type { ListNodesOptions } from '../../../src/app/list-nodes.ts';
import type { ClusterReader } from '../../../src/app/ports.ts';
import { type ClusterToRead, type ReportNodesOptions, judgeGate, reportNodes } from '../../../src/app/report-nodes.ts';
import { type NodeComparison, compareNodes } from '../../../src/domain/node/compare-nodes.ts';
import { describeNode } from '../../../src/domain/node/describe-node.ts';
import { parseIssueSelector } from '../../../src/domain/node/select-issues.ts';
import { ClusterError } from '../../../src/errors.ts';
import { fakeCluster, rawNode } from '../../support/fake-cluster.ts';

const list: ListNodesOptions = { names: [], allOs: false, pools: [], releases: [], withPods: false, describe: { asOf: new Date('2026-11-30T12:00:00Z') } };
const options = (changes: Partial<ReportNodesOptions> = {}): ReportNodesOptions => ({ list, withIssue: null, groupBy: null, showImages: false, gate: { failOn: null, failOnUnchanged: false }, ...changes });
const selector = (...words: string[]) => {
  const parsed = parseIssueSelector(words, { ids: ['past-support'], facts: [] });
  assert.ok('selects' in parsed);
  return parsed;
};
const image = (name: string) => ({ names: [name], sizeBytes: 5 });
const cluster = (context: string | null, reader: () => ClusterReader): ClusterToRead => ({ context, open: async () => reader() });
const named = (context: string, reader: ClusterReader): ClusterReader => ({ ...reader, description: { ...reader.description, context } });

describe('reportNodes', () => {
  const one = rawNode('win-0', { images: [image('a:1')] });

  it('lists the nodes of one cluster with its context and version', async () => {
    const { listed, failures, gate } = await reportNodes(options(), [cluster(null, () => fakeCluster({ objects: { nodes: [one] } }))], null);
    assert.deepEqual(listed.map(({ node: { name }, pods, context, serverVersion }) => [name, pods, context, serverVersion]), [['win-0', null, 'test', 'v1.37.2']]);
    assert.deepEqual([failures, gate], [[], { failed: false, reasons: [], notEvaluated: [] }]);
  });

  it('keeps nodes and images of one name in two clusters apart', async () => {
    const other = rawNode('win-0', { images: [image('b:1')], pool: 'p' });
    const { listed, images, groups } = await reportNodes(options({ showImages: true, groupBy: 'pool' }), [
      cluster('a', () => named('a', fakeCluster({ objects: { nodes: [rawNode('win-0', { images: [image('a:1')], pool: 'p' })] } }))),
      cluster('b', () => named('b', fakeCluster({ objects: { nodes: [other] } }))),
    ], null);
    assert.deepEqual(listed.map(({ context, node: { name } }) => [context, name]), [['a', 'win-0'], ['b', 'win-0']]);
    assert.deepEqual(images?.map(({ image: name, nodes }) => [name, nodes]), [['a:1', ['a/win-0']], ['b:1', ['b/win-0']]]);
    assert.deepEqual(groups?.map(({ context, key }) => [context, key]), [['a', 'p'], ['b', 'p']]);
  });

  it('a cluster that fails does not hide the others, and is named', async () => {
    const refused = new ClusterError('refused', { reason: 'Unreachable' });
    const { listed, failures } = await reportNodes(options(), [cluster('a', () => fakeCluster({ objects: { nodes: [one] } })), cluster('b', () => { throw refused; })], null);
    assert.equal(listed.length, 1);
    assert.deepEqual(failures, [{ context: 'b', error: refused }]);
  });

  it('throws when no cluster can be read, and for a defect in any of them', async () => {
    const refused = new ClusterError('refused', { reason: 'Unreachable' });
    await assert.rejects(reportNodes(options(), [cluster('a', () => { throw refused; })], null), refused);
    await assert.rejects(reportNodes(options(), [cluster('a', () => fakeCluster({ objects: { nodes: [one] } })), cluster('b', () => { throw new TypeError('x'); })], null), TypeError);
  });

  it('shows only nodes with an issue', async () => {
    const nodes = [one, rawNode('win-1', { taints: [] })];
    const { listed } = await reportNodes(options({ withIssue: selector('taint') }), [cluster(null, () => fakeCluster({ objects: { nodes } }))], null);
    assert.deepEqual(listed.map(({ node }) => node.name), ['win-1']);
  });
});

describe('judgeGate', () => {
  const asOf = new Date('2026-11-30T12:00:00Z');
  const good = describeNode(rawNode('good'), { serverVersion: 'v1.37.2', asOf });
  const bad = describeNode(rawNode('bad', { taints: [] }), { serverVersion: 'v1.37.2', asOf });
  const blind = describeNode(rawNode('blind'), { serverVersion: null, asOf });
  const reasons = (words: string[], nodes: Parameters<typeof judgeGate>[1], comparison: readonly NodeComparison[] | null = null, failOnUnchanged = false) =>
    judgeGate({ failOn: words.length === 0 ? null : selector(...words), failOnUnchanged }, nodes, comparison);

  it('passes when nothing was asked for, or nothing was found', () => {
    assert.deepEqual(reasons([], []), { failed: false, reasons: [], notEvaluated: [] });
    assert.deepEqual(reasons(['taint'], [good]), { failed: false, reasons: [], notEvaluated: [] });
  });
  it('fails on what was found, and counts it', () => assert.deepEqual(reasons(['taint'], [good, bad, bad]), { failed: true, reasons: ['no-isolating-taint on 2 nodes'], notEvaluated: [] }));
  it('fails when it could not judge', () => assert.deepEqual(reasons(['skew'], [good, blind]), { failed: true, reasons: ['skew could not be judged on 1 node: what it needs is not known there'], notEvaluated: [] }));
  it('says what a severity alone could not see, and does not fail for it', () => {
    const { failed, notEvaluated } = reasons(['error'], [blind]);
    assert.equal(failed, false);
    assert.match(notEvaluated.join('\n'), /^kubelet skew and the limits of providers were not evaluated: the version of the API server is not known/);
    assert.deepEqual(reasons(['error'], [good]).notEvaluated, []);
  });
  it('fails when it judged nothing', () => assert.deepEqual(reasons(['eol'], []), { failed: true, reasons: ['no node was judged'], notEvaluated: [] }));
  it('unchanged means the build, whatever else changed or whether the node was replaced', () => {
    const upgraded = describeNode(rawNode('good', { kubeletVersion: 'v1.37.2' }), { serverVersion: 'v1.37.2', asOf });
    assert.deepEqual(reasons([], [], compareNodes([{ ...good, uid: 'old' }], [upgraded]), true), { failed: true, reasons: ['build and revision are unchanged on 1 node'], notEvaluated: [] });
    const patched = describeNode(rawNode('good', { kernelVersion: '10.0.20348.5622' }), { serverVersion: 'v1.37.2', asOf });
    assert.equal(reasons([], [], compareNodes([good], [patched]), true).failed, false);
    assert.equal(reasons([], [], compareNodes([{ ...good, build: null }], [patched]), true).failed, true);
  });
});
