import assert from 'node:assert/strict';
import type { CheckReport } from '../../../src/app/check-report.ts';
import { checkWorkloads, type CheckOptions, type CheckSources } from '../../../src/app/check-workloads.ts';
import type { ImageRegistry, ManifestObject, ManifestSource, UnreadableDocument } from '../../../src/app/ports.ts';
import { CHECK_REPORT_VERSION, readBaseline } from '../../../src/domain/check/control/baseline.ts';
import { fingerprintOf } from '../../../src/domain/check/control/fingerprint.ts';
import type { Finding } from '../../../src/domain/check/finding.ts';
import { RULES } from '../../../src/domain/check/rules/index.ts';
import { defineClusterRule, defineManifestRule, defineObjectRule, defineWorkloadRule, type Rule } from '../../../src/domain/check/rule.ts';
import { TAG_PLATFORMS } from '../../../src/domain/image/tag-platforms.ts';
import { formatFieldPath } from '../../../src/domain/kubernetes/field-path.ts';
import { nameOf, type KubeObject } from '../../../src/domain/kubernetes/object.ts';
import type { Resource } from '../../../src/domain/kubernetes/resource.ts';
import { ClusterError, InputError, InterruptedError } from '../../../src/errors.ts';
import { fakeCluster, forbidden, rawNode, type FakeClusterParts } from '../../support/fake-cluster.ts';
import { answeringRegistry, failure, index, type AnsweringRegistry, type PreparedAnswer } from '../../support/answering-registry.ts';

const TEXTS = { facts: ['T-001'], effect: 'advice', summary: '', rationale: '', remediation: '', reference: 'https://example.com', asOf: '2026-11-30', samples: { bad: [], good: [] } } as const;

/** One finding for each pod template, a warning and an info. */
const SEEN = defineWorkloadRule({
  ...TEXTS, id: 'seen', severity: 'info', os: 'any', messages: { seen: 'seen', bad: 'bad' },
  * check({ workload }) {
    yield { messageId: 'seen', path: [...workload.specPath, 'containers'] };
    if (workload.containers.some(({ image }) => image === 'bad')) yield { messageId: 'bad', severity: 'error', path: workload.specPath };
  },
});
/** Tells which workloads a Service can be judged against. */
const SERVICE = defineObjectRule({
  ...TEXTS, id: 'service', severity: 'info', kinds: ['/Service'], messages: { meets: '{names}' },
  * check(_, { workloads }) {
    yield { messageId: 'meets', data: { names: [...workloads?.values() ?? []].map(({ name }) => name).toSorted().join() }, path: ['spec'] };
  },
});
const NEEDS_NODES = defineWorkloadRule({ ...TEXTS, id: 'needs-nodes', severity: 'info', os: 'any', needs: ['nodes'], messages: {}, check: () => [] });
const OF_PODS = defineWorkloadRule({
  ...TEXTS, id: 'of-pods', severity: 'warning', os: 'any', messages: { symptom: '{reason}' },
  * check({ workload: { ref, specPath } }, { pods }) {
    if (pods === null) yield { notEvaluated: 'pods' };
    for (const { reason } of pods?.evidenceOf(ref.kind ?? '', ref.namespace ?? 'default', ref.name)?.symptoms ?? []) yield { messageId: 'symptom', data: { reason }, path: specPath };
  },
});
const CLUSTER = defineClusterRule({
  ...TEXTS, id: 'cluster', severity: 'info', messages: { whole: 'whole' },
  * check() {
    yield { messageId: 'whole', path: [], object: { apiVersion: null, kind: 'Cluster', namespace: null, name: 'it' } };
  },
});
const DOCUMENT = defineManifestRule({
  ...TEXTS, id: 'document', severity: 'error', messages: { fault: '{text}' },
  * check(fault) {
    yield { messageId: 'fault', data: { text: fault.message }, path: [] };
  },
});
const OLD = defineWorkloadRule({ ...TEXTS, id: 'old', severity: 'info', until: '1.20', os: 'any', messages: { old: 'old' }, check: () => [{ messageId: 'old', path: [] }] });

const RULE_SET: readonly Rule[] = [SEEN, SERVICE, NEEDS_NODES, OF_PODS, CLUSTER, DOCUMENT];

type Overrides = Partial<Omit<CheckOptions, 'scope'>> & { readonly scope?: Partial<CheckOptions['scope']> };

function check(sources: Partial<CheckSources>, { scope, ...options }: Overrides = {}): Promise<CheckReport> {
  return checkWorkloads({
    rules: RULE_SET, control: { severities: new Map(), minSeverity: 'info', baseline: null }, asOf: new Date('2026-11-30T12:00:00Z'), overrides: {}, poolLabels: [], images: TAG_PLATFORMS, registry: null, pullSecrets: true,
    assumedReleases: [], patchCommandOf: () => null, ...options,
    scope: { namespace: null, targets: [], customResources: 'known', ...scope },
  }, { reader: null, manifests: null, ...sources });
}

/** `rule Kind/name`, with the namespace where it is not default. */
function lines({ findings }: CheckReport, rule?: string): readonly string[] {
  return findings.filter((finding) => rule === undefined || finding.rule === rule).map(({ rule: id, object }) => `${rule === undefined ? `${id} ` : ''}${object.kind ?? ''}/${(object.namespace ?? 'default') === 'default' ? '' : `${object.namespace ?? ''}/`}${object.name}`);
}

function template(image: string, extra: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image }], ...extra } };
}

function workload(kind: string, name: string, options: { readonly apiVersion?: string; readonly image?: string; readonly metadata?: Readonly<Record<string, unknown>> } = {}): KubeObject {
  const spec = { template: template(options.image ?? 'a') };
  return { apiVersion: options.apiVersion ?? 'apps/v1', kind, metadata: { name, namespace: 'default', ...options.metadata }, spec: kind === 'CronJob' ? { jobTemplate: { spec } } : spec };
}

function owned(kind: string, name: string, apiVersion = 'apps/v1'): Readonly<Record<string, unknown>> {
  return { ownerReferences: [{ apiVersion, kind, name, controller: true, uid: 'u' }] };
}

function pod(name: string, metadata: Readonly<Record<string, unknown>> = {}, status: Readonly<Record<string, unknown>> = { phase: 'Running' }): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', ...metadata }, spec: template('a')['spec'], status };
}

