import assert from 'node:assert/strict';
import { discoverResources } from '../../../../../src/adapters/kube/api/discovery.ts';
import { ClusterError } from '../../../../../src/errors.ts';

const podsAggregated = { resource: 'pods', singularResource: 'pod', shortNames: ['po'], responseKind: { group: '', version: 'v1', kind: 'Pod' }, scope: 'Namespaced', verbs: ['create', 'get', 'list'] };

describe('discoverResources', () => {
  it('takes what can be listed from aggregated discovery, in the version that comes first', async () => {
    const asked: string[] = [];
    const found = await discoverResources(async (path, accept) => {
      asked.push(path);
      assert.match(accept, /as=APIGroupDiscoveryList/);
      return {
        kind: 'APIGroupDiscoveryList',
        items: path === '/api'
          ? [{ metadata: {}, versions: [{ version: 'v1', resources: [podsAggregated, { ...podsAggregated, resource: 'bindings', verbs: ['create'] }] }] }]
          : [{
              metadata: { name: 'argoproj.io' },
              versions: ['v1beta1', 'v1alpha1'].map((version) => ({ version, resources: [{ resource: 'rollouts', responseKind: { kind: 'Rollout' }, scope: 'Cluster', verbs: ['list'] }] })),
            }],
      };
    });
    assert.deepEqual(asked, ['/api', '/apis']);
    assert.deepEqual(found, [
      { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true, singular: 'pod', shortNames: ['po'] },
      { group: 'argoproj.io', version: 'v1beta1', plural: 'rollouts', kind: 'Rollout', namespaced: false },
    ]);
  });

  it('asks an old server group by group, prefers its preferred version, and goes on without a group that is down', async () => {
    const answers: Readonly<Record<string, unknown>> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': { kind: 'APIGroupList', groups: [
        { name: 'apps', preferredVersion: { groupVersion: 'apps/v1' }, versions: [{ groupVersion: 'apps/v1beta1' }, { groupVersion: 'apps/v1' }] },
        { name: 'metrics.k8s.io', versions: [{ groupVersion: 'metrics.k8s.io/v1beta1' }] },
      ] },
      '/api/v1': { kind: 'APIResourceList', resources: [{ name: 'pods', singularName: '', shortNames: ['po'], kind: 'Pod', namespaced: true, verbs: ['list'] }, { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] }] },
      '/apis/apps/v1': { kind: 'APIResourceList', resources: [{ name: 'deployments', singularName: 'deployment', kind: 'Deployment', namespaced: true, verbs: ['list'] }] },
      '/apis/apps/v1beta1': { kind: 'APIResourceList', resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true, verbs: ['list'] }] },
    };
    const found = await discoverResources(async (path) => {
      const answer = answers[path];
      if (answer === undefined) throw new ClusterError('the server is currently unable to handle the request', { reason: 'ServiceUnavailable', status: 503 });
      return answer as Readonly<Record<string, unknown>>;
    });
    assert.deepEqual(found.map(({ group, version, plural }) => `${group}/${version}/${plural}`), ['/v1/pods', 'apps/v1/deployments']);
    assert.deepEqual(found.map(({ singular, shortNames }) => [singular, shortNames]), [[undefined, ['po']], ['deployment', undefined]]);
  });

  it('does not take a refused login for a group without resources', async () => {
    await assert.rejects(discoverResources(async (path) => {
      if (path === '/apis') return { kind: 'APIGroupList', groups: [] };
      if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
      throw new ClusterError('Unauthorized', { reason: 'Unauthorized', status: 401 });
    }), { reason: 'Unauthorized' });
  });
});
