import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type DescribeNodeContext, describeNode } from '../../../../../src/domain/node/describe-node.ts';
import { CLUSTER_ISSUE_KINDS, NODE_ISSUE_KINDS, UNKNOWN_OS_ISSUE_KINDS } from '../../../../../src/domain/node/node-issues/index.ts';
import type { NodeIssue } from '../../../../../src/domain/node/windows-node.ts';

const AS_OF = new Date('2026-11-30T12:00:00Z');

interface NodeParts {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly nodeInfo?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A current node of Windows Server 2025 that nothing is wrong with, and what is to be different about it. */
function issuesOf(parts: NodeParts = {}, context: Partial<DescribeNodeContext> = {}): readonly NodeIssue[] {
  const node = {
    metadata: { name: 'win-1', labels: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.26100', ...parts.labels } },
    spec: { taints: [{ key: 'os', value: 'windows', effect: 'NoSchedule' }], ...parts.spec },
    status: {
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
      capacity: { memory: '16Gi', 'ephemeral-storage': '100Gi' },
      allocatable: { memory: '14Gi', 'ephemeral-storage': '90Gi' },
      nodeInfo: { operatingSystem: 'windows', architecture: 'amd64', kernelVersion: '10.0.26100.33650', kubeletVersion: 'v1.36.2', containerRuntimeVersion: 'containerd://2.3.4', osImage: 'Windows Server 2025 Datacenter', ...parts.nodeInfo },
      ...parts.status,
    },
  };
  return describeNode(node, { serverVersion: 'v1.36.4', asOf: AS_OF, ...context }).issues;
}

const AKS = { 'kubernetes.azure.com/os-sku': 'Windows' };
const SERVER_2022 = { labels: { 'node.kubernetes.io/windows-build': '10.0.20348' }, nodeInfo: { kernelVersion: '10.0.20348.5761' } };
const SERVER_2019 = { labels: { 'node.kubernetes.io/windows-build': '10.0.17763' }, nodeInfo: { kernelVersion: '10.0.17763.9487' } };

function conditions(...others: readonly Readonly<Record<string, string>>[]): NodeParts {
  return { status: { conditions: [{ type: 'Ready', status: 'True' }, ...others] } };
}

function taints(...list: readonly Readonly<Record<string, string>>[]): NodeParts {
  return { spec: { taints: [{ key: 'os', value: 'windows', effect: 'NoSchedule' }, ...list] } };
}

interface Sample {
  readonly title: string;
  readonly parts: NodeParts;
  readonly context?: Partial<DescribeNodeContext>;
}

interface BadSample extends Sample {
  readonly message: RegExp;
  /** Where it is not the kind's own. */
  readonly severity?: string;
}

/** Every issue kind with nodes that have it and nodes that only look like it. */
const SAMPLES: Readonly<Record<string, { readonly bad: readonly BadSample[]; readonly good: readonly Sample[] }>> = {
  'provider-limit': {
    bad: [
      { title: '2022 on AKS 1.37', parts: { ...SERVER_2022, labels: { ...SERVER_2022.labels, ...AKS } }, context: { serverVersion: 'v1.37.0' }, message: /^AKS has no Windows Server 2022 nodes for Kubernetes 1\.37: 1\.36 was the last version$/ },
      { title: '2019 on AKS, told by the kubelet alone', parts: { ...SERVER_2019, labels: { ...SERVER_2019.labels, ...AKS } }, context: { serverVersion: null }, message: /for Kubernetes 1\.36: 1\.32 was the last/ },
      { title: '2025 on EKS 1.34', parts: { labels: { 'eks.amazonaws.com/nodegroup': 'w' }, nodeInfo: { kubeletVersion: 'v1.34.1-eks-1' } }, context: { serverVersion: 'v1.34.1-eks-1' }, severity: 'warning', message: /^EKS has Windows Server 2025 nodes from Kubernetes 1\.35 on, the API server is 1\.34$/ },
      { title: '2025 on GKE', parts: { labels: { 'cloud.google.com/gke-nodepool': 'w' } }, severity: 'warning', message: /^GKE offers no nodes of Windows Server 2025$/ },
    ],
    good: [
      { title: '2022 on AKS 1.36, any patch', parts: { ...SERVER_2022, labels: { ...SERVER_2022.labels, ...AKS } }, context: { serverVersion: 'v1.36.9' } },
      { title: '2022 on AKS 1.37 where the user knows better', parts: { ...SERVER_2022, labels: { ...SERVER_2022.labels, ...AKS } }, context: { serverVersion: 'v1.37.0', overrides: { providers: { aks: { ltsc2022: { lastKubernetes: '1.38' } } } } } },
      { title: '2022 of one\'s own on 1.37', parts: SERVER_2022, context: { serverVersion: 'v1.37.0' } },
    ],
  },
  'past-support': {
    bad: [
      { title: '2004', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.19041' }, nodeInfo: { kernelVersion: '10.0.19041.1415' } }, message: /version 2004 \(Semi-Annual Channel\): Microsoft's support ended on 2021-12-14 \(1812 days ago\)/ },
      { title: '2019 on AKS', parts: { ...SERVER_2019, labels: { ...SERVER_2019.labels, ...AKS } }, context: { serverVersion: 'v1.32.0' }, message: /^Windows Server 2019: AKS retired it on 2026-03-01 \(274 days ago\), its node images go on 2027-04-01; Microsoft's support ends on 2029-01-09/ },
    ],
    good: [
      { title: '2019 on its own', parts: SERVER_2019 },
      { title: '2016 on its last day', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.14393' }, nodeInfo: { kernelVersion: '10.0.14393.9612' } }, context: { asOf: new Date('2027-01-12T23:59:00Z') } },
      { title: 'a client build', parts: { nodeInfo: { osImage: 'Windows 10 Pro', kernelVersion: '10.0.19041.1' } } },
    ],
  },
  'support-ending': {
    bad: [
      { title: '2022 after mainstream support', parts: SERVER_2022, message: /^Windows Server 2022: mainstream support ended on 2026-10-13; Microsoft's support ends on 2031-10-14 \(in 1779 days\)$/ },
      { title: '179 days before the end', parts: {}, context: { asOf: new Date('2034-05-19T00:00:00Z') }, message: /Microsoft's support ends on 2034-11-14 \(in 179 days\)/ },
    ],
    good: [{ title: '2025', parts: {} }, { title: 'what is past support already', parts: SERVER_2019, context: { asOf: new Date('2030-01-01') } }],
  },
  'runtime-exact-match': {
    bad: [{ title: '1.7.5 on 2025', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.5' } }, message: /containerd 1\.7\.5 takes images of build 26100 only/ }],
    good: [{ title: '1.7.6 on 2025', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.6' } } }, { title: '1.6.14 on 2022, which runs its own build only anyway', parts: { ...SERVER_2022, nodeInfo: { ...SERVER_2022.nodeInfo, containerRuntimeVersion: 'containerd://1.6.14' } } }],
  },
  'runtime-past-support': {
    bad: [
      { title: '1.7 with a suffix', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.20+azure' } }, message: /^containerd 1\.7\.20\+azure: line 1\.7 reached its end of life on 2026-09-30$/ },
      { title: '2.2', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.2.5' } }, message: /line 2\.2 reached its end of life on 2026-11-06/ },
      { title: '2.1', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.1.6' } }, message: /2026-07-03/ },
    ],
    good: [
      { title: '2.0, which is supported until March 2027', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.0.4+azure' } } },
      { title: '1.7 in time', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.20' } }, context: { asOf: new Date('2026-09-30T12:00:00Z') } },
      { title: '1.7 of a vendor who supports it longer', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.20' } }, context: { overrides: { containerd: { '1.7': '2027-06-30' } } } },
      { title: 'an unknown runtime', parts: { nodeInfo: { containerRuntimeVersion: '' } } },
      { title: 'a line that is not in the table', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://3.1.0' } } },
    ],
  },
  'runtime-docker': {
    bad: [{ title: 'Docker through cri-dockerd', parts: { nodeInfo: { containerRuntimeVersion: 'docker://25.0.3' } }, message: /^the runtime is Docker 25\.0\.3: it works through cri-dockerd$/ }],
    good: [{ title: 'containerd', parts: {} }],
  },
  'kubelet-skew': {
    bad: [
      { title: 'four minors behind', parts: { nodeInfo: { kubeletVersion: 'v1.32.9' } }, message: /^kubelet 1\.32 is 4 minor versions behind the API server 1\.36; 3 are supported$/ },
      { title: 'newer than the server', parts: { nodeInfo: { kubeletVersion: 'v1.37.0' } }, message: /^kubelet 1\.37 is newer than the API server 1\.36/ },
      { title: 'an old kubelet three minors behind', parts: { nodeInfo: { kubeletVersion: 'v1.24.0' } }, context: { serverVersion: 'v1.27.1' }, message: /2 are supported/ },
    ],
    good: [{ title: 'a newer patch than the server\'s', parts: { nodeInfo: { kubeletVersion: 'v1.36.9' } } }],
  },
  'kubelet-at-skew-limit': {
    bad: [{ title: 'three minors behind', parts: { nodeInfo: { kubeletVersion: 'v1.33.9' } }, message: /one more minor of the server breaks it/ }],
    good: [{ title: 'two minors behind', parts: { nodeInfo: { kubeletVersion: 'v1.34.9' } } }],
  },
  'kubelet-skew-unknown': {
    bad: [
      { title: 'no server version', parts: {}, context: { serverVersion: null }, message: /^kubelet skew was not evaluated: the version of the API server is not known$/ },
      { title: 'an unreadable kubelet version', parts: { nodeInfo: { kubeletVersion: 'dev' } }, message: /the kubelet version "dev" cannot be read/ },
      { title: 'no kubelet version', parts: { nodeInfo: { kubeletVersion: '' } }, message: /the node names no kubelet version/ },
    ],
    good: [{ title: 'a vendor\'s server version', parts: {}, context: { serverVersion: 'v1.36.1-gke.1372000' } }],
  },
  'no-isolating-taint': {
    bad: [
      { title: 'no taint', parts: { spec: { taints: [] } }, message: /^no taint keeps Linux pods/ },
      { title: 'a preference only', parts: { spec: { taints: [{ key: 'os', value: 'windows', effect: 'PreferNoSchedule' }] } }, message: /^no taint/ },
      { title: 'a cordon only', parts: { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } }, message: /\(node\.kubernetes\.io\/unschedulable will pass\)$/ },
    ],
    good: [{ title: 'any key of the operator\'s', parts: { spec: { taints: [{ key: 'sku', value: 'windows', effect: 'NoSchedule' }] } } }, { title: 'NoExecute', parts: { spec: { taints: [{ key: 'team', effect: 'NoExecute' }] } } }],
  },
  'build-label-missing': {
    bad: [{ title: 'no label', parts: { labels: { 'node.kubernetes.io/windows-build': null } }, message: /is missing.*; the kubelet would set it to 10\.0\.26100$/ }],
    good: [{ title: 'the label', parts: {} }],
  },
  'build-label-differs': {
    bad: [
      { title: 'another build', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.20348' } }, message: /says 10\.0\.20348, the kernel is 10\.0\.26100\.33650/ },
      { title: 'with a revision', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.26100.33650' } }, message: /is "10\.0\.26100\.33650", not of the kubelet's form/ },
      { title: 'the build alone', parts: { labels: { 'node.kubernetes.io/windows-build': '26100' } }, message: /is "26100"/ },
    ],
    good: [{ title: 'the only evidence', parts: { nodeInfo: { kernelVersion: '' } } }],
  },
  'build-unknown': {
    bad: [
      { title: 'an odd label and no kernel version', parts: { labels: { 'node.kubernetes.io/windows-build': 'x' }, nodeInfo: { kernelVersion: '' } }, message: /the node reports no kernelVersion; osImage says "Windows Server 2025 Datacenter", which is no proof/ },
      { title: 'a kernel of another form', parts: { labels: { 'node.kubernetes.io/windows-build': 'x' }, nodeInfo: { kernelVersion: 'ten' } }, message: /kernelVersion "ten" is not of the form/ },
    ],
    good: [{ title: 'the label alone', parts: { nodeInfo: { kernelVersion: '6.2.09200.192' } } }],
  },
  'build-not-in-table': {
    bad: [
      { title: 'newer', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.29999' }, nodeInfo: { kernelVersion: '10.0.29999.1', osImage: 'Windows Server 2028 Datacenter' } }, message: /^build 29999 is newer than the releases/ },
      { title: 'between', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.18900' }, nodeInfo: { kernelVersion: '10.0.18900.1' } }, message: /^build 18900 is not among/ },
    ],
    good: [{ title: 'a client', parts: { nodeInfo: { osImage: 'Windows 11 Pro' } } }],
  },
  'client-windows': {
    bad: [
      { title: 'Windows 11 24H2', parts: { nodeInfo: { osImage: 'Windows 10 Pro' } }, message: /^Windows 11, version 24H2 is a client: untested and unsupported as a Kubernetes node$/ },
      { title: 'Windows 11 25H2', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.26200' }, nodeInfo: { osImage: 'Windows 11 Pro', kernelVersion: '10.0.26200.9445' } }, message: /ltsc2025 images are known to fail there with 0xc0370112/ },
    ],
    good: [{ title: 'a server', parts: {} }],
  },
  'unsupported-architecture': {
    bad: [{ title: 'arm64', parts: { nodeInfo: { architecture: 'arm64' } }, message: /^the architecture is arm64/ }],
    good: [{ title: 'none named', parts: { nodeInfo: { architecture: '' } } }],
  },
  'images-truncated': {
    bad: [{ title: '50 images', parts: { status: { images: Array.from({ length: 50 }, () => ({ names: [] })) } }, message: /has 50 entries, the kubelet's limit/ }],
    good: [{ title: '49 images', parts: { status: { images: Array.from({ length: 49 }, () => ({ names: [] })) } } }, { title: '51 images: the limit was changed', parts: { status: { images: Array.from({ length: 51 }, () => ({ names: [] })) } } }],
  },
  'pause-image-mismatch': {
    bad: [
      { title: 'a 1909 node with the pause image of 1809', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.18363' }, nodeInfo: { kernelVersion: '10.0.18363.1556' }, status: { images: [{ names: ['mcr.microsoft.com/k8s/core/pause@sha256:aa', 'mcr.microsoft.com/k8s/core/pause:1.0.0'] }] } }, message: /none of the cached sandbox images fits build 18363: mcr\.microsoft\.com\/k8s\/core\/pause:1\.0\.0$/ },
      { title: 'a 2025 node with exact match and pause 3.9', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.5' }, status: { images: [{ names: ['registry.k8s.io/pause:3.9'] }] } }, message: /fits build 26100/ },
    ],
    good: [
      { title: 'a 2025 node that runs the pause image of 2022', parts: { status: { images: [{ names: ['registry.k8s.io/pause:3.10.1'] }] } } },
      { title: 'one that fits among others', parts: { ...SERVER_2022, status: { images: [{ names: ['x/pause:1.0.0'] }, { names: ['x/pause:3.6'] }] } } },
      { title: 'an unknown tag', parts: { status: { images: [{ names: ['x/pause:1.0.0'] }, { names: ['x/pause:2025'] }] } } },
      { title: 'a digest', parts: { status: { images: [{ names: ['x/pause@sha256:aa'] }] } } },
      { title: 'no sandbox image listed', parts: { status: { images: [{ names: ['x/app:1'] }] } } },
    ],
  },
  'not-ready': {
    bad: [
      { title: 'False', parts: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'CNI is not set up' }] } }, message: /^the node is not Ready \(KubeletNotReady: CNI is not set up\)$/ },
      { title: 'Unknown', parts: { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } }, message: /its kubelet sends no heartbeats$/ },
      { title: 'no condition', parts: { status: { conditions: [] } }, message: /reports no Ready condition/ },
    ],
    good: [{ title: 'True', parts: {} }],
  },
  'resource-pressure': {
    bad: [{ title: 'two kinds', parts: conditions({ type: 'MemoryPressure', status: 'True' }, { type: 'DiskPressure', status: 'True' }), message: /^the node reports MemoryPressure, DiskPressure$/ }],
    good: [{ title: 'False and Unknown', parts: conditions({ type: 'DiskPressure', status: 'False' }, { type: 'PIDPressure', status: 'Unknown' }) }],
  },
  'network-unavailable': {
    bad: [{ title: 'True', parts: conditions({ type: 'NetworkUnavailable', status: 'True', reason: 'NoRouteCreated' }), message: /network is not available \(NoRouteCreated\)/ }],
    good: [{ title: 'False', parts: conditions({ type: 'NetworkUnavailable', status: 'False', reason: 'CalicoIsUp' }) }],
  },
  'shutdown-pending': {
    bad: [
      { title: 'the autoscaler', parts: taints({ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }), message: /^the node is about to go away: the cluster autoscaler is removing it$/ },
      { title: 'a scheduled event', parts: conditions({ type: 'VMEventScheduled', status: 'True', reason: 'Redeploy' }), message: /the cloud reports VMEventScheduled \(Redeploy\)/ },
    ],
    good: [{ title: 'no event scheduled', parts: conditions({ type: 'VMEventScheduled', status: 'False', reason: 'NoVMEventScheduled' }) }],
  },
  'cloud-uninitialized': {
    bad: [{ title: 'the taint', parts: taints({ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }), message: /uninitialized is still on the node/ }],
    good: [{ title: 'another taint of the cloud', parts: taints({ key: 'node.cluster.x-k8s.io/outdated-revision', effect: 'PreferNoSchedule' }) }],
  },
  'nothing-reserved': {
    bad: [{ title: 'all memory, in other units', parts: { status: { conditions: [{ type: 'Ready', status: 'True' }], capacity: { memory: '16Gi' }, allocatable: { memory: '16777216Ki' } } }, message: /^all memory is allocatable \(16777216Ki\)/ }],
    good: [{ title: 'no numbers', parts: { status: { conditions: [{ type: 'Ready', status: 'True' }], capacity: {}, allocatable: {} } } }, { title: 'zero', parts: { status: { conditions: [{ type: 'Ready', status: 'True' }], capacity: { memory: '0' }, allocatable: { memory: '0' } } } }],
  },
  'no-ephemeral-storage': {
    bad: [{ title: 'zero', parts: { status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: { 'ephemeral-storage': '0' } } }, message: /ephemeral-storage is 0/ }],
    good: [{ title: 'none named', parts: { status: { conditions: [{ type: 'Ready', status: 'True' }], allocatable: {} } } }],
  },
};

describe('the issues of one node', () => {
  it('are none for a current node that is set up well', () => assert.deepEqual(issuesOf(), []));

  for (const kind of NODE_ISSUE_KINDS) {
    describe(kind.id, () => {
      const samples = SAMPLES[kind.id];
      for (const { title, parts, context, message, severity } of samples?.bad ?? []) {
        it(`is found: ${title}`, () => {
          const found = issuesOf(parts, context).filter((issue) => issue.id === kind.id);
          assert.equal(found.length, 1, issuesOf(parts, context).map((issue) => issue.id).join(' '));
          assert.match(found[0]?.message ?? '', message);
          assert.equal(found[0]?.severity, severity ?? kind.severity);
          assert.deepEqual(found[0]?.facts, kind.facts);
        });
      }
      for (const { title, parts, context } of samples?.good ?? []) {
        it(`is not found: ${title}`, () => assert.ok(!issuesOf(parts, context).some((issue) => issue.id === kind.id)));
      }
      it('has samples of both', () => assert.ok((samples?.bad.length ?? 0) > 0 && (samples?.good.length ?? 0) > 0));
    });
  }

  it('come worst first', () => {
    const severities = issuesOf({ ...SERVER_2022, labels: { ...SERVER_2022.labels, ...AKS }, spec: { taints: [] } }, { serverVersion: 'v1.37.0' }).map((issue) => issue.severity);
    assert.deepEqual(severities, ['error', 'warning', 'info']);
  });
});

describe('the registry of node issues', () => {
  const kinds = [...NODE_ISSUE_KINDS, ...UNKNOWN_OS_ISSUE_KINDS, ...CLUSTER_ISSUE_KINDS];

  it('lists every kind that has a file, under its name', () => {
    const folder = join(import.meta.dirname, '../../../../../src/domain/node/node-issues');
    const files = readdirSync(folder).map((name) => name.replace(/\.ts$/, '')).filter((name) => !['index', 'node-issue-kind', 'cluster-facts'].includes(name));
    assert.deepEqual(kinds.map((kind) => kind.id).toSorted(), files.toSorted());
  });

  it('covers NOD-001 to NOD-009', () => {
    const facts = new Set(kinds.flatMap((kind) => [...kind.facts]));
    assert.deepEqual([...facts].toSorted(), ['NOD-001', 'NOD-002', 'NOD-003', 'NOD-004', 'NOD-005', 'NOD-006', 'NOD-007', 'NOD-008', 'NOD-009']);
  });

  for (const kind of kinds) {
    it(`${kind.id} is kebab-case and has an https reference`, () => {
      assert.match(kind.id, /^[a-z]+(-[a-z]+)*$/);
      assert.match(kind.reference, /^https:\/\//);
    });
  }
});
