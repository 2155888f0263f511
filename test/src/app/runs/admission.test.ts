import assert from 'node:assert/strict';
import { askFor, explainRefusal, lackOfRights, missingRights, placesIn, requireRights, roleText, tryObject, tryPod, type Need } from '../../../../src/app/runs/admission.ts';
import type { AccessQuestion, ClusterWriter } from '../../../../src/app/ports.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { EVENTS, JOBS, PODS } from '../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { fakeCluster, forbidden } from '../../../support/fake-cluster.ts';

const { signal } = new AbortController();
const NEEDS: readonly Need[] = [{ verb: 'create', resource: JOBS }, { verb: 'list', resource: PODS }, { verb: 'watch', resource: PODS }, { verb: 'get', resource: PODS, subresource: 'exec' }];

/** Answers reviews by `denied`, and what is created by `create`. */
function writer({ denied = [], silent = [], create = async (object) => object }: { readonly denied?: readonly string[]; readonly silent?: readonly string[]; readonly create?: (object: KubeObject, isDryRun: boolean) => Promise<KubeObject> }): ClusterWriter {
  const never = async (): Promise<never> => assert.fail('changes something');
  const name = ({ verb, resource, subresource }: AccessQuestion): string => `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return {
    merge: never, delete: never,
    create: (_, object, options) => create(object, options?.dryRun === true),
    review: async (questions) => questions.map((question) => ({ question, allowed: silent.includes(name(question)) ? null : !denied.includes(name(question)) })),
  };
}

describe('rights', () => {
  it('that are missing are named, with a Role of all that is needed', async () => {
    await assert.rejects(requireRights(NEEDS, { name: 'kubectl-win-x', namespace: 'web', rules: [...NEEDS, { verb: 'list', resource: EVENTS }, { verb: 'watch', resource: EVENTS }] }, writer({ denied: ['watch pods', 'get pods/exec'] }), signal), (error: unknown) => {
      assert.ok(error instanceof ClusterError);
      assert.equal(error.reason, 'Forbidden');
      assert.equal(error.message, 'not allowed in the namespace web: watch pods, get pods/exec');
      assert.deepEqual(error.suggestions, [[
        'ask for a Role in web:', 'apiVersion: rbac.authorization.k8s.io/v1', 'kind: Role', 'metadata: { name: kubectl-win-x, namespace: web }', 'rules:',
        '- { apiGroups: [batch], resources: [jobs], verbs: [create] }', '- { apiGroups: [""], resources: [pods, events], verbs: [list, watch] }', '- { apiGroups: [""], resources: [pods/exec], verbs: [get] }',
      ].join('\n')]);
      return true;
    });
  });

  it('that the server does not tell of are no obstacle', async () => {
    assert.deepEqual(await missingRights(NEEDS, 'web', writer({ silent: ['create jobs'] }), signal), []);
    await requireRights(NEEDS, { name: 'x', namespace: 'web', rules: NEEDS }, writer({}), signal);
  });

  it('stand in a Role of their own words', () => {
    assert.match(roleText(NEEDS, { name: 'x', namespace: 'y' }), /^- \{ apiGroups: \[""\], resources: \[pods\], verbs: \[list, watch\] \}$/m);
    assert.match(askFor(NEEDS, { name: 'x', namespace: 'y' }), /^ask for a Role in y:\napiVersion/);
    assert.equal(lackOfRights([NEEDS[0] ?? assert.fail()], 'y', []).status, 403);
  });
});

describe('a dry run', () => {
  const refused = (message: string): ClusterWriter => writer({ create: async () => { throw new ClusterError(message, { reason: 'Forbidden', status: 403, suggestions: ['what the client layer says'] }); } });
  const trying = (on: ClusterWriter): Parameters<typeof tryPod>[1] => ({ namespace: 'web', writer: on, signal, fixes: [[/violates PodSecurity/, 'a fix of their own']] });

  it('gives the object as it would be, and creates nothing', async () => {
    const made = await tryObject(JOBS, { kind: 'Job' }, 'Jobs', trying(writer({ create: async (object, isDryRun) => ({ ...object, isDryRun }) })));
    assert.deepEqual(made, { kind: 'Job', isDryRun: true });
  });

  it('tells a user who may not create pods, which is known by the events of Jobs then', async () => {
    assert.equal(await tryPod({}, trying(refused('pods is forbidden: User "jane" cannot create resource "pods" in API group ""'))), null);
    await assert.rejects(tryPod({}, trying(refused('pods "x" is forbidden: exceeded quota: q'))), /its pods are refused in the namespace web: pods "x" is forbidden: exceeded quota/);
  });

  const fixes: readonly (readonly [text: string, fix: RegExp])[] = [
    ['pods "x" is forbidden: violates PodSecurity "baseline:latest"', /^a fix of their own$/], ['exceeded quota: q', /kubectl describe quota -n web/], ['failed quota: q: must specify limits.cpu', /kubectl describe quota -n web/],
    ['minimum cpu usage per Container is 100m', /kubectl describe limitrange -n web/], ['serviceaccount "default" not found', /create the service account in web/], ['namespaces "web" not found', /kubectl create namespace web/],
    ['pod node label selector conflicts with its project node label selector', /whose node selector fits Windows nodes/], ['something else', /^what the client layer says$/],
  ];
  for (const [text, fix] of fixes) {
    it(`says what to do: ${text}`, async () => {
      await assert.rejects(tryPod({}, trying(refused(text))), (error: unknown) => error instanceof ClusterError && error.status === 403 && fix.test(error.suggestions[0] ?? '') && error.suggestions.at(-1) === 'what the client layer says');
    });
  }

  it('other errors are thrown as they are', async () => {
    await assert.rejects(tryObject(JOBS, {}, 'Jobs', trying(writer({ create: async () => { throw new TypeError('a bug'); } }))), TypeError);
    assert.equal(explainRefusal(new ClusterError('x', { reason: 'Unreachable' }), 'web', 'Jobs').reason, 'Unreachable');
  });
});

describe('places', () => {
  const quota = (hard: Readonly<Record<string, string | number>>, used: Readonly<Record<string, string>> = {}, spec: Readonly<Record<string, unknown>> = {}): KubeObject => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'web' }, spec, status: { hard, used } });
  const pod = (spec: Readonly<Record<string, unknown>> = {}, requests: Readonly<Record<string, string>> = { cpu: '0' }): KubeObject => ({ spec: { ...spec, containers: [{ resources: { requests } }] } });
  const places = (quotas: readonly KubeObject[], more: Partial<Parameters<typeof placesIn>[0]> = {}): Promise<number | null> => placesIn({ namespace: 'web', pod: pod(), otherJobs: 0, ...more }, fakeCluster({ objects: { resourcequotas: quotas } }), signal);

  it('are what the narrowest quota leaves', async () => {
    assert.equal(await places([]), null);
    assert.equal(await places([quota({ services: '0' })]), null);
    assert.equal(await places([quota({ 'pods': '10', 'count/pods': 4 }, { 'pods': '7', 'count/pods': '2' })]), 2);
    assert.equal(await places([quota({ pods: '10' }, { pods: '7' }), quota({ 'count/jobs.batch': '5' }, { 'count/jobs.batch': '3' })]), 2);
  });

  it('of Jobs count for Jobs alone, and for others that the run has', async () => {
    const jobs = quota({ 'count/jobs.batch': '5' }, { 'count/jobs.batch': '3' });
    assert.equal(await places([jobs], { otherJobs: 1 }), 1);
    assert.equal(await places([jobs], { otherJobs: null }), null);
  });

  const scoped = (scope: string): KubeObject => quota({ pods: '3' }, {}, { scopes: [scope] });
  for (const [what, one, counted] of [
    ['a deadline of its own', pod({ activeDeadlineSeconds: 60 }), ['Terminating', 'BestEffort']], ['no deadline', pod(), ['NotTerminating', 'BestEffort']], ['requests', pod({}, { memory: '1Gi' }), ['NotTerminating', 'NotBestEffort']],
  ] as const) {
    it(`of a pod with ${what} are of the quotas for ${counted.join(' and ')}`, async () => {
      const found = await Promise.all(['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass'].map(async (scope) => (await places([scoped(scope)], { pod: one }) === 3 ? [scope] : [])));
      assert.deepEqual(found.flat().toSorted(), [...counted].toSorted());
    });
  }

  it('that are none stop the run, with the fix', async () => {
    await assert.rejects(places([quota({ pods: '3' }, { pods: '3' })]), (error: unknown) => error instanceof ClusterError && /leaves no room for a pod/.test(error.message) && /kubectl describe quota -n web/.test(error.suggestions[0] ?? ''));
  });

  it('are not known where quotas may not be read', async () => {
    assert.equal(await placesIn({ namespace: 'web', pod: null, otherJobs: 0 }, fakeCluster({ errors: { 'list resourcequotas': forbidden('list', 'resourcequotas') } }), signal), null);
  });
});
