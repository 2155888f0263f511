import assert from 'node:assert/strict';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { judgeCluster } from '../../../../src/domain/node/judge-cluster.ts';
import { CLUSTER_ISSUE_KINDS } from '../../../../src/domain/node/node-issues/index.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';

const AS_OF = new Date('2026-11-30T12:00:00Z');

interface Parts {
  readonly name?: string;
  readonly os?: string;
  readonly kernel?: string;
  readonly pool?: string;
  readonly runtime?: string;
  readonly kubelet?: string;
  readonly osImage?: string;
  readonly unschedulable?: boolean;
  readonly ready?: string;
  readonly taints?: readonly Readonly<Record<string, string>>[];
}

function node(parts: Parts): WindowsNode {
  const { name = 'win', os = 'windows', kernel = '10.0.20348.5761', pool, runtime = 'containerd://2.3.4', kubelet = 'v1.36.0', osImage = 'Windows Server', unschedulable = false, ready = 'True', taints = [] } = parts;
  return describeNode({
    metadata: { name, labels: pool === undefined ? {} : { agentpool: pool } },
    spec: { unschedulable, taints },
    status: { conditions: ready === '' ? [] : [{ type: 'Ready', status: ready }], nodeInfo: { operatingSystem: os, kernelVersion: kernel, containerRuntimeVersion: runtime, kubeletVersion: kubelet, osImage } },
  }, { serverVersion: 'v1.36.0', asOf: AS_OF });
}

const LINUX = node({ name: 'linux', os: 'linux' });
const CLUSTER_IDS: ReadonlySet<string> = new Set(CLUSTER_ISSUE_KINDS.map((kind) => kind.id));

/** Messages of the cluster's kinds per node, as `id: message`. */
function judge(nodes: readonly WindowsNode[], complete = true): readonly (readonly string[])[] {
  return judgeCluster(nodes, { asOf: AS_OF, complete }).map((judged) => judged.issues.filter((issue) => CLUSTER_IDS.has(issue.id)).map((issue) => `${issue.id}: ${issue.message}`));
}

