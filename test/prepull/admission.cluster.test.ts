/** What keeps pods of prepull out of a namespace is said before anything is created, with the fix; what they meet lets them in. */
import assert from 'node:assert/strict';
import { ClusterError } from '../../src/errors.ts';
import { nothingLeft, PLAYED } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { optionsFor, PLAYED_CLUSTER, prepull, type Prepulled } from './played-cluster.ts';

describe('prepull and what a cluster lets in', function () {
  this.timeout(90_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const NODES = ['adm-1', 'adm-2'];

  before(async () => {
    await cluster().loadNodes(NODES.map((name) => rawNode(name)), { room: true, labels: { ...PLAYED, suite: 'admission' } });
  });
  after(async () => {
    await cluster().kubectl(['delete', 'nodes', '-l', 'suite=admission', '--wait=false']);
    await cluster().kubectl(['delete', 'mutatingadmissionpolicies,mutatingadmissionpolicybindings', '-l', 'suite=admission']);
  });

  let count = 0;
  const pull = (namespace: string, more: Partial<Parameters<typeof optionsFor>[0]> = {}, kubeconfig = cluster().kubeconfig): Promise<Prepulled> => {
    count += 1;
    return prepull(kubeconfig, optionsFor({ run: `adm${count}`, namespace, named: [`r.example/ok-${count}:1`], nodes: NODES, ...more }));
  };

  /** Nothing was created but dry runs and reviews. */
  async function refused(ran: () => Promise<Prepulled>): Promise<ClusterError> {
    const mark = await cluster().auditMark();
    const { error, report } = await ran();
    assert.ok(error instanceof ClusterError, `not refused: ${JSON.stringify(report?.items)} ${String(error)}`);
    const made = (await cluster().auditEvents(mark)).filter(({ verb, requestURI, userAgent, objectRef }) => userAgent?.includes('kubectl-win') === true && !['get', 'list', 'watch'].includes(verb) && !requestURI.includes('dryRun=All') && objectRef?.resource !== 'selfsubjectaccessreviews');
    assert.deepEqual(made.map(({ verb, requestURI }) => `${verb} ${requestURI}`), []);
    return error;
  }

  it('works under the Pod Security level restricted', async () => {
    await cluster().createNamespace('adm-restricted', { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'restricted' });
    const { error, report } = await pull('adm-restricted');
    assert.deepEqual([error, report?.phase], [null, 'succeeded']);
    await nothingLeft(cluster(), 'adm-restricted', 30);
  });

  it('a user without rights gets the Role to ask for', async () => {
    await cluster().createNamespace('adm-rights');
    await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'adm-nodes' }, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }] });
    await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { metadata: { name: 'adm-nodes' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'adm-nodes' }, subjects: [{ kind: 'User', name: 'adm-jane', apiGroup: 'rbac.authorization.k8s.io' }] });
    const jane = await cluster().user('adm-jane', { namespace: 'adm-rights' });
    const error = await refused(() => pull('adm-rights', {}, jane.kubeconfig));
    assert.match(error.message, /not allowed in the namespace adm-rights: create jobs, get jobs, list jobs, patch jobs, delete jobs, list pods, watch pods/);
    const [role = ''] = error.suggestions;
    const applied = await cluster().kubectl(['apply', '-f', '-'], { input: role.slice(role.indexOf('apiVersion:')) });
    assert.equal(applied.code, 0, applied.stderr);
    await cluster().api.create('/apis/rbac.authorization.k8s.io/v1/namespaces/adm-rights/rolebindings', { metadata: { name: 'jane' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'kubectl-win-prepull' }, subjects: [{ kind: 'User', name: 'adm-jane', apiGroup: 'rbac.authorization.k8s.io' }] });
    // The Role is enough, and no right to create pods is in it.
    const { error: none, report } = await pull('adm-rights', {}, jane.kubeconfig);
    assert.deepEqual([none, report?.phase], [null, 'succeeded']);
    await nothingLeft(cluster(), 'adm-rights', 30);
  });

  it('a quota that is full; one that leaves room for few narrows the window; one for other pods does not count', async () => {
    await cluster().createNamespace('adm-quota');
    const set = async (name: string, spec: Readonly<Record<string, unknown>>): Promise<void> => {
      await cluster().kubectl(['delete', 'quota', '--all', '-n', 'adm-quota']);
      await cluster().api.create('/api/v1/namespaces/adm-quota/resourcequotas', { metadata: { name }, spec });
      for (let look = 0; look < 100; look += 1) {
        const { stdout } = await cluster().kubectl(['get', 'quota', name, '-n', 'adm-quota', '-o', 'jsonpath={.status.hard}']);
        if (stdout.length > 2) return;
      }
    };
    await set('none', { hard: { pods: '0' } });
    const full = await refused(() => pull('adm-quota'));
    assert.match(full.message, /exceeded quota|no room for a pod/);
    assert.match(full.suggestions.join('\n'), /kubectl describe quota -n adm-quota/);
    await set('jobs', { hard: { 'count/jobs.batch': '0' } });
    assert.match((await refused(() => pull('adm-quota'))).message, /its Jobs are refused in the namespace adm-quota: .*exceeded quota/);
    await set('limits', { hard: { 'limits.cpu': '0', 'limits.memory': '0' } });
    const unlimited = await pull('adm-quota');
    assert.deepEqual([unlimited.error, unlimited.report?.phase], [null, 'succeeded']);
    await set('one', { hard: { pods: '1' } });
    const narrow = await pull('adm-quota');
    assert.deepEqual([narrow.error, narrow.report?.phase], [null, 'succeeded']);
    assert.ok(narrow.steps.some((step) => step.type === 'note' && /leaves room for 1 pod:/.test(step.message)));
    await set('others', { hard: { pods: '0' }, scopes: ['Terminating'] });
    assert.equal((await pull('adm-quota')).report?.phase, 'succeeded');
  });

  it('a LimitRange that asks for more than the pods have', async () => {
    await cluster().createNamespace('adm-limits');
    await cluster().api.create('/api/v1/namespaces/adm-limits/limitranges', { metadata: { name: 'min' }, spec: { limits: [{ type: 'Container', min: { cpu: '100m' } }] } });
    const error = await refused(() => pull('adm-limits'));
    assert.match(error.suggestions.join('\n'), /kubectl describe limitrange -n adm-limits/);
  });

  it('a service account, or a namespace, that is not there', async () => {
    await cluster().createNamespace('adm-account');
    assert.match((await refused(() => pull('adm-account', { serviceAccount: 'nobody' }))).suggestions.join('\n'), /create the service account in adm-account/);
    assert.match((await refused(() => pull('adm-nowhere'))).suggestions.join('\n'), /kubectl create namespace adm-nowhere/);
  });

  /** A policy for pods of one namespace; those that are exempt by label where `exempts`. */
  async function policy(name: string, namespace: string, expression: string, exempts = false): Promise<void> {
    const root = '/apis/admissionregistration.k8s.io/v1';
    await cluster().api.create(`${root}/mutatingadmissionpolicies`, {
      metadata: { name, labels: { suite: 'admission' } },
      spec: {
        failurePolicy: 'Fail', reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] },
        matchConditions: [{ name: 'namespace', expression: `request.namespace == "${namespace}"` }, ...(exempts ? [{ name: 'not-ours', expression: '!(has(object.metadata.labels) && "app.kubernetes.io/managed-by" in object.metadata.labels && object.metadata.labels["app.kubernetes.io/managed-by"] == "kubectl-win")' }] : [])],
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      },
    });
    await cluster().api.create(`${root}/mutatingadmissionpolicybindings`, { metadata: { name, labels: { suite: 'admission' } }, spec: { policyName: name } });
    // Policies are in force a little later.
    for (let look = 0; look < 200; look += 1) {
      const probe = await cluster().api.send('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec: { os: { name: 'windows' }, securityContext: { runAsNonRoot: true }, containers: [{ name: 'c', image: 'x:1', imagePullPolicy: 'IfNotPresent' }] } });
      if (/"imagePullPolicy":\s*"Never"|hostNetwork/.test(probe.text)) return;
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
    throw new Error(`the policy ${name} does not come into force`);
  }
  const NEVER = '[JSONPatch{op: "replace", path: "/spec/containers/0/imagePullPolicy", value: "Never"}]';

  it('a mutating policy that sets imagePullPolicy Never, and the exemption that the message names', async () => {
    await cluster().createNamespace('adm-never');
    await policy('adm-never', 'adm-never', NEVER);
    const error = await refused(() => pull('adm-never'));
    assert.match(error.message, /imagePullPolicy becomes Never/);
    assert.match(error.suggestions.join('\n'), /exempt pods with the label app\.kubernetes\.io\/managed-by: kubectl-win/);
    await cluster().createNamespace('adm-exempt');
    await policy('adm-exempt', 'adm-exempt', NEVER, true);
    assert.equal((await pull('adm-exempt')).report?.phase, 'succeeded');
  });

  it('a default that only privileged namespaces allow, where restricted is enforced', async () => {
    await cluster().createNamespace('adm-injected', { 'pod-security.kubernetes.io/enforce': 'restricted' });
    await policy('adm-injected', 'adm-injected', '[JSONPatch{op: "add", path: "/spec/hostNetwork", value: true}]');
    const error = await refused(() => pull('adm-injected'));
    assert.match(error.message, /its pods are refused in the namespace adm-injected/);
    assert.ok(error.suggestions.length > 0, error.message);
  });
});
