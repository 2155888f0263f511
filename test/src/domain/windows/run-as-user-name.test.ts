import assert from 'node:assert/strict';
import { problemsOfRunAsUserName } from '../../../../src/domain/windows/run-as-user-name.ts';

// The API server itself is asked in test/src/domain/check/api-server.cluster.test.ts.
describe('the API server\'s test of runAsUserName', () => {
  for (const name of ['NT AUTHORITY\\SYSTEM', 'CONTOSO\\web', 'a.example.com\\web', 'log readers', 'u'.repeat(104), `${'d'.repeat(15)}\\u`, 'ä'.repeat(52)]) {
    it(`takes ${JSON.stringify(name)}`, () => assert.deepEqual(problemsOfRunAsUserName(name), []));
  }
  const refused: readonly (readonly [name: string, problem: RegExp])[] = [
    ['', /cannot be an empty string/], ['a\nb', /control characters/], ['a\\b\\c', /more than one backslash/], ['a\\', /User cannot be empty/],
    ['u'.repeat(105), /longer than 104/], ['ä'.repeat(53), /longer than 104/], [' . ', /only periods or spaces/], ['a;b', /cannot contain the following/], ['.d\\u', /NetBios nor the DNS/],
    [`${'d'.repeat(256)}\\u`, /under 256/],
  ];
  for (const [name, problem] of refused) it(`refuses ${JSON.stringify(name.slice(0, 40))}`, () => assert.match(problemsOfRunAsUserName(name).join('; '), problem));
});
