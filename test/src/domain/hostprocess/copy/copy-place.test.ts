import assert from 'node:assert/strict';
import { readCopyPlace } from '../../../../../src/domain/hostprocess/copy/copy-place.ts';

const path = { path: 'C:\\k\\a.log', isFolder: false, name: 'a.log' };

describe('readCopyPlace', () => {
  for (const [text, target] of [
    ['win-1:C:\\k\\a.log', { kind: 'node', name: 'win-1' }], ['node/win-1:c:/k/a.log', { kind: 'node', name: 'win-1' }], ['ip-10-0-0-1.ec2.internal:C:\\k\\a.log', { kind: 'node', name: 'ip-10-0-0-1.ec2.internal' }], ['node/n:C:\\k\\a.log', { kind: 'node', name: 'n' }],
    ['pod/web-1:C:\\k\\a.log', { kind: 'pod', namespace: null, name: 'web-1' }], ['pod/shop/web-1:C:\\k\\a.log', { kind: 'pod', namespace: 'shop', name: 'web-1' }],
  ] as const) it(`takes ${text} for a place on a node`, () => assert.deepEqual(readCopyPlace(text, 'linux'), { side: 'node', target, path }));

  for (const text of ['.', '..', 'logs', './a:b', '../a:b', '/tmp/a:b', '~/x:y', 'logs/deep', '\\\\server\\x:y']) it(`takes ${text} for a local path`, () => assert.deepEqual(readCopyPlace(text, 'linux'), { side: 'local', path: text }));

  it('R128, R129: takes a letter before a colon for a drive where there are drives, and for no node elsewhere', () => {
    for (const text of ['d:/test', 'd:\\log', 'C:\\x', 'd:x']) {
      assert.deepEqual(readCopyPlace(text, 'win32'), { side: 'local', path: text });
      assert.match(JSON.stringify(readCopyPlace(text, 'linux')), /on a drive, and of no node: NODE:/);
    }
  });

  for (const [text, problem] of [
    ['', /empty/], ['win-1:C:\\M\ufffdller', /no UTF-8/], ['./M\ufffdller', /no UTF-8/], ['-', /standard input/], ['win-1:logs', /no full path/], ['win-1:', /no full path/], ['win-1:C:\\a\\..\\b', /upwards/], ['Win_1:C:\\x', /no name that Kubernetes takes/], ['deploy/web:C:\\x', /neither a node nor a pod/], ['pod/a/b/c:C:\\x', /is no pod/], ['node/-x:C:\\x', /no name that Kubernetes takes/], ['-n:C:\\x', /no name that Kubernetes takes/],
  ] as const) it(`refuses ${JSON.stringify(text)}`, () => assert.match(JSON.stringify(readCopyPlace(text, 'linux')), problem));
});
