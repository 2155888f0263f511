import assert from 'node:assert/strict';
import { copyNames, copyNotes, SecretCopies } from '../../../../src/app/prepull/secret-copies.ts';
import { arrayAt, namespaceOf, stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { error, ScriptedCluster } from '../../../prepull/scripted-cluster.ts';
import { itemsOf, numbered, run, RUN, type Ran } from '../../../prepull/scripted-run.ts';

const PLACE = { namespace: 'vault', name: 'registry' };
const COPY = `${RUN}-secret-0`;
const SOURCE: KubeObject = { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'e30=' }, metadata: { name: 'registry', namespace: 'vault' } };

function scripted(...secrets: readonly KubeObject[]): { readonly cluster: ScriptedCluster; readonly copies: SecretCopies } {
  const cluster = new ScriptedCluster();
  cluster.objects['secrets'] = secrets;
  return { cluster, copies: new SecretCopies([PLACE], { run: 'ab12c', namespace: 'web', origin: 'test' }, cluster) };
}

async function checked(copies: SecretCopies): Promise<SecretCopies> {
  await copies.check(new AbortController().signal);
  return copies;
}

/** Whether the copy was there whenever a pull was. */
async function pulls(cluster: ScriptedCluster, copies: SecretCopies, more: Parameters<typeof run>[2] = {}, onEvent?: Parameters<typeof run>[3]): Promise<Ran & { readonly owners: readonly unknown[] }> {
  const owners: unknown[] = [];
  cluster.play = (pull) => {
    owners.push(arrayAt(cluster.secrets.get(COPY), 'metadata', 'ownerReferences').map((owner) => stringAt(owner, 'uid')), arrayAt(cluster.jobs.get(pull.job), 'spec', 'template', 'spec', 'imagePullSecrets').map((one) => stringAt(one, 'name')));
    pull.pulled(2);
  };
  const ran = await run(cluster, itemsOf(numbered(2)), { secrets: copies, pullSecrets: copyNames([PLACE], 'ab12c'), ...more }, onEvent);
  return { ...ran, owners };
}

describe('--pull-secret of another namespace', () => {
  it('is copied for the run, whose Job owns it, before the first pull, and removed at the end', async () => {
    const { cluster, copies } = scripted(SOURCE);
    let uid = '';
    const { outcomes, owners } = await pulls(cluster, await checked(copies), {}, ({ type }) => { if (type === 'began') uid = stringAt(cluster.jobs.get(RUN), 'metadata', 'uid') ?? ''; });
    assert.ok(uid !== '' && outcomes.every((text) => text.endsWith('pulled Pulled')));
    assert.deepEqual(owners, [[uid], [COPY], [uid], [COPY]]);
    assert.equal(cluster.secrets.size, 0);
  });

  it('goes where the run is interrupted, whose record stays', async () => {
    const { cluster, copies } = scripted(SOURCE);
    const stop = new AbortController();
    await pulls(cluster, await checked(copies), { parallel: 1, signal: stop.signal }, ({ type }) => { if (type === 'finished') stop.abort(new Error('Ctrl-C')); });
    assert.deepEqual([cluster.secrets.size, [...cluster.jobs.keys()]], [0, [RUN]]);
  });

  it('that cannot be made ends the run before anything is pulled', async () => {
    const { cluster, copies } = scripted(SOURCE);
    cluster.onCall = ({ verb, resource }) => (verb === 'create' && resource === 'secrets' ? error('Forbidden', 'exceeded quota: secrets', 403) : null);
    const { error: thrown, owners } = await pulls(cluster, await checked(copies));
    assert.ok(thrown instanceof ClusterError && thrown.message.includes('exceeded quota'));
    assert.deepEqual([owners, cluster.jobs.size, cluster.secrets.size], [[], 0, 0]);
  });

  it('is made once where the answer was lost, and somebody else\'s of that name is left alone', async () => {
    const { cluster, copies } = scripted(SOURCE);
    let isFirst = true;
    cluster.onCall = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'secrets' || !isFirst) return null;
      isFirst = false;
      return { after: error('Unreachable', 'connection reset') };
    };
    assert.equal((await pulls(cluster, await checked(copies))).outcomes.length, 2);
    assert.equal(cluster.secrets.size, 0);
    const other = scripted(SOURCE);
    other.cluster.secrets.set(COPY, { ...SOURCE, metadata: { name: COPY, namespace: 'web', uid: 'theirs' } });
    const { error: thrown } = await pulls(other.cluster, await checked(other.copies));
    assert.ok(thrown instanceof ClusterError && thrown.reason === 'AlreadyExists');
    assert.equal(other.cluster.secrets.size, 1);
  });

  it('is refused beforehand where rights are missing, it is not there, or is none', async () => {
    const refusal = async ({ copies }: ReturnType<typeof scripted>): Promise<string> => checked(copies).then(() => 'taken', (thrown: unknown) => (thrown instanceof Error ? thrown.message : ''));
    const withoutRights = scripted(SOURCE);
    withoutRights.cluster.missingRights.push('delete secrets');
    assert.equal(await refusal(withoutRights), 'not allowed in the namespace web: delete secrets, for a copy of vault/registry');
    assert.equal(await refusal(scripted()), 'the pull secret vault/registry is not read: secrets "registry" not found');
    const opaque = scripted({ ...SOURCE, type: 'Opaque' });
    assert.equal(await refusal(opaque), 'the secret vault/registry is no pull secret: its type is "Opaque"');
    assert.deepEqual(opaque.cluster.calls.filter(({ verb }) => verb === 'create'), []);
    assert.equal(namespaceOf(SOURCE), 'vault');
  });

  it('of a plan alone is said, and not read', () => {
    assert.deepEqual(copyNotes([PLACE], { run: 'ab12c', namespace: 'web' }), [`the pull secret vault/registry is read and copied when it runs: as ${COPY} in web, which goes with the Job ${RUN}`]);
  });
});
