import assert from 'node:assert/strict';
import { assumeReleases, placementOf } from '../../../../src/domain/check/assumed-nodes.ts';
import { factsOfObjects } from '../../../../src/domain/check/facts-of-objects.ts';
import type { CheckFacts } from '../../../../src/domain/check/facts.ts';
import { judgeObject, ruleSetOf, subjectsOf } from '../../../../src/domain/check/judge-object.ts';
import { runClusterRules } from '../../../../src/domain/check/run-rules.ts';
import { selectableWorkloadOf } from '../../../../src/domain/check/selectable-workload.ts';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import type { Finding, NotEvaluated } from '../../../../src/domain/check/finding.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { workloadsOf } from '../../../../src/domain/workload/workload.ts';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { objectsOf } from '../../../support/check-sample.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

const AS_OF = new Date('2026-11-30T00:00:00Z');

function factsOf(objects: readonly KubeObject[], completeness: 'all' | 'none' = objects.length === 0 ? 'none' : 'all'): CheckFacts {
  return factsOfObjects(objects, { kubernetesVersion: '1.37', asOf: AS_OF, images: TAG_PLATFORMS, completeness: () => completeness });
}

function pod(spec: Readonly<Record<string, unknown>>, kind = 'Pod'): KubeObject {
  const full = { containers: [{ name: 'web', image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }], ...spec };
  return kind === 'Pod' ? { apiVersion: 'v1', kind, metadata: { name: 'web' }, spec: full } : { apiVersion: 'apps/v1', kind, metadata: { name: 'web' }, spec: { selector: {}, template: { metadata: {}, spec: full } } };
}

interface Judged {
  readonly findings: readonly Finding[];
  readonly notEvaluated: readonly NotEvaluated[];
}

function judge(objects: readonly KubeObject[], facts: CheckFacts): Judged {
  const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
  const workloads = objects.flatMap((object) => subjectsOf(object, facts)).map((subject, index) => [String(index), selectableWorkloadOf(subject)] as const);
  const all = { ...facts, workloads: { isComplete: true, get: () => undefined, values: () => new Map(workloads).values(), size: workloads.length } };
  for (const object of objects) judgeObject(object, subjectsOf(object, all), ruleSetOf(RULES), all, outcome);
  runClusterRules(ruleSetOf(RULES).cluster, all, outcome);
  return outcome;
}

const rulesOf = ({ findings }: Judged): readonly string[] => [...new Set(findings.map(({ rule }) => rule))].toSorted();

describe('assumeReleases', () => {
  it('changes nothing where no release is named', () => {
    const facts = factsOf([rawNode('win1')]);
    assert.equal(assumeReleases(facts, [], AS_OF), facts);
  });

  it('makes up one node per release where no Windows node is known', () => {
    const { nodes, areNodesAssumed } = assumeReleases(factsOf([]), ['ltsc2019', 'ltsc2025'], AS_OF);
    assert.equal(areNodesAssumed, true);
    assert.deepEqual([...nodes?.values() ?? []].map(({ name, build, release, ready, issues }) => [name, build, release, ready, issues.length]), [['any-ltsc2019', 17763, 'ltsc2019', true, 0], ['any-ltsc2025', 26100, 'ltsc2025', true, 0]]);
  });

  it('keeps known Linux nodes beside those that it makes up', () => {
    const { nodes, areNodesAssumed } = assumeReleases(factsOf([rawNode('linux1', { os: 'linux' })]), ['ltsc2022'], AS_OF);
    assert.equal(areNodesAssumed, true);
    assert.equal(nodes?.isComplete, false);
    assert.deepEqual([...nodes?.values() ?? []].map(({ name }) => name), ['linux1', 'any-ltsc2022']);
  });

  it('gives known Windows nodes another build, and leaves them their labels, taints and names', () => {
    const facts = factsOf([rawNode('win1', { kernelVersion: '10.0.17763.5000', labels: { pool: 'a' } }), rawNode('linux1', { os: 'linux' })]);
    const { nodes, areNodesAssumed } = assumeReleases(facts, ['ltsc2025'], AS_OF);
    const node = nodes?.get('win1');
    assert.equal(areNodesAssumed, false);
    assert.equal(nodes?.isComplete, true);
    assert.deepEqual([node?.build, node?.release, node?.revision, node?.labels['pool'], node?.labels['node.kubernetes.io/windows-build'], node?.taints], [26100, 'ltsc2025', null, 'a', '10.0.26100', [{ key: 'os', value: 'windows', effect: 'NoSchedule' }]]);
  });

  it('takes known nodes over once per release, each with the CSI drivers of the node it stands for', () => {
    const csiNode = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'win1' }, spec: { drivers: [{ name: 'disk.csi.azure.com' }] } };
    const { nodes, csiNodes } = assumeReleases(factsOf([rawNode('win1'), csiNode]), ['ltsc2022', 'ltsc2025'], AS_OF);
    assert.deepEqual([...nodes?.values() ?? []].map(({ name }) => name), ['win1@ltsc2022', 'win1@ltsc2025']);
    assert.equal(csiNodes?.get('win1@ltsc2025'), csiNode);
    assert.equal(csiNodes?.get('win2@ltsc2025'), undefined);
  });
});

