import assert from 'node:assert/strict';
import { needsContainerd17, readAccount, runAsUserName, type Account } from '../../../../src/domain/hostprocess/account.ts';

const service = (name: string): Account => ({ kind: 'service', name } as Account);
const group = (name: string): Account => ({ kind: 'group', name });

describe('accounts', () => {
  const accounts: readonly (readonly [text: string, account: Account])[] = [
    ...['system', 'SYSTEM', ' LocalSystem ', 'local-system', 'NT AUTHORITY\\SYSTEM', 'nt authority\\system'].map((text) => [text, service('NT AUTHORITY\\SYSTEM')] as const),
    ...['local-service', 'LocalService', 'local service', 'NT AUTHORITY\\LOCAL SERVICE'].map((text) => [text, service('NT AUTHORITY\\Local service')] as const),
    ...['network-service', 'NETWORK SERVICE', 'NT AUTHORITY\\NetworkService'].map((text) => [text, service('NT AUTHORITY\\NetworkService')] as const),
    ['Administrators', group('Administrators')], ['log readers', group('log readers')], ['BUILTIN\\Performance Log Users', group('Performance Log Users')], ['g'.repeat(104), group('g'.repeat(104))],
  ];
  for (const [text, account] of accounts) it(`${text.slice(0, 40)}: ${account.name.slice(0, 40)}`, () => assert.deepEqual(readAccount(text), account));

  const refused: readonly (readonly [text: string, why: RegExp])[] = [
    ['', /^is empty$/], ['  ', /^is empty$/], ['ContainerUser', /isolated containers/], ['User Manager\\ContainerAdministrator', /isolated containers/], ['g'.repeat(105), /no name that Kubernetes takes: .*104/],
    ['a\\b\\c', /more than one backslash/], ['a;b', /cannot contain the following characters/], ['CONTOSO\\web', /an account with a password/], ['.\\admin', /NetBios/],
  ];
  for (const [text, why] of refused) {
    it(`${JSON.stringify(text.slice(0, 40))} can be nobody`, () => {
      const read = readAccount(text);
      assert.match(typeof read === 'string' ? read : assert.fail('taken'), why);
    });
  }

  it('of a group take a runtime that makes users', () => {
    assert.deepEqual([service('NT AUTHORITY\\SYSTEM'), group('x')].map(needsContainerd17), [false, true]);
    assert.equal(runAsUserName(group('log readers')), 'log readers');
  });
});
