import assert from 'node:assert/strict';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { error, ScriptedCluster } from '../../../prepull/scripted-cluster.ts';
import { itemsOf, numbered, run, RUN } from '../../../prepull/scripted-run.ts';

/** With the name and the labels of a pull of the run, and made by somebody else. */
function foreign(name: string): KubeObject {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'web', uid: `foreign-${name}`, labels: { 'kubectl-win/run': 'ab12c', 'kubectl-win/role': 'pull' }, ownerReferences: [{ kind: 'Job', name: RUN, uid: 'of-another-run' }] } };
}

describe('Jobs of pulls', () => {
  it('that somebody else has made are neither taken over nor deleted', async () => {
    const cluster = new ScriptedCluster();
    cluster.jobs.set(`${RUN}-0`, foreign(`${RUN}-0`));
    const { outcomes, messages } = await run(cluster, itemsOf(numbered(2)));
    assert.deepEqual(outcomes, ['n0 r.example/x:1: failed AlreadyExists', 'n1 r.example/x:1: pulled Pulled']);
    assert.match(messages[0] ?? '', /already exists/);
    assert.deepEqual([...cluster.jobs.keys()], [`${RUN}-0`]);
  });

  it('of others stay where the run is interrupted', async () => {
    const cluster = new ScriptedCluster();
    const stop = new AbortController();
    cluster.jobs.set(`${RUN}-9`, foreign(`${RUN}-9`));
    cluster.play = (pull) => pull.pulled(60);
    await run(cluster, itemsOf(numbered(3)), { signal: stop.signal }, ({ type }) => { if (type === 'scheduled') stop.abort(new Error('Ctrl-C')); });
    assert.deepEqual([...cluster.jobs.keys()], [`${RUN}-9`]);
  });

  it('that are gone again by the time that they are looked at are made anew', async () => {
    const cluster = new ScriptedCluster();
    let isFirst = true;
    cluster.onCall = ({ verb, name }) => {
      if (verb !== 'create' || name !== `${RUN}-0` || !isFirst) return null;
      isFirst = false;
      return error('AlreadyExists', 'already exists', 409);
    };
    assert.deepEqual((await run(cluster, itemsOf(['a']))).outcomes, ['a r.example/x:1: pulled Pulled']);
  });
});
