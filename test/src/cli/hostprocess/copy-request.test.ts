import assert from 'node:assert/strict';
import { parse } from '@oclif/core/parser';
import { copyFlags } from '../../../../src/cli/hostprocess/copy-flags.ts';
import { readCopyRequest, type CopyCommandLine, type CopyFlags } from '../../../../src/cli/hostprocess/copy-request.ts';
import { UsageError } from '../../../../src/errors.ts';

async function read(words: readonly string[], argv: readonly string[] = [], platform = 'linux'): Promise<CopyCommandLine> {
  const { flags } = await parse([...argv], { flags: copyFlags, args: {}, strict: false });
  return readCopyRequest(words, flags as unknown as CopyFlags, () => '', platform); // without the global flags, which it does not read
}

describe('readCopyRequest', () => {
  it('reads which of the two is on a node', async () => {
    const up = await read(['./tools', 'win-1:C:\\Tools']);
    assert.deepEqual(up.places, { direction: 'upload', remote: { side: 'node', target: { kind: 'node', name: 'win-1' }, path: { path: 'C:\\Tools', isFolder: false, name: 'Tools' } }, localPath: './tools', isInto: false });
    const down = await read(['pod/shop/web:C:/k/a.log', 'logs']);
    assert.deepEqual([down.places.direction, down.places.remote.target, down.places.localPath], ['download', { kind: 'pod', namespace: 'shop', name: 'web' }, 'logs']);
    assert.deepEqual(up.run, { anchor: 'auto', startTimeoutSeconds: 300, timeoutSeconds: 7200, dryRun: 'none', kubernetesVersion: undefined });
  });

  it('goes into a local folder where it is named as one', async () => {
    const into = async (path: string, platform?: string): Promise<boolean> => (await read(['win-1:C:\\x', path], [], platform)).places.isInto;
    for (const path of ['.', '..', './', 'a/', 'a/.', 'a/..', '/']) assert.equal(await into(path), true, path);
    for (const path of ['a', 'a.', 'a..', '...', 'a/b', 'a\\']) assert.equal(await into(path), false, path);
    for (const path of ['.', 'a\\', 'a/', 'C:\\', 'C:', 'a\\..']) assert.equal(await into(path, 'win32'), true, path);
    assert.equal(await into('C:\\x', 'win32'), false);
  });

  it('takes drives for local paths where this machine has drives', async () => {
    const { places } = await read(['d:\\log', 'win-1:C:\\x'], [], 'win32');
    assert.deepEqual([places.direction, places.localPath], ['upload', 'd:\\log']);
  });

  for (const [words, message] of [
    [[], /0 paths are given/], [['a'], /1 path is given/], [['a', 'b', 'win-1:C:\\'], /3 paths are given/], [['a', 'b'], /neither path is on a node/], [['win-1:C:\\a', 'win-2:C:\\b'], /both|are on nodes/], [['d:/test', 'win-1:C:\\'], /is a path on a drive/], [['win-1:a', 'b'], /no full path/], [['win-1:C:\\a\\..\\b', '.'], /upwards/],
  ] as const) {
    it(`refuses ${words.join(' ') || 'nothing'}`, () => assert.rejects(read(words), (error) => error instanceof UsageError && message.test(error.message)));
  }

  it('can only be planned for an inventory', () => assert.rejects(read(['a', 'win-1:C:\\'], ['--inventory', 'nodes.json']), /--inventory can be planned for/));
});
