import assert from 'node:assert/strict';
import { refusalText } from '../../../../src/adapters/registry/refusal-text.ts';
import { Secrets } from '../../../../src/adapters/registry/secrets.ts';

function secretsOf(...texts: readonly string[]): Secrets {
  const secrets = new Secrets();
  secrets.add(texts);
  return secrets;
}

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
    it(`makes ${JSON.stringify(text)} of ${JSON.stringify(body.slice(0, 60))}`, () => assert.equal(refusalText(Buffer.from(body), secretsOf()), text));
  }

  it('repeats no secret, in the code either', () => {
    const body = Buffer.from(JSON.stringify({ code: 'HUNTER22_FAILED', message: 'user bob with hunter22 or Bearer abcdefghijklmnopqrstuvwx or eyJhbGciOiJub25l.eyJzdWIi.sig, pw pw12' }));
    assert.equal(refusalText(body, secretsOf('hunter22', 'pw12')), '<masked> failed: user bob with <masked> or Bearer <masked> or <masked>, pw <masked>');
  });
});
