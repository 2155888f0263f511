import assert from 'node:assert/strict';
import { controllerOf, ownerKey, ownKey, topOwnerOfPod } from '../../../../src/domain/workload/owner.ts';

function pod(ownerReferences: unknown, labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-0', namespace: 'shop', labels, ownerReferences } };
}

function owner(kind: string, name: string, apiVersion = 'apps/v1'): Readonly<Record<string, unknown>> {
  return { apiVersion, kind, name, uid: 'u', controller: true };
}

describe('controllerOf', () => {
  it('is the owner that controls, not the first one', () => {
    assert.deepEqual(controllerOf(pod([{ ...owner('Backup', 'b', 'example.com/v1'), controller: false }, { kind: 'X', name: 'x' }, owner('StatefulSet', 'web')])), { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' });
  });

  for (const [name, references] of [['none', undefined], ['an empty list', []], ['no list', 'text'], ['no controller', [{ kind: 'X', name: 'x' }]], ['a controller without a name', [{ kind: 'X', controller: true }]], ['null', [null]]] as const) {
    it(`is null for ${name}`, () => {
      assert.equal(controllerOf(pod(references)), null);
    });
  }
});

describe('topOwnerOfPod', () => {
  // name, references, labels, `Kind/name` or null
  const cases: readonly [string, unknown, Readonly<Record<string, string>>, string | null][] = [
    ['a bare pod', [], {}, null],
    ['a mirror pod, which its node owns', [owner('Node', 'win1', 'v1')], {}, null],
    ['a pod of a Deployment', [owner('ReplicaSet', 'web-5d4f8c7b9')], { 'pod-template-hash': '5d4f8c7b9' }, 'apps/v1 Deployment/web'],
    ['a pod of a Deployment with a dash in its name', [owner('ReplicaSet', 'web-front-5d4f8c7b9')], { 'pod-template-hash': '5d4f8c7b9' }, 'apps/v1 Deployment/web-front'],
    ['a pod of a ReplicaSet of its own', [owner('ReplicaSet', 'web-5d4f8c7b9')], {}, 'apps/v1 ReplicaSet/web-5d4f8c7b9'],
    ['a pod whose hash is of another set', [owner('ReplicaSet', 'web-5d4f8c7b9')], { 'pod-template-hash': 'zzzz' }, 'apps/v1 ReplicaSet/web-5d4f8c7b9'],
    ['a pod of an Argo Rollout', [owner('ReplicaSet', 'web-66f7d9')], { 'rollouts-pod-template-hash': '66f7d9' }, 'argoproj.io/v1alpha1 Rollout/web'],
    ['a pod of a CronJob', [owner('Job', 'report-29404800', 'batch/v1')], {}, 'batch/v1 CronJob/report'],
    ['a pod of a CronJob before Kubernetes 1.21', [owner('Job', 'report-1588334400', 'batch/v1')], {}, 'batch/v1 CronJob/report'],
    ['a pod of a Job', [owner('Job', 'import', 'batch/v1')], {}, 'batch/v1 Job/import'],
    ['a pod of a Job that ends in a year', [owner('Job', 'import-2026', 'batch/v1')], {}, 'batch/v1 Job/import-2026'],
    ['a pod of a custom resource', [owner('CloneSet', 'web', 'apps.kruise.io/v1alpha1')], {}, 'apps.kruise.io/v1alpha1 CloneSet/web'],
  ];
  for (const [name, references, labels, expected] of cases) {
    it(`of ${name} is ${expected ?? 'none'}`, () => {
      const found = topOwnerOfPod(pod(references, labels));
      assert.equal(found === null ? null : `${found.apiVersion} ${found.kind}/${found.name}`, expected);
    });
  }
});

describe('ownKey', () => {
  it('is what ownerKey makes of kind, namespace and name', () => {
    assert.equal(ownKey({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } }), ownerKey('Deployment', 'shop', 'web'));
  });

  it('puts an object without a namespace into default, as kubectl does', () => {
    assert.equal(ownKey({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } }), ownerKey('Deployment', 'default', 'web'));
  });

  it('bears objects that are none', () => {
    assert.equal(ownKey({}), '/default/');
  });
});
