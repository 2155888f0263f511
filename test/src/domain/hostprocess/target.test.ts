import assert from 'node:assert/strict';
import { readCopyPlace, readTarget, type CopyPlace } from '../../../../src/domain/hostprocess/target.ts';

describe('targets', () => {
  const targets: readonly (readonly [text: string, read: ReturnType<typeof readTarget>])[] = [
    ['win-1', { kind: 'node', name: 'win-1' }], ['node/win-1', { kind: 'node', name: 'win-1' }], ['nodes/win-1', { kind: 'node', name: 'win-1' }], ['no/win-1.example.com', { kind: 'node', name: 'win-1.example.com' }],
    ['pod/web-0', { kind: 'pod', namespace: null, name: 'web-0' }], ['po/web-0', { kind: 'pod', namespace: null, name: 'web-0' }], ['pods/shop/web-0', { kind: 'pod', namespace: 'shop', name: 'web-0' }],
    ['pod', { kind: 'node', name: 'pod' }], ['d', { kind: 'node', name: 'd' }],
    ['', 'has no name'], ['node/', 'has no name'], ['pod/shop/', 'has no name'], ['Win-1', 'is no name that Kubernetes takes: "Win-1"'], ['win_1', 'is no name that Kubernetes takes: "win_1"'], ['a..b', 'is no name that Kubernetes takes: "a..b"'],
    ['win-1;rm', 'is no name that Kubernetes takes: "win-1;rm"'], ['node/a/b', 'is no node: node/NAME'], ['pod/a/b/c', 'is no pod: pod/NAME or pod/NAMESPACE/NAME'], ['deploy/web', 'is neither a node nor a pod: "deploy" is not known here'],
    ['x'.repeat(254), `is no name that Kubernetes takes: "${'x'.repeat(254)}"`],
  ];
  for (const [text, read] of targets) it(`${JSON.stringify(text.slice(0, 40))}`, () => assert.deepEqual(readTarget(text), read));
});

describe('places of cp', () => {
  const local = (path: string): CopyPlace => ({ kind: 'local', path });
  const node = (name: string, path: string): CopyPlace => ({ kind: 'node', target: { kind: 'node', name }, path });
  const places: readonly (readonly [text: string, platform: 'windows' | 'posix', read: CopyPlace | string])[] = [
    // https://github.com/kubernetes/kubectl/issues/1225 and https://github.com/kubernetes/kubernetes/issues/77310: kubectl takes the drive for a pod
    ['R128: d:/test/', 'windows', local('d:/test/')], ['R129: d:\\log', 'windows', local('d:\\log')], ['C:file.txt', 'windows', local('C:file.txt')],
    ['n1:C:\\x', 'windows', node('n1', 'C:\\x')], ['n1:C:\\x', 'posix', node('n1', 'C:\\x')], ['node/d:C:\\x', 'windows', node('d', 'C:\\x')], ['d:C:\\x', 'posix', node('d', 'C:\\x')],
    ['pod/shop/web:C:\\log', 'posix', { kind: 'node', target: { kind: 'pod', namespace: 'shop', name: 'web' }, path: 'C:\\log' }],
    ['./a:b', 'posix', local('./a:b')], ['/tmp/a:b', 'posix', local('/tmp/a:b')], ['..\\a:b', 'windows', local('..\\a:b')], ['~/a:b', 'posix', local('~/a:b')], ['logs', 'posix', local('logs')], ['-', 'posix', local('-')], [':x', 'posix', local(':x')],
    ['', 'posix', 'is empty'], ['n1:', 'posix', 'names no path behind the colon'], ['N 1:C:\\x', 'posix', 'is no name that Kubernetes takes: "N 1"'],
    ['C:\\Windows', 'posix', 'is a path of Windows without a node before it: NODE:C:\\Windows, or node/c:PATH for a node of that name'], ['d:/test', 'posix', 'is a path of Windows without a node before it: NODE:d:/test, or node/d:PATH for a node of that name'],
  ];
  for (const [text, platform, read] of places) it(`${text} (${platform})`, () => assert.deepEqual(readCopyPlace(text.replace(/^R\d+: /, ''), platform), read));
});
