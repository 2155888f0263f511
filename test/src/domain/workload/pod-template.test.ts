import assert from 'node:assert/strict';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { podTemplatesOf } from '../../../../src/domain/workload/pod-template.ts';

const pod = { containers: [{ name: 'app', image: 'registry.example/app:1' }] };
const template = { metadata: { labels: { app: 'web' } }, spec: pod };

function custom(apiVersion: string, kind: string, spec: unknown): KubeObject {
  return { apiVersion, kind, metadata: { name: 'x' }, spec };
}

/** What is found, as paths of templates; '' is the object itself. */
const CASES: readonly { readonly name: string; readonly object: KubeObject; readonly paths: readonly string[] }[] = [
  { name: 'Pod', object: custom('v1', 'Pod', pod), paths: [''] },
  { name: 'Pod without containers', object: custom('v1', 'Pod', {}), paths: [''] },
  { name: 'PodTemplate', object: { apiVersion: 'v1', kind: 'PodTemplate', template }, paths: ['template'] },
  { name: 'ReplicationController', object: custom('v1', 'ReplicationController', { template }), paths: ['spec.template'] },
  { name: 'Deployment', object: custom('apps/v1', 'Deployment', { template }), paths: ['spec.template'] },
  { name: 'Deployment of an old file', object: custom('extensions/v1beta1', 'Deployment', { template }), paths: ['spec.template'] },
  { name: 'Deployment whose containers are missing', object: custom('apps/v1', 'Deployment', { template: { spec: { nodeSelector: {} } } }), paths: ['spec.template'] },
  { name: 'CronJob', object: custom('batch/v1', 'CronJob', { jobTemplate: { spec: { template } } }), paths: ['spec.jobTemplate.spec.template'] },
  { name: 'Argo Rollout', object: custom('argoproj.io/v1alpha1', 'Rollout', { replicas: 3, strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } }, selector: { matchLabels: { app: 'web' } }, template }), paths: ['spec.template'] },
  { name: 'Argo Rollout that refers to a Deployment', object: custom('argoproj.io/v1alpha1', 'Rollout', { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } }), paths: [] },
  { name: 'OpenKruise CloneSet', object: custom('apps.kruise.io/v1alpha1', 'CloneSet', { replicas: 2, updateStrategy: { type: 'InPlaceIfPossible' }, template }), paths: ['spec.template'] },
  { name: 'OpenKruise StatefulSet', object: custom('apps.kruise.io/v1beta1', 'StatefulSet', { serviceName: 'web', template, volumeClaimTemplates: [{ spec: { accessModes: ['ReadWriteOnce'] } }] }), paths: ['spec.template'] },
  { name: 'OpenKruise AdvancedCronJob', object: custom('apps.kruise.io/v1alpha1', 'AdvancedCronJob', { schedule: '* * * * *', template: { jobTemplate: { spec: { template } } } }), paths: ['spec.template.jobTemplate.spec.template'] },
  { name: 'OpenKruise UnitedDeployment', object: custom('apps.kruise.io/v1alpha1', 'UnitedDeployment', { template: { statefulSetTemplate: { metadata: {}, spec: { template } } } }), paths: ['spec.template.statefulSetTemplate.spec.template'] },
  { name: 'OpenKruise SidecarSet, which injects containers', object: custom('apps.kruise.io/v1alpha1', 'SidecarSet', { selector: { matchLabels: {} }, containers: pod.containers, updateStrategy: {} }), paths: [] },
  { name: 'KEDA ScaledJob', object: custom('keda.sh/v1alpha1', 'ScaledJob', { jobTargetRef: { parallelism: 1, template }, triggers: [{ type: 'azure-queue', metadata: { queueName: 'q' } }] }), paths: ['spec.jobTargetRef.template'] },
  { name: 'KEDA ScaledObject', object: custom('keda.sh/v1alpha1', 'ScaledObject', { scaleTargetRef: { name: 'web' }, triggers: [] }), paths: [] },
  { name: 'Knative Service', object: custom('serving.knative.dev/v1', 'Service', { template: { metadata: { annotations: {} }, spec: { containerConcurrency: 5, containers: [{ image: 'x' }] } }, traffic: [{ latestRevision: true, percent: 100 }] }), paths: ['spec.template'] },
  { name: 'Knative Configuration', object: custom('serving.knative.dev/v1', 'Configuration', { template: { spec: { containers: [{ image: 'x' }] } } }), paths: ['spec.template'] },
  { name: 'Knative Revision, whose spec is a pod spec', object: custom('serving.knative.dev/v1', 'Revision', { containerConcurrency: 0, timeoutSeconds: 300, containers: [{ name: 'user-container', image: 'x' }] }), paths: [''] },
  { name: 'Agones GameServer', object: custom('agones.dev/v1', 'GameServer', { ports: [{ name: 'default', containerPort: 7654 }], template }), paths: ['spec.template'] },
  { name: 'Agones Fleet', object: custom('agones.dev/v1', 'Fleet', { replicas: 2, template: { spec: { ports: [], template } } }), paths: ['spec.template.spec.template'] },
  { name: 'Kubeflow PyTorchJob', object: custom('kubeflow.org/v1', 'PyTorchJob', { pytorchReplicaSpecs: { Master: { replicas: 1, template }, Worker: { replicas: 2, template } } }), paths: ['spec.pytorchReplicaSpecs.Master.template', 'spec.pytorchReplicaSpecs.Worker.template'] },
  { name: 'Kubeflow Notebook', object: custom('kubeflow.org/v1', 'Notebook', { template: { spec: pod } }), paths: ['spec.template'] },
  { name: 'RayCluster', object: custom('ray.io/v1', 'RayCluster', { headGroupSpec: { rayStartParams: {}, template }, workerGroupSpecs: [{ groupName: 'a', template }, { groupName: 'b', template }] }), paths: ['spec.headGroupSpec.template', 'spec.workerGroupSpecs[0].template', 'spec.workerGroupSpecs[1].template'] },
  { name: 'RayJob', object: custom('ray.io/v1', 'RayJob', { rayClusterSpec: { headGroupSpec: { template }, workerGroupSpecs: [{ template }] }, submitterPodTemplate: template }), paths: ['spec.rayClusterSpec.headGroupSpec.template', 'spec.rayClusterSpec.workerGroupSpecs[0].template', 'spec.submitterPodTemplate'] },
  { name: 'JobSet', object: custom('jobset.x-k8s.io/v1alpha2', 'JobSet', { replicatedJobs: [{ name: 'w', template: { spec: { template } } }] }), paths: ['spec.replicatedJobs[0].template.spec.template'] },
  { name: 'Volcano Job', object: custom('batch.volcano.sh/v1alpha1', 'Job', { tasks: [{ name: 't', template }] }), paths: ['spec.tasks[0].template'] },
  { name: 'OpenShift DeploymentConfig', object: custom('apps.openshift.io/v1', 'DeploymentConfig', { template }), paths: ['spec.template'] },
  { name: 'ManifestWork, which carries whole objects', object: custom('work.open-cluster-management.io/v1', 'ManifestWork', { workload: { manifests: [{ apiVersion: 'v1', kind: 'Service', spec: {} }, { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template } }] } }), paths: ['spec.workload.manifests[1].spec.template'] },
  { name: 'Argo Workflow, whose templates have one container', object: custom('argoproj.io/v1alpha1', 'Workflow', { entrypoint: 'main', templates: [{ name: 'main', container: { image: 'x' } }, { name: 'set', containerSet: { containers: pod.containers } }] }), paths: [] },
  { name: 'Tekton Task', object: custom('tekton.dev/v1', 'Task', { steps: [{ name: 's', image: 'x', script: 'echo' }], sidecars: [{ name: 'd', image: 'y' }] }), paths: [] },
  { name: 'Tekton TaskRun', object: custom('tekton.dev/v1', 'TaskRun', { podTemplate: { nodeSelector: { 'kubernetes.io/os': 'windows' } }, taskSpec: { steps: [{ image: 'x' }] } }), paths: [] },
  { name: 'SparkApplication', object: custom('sparkoperator.k8s.io/v1beta2', 'SparkApplication', { image: 'spark', driver: { cores: 1, nodeSelector: {}, sidecars: pod.containers }, executor: { instances: 2 } }), paths: [] },
  { name: 'Grafana Alloy', object: custom('collectors.grafana.com/v1alpha1', 'Alloy', { controller: { type: 'daemonset', nodeSelector: { 'kubernetes.io/os': 'windows' }, hostNetwork: true }, alloy: { securityContext: { windowsOptions: { hostProcess: true }, capabilities: null } }, global: { image: {} } }), paths: [] },
  { name: 'Prometheus, which merges containers into its own', object: custom('monitoring.coreos.com/v1', 'Prometheus', { replicas: 2, containers: [{ name: 'prometheus', image: 'x' }], serviceMonitorSelector: {} }), paths: [] },
  { name: 'Prometheus in a spec, with names alone', object: custom('example.com/v1', 'Stack', { prometheus: { spec: { containers: [{ name: 'prometheus', resources: {} }] } } }), paths: [] },
  { name: 'PodMonitor', object: custom('monitoring.coreos.com/v1', 'PodMonitor', { selector: { matchLabels: { app: 'x' } }, podMetricsEndpoints: [{ port: 'http' }] }), paths: [] },
  { name: 'Kyverno policy, whose pattern looks like a pod', object: custom('kyverno.io/v1', 'ClusterPolicy', { rules: [{ validate: { pattern: { spec: { containers: [{ name: '*', image: '*:*' }] } } } }] }), paths: [] },
  { name: 'KServe InferenceService', object: custom('serving.kserve.io/v1beta1', 'InferenceService', { predictor: { minReplicas: 1, containers: pod.containers } }), paths: [] },
  { name: 'CustomResourceDefinition', object: custom('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { versions: [{ schema: { openAPIV3Schema: { properties: { spec: { containers: pod.containers } } } } }] }), paths: [] },
  { name: 'Service', object: custom('v1', 'Service', { ports: [], template }), paths: [] },
  { name: 'ConfigMap', object: { apiVersion: 'v1', kind: 'ConfigMap', data: { spec: 'x' } }, paths: [] },
];

/** Shapes that no server would take; nothing is found and nothing thrown. */
const ODD: readonly { readonly name: string; readonly object: unknown }[] = [
  { name: 'no fields', object: {} },
  { name: 'kind that is a number', object: { apiVersion: 7, kind: 7, spec: template } },
  { name: 'kind of the prototype', object: { apiVersion: 'v1', kind: '__proto__', spec: { template } } },
  { name: 'spec that is text', object: { apiVersion: 'apps/v1', kind: 'Deployment', spec: 'x' } },
  { name: 'template that is a list', object: { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: [template] } } },
  { name: 'spec of the template that is null', object: { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec: null } } } },
  { name: 'custom resource with containers that are no list', object: { apiVersion: 'a/v1', kind: 'A', spec: { template: { spec: { containers: { a: 1 } } } } } },
  { name: 'custom resource with containers that are texts', object: { apiVersion: 'a/v1', kind: 'A', spec: { template: { spec: { containers: ['a'] } } } } },
  { name: 'custom resource with an empty list of containers', object: { apiVersion: 'a/v1', kind: 'A', spec: { template: { spec: { containers: [] } } } } },
  { name: 'custom resource without a spec', object: { apiVersion: 'a/v1', kind: 'A', template } },
];

