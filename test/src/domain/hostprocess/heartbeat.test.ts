import assert from 'node:assert/strict';
import { heartbeatOf } from '../../../../src/domain/hostprocess/heartbeat.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';

const node = (...times: readonly (string | undefined)[]): KubeObject => ({ status: { conditions: times.map((lastHeartbeatTime, at) => ({ type: `t${at}`, ...(lastHeartbeatTime === undefined ? {} : { lastHeartbeatTime }) })) } });
const lease = (renewTime: unknown): KubeObject => ({ kind: 'Lease', spec: { renewTime } });

describe('the last sign of life of a kubelet', () => {
  it('is its Lease, where there is one', () => assert.deepEqual(heartbeatOf(node('2026-11-30T12:00:00Z'), lease('2026-11-30T11:00:00.000000Z')), { at: '2026-11-30T11:00:00.000000Z', from: 'lease' }));
  it('is the newest of its conditions otherwise', () => {
    for (const other of [null, lease(undefined), lease('soon'), lease(7)]) assert.deepEqual(heartbeatOf(node('2026-11-30T12:00:00Z', undefined, '2026-11-30T12:05:00+01:00', 'never'), other), { at: '2026-11-30T12:00:00Z', from: 'condition' });
  });
  it('may not be known', () => assert.deepEqual([heartbeatOf(node(), null), heartbeatOf({}, null)], [{ at: null, from: null }, { at: null, from: null }]));
});
