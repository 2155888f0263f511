import assert from 'node:assert/strict';
import { hasDoubledBackslash, isAbsoluteWindowsPath, isNamedPipe, misspeltPipe, windowsPathKey, windowsPathOf } from '../../../../src/domain/windows/paths.ts';

describe('windowsPathOf', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['C:\\data', 'C:\\data'],
    ['c:/data/', 'c:\\data'],
    ['/var/log', 'C:\\var\\log'],
    ['\\var\\lib\\kubelet', 'C:\\var\\lib\\kubelet'],
    ['.\\etc\\shop', 'C:\\etc\\shop'],
    ['.\\\\etc\\\\shop', 'C:\\etc\\shop'],
    ['data', 'C:\\data'],
    ['C:\\a\\..\\b\\.\\c', 'C:\\b\\c'],
    ['C:\\..\\..\\b', 'C:\\b'],
    ['C:', 'C:\\'],
    ['/', 'C:\\'],
    ['', 'C:\\'],
    ['D:\\', 'D:\\'],
    ['\\\\server\\share\\x', '\\\\server\\share\\x'],
    ['//server/share', 'C:\\server\\share'],
    ['\\\\.\\pipe\\docker_engine', '\\\\.\\pipe\\docker_engine'],
    ['//./pipe/docker_engine', 'C:\\pipe\\docker_engine'],
  ];
  for (const [path, expected] of cases) it(`${path} is ${expected}`, () => { assert.equal(windowsPathOf(path), expected); });

  it('gives paths that are one place one key', () => {
    for (const other of ['c:/data', 'C:\\DATA\\', '/data', '\\Data', 'C:\\x\\..\\data', 'C:\\\\data']) assert.equal(windowsPathKey(other), windowsPathKey('C:\\Data'), other);
    assert.notEqual(windowsPathKey('D:\\Data'), windowsPathKey('C:\\Data'));
  });
});

describe('Windows paths', () => {
  it('are absolute from a drive or the root on, but not from the folder of a drive on', () => {
    for (const path of ['C:\\x', 'c:/x', '/x', '\\x', '\\\\.\\pipe\\x', '\\\\server\\share', 'G:']) assert.equal(isAbsoluteWindowsPath(path), true, path);
    for (const path of ['x', '.\\x', '..\\x', 'C:x', '', '$env:ROOT\\x']) assert.equal(isAbsoluteWindowsPath(path), false, path);
  });

  it('have a doubled backslash anywhere but at the start of a pipe or a network path', () => {
    for (const path of ['C:\\\\x', 'C:\\x\\\\y', '\\\\\\\\.\\\\pipe\\\\x', 'x\\\\y']) assert.equal(hasDoubledBackslash(path), true, path);
    for (const path of ['C:\\x', '\\\\.\\pipe\\x', '\\\\server\\share', '/x//y/', '']) assert.equal(hasDoubledBackslash(path), false, path);
  });

  it('are pipes only with the prefix of pipes', () => {
    for (const path of ['\\\\.\\pipe\\x', '\\\\.\\pipe\\a/b']) assert.equal(isNamedPipe(path), true, path);
    for (const path of ['\\\\.\\pipe', 'C:\\pipe\\x', '\\\\server\\pipe\\x', '//./pipe/x', '\\\\.\\PIPE\\x', '\\\\\\\\.\\\\pipe\\\\x']) assert.equal(isNamedPipe(path), false, path);
  });

  it('that are to be pipes are told from those that are', () => {
    for (const path of ['//./pipe/x', '\\\\\\\\.\\\\pipe\\\\x', '\\\\.\\PIPE\\x', '\\\\.\\pipe\\\\x', '\\\\./pipe/x', 'npipe:////./pipe/x']) assert.equal(misspeltPipe(path), '\\\\.\\pipe\\x', path);
    for (const path of ['\\\\.\\pipe\\x', '\\\\.\\pipe\\a/b', 'C:\\pipe\\x', '/pipe/x', '\\\\server\\pipe\\x', '\\\\.\\pipe\\']) assert.equal(misspeltPipe(path), null, path);
  });
});
