import assert from 'node:assert/strict';
import { checkBeforehand, type Preflight } from '../../../../src/app/prepull/preflight.ts';
import { arrayAt, recordAt, stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import type { RunOptions } from '../../../../src/domain/prepull/run-objects.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { error, ScriptedCluster } from '../../../prepull/scripted-cluster.ts';
import { planItem } from '../../../support/plan-item.ts';

const ITEM = planItem({ image: 'r.example/x:1' });

function check(cluster: ScriptedCluster, items = [ITEM], options: Partial<RunOptions> = {}): Promise<Preflight> {
  return checkBeforehand(items, { run: 'r1', namespace: 'web', origin: 'test', timeoutSeconds: 60, serviceAccount: null, pullSecrets: [], ...options }, cluster, new AbortController().signal);
}

async function refusal(cluster: ScriptedCluster, items = [ITEM], options: Partial<RunOptions> = {}): Promise<string> {
  try {
    await check(cluster, items, options);
  } catch (thrown) {
    assert.ok(thrown instanceof ClusterError, String(thrown));
    assert.equal(cluster.calls.some(({ verb }) => verb === 'create'), false);
    return `${thrown.message}\n${thrown.suggestions.join('\n')}`;
  }
  return assert.fail('not refused');
}

function refusing(resource: string, message: string): ScriptedCluster {
  const cluster = new ScriptedCluster();
  cluster.onCall = (call) => (call.verb === 'dry-run' && call.resource === resource ? error('Forbidden', message, 403) : null);
  return cluster;
}

function changing(spec: (old: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): ScriptedCluster {
  const cluster = new ScriptedCluster();
  cluster.admitted = (pod) => ({ ...pod, spec: { ...recordAt(pod, 'spec'), ...spec(recordAt(pod, 'spec')) } });
  return cluster;
}

/** What becomes of Jobs: `made` gets that of the run, and those of pulls. */
function changingJobs(made: (spec: Readonly<Record<string, unknown>>, role: string) => Readonly<Record<string, unknown>>): ScriptedCluster {
  const cluster = new ScriptedCluster();
  cluster.admittedJob = (job) => ({ ...job, spec: made(recordAt(job, 'spec'), stringAt(job, 'metadata', 'labels', 'kubectl-win/role') ?? '') });
  return cluster;
}

const container = (old: unknown, more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({ containers: [{ ...arrayAt(old, 'containers')[0] as object, ...more }] });

function quota(resource: string, hard: string | number, used: string, spec: Readonly<Record<string, unknown>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'web' }, spec, status: { hard: { [resource]: hard }, used: { [resource]: used } } };
}

describe('a look beforehand', () => {
  it('lets a namespace without limits pass, and creates nothing', async () => {
    const cluster = new ScriptedCluster();
    assert.deepEqual(await check(cluster), { places: null, notes: [] });
    assert.deepEqual(cluster.calls.filter(({ verb }) => verb !== 'list').map(({ verb, resource }) => `${verb} ${resource}`), ['dry-run jobs', 'dry-run jobs', 'dry-run pods']);
  });

  it('shows the API server the pod as the Job controller makes it, labels included', async () => {
    const cluster = new ScriptedCluster();
    let labels: unknown;
    cluster.admitted = (pod) => {
      labels = pod.metadata?.labels;
      return pod;
    };
    await check(cluster);
    assert.equal((labels as Readonly<Record<string, string>>)['app.kubernetes.io/managed-by'], 'kubectl-win');
  });

  describe('as whom pods pull', () => {
    const items = ['a:1', 'b:1', 'c:1', 'd:1'].map((image) => planItem({ image }));
    const identities = new Map([['b:1', { serviceAccount: 'b', pullSecrets: [] }], ['c:1', { serviceAccount: 'b', pullSecrets: [] }], ['d:1', { serviceAccount: 'd', pullSecrets: ['s'] }]]);

    it('is tried once for each service account and its secrets, all before anything is created', async () => {
      const cluster = new ScriptedCluster();
      const tried: unknown[] = [];
      cluster.admitted = (pod) => {
        tried.push([stringAt(pod, 'spec', 'serviceAccountName'), arrayAt(pod, 'spec', 'imagePullSecrets').length]);
        return pod;
      };
      await check(cluster, items, { identities });
      assert.deepEqual(tried, [[undefined, 0], ['b', 0], ['d', 1]]);
    });

    it('is refused where one of them is', async () => {
      const cluster = new ScriptedCluster();
      cluster.onCall = ({ verb, resource }, object) => (verb === 'dry-run' && resource === 'pods' && stringAt(object, 'spec', 'serviceAccountName') === 'd' ? error('Forbidden', 'pods "x" is forbidden: error looking up service account web/d: serviceaccount "d" not found', 403) : null);
      assert.match(await refusal(cluster, items, { identities }), /serviceaccount "d" not found.*create the service account in web/s);
    });

    it('is tried so often and no more', async () => {
      const cluster = new ScriptedCluster();
      const many = Array.from({ length: 50 }, (_, at) => planItem({ image: `x:${at}` }));
      const { notes } = await check(cluster, many, { identities: new Map(many.map(({ image }, at) => [image, { serviceAccount: `s${at}`, pullSecrets: [] }])) });
      assert.equal(cluster.calls.filter(({ verb, resource }) => verb === 'dry-run' && resource === 'pods').length, 20);
      assert.deepEqual(notes, ['of 50 combinations of service account and pull secrets 20 were tried beforehand']);
    });
  });

  it('shows the pod of the Job as it was let in', async () => {
    const cluster = changingJobs((spec) => ({ ...spec, template: { metadata: { annotations: { added: 'yes' } }, spec: { ...recordAt(spec, 'template', 'spec') } } }));
    let shown: unknown;
    cluster.admitted = (pod) => {
      shown = pod.metadata?.['annotations'];
      return pod;
    };
    await check(cluster);
    assert.deepEqual(shown, { added: 'yes' });
  });

  it('names the rights that are missing, with a Role', async () => {
    const cluster = new ScriptedCluster();
    cluster.missingRights.push('create jobs', 'watch pods');
    assert.match(await refusal(cluster), /not allowed in the namespace web: create jobs, watch pods\n.*\napiVersion: rbac/s);
  });

  const refusals: readonly (readonly [what: string, cluster: ScriptedCluster, says: RegExp])[] = [
    ['Pod Security', refusing('pods', 'pods "x" is forbidden: violates PodSecurity "restricted:latest": hostNetwork'), /its pods are refused in the namespace web.*pod-security\.kubernetes\.io\/enforce of web/s],
    ['a full quota', refusing('pods', 'pods "x" is forbidden: exceeded quota: q, requested: pods=1'), /kubectl describe quota -n web/],
    ['a quota that wants limits', refusing('pods', 'pods "x" is forbidden: failed quota: q: must specify limits.cpu'), /kubectl describe quota -n web/],
    ['a LimitRange', refusing('pods', 'pods "x" is forbidden: minimum cpu usage per Container is 100m, but request is 0'), /kubectl describe limitrange -n web/],
    ['a service account that is not there', refusing('pods', 'pods "x" is forbidden: error looking up service account web/y: serviceaccount "y" not found'), /--service-account/],
    ['Jobs that are not let in', refusing('jobs', 'jobs.batch "x" is forbidden: exceeded quota: q'), /its Jobs are refused/],
    ['pull policy Never', changing((old) => container(old, { imagePullPolicy: 'Never' })), /imagePullPolicy becomes Never.*exempt pods with the label/s],
    ['another node', changing(() => ({ nodeName: 'other' })), /bound to other/],
    ['Jobs that are suspended, as Kueue does', changingJobs((spec) => ({ ...spec, suspend: true })), /they are suspended, and nobody lets them go\n.*Kueue/s], ['pulls that are suspended', changingJobs((spec, role) => (role === 'pull' ? { ...spec, suspend: true } : spec)), /suspended/],
    ['a template that is changed in the Job', changingJobs((spec, role) => (role === 'pull' ? { ...spec, template: { ...recordAt(spec, 'template'), spec: { ...recordAt(spec, 'template', 'spec'), nodeSelector: {} } } } : spec)), /they are for any nodes/],
    ['Linux nodes', changing(() => ({ nodeSelector: { 'kubernetes.io/os': 'linux' } })), /they are for linux nodes/],
  ];
  for (const [what, cluster, says] of refusals) it(`refuses, with the fix: ${what}`, async () => assert.match(await refusal(cluster), says));

  const notes: readonly (readonly [what: string, cluster: ScriptedCluster, says: RegExp])[] = [
    ['another image', changing((old) => container(old, { image: 'mirror.example/x:1' })), /r\.example\/x:1 becomes mirror\.example\/x:1/],
    ['requests of its own', changing((old) => container(old, { resources: { requests: { memory: '1Gi' } } })), /requests of their own/],
    ['a sidecar', changing((old) => ({ containers: [{ name: 'a-sidecar', image: 's:1', imagePullPolicy: 'Never' }, ...arrayAt(old, 'containers')] })), /adds 1 container to/],
    ['AlwaysPullImages', changing((old) => container(old, { imagePullPolicy: 'Always' })), /pull always/],
    ['a shorter deadline', changingJobs((spec) => ({ ...spec, activeDeadlineSeconds: 30 })), /gives Jobs no more than 30s \(activeDeadlineSeconds\)/],
    ['a user that may not create pods', refusing('pods', 'pods is forbidden: User "jane" cannot create resource "pods"'), /not known beforehand/],
  ];
  for (const [what, cluster, says] of notes) {
    it(`notes: ${what}`, async () => {
      const { notes: said } = await check(cluster);
      assert.equal(said.length, 1);
      assert.match(said[0] ?? '', says);
    });
  }

  const quotas: readonly (readonly [what: string, quotas: readonly KubeObject[], places: number | null])[] = [
    ['of pods', [quota('pods', '10', '7')], 3], ['the narrowest', [quota('pods', '10', '7'), quota('count/pods', '3', '1')], 2], ['of Jobs, of which the run is one', [quota('count/jobs.batch', '5', '1')], 3],
    ['a number', [quota('pods', 4, '0')], 4], ['of services', [quota('services', '0', '0')], null], ['for pods with a deadline', [quota('pods', '0', '0', { scopes: ['Terminating'] })], null],
    ['for pods without one', [quota('pods', '2', '0', { scopes: ['NotTerminating', 'BestEffort'] })], 2], ['for pods with requests', [quota('pods', '0', '0', { scopes: ['NotBestEffort'] })], null],
    ['for a priority', [quota('pods', '0', '0', { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } })], null],
  ];
  for (const [what, own, places] of quotas) {
    it(`a quota ${what} leaves ${places ?? 'any number of'} places`, async () => {
      const cluster = new ScriptedCluster();
      cluster.objects['resourcequotas'] = own;
      assert.equal((await check(cluster)).places, places);
    });
  }

  it('refuses where a quota leaves no place, and asks no more of one that cannot be read', async () => {
    const cluster = new ScriptedCluster();
    cluster.objects['resourcequotas'] = [quota('pods', '3', '3')];
    assert.match(await refusal(cluster), /leaves no room for a pod/);
    cluster.onCall = ({ verb, resource }) => (verb === 'list' && resource === 'resourcequotas' ? error('Forbidden', 'no', 403) : null);
    assert.equal((await check(cluster)).places, null);
  });
});
