import assert from 'node:assert/strict';
import { isReadablePullSecret, matchesImage, PullSecretKeyring, pullSecretEntries } from '../../../../src/adapters/registry/pull-secret-keyring.ts';

const auth = (text: string): string => Buffer.from(text).toString('base64');
const secret = (...keys: readonly string[]): string => JSON.stringify({ auths: Object.fromEntries(keys.map((key) => [key, { username: key, password: 'p' }])) });
const namesFor = (secrets: readonly string[], repository: string): readonly string[] => new PullSecretKeyring().matching(secrets, repository).map((one) => (one.kind === 'password' ? one.username : one.kind));

describe('matchesImage', () => {
  const cases: readonly (readonly [key: string, repository: string, isMatch: boolean])[] = [
    ['registry.example', 'registry.example/a', true],
    ['registry.example', 'registry.example:5000/a', false],
    ['registry.example:5000', 'registry.example:5000/a', true],
    ['registry.example:5001', 'registry.example:5000/a', false],
    ['registry.example:*', 'registry.example:5000/a', false],
    ['*.example', 'registry.example/a', true],
    ['*.example', 'a.registry.example/a', false],
    ['*', 'registry.example/a', false],
    ['*.*', 'registry.example/a', true],
    ['r*y.example', 'registry.example/a', true],
    ['prefix.*.example', 'prefix.kubernetes.example/a', true],
    ['*-good.example', 'prefix-good.example/a', true],
    ['registr?.example', 'registry.example/a', true],
    ['registr[xyz].example', 'registry.example/a', true],
    ['registr[^y].example', 'registry.example/a', false],
    ['registr[a-x].example', 'registry.example/a', false],
    ['registr[.example', 'registr[.example/a', false],
    ['re+.example', 'ree.example/a', false],
    ['registry.example/team', 'registry.example/team/a', true],
    ['registry.example/team', 'registry.example/teamwork/a', true],
    ['registry.example/team/', 'registry.example/teamwork/a', false],
    ['registry.example/team', 'registry.example/other', false],
    ['registry.example/*', 'registry.example/team', false],
    ['*.example/team', 'registry.example/team/a', true],
    ['[fd00::1]:5000', '[fd00::1]:5000/a', true],
    ['[fd00::1]', '[fd00::1]/a', false],
    ['localhost', 'localhost/a', true],
  ];
  for (const [key, repository, isMatch] of cases) {
    it(`${key} ${isMatch ? 'is' : 'is not'} for ${repository}`, () => assert.equal(matchesImage(key, repository), isMatch));
  }

  it('ends with a key that is all stars', () => {
    assert.equal(matchesImage(`${'*a'.repeat(8)}*b.example.com`, `${'a'.repeat(50)}.example.com/x`), false);
  });
});

describe('PullSecretKeyring', () => {
  const cases: readonly (readonly [what: string, secrets: readonly string[], repository: string, names: readonly string[]])[] = [
    ['the most specific key first, all of them', [secret('r.example', 'r.example/team', 'r.example/team/app', 'other.example')], 'r.example/team/app', ['r.example/team/app', 'r.example/team', 'r.example']],
    ['keys in reverse order, a letter before a star', [secret('*.example', 'r.example')], 'r.example/a', ['r.example', '*.example']],
    ['schemes and /v1/ and /v2/ as the host', [secret('https://r.example/v1/', 'http://r.example', 'r.example/v2/')], 'r.example/a', ['https://r.example/v1/', 'http://r.example', 'r.example/v2/']],
    ['a path below /v2/', [secret('https://r.example/v2/team')], 'r.example/team/a', ['https://r.example/v2/team']],
    ['/v1 without its slash as a path', [secret('https://r.example/v1')], 'r.example/a', []],
    ['several secrets in their order', [secret('r.example'), JSON.stringify({ auths: { 'r.example': { username: 'second', password: 'p' } } })], 'r.example/a', ['r.example', 'second']],
    ['the key of Docker Hub', [secret('https://index.docker.io/v1/')], 'docker.io/library/nginx', ['https://index.docker.io/v1/']],
    ['the name of Docker Hub, which is more than its default', [secret('https://index.docker.io/v1/', 'docker.io')], 'docker.io/library/nginx', ['docker.io']],
    ['not the key of Docker Hub elsewhere', [secret('https://index.docker.io/v1/')], 'quay.io/a/b', []],
    ['nothing of an empty list', [], 'r.example/a', []],
  ];
  for (const [what, secrets, repository, names] of cases) {
    it(`takes ${what}`, () => assert.deepEqual(namesFor(secrets, repository), names));
  }

  it('reads a secret once, however many images come with it', () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `r${index}.example/team`);
    const text = secret(...keys);
    const keyring = new PullSecretKeyring();
    for (let index = 0; index < 100; index += 1) {
      assert.ok(keyring.isReadable(text));
      assert.equal(keyring.matching([text], `r${index}.example/team/app`).length, 1);
    }
  });
});

