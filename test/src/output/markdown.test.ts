import assert from 'node:assert/strict';
import { markdownText } from '../../../src/output/markdown.ts';

describe('markdownText', () => {
  const cases = [
    ['plain 10.0.20348', 'plain 10.0.20348'], ['a|b', 'a\\|b'], ['`code`', '\\`code\\`'], ['a\nb', 'a<br>b'], ['a\r\nb', 'a<br>b'], ['<b>&', '&lt;b&gt;&amp;'],
    ['[x](y)', '\\[x\\](y)'], ['\\|', '\\\\\\|'], ['*a* _b_', '\\*a\\* \\_b\\_'], ['', ' '], ['\u001b', '^\\['],
  ] as const;
  for (const [text, expected] of cases) it(`writes ${JSON.stringify(text)} as ${JSON.stringify(expected)}`, () => assert.equal(markdownText(text), expected));
});