describe('judgeCluster', () => {
  it('finds nothing among equals, and says nothing of Linux nodes', () => {
    assert.deepEqual(judge([node({ pool: 'a' }), node({ pool: 'a' }), LINUX]), [[], [], []]);
  });

  it('patch-behind: more than three monthly updates behind the newest known', () => {
    // 2026-06 and 2026-07 of 20348, newest known is 2026-10
    assert.deepEqual(judge([node({ kernel: '10.0.20348.5256' }), node({ kernel: '10.0.20348.5386' }), LINUX]), [
      ['patch-behind: revision 20348.5256 of 2026-06 is 4 monthly updates behind 20348.5761, the newest known'], [], [],
    ]);
  });

  it('patch-behind: behind the newest node of the cluster where that is newer than the table', () => {
    const [old, recent] = judgeCluster([node({ kernel: '10.0.20348.5256' }), node({ kernel: '10.0.20348.6000' })], { asOf: AS_OF, complete: false });
    const table = { tableMonth: '2026-10', source: 'https://www.cve.org/CVERecord?id=CVE-2026-85939', asOf: '2026-11-30' };
    assert.deepEqual(old?.patch, { month: '2026-06', monthsBehind: 4, newerThanTable: false, newestRevision: 6000, newestFrom: 'cluster', ...table });
    assert.deepEqual(recent?.patch, { month: null, monthsBehind: 0, newerThanTable: true, newestRevision: 6000, newestFrom: 'cluster', ...table });
    assert.match(old?.issues.find((issue) => issue.id === 'patch-behind')?.message ?? '', /behind 20348\.6000, the newest in this cluster$/);
  });

  it('compares revisions as numbers', () => {
    const [old] = judgeCluster([node({ kernel: '10.0.26100.4061' }), node({ kernel: '10.0.26100.33650' })], { asOf: AS_OF, complete: false });
    assert.equal(old?.patch.monthsBehind, 17);
  });

  it('does not measure servers by the revisions of clients', () => {
    const [server] = judgeCluster([node({ kernel: '10.0.26100.33650' }), node({ kernel: '10.0.26100.99999', osImage: 'Windows 11 Pro' })], { asOf: AS_OF, complete: false });
    assert.deepEqual([server?.patch.newestRevision, server?.patch.newestFrom], [33650, 'table']);
  });

  it('pool-revisions-differ: named on the older nodes of the pool only', () => {
    assert.deepEqual(judge([node({ pool: 'a', kernel: '10.0.20348.5622' }), node({ pool: 'a' }), node({ pool: 'b', kernel: '10.0.20348.5622' }), node({ kernel: '10.0.20348.5622' }), LINUX]), [
      ['pool-revisions-differ: revision 20348.5622 is older than 20348.5761 of other nodes in pool a'], [], [], [], [],
    ]);
  });

  it('pool-builds-differ, with mixed-builds: 2022 and 2025 in one pool', () => {
    assert.deepEqual(judge([node({ pool: 'a' }), node({ pool: 'a', kernel: '10.0.26100.33650' }), LINUX]), [
      [
        'pool-builds-differ: build 20348 is older than build 26100 of other nodes in pool a: pods of one pool need images for both',
        'mixed-builds: the cluster has Windows nodes of build 26100 too, whose images do not run on build 20348: pods without a build pin can land on either',
      ],
      [], // the images of 2022 run on 2025
      [],
    ]);
  });

  it('mixed-builds: both sides where neither runs the other\'s images', () => {
    const ids = judge([node({ kernel: '10.0.17763.9487' }), node({}), LINUX]).map((issues) => issues.map((issue) => issue.split(':')[0]));
    assert.deepEqual(ids, [['mixed-builds'], ['mixed-builds'], []]);
  });

  it('pool-runtimes-differ and pool-kubelets-differ', () => {
    assert.deepEqual(judge([node({ pool: 'a', runtime: 'containerd://2.0.4+azure', kubelet: 'v1.36.0' }), node({ pool: 'a', kubelet: 'v1.36.1' }), LINUX]), [
      [
        'pool-runtimes-differ: containerd 2.0.4+azure is older than 2.3.4 of other nodes in pool a: they may choose different entries of one image',
        'pool-kubelets-differ: kubelet v1.36.0 is older than v1.36.1 of other nodes in pool a',
      ],
      [], [],
    ]);
  });

  it('a vendor\'s suffix alone is no difference', () => {
    assert.deepEqual(judge([node({ pool: 'a', runtime: 'containerd://2.3.4+azure', kubelet: 'v1.36.0+rke2r1' }), node({ pool: 'a' }), LINUX]), [[], [], []]);
  });

  it('mixed-builds goes by what the node\'s own containerd takes', () => {
    const ids = (runtime: string) => judge([node({ kernel: '10.0.26100.33650', runtime }), node({}), LINUX])[0]?.map((issue) => issue.split(':')[0]);
    assert.deepEqual(ids('containerd://1.7.5'), ['mixed-builds']);
    assert.deepEqual(ids('containerd://1.7.6'), []);
    assert.deepEqual(ids('docker://25.0.3'), []);
    const newer = (runtime: string) => judge([node({ kernel: '10.0.26200.1', osImage: 'Windows 11 Pro', runtime }), node({}), LINUX])[0]?.map((issue) => issue.split(':')[0]);
    assert.deepEqual([newer('containerd://2.3.4'), newer('containerd://2.3.5')], [['mixed-builds'], []]);
  });

  it('no-linux-node: none, and only when all nodes were read', () => {
    assert.deepEqual(judge([node({})]), [['no-linux-node: the cluster has no Linux node: cluster services such as DNS have nowhere to start']]);
    assert.deepEqual(judge([node({})], false), [[]]);
  });

  const closed: readonly (readonly [title: string, parts: Parts])[] = [
    ['cordoned', { unschedulable: true }], ['not Ready', { ready: 'False' }], ['of unknown readiness', { ready: 'Unknown' }], ['without a Ready condition', { ready: '' }],
    ['tainted', { taints: [{ key: 'dedicated', value: 'build', effect: 'NoSchedule' }] }], ['tainted with NoExecute', { taints: [{ key: 'dedicated', effect: 'NoExecute' }] }],
  ];
  for (const [title, parts] of closed) {
    it(`no-linux-node: the only one is ${title}`, () => {
      assert.deepEqual(judge([node({}), node({ os: 'linux', ...parts })])[0], ['no-linux-node: the only Linux node is cordoned, not Ready or tainted: cluster services such as DNS have nowhere to start']);
    });
  }

  it('no-linux-node: not where cluster services tolerate the taint, or it only prefers', () => {
    for (const taint of [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }, { key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' }, { key: 'x', effect: 'PreferNoSchedule' }]) {
      assert.deepEqual(judge([node({}), node({ os: 'linux', taints: [taint] })]), [[], []], taint.key);
    }
    assert.match(judge([node({}), node({ os: 'linux', ready: 'False' }), node({ os: 'linux', unschedulable: true })])[0]?.[0] ?? '', /all 2 Linux nodes are cordoned/);
  });

  it('keeps order, and judging twice is judging once', () => {
    const nodes = [node({ name: 'b', kernel: '10.0.17763.1' }), LINUX, node({ name: 'a', kernel: '10.0.26100.4061', pool: 'p' })];
    const once = judgeCluster(nodes, { asOf: AS_OF, complete: true });
    assert.deepEqual(once.map((each) => each.name), ['b', 'linux', 'a']);
    assert.deepEqual(judgeCluster(once, { asOf: AS_OF, complete: true }), once);
  });

  it('judges an empty cluster', () => assert.deepEqual(judgeCluster([], { asOf: AS_OF, complete: true }), []));
});
