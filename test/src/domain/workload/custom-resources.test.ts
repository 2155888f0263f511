import assert from 'node:assert/strict';
import { isBuiltInGroup, podMakersAmong } from '../../../../src/domain/workload/custom-resources.ts';
import type { Resource } from '../../../../src/domain/kubernetes/resource.ts';

function resource(plural: string, group: string): Resource {
  return { group, version: 'v1', plural, kind: plural, namespaced: true };
}

describe('podMakersAmong', () => {
  it('takes the known plurals of the known groups, in the order of the server', () => {
    const served = [
      resource('services', ''), resource('services', 'serving.knative.dev'), resource('routes', 'serving.knative.dev'), resource('rollouts', 'argoproj.io'), resource('analysisruns', 'argoproj.io'),
      resource('rollouts', 'example.com'), resource('jobs', 'batch'), resource('jobs', 'batch.volcano.sh'), resource('jobsets', 'jobset.x-k8s.io'),
    ];
    assert.deepEqual(podMakersAmong(served).map(({ plural, group }) => `${plural}.${group}`), ['services.serving.knative.dev', 'rollouts.argoproj.io', 'jobs.batch.volcano.sh', 'jobsets.jobset.x-k8s.io']);
  });

  it('bears groups that are named like properties of objects', () => {
    assert.deepEqual(podMakersAmong([resource('x', 'constructor'), resource('length', 'toString'), resource('includes', '__proto__')]), []);
  });
});

describe('isBuiltInGroup', () => {
  for (const group of ['', 'apps', 'batch', 'policy', 'autoscaling', 'networking.k8s.io', 'storage.k8s.io', 'node.k8s.io', 'metrics.k8s.io', 'apiextensions.k8s.io']) {
    it(`knows ${group === '' ? 'the core group' : group}`, () => assert.equal(isBuiltInGroup(group), true));
  }
  // groups under k8s.io that are approved for custom resources have no built-in kinds
  for (const group of ['argoproj.io', 'jobset.x-k8s.io', 'leaderworkerset.x-k8s.io', 'cluster.x-k8s.io', 'notk8s.io', 'serving.knative.dev', 'windows.k8s.io', 'snapshot.storage.k8s.io', 'gateway.networking.k8s.io', 'kueue.x-k8s.io']) {
    it(`takes ${group} for custom resources`, () => assert.equal(isBuiltInGroup(group), false));
  }
});
