import assert from 'node:assert/strict';
import { Secrets } from '../../../../src/adapters/registry/secrets.ts';

function secretsOf(...texts: readonly string[]): Secrets {
  const secrets = new Secrets();
  secrets.add(texts);
  return secrets;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

describe('Secrets', () => {
  describe('mask every spelling of', () => {
    const secrets = [
      'hunter22', 'sec ret~!\'()*&token', 'pa"ss\\wo/rd<x>', 'pässwörd😀', '50%25off+more', 'C:\\\\dir\\"x"', 'line\nbreak\ttab', '=a&b=c;d,e f@g', '{"json":"in json"}', '\\'.repeat(40) + 'x'.repeat(8),
    ];
    const spellings: Readonly<Record<string, (text: string) => string>> = {
      'as it is': (text) => text,
      'encodeURIComponent': encodeURIComponent,
      'a form': (text) => new URLSearchParams({ refresh_token: text }).toString().slice('refresh_token='.length),
      'Go\'s url.QueryEscape': (text) => encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll('%20', '+'),
      'percent in lower case': (text) => encodeURIComponent(text).replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
      'percent but for the slash': (text) => encodeURIComponent(text).replaceAll('%2F', '/'),
      'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
      'JSON': (text) => JSON.stringify(text).slice(1, -1),
      'JSON in ASCII, as of Python': (text) => JSON.stringify(text).slice(1, -1).replaceAll(/[^\0-~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`),
      'JSON as of Go': (text) => JSON.stringify(text).slice(1, -1).replaceAll(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
      'JSON as of PHP': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
      'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
      'HTML': (text) => text.replaceAll(/[&<>"']/g, (one) => HTML[one] ?? one),
      'capital letters': (text) => text.toUpperCase(),
    };
    for (const secret of secrets) {
      for (const [name, spell] of Object.entries(spellings)) {
        it(`${JSON.stringify(secret.slice(0, 20))}: ${name}`, () => assert.equal(secretsOf(secret).masked(`before ${spell(secret)} after`), 'before <masked> after'));
      }
    }
  });

  it('mask what credentials make of a password: Basic with and without its padding, for URLs, and the pair itself', () => {
    const secrets = new Secrets();
    secrets.addCredentials({ kind: 'password', username: 'bob', password: '?>~x' });
    for (const encoding of ['base64', 'base64url'] as const) assert.equal(secrets.masked(`got ${Buffer.from('bob:?>~x').toString(encoding).replace(/=+$/, '')}!`), 'got <masked>!');
    assert.equal(secrets.masked('Authorization: bob:?>~x'), 'Authorization: <masked>');
    assert.equal(secrets.masked('bob%3A%3F%3E~x'), '<masked>');
  });

  it('mask a secret within base64 of more than it, wherever it begins there', () => {
    const secret = 'refresh??>>~~token';
    for (const before of ['', 'u', '<t', 'bob', '<token>:']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        assert.match(secretsOf(secret).masked(Buffer.from(`${before}${secret} and more`).toString(encoding)), /^[\w+/-]{0,13}<masked>[\w+/=-]{0,16}$/);
      }
    }
  });

  it('leave words that merely hold a short secret, and what a challenge says', () => {
    const text = 'the password of passage; Bearer realm="https://auth.example/token"';
    assert.equal(secretsOf('pass').masked(text), text);
    assert.equal(secretsOf('a+bc').masked('a+bc (a%2Bbc) %20a+bc%20 xa+bc'), '<masked> (<masked>) %20<masked>%20 xa+bc');
  });

  it('mask a very short secret where the text says that it is one, and leave all else', () => {
    const secrets = secretsOf('a', '404', 'of');
    assert.equal(secrets.masked('r.example answered 404 of a kind'), 'r.example answered 404 of a kind');
    assert.equal(secrets.masked('{"password":"404"} refresh_token=a&x token: of'), '{"password":"<masked>"} refresh_token=<masked>&x token: <masked>');
  });

  it('mask the longer one of two whole', () => assert.equal(secretsOf('abcdefgh', 'abcdefghXYZ').masked('x abcdefghXYZ'), 'x <masked>'));

  it('know a token of any length by its beginning, and end with texts made to keep them busy', () => {
    const token = 'ab.c/'.repeat(100_000);
    assert.equal(secretsOf(token).masked(`got ${token} and`), 'got <masked> and');
    for (const hostile of ['\\'.repeat(64_000), '%25'.repeat(20_000), '\\"'.repeat(30_000)]) secretsOf('\\'.repeat(300), '%'.repeat(300), '\\"'.repeat(150), '"'.repeat(300)).masked(hostile);
  });
});
