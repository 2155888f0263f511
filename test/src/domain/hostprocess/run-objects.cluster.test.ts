import assert from 'node:assert/strict';
import { readAccount, runAsUserName } from '../../../../src/domain/hostprocess/account.ts';
import { judgeAdmittedPod } from '../../../../src/domain/hostprocess/admitted-pod.ts';
import { HOST_PROCESS_BASE_IMAGE } from '../../../../src/domain/hostprocess/base-image.ts';
import { deadlinesOf, execObject, type ExecObjectOptions } from '../../../../src/domain/hostprocess/run-objects.ts';
import { isRecord, recordAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { judgeAdmittedJob } from '../../../../src/domain/runs/admitted-job.ts';
import { useCluster } from '../../../cluster/use-cluster.ts';

/** Places where the answer has another value than what was sent; what is added by defaults is none. */
function differences(sent: unknown, made: unknown, path = ''): readonly string[] {
  if (Array.isArray(sent)) return Array.isArray(made) && made.length === sent.length ? sent.flatMap((one, at) => differences(one, made[at], `${path}[${at}]`)) : [`${path}: ${JSON.stringify(made)}`];
  if (isRecord(sent)) return isRecord(made) ? Object.entries(sent).flatMap(([field, value]) => differences(value, made[field], `${path}.${field}`)) : [`${path}: ${JSON.stringify(made)}`];
  return sent === made ? [] : [`${path}: ${JSON.stringify(made)}`];
}

describe('objects of a run on nodes, shown to the API server', function () {
  this.timeout(60_000);
  const cluster = useCluster();
  const namespace = 'exec-objects';
  const WIN = { index: 0, node: 'win-1' };

  before(async () => {
    await cluster().createNamespace(namespace);
    await cluster().api.create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'exec-objects' }, value: 7 });
  });
  after(() => cluster().api.delete('/apis/scheduling.k8s.io/v1/priorityclasses/exec-objects'));

  const options = (more: Partial<ExecObjectOptions> = {}): ExecObjectOptions => ({
    run: 'ab12c', namespace, origin: 'kubectl win 0.1.0 hostprocess exec by ada@laptop', image: HOST_PROCESS_BASE_IMAGE.reference, runAsUserName: 'NT AUTHORITY\\SYSTEM', anchor: 'job',
    ...deadlinesOf({ timeoutSeconds: 600, startTimeoutSeconds: 300, isLeased: false }), pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {}, ...more,
  });
  async function shown(object: KubeObject): Promise<{ readonly status: number; readonly text: string; readonly made: KubeObject }> {
    const path = object.kind === 'Job' ? `/apis/batch/v1/namespaces/${namespace}/jobs` : `/api/v1/namespaces/${namespace}/pods`;
    const { status, text } = await cluster().api.send('POST', `${path}?dryRun=All&fieldValidation=Strict`, object);
    return { status, text, made: JSON.parse(text) as KubeObject };
  }

  const cases: readonly (readonly [what: string, more: Partial<ExecObjectOptions>])[] = [
    ['with nothing but what they need', {}],
    ['with all that can be asked for', { pullSecrets: ['a', 'b'], priorityClass: 'exec-objects', requests: { cpu: '500m', memory: '256Mi' }, labels: { team: 'windows' }, annotations: { 'example.com/ticket': '42' }, runAsUserName: 'log readers' }],
    ['for a command whose output is read from the log', { command: { argv: ['powershell.exe', '-EncodedCommand', 'AAAA'], env: { PAYLOAD: 'A'.repeat(30_000) } } }],
  ];
  for (const anchor of ['job', 'pod'] as const) {
    for (const [what, more] of cases) {
      it(`${anchor}: ${what}, all of it is known to the server, taken, and kept as it was sent`, async () => {
        const sent = execObject(options({ ...more, anchor }), WIN);
        const { status, text, made } = await shown(sent);
        assert.equal(status, 201, text);
        assert.deepEqual(differences(sent, made), []);
        if (anchor === 'job') assert.deepEqual(judgeAdmittedJob(sent, made, { cleanUp: 'x', isRecord: true }), { refusal: null, notes: [] });
        assert.deepEqual(judgeAdmittedPod(anchor === 'job' ? recordAt(made, 'spec', 'template') : made, 'win-1', options(more)), { refusal: null, notes: [] });
      });
    }
  }

  it('R106 R138: what the plan of the pod leaves out is what the server refuses', async () => {
    const pod = execObject(options({ anchor: 'pod' }), WIN);
    const spec = recordAt(pod, 'spec');
    for (const [change, says] of [[{ hostNetwork: false }, /hostNetwork must be true/], [{ hostPID: true }, /hostPID/], [{ hostIPC: true }, /hostIPC/]] as const) {
      const { status, text } = await shown({ ...pod, spec: { ...spec, ...change } });
      assert.equal(status, 422, text);
      assert.match(text, says);
    }
  });

  for (const text of ['system', 'local-service', 'network-service', 'log readers', 'BUILTIN\\Administrators', 'g'.repeat(104), 'g'.repeat(105), 'a;b', 'a\\b\\c']) {
    it(`takes the account ${text.slice(0, 30)} where this program does`, async () => {
      const account = readAccount(text);
      const { status, text: answer } = await shown(execObject(options({ anchor: 'pod', runAsUserName: typeof account === 'string' ? text : runAsUserName(account) }), WIN));
      assert.equal(status, typeof account === 'string' ? 422 : 201, answer);
    });
  }
});
