import assert from 'node:assert/strict';
import { judgeAdmittedPod } from '../../../../src/domain/hostprocess/admitted-pod.ts';
import { execObject, type ExecObjectOptions } from '../../../../src/domain/hostprocess/run-objects.ts';
import { arrayAt, recordAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';

const OPTIONS: ExecObjectOptions = {
  run: 'ab12c', namespace: 'web', origin: 'test', image: 'r.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', anchor: 'pod', deadlineSeconds: 960, sessionSeconds: 930, pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {},
};
const POD = execObject(OPTIONS, { index: 0, node: 'win-1' });
const changed = (spec: Readonly<Record<string, unknown>>): KubeObject => ({ ...POD, spec: { ...recordAt(POD, 'spec'), ...spec } });
const container = (more: Readonly<Record<string, unknown>>): KubeObject => changed({ containers: [{ ...arrayAt(POD, 'spec', 'containers')[0] as object, ...more }] });
const windows = (options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({ securityContext: { windowsOptions: options } });

describe('what a cluster makes of the pods of a run', () => {
  it('is as it should be', () => assert.deepEqual(judgeAdmittedPod(POD, 'win-1', OPTIONS), { refusal: null, notes: [] }));
  it('is as it should be with defaults, and with options on the container', () => assert.deepEqual(judgeAdmittedPod(container(windows({ hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' })), 'win-1', OPTIONS), { refusal: null, notes: [] }));

  const refused: readonly (readonly [what: string, made: unknown, says: RegExp])[] = [
    ['another container', changed({ containers: [{ name: 'x' }] }), /their container is gone/], ['no HostProcess', changed(windows({ runAsUserName: 'NT AUTHORITY\\SYSTEM' })), /no HostProcess pods any more/],
    ['no HostProcess in the container', container(windows({ hostProcess: false })), /no HostProcess pods any more/], ['somebody else', container(windows({ runAsUserName: 'Administrators' })), /they run as Administrators in place of NT AUTHORITY\\SYSTEM/],
    ['nobody', changed(windows({ hostProcess: true })), /run as nobody that is named/], ['another node', changed({ nodeName: 'win-2' }), /bound to win-2/], ['no node', changed({ nodeName: '' }), /bound to no node/], ['Linux', changed({ os: { name: 'linux' } }), /not for Windows/],
    ['no network of the host', changed({ hostNetwork: false }), /no hostNetwork/], ['nothing', null, /container is gone/],
  ];
  for (const [what, made, says] of refused) {
    it(`is refused, with the fix: ${what}`, () => {
      const { refusal } = judgeAdmittedPod(made, 'win-1', OPTIONS);
      assert.match(refusal?.message ?? '', says);
      assert.match(refusal?.fix ?? '', /webhook or policy/);
    });
  }

  const noted: readonly (readonly [what: string, made: KubeObject, says: RegExp])[] = [
    ['pull always', container({ imagePullPolicy: 'Always' }), /pull always/], ['pull never', container({ imagePullPolicy: 'Never' }), /pull never/], ['another image', container({ image: 'mirror.example/base:v1' }), /r\.example\/base:v1 becomes mirror\.example\/base:v1/],
    ['no deadline', changed({ activeDeadlineSeconds: undefined }), /takes activeDeadlineSeconds/], ['a shorter one', changed({ activeDeadlineSeconds: 60 }), /no more than 60s/], ['another container', changed({ containers: [...arrayAt(POD, 'spec', 'containers'), { name: 'x' }] }), /adds 1 container to/],
    ['no tolerations', changed({ tolerations: [] }), /NoExecute taints evict them/],
  ];
  for (const [what, made, says] of noted) {
    it(`is noted: ${what}`, () => {
      const { refusal, notes } = judgeAdmittedPod(made, 'win-1', OPTIONS);
      assert.equal(refusal, null);
      assert.equal(notes.length, 1);
      assert.match(notes[0] ?? '', says);
    });
  }
});
