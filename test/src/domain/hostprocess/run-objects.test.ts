import assert from 'node:assert/strict';
import { deadlinesOf, EXEC_CONTAINER, execObject, execObjectName, LEASE_SECONDS, type ExecObjectOptions } from '../../../../src/domain/hostprocess/run-objects.ts';
import { judgeLeftover } from '../../../../src/domain/hostprocess/sweep-judgement.ts';
import { arrayAt, nameOf, numberAt, recordAt, stringAt, stringMapAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { renderYaml } from '../../../../src/output/yaml.ts';
import { assertGolden } from '../../../support/golden.ts';

const OPTIONS: ExecObjectOptions = {
  run: 'ab12c', namespace: 'kubectl-win', origin: 'kubectl win 0.1.0 hostprocess exec by ada@laptop', image: 'r.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', anchor: 'job',
  ...deadlinesOf({ timeoutSeconds: 600, startTimeoutSeconds: 300, isLeased: false }), pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {},
};
const FULL: ExecObjectOptions = {
  ...OPTIONS, anchor: 'pod', pullSecrets: ['mirror', 'other'], priorityClass: 'urgent', requests: { cpu: '500m', memory: '256Mi' }, labels: { team: 'windows', 'kubectl-win/run': 'forged' }, annotations: { 'example.com/ticket': '42', 'kubectl-win/node': 'forged' },
  command: { argv: ['powershell.exe', '-EncodedCommand', 'AAAA'], env: { PAYLOAD: 'AAAA' } },
};
const WIN = { index: 3, node: 'win-1' };

async function yamlOf(object: KubeObject): Promise<string> {
  return [...await renderYaml(object)].join('');
}

const podOf = (job: KubeObject): Readonly<Record<string, unknown>> => recordAt(job, 'spec', 'template', 'spec');

describe('objects of a run on nodes', () => {
  it('the Job, as it is shown', async () => assertGolden('hostprocess/exec/job.yaml', await yamlOf(execObject(OPTIONS, WIN))));
  it('the pod alone, as it is shown, with all that can be asked for', async () => assertGolden('hostprocess/exec/pod.yaml', await yamlOf(execObject(FULL, WIN))));

  it('the pod is the same in a Job and alone', () => {
    assert.deepEqual(podOf(execObject(FULL, WIN)), {});
    assert.deepEqual(recordAt(execObject(FULL, WIN), 'spec'), podOf(execObject({ ...FULL, anchor: 'job' }, WIN)));
  });

  it('have labels and annotations of the user\'s, and their own before them', () => {
    const pod = execObject(FULL, WIN);
    assert.deepEqual(stringMapAt(pod, 'metadata', 'labels'), { 'team': 'windows', 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': 'hostprocess', 'kubectl-win/run': 'ab12c', 'kubectl-win/role': 'exec' });
    assert.equal(stringMapAt(pod, 'metadata', 'annotations')['kubectl-win/node'], 'win-1');
    const job = execObject({ ...FULL, anchor: 'job' }, WIN);
    for (const field of ['labels', 'annotations']) assert.deepEqual(recordAt(job, 'spec', 'template', 'metadata', field), recordAt(pod, 'metadata', field));
  });

  it('R106: the pod has hostNetwork, without which the API server refuses HostProcess', () => assert.equal(podOf(execObject(OPTIONS, WIN))['hostNetwork'], true));
  it('R138 R139: the pod is a HostProcess pod with an account, as kubectl debug node makes none', () => {
    assert.deepEqual(recordAt(podOf(execObject(OPTIONS, WIN)), 'securityContext'), { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } });
  });
  it('the pod is bound to its node whatever its taints, and to Windows', () => {
    const { nodeName, os, nodeSelector, tolerations } = podOf(execObject(OPTIONS, WIN));
    assert.deepEqual({ nodeName, os, nodeSelector, tolerations }, { nodeName: 'win-1', os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }] });
  });
  it('the pod has no more than it needs: no token, no other namespaces of the host, no links to services', () => {
    const spec = podOf(execObject(OPTIONS, WIN));
    assert.deepEqual([spec['automountServiceAccountToken'], spec['enableServiceLinks'], spec['hostPID'], spec['hostIPC'], spec['volumes'], spec['serviceAccountName']], [false, false, undefined, undefined, undefined, undefined]);
    assert.deepEqual(Object.keys(recordAt(arrayAt(spec, 'containers')[0])).toSorted(), ['command', 'image', 'imagePullPolicy', 'name', 'resources']);
  });
  it('the pod holds no room unless it is given some', () => {
    const resources = (options: Partial<ExecObjectOptions>): unknown => recordAt(arrayAt(podOf(execObject({ ...OPTIONS, ...options }, WIN)), 'containers')[0], 'resources');
    assert.deepEqual([resources({}), resources({ requests: { memory: '1Gi' } })], [{ limits: { cpu: '0', memory: '0' }, requests: { cpu: '0', memory: '0' } }, { limits: { cpu: '0' }, requests: { cpu: '0', memory: '1Gi' } }]);
  });

  it('R110: programs are named with their extension', () => assert.match(String(arrayAt(arrayAt(podOf(execObject(OPTIONS, WIN)), 'containers')[0], 'command')[0]), /\.exe$/));

  it('R126: three clocks end what a program leaves: the Job\'s, the pod\'s, and the end of its main process; the last comes with the pod\'s', () => {
    const job = execObject(OPTIONS, WIN);
    assert.deepEqual([numberAt(job, 'spec', 'activeDeadlineSeconds'), numberAt(job, 'spec', 'ttlSecondsAfterFinished'), numberAt(job, 'spec', 'backoffLimit')], [960, 30, 0]);
    const spec = podOf(job);
    assert.deepEqual([spec['activeDeadlineSeconds'], spec['restartPolicy'], spec['terminationGracePeriodSeconds']], [930, 'Never', 1]);
    assert.deepEqual(arrayAt(arrayAt(spec, 'containers')[0], 'command'), ['cmd.exe', '/c', 'ping -n 931 127.0.0.1 >NUL || powershell.exe -NoLogo -NoProfile -NonInteractive -Command Start-Sleep 930']);
  });

  it('a session ends no sooner than its command may, counted from the creation of its pod; a leased Job ends soon after its program', () => {
    assert.deepEqual(deadlinesOf({ timeoutSeconds: 0.5, startTimeoutSeconds: 1.2, isLeased: false }), { sessionSeconds: 33, deadlineSeconds: 63 });
    assert.deepEqual(deadlinesOf({ timeoutSeconds: 28_800, startTimeoutSeconds: 300, isLeased: true }), { sessionSeconds: 29_130, deadlineSeconds: 300 + LEASE_SECONDS });
    assert.deepEqual(deadlinesOf({ timeoutSeconds: 60, startTimeoutSeconds: 30, isLeased: true }), { sessionSeconds: 120, deadlineSeconds: 150 });
  });

  it('have names that are no longer than names of Jobs may be, and the container the name that is looked for', () => {
    assert.ok(execObjectName('a'.repeat(20), 99_999).length <= 57, 'pods of it get 6 more');
    assert.equal(stringAt(arrayAt(podOf(execObject(OPTIONS, WIN)), 'containers')[0], 'name'), EXEC_CONTAINER);
  });

  it('are known by sweep for what they are, and never taken for forged', () => {
    const job = execObject(FULL, WIN);
    const stored = (object: KubeObject, more: Readonly<Record<string, unknown>> = {}): KubeObject => ({ ...object, metadata: { ...object.metadata, uid: 'u', creationTimestamp: '2026-11-30T12:00:00Z', ...more } });
    const made = execObject({ ...OPTIONS, anchor: 'job' }, WIN);
    const ofJob: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { ...recordAt(made, 'spec', 'template', 'metadata'), name: `${nameOf(made)}-x7k2p`, namespace: 'kubectl-win' }, spec: podOf(made) };
    for (const object of [stored(made), stored(job), stored(ofJob, { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: nameOf(made), uid: 'j', controller: true }] })]) {
      const left = judgeLeftover(object, []);
      assert.deepEqual([left?.judgement, left?.node, left?.run], ['others', 'win-1', 'ab12c'], left?.because ?? 'nothing');
    }
  });
});
