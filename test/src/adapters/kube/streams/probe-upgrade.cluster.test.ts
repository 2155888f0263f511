import assert from 'node:assert/strict';
import https from 'node:https';
import { closeAgent } from '../../../../../src/adapters/http/agent.ts';
import type { Connection } from '../../../../../src/adapters/kube/connection.ts';
import { probeUpgrade } from '../../../../../src/adapters/kube/streams/probe-upgrade.ts';
import type { ClusterUser } from '../../../../cluster/start.ts';
import { useCluster } from '../../../../cluster/use-cluster.ts';
import { connectionTo, startLoopbackApi } from '../../../../support/loopback-api.ts';
import { fixedCredentials } from './exec-server.ts';

describe('probeUpgrade with a real API server', function () {
  this.timeout(30_000);
  const cluster = useCluster();
  const connections: Connection[] = [];
  const namespace = 'probe-upgrade';
  before(() => cluster().createNamespace(namespace));
  afterEach(() => connections.splice(0).forEach(closeAgent));

  const as = (user: ClusterUser): Connection => {
    const connection = connectionTo({ url: cluster().server, ca: cluster().ca }, { credentials: fixedCredentials({ clientCertificate: user.identity }) });
    connections.push(connection);
    return connection;
  };

  it('finds that WebSockets pass', async () => assert.equal(await probeUpgrade(as(cluster().admin), { namespace }), null));

  it('takes the right to watch pods in the namespace, and no other', async () => {
    const user = await cluster().user('probe-watcher');
    assert.equal((await probeUpgrade(as(user), { namespace }))?.reason, 'Forbidden');
    await cluster().api.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`, { metadata: { name: 'watcher' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['watch'] }] });
    await cluster().api.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, { metadata: { name: 'watcher' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'watcher' }, subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user.name }] });
    let found = await probeUpgrade(as(user), { namespace });
    for (let attempt = 0; attempt < 20 && found?.reason === 'Forbidden'; attempt += 1) found = await probeUpgrade(as(user), { namespace }); // the authorizer learns of bindings by a watch
    assert.equal(found, null);
  });

  it('finds that something on the way hands on requests without their upgrade', async () => {
    const { identity } = cluster().admin;
    const proxy = await startLoopbackApi(({ url, method }, response) => {
      const onward = https.request(cluster().server + url, { method, ca: cluster().ca, cert: identity.cert, key: identity.key, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      onward.end();
    });
    try {
      const connection = connectionTo(proxy);
      connections.push(connection);
      assert.equal((await probeUpgrade(connection, { namespace }))?.reason, 'UpgradeRefused');
    } finally {
      await proxy.close();
    }
  });
});
