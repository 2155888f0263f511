import assert from 'node:assert/strict';
import { artifactUri, relativePath } from '../../../src/output/artifact-uri.ts';

describe('artifactUri', () => {
  // file as named, root, URI, whether it is relative
  const cases: readonly [string, string | null, string, boolean][] = [
    ['web.yaml', null, 'web.yaml', true],
    ['./deploy/web.yaml', null, 'deploy/web.yaml', true],
    ['../web.yaml', null, '../web.yaml', true],
    ['a b/c#d?e%41.yaml', null, 'a%20b/c%23d%3Fe%2541.yaml', true],
    ['größe/漢.yaml', null, 'gr%C3%B6%C3%9Fe/%E6%BC%A2.yaml', true],
    ['/srv/repo/deploy/web.yaml', '/srv/repo', 'deploy/web.yaml', true],
    ['/srv/repo/deploy/web.yaml', '/srv/repo/', 'deploy/web.yaml', true],
    ['/srv/repository/web.yaml', '/srv/repo', 'file:///srv/repository/web.yaml', false],
    ['/srv/repo/web.yaml', null, 'file:///srv/repo/web.yaml', false],
    ['C:\\repo\\my app\\web.yaml', null, 'file:///C:/repo/my%20app/web.yaml', false],
    ['C:\\repo\\deploy\\web.yaml', 'C:\\repo', 'deploy/web.yaml', true],
    ['deploy\\web.yaml', null, 'deploy/web.yaml', true],
    ['back\\slash/web.yaml', null, 'back%5Cslash/web.yaml', true],
    ['https://example.com/a b/web.yaml?x=%20', null, 'https://example.com/a%20b/web.yaml?x=%20', false],
    ['a:b.yaml', null, 'a%3Ab.yaml', true],
    ['stdin', '/srv', 'stdin', true],
    ['lone\ud800.yaml', null, 'lone%EF%BF%BD.yaml', true],
  ];
  for (const [file, root, uri, isRelative] of cases) it(`writes ${JSON.stringify(file)} in ${root} as ${uri}`, () => assert.deepEqual(artifactUri(file, root), { uri, isRelative }));

  it('leaves what is not below the root as it was named', () => assert.equal(relativePath('/elsewhere/web.yaml', '/srv'), '/elsewhere/web.yaml'));
});
