import assert from 'node:assert/strict';
import { subjectsOf } from '../../../../src/domain/check/judge-object.ts';
import { selectableWorkloadOf } from '../../../../src/domain/check/selectable-workload.ts';
import type { SelectableWorkload } from '../../../../src/domain/check/facts.ts';
import { factsOfSample, objectsOf } from '../../../support/check-sample.ts';
import { OPEN_CLUSTER, SAMPLE_CLUSTER } from '../../../../src/domain/check/samples.ts';

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop, labels: { app: of-the-object } }
spec:
  replicas: 3
  template:
    metadata: { labels: { app: web, tier: front } }
    spec:
      nodeSelector: { kubernetes.io/os: windows }
      containers: [{ name: web, image: registry.example.com/web:1 }]
`;

async function selectable(yaml: string, cluster?: string): Promise<readonly SelectableWorkload[]> {
  const facts = await factsOfSample({ yaml, ...(cluster === undefined ? {} : { cluster }) });
  return (await objectsOf(yaml)).flatMap((object) => subjectsOf(object, facts)).map(selectableWorkloadOf);
}

describe('selectableWorkloadOf', () => {
  it('has the labels of the pods, not of the object', async () => {
    assert.deepEqual(await selectable(DEPLOYMENT), [{
      namespace: 'shop', kind: 'Deployment', name: 'web', labels: { app: 'web', tier: 'front' }, os: 'windows', pinned: 'windows', isHostProcess: false, windowsNodes: null, replicas: 3,
    }]);
  });

  it('names the Windows nodes it can land on', async () => {
    const nodesIn = async (cluster: string): Promise<number | undefined> => (await selectable(DEPLOYMENT, cluster))[0]?.windowsNodes?.length;
    assert.equal(await nodesIn(OPEN_CLUSTER), 1);
    assert.equal(await nodesIn(SAMPLE_CLUSTER), 0);
  });

  it('tells a pod that nothing says an OS of', async () => {
    const [pod] = await selectable('apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: web, image: "registry.example.com/web:1" }] }\n');
    assert.deepEqual([pod?.namespace, pod?.labels, pod?.os, pod?.pinned, pod?.replicas], [null, {}, 'either', null, null]);
  });

  it('tells HostProcess pods', async () => {
    const [pod] = await selectable('apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } }, containers: [{ name: web, image: a }] }\n');
    assert.deepEqual([pod?.os, pod?.isHostProcess], ['windows', true]);
  });
});
