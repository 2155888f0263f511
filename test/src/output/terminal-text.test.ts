import assert from 'node:assert/strict';
import { cellText, visibleControls, visibleControlsInLines, visibleControlsInText } from '../../../src/output/terminal-text.ts';

describe('cellText', () => {
  const cases = [
    ['plain text, é, 😀', 'plain text, é, 😀'],
    ['\u001b]0;title\u0007', '^[]0;title^G'],
    ['a\nb', 'a...'], ['a\fb', 'a...'], ['a\rb', 'a...'], ['\n', '...'], ['\u001b\nb', '^[...'],
    ['a\tb', 'a\\tb'], ['\u0000\u007f', '^@^?'], ['\u009b31m\u0085', '\\u009b31m\\u0085'],
    ['\u202eabc\u2066\u200f\u061c', '\\u202eabc\\u2066\\u200f\\u061c'], ['a\u2028b', 'a\\u2028b'],
    ['\ud800x', '\\ud800x'], ['👩\u200d🔧', '👩\u200d🔧'],
  ] as const;
  for (const [text, expected] of cases) it(`${JSON.stringify(text)} is shown as ${JSON.stringify(expected)}`, () => assert.equal(cellText(text), expected));
});

describe('visibleControls', () => {
  it('shows line breaks too', () => assert.equal(visibleControls('a\r\nb\u001b'), 'a\\r\\nb^['));
  it('keeps lines and tabs of templates', () => assert.equal(visibleControlsInText('a\tb\nc\u001b\r'), 'a\tb\nc^[\\r'));
  it('keeps lines where they are wanted', () => assert.equal(visibleControlsInLines('a\nb\u001b\r'), 'a\nb^[\\r'));
});