const ROLLOUTS: Resource = { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts', kind: 'Rollout', namespaced: true };
const WIDGETS: Resource = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true };
const DEPLOYMENT = workload('Deployment', 'web');

describe('checkWorkloads on a cluster', () => {
  it('judges every kind once, pods first, what selects pods last', async () => {
    const report = await check({
      reader: fakeCluster({
        resources: [ROLLOUTS],
        objects: {
          services: [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'front', namespace: 'default' }, spec: { selector: { app: 'x' } } }],
          pods: [pod('bare'), pod('web-1-a', { ...owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } }), pod('db-0', owned('StatefulSet', 'db'))],
          deployments: [DEPLOYMENT], replicasets: [workload('ReplicaSet', 'web-1', { metadata: owned('Deployment', 'web') })], statefulsets: [workload('StatefulSet', 'db')],
          daemonsets: [workload('DaemonSet', 'agent')], cronjobs: [workload('CronJob', 'nightly', { apiVersion: 'batch/v1' })],
          jobs: [workload('Job', 'nightly-29404800', { apiVersion: 'batch/v1', metadata: owned('CronJob', 'nightly', 'batch/v1') }), workload('Job', 'import', { apiVersion: 'batch/v1' })],
          replicationcontrollers: [workload('ReplicationController', 'older', { apiVersion: 'v1' })], rollouts: [workload('Rollout', 'canary', { apiVersion: 'argoproj.io/v1alpha1' })],
          podtemplates: [{ apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'mold', namespace: 'default' }, template: template('a') }],
        },
      }),
    });
    assert.deepEqual(lines(report, 'seen'), ['Pod/bare', 'Deployment/web', 'StatefulSet/db', 'DaemonSet/agent', 'CronJob/nightly', 'Job/import', 'ReplicationController/older', 'PodTemplate/mold', 'Rollout/canary']);
    assert.deepEqual(report.findings.filter(({ rule }) => rule === 'service').map(({ message }) => message), ['agent,bare,canary,db,import,mold,nightly,older,web']);
    assert.equal(lines(report).at(-1), 'cluster Cluster/it');
    assert.deepEqual(report.summary, { objects: 10, workloads: 9, windowsWorkloads: 0, errors: 0, warnings: 0, infos: 11, notEvaluated: 0, suppressed: 0, unreadable: 0 });
    assert.deepEqual(report.notes, []);
  });

  it('judges ReplicaSets without a Deployment, which it reads one by one: a list gives their metadata alone', async () => {
    const reader = fakeCluster({ objects: { replicasets: [workload('ReplicaSet', 'orphan'), workload('ReplicaSet', 'web-1', { metadata: owned('Deployment', 'web') })], deployments: [DEPLOYMENT] } });
    assert.deepEqual(lines(await check({ reader }), 'seen'), ['Deployment/web', 'ReplicaSet/orphan']);
    assert.deepEqual(reader.calls.filter((call) => call.startsWith('get')), ['get replicasets orphan']);
  });

  it('bears a ReplicaSet that is gone before it is read', async () => {
    const reader = fakeCluster({ objects: { replicasets: [workload('ReplicaSet', 'gone')], deployments: [DEPLOYMENT] }, errors: { 'get replicasets': new ClusterError('not found', { reason: 'NotFound', status: 404 }) } });
    assert.deepEqual(lines(await check({ reader }), 'seen'), ['Deployment/web']);
  });

  it('judges the first pod of an owner that is of no kind that is judged, for all of them', async () => {
    const objects = { pods: [pod('a-1', owned('Widget', 'a', 'example.com/v1')), pod('a-2', owned('Widget', 'a', 'example.com/v1')), pod('b-1', owned('Widget', 'b', 'example.com/v1')), pod('win1-proxy', owned('Node', 'win1', 'v1'))] };
    assert.deepEqual(lines(await check({ reader: fakeCluster({ objects }) }), 'seen'), ['Pod/a-1', 'Pod/b-1', 'Pod/win1-proxy']);
  });

  it('reads digests of pods, and whole those that are judged themselves, in their order', async () => {
    const objects = { pods: ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [pod(`${name}-bare`), pod(`${name}-1-x`, owned('ReplicaSet', `${name}-1`)), pod(`${name}-widget`, owned('Widget', name, 'example.com/v1'))]) };
    const reader = fakeCluster({ objects, givesDigests: true, pageSize: 10 });
    const report = await check({ reader });
    assert.deepEqual(lines(report, 'seen'), ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [`Pod/${name}-bare`, `Pod/${name}-widget`]));
    assert.deepEqual(lines(report), lines(await check({ reader: fakeCluster({ objects }) })));
    assert.deepEqual(reader.calls.filter((call) => call.startsWith('get pods')), ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [`get pods ${name}-bare`, `get pods ${name}-widget`]));
  });

  it('leaves out pods that are gone before they are read, and reads those that may only be listed', async () => {
    const objects = { pods: [pod('a'), pod('b')], deployments: [DEPLOYMENT] };
    const gone = fakeCluster({ objects, givesDigests: true, errors: { 'get pods': new ClusterError('not found', { reason: 'NotFound', status: 404 }) } });
    assert.deepEqual(lines(await check({ reader: gone }), 'seen'), ['Deployment/web']);
    const refused = fakeCluster({ objects, givesDigests: true, errors: { 'get pods': forbidden('get', 'pods') } });
    assert.deepEqual(lines(await check({ reader: refused }), 'seen'), ['Pod/a', 'Pod/b', 'Deployment/web']);
  });

  it('reads a page of many bare pods once more, and those that follow whole until there are few again', async () => {
    const bare = Array.from({ length: 60 }, (_none, index) => pod(`bare-${String(index).padStart(2, '0')}`));
    const others = Array.from({ length: 90 }, (_none, index) => pod(`db-${index}`, owned('StatefulSet', 'db')));
    const objects = { pods: [...bare, ...others, pod('last')] };
    const reader = fakeCluster({ objects, givesDigests: true, pageSize: 30 });
    assert.deepEqual(lines(await check({ reader }), 'seen'), [...bare, pod('last')].map(({ metadata }) => `Pod/${String(metadata?.['name'])}`));
    assert.deepEqual(reader.calls.filter((call) => / pods .|whole/.test(call)), ['whole page 0', 'get pods last']);
    // the page may be too old by then
    const expired = fakeCluster({ objects, givesDigests: true, pageSize: 30, errors: { 'whole page': new ClusterError('too old', { reason: 'Expired', status: 410 }) } });
    assert.equal(lines(await check({ reader: expired }), 'seen').length, 61);
    assert.equal(expired.calls.filter((call) => call.startsWith('get pods')).length, 31);
    await assert.rejects(check({ reader: fakeCluster({ objects, givesDigests: true, pageSize: 30, errors: { 'whole page': new ClusterError('x', { reason: 'Timeout', status: 504 }) } }) }), { reason: 'Timeout' });
  });

  it('reads pods as digests for what they tell of a target, and whole where they are the target', async () => {
    const objects = { pods: [pod('bare'), pod('db-0', owned('StatefulSet', 'db'))], statefulsets: [workload('StatefulSet', 'db')] };
    for (const [type, seen] of [['sts', 'StatefulSet/db'], ['pods', 'Pod/bare']] as const) {
      const reader = fakeCluster({ objects, givesDigests: true });
      assert.deepEqual(lines(await check({ reader }, { scope: { targets: [{ type, name: null }] } }), 'seen'), [seen]);
      assert.deepEqual(reader.calls.filter((call) => call.startsWith('get pods')), []);
    }
  });

  it('judges pods of an Argo Rollout through it, or through its ReplicaSet where custom resources are not looked into', async () => {
    const objects = {
      pods: [pod('canary-1-a', { ...owned('ReplicaSet', 'canary-1'), labels: { 'rollouts-pod-template-hash': '1' } })], replicasets: [workload('ReplicaSet', 'canary-1', { metadata: owned('Rollout', 'canary', 'argoproj.io/v1alpha1') })],
      rollouts: [workload('Rollout', 'canary', { apiVersion: 'argoproj.io/v1alpha1' })],
    };
    assert.deepEqual(lines(await check({ reader: fakeCluster({ objects, resources: [ROLLOUTS] }) }), 'seen'), ['Rollout/canary']);
    assert.deepEqual(lines(await check({ reader: fakeCluster({ objects, resources: [ROLLOUTS] }) }, { scope: { customResources: 'none' } }), 'seen'), ['ReplicaSet/canary-1']);
  });

  it('looks into the custom resources that it is told to', async () => {
    const objects = { rollouts: [workload('Rollout', 'canary', { apiVersion: 'argoproj.io/v1alpha1' })], widgets: [workload('Widget', 'w', { apiVersion: 'example.com/v1' })] };
    const seen = async (customResources: 'known' | 'all' | 'none'): Promise<readonly string[]> => lines(await check({ reader: fakeCluster({ objects, resources: [ROLLOUTS, WIDGETS, { ...WIDGETS, group: 'metrics.k8s.io', plural: 'pods', kind: 'PodMetrics' }] }) }, { scope: { customResources } }), 'seen');
    assert.deepEqual(await seen('known'), ['Rollout/canary']);
    assert.deepEqual(await seen('all'), ['Rollout/canary', 'Widget/w']);
    assert.deepEqual(await seen('none'), []);
  });

  it('judges every pod template of a custom resource that has several', async () => {
    const ray: KubeObject = { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'r', namespace: 'default' }, spec: { headGroupSpec: { template: template('a') }, workerGroupSpecs: [{ template: template('bad') }] } };
    const report = await check({ reader: fakeCluster({ objects: { rayclusters: [ray] }, resources: [{ group: 'ray.io', version: 'v1', plural: 'rayclusters', kind: 'RayCluster', namespaced: true }] }) });
    assert.deepEqual(report.findings.filter(({ rule }) => rule === 'seen').map(({ path, severity }) => `${severity} ${formatFieldPath(path)}`), [
      'error spec.workerGroupSpecs[0].template.spec', 'info spec.headGroupSpec.template.spec.containers', 'info spec.workerGroupSpecs[0].template.spec.containers',
    ]);
    assert.deepEqual(report.workloads.map(({ templatePath }) => templatePath), ['spec.headGroupSpec.template', 'spec.workerGroupSpecs[0].template']);
    assert.equal(report.summary.objects, 2 - 1);
  });

  it('gives a bare pod in trouble the events that tell why, which are read after the pods', async () => {
    const waiting = { phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ContainerCreating' } } }] };
    const event: KubeObject = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'default' }, type: 'Warning', reason: 'FailedMount', message: 'chown c:\\var\\lib: not supported by windows', involvedObject: { kind: 'Pod', name: 'bare', namespace: 'default' } };
    const report = await check({ reader: fakeCluster({ objects: { pods: [pod('fine'), pod('bare', {}, waiting)], events: [event] } }) });
    assert.ok(report.findings.some(({ rule, object, message }) => rule === 'of-pods' && object.name === 'bare' && message === 'FailedMount'), JSON.stringify(report.findings));
    assert.deepEqual(lines(report, 'seen'), ['Pod/fine', 'Pod/bare']);
  });

  it('judges each object once where lists are begun anew', async () => {
    const objects = { deployments: [workload('Deployment', 'api'), workload('Deployment', 'late'), DEPLOYMENT], pods: [pod('bare'), pod('other'), pod('third')] };
    const report = await check({ reader: fakeCluster({ objects, restartsAfterFirstPage: true }) });
    assert.deepEqual(lines(report, 'seen'), ['Pod/bare', 'Pod/other', 'Pod/third', 'Deployment/api', 'Deployment/late', 'Deployment/web']);
  });

  describe('of which a part may not be read', () => {
    const objects = {
      nodes: [rawNode('win1')], deployments: [DEPLOYMENT], replicasets: [workload('ReplicaSet', 'web-1', { metadata: owned('Deployment', 'web') })],
      pods: [pod('web-1-a', { ...owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } }), pod('web-1-b', { ...owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } })],
    };
    const with403 = (...resources: readonly string[]): FakeClusterParts => ({ objects, errors: Object.fromEntries(resources.map((resource) => [`list ${resource}`, forbidden('list', resource)])) });

    it('judges the rest, counts what was not evaluated, and says what was missing', async () => {
      const report = await check({ reader: fakeCluster(with403('nodes', 'csinodes')) });
      assert.deepEqual(lines(report, 'seen'), ['Deployment/web']);
      assert.deepEqual(report.notEvaluated.map(({ rule, reason }) => `${rule}: ${reason}`), ['needs-nodes: nodes not known']);
      assert.equal(report.notes.length, 1);
      assert.match(report.notes[0] ?? '', /^not allowed to list (nodes, csinodes\.storage\.k8s\.io|csinodes\.storage\.k8s\.io, nodes): what needs them was not evaluated$/);
    });

    it('knows nothing of pods that may not be listed', async () => {
      const report = await check({ reader: fakeCluster(with403('pods')) });
      assert.deepEqual(lines(report, 'seen'), ['Deployment/web']);
      assert.deepEqual(report.notEvaluated.map(({ rule }) => rule), ['of-pods']);
    });

    for (const [name, refused, seen] of [
      ['Deployments', ['deployments'], ['ReplicaSet/web-1']],
      ['ReplicaSets', ['replicasets'], ['Deployment/web']],
      ['Deployments and ReplicaSets', ['deployments', 'replicasets'], ['Pod/web-1-a']],
    ] as const) {
      it(`judges pods through what is left without ${name}`, async () => {
        assert.deepEqual(lines(await check({ reader: fakeCluster(with403(...refused)) }), 'seen'), seen);
      });
    }

    it('throws what the server said where nothing at all may be read', async () => {
      const every = ['nodes', 'namespaces', 'runtimeclasses', 'storageclasses', 'persistentvolumes', 'persistentvolumeclaims', 'csinodes', 'daemonsets', 'serviceaccounts', 'customresourcedefinitions', 'gmsacredentialspecs',
        'pods', 'events', 'deployments', 'statefulsets', 'cronjobs', 'jobs', 'replicationcontrollers', 'podtemplates', 'replicasets', 'services', 'networkpolicies'];
      await assert.rejects(check({ reader: fakeCluster(with403(...every)) }), { name: 'ClusterError', reason: 'Forbidden' });
    });

    it('goes on without an aggregated API whose server is down, and says so', async () => {
      const down = new ClusterError('Error from server (ServiceUnavailable): the server is currently unable to handle the request', { reason: 'ServiceUnavailable', status: 503 });
      const report = await check({ reader: fakeCluster({ objects, resources: [WIDGETS], errors: { 'list widgets': down } }) }, { scope: { customResources: 'all' } });
      assert.deepEqual(lines(report, 'seen'), ['Deployment/web']);
      assert.deepEqual(report.notes, ['widgets.example.com could not be listed: Error from server (ServiceUnavailable): the server is currently unable to handle the request']);
    });

    it('ends where a resource of Kubernetes\' own cannot be listed for a fault of the server', async () => {
      for (const [resource, reason, status] of [
        ['deployments', 'ServiceUnavailable', 503], ['pods', 'ServiceUnavailable', 503], ['replicasets', 'ServiceUnavailable', 503], ['events', 'ServiceUnavailable', 503], ['nodes', 'ServiceUnavailable', 503],
        ['cronjobs', 'InternalError', 500], ['deployments', 'Timeout', 504], ['pods', 'DeadlineExceeded', undefined], ['services', 'TooManyRequests', 429],
      ] as const) {
        const reader = fakeCluster({ objects, errors: { [`list ${resource}`]: new ClusterError(`${resource}: ${reason}`, { reason, ...(status === undefined ? {} : { status }) }) } });
        await assert.rejects(check({ reader }), { name: 'ClusterError', reason, exitCode: 3 }, `${resource} ${reason}`);
      }
    });

    it('ends where the login or the line fails', async () => {
      for (const reason of ['Unauthorized', 'Unreachable'] as const) {
        await assert.rejects(check({ reader: fakeCluster({ objects, errors: { 'list pods': new ClusterError(reason, { reason }) } }) }), { name: 'ClusterError', reason });
      }
    });

    it('goes on without the version of the server, and says so', async () => {
      const report = await check({ reader: fakeCluster({ objects, errors: { version: forbidden('get', 'version') } }) });
      assert.equal(report.serverVersion, null);
      assert.deepEqual(report.notes, ['the version of the API server may not be read (get on the non-resource URL /version): rules that hang on it were judged by the kubelets']);
      await assert.rejects(check({ reader: fakeCluster({ objects, errors: { version: new ClusterError('down', { reason: 'Unreachable' }) } }) }), { reason: 'Unreachable' });
    });

    it('goes on without discovery, and says what that leaves out', async () => {
      const report = await check({ reader: fakeCluster({ objects, errors: { resources: new ClusterError('forbidden', { reason: 'Forbidden', status: 403 }) } }) });
      assert.deepEqual(lines(report, 'seen'), ['Deployment/web']);
      assert.deepEqual(report.notes, ['not allowed to read which resources the server has (get on the non-resource URLs /api and /apis): custom resources were not looked into']);
    });

    it('ends without discovery where a type has to be looked up', async () => {
      await assert.rejects(check({ reader: fakeCluster({ objects, errors: { resources: new ClusterError('forbidden', { reason: 'Forbidden', status: 403 }) } }) }, { scope: { targets: [{ type: 'widgets', name: null }] } }), { name: 'ClusterError', reason: 'Forbidden' });
    });
  });

  describe('narrowed', () => {
    const objects = {
      deployments: [workload('Deployment', 'web', { metadata: { labels: { app: 'web' } } }), workload('Deployment', 'api', { metadata: { namespace: 'shop', labels: { app: 'api' } } })],
      daemonsets: [workload('DaemonSet', 'agent', { metadata: { labels: { app: 'web' } } }), workload('DaemonSet', 'other', { metadata: { namespace: 'shop' } })],
      pods: [pod('bare', { labels: { app: 'web' } }), pod('bare2', { labels: { app: 'api' }, namespace: 'shop' }), pod('web-1-a', { ...owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } })],
      rollouts: [workload('Rollout', 'canary', { apiVersion: 'argoproj.io/v1alpha1' })],
    };
    const reader = (): ReturnType<typeof fakeCluster> => fakeCluster({ objects, resources: [ROLLOUTS] });

    it('to a namespace: its own where none is named', async () => {
      assert.deepEqual(lines(await check({ reader: reader() }, { scope: { namespace: 'shop' } }), 'seen'), ['Pod/shop/bare2', 'Deployment/shop/api', 'DaemonSet/shop/other']);
      assert.deepEqual(lines(await check({ reader: reader() }, { scope: { namespace: undefined } }), 'seen'), ['Pod/bare', 'Deployment/web', 'DaemonSet/agent', 'Rollout/canary']);
    });

    it('by labels, on lists and on what was read as a fact alike', async () => {
      assert.deepEqual(lines(await check({ reader: reader() }, { scope: { labelSelector: 'app in (web)' } }), 'seen'), ['Pod/bare', 'Deployment/web', 'DaemonSet/agent']);
    });

    it('by labels that cannot be read: a usage error before anything is listed', async () => {
      const cluster = reader();
      await assert.rejects(check({ reader: cluster }, { scope: { labelSelector: 'app=(' } }), { name: 'UsageError' });
    });

    it('to types and names, whose order is kept', async () => {
      const seen = async (...targets: readonly { type: string; name: string | null }[]): Promise<readonly string[]> => lines(await check({ reader: reader() }, { scope: { namespace: 'default', targets } }), 'seen');
      assert.deepEqual(await seen({ type: 'rollouts', name: null }, { type: 'deploy', name: 'web' }), ['Rollout/canary', 'Deployment/web']);
      assert.deepEqual(await seen({ type: 'ds', name: null }), ['DaemonSet/agent']);
      assert.deepEqual(await seen({ type: 'po', name: 'web-1-a' }), ['Pod/web-1-a']);
    });

    it('to pods: says that some are judged through their owners', async () => {
      const report = await check({ reader: reader() }, { scope: { namespace: 'default', targets: [{ type: 'pods', name: null }] } });
      assert.deepEqual([lines(report, 'seen'), report.notes], [['Pod/bare'], ['1 pod is judged through its owner: name the owner, or the pod']]);
    });

    it('to a type that the server does not have, or that several groups have', async () => {
      await assert.rejects(check({ reader: reader() }, { scope: { targets: [{ type: 'gadgets', name: null }] } }), { name: 'UsageError', message: 'the server doesn\'t have a resource type "gadgets"' });
      const two = fakeCluster({ resources: [ROLLOUTS, { ...ROLLOUTS, group: 'example.com' }] });
      await assert.rejects(check({ reader: two }, { scope: { targets: [{ type: 'rollouts', name: null }] } }), { message: 'several groups have the resource type "rollouts"', suggestions: ['write it with its group: rollouts.argoproj.io, rollouts.example.com'] });
    });

    it('to a name that is not there', async () => {
      await assert.rejects(check({ reader: reader() }, { scope: { namespace: 'default', targets: [{ type: 'deploy', name: 'nope' }] } }), { name: 'ClusterError', reason: 'NotFound' });
    });

    for (const [name, scope, concludes] of [
      ['nothing', {}, true], ['a namespace', { namespace: 'default' }, false], ['labels', { labelSelector: 'app' }, false], ['targets', { targets: [{ type: 'deploy', name: null }] }, false],
    ] as const) {
      it(`by ${name}: ${concludes ? 'concludes' : 'concludes nothing'} about the cluster`, async () => {
        assert.equal(lines(await check({ reader: reader() }, { scope }), 'cluster').length, concludes ? 1 : 0);
      });
    }
  });

  it('reads the version that rules are judged by, unless one is given', async () => {
    const oldIn = async (options: Overrides, version: string): Promise<readonly [string | null, number]> => {
      const reader = fakeCluster({ objects: { deployments: [DEPLOYMENT] }, version });
      const report = await check({ reader }, { rules: [OLD], ...options });
      return [report.serverVersion, report.findings.length];
    };
    assert.deepEqual(await oldIn({}, 'v1.37.2'), ['v1.37.2', 0]);
    assert.deepEqual(await oldIn({}, 'v1.19.0'), ['v1.19.0', 1]);
    assert.deepEqual(await oldIn({ kubernetesVersion: 'v1.20' }, 'v1.37.2'), ['v1.20', 1]);
  });

  it('judges as if the Windows nodes ran other releases', async () => {
    const image = 'mcr.microsoft.com/windows/servercore:ltsc2019';
    const windows = { ...workload('Deployment', 'web'), spec: { template: template(image, { nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }] }) } };
    const mismatch = async (nodes: readonly KubeObject[], assumedReleases: CheckOptions['assumedReleases']): Promise<readonly string[]> => {
      const report = await check({ reader: fakeCluster({ objects: { deployments: [windows], nodes } }) }, { rules: RULES, assumedReleases });
      return report.findings.filter(({ rule }) => rule === 'image-build-mismatch').flatMap(({ nodes: names }) => names);
    };
    assert.deepEqual(await mismatch([rawNode('win1', { kernelVersion: '10.0.17763.5000' })], []), []);
    assert.deepEqual(await mismatch([rawNode('win1', { kernelVersion: '10.0.17763.5000' })], ['ltsc2022']), ['win1']);
    assert.deepEqual(await mismatch([rawNode('linux1', { os: 'linux' })], ['ltsc2022']), ['any-ltsc2022']);
    assert.deepEqual(await mismatch([], ['ltsc2019']), []);
  });

  it('stops when it is told to', async () => {
    await assert.rejects(check({ reader: fakeCluster({ objects: { deployments: [DEPLOYMENT] } }) }, { signal: AbortSignal.abort(new Error('stop')) }), { message: 'stop' });
  });
});

