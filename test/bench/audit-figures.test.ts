import assert from 'node:assert/strict';
import type { AuditEvent } from '../cluster/start.ts';
import { auditFigures } from './audit-figures.ts';

const OURS = 'kubectl-win/0.1.0 (linux/x64)';
const KWOK = 'kwok/v0.8.0 (linux/amd64) kubernetes/$Format';
const CONTROLLER = 'kube-controller-manager/v1.37.2 (linux/amd64) kubernetes/abc/system:serviceaccount:kube-system:job-controller';

function event(second: number, userAgent: string, verb: string, what: string, name: string, parts: Partial<AuditEvent> = {}): AuditEvent {
  const [resource = '', subresource] = what.split('/');
  return {
    stage: 'ResponseComplete', verb, requestURI: '/', user: { username: 'somebody' }, userAgent, responseStatus: { code: verb === 'create' ? 201 : 200 },
    objectRef: { resource, ...(subresource === undefined ? {} : { subresource }), name, namespace: 'bench' },
    requestReceivedTimestamp: `2026-11-30T12:00:0${second}.000000Z`, stageTimestamp: `2026-11-30T12:00:0${second}.000000Z`, ...parts,
  };
}

describe('figures of a run from the audit log', () => {
  const scope = { agent: 'kubectl-win/', namespace: 'bench' };

  it('counts what the client asked by verb and resource, each watch once', () => {
    const figures = auditFigures([
      event(0, OURS, 'create', 'jobs', 'a'), event(0, OURS, 'create', 'jobs', 'b'), event(1, OURS, 'watch', 'pods', '', { stage: 'ResponseStarted' }), event(2, OURS, 'watch', 'pods', ''),
      event(1, OURS, 'get', '', '', { objectRef: {} }), event(1, 'kubectl/v1.37.2 (linux/amd64)', 'get', 'jobs', 'a'),
    ], scope);
    assert.equal(figures.requests, 4);
    assert.deepEqual(figures.requestsByKind, [['create jobs', 2], ['watch pods', 1], ['get (no object)', 1]]);
    assert.equal(figures.writes, 0);
  });

  it('counts what others wrote in the namespace, and neither what they read nor what is elsewhere', () => {
    const elsewhere = event(1, KWOK, 'update', 'leases', 'node-1', { objectRef: { resource: 'leases', name: 'node-1', namespace: 'kube-node-lease' } });
    const figures = auditFigures([event(0, CONTROLLER, 'create', 'pods', ''), event(0, CONTROLLER, 'update', 'jobs/status', 'a'), event(0, CONTROLLER, 'get', 'pods', 'p'), elsewhere], scope);
    assert.deepEqual([figures.requests, figures.writes, figures.pulled, figures.lastPulledAt, figures.mostAtOnce], [0, 2, 0, null, 0]);
  });

  it('takes the first status from the kubelet of each pod for the end of its pull, and pods that are bound for pulls under way', () => {
    const figures = auditFigures([
      event(1, 'kube-scheduler/v1.37.2', 'create', 'pods/binding', 'p1'), event(1, 'kube-scheduler/v1.37.2', 'create', 'pods/binding', 'p2'),
      event(2, 'kube-scheduler/v1.37.2', 'create', 'pods/binding', 'refused', { responseStatus: { code: 409 } }), event(2, CONTROLLER, 'patch', 'pods/status', 'p1'),
      event(3, KWOK, 'patch', 'pods/status', 'p1'), event(3, 'kube-scheduler/v1.37.2', 'create', 'pods/binding', 'p3'), event(4, KWOK, 'patch', 'pods/status', 'p2'),
      event(5, KWOK, 'patch', 'pods/status', 'p3', { responseStatus: { code: 404 } }), event(6, KWOK, 'patch', 'pods/status', 'p3'), event(9, KWOK, 'patch', 'pods/status', 'p3'),
    ], scope);
    assert.deepEqual([figures.pulled, figures.lastPulledAt, figures.mostAtOnce], [3, Date.parse('2026-11-30T12:00:06Z'), 2]);
  });
});
