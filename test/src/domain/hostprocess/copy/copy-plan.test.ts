import assert from 'node:assert/strict';
import { planCopy, whereToBegin, type CopyDirection, type SourceEntry } from '../../../../../src/domain/hostprocess/copy/copy-plan.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';

const TO_NODE: CopyDirection = { to: 'node', platform: 'linux' };
const TO_LOCAL: CopyDirection = { to: 'local', platform: 'linux' };
const entry = (path: string, kind: SourceEntry['kind'] = 'file', message: string | null = null): SourceEntry => ({ path, kind, sizeBytes: 5, modifiedMs: 1, message });
const paths = (entries: readonly SourceEntry[], direction: CopyDirection): unknown => {
  const { folders, files, left } = planCopy(entries, direction);
  return [folders, files.map(({ path }) => path), left.map(({ path, result }) => `${result} ${path}`)];
};

describe('planCopy', () => {
  it('copies files and folders, those that lead to others first', () => {
    assert.deepEqual(paths([entry('b/c/d'), entry('b/c', 'folder'), entry('', 'folder'), entry('a'), entry('b', 'folder')], TO_NODE), [['', 'b', 'b/c'], ['a', 'b/c/d'], []]);
    assert.deepEqual(paths([entry('', 'folder'), entry('b', 'folder'), entry('b\\c')], TO_LOCAL), [['', 'b'], ['b/c'], []]);
    assert.deepEqual(paths([entry('')], TO_NODE), [[], [''], []], 'a single file');
  });

  it('refuses names that cannot be on the other side, and copies the rest', () => {
    assert.deepEqual(paths([entry('nul.txt'), entry('a:b'), entry('x.', 'folder'), entry('x./y'), entry('ok')], TO_NODE), [[], ['ok'], ['refused a:b', 'refused nul.txt', 'refused x.', 'refused x./y']]);
    assert.deepEqual(planCopy([entry('..\\..\\x'), entry('a/../../b'), entry('\\etc\\passwd'), entry('ok\\..')], TO_LOCAL).files, []);
  });

  it('refuses the second of two names that differ by case alone, with what is in it', () => {
    assert.deepEqual(paths([entry('Logs', 'folder'), entry('logs', 'folder'), entry('logs/a'), entry('logs/b', 'folder'), entry('Logs/a'), entry('logs2')], TO_NODE), [['Logs'], ['Logs/a', 'logs2'], ['refused logs', 'refused logs/a', 'refused logs/b']]);
    assert.deepEqual(paths([entry('A'), entry('a')], TO_LOCAL), [[], ['A', 'a'], []], 'where case counts');
    assert.deepEqual(paths([entry('A'), entry('a')], { to: 'local', platform: 'darwin' }), [[], ['A'], ['refused a']]);
  });

  it('skips links, special files and unfinished copies, and tells what cannot be read', () => {
    const { left } = planCopy([entry('l', 'link', '/etc/passwd'), entry('fifo', 'other'), entry('big.kubectl-win-part'), entry('secret', 'unreadable', 'permission denied'), entry('m', 'link')], TO_NODE);
    assert.deepEqual(left.map(({ path, result, message }) => [path, result, message]), [
      ['big.kubectl-win-part', 'skipped', 'it is what an unfinished copy has left'], ['fifo', 'skipped', 'it is no regular file'], ['l', 'skipped', 'links are not copied: it leads to /etc/passwd'], ['m', 'skipped', 'links are not copied'], ['secret', 'failed', 'permission denied'],
    ]);
  });

  const seed = testSeed();
  it(`has each entry in one list, no two that meet on a node, and no file whose folder is not there: 2000 trees, seed ${seed}`, () => {
    const random = seededRandom(seed);
    for (let tree = 0; tree < 2_000; tree += 1) {
      const entries: SourceEntry[] = [entry('', 'folder')];
      for (let index = 0; index < 12; index += 1) {
        const folder = random.pick(entries.filter(({ kind }) => kind === 'folder')).path;
        const path = [...(folder === '' ? [] : [folder]), random.pick(['a', 'A', 'b', 'B', 'con', 'x.', 'ß', 'SS', 'é', 'É'])].join('/');
        if (entries.some((one) => one.path === path)) continue;
        entries.push(entry(path, random.pick(['file', 'folder', 'folder', 'link'])));
      }
      const { folders, files, left } = planCopy(entries, TO_NODE);
      const arriving = [...folders, ...files.map(({ path }) => path)];
      assert.equal(arriving.length + left.length, entries.length);
      assert.equal(new Set(arriving.map((path) => path.toLowerCase())).size, arriving.length, arriving.join(' '));
      for (const path of arriving) if (path.includes('/')) assert.ok(folders.includes(path.slice(0, path.lastIndexOf('/'))), path);
    }
  });
});

describe('whereToBegin', () => {
  const prefix = async (length: number): Promise<string | null> => (length <= 10 ? `hash-${length}` : null);
  const none = { obstacle: null, whole: null, part: null };
  for (const [title, arrived, begin] of [
    ['nothing is there', none, 0], ['all is there', { ...none, whole: 'hash-10' }, 'same'], ['another of its size is there', { ...none, whole: 'other' }, 0], ['its beginning is there', { ...none, part: { sizeBytes: 4, sha256: 'hash-4' } }, 4], ['another beginning is there', { ...none, part: { sizeBytes: 4, sha256: 'other' } }, 0],
    ['more than it is there', { ...none, part: { sizeBytes: 11, sha256: 'hash-11' } }, 0], ['an empty part is there', { ...none, part: { sizeBytes: 0, sha256: 'hash-0' } }, 0], ['all of it is there as a part', { ...none, part: { sizeBytes: 10, sha256: 'hash-10' } }, 10],
  ] as const) it(`is ${begin} where ${title}`, async () => assert.equal(await whereToBegin({ sizeBytes: 10 }, arrived, prefix), begin));
});