describe('checkWorkloads on a recording', () => {
  it('judges all namespaces, and pods by one of them where their owners were not recorded', async () => {
    const reader = fakeCluster({ source: 'files', objects: { pods: [pod('web-1-a', { ...owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } }), pod('web-1-b', { ...owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } }), pod('bare', { namespace: 'shop' })] } });
    assert.deepEqual(lines(await check({ reader }, { scope: { namespace: undefined } }), 'seen'), ['Pod/web-1-a', 'Pod/shop/bare']);
  });

  it('reads ReplicaSets from the list, where they are whole', async () => {
    const reader = fakeCluster({ source: 'files', isComplete: true, objects: { replicasets: [workload('ReplicaSet', 'orphan')] } });
    assert.deepEqual(lines(await check({ reader }), 'seen'), ['ReplicaSet/orphan']);
    assert.deepEqual(reader.calls.filter((call) => call.startsWith('get')), []);
  });

  it('finds an object by name in whichever namespace has it', async () => {
    const reader = fakeCluster({ source: 'files', objects: { deployments: [workload('Deployment', 'api', { metadata: { namespace: 'shop' } })] } });
    assert.deepEqual(lines(await check({ reader }, { scope: { namespace: undefined, targets: [{ type: 'deploy', name: 'api' }] } }), 'seen'), ['Deployment/shop/api']);
  });
});

