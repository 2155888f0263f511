import assert from 'node:assert/strict';
import { readAccount, type Account } from '../../../../src/domain/hostprocess/account.ts';
import { HOST_PROCESS_BASE_IMAGE } from '../../../../src/domain/hostprocess/base-image.ts';
import type { Heartbeat, TargetNode } from '../../../../src/domain/hostprocess/exec-plan.ts';
import { judgeSupport, type Wanted } from '../../../../src/domain/hostprocess/support.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { rawNode, type NodeParts } from '../../../support/fake-cluster.ts';

const NOW = new Date('2026-11-30T12:00:00Z');
const SYSTEM = readAccount('system') as Account;
const NONE: Heartbeat = { at: null, from: null };

function ago(seconds: number, from: 'lease' | 'condition' = 'lease'): Heartbeat {
  return { at: new Date(NOW.getTime() - seconds * 1000).toISOString(), from };
}

function target(raw: KubeObject, more: Partial<TargetNode> = {}): TargetNode {
  return { node: describeNode(raw, { serverVersion: null, asOf: NOW }), by: null, heartbeat: NONE, isBeingDeleted: false, ...more };
}

/** Ready by this status; null for a node that has no such condition. */
function withReady(status: string | null, spec: Readonly<Record<string, unknown>> = {}): KubeObject {
  const raw = rawNode('win-1');
  return { ...raw, spec, status: { ...(raw['status'] as object), conditions: status === null ? [] : [{ type: 'Ready', status }] } };
}

function judge(one: TargetNode, wanted: Partial<Wanted> = {}, now: Date | null = NOW): string {
  const support = judgeSupport(one, now, { account: SYSTEM, image: HOST_PROCESS_BASE_IMAGE.reference, hasTerminal: false, ...wanted });
  if (support.kind === 'ok') return ['ok', ...support.notes].join('; ');
  assert.match(support.remedy, /^[A-Z].*\.$/);
  assert.doesNotMatch(support.message, /\.$/);
  return `${support.reason}: ${support.message}`;
}

describe('whether a HostProcess pod can reach a node', () => {
  const nodes: readonly (readonly [what: string, parts: NodeParts, said: RegExp])[] = [
    ['one like most', {}, /^ok$/], ['Windows Server 2019 with containerd 1.6', { kernelVersion: '10.0.17763.7009', runtime: 'containerd://1.6.33' }, /^ok$/], ['a kubelet 1.23', { kubeletVersion: 'v1.23.17' }, /^ok$/],
    ['a runtime that is not known to us', { runtime: 'cri-w://1.0.0' }, /^ok; whether cri-w has HostProcess containers is not known$/],
    ['Linux', { os: 'linux' }, /^NotWindows: it runs Linux/], ['Docker', { runtime: 'docker://20.10.24' }, /^NotSupported: its runtime is Docker/], ['containerd 1.5', { runtime: 'containerd://1.5.18' }, /^NotSupported: its containerd 1\.5\.18/],
    ['Windows Server 2016', { kernelVersion: '10.0.14393.7000' }, /^NotSupported: its build 14393/], ['a kubelet 1.21', { kubeletVersion: 'v1.21.14' }, /^NotSupported: its kubelet v1\.21\.14/],
    ['a kubelet 1.22', { kubeletVersion: 'v1.22.17' }, /^ok; kubelet 1\.22 takes HostProcess pods only with the feature gate/], ['containerd 1.6.17 and the base image', { runtime: 'containerd://1.6.17' }, /^ok; containerd before 1\.6\.18 may not take the base image/],
  ];
  for (const [what, parts, said] of nodes) it(what, () => assert.match(judge(target(rawNode('win-1', parts))), said));

  it('a node that has never said its system', () => {
    const raw = rawNode('win-1');
    const status = { ...(raw['status'] as Record<string, unknown>), nodeInfo: {} };
    assert.match(judge(target({ ...raw, metadata: { name: 'win-1' }, status })), /^OsUnknown/);
  });

  it('R107: another image than the base image is told where its files lie, by containerd and build', () => {
    const image = 'r.example/tools:1';
    assert.match(judge(target(rawNode('w', { runtime: 'containerd://1.6.33' })), { image }), /below %CONTAINER_SANDBOX_MOUNT_POINT%/);
    assert.match(judge(target(rawNode('w', { kernelVersion: '10.0.17763.7009' })), { image }), /below %CONTAINER_SANDBOX_MOUNT_POINT%/);
    assert.equal(judge(target(rawNode('w')), { image }), 'ok');
  });

  it('a local group takes containerd 1.7', () => {
    const account = readAccount('log readers') as Account;
    assert.match(judge(target(rawNode('w', { runtime: 'containerd://1.6.33' })), { account }), /^NotSupported: its containerd 1\.6\.33 does not know local groups \(log readers\)/);
    assert.equal(judge(target(rawNode('w', { runtime: 'containerd://1.7.0' })), { account }), 'ok');
    assert.match(judge(target(rawNode('w', { runtime: 'containerd://unknown' })), { account }), /is not known/);
  });

  it('a terminal takes more than the first containerd with HostProcess', () => {
    assert.match(judge(target(rawNode('w', { runtime: 'containerd://1.6.0' })), { hasTerminal: true }), /no terminal/);
    assert.doesNotMatch(judge(target(rawNode('w', { runtime: 'containerd://1.6.33' })), { hasTerminal: true }), /terminal/);
  });

  describe('that is not well', () => {
    const NOT_READY = 'ok; not Ready; its kubelet is tried all the same';
    const cases: readonly (readonly [what: string, target: TargetNode, said: string])[] = [
      ['not Ready, with a Lease that is renewed', target(withReady('False'), { heartbeat: ago(8) }), NOT_READY],
      ['given up, with a Lease that is renewed', target(withReady('Unknown'), { heartbeat: ago(8) }), NOT_READY],
      ['never Ready, with a Lease that is renewed', target(withReady(null), { heartbeat: ago(8) }), NOT_READY],
      ['a Lease of a clock that goes ahead', target(withReady('Unknown'), { heartbeat: ago(-30) }), NOT_READY],
      ['not Ready in its own words, of which no Lease is known', target(withReady('False'), { heartbeat: ago(290, 'condition') }), NOT_READY],
      ['not Ready in its own words, and no more is known', target(withReady('False')), NOT_READY],
      ['a Lease that is old', target(withReady('False'), { heartbeat: ago(600) }), 'NotReady: its kubelet does not answer: its last sign of life was 10m ago (Lease in kube-node-lease)'],
      ['given up', target(withReady('Unknown'), { heartbeat: ago(3600, 'condition') }), 'NotReady: its kubelet does not answer: the node controller has given it up (Ready is Unknown), and reported last 60m ago'],
      ['given up, without a time', target(withReady('Unknown')), 'NotReady: its kubelet does not answer: the node controller has given it up (Ready is Unknown)'],
      ['never seen', target(withReady(null)), 'NotReady: its kubelet does not answer: it has never reported a condition Ready'],
      ['Ready, whatever its Lease says', target(withReady('True'), { heartbeat: ago(3600) }), 'ok'],
      ['R081: cordoned, and with taints that were never taken off', target(withReady('True', { unschedulable: true, taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }, { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] })), 'ok'],
      ['being deleted', target(withReady('True'), { isBeingDeleted: true }), 'ok; being deleted: it may go while the command runs'],
    ];
    for (const [what, one, said] of cases) it(what, () => assert.equal(judge(one), said));

    it('in a recording, whose times are of another day', () => assert.equal(judge(target(withReady('Unknown'), { heartbeat: ago(1e6) }), {}, null), NOT_READY));
  });
});