describe('pullSecretEntries', () => {
  it('reads .dockercfg, which has no auths around the entries', () => {
    assert.deepEqual(pullSecretEntries(JSON.stringify({ 'r.example': { username: 'u', password: 'p', email: 'e' } })), [{ key: 'r.example', credentials: { kind: 'password', username: 'u', password: 'p' } }]);
  });

  it('prefers auth to a user name beside it, padded or not, with colons in the password', () => {
    for (const field of [auth('user:a:b'), auth('user:a:b').replace(/=+$/, '')]) {
      assert.deepEqual(pullSecretEntries(JSON.stringify({ auths: { 'r.example': { auth: field, username: 'x', password: 'y' } } })).map(({ credentials }) => credentials), [{ kind: 'password', username: 'user', password: 'a:b' }]);
    }
  });

  for (const text of ['', 'no JSON', '[]', 'null', '{"auths":[]}', '{"auths":{"r.example":"x"}}', '{"auths":{"r.example":{"auth":"bm9jb2xvbg=="}}}', '{"auths":{"r.example":{"identitytoken":"t"}}}', '{"auths":{"r example":{"username":"u","password":"p"}}}']) {
    it(`finds none in ${JSON.stringify(text)}`, () => assert.deepEqual(pullSecretEntries(text), []));
  }
});

describe('isReadablePullSecret', () => {
  const entry = (value: unknown): string => JSON.stringify({ auths: { 'r.example': value, 'q.example': { username: 'u', password: 'p' } } });
  const cases: readonly (readonly [what: string, text: string, isReadable: boolean])[] = [
    ['a user name and a password', entry({ username: 'u', password: 'p', email: null }), true],
    ['padded base64', entry({ auth: 'dTpwYQ==' }), true],
    ['base64 without its padding', entry({ auth: 'dTpwYQ' }), true],
    ['base64 on two lines', entry({ auth: 'dTpw\r\nYQ==\n' }), true],
    ['an empty auth', entry({ auth: '' }), true],
    ['an entry of nothing', entry({}), true],
    ['null for an entry', entry(null), true],
    ['no entries', '{"auths":{}}', true],
    ['null for entries', '{"auths":null}', true],
    ['null', 'null', true],
    ['helpers in the place of entries', '{"credsStore":"x","credHelpers":{"r.example":"y"}}', true],
    ['.dockercfg', '{"r.example":{"auth":"dTpwYQ=="}}', true],
    ['half of a padding', entry({ auth: 'dTpwYQ=' }), false],
    ['base64 with a space', entry({ auth: 'dTpwYQ== ' }), false],
    ['base64 for URLs', entry({ auth: 'dTpwYf8_' }), false],
    ['base64 without a colon', entry({ auth: 'bm9jb2xvbg==' }), false],
    ['plain text', entry({ auth: 'user:password' }), false],
    ['a number for a password', entry({ username: 'u', password: 1 }), false],
    ['a text for an entry', entry('x'), false],
    ['a list of entries', '{"auths":[]}', false],
    ['.dockercfg without a colon', '{"r.example":{"auth":"bm9jb2xvbg=="}}', false],
    ['a list', '[]', false],
    ['no JSON', 'no JSON', false],
  ];
  for (const [what, text, isReadable] of cases) {
    it(`${isReadable ? 'takes' : 'refuses'} ${what}`, () => assert.equal(isReadablePullSecret(text), isReadable));
  }
});
