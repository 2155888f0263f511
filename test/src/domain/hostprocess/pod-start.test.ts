import assert from 'node:assert/strict';
import { fromPull, lossOf, startStateOf, type StartState } from '../../../../src/domain/hostprocess/pod-start.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';

function pod(status: Readonly<Record<string, unknown>>, metadata: Readonly<Record<string, unknown>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...metadata }, spec: { nodeName: 'win-1' }, status };
}

function container(state: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): KubeObject {
  return pod({ phase: 'Pending', containerStatuses: [{ name: 'hostprocess', state, ...more }] });
}

const waiting = (reason: string, message = ''): KubeObject => container({ waiting: { reason, message } });
const terminated = (state: Readonly<Record<string, unknown>>): KubeObject => container({ terminated: state });

function short(state: StartState): string {
  switch (state.state) {
    case 'failed':
      return `failed ${state.reason}${state.isPassing === true ? ' passing' : ''}${state.isUntold === true ? ' untold' : ''}`;
    case 'ended':
      return `ended ${state.exitCode}`;
    case 'running':
      return `running ${state.pod}`;
    case 'pending':
      return `pending ${state.message}`;
    case 'pulling':
    case 'starting':
      return state.state;
  }
}

const CASES: readonly (readonly [name: string, pod: KubeObject, state: string])[] = [
  ['no kubelet has seen it', pod({ phase: 'Pending' }), 'pending null'],
  ['the scheduler speaks', pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes' }] }), 'pending 0/3 nodes'],
  ['ContainerCreating', waiting('ContainerCreating'), 'pulling'],
  ['the image is there', container({ waiting: { reason: 'ContainerCreating' } }, { imageID: 'r/x@sha256:1' }), 'starting'],
  ['running', container({ running: {} }), 'running p'],
  ['running beside an injected container that fails', pod({ containerStatuses: [{ name: 'a', state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }, { name: 'hostprocess', state: { running: {} } }] }), 'running p'],
  ['an injected container that cannot be pulled', pod({ phase: 'Pending', initContainerStatuses: [{ name: 'init', state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }], containerStatuses: [{ name: 'hostprocess', state: { waiting: { reason: 'PodInitializing' } } }] }), 'failed Refused'],
  ['its process is over', terminated({ exitCode: 0, reason: 'Completed' }), 'ended 0'],
  ['its process has failed', terminated({ exitCode: 3221225786, reason: 'Error' }), 'ended 3221225786'],
  ['of a log: the exit code of the command, in a pod that has failed', pod({ phase: 'Failed', containerStatuses: [{ name: 'hostprocess', state: { terminated: { exitCode: 7, reason: 'Error' } } }] }), 'ended 7'],
  ['ended, and nobody knows how', terminated({}), 'ended null'],
  ['never started', terminated({ exitCode: 128, reason: 'StartError', message: 'failed to logon user' }), 'failed StartFailed'],
  ['deleted', pod({ containerStatuses: [{ name: 'hostprocess', state: { running: {} } }] }, { deletionTimestamp: '2026-11-30T12:00:00Z' }), 'failed Deleted'],
  ['never started, and deleted since', pod({ containerStatuses: [{ name: 'hostprocess', state: { terminated: { reason: 'StartError' } } }] }, { deletionTimestamp: '2026-11-30T12:00:00Z' }), 'failed StartFailed'],
  ['ErrImagePull', waiting('ErrImagePull', 'r.example/x:1: not found'), 'failed PullFailed'],
  ['a registry that does not answer', waiting('ErrImagePull', 'dial tcp: i/o timeout'), 'failed PullFailed passing'],
  ['a back-off without its cause', waiting('ImagePullBackOff', 'Back-off pulling image "x"'), 'failed PullFailed passing untold'],
  ['CreateContainerError', waiting('CreateContainerError', 'x'), 'failed StartFailed'],
  ['evicted', pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }), 'failed Refused'],
  ['the node is full', pod({ phase: 'Failed', reason: 'OutOfpods', message: 'Node didn\'t have enough resource: pods' }), 'failed NodeFull'],
  ['another system', pod({ phase: 'Failed', reason: 'PodOSNotSupported', message: 'Failed to admit pod as the OS field doesn\'t match node OS' }), 'failed Refused'],
  ['the node went down', pod({ phase: 'Failed', reason: 'Terminated', message: 'imminent node shutdown' }), 'failed NodeLost'],
  ['its deadline', pod({ phase: 'Failed', reason: 'DeadlineExceeded', containerStatuses: [{ name: 'hostprocess', state: { terminated: { exitCode: 137 } } }] }), 'failed Timeout'],
  ['failed without a word', pod({ phase: 'Failed' }), 'failed Refused'],
  ['a status that is none', pod({ containerStatuses: 'x', phase: 5 }), 'pending null'],
];

