import assert from 'node:assert/strict';
import { filesToFetch, leftText } from '../../../../src/app/hostprocess/fetch-files.ts';
import type { RecipeDocument } from '../../../../src/domain/hostprocess/recipes/read-output.ts';

const document = (files: unknown): RecipeDocument => ({ recipe: 'logs', schemaVersion: 1, problems: [], takenAt: '2026-11-30T12:00:00Z', files });
const file = (path: unknown, changedAt: unknown = '2026-11-30T11:30:00Z', sizeBytes: unknown = 7): unknown => ({ path, sizeBytes, changedAt, lastLines: null });

describe('files that are fetched behind recipe logs', () => {
  const cases: readonly [string, unknown, readonly string[]][] = [
    ['are those that have changed in its time', [file('C:\\k\\kubelet.log'), file('C:\\k\\old.log', '2026-11-30T10:59:59Z'), file('c:/var/log/a.log')], ['C:\\k\\kubelet.log', 'C:\\var\\log\\a.log']],
    ['are none of a share, of a stream, or upwards', [file('\\\\host\\share\\a.log'), file('C:\\k\\a.log:secret'), file('C:\\k\\..\\..\\a.log'), file('/etc/passwd'), file('C:\\'), file('C:\\k\\CON')], []],
    ['are none whose time is not known', [file('C:\\k\\a.log', null), file('C:\\k\\b.log', 'soon'), file(7), 'x', null], []],
    ['are none where they could not be read', null, []],
  ];
  for (const [name, files, expected] of cases) it(name, () => assert.deepEqual(filesToFetch(document(files), 60).map(({ path }) => path), expected));

  it('have their size and time', () => assert.deepEqual(filesToFetch(document([file('C:\\k\\a.log')]), 60), [{ path: 'C:\\k\\a.log', kind: 'file', sizeBytes: 7, modifiedMs: Date.parse('2026-11-30T11:30:00Z'), message: null }]));

  it('are named with what kept them from coming, a few of many', () => {
    const left = ['gone', null, 'gone', 'locked', 'gone'].map((message, index) => ({ path: `C/k/${index}.log`, sizeBytes: 1, sentBytes: 0, result: message === null ? 'pending' : 'failed', sha256: null, message }) as const);
    assert.deepEqual([leftText(left), leftText(left.slice(0, 2)), leftText(left.slice(1, 2))], [' (C/k/0.log: gone, C/k/2.log: gone, C/k/3.log: locked and 1 more)', ' (C/k/0.log: gone)', '']);
  });
});
