import assert from 'node:assert/strict';
import { readTarget } from '../../../../src/domain/hostprocess/target.ts';

describe('targets', () => {
  const targets: readonly (readonly [text: string, read: ReturnType<typeof readTarget>])[] = [
    ['win-1', { kind: 'node', name: 'win-1' }], ['node/win-1', { kind: 'node', name: 'win-1' }], ['nodes/win-1', { kind: 'node', name: 'win-1' }], ['no/win-1.example.com', { kind: 'node', name: 'win-1.example.com' }],
    ['pod/web-0', { kind: 'pod', namespace: null, name: 'web-0' }], ['po/web-0', { kind: 'pod', namespace: null, name: 'web-0' }], ['pods/shop/web-0', { kind: 'pod', namespace: 'shop', name: 'web-0' }],
    ['pod', { kind: 'node', name: 'pod' }], ['d', { kind: 'node', name: 'd' }],
    ['', 'has no name'], ['node/', 'has no name'], ['pod/shop/', 'has no name'], ['Win-1', 'is no name that Kubernetes takes: names are in lower case, win-1'], ['win_1', 'is no name that Kubernetes takes: "win_1"'], ['a..b', 'is no name that Kubernetes takes: "a..b"'],
    ['win-1;rm', 'is no name that Kubernetes takes: "win-1;rm"'], ['node/a/b', 'is no node: node/NAME'], ['pod/a/b/c', 'is no pod: pod/NAME or pod/NAMESPACE/NAME'], ['deploy/web', 'is neither a node nor a pod: "deploy" is not known here'],
    ['x'.repeat(254), `is no name that Kubernetes takes: "${'x'.repeat(254)}"`],
  ];
  for (const [text, read] of targets) it(`${JSON.stringify(text.slice(0, 40))}`, () => assert.deepEqual(readTarget(text), read));
});
