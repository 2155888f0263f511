import assert from 'node:assert/strict';
import { builtInResource, builtInResourceWords, resourceNamed } from '../../../../src/domain/kubernetes/resource-names.ts';
import type { Resource } from '../../../../src/domain/kubernetes/resource.ts';

describe('builtInResource', () => {
  // words as kubectl takes them
  const cases: readonly [string, string | null][] = [
    ['deployments', 'Deployment'], ['deployment', 'Deployment'], ['deploy', 'Deployment'], ['Deployment', 'Deployment'], ['DEPLOY', 'Deployment'], ['deployments.apps', 'Deployment'],
    ['deployment.apps', 'Deployment'], ['deployments.v1.apps', 'Deployment'], ['deploy.apps', 'Deployment'],
    ['po', 'Pod'], ['pods', 'Pod'], ['pod', 'Pod'], ['sts', 'StatefulSet'], ['ds', 'DaemonSet'], ['rs', 'ReplicaSet'], ['rc', 'ReplicationController'], ['cj', 'CronJob'], ['jobs', 'Job'],
    ['svc', 'Service'], ['netpol', 'NetworkPolicy'], ['networkpolicy.networking.k8s.io', 'NetworkPolicy'], ['sc', 'StorageClass'], ['pv', 'PersistentVolume'], ['pvc', 'PersistentVolumeClaim'],
    ['ns', 'Namespace'], ['runtimeclasses', 'RuntimeClass'], ['podtemplates', 'PodTemplate'],
    ['deployments.batch', null], ['services.serving.knative.dev', null], ['jobs.batch.volcano.sh', null], ['rollouts', null], ['', null], ['deploymentss', null],
  ];
  for (const [word, kind] of cases) {
    it(`takes ${JSON.stringify(word)} for ${kind ?? 'none of its own'}`, () => assert.equal(builtInResource(word)?.kind ?? null, kind));
  }

  it('knows every word that it suggests, and no word means two', () => {
    const words = builtInResourceWords();
    assert.equal(new Set(words).size, words.length);
    assert.deepEqual(words.filter((word) => builtInResource(word) === null), []);
  });
});

describe('resourceNamed', () => {
  const resource = (group: string, plural: string, kind: string): Resource => ({ group, version: 'v1alpha1', plural, kind, namespaced: true });
  const served = [resource('argoproj.io', 'rollouts', 'Rollout'), resource('batch.volcano.sh', 'queues', 'Queue'), resource('example.com', 'queues', 'Queue')];

  for (const word of ['rollouts', 'rollout', 'Rollout', 'rollouts.argoproj.io', 'rollout.argoproj.io', 'rollouts.v1alpha1.argoproj.io']) {
    it(`finds ${word}`, () => assert.equal(resourceNamed(word, served)?.plural, 'rollouts'));
  }

  it('finds one of several groups by the group alone', () => {
    assert.equal(resourceNamed('queues', served), null);
    assert.equal(resourceNamed('queues.example.com', served)?.group, 'example.com');
  });

  it('finds nothing that the server does not have', () => {
    assert.equal(resourceNamed('rollouts.example.com', served), null);
    assert.equal(resourceNamed('', served), null);
  });
});
