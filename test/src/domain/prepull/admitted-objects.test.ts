import assert from 'node:assert/strict';
import { recordAt } from '../../../../src/domain/kubernetes/object.ts';
import { judgeAdmittedPod, judgeAdmittedStandingPod } from '../../../../src/domain/prepull/admitted-objects.ts';
import { pullJob, type RunOptions } from '../../../../src/domain/prepull/run-objects.ts';

const OPTIONS: RunOptions = { run: 'r1', namespace: 'web', origin: 'test', timeoutSeconds: 600, serviceAccount: null, pullSecrets: [] };
const ITEM = { node: 'win', image: 'r.example/x:1' };
const PULL = pullJob(OPTIONS, { index: 0, attempt: 1, ...ITEM, isRefreshed: false }, { name: 'o', uid: 'u' });

describe('judgeAdmittedPod', () => {
  const template = recordAt(PULL, 'spec', 'template');
  const changed = (spec: Readonly<Record<string, unknown>>): unknown => ({ ...template, spec: { ...recordAt(template, 'spec'), ...spec } });
  const affinity = (terms: readonly unknown[]): Readonly<Record<string, unknown>> => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } });
  const own = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['win'] }] };

  it('has nothing to say of what it was sent', () => assert.deepEqual(judgeAdmittedPod(template, ITEM), { refusal: null, notes: [] }));

  for (const [what, spec, says] of [
    ['the container is gone', { containers: [{ name: 'other' }] }, /the container that pulls is gone/], ['they may land elsewhere', affinity([]), /any node/], ['they may land elsewhere, by another term', affinity([own, { matchExpressions: [] }]), /any node/], ['they have no affinity', { affinity: undefined }, /any node/],
  ] as const) it(`refuses pods where ${what}`, () => assert.match(judgeAdmittedPod(changed(spec), ITEM).refusal?.message ?? '', says));

  it('takes another term that asks for more, and pods that are bound to the node', () => {
    assert.equal(judgeAdmittedPod(changed(affinity([{ ...own, matchExpressions: [{ key: 'a', operator: 'Exists' }] }])), ITEM).refusal, null);
    assert.equal(judgeAdmittedPod(changed({ affinity: undefined, nodeName: 'win' }), ITEM).refusal, null);
  });

  it('notes that they tolerate less', () => assert.match(judgeAdmittedPod(changed({ tolerations: [{ key: 'a', operator: 'Exists' }] }), ITEM).notes.join(), /tolerate every taint/));
});

describe('judgeAdmittedStandingPod', () => {
  const pod = (policy: string, os = 'windows'): unknown => ({ spec: { nodeSelector: { 'kubernetes.io/os': os }, containers: [{ name: 'image-0', imagePullPolicy: 'IfNotPresent' }, { name: 'image-1', imagePullPolicy: policy }] } });
  it('refuses what cannot pull', () => {
    assert.equal(judgeAdmittedStandingPod(pod('Always')).refusal, null);
    assert.match(judgeAdmittedStandingPod(pod('Never')).refusal?.message ?? '', /imagePullPolicy becomes Never/);
    assert.match(judgeAdmittedStandingPod(pod('Always', 'linux')).refusal?.message ?? '', /linux nodes/);
  });
});
