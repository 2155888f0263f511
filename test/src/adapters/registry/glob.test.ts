import assert from 'node:assert/strict';
import { matchesGlob } from '../../../../src/adapters/registry/glob.ts';

describe('matchesGlob', () => {
  // Most of them stand in Go's own path/filepath/match_test.go.
  const cases: readonly (readonly [pattern: string, text: string, isMatch: boolean])[] = [
    ['abc', 'abc', true], ['*', 'abc', true], ['*c', 'abc', true], ['a*', 'a', true], ['a*', 'abc', true], ['', '', true], ['*', '', true], ['?', '', false],
    ['a*b*c*d*e*', 'axbxcxdxe', true], ['a*b?c*x', 'abxbbxdbxebxczzx', true], ['a*b?c*x', 'abxbbxdbxebxczzy', false], ['*aab', 'aaaab', true], ['**a**', 'bab', true],
    ['ab[c]', 'abc', true], ['ab[b-d]', 'abc', true], ['ab[e-g]', 'abc', false], ['ab[^c]', 'abc', false], ['ab[^b-d]', 'abc', false], ['ab[^e-g]', 'abc', true],
    [String.raw`a\*b`, 'a*b', true], [String.raw`a\*b`, 'ab', false], ['a?b', 'a☺b', true], ['a[^a]b', 'a☺b', true], ['a???b', 'a☺b', false], ['[a-ζ]*', 'α', true], ['*[a-ζ]', 'A', false],
    [String.raw`[\]a]`, ']', true], [String.raw`[\-]`, '-', true], [String.raw`[x\-]`, 'x', true], [String.raw`[x\-]`, 'z', false], ['[[]', '[', true], ['[a]]', 'a]', true],
    ['[]a]', ']', false], ['[-]', '-', false], ['[x-]', 'x', false], ['[-x]', 'x', false], ['a[b-a-c]', 'a', false], ['[', 'a', false], ['[^', 'a', false], ['[^bc', 'a', false], ['a[', 'ab', false], ['*[', 'a', false], ['\\', '\\', false], [String.raw`[\ `.trim(), 'a', false],
    ['[!a]', 'b', false], ['*'.repeat(2000), 'a', false],
  ];
  for (const [pattern, text, isMatch] of cases) it(`${pattern.slice(0, 30)} ${isMatch ? 'is' : 'is not'} for ${text}`, () => assert.equal(matchesGlob(pattern, text), isMatch));

  it('ends with what a secret may hold to keep it busy for years', () => {
    for (const pattern of [`${'*a'.repeat(8)}*b`, `${'*a'.repeat(200)}*b`, `${'a*'.repeat(500)}b`]) assert.equal(matchesGlob(pattern, 'a'.repeat(250)), false);
  });
});