function manifest(object: KubeObject, parts: Partial<ManifestObject> = {}): ManifestObject {
  return { object, file: 'app.yaml', locate: (path) => ({ file: 'app.yaml', line: path.length + 1, column: 3, length: 4 }), lineText: (line) => `line ${line}`, problems: [], ...parts };
}
function source(entries: readonly (ManifestObject | UnreadableDocument)[], notes: readonly string[] = []): ManifestSource {
  return {
    description: { source: 'files', context: null, location: 'app.yaml' }, notes,
    async* read(): AsyncGenerator<ManifestObject | UnreadableDocument> {
      yield* entries;
    },
  };
}

describe('checkWorkloads on manifests', () => {
  const BROKEN: UnreadableDocument = { file: 'bad.yaml', line: 7, column: 2, message: 'mapping values are not allowed here', suggestions: [] };

  it('judges them in their order, a Service against workloads that stand after it', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'front' }, spec: { selector: { app: 'x' } } };
    const report = await check({ manifests: source([manifest(service), manifest(DEPLOYMENT), manifest({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { template: template('a') } })]) });
    assert.deepEqual(lines(report).filter((line) => !line.startsWith('of-pods')), ['service Service/front', 'seen Deployment/web', 'seen Widget/w']);
    assert.equal(report.findings[0]?.message, 'w,web');
  });

  it('places findings at their field, with the line as it stands in the file', async () => {
    const report = await check({ manifests: source([manifest(DEPLOYMENT)]) }, { rules: [SEEN] });
    assert.deepEqual(report.findings.map(({ place }) => place), [{ file: 'app.yaml', line: 5, column: 3, lineText: 'line 5', length: 4 }]);
  });

  it('orders the findings of an object by severity, objects as they are read', async () => {
    const report = await check({ manifests: source([manifest(workload('Deployment', 'b', { image: 'bad' })), manifest(workload('Deployment', 'a', { image: 'bad' }))]) }, { rules: [SEEN] });
    assert.deepEqual(report.findings.map(({ severity, object }) => `${severity} ${object.name}`), ['error b', 'info b', 'error a', 'info a']);
  });

  it('tells documents that cannot be read, and judges the others', async () => {
    const report = await check({ manifests: source([BROKEN, manifest(DEPLOYMENT)], ['notes.txt was skipped']) });
    assert.deepEqual([report.unreadable, report.summary.unreadable, report.summary.errors], [[BROKEN], 1, 1]);
    assert.deepEqual(report.findings.map(({ rule, place }) => `${rule} ${place?.file ?? ''}:${place?.line ?? ''}`), ['document bad.yaml:7', 'seen app.yaml:5']);
    assert.deepEqual(report.notes, ['notes.txt was skipped']);
  });

  it('tells problems of a document at their own place', async () => {
    const place = { file: 'app.yaml', line: 42, column: 1, length: 3 };
    const report = await check({ manifests: source([manifest(DEPLOYMENT, { problems: [{ kind: 'duplicate-key', path: ['spec'], message: 'twice', place }] })]) }, { rules: [DOCUMENT] });
    assert.deepEqual(report.findings.map(({ message, place: at }) => [message, at?.line]), [['twice', 42]]);
  });

  it('refuses input without any object, but not one whose documents are all broken', async () => {
    await assert.rejects(check({ manifests: source([]) }), (error: unknown) => error instanceof InputError && error.message === 'app.yaml: holds no Kubernetes objects');
    assert.equal((await check({ manifests: source([BROKEN]) })).summary.unreadable, 1);
  });

  it('judges pods of a dump through their owner where it is there, else one for all', async () => {
    const of = { ...owned('ReplicaSet', 'web-1'), labels: { 'pod-template-hash': '1' } };
    const pods = [manifest(pod('web-1-a', of)), manifest(pod('web-1-b', of)), manifest(pod('bare'))];
    assert.deepEqual(lines(await check({ manifests: source([...pods, manifest(DEPLOYMENT)]) }, { rules: [SEEN] })), ['seen Pod/bare', 'seen Deployment/web']);
    assert.deepEqual(lines(await check({ manifests: source(pods) }, { rules: [SEEN] })), ['seen Pod/web-1-a', 'seen Pod/bare']);
  });

  it('judges ReplicaSets and Jobs of a dump through their owner as well', async () => {
    const objects = [workload('ReplicaSet', 'web-1', { metadata: owned('Deployment', 'web') }), DEPLOYMENT, workload('Job', 'n-29404800', { apiVersion: 'batch/v1', metadata: owned('CronJob', 'n', 'batch/v1') }), workload('Job', 'alone', { apiVersion: 'batch/v1', metadata: owned('CronJob', 'gone', 'batch/v1') }), workload('CronJob', 'n', { apiVersion: 'batch/v1' })];
    assert.deepEqual(lines(await check({ manifests: source(objects.map((object) => manifest(object))) }, { rules: [SEEN] }), 'seen'), ['Deployment/web', 'Job/alone', 'CronJob/n']);
  });

  it('needs no cluster, and says what was not evaluated', async () => {
    const report = await check({ manifests: source([manifest(DEPLOYMENT)]) });
    assert.deepEqual([report.serverVersion, report.notEvaluated.map(({ rule }) => rule)], [null, ['needs-nodes', 'of-pods']]);
  });

  it('takes facts from a cluster and from the input itself, of which the input counts', async () => {
    const reader = fakeCluster({ objects: { nodes: [rawNode('win1')], deployments: [workload('Deployment', 'of-the-cluster')] } });
    const report = await check({ reader, manifests: source([manifest(DEPLOYMENT), manifest(rawNode('win2'))]) });
    assert.deepEqual([report.serverVersion, lines(report, 'seen'), report.notEvaluated.map(({ rule }) => rule)], ['v1.37.2', ['Deployment/web'], ['of-pods']]);
    assert.deepEqual(report.workloads[0]?.candidates, []);
    assert.equal(report.source.source, 'files');
  });

  it('hands each object on with the findings that stand, for --fix', async () => {
    const handed: [string, readonly string[]][] = [];
    const onManifest = ({ object }: ManifestObject, findings: readonly Finding[]): void => void handed.push([nameOf(object), findings.map(({ rule }) => rule)]);
    await check({ manifests: source([manifest(DEPLOYMENT), manifest({ ...DEPLOYMENT, metadata: { name: 'quiet', annotations: { 'ignore.kubectl-win/seen': 'agreed' } } })]) }, { rules: [SEEN], onManifest });
    assert.deepEqual(handed, [['web', ['seen']]]);
  });

  describe('with control', () => {
    const bad = workload('Deployment', 'web', { image: 'bad' });
    const run = (object: KubeObject, control: Partial<CheckOptions['control']> = {}): Promise<CheckReport> => check({ manifests: source([manifest(object)]) }, { rules: [SEEN], control: { severities: new Map(), minSeverity: 'info', baseline: null, ...control } });

    it('counts what annotations of the object or its pod template suppress', async () => {
      const annotations = { 'ignore.kubectl-win/T-001': 'agreed' };
      for (const object of [{ ...bad, metadata: { name: 'web', annotations } }, { ...bad, spec: { template: { ...template('bad'), metadata: { annotations } } } }]) {
        const report = await run(object);
        assert.deepEqual([report.findings, report.summary.suppressed, report.summary.errors], [[], 2, 0]);
        assert.deepEqual(report.suppressed.map(({ by, reason }) => `${by}: ${reason}`), ['annotation: agreed', 'annotation: agreed']);
      }
    });

    it('grades anew and leaves out what is below', async () => {
      const report = await run(bad, { severities: new Map([['seen', 'warning']]), minSeverity: 'warning' });
      assert.deepEqual(report.findings.map(({ severity }) => severity), ['warning', 'warning']);
      assert.deepEqual((await run(bad, { minSeverity: 'warning' })).findings.map(({ severity }) => severity), ['error']);
    });

    it('leaves out what the baseline has, of broken documents too', async () => {
      const before = await check({ manifests: source([BROKEN, manifest(bad)]) }, { rules: [SEEN, DOCUMENT] });
      assert.equal(before.findings.length, 3);
      const findings = before.findings.map((finding) => ({ fingerprint: fingerprintOf(finding, finding.place?.file ?? null) }));
      const baseline = readBaseline({ apiVersion: CHECK_REPORT_VERSION, kind: 'CheckReport', findings });
      assert.ok(typeof baseline !== 'string');
      const control = { severities: new Map(), minSeverity: 'info', baseline } as const;
      const after = await check({ manifests: source([{ ...BROKEN, line: 9 }, manifest(bad), { ...BROKEN, file: 'worse.yaml' }, manifest(workload('Deployment', 'api', { image: 'b' }))]) }, { rules: [SEEN, DOCUMENT], control });
      assert.deepEqual(after.findings.map(({ rule, object, place }) => `${rule} ${object.name || (place?.file ?? '')}`), ['document worse.yaml', 'seen api']);
      assert.equal(after.summary.suppressed, 3);
    });
  });
});

