import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanPath, findExecutable, spawnCommand } from '../../../../../src/adapters/kube/auth/executable.ts';
import { workplace } from '../config/workplace.ts';
import type { Workplace } from '../config/workplace.ts';

describe('findExecutable', () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });
  afterEach(() => place.close());

  it('takes the first file of PATH that may run', async () => {
    mkdirSync(join(place.folder, 'a/tool'), { recursive: true });
    place.write('b/tool', '', 0o600);
    const path = place.write('c/tool', '', 0o755);
    const PATH = ['a', 'b', 'c'].map((name) => join(place.folder, name)).join(':');
    assert.deepEqual(await findExecutable('tool', place.environment({ variables: { PATH } })), { path });
    assert.deepEqual(await findExecutable('other', place.environment({ variables: { PATH } })), { problem: 'not found' });
    assert.deepEqual(await findExecutable('other', place.environment()), { problem: 'not found' });
  });

  it('tries the extensions of PATHEXT on Windows, whatever the case of the variables', async () => {
    const path = place.write('tool.cmd', '');
    const named = place.write('other.exe', '');
    const environment = (variables: Record<string, string>) => place.environment({ platform: 'win32', variables });
    assert.deepEqual(await findExecutable('tool', environment({ Path: place.folder, PathExt: '.EXE;CMD' })), { path });
    assert.deepEqual(await findExecutable('tool', environment({ Path: place.folder })), { path });
    assert.deepEqual(await findExecutable('other.exe', environment({ Path: place.folder })), { path: named });
    assert.deepEqual(await findExecutable('tool', environment({ Path: place.folder, PATHEXT: '.EXE' })), { problem: 'not found' });
  });
});

describe('spawnCommand', () => {
  const place = workplace();
  after(() => place.close());

  it('hands programs over as they are', () => {
    assert.deepEqual(spawnCommand('/bin/tool', ['a b', '"'], place.environment()), { file: '/bin/tool', args: ['a b', '"'], windowsVerbatimArguments: false });
    assert.deepEqual(spawnCommand('C:\\tool.exe', ['a b'], place.environment({ platform: 'win32' })), { file: 'C:\\tool.exe', args: ['a b'], windowsVerbatimArguments: false });
  });

  it('hands batch files to cmd.exe, nothing of an argument left for it to act on', () => {
    const command = spawnCommand('C:\\Program Files\\tool.CMD', ['plain', 'a&b', 'x\\'], place.environment({ platform: 'win32', variables: { ComSpec: 'C:\\Windows\\cmd.exe' } }));
    assert.equal(command.file, 'C:\\Windows\\cmd.exe');
    assert.equal(command.windowsVerbatimArguments, true);
    assert.deepEqual(command.args.slice(0, 3), ['/d', '/s', '/c']);
    assert.equal(command.args[3], '"C:\\Program^ Files\\tool.CMD ^^^"plain^^^" ^^^"a^^^&b^^^" ^^^"x\\\\^^^""');
  });
});

describe('cleanPath', () => {
  for (const [given, expected] of [['./a', 'a'], ['/a//b/../c/', '/a/c'], ['a', 'a'], ['/', '/'], ['', '.']] as const) {
    it(`${JSON.stringify(given)} is ${expected}`, () => {
      assert.equal(cleanPath(given), expected);
    });
  }
});
