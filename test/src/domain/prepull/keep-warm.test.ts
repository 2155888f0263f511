import assert from 'node:assert/strict';
import { stringAt } from '../../../../src/domain/kubernetes/object.ts';
import { parseLabelSelector } from '../../../../src/domain/kubernetes/selector.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { keepWarmDaemonSets, keepWarmName, planKeepWarm, WARM_HASH_ANNOTATION, type WarmSelection } from '../../../../src/domain/prepull/keep-warm.ts';
import type { PlanItem } from '../../../../src/domain/prepull/prepull-plan.ts';
import { rawNode } from '../../../support/fake-cluster.ts';
import { planItem } from '../../../support/plan-item.ts';

const [A, B] = ['r.example/a:1', 'r.example/b:1'];
const ALL: WarmSelection = { selector: [], pools: [], poolLabels: [] };
const BUILD = 'node.kubernetes.io/windows-build';
const POOL = 'kubernetes.azure.com/agentpool';

const node = (name: string, pool: string | undefined, build: string | undefined): WindowsNode => {
  const raw = rawNode(name, { ...(pool === undefined ? {} : { pool }), labels: build === undefined ? {} : { [BUILD]: build } });
  if (build === undefined) delete (raw.metadata as { labels: Record<string, string> }).labels[BUILD];
  return describeNode(raw, { asOf: new Date('2026-11-30T12:00:00Z'), serverVersion: null });
};
const item = (name: string, image: string, reason: PlanItem['reason'] = 'NotListed', more: Partial<PlanItem> = {}): PlanItem => planItem({
  node: name, image, reason, action: ['NotListed', 'TagMoved'].includes(reason) ? 'pull' : reason === 'Present' ? 'skip' : 'refuse', ...more,
});
const inOf = (key: string, ...values: string[]): object => ({ key, operator: 'In', values });

describe('planKeepWarm', () => {
  const nodes = [node('a', 'p1', '10.0.20348'), node('b', 'p2', '10.0.20348'), node('c', 'p3', '10.0.26100')];

  it('is for the builds that were judged, in whatever pools they come', () => {
    const { groups } = planKeepWarm(nodes.map(({ name }) => item(name, A)), nodes, ALL);
    assert.deepEqual(groups, [{ images: [A], terms: [[inOf(BUILD, '10.0.20348')], [inOf(BUILD, '10.0.26100')]] }]);
  });

  it('has a group for builds that run other images', () => {
    const { groups } = planKeepWarm([...nodes.map(({ name }) => item(name, A)), item('a', B), item('b', B, 'Present'), item('c', B, 'NoMatchForPlatform')], nodes, ALL);
    assert.deepEqual(groups, [{ images: [A, B], terms: [[inOf(BUILD, '10.0.20348')]] }, { images: [A], terms: [[inOf(BUILD, '10.0.26100')]] }]);
  });

  it('tells pools apart where images are for some', () => {
    const { groups, notes } = planKeepWarm([item('a', A), item('c', A)], nodes, ALL);
    assert.deepEqual([groups, notes], [[{ images: [A], terms: [[inOf(POOL, 'p1'), inOf(BUILD, '10.0.20348')], [inOf(BUILD, '10.0.26100')]] }], []]);
  });

  it('keeps to the pools and labels that were asked for', () => {
    const { groups } = planKeepWarm([item('a', A)], nodes.slice(0, 1), { selector: parseLabelSelector('x=y,z!=w,!gone'), pools: ['p1'], poolLabels: [] });
    assert.deepEqual(groups, [{ images: [A], terms: [[inOf('x', 'y'), { key: 'z', operator: 'NotIn', values: ['w'] }, { key: 'gone', operator: 'DoesNotExist' }, inOf(POOL, 'p1'), inOf(BUILD, '10.0.20348')]] }]);
  });

  it('takes nodes that will be well again', () => {
    const { groups } = planKeepWarm([item('a', A, 'NodeNotReady'), item('b', A, 'NodeCordoned')], nodes.slice(0, 2), ALL);
    assert.equal(groups.length, 1);
    assert.deepEqual(planKeepWarm([item('a', A, 'NotEnoughSpace')], nodes.slice(0, 1), ALL).groups, []);
  });

  it('says where labels do not tell nodes apart', () => {
    const alike = [node('a', undefined, '10.0.20348'), node('b', undefined, '10.0.20348')];
    assert.match(planKeepWarm([item('a', A)], alike, ALL).notes.join(), /r\.example\/a:1 on 10\.0\.20348; it is kept on all of them$/);
  });

  it('takes nodes without the label of their build as such', () => {
    assert.deepEqual(planKeepWarm([item('a', A)], [node('a', undefined, undefined)], ALL).groups[0]?.terms, [[{ key: BUILD, operator: 'DoesNotExist' }]]);
  });

  it('leaves out what has no shell, by its name or size', () => {
    const base = 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0';
    const { items, groups } = planKeepWarm([item('a', base), item('a', A, 'NotListed', { sizeBytes: 40_000_000 }), item('a', B, 'NotListed', { sizeBytes: 120_000_000 })], nodes.slice(0, 1), ALL);
    assert.deepEqual(items.map(({ action, reason }) => `${action} ${reason}`), ['refuse NoShell', 'refuse NoShell', 'pull NotListed']);
    assert.deepEqual(groups.map(({ images }) => images), [[B]]);
  });
});

