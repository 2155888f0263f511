import assert from 'node:assert/strict';
import { issueSelectorWords, parseIssueSelector } from '../../../../src/domain/node/select-issues.ts';
import type { NodeIssue } from '../../../../src/domain/node/windows-node.ts';

const issue = (id: string, severity: NodeIssue['severity'], facts: string[] = []): NodeIssue => ({ id, severity, facts, message: '', remedy: '', reference: '' });
const ids = ['past-support', 'patch-behind'];

function selected(words: string[], issues: NodeIssue[]): string[] {
  const parsed = parseIssueSelector(words, ids);
  assert.ok('selects' in parsed, `unknown: ${JSON.stringify(parsed)}`);
  return issues.filter(parsed.selects).map(({ id }) => id);
}

describe('parseIssueSelector', () => {
  const issues = [issue('past-support', 'warning', ['NOD-002']), issue('patch-behind', 'info', ['NOD-006']), issue('provider-limit', 'error', ['NOD-001'])];
  it('a severity takes the worse ones in', () => {
    assert.deepEqual(selected(['error'], issues), ['provider-limit']);
    assert.deepEqual(selected(['warning'], issues), ['past-support', 'provider-limit']);
    assert.deepEqual(selected(['info'], issues), ['past-support', 'patch-behind', 'provider-limit']);
  });
  it('a class stands for its catalogue numbers', () => assert.deepEqual(selected(['eol'], issues), ['past-support', 'provider-limit']));
  it('numbers and ids select, any word is enough', () => assert.deepEqual(selected(['NOD-006', 'past-support'], issues), ['past-support', 'patch-behind']));
  it('no word selects nothing', () => assert.deepEqual(selected([], issues), []));
  it('names the words it does not know', () => assert.deepEqual(parseIssueSelector(['eol', 'eos', 'NOD-5'], ids), { unknown: ['eos', 'NOD-5'] }));
  it('lists its words', () => assert.deepEqual(issueSelectorWords(ids), ['error', 'warning', 'info', 'eol', 'runtime', 'skew', 'taint', 'patch', 'label', 'past-support', 'patch-behind']));
});