describe('how far a pod of a run has come', () => {
  for (const [name, object, state] of CASES) it(`${name}: ${state}`, () => assert.equal(short(startStateOf(object)), state));

  // Texts of containerd and hcsshim, as they reach the status of a pod.
  const texts: readonly (readonly [text: string, happened: RegExp, remedy: RegExp])[] = [
    ['failed to create containerd task: failed to create shim task: failed to logon user: The user name or password is incorrect.', /^the node knows no such account: failed to create/, /--run-as/],
    ['failed to create user process token: empty username or group name passed', /^the node knows no such account/, /--run-as/],
    ['failed to create user process token: failed to logon user: Access is denied.', /^containerd may not log other users on/, /LocalSystem/],
    ['pod support is not available on Windows versions previous to RS5 (1809)', /^the node cannot run HostProcess containers/, /containerd 1\.6/],
    ['pod spec and all containers inside must have the HostProcess field set to be valid', /^the node cannot run HostProcess containers/, /console/],
    ['hcs::CreateComputeSystem 4f2c: The container operating system does not match the host operating system.', /^the node starts the pod as a container of Windows and not as HostProcess/, /hostProcess/],
    ['exec: "cmd.exe": executable file not found in %PATH%', /^the node does not find the program/, /PATH/],
    ['failed to mount rootfs: There is not enough space on the disk.', /^the disk of the node is full/, /Free space/],
    ['secret "mirror" not found', /is not there/, /--pull-secret/],
    ['console emulation not supported for job containers', /no terminal/, /Leave -t out/],
    ['something that nobody has seen', /^the container does not start: something/, /^$/],
  ];
  for (const [text, happened, remedy] of texts) {
    it(`says what it means, and what to do: ${text}`, () => {
      for (const object of [waiting('RunContainerError', text), waiting('CreateContainerError', text), terminated({ reason: 'StartError', message: text })]) {
        const state = startStateOf(object);
        assert.equal(short(state), 'failed StartFailed');
        assert.match(state.state === 'failed' ? state.message : '', happened);
        assert.match(state.state === 'failed' ? state.remedy ?? '' : '', remedy);
      }
    });
  }

  it('a pull that fails says what to do about the image', () => {
    for (const [message, says] of [['no match for platform in manifest: not found', /names no build/], ['401 Unauthorized', /--pull-secret/], ['dial tcp: no such host', /hostProcess\.image/], ['x509: certificate signed by unknown authority', /certificate authority/]] as const) assert.match(fromPull('ErrImagePull', message).remedy ?? '', says);
    assert.equal(fromPull('ErrImagePull', 'nobody knows').remedy, null);
  });

  it('is read from texts of any length', () => assert.equal(short(startStateOf(waiting('RunContainerError', `${'x'.repeat(1e6)} failed to logon user`))), 'failed StartFailed'));
});

describe('lossOf', () => {
  it('says why a pod that ran is no more, and nothing of one that runs or is not known', () => {
    const running = { metadata: {}, status: { phase: 'Running', containerStatuses: [{ name: 'hostprocess', state: { running: {} } }] } };
    assert.deepEqual([lossOf(running), lossOf({})], [null, null]);
    assert.equal(lossOf(null)?.reason, 'Deleted');
    assert.match(lossOf({ ...running, metadata: { deletionTimestamp: '2026-11-30T12:00:00Z' } })?.message ?? '', /is being deleted/);
    assert.deepEqual(lossOf(terminated({ exitCode: 137 })), { reason: 'EndNotSeen', message: 'the main process of its pod has ended with exit code 137' });
    assert.equal(lossOf({ status: { phase: 'Failed', reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' } })?.reason, 'Timeout');
  });
});
