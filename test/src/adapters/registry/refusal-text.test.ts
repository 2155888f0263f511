import assert from 'node:assert/strict';
import { masked, refusalText } from '../../../../src/adapters/registry/refusal-text.ts';

describe('refusalText', () => {
  const cases: readonly (readonly [body: string, text: string | null])[] = [
    ['{"errors":[{"code":"UNAUTHORIZED","message":"authentication required","detail":null}]}', 'unauthorized: authentication required'],
    ['{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"},{"code":"X","message":"y"}]}', 'manifest unknown'],
    ['{"errors":[{"code":"DENIED"}]}', 'denied'],
    ['{"errors":[{"message":"no."}]}', 'no'],
    ['{"errors":[]}', null],
    ['{"errors":"x"}', null],
    ['{"details":"incorrect username or password"}', 'incorrect username or password'],
    ['{"error":"invalid_grant","error_description":"token expired"}', 'token expired'],
    ['{"message":"rate \\u001b[31mlimit\\r\\nreached \\u202eevil"}', 'rate [31mlimit reached evil'],
    [`{"message":"${'x'.repeat(500)}"}`, `${'x'.repeat(159)}…`],
    ['<html>login</html>', null],
    ['', null],
    ['7', null],
  ];
  for (const [body, text] of cases) {
    it(`makes ${JSON.stringify(text)} of ${JSON.stringify(body.slice(0, 60))}`, () => assert.equal(refusalText(Buffer.from(body), []), text));
  }

  it('repeats no secret', () => {
    const body = Buffer.from(JSON.stringify({ message: 'user bob with hunter22 or Bearer abcdefghijklmnopqrstuvwx or eyJhbGciOiJub25l.eyJzdWIi.sig, pw pw1' }));
    assert.equal(refusalText(body, ['hunter22', 'pw1']), 'user bob with <masked> or Bearer <masked> or <masked>, pw <masked>');
  });
});

describe('masked', () => {
  it('leaves words that merely hold a short secret, and what a challenge says', () => {
    assert.equal(masked('the password of passage; Bearer realm="https://auth.example/token"', ['pass']), 'the password of passage; Bearer realm="https://auth.example/token"');
    assert.equal(masked('a+b (a+b)', ['a+b']), '<masked> (<masked>)');
  });
});
