import { arrayAt, stringAt, type KubeObject } from '../kubernetes/object.ts';
import type { Heartbeat } from './exec-plan.ts';

/**
 * Kubelets renew their Lease in kube-node-lease every 10 seconds, and write their status when it changes, or every 5 minutes
 * (https://kubernetes.io/docs/reference/node/node-status/#heartbeats, read 2026-11-30): the Lease tells far more, where it may be read. The node
 * controller, which writes the status Unknown in place of a kubelet, leaves lastHeartbeatTime alone.
 */
export function heartbeatOf(node: KubeObject, lease: KubeObject | null): Heartbeat {
  const renewed = stringAt(lease, 'spec', 'renewTime');
  if (renewed !== undefined && !Number.isNaN(Date.parse(renewed))) return { at: renewed, from: 'lease' };
  const beats = arrayAt(node, 'status', 'conditions').map((condition) => stringAt(condition, 'lastHeartbeatTime') ?? '').filter((text) => !Number.isNaN(Date.parse(text)));
  const at = beats.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0];
  return at === undefined ? { at: null, from: null } : { at, from: 'condition' };
}
