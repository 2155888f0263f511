import assert from 'node:assert/strict';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { pullStateOf, readPulledEvent, type PullState } from '../../../../src/domain/prepull/pull-state.ts';
import { ISOLATION_ANNOTATION } from '../../../../src/domain/prepull/run-objects.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

function pod(status: Readonly<Record<string, unknown>>, nodeName = 'win'): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { nodeName }, status };
}

function container(state: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}): KubeObject {
  return pod({ phase: 'Pending', containerStatuses: [{ name: 'pull', state, ...more }] });
}

const waiting = (reason: string, message = ''): KubeObject => container({ waiting: { reason, message } });

/** As containerd hands it on from the Host Compute Service (https://github.com/containerd/containerd/pull/7856), and as Docker did (https://github.com/kubernetes/community/issues/3091). */
const OTHER_BUILD = [
  'failed to create containerd task: failed to create shim task: hcs::CreateComputeSystem 4f2c: The container operating system does not match the host operating system.: unknown',
  'Error response from daemon: container 4f2c encountered an error during CreateContainer: failure in a Windows system call: The operating system of the container does not match the operating system of the host. (0xc0370101)',
];

const hostProcess = (pod: KubeObject): KubeObject => ({ ...pod, metadata: { name: 'p', annotations: { [ISOLATION_ANNOTATION]: 'host-process' } } });

function short(state: PullState): string {
  return state.state === 'pulled' ? `pulled ${state.digest === null ? '-' : 'digest'}` : state.state === 'failed' ? `failed ${state.reason}${state.isPassing ? ' passing' : ''}${state.isUntold === true ? ' untold' : ''}` : state.state === 'pending' ? `pending ${state.message}` : state.state;
}

const CASES: readonly (readonly [name: string, pod: KubeObject, state: string])[] = [
  ['no node yet', pod({ phase: 'Pending' }, ''), 'pending null'],
  ['no node: the scheduler says why', pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available: 1 Too many pods.' }] }, ''), 'pending 0/3 nodes are available: 1 Too many pods.'],
  ['no node: a reason alone', pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }, ''), 'pending SchedulingGated'],
  ['on a node', pod({ phase: 'Pending' }), 'pulling'],
  ['ContainerCreating', waiting('ContainerCreating'), 'pulling'],
  ['PodInitializing', waiting('PodInitializing'), 'pulling'],
  ['a status without anything', container({}), 'pulling'],
  ['running', container({ running: {} }, { imageID: `r/x@${DIGEST}` }), 'pulled digest'],
  ['running without an image id', container({ running: {} }), 'pulled -'],
  ['running, docker\'s id', container({ running: {} }, { imageID: `docker-pullable://r/x@${DIGEST}` }), 'pulled digest'],
  ['ended well', container({ terminated: { exitCode: 0, containerID: 'containerd://1' } }, { imageID: `r/x@${DIGEST}` }), 'pulled digest'],
  ['an id of a configuration', container({ waiting: { reason: 'ContainerCreating' } }, { imageID: DIGEST }), 'pulled -'],
  ['a digest of sha512', container({ running: {} }, { imageID: `r/x@sha512:${'b'.repeat(128)}` }), 'pulled digest'],
  ['ended with an error of its own', container({ terminated: { exitCode: 3221225786, containerID: 'containerd://1' } }), 'pulled -'],
  ['no shell in the image', container({ terminated: { exitCode: 128, reason: 'StartError' } }), 'pulled -'],
  ...['CreateContainerConfigError', 'CreateContainerError', 'PreCreateHookError', 'PreStartHookError', 'PostStartHookError', 'RunContainerError', 'CrashLoopBackOff'].map((reason) => [reason, waiting(reason, 'the HostProcess base image cannot start here'), 'pulled -'] as const),
  ...OTHER_BUILD.flatMap((text): readonly (readonly [string, KubeObject, string])[] => [
    ...['CreateContainerError', 'RunContainerError'].map((reason) => [`${reason}: ${text}`, waiting(reason, text), 'failed OsMismatch'] as const),
    [`RunContainerError with the id of the image: ${text}`, container({ waiting: { reason: 'RunContainerError', message: text } }, { imageID: `r/x@${DIGEST}` }), 'failed OsMismatch'],
    [`StartError: ${text}`, container({ terminated: { exitCode: 128, reason: 'StartError', message: text, containerID: 'containerd://1' } }, { imageID: `r/x@${DIGEST}` }), 'failed OsMismatch'],
    [`ContainerCannotRun: ${text}`, container({ terminated: { exitCode: 128, reason: 'ContainerCannotRun', message: text } }), 'failed OsMismatch'],
    // It starts there under HostProcess, as which a pull does not run.
    [`of a HostProcess container: ${text}`, hostProcess(container({ terminated: { exitCode: 128, reason: 'StartError', message: text } }, { imageID: `r/x@${DIGEST}` })), 'pulled digest'],
  ]),
  ['StartError for want of a shell, in an image whose name is the text', container({ terminated: { exitCode: 128, reason: 'StartError', message: 'hcs::CreateProcess x: The system cannot find the file specified. (0x2)' } }), 'pulled -'],
  ['a program that ended and wrote the text', container({ terminated: { exitCode: 0, reason: 'Completed', message: OTHER_BUILD[0] } }), 'pulled -'],
  ['ErrImagePull', waiting('ErrImagePull', 'r.example/x:1: not found'), 'failed NotFound'],
  ['ImagePullBackOff with its cause', waiting('ImagePullBackOff', 'Back-off pulling image "x": ErrImagePull: 401 Unauthorized'), 'failed Unauthorized'],
  ['ImagePullBackOff without', waiting('ImagePullBackOff', 'Back-off pulling image "x"'), 'failed PullFailed passing untold'],
  ['ErrImageNeverPull', waiting('ErrImageNeverPull'), 'failed NeverPull'],
  ['InvalidImageName', waiting('InvalidImageName'), 'failed InvalidImageName'],
  ['ImageInspectError', waiting('ImageInspectError', 'x'), 'failed PullFailed passing'],
  ['RegistryUnavailable', waiting('RegistryUnavailable', 'x'), 'failed RegistryUnreachable passing'],
  ['SignatureValidationFailed', waiting('SignatureValidationFailed', 'x'), 'failed UntrustedSignature'],
  ['evicted before it got that far', pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }), 'failed Evicted passing'],
  ['evicted: no disk', pod({ phase: 'Failed', reason: 'Evicted', message: 'The node had condition: [DiskPressure]. ' }), 'failed DiskFull passing'],
  ['evicted after the pull', pod({ phase: 'Failed', reason: 'Evicted', containerStatuses: [{ name: 'pull', state: { terminated: { exitCode: 137, containerID: 'containerd://1' } } }] }), 'pulled -'],
  ['evicted, and the kubelet knows nothing of the container', pod({ phase: 'Failed', reason: 'Evicted', message: 'memory', containerStatuses: [{ name: 'pull', state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } }] }), 'failed Evicted passing'],
  ['node shut down', pod({ phase: 'Failed', reason: 'Terminated', message: 'Pod was terminated in response to imminent node shutdown.' }), 'failed NodeLost passing'],
  ['NodeLost', pod({ phase: 'Failed', reason: 'NodeLost' }), 'failed NodeLost passing'],
  ['OutOfpods', pod({ phase: 'Failed', reason: 'OutOfpods', message: 'Node didn\'t have enough resource: pods' }), 'failed NodeFull passing'],
  ['a deadline of the pod', pod({ phase: 'Failed', reason: 'DeadlineExceeded' }), 'failed Timeout'],
  ['refused by the kubelet', pod({ phase: 'Failed', reason: 'UnexpectedAdmissionError', message: 'x' }), 'failed Refused'],
  ['failed without a word', pod({ phase: 'Failed' }), 'failed Refused'],
  ['a sidecar that comes first in the list', pod({ phase: 'Pending', containerStatuses: [{ name: 'istio-proxy', state: { running: {} }, imageID: `x@${DIGEST}` }, { name: 'pull', state: { waiting: { reason: 'ContainerCreating' } } }] }), 'pulling'],
  ['a sidecar that cannot be pulled', pod({ phase: 'Pending', initContainerStatuses: [{ name: 'istio-init', state: { waiting: { reason: 'ErrImagePull', message: 'x: not found' } } }], containerStatuses: [{ name: 'pull', state: { waiting: { reason: 'PodInitializing' } } }] }), 'failed Refused'],
  ['a status that is none', pod({ containerStatuses: 'x', phase: 5 }), 'pulling'],
];

