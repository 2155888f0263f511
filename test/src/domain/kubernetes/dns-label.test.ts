import assert from 'node:assert/strict';
import { isDnsLabel } from '../../../../src/domain/kubernetes/dns-label.ts';

describe('isDnsLabel', () => {
  for (const [text, is] of [
    ['shop', true], ['a', true], ['7-a', true], ['a'.repeat(63), true], ['a'.repeat(64), false], ['', false], ['-a', false], ['a-', false], ['Shop', false], ['a.b', false], ['a_b', false], ['shop\n', false], ['shop }\n- { verbs: ["*"] }', false],
  ] as const) it(`${JSON.stringify(text)} ${is ? 'is one' : 'is none'}`, () => assert.equal(isDnsLabel(text), is));
});
