import assert from 'node:assert/strict';
import { queryString, resourcePath } from '../../../../../src/adapters/kube/api/url.ts';
import { DAEMON_SETS, NODES, PODS } from '../../../../../src/domain/kubernetes/resource.ts';

describe('resourcePath', () => {
  it('builds the paths of core and grouped resources, objects and subresources', () => {
    assert.equal(resourcePath(NODES), '/api/v1/nodes');
    assert.equal(resourcePath(NODES, { name: 'win-1' }), '/api/v1/nodes/win-1');
    assert.equal(resourcePath(PODS, { namespace: 'shop', name: 'web-0', subresource: 'log' }), '/api/v1/namespaces/shop/pods/web-0/log');
    assert.equal(resourcePath(DAEMON_SETS, { namespace: 'kube-system' }), '/apis/apps/v1/namespaces/kube-system/daemonsets');
  });

  it('#19: keeps capitals and encodes each segment, so that a name cannot leave its place', () => {
    const roles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };
    assert.equal(resourcePath(roles, { name: 'system:Mixed Case/..' }), '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3AMixed%20Case%2F..');
    assert.equal(resourcePath(NODES, { name: '..' }), '/api/v1/nodes/%2E%2E');
    assert.equal(resourcePath(NODES, { name: 'a?b#c' }), '/api/v1/nodes/a%3Fb%23c');
  });
});

describe('queryString', () => {
  it('leaves undefined out, repeats arrays and encodes', () => {
    assert.equal(queryString({ labelSelector: 'a in (b,c)', limit: 500, continue: undefined, watch: true, container: ['x', 'y&z'] }), '?labelSelector=a%20in%20(b%2Cc)&limit=500&watch=true&container=x&container=y%26z');
    assert.equal(queryString({ a: undefined }), '');
  });
});
