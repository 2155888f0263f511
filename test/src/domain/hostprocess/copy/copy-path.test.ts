import assert from 'node:assert/strict';
import { posix, win32 } from 'node:path';
import { caseClashes, joinNodePath, localNameProblem, readNodePath, readRelativePath, windowsNameProblem } from '../../../../../src/domain/hostprocess/copy/copy-path.ts';
import { seededRandom, testSeed, type Random } from '../../../../support/random.ts';

const CASES = 20_000;
/** What names are made of that somebody makes to lead astray. */
const PIECES = ['.', '..', '/', '\\', ':', 'a', 'B', 'con', 'NUL', 'com1', 'COM²', ' ', '\0', '\n', '\u001b', '*', '?', '"', '<', '|', 'ß', 'é', 'e\u0301', '漢', '😀', '\ud800', '$', '%', '~', '.txt', ':stream', '$DATA', 'C:', '\\\\', '?\\', '\u202e', '\u2215', '\uff0f', '\u2024'];

export function nastyName(random: Random): string {
  return Array.from({ length: random.below(5) }, () => random.pick(PIECES)).join('');
}

describe('windowsNameProblem', () => {
  for (const [name, problem] of [
    ['..', /leads out/], ['.', /leads out/], ['', /empty/], ['a/b', /has a \//], ['a\\b', /has a \\/], ['C:', /stream/], ['file.txt:hidden', /stream/], ['a*', /has a \*/], ['a\tb', /control/], ['a.', /point or blank/], ['a ', /point or blank/], ['...', /point or blank/],
    ['CON', /device/], ['con.txt', /device/], ['nul', /device/], ['NUL .txt', /device/], ['com1', /device/], ['COM¹.log', /device/], ['lpt0', /device/], ['AUX.tar.gz', /device/], ['conin$', /device/], ['x'.repeat(239), /longer than 238/], ['a\ud800', /no text/],
  ] as const) it(`refuses ${JSON.stringify(name).slice(0, 40)}`, () => assert.match(windowsNameProblem(name) ?? '', problem));

  for (const name of ['a', '.hidden', 'con1', 'console', 'COM', 'com10', 'nulls.txt', '~$a.docx', 'a b', '%TEMP%', 'ß', '漢字.log', '😀', '-rf', '$Recycle.Bin', 'x'.repeat(238)]) it(`takes ${name.slice(0, 20)}`, () => assert.equal(windowsNameProblem(name), null));
});

describe('localNameProblem', () => {
  it('is about what can be a name here', () => {
    for (const name of ['..', '.', '', 'a/b', 'a\0b', 'a\u001b[2J', 'a\nb', 'a\\..\\b', 'é'.repeat(120)]) assert.notEqual(localNameProblem(name, 'linux'), null, JSON.stringify(name));
    for (const name of ['CON', 'a:b', 'a.', 'a ', '.kube']) assert.equal(localNameProblem(name, 'linux'), null, name);
    for (const name of ['CON', 'a:b', 'a.', '..']) assert.notEqual(localNameProblem(name, 'win32'), null, name);
  });
});

describe('readNodePath', () => {
  for (const [text, path, isFolder, name] of [
    ['C:\\Windows\\Temp', 'C:\\Windows\\Temp', false, 'Temp'], ['c:/k/logs/', 'C:\\k\\logs', true, 'logs'], ['C:\\', 'C:\\', true, ''], ['d:/', 'D:\\', true, ''], ['C:\\k\\.\\logs', 'C:\\k\\logs', false, 'logs'], ['C:\\k\\\\logs\\.', 'C:\\k\\logs', true, 'logs'],
    ['C:\\Program Files\\a b.txt', 'C:\\Program Files\\a b.txt', false, 'a b.txt'],
  ] as const) it(`reads ${text}`, () => assert.deepEqual(readNodePath(text), { path, isFolder, name }));

  for (const [text, problem] of [
    ['', /no full path/], ['logs', /no full path/], ['\\logs', /no full path/], ['/var/log', /no full path/], ['C:', /no full path/], ['C:logs', /no full path/], ['\\\\server\\share', /share or a device/], ['\\\\?\\C:\\x', /share or a device/], ['//./PhysicalDrive0', /share or a device/],
    ['C:\\a\\..\\b', /upwards/], ['C:\\a/../../b', /upwards/], ['C:\\a\\b:stream', /stream/], ['C:\\a\\nul', /device/], ['C:\\a\\*.log', /has a \*/], ['C:\\a.\\b', /point or blank/],
  ] as const) it(`refuses ${JSON.stringify(text)}`, () => assert.match(JSON.stringify(readNodePath(text)), problem));
});

describe('caseClashes', () => {
  it('finds those that a file system without case would take for one', () => {
    assert.deepEqual([...caseClashes(['a/B', 'A/b', 'c', 'É', 'é', 'ß', 'SS', 'ss'])], [['A/b', 'a/B'], ['é', 'É'], ['ss', 'SS']]);
  });
});

describe('whatever names are made of', () => {
  const seed = testSeed();
  it(`nothing that is taken leads out of the root, on either side: ${CASES} cases, seed ${seed}`, () => {
    const random = seededRandom(seed);
    let taken = 0;
    for (let index = 0; index < CASES; index += 1) {
      const path = Array.from({ length: 1 + random.below(3) }, () => nastyName(random)).join(random.pick(['/', '\\']));
      const local = readRelativePath(path, '\\', (name) => localNameProblem(name, 'linux'));
      if ('parts' in local && local.parts.length > 0) {
        taken += 1;
        const whole = posix.resolve('/root', ...local.parts);
        assert.equal(whole, `/root/${local.parts.join('/')}`, JSON.stringify(path));
      }
      const node = readRelativePath(path, '/', windowsNameProblem);
      if ('parts' in node && node.parts.length > 0) {
        taken += 1;
        const whole = joinNodePath('C:\\root', ...node.parts);
        assert.equal(win32.resolve(whole), whole, JSON.stringify(path));
        assert.equal(win32.relative('C:\\root', whole), node.parts.join('\\'));
        assert.match(whole.slice(2), /^[^:*?"<>|/]+$/);
        for (const part of node.parts) assert.ok(part.trimEnd().replace(/\.+$/, '') === part, JSON.stringify(part));
      }
      const typed = readNodePath(`C:\\${path}`);
      if (typeof typed !== 'string') assert.equal(win32.normalize(typed.path), typed.path, JSON.stringify(path));
    }
    assert.ok(taken > CASES / 20, `${taken} were taken`);
  });
});
