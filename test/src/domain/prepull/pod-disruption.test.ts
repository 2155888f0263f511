import assert from 'node:assert/strict';
import { disruptionOf } from '../../../../src/domain/prepull/pod-disruption.ts';

const pod = (reason: string, status = 'True', type = 'DisruptionTarget'): Parameters<typeof disruptionOf>[0] => ({ kind: 'Pod', status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }, { type, status, reason, message: 'x' }] } });

describe('disruptionOf', () => {
  for (const [reason, made] of [
    ['EvictionByEvictionAPI', 'Evicted: its pod was evicted, as kubectl drain does'], ['PreemptionByScheduler', 'Evicted: its pod made room for one of a higher priority'],
    ['DeletionByTaintManager', 'Evicted: its pod was evicted for a taint of the node'], ['DeletionByPodGC', 'NodeLost: its pod was removed: the node is gone'],
  ] as const) {
    it(reason, () => {
      const disruption = disruptionOf(pod(reason));
      assert.equal(`${disruption?.reason}: ${disruption?.message}`, made);
    });
  }

  it('is null where no condition says so', () => {
    for (const one of [{ kind: 'Pod' }, pod('TerminationByKubelet'), pod('EvictionByEvictionAPI', 'False'), pod('EvictionByEvictionAPI', 'True', 'Ready'), pod('constructor')]) assert.equal(disruptionOf(one), null);
  });
});
