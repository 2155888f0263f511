import assert from 'node:assert/strict';
import { allowsColour, paint } from '../../../src/output/colour.ts';

describe('allowsColour', () => {
  const cases = [
    ['a terminal', { isTTY: true, env: {}, platform: 'linux' }, true],
    ['no terminal', { isTTY: false, env: { FORCE_COLOR: '1' }, platform: 'linux' }, false],
    ['TERM=dumb', { isTTY: true, env: { TERM: 'dumb' }, platform: 'linux' }, false],
    ['NO_COLOR set', { isTTY: true, env: { NO_COLOR: '1', FORCE_COLOR: '1' }, platform: 'linux' }, false],
    ['NO_COLOR set to nothing', { isTTY: true, env: { NO_COLOR: '' }, platform: 'linux' }, false],
    ['an old Windows console', { isTTY: true, env: {}, platform: 'win32' }, false],
    ['Windows Terminal', { isTTY: true, env: { WT_SESSION: 'a-guid' }, platform: 'win32' }, true],
  ] as const;
  for (const [name, facts, expected] of cases) it(`${expected ? 'allows' : 'refuses'} colour: ${name}`, () => assert.equal(allowsColour(facts), expected));
});

describe('paint', () => {
  it('leaves plain text alone', () => assert.equal(paint('x', 'plain'), 'x'));
  it('ends each colour', () => assert.equal(paint('x', 'bad'), '\u001b[31mx\u001b[0m'));
});
