import assert from 'node:assert/strict';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { CLUSTER_ISSUE_KINDS, NODE_ISSUE_KINDS } from '../../../../src/domain/node/node-issues/index.ts';
import { ISSUE_CLASSES, type IssueSelector, issueSelectorWords, parseIssueSelector } from '../../../../src/domain/node/select-issues.ts';
import type { NodeIssue } from '../../../../src/domain/node/windows-node.ts';
import { type NodeParts, rawNode } from '../../../support/fake-cluster.ts';

const issue = (id: string, severity: NodeIssue['severity'], facts: string[] = []): NodeIssue => ({ id, severity, facts, message: '', remedy: '', reference: '' });
const ids = ['past-support', 'patch-behind', 'kubelet-skew'];
const known = { ids, facts: ['NOD-002', 'NOD-006'] };

function parsed(words: string[]): IssueSelector {
  const selector = parseIssueSelector(words, known);
  assert.ok('selects' in selector, `unknown: ${JSON.stringify(selector)}`);
  return selector;
}

describe('parseIssueSelector', () => {
  const issues = [issue('past-support', 'warning', ['NOD-002']), issue('support-ending', 'info', ['NOD-002']), issue('patch-behind', 'info', ['NOD-006']), issue('pool-revisions-differ', 'info', ['NOD-006']), issue('provider-limit', 'error', ['NOD-001'])];
  const selected = (words: string[]): string[] => issues.filter(parsed(words).selects).map(({ id }) => id);
  it('a severity takes the worse ones in', () => {
    assert.deepEqual(selected(['error']), ['provider-limit']);
    assert.deepEqual(selected(['warning']), ['past-support', 'provider-limit']);
    assert.equal(selected(['info']).length, 5);
  });
  it('eol is what is over, not what nears its end', () => {
    assert.deepEqual(selected(['eol']), ['past-support', 'provider-limit']);
    assert.deepEqual(selected(['ending']), ['support-ending']);
  });
  it('patch does not fail a rolling upgrade', () => assert.deepEqual(selected(['patch']), ['patch-behind']));
  it('numbers and ids select, any word is enough', () => assert.deepEqual(selected(['NOD-006', 'past-support']), ['past-support', 'patch-behind', 'pool-revisions-differ']));
  it('numbers in small letters too', () => assert.deepEqual(selected(['nod-002']), ['past-support', 'support-ending']));
  it('no word selects nothing', () => assert.deepEqual(selected([]), []));
  it('names the words it does not know', () => assert.deepEqual(parseIssueSelector(['eol', 'eos', 'NOD-5', 'NOD-099'], known), { unknown: ['eos', 'NOD-5', 'NOD-099'] }));
  it('lists its words', () => assert.deepEqual(issueSelectorWords(known), ['error', 'warning', 'info', 'eol', 'ending', 'runtime', 'skew', 'taint', 'patch', 'label', ...ids]));
  it('classes name issues that exist', () => {
    const existing = new Set<string>([...NODE_ISSUE_KINDS, ...CLUSTER_ISSUE_KINDS].map(({ id }) => id));
    assert.deepEqual(Object.values(ISSUE_CLASSES).flatMap((one) => [...one.ids]).filter((id) => !existing.has(id)), []);
  });
});

describe('what a node cannot be judged by', () => {
  const unjudged = (words: string[], parts: NodeParts, serverVersion: string | null = 'v1.37.2'): readonly string[] => parsed(words).unjudged(describeNode(rawNode('a', parts), { serverVersion, asOf: new Date('2026-11-30T00:00:00Z') }));
  it('skew without a server version, by class and by id', () => {
    assert.deepEqual(unjudged(['skew', 'kubelet-skew', 'eol'], {}, null), ['skew', 'kubelet-skew']);
    assert.deepEqual(unjudged(['skew'], {}), []);
  });
  it('releases and patches without a build', () => assert.deepEqual(unjudged(['eol', 'patch', 'taint', 'warning'], { kernelVersion: 'x', labels: { 'node.kubernetes.io/windows-build': '' } }), ['eol', 'patch']));
  it('a runtime that is not reported', () => assert.deepEqual(unjudged(['runtime'], { runtime: '' }), ['runtime']));
  it('Linux nodes are not asked', () => assert.deepEqual(unjudged(['eol'], { os: 'linux' }), []));
});
