import assert from 'node:assert/strict';
import { builtInResource, builtInResourceWords, resourcesNamed } from '../../../../src/domain/kubernetes/resource-names.ts';
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

describe('resourcesNamed', () => {
  const resource = (group: string, plural: string, kind: string, others: Partial<Resource> = {}): Resource => ({ group, version: 'v1alpha1', plural, kind, namespaced: true, ...others });
  const served = [
    resource('argoproj.io', 'rollouts', 'Rollout', { singular: 'rollout', shortNames: ['ro'] }), resource('batch.volcano.sh', 'queues', 'Queue', { shortNames: ['q'] }),
    resource('example.com', 'queues', 'Queue'), resource('example.com', 'q', 'Letter'), resource('example.com', 'oxen', 'Cattle', { singular: 'ox' }),
  ];
  const found = (word: string): readonly string[] => resourcesNamed(word, served).map(({ plural, group }) => `${plural}.${group}`);

  for (const word of ['rollouts', 'rollout', 'Rollout', 'rollouts.argoproj.io', 'rollout.argoproj.io', 'rollouts.v1alpha1.argoproj.io', 'ro', 'RO', 'ro.argoproj.io']) {
    it(`finds ${word}`, () => assert.deepEqual(found(word), ['rollouts.argoproj.io']));
  }

  it('finds one of several groups by the group alone', () => {
    assert.deepEqual(found('queues'), ['queues.batch.volcano.sh', 'queues.example.com']);
    assert.deepEqual(found('queues.example.com'), ['queues.example.com']);
  });

  it('takes a name for what is called so before what is short for something else, and a singular that is neither', () => {
    assert.deepEqual(found('q'), ['q.example.com']);
    assert.deepEqual(found('ox'), ['oxen.example.com']);
  });

  it('finds nothing that the server does not have', () => {
    assert.deepEqual(found('rollouts.example.com'), []);
    assert.deepEqual(found(''), []);
  });
});