describe('podTemplatesOf', () => {
  for (const { name, object, paths } of CASES) {
    it(`${name}: ${paths.length === 0 ? 'nothing' : paths.map((path) => (path === '' ? 'the object itself' : path)).join(', ')}`, () => {
      assert.deepEqual(podTemplatesOf(object).map(({ path }) => formatFieldPath(path)), paths);
    });
  }

  for (const { name, object } of ODD) {
    it(`finds nothing, and does not throw: ${name}`, () => assert.deepEqual(podTemplatesOf(object as KubeObject), [])); // odd on purpose
  }

  it('gives the metadata of the template, and the Pod\'s own', () => {
    assert.deepEqual(podTemplatesOf(custom('apps/v1', 'Deployment', { template }))[0]?.metadata, { labels: { app: 'web' } });
    assert.deepEqual(podTemplatesOf(custom('v1', 'Pod', pod))[0]?.metadata, { name: 'x' });
    assert.deepEqual(podTemplatesOf(custom('apps/v1', 'Deployment', { template: { metadata: null, spec: pod } }))[0]?.metadata, {});
  });

  it('ends in deep and wide objects without looking at all of them', () => {
    let deep: unknown = template;
    for (let level = 0; level < 10_000; level += 1) deep = { inner: deep };
    assert.deepEqual(podTemplatesOf(custom('a/v1', 'A', deep)), []);
  });
});