describe('how far a pull has come', () => {
  for (const [name, object, state] of CASES) it(`${name}: ${state}`, () => assert.equal(short(pullStateOf(object)), state));

  it('names the container that was added and fails', () => {
    const state = pullStateOf(CASES.find(([name]) => name === 'a sidecar that cannot be pulled')?.[1] ?? assert.fail());
    assert.match(state.state === 'failed' ? state.message : '', /the container istio-init, which the cluster adds/);
  });
});

describe('the kubelet\'s event Pulled', () => {
  const events: readonly (readonly [string, unknown])[] = [
    ['Successfully pulled image "x" in 3.2s (3.5s including waiting). Image size: 123 bytes.', { wasPulled: true, seconds: 3.2, sizeBytes: 123 }],
    ['Successfully pulled image "x" in 1h2m3.5s (1h3m including waiting). Image size: 5041012345 bytes.', { wasPulled: true, seconds: 3723.5, sizeBytes: 5041012345 }],
    ['Successfully pulled image "x" in 812ms', { wasPulled: true, seconds: 0.812, sizeBytes: null }],
    ['Successfully pulled image "x" in 12µs (1ms including waiting)', { wasPulled: true, seconds: 12e-6, sizeBytes: null }],
    ['Successfully pulled image "x" in ages', { wasPulled: true, seconds: null, sizeBytes: null }],
    ['Successfully pulled image "x" in 1.2.3s', { wasPulled: true, seconds: null, sizeBytes: null }],
    ['Successfully pulled image "x"', { wasPulled: true, seconds: null, sizeBytes: null }],
    ['Container image "x" already present on machine', { wasPulled: false, seconds: null, sizeBytes: null }],
    ['Container image "x" already present on machine and can be accessed by the pod', { wasPulled: false, seconds: null, sizeBytes: null }],
    ['Pulling image "x"', null], ['', null],
  ];
  for (const [message, read] of events) it(JSON.stringify(message), () => assert.deepEqual(readPulledEvent(message), read));
});