describe('placementOf', () => {
  const assumed = assumeReleases(factsOf([rawNode('linux1', { os: 'linux', labels: { pool: 'linux' } })]), ['ltsc2022'], AS_OF);
  const affinity = (...terms: readonly unknown[]): Readonly<Record<string, unknown>> => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } });
  const BUILD = 'node.kubernetes.io/windows-build';
  const cases: readonly [string, Readonly<Record<string, unknown>>, readonly string[]][] = [
    ['a pod without constraints', {}, ['linux1', 'any-ltsc2022']],
    ['a pod for Windows', { nodeSelector: { 'kubernetes.io/os': 'windows' } }, ['any-ltsc2022']],
    ['a pod for Windows by the old label', { nodeSelector: { 'beta.kubernetes.io/os': 'windows' } }, ['any-ltsc2022']],
    ['a pod for a pool that nobody knows', { nodeSelector: { 'kubernetes.io/os': 'windows', pool: 'win' } }, ['any-ltsc2022']],
    ['a pod for a Linux pool: nobody knows that the Windows nodes lack its label', { nodeSelector: { pool: 'linux' } }, ['linux1', 'any-ltsc2022']],
    ['a pod for another build', { nodeSelector: { [BUILD]: '10.0.17763' } }, []],
    ['a pod for the build', { nodeSelector: { [BUILD]: '10.0.20348' } }, ['any-ltsc2022']],
    ['a pod for a node by name', { nodeName: 'win7' }, ['any-ltsc2022']],
    ['affinity to a pool', affinity({ matchExpressions: [{ key: 'pool', operator: 'In', values: ['win'] }, { key: 'kubernetes.io/os', operator: 'In', values: ['windows'] }] }), ['any-ltsc2022']],
    ['affinity away from a pool', affinity({ matchExpressions: [{ key: 'pool', operator: 'NotIn', values: ['linux'] }] }), ['any-ltsc2022']],
    ['affinity to another build', affinity({ matchExpressions: [{ key: 'pool', operator: 'Exists' }, { key: BUILD, operator: 'In', values: ['10.0.17763'] }] }), []],
    ['affinity to another build or a pool', affinity({ matchExpressions: [{ key: BUILD, operator: 'In', values: ['10.0.17763'] }] }, { matchExpressions: [{ key: 'pool', operator: 'In', values: ['win'] }] }), ['any-ltsc2022']],
    ['affinity to a node by name', affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['win7'] }] }), ['any-ltsc2022']],
    ['an empty term, which matches no node', affinity({}), []],
  ];
  for (const [name, spec, nodes] of cases) {
    it(`lets ${name} onto ${nodes.length === 0 ? 'no node' : nodes.join(' and ')}`, () => {
      const [workload] = workloadsOf(pod(spec));
      assert.ok(workload !== undefined);
      const placement = placementOf(workload, assumed);
      assert.deepEqual(placement?.candidates.map((node) => node.name), nodes);
      assert.deepEqual(placement.nodes.filter(({ obstacles }) => obstacles.length === 0).map(({ node }) => node.name), nodes);
      assert.deepEqual(placement.windowsCandidates.map((node) => node.name), nodes.filter((node) => node !== 'linux1'));
    });
  }

  it('counts the build that a RuntimeClass selects, and no other label of it', () => {
    const classOf = (name: string, nodeSelector: Readonly<Record<string, string>>): KubeObject => ({ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name }, handler: 'runhcs', scheduling: { nodeSelector } });
    const facts = assumeReleases(factsOf([rawNode('linux1', { os: 'linux' }), classOf('old', { 'kubernetes.io/os': 'windows', [BUILD]: '10.0.17763' }), classOf('pool', { 'kubernetes.io/os': 'windows', pool: 'win' })]), ['ltsc2022'], AS_OF);
    const candidates = (runtimeClassName: string): readonly string[] | undefined => placementOf(workloadsOf(pod({ runtimeClassName }))[0] ?? assert.fail(), facts)?.candidates.map(({ name }) => name);
    assert.deepEqual(candidates('old'), []);
    assert.deepEqual(candidates('pool'), ['any-ltsc2022']);
  });

  it('keeps the paths of what stands in the way', () => {
    const [workload] = workloadsOf(pod(affinity({ matchExpressions: [{ key: 'pool', operator: 'Exists' }, { key: BUILD, operator: 'In', values: ['10.0.17763'] }] })));
    const obstacles = placementOf(workload ?? assert.fail(), assumed)?.nodes.find(({ node }) => node.os === 'windows')?.obstacles ?? [];
    assert.match(formatFieldPath(obstacles[0]?.path ?? []), /matchExpressions\[1\]$/);
  });

  it('takes a pod that is bound to a node to each release that the node stands for', () => {
    const facts = assumeReleases(factsOf([rawNode('win1'), rawNode('win2'), rawNode('linux1', { os: 'linux' })]), ['ltsc2019', 'ltsc2025'], AS_OF);
    assert.equal(facts.nodes?.get('win1')?.os, 'windows');
    const [subject] = subjectsOf(pod({ nodeName: 'win1' }), facts);
    assert.equal(subject?.os.os, 'windows');
    assert.deepEqual(subject.placement?.windowsCandidates.map(({ name }) => name), ['win1@ltsc2019', 'win1@ltsc2025']);
    assert.deepEqual(subject.placement.nodes.filter(({ obstacles }) => obstacles.length === 0).map(({ node }) => node.name), ['win1@ltsc2019', 'win1@ltsc2025']);
    assert.deepEqual(rulesOf(judge([pod({ nodeName: 'win1' })], facts)).filter((rule) => rule.startsWith('image-') && rule !== 'image-runs-down-level'), ['image-fits-some-nodes']);
    const [elsewhere] = subjectsOf(pod({ nodeName: 'linux1' }), facts);
    assert.deepEqual(elsewhere?.placement?.candidates.map(({ name }) => name), ['linux1']);
  });

  it('is null where nodes are not known', () => {
    assert.equal(placementOf(workloadsOf(pod({}))[0] ?? assert.fail(), factsOf([])), null);
  });
});