describe('keepWarmDaemonSets', () => {
  it('has a container for each image, which sleeps and asks for nothing', () => {
    const [daemonSet] = keepWarmDaemonSets([{ images: [A, B], terms: [[]] }], { run: 'a1b2c3', namespace: 'shop', origin: 'x', timeoutSeconds: 1, serviceAccount: null, pullSecrets: ['s'] });
    const { spec } = (daemonSet as unknown as { spec: { template: { spec: { containers: readonly { name: string; image: string; command: readonly string[] }[]; imagePullSecrets: unknown } } } }).spec.template;
    assert.deepEqual(spec.containers.map(({ name, image }) => [name, image]), [['image-0', A], ['image-1', B]]);
    assert.match(spec.containers[0]?.command[2] ?? '', /^ping -t 127\.0\.0\.1 /);
    assert.deepEqual(spec.imagePullSecrets, [{ name: 's' }]);
  });

  it('has names that are no longer than names of pods may be', () => assert.ok(keepWarmName('a'.repeat(20), 99).length <= 52));
});

describe('the hash of what is kept', () => {
  const asked = { run: 'r', namespace: 'x', origin: 'y', timeoutSeconds: 1, serviceAccount: null, pullSecrets: ['s1', 's2'] };
  const term = [{ key: 'a', operator: 'In', values: ['1', '2'] }, { key: 'b', operator: 'DoesNotExist' }] as const;
  const other = [{ key: BUILD, operator: 'In', values: ['10.0.20348'] }] as const;
  const hash = (images: readonly string[], terms: Parameters<typeof keepWarmDaemonSets>[0][number]['terms'], more: Partial<Parameters<typeof keepWarmDaemonSets>[1]> = {}): string | undefined => stringAt(keepWarmDaemonSets([{ images, terms }], { ...asked, ...more })[0], 'metadata', 'annotations', WARM_HASH_ANNOTATION);

  it('is that of images, nodes and identity, in whatever order, and of nothing else', () => {
    const one = hash([A, B], [term, other]);
    assert.match(one ?? '', /^[0-9a-f]{16}$/);
    assert.equal(hash([B, A], [other, [term[1], { ...term[0], values: ['2', '1'] }]], { run: 'q', namespace: 'z', origin: 'w', pullSecrets: ['s2', 's1'] }), one);
    const different = [hash([A], [term, other]), hash([A, B], [term]), hash([A, B], [[...term, ...other]]), hash([A, B], [term, other], { serviceAccount: 'sa' }), hash([A, B], [term, other], { pullSecrets: ['s1'] })];
    assert.equal(new Set([one, ...different]).size, 6);
  });
});
