import assert from 'node:assert/strict';
import { parseChallenges, type Challenge } from '../../../../src/adapters/registry/challenge.ts';

const BEARER = { scheme: 'bearer', parameters: { realm: 'https://auth.example/token', service: 'registry.example', scope: 'repository:a/b:pull' } };

const CASES: readonly (readonly [header: string | undefined, challenges: readonly Challenge[]])[] = [
  [undefined, []],
  ['', []],
  ['Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull"', [BEARER]],
  ['bearer  realm = "https://auth.example/token" , SERVICE=registry.example, scope="repository:a/b:pull"', [BEARER]],
  ['Basic realm="a, b=\\"c\\""', [{ scheme: 'basic', parameters: { realm: 'a, b="c"' } }]],
  ['Basic', [{ scheme: 'basic', parameters: {} }]],
  ['Basic realm="x", Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull"', [{ scheme: 'basic', parameters: { realm: 'x' } }, BEARER]],
  ['Negotiate, Basic realm="x"', [{ scheme: 'negotiate', parameters: {} }, { scheme: 'basic', parameters: { realm: 'x' } }]],
  ['Negotiate YIIabc==, Basic realm="x"', [{ scheme: 'negotiate', parameters: {} }, { scheme: 'basic', parameters: { realm: 'x' } }]],
  ['Bearer realm="one",realm="two"', [{ scheme: 'bearer', parameters: { realm: 'one' } }]],
  [', ,Basic realm=""', [{ scheme: 'basic', parameters: { realm: '' } }]],
  ['Bearer realm="never ends', [{ scheme: 'bearer', parameters: { realm: '' } }]],
  ['"no scheme"', []],
  ['Bearer __proto__="x",constructor="y"', [{ scheme: 'bearer', parameters: Object.fromEntries([['__proto__', 'x'], ['constructor', 'y']]) }]],
];

describe('parseChallenges', () => {
  for (const [header, expected] of CASES) {
    it(`reads ${JSON.stringify(header)}`, () => {
      assert.deepEqual(parseChallenges(header).map(({ scheme, parameters }) => ({ scheme, parameters: Object.fromEntries(Object.entries(parameters)) })), expected);
    });
  }

  it('ends with whatever a hostile server writes', () => {
    assert.ok(parseChallenges(`Bearer ${'a='.repeat(20_000)}`).length >= 1);
    assert.ok(parseChallenges('"'.repeat(20_000)).length === 0);
    assert.ok(parseChallenges('x '.repeat(20_000)).length >= 1);
  });
});