describe('rules on nodes that are made up', () => {
  /** Rules that conclude from builds, for which the nodes were made up. */
  const ON_BUILDS = new Set([
    'image-build-mismatch', 'image-fits-some-nodes', 'image-runs-down-level', 'build-pin-missing', 'containers-need-different-builds', 'host-process-image-refused', 'image-contradicts-build-pin',
    'index-picks-older-image', 'runtime-refuses-image', 'windows-build-matches-no-node', 'session-affinity-old-windows', 'host-process-mount-path-relocated',
  ]);

  it('conclude nothing more than without nodes, but from builds', async () => {
    const more: string[] = [];
    for (const { samples } of RULES) {
      for (const sample of [...samples.bad, ...samples.good]) {
        const objects = await objectsOf(sample.yaml);
        const offline = factsOf(objects, 'none');
        const without = new Set(judge(objects, offline).findings.map(({ rule, path }) => `${rule} ${formatFieldPath(path)}`));
        for (const releases of [['ltsc2022'], ['ltsc2019', 'ltsc2025']] as const) {
          for (const { rule, path } of judge(objects, assumeReleases(offline, releases, AS_OF)).findings) {
            if (!without.has(`${rule} ${formatFieldPath(path)}`) && !ON_BUILDS.has(rule)) more.push(`${rule} ${formatFieldPath(path)} (${releases.join()})`);
          }
        }
      }
    }
    assert.deepEqual([...new Set(more)], []);
  }).timeout(30_000);

  it('leave nothing out that they say without nodes, but on builds', async () => {
    const less: string[] = [];
    for (const { samples } of RULES) {
      for (const sample of samples.bad) {
        const objects = await objectsOf(sample.yaml);
        const offline = factsOf(objects, 'none');
        const within = new Set(rulesOf(judge(objects, assumeReleases(offline, ['ltsc2022'], AS_OF))));
        for (const rule of rulesOf(judge(objects, offline))) if (!within.has(rule) && !ON_BUILDS.has(rule)) less.push(rule);
      }
    }
    assert.deepEqual([...new Set(less)], []);
  }).timeout(30_000);

  const assumed = assumeReleases(factsOf([]), ['ltsc2022'], AS_OF);
  const WINDOWS = { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' } };

  it('leave open what hangs on taints, labels, size and drivers, and say so', () => {
    const { notEvaluated } = judge([
      pod({ ...WINDOWS, nodeSelector: { ...WINDOWS.nodeSelector, pool: 'win' }, containers: [{ name: 'web', image: 'mcr.microsoft.com/windows/servercore:ltsc2022', resources: { requests: { memory: '900Gi' } } }] }),
      pod({ containers: [{ name: 'web', image: 'nginx:1.29-alpine' }] }),
    ], assumed);
    const rules = new Set(notEvaluated.filter(({ reason }) => reason.startsWith('nodes not known')).map(({ rule }) => rule));
    for (const rule of ['windows-taint-not-tolerated', 'selector-matches-no-node', 'resources-beyond-nodes', 'linux-pod-on-windows-nodes']) assert.ok(rules.has(rule), rule);
  });

  it('judge images by the builds, whatever else the pod selects', () => {
    const found = rulesOf(judge([pod({ ...WINDOWS, nodeSelector: { ...WINDOWS.nodeSelector, pool: 'win' }, containers: [{ name: 'web', image: 'mcr.microsoft.com/windows/servercore:ltsc2019' }] })], assumed));
    assert.ok(found.includes('image-build-mismatch'), found.join());
  });

  it('say of a pin to another build that no such node is there', () => {
    const found = judge([pod({ ...WINDOWS, nodeSelector: { ...WINDOWS.nodeSelector, pool: 'win', 'node.kubernetes.io/windows-build': '10.0.17763' } })], assumed).findings.filter(({ rule }) => rule === 'windows-build-matches-no-node');
    assert.deepEqual(found.map(({ path }) => formatFieldPath(path)), ['spec.nodeSelector[node.kubernetes.io/windows-build]']);
  });

  it('say nothing of the cluster', () => {
    const cluster = [rawNode('linux1', { os: 'linux' }), { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'kube-proxy-windows', namespace: 'kube-system' }, spec: { template: { spec: { ...WINDOWS, containers: [] } } }, status: { desiredNumberScheduled: 0 } }];
    const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
    const facts = assumeReleases(factsOf(cluster), ['ltsc2019'], AS_OF);
    const [stray] = subjectsOf(pod({ containers: [{ name: 'web', image: 'nginx:1.29-alpine' }] }), facts);
    const workloads = new Map([['0', selectableWorkloadOf(stray ?? assert.fail())]]);
    runClusterRules(ruleSetOf(RULES).cluster, { ...facts, workloads: { isComplete: true, get: (key) => workloads.get(key), values: () => workloads.values(), size: 1 } }, outcome);
    assert.deepEqual(outcome.findings.map(({ rule }) => rule), []);
  });
});
