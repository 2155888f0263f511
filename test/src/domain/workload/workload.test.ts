import assert from 'node:assert/strict';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { workloadsOf, type Workload } from '../../../../src/domain/workload/workload.ts';

function onlyWorkload(object: KubeObject): Workload {
  const [workload, ...more] = workloadsOf(object);
  assert.ok(workload);
  assert.equal(more.length, 0);
  return workload;
}

function podWith(spec: unknown): Workload {
  return onlyWorkload({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
}

describe('workloadsOf', () => {
  it('lists containers of all kinds with their paths, in the order in which they run', () => {
    const { containers } = onlyWorkload({
      apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' },
      spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: 'app' }], initContainers: [{ name: 'init' }, { name: 'side', restartPolicy: 'Always' }], ephemeralContainers: [{ name: 'debug' }] } } } } },
    });
    assert.deepEqual(containers.map(({ name, list, isSidecar, path }) => `${name} ${list} ${isSidecar} ${formatFieldPath(path)}`), [
      'init initContainers false spec.jobTemplate.spec.template.spec.initContainers[0]',
      'side initContainers true spec.jobTemplate.spec.template.spec.initContainers[1]',
      'app containers false spec.jobTemplate.spec.template.spec.containers[0]',
      'debug ephemeralContainers false spec.jobTemplate.spec.template.spec.ephemeralContainers[0]',
    ]);
  });

  it('lets a container override what the pod says', () => {
    const { containers, isHostProcess } = podWith({
      securityContext: { runAsNonRoot: true, windowsOptions: { hostProcess: true, runAsUserName: 'ContainerUser' } },
      containers: [{ name: 'own', securityContext: { runAsNonRoot: false, windowsOptions: { hostProcess: false, runAsUserName: 'Admin' } } }, { name: 'pod' }],
    });
    assert.deepEqual(containers.map(({ isHostProcess: host, runAsUserName, runAsNonRoot }) => [host, runAsUserName, runAsNonRoot]), [[false, 'Admin', false], [true, 'ContainerUser', true]]);
    assert.equal(isHostProcess, true);
  });

  it('takes null as unset', () => {
    const { containers, osName, replicas } = podWith({
      os: { name: null }, securityContext: { windowsOptions: { hostProcess: true } },
      containers: [{ name: 'a', image: null, securityContext: { windowsOptions: { hostProcess: null, runAsUserName: null } } }], initContainers: null,
    });
    assert.deepEqual([osName, replicas, containers[0]?.image, containers[0]?.isHostProcess, containers[0]?.runAsUserName], [null, null, null, true, null]);
  });

  it('keeps the index of a container where another one is no map', () => {
    assert.deepEqual(podWith({ containers: ['oops', { name: 'app' }] }).containers.map(({ index, path }) => `${index} ${formatFieldPath(path)}`), ['1 spec.containers[1]']);
  });

  it('gives one workload for each template of a custom resource', () => {
    const template = { spec: { containers: [{ name: 'ray', image: 'rayproject/ray:2.9.0' }] } };
    const workloads = workloadsOf({ apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'r' }, spec: { headGroupSpec: { template }, workerGroupSpecs: [{ template }] } });
    assert.deepEqual(workloads.map(({ specPath }) => formatFieldPath(specPath)), ['spec.headGroupSpec.template.spec', 'spec.workerGroupSpecs[0].template.spec']);
  });

  it('reads replicas and os.name', () => {
    const { osName, replicas } = onlyWorkload({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { replicas: 3, template: { spec: { os: { name: 'windows' }, containers: [] } } } });
    assert.deepEqual([osName, replicas], ['windows', 3]);
  });
});