describe('checkWorkloads with all evidence of images', () => {
  const WINDOWS = { nodeSelector: { 'kubernetes.io/os': 'windows' } };
  const deployment = (name: string, image: string, spec: Readonly<Record<string, unknown>> = {}, namespace = 'default'): KubeObject => ({
    apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace }, spec: { template: template(image, { ...WINDOWS, tolerations: [{ operator: 'Exists' }], ...spec }) },
  });
  const NODES = [rawNode('win-2019', { kernelVersion: '10.0.17763.8389' }), rawNode('win-2022'), rawNode('linux', { os: 'linux' })];
  const secret = (name: string, text: string): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson', metadata: { name, namespace: 'default' }, data: { '.dockerconfigjson': Buffer.from(text).toString('base64') } });
  const rules = RULES.filter(({ id }) => ['image-build-mismatch', 'image-fits-some-nodes', 'image-builds-unknown', 'image-not-found', 'index-picks-older-image'].includes(id));
  const judge = (registry: AnsweringRegistry | null, objects: Readonly<Record<string, readonly KubeObject[]>>, errors: Readonly<Record<string, Error>> = {}): Promise<CheckReport> => check(
    { reader: fakeCluster({ objects: { nodes: NODES, ...objects }, errors }) }, { rules, images: null, registry });
  const shownTo = (secretText: string, platform: string): PreparedAnswer => (secrets) => (secrets.includes(secretText) ? index([platform]) : failure('Unauthorized', 'registry.example answered Unauthorized', ['log in with docker login registry.example']));
  const found = (report: CheckReport): readonly string[] => report.findings.map(({ rule, object, confidence }) => `${rule} ${object.name} ${confidence}`);

  it('asks registries for the images of Windows workloads alone, each once', async () => {
    const registry = answeringRegistry({ 'registry.example/web:1': index(['windows/10.0.20348.1']) });
    const linux = deployment('api', 'registry.example/api:1', { nodeSelector: { 'kubernetes.io/os': 'linux' } });
    const report = await judge(registry, { deployments: [deployment('a', 'registry.example/web:1'), deployment('b', 'registry.example/web:1'), linux, deployment('bad', 'Web:1')] });
    assert.deepEqual(registry.asked.map(({ image }) => image), ['registry.example/web:1']);
    assert.deepEqual(found(report), ['image-fits-some-nodes a registry', 'image-fits-some-nodes b registry']);
    assert.deepEqual(report.notes, []);
  });

  it('goes on where a registry fails, with the reason, and judges by name', async () => {
    const registry = answeringRegistry({ 'down.example/web:1-ltsc2019': failure('Unreachable', 'down.example answered Unreachable'), 'down.example/app:1': failure('Unreachable', 'down.example answered Unreachable'), 'registry.example/web:1': index(['linux']) });
    const report = await judge(registry, { deployments: [deployment('a', 'down.example/web:1-ltsc2019'), deployment('b', 'down.example/app:1'), deployment('c', 'registry.example/web:1')] });
    assert.deepEqual(found(report), ['image-fits-some-nodes a tag', 'image-builds-unknown b unknown']);
    assert.ok(report.findings[0]?.evidence.includes('down.example answered Unreachable'));
    assert.match(report.findings[1]?.message ?? '', /not known: the tag 1 names no build of Windows, and down\.example answered Unreachable$/);
    assert.deepEqual(report.notes, ['2 images (down.example/web:1-ltsc2019, down.example/app:1) are judged without a registry: down.example answered Unreachable']);
    const verdicts = report.workloads.find(({ object }) => object.name === 'c')?.verdicts;
    assert.deepEqual(verdicts?.map(({ verdict, errorTexts }) => [verdict, errorTexts]), [['fails-at-pull', [{ reason: 'ErrImagePull', message: 'failed to pull and unpack image "registry.example/web:1": no match for platform in manifest' }]]]);
  });

  it('R025: says that there is no such image', async () => {
    const report = await judge(answeringRegistry({}), { deployments: [deployment('a', 'registry.example/web:1.4-ltsc2023')] });
    assert.deepEqual(found(report), ['image-not-found a registry']);
  });

  it('reads the secrets of a pod, else those of its service account, when the registry wants them, and each once', async () => {
    const registry = answeringRegistry({ 'registry.example/web:1': shownTo('own', 'windows/10.0.20348.1'), 'registry.example/app:1': shownTo('account', 'windows/10.0.17763.1'), 'public.example/x:1': index(['windows/10.0.20348.1']) });
    const reader = fakeCluster({ objects: {
      nodes: NODES, secrets: [secret('s1', 'own'), secret('s2', 'account')],
      serviceaccounts: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' }, imagePullSecrets: [{ name: 's2' }] }],
      deployments: [deployment('a', 'registry.example/web:1', { imagePullSecrets: [{ name: 's1' }] }), deployment('b', 'registry.example/app:1'), deployment('c', 'registry.example/app:1'), deployment('d', 'public.example/x:1', { imagePullSecrets: [{ name: 's3' }] })],
    } });
    const report = await check({ reader }, { rules, images: null, registry });
    assert.deepEqual(registry.asked.map(({ image, secrets }) => `${image} ${secrets?.join() ?? 'none'}`).toSorted(), ['public.example/x:1 none', 'registry.example/app:1 account', 'registry.example/web:1 own']);
    assert.deepEqual(reader.calls.filter((call) => call.startsWith('get')).toSorted(), ['get secrets s1', 'get secrets s2', 'get serviceaccounts default']);
    assert.deepEqual(report.notes, []);
  });

  it('reads no secret and no service account where pull secrets are not wanted', async () => {
    const registry = answeringRegistry({ 'registry.example/web:1': shownTo('own', 'windows/10.0.20348.1'), 'registry.example/app:1': shownTo('account', 'windows/10.0.17763.1') });
    const reader = fakeCluster({ objects: { nodes: NODES, secrets: [secret('s1', 'own')], deployments: [deployment('a', 'registry.example/web:1', { imagePullSecrets: [{ name: 's1' }] }), deployment('b', 'registry.example/app:1')] } });
    const report = await check({ reader }, { rules, images: null, registry, pullSecrets: false });
    assert.deepEqual(reader.calls.filter((call) => call.startsWith('get') || call.includes('secrets')), []);
    assert.deepEqual(found(report), ['image-builds-unknown a unknown', 'image-builds-unknown b unknown']);
  });

  it('notes secrets that may not be read', async () => {
    const registry = answeringRegistry({ 'registry.example/web:1': shownTo('own', 'windows/10.0.20348.1') });
    const report = await judge(registry, { deployments: [deployment('a', 'registry.example/web:1', { imagePullSecrets: [{ name: 's1' }] })] }, { 'get secrets': forbidden('get', 'secrets') });
    assert.deepEqual(found(report), ['image-builds-unknown a unknown']);
    assert.deepEqual(report.notes, [
      'registry.example/web:1 is judged without a registry: registry.example answered Unauthorized; log in with docker login registry.example',
      'secrets of the namespace default may not be read: registries that want imagePullSecrets were asked without',
    ]);
  });

  it('takes what one namespace may see for all', async () => {
    const registry = answeringRegistry({ 'registry.example/web:1': shownTo('own', 'windows/10.0.20348.1') });
    const report = await judge(registry, { secrets: [secret('s1', 'own')], deployments: [deployment('a', 'registry.example/web:1'), deployment('b', 'registry.example/web:1', { imagePullSecrets: [{ name: 's1' }] })] });
    assert.deepEqual(found(report), ['image-fits-some-nodes a registry', 'image-fits-some-nodes b registry']);
    assert.deepEqual(report.notes, []);
  });

  it('believes what runs where no registry is asked, in a cluster and in a dump', async () => {
    const running: KubeObject = {
      apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a-1-x', namespace: 'default', ...owned('Deployment', 'a') }, spec: { ...WINDOWS, nodeName: 'win-2019', containers: [{ name: 'main', image: 'registry.example/web:1-ltsc2022' }] },
      status: { phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} }, imageID: `registry.example/web@sha256:${'a'.repeat(64)}` }] },
    };
    const selector = { ...WINDOWS.nodeSelector, 'node.kubernetes.io/windows-build': '10.0.17763' };
    const owner = deployment('a', 'registry.example/web:1-ltsc2022', { nodeSelector: selector });
    assert.deepEqual(found(await judge(null, { deployments: [owner] })), ['image-build-mismatch a tag']);
    for (const report of [
      await judge(null, { deployments: [owner], pods: [running] }),
      await check({ manifests: source([...NODES, owner, running].map((object) => manifest(object))) }, { rules, images: null }),
    ]) {
      assert.deepEqual(found(report), []);
      assert.deepEqual(report.workloads.find(({ object }) => object.name === 'a')?.verdicts, [{ verdict: 'runs', nodes: ['win-2019'], because: 'registry.example/web:1-ltsc2022: containers of it run on nodes of build 17763' }]);
    }
    const files = await check({ manifests: source([manifest(owner)]), reader: fakeCluster({ objects: { nodes: NODES, pods: [running] } }) }, { rules, images: null });
    assert.deepEqual(found(files), [], 'manifests are judged by what runs in the cluster');
  });

  it('ends when the signal aborts while a registry is asked', async () => {
    const controller = new AbortController();
    const registry: ImageRegistry = {
      lookUp: (_image, { signal } = {}) => new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        setImmediate(() => controller.abort(new InterruptedError('interrupted')));
      }),
      close: async () => undefined,
    };
    await assert.rejects(check({ reader: fakeCluster({ objects: { nodes: NODES, deployments: [deployment('a', 'registry.example/web:1')] } }) }, { rules, images: null, registry, signal: controller.signal }), { name: 'InterruptedError' });
  });
});
