import assert from 'node:assert/strict';
import { addedFailure, AFTER_PULL, podFailure, PULL_FAILED, pullFailure, schedulerMessage } from '../../../../src/domain/pods/pod-failure.ts';

describe('why a pod fails', () => {
  const cases: readonly (readonly [reason: string, message: string, read: string])[] = [
    ['Evicted', 'The node was low on resource: memory.', 'Evicted passing'],
    ['Evicted', 'The node had condition: [DiskPressure]. ', 'DiskFull passing'],
    ['Terminated', 'Pod was terminated in response to imminent node shutdown.', 'NodeLost passing'],
    ['NodeShutdown', '', 'NodeLost passing'],
    ['OutOfpods', 'Node didn\'t have enough resource: pods, requested: 1, used: 110, capacity: 110', 'NodeFull passing'],
    ['OutOfcpu', '', 'NodeFull passing'],
    ['DeadlineExceeded', 'Pod was active on the node longer than the specified deadline', 'Timeout'],
    ['UnexpectedAdmissionError', 'x', 'Refused'],
    ['PodOSNotSupported', 'Failed to admit pod as the OS field doesn\'t match node OS', 'Refused'],
    ['', '', 'Refused'],
  ];
  for (const [reason, message, read] of cases) {
    it(`${reason} ${message}: ${read}`, () => {
      const failure = podFailure(reason, message);
      assert.equal(`${failure.reason}${failure.isPassing ? ' passing' : ''}`, read);
      assert.equal(failure.message, [reason, message].filter((part) => part !== '').join(': ') || 'the pod failed and said nothing');
    });
  }

  it('a pull that fails is told in words, with what the node says', () => {
    assert.deepEqual(pullFailure('ErrImagePull', 'r.example/x:1: not found'), { reason: 'NotFound', message: 'the registry has no such image: r.example/x:1: not found', isPassing: false });
    assert.equal(pullFailure('ImageInspectError', '').message, 'the pull failed: ImageInspectError');
  });

  it('a container that was added is named, where it cannot be pulled', () => {
    const added = addedFailure([{ name: 'log', state: { running: {} } }, { name: 'istio-init', state: { waiting: { reason: 'ErrImagePull', message: 'x: not found' } } }]);
    assert.equal(added?.reason, 'Refused');
    assert.match(added?.message ?? '', /^the container istio-init, which the cluster adds to the pods, does not start: the registry has no such image/);
    assert.equal(addedFailure([{ name: 'log', state: { waiting: { reason: 'PodInitializing' } } }, 'x']), null);
  });

  it('the scheduler says why no node has it', () => {
    const pod = (condition: unknown) => ({ status: { conditions: [{ type: 'PodScheduled', status: 'False', ...condition as object }] } });
    assert.equal(schedulerMessage(pod({ message: '0/3 nodes are available', reason: 'Unschedulable' })), '0/3 nodes are available');
    assert.equal(schedulerMessage(pod({ reason: 'SchedulingGated' })), 'SchedulingGated');
    assert.equal(schedulerMessage(pod({ status: 'True' })), null);
    assert.equal(schedulerMessage({}), null);
  });

  it('no reason stands both before and after the pull', () => {
    assert.deepEqual([...AFTER_PULL].filter((reason) => PULL_FAILED.has(reason)), []);
  });
});
