import assert from 'node:assert/strict';
import { codeBlock, linkTarget, markdownText } from '../../../src/output/markdown.ts';

describe('markdownText', () => {
  const cases = [
    ['plain 10.0.20348', 'plain 10.0.20348'], ['a|b', 'a\\|b'], ['`code`', '\\`code\\`'], ['a\nb', 'a<br>b'], ['a\r\nb', 'a<br>b'], ['<b>&', '&lt;b&gt;&amp;'],
    ['[x](y)', '\\[x\\](y)'], ['\\|', '\\\\\\|'], ['*a* _b_', '\\*a\\* \\_b\\_'], ['', ' '], ['\u001b', '^\\['],
  ] as const;
  for (const [text, expected] of cases) it(`writes ${JSON.stringify(text)} as ${JSON.stringify(expected)}`, () => assert.equal(markdownText(text), expected));
});

describe('linkTarget', () => {
  const cases = [
    ['https://kubernetes.io/docs/#a', 'https://kubernetes.io/docs/#a'], ['https://x.test/a(b)|c', 'https://x.test/a%28b%29%7Cc'], ['https://x.test/a b', 'https://x.test/a%20b'],
    ['javascript:alert(1)', null], ['data:text/html,x', null], ['', null], ['not a url', null],
  ] as const;
  for (const [url, target] of cases) it(`makes ${target} of ${JSON.stringify(url)}`, () => assert.equal(linkTarget(url), target));
});

describe('codeBlock', () => {
  it('has a fence that its text cannot end', () => {
    assert.equal(codeBlock('a: 1\n', 'yaml'), '```yaml\na: 1\n```\n');
    assert.equal(codeBlock('a: |\n  ````\n', 'yaml'), '`````yaml\na: |\n  ````\n`````\n');
  });
  it('shows controls', () => assert.equal(codeBlock('\u001b[31m', 'text'), '```text\n^[[31m\n```\n'));
});
