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

const AKS_2019 = { ...SERVER_2019, labels: { ...SERVER_2019.labels, ...AKS } };
const AKS_2022 = { ...SERVER_2022, labels: { ...SERVER_2022.labels, ...AKS } };

/** A node of another release. */
function server(build: number, revision: number, nodeInfo: Readonly<Record<string, unknown>> = {}): NodeParts {
  return { labels: { 'node.kubernetes.io/windows-build': `10.0.${build}` }, nodeInfo: { kernelVersion: `10.0.${build}.${revision}`, ...nodeInfo } };
}

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
  readonly reference?: string;
  readonly remedy?: RegExp;
}

/** Every issue kind with nodes that have it and nodes that only look like it. */
const SAMPLES: Readonly<Record<string, { readonly bad: readonly BadSample[]; readonly good: readonly Sample[] }>> = {
  'provider-limit': {
    bad: [
      { title: '2022 on AKS 1.37', parts: { ...SERVER_2022, labels: { ...SERVER_2022.labels, ...AKS } }, context: { serverVersion: 'v1.37.0' }, message: /^AKS has no Windows Server 2022 nodes for Kubernetes 1\.37: 1\.36 was the last version$/, reference: 'https://github.com/Azure/AKS/releases/tag/2026-06-19' },
      { title: '2022 on AKS by the user\'s word', parts: AKS_2022, context: { overrides: { providers: { aks: { ltsc2022: { lastKubernetes: '1.35' } } } } }, message: /: 1\.35 was the last version by the configuration$/ },
      { title: '2019 on OpenShift 4.22', parts: { ...SERVER_2019, labels: { ...SERVER_2019.labels, 'node.openshift.io/os_id': 'Windows' } }, context: { serverVersion: 'v1.35.2' }, message: /^OpenShift has no Windows Server 2019 nodes for Kubernetes 1\.35: 1\.34 was the last version$/ },
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
      { title: '2004', parts: server(19041, 1415), message: /version 2004 \(Semi-Annual Channel\): Microsoft's support ended on 2021-12-14 \(1812 days ago\)/, reference: 'https://learn.microsoft.com/lifecycle/products/windows-server-semiannual-channel', remedy: /^plan the move to a supported release$/ },
      { title: '2019 on AKS, whose page is then linked', parts: AKS_2019, context: { serverVersion: 'v1.32.0' }, message: /^Windows Server 2019: AKS retired it on 2026-03-01 \(274 days ago\), its node images go on 2027-04-01; Microsoft's support ends on 2029-01-09/, reference: 'https://github.com/Azure/AKS/issues/4091', remedy: /^plan the move to a release that AKS supports$/ },
      { title: '2019 on AKS after both ends: Microsoft\'s page', parts: AKS_2019, context: { asOf: new Date('2029-01-10T00:00:00Z') }, message: /Microsoft's support ended on 2029-01-09 \(1 day ago\); AKS retired it on 2026-03-01/, reference: 'https://learn.microsoft.com/lifecycle/products/windows-server-2019', remedy: /supported release$/ },
      { title: '2019 on AKS on the very day', parts: AKS_2019, context: { asOf: new Date('2026-03-01T00:00:00Z') }, message: /AKS retired it on 2026-03-01 \(today, the first day without its support\), its node images go/ },
      { title: '2019 on AKS a day later', parts: AKS_2019, context: { asOf: new Date('2026-03-02T23:59:00Z') }, message: /\(1 day ago\)/ },
      { title: '2016 the day after its last', parts: server(14393, 9612), context: { asOf: new Date('2027-01-13T00:00:00Z') }, message: /Microsoft's support ended on 2027-01-12 \(1 day ago\)/ },
      { title: 'by the user\'s dates', parts: SERVER_2019, context: { overrides: { releases: { ltsc2019: { extendedEnd: '2026-11-01' } } } }, message: /^Windows Server 2019: support ended on 2026-11-01 by the configuration \(29 days ago\)$/, reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info' },
      { title: 'by the user\'s date for the provider', parts: AKS_2019, context: { overrides: { providers: { aks: { ltsc2019: { end: '2026-11-30' } } } } }, message: /AKS retired it on 2026-11-30 by the configuration \(today, the first day without its support\)/, reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info' },
    ],
    good: [
      { title: '2019 on its own', parts: SERVER_2019 },
      { title: '2019 on AKS the day before', parts: AKS_2019, context: { asOf: new Date('2026-02-28T23:59:00Z') } },
      { title: '2016 on its last day', parts: server(14393, 9612), context: { asOf: new Date('2027-01-12T23:59:00Z') } },
      { title: 'a client build', parts: { nodeInfo: { osImage: 'Windows 10 Pro', kernelVersion: '10.0.19041.1' } } },
    ],
  },
  'support-ending': {
    bad: [
      { title: '2022 after mainstream support', parts: SERVER_2022, message: /^Windows Server 2022: mainstream support ended on 2026-10-13; Microsoft's support ends on 2031-10-14 \(in 1779 days\)$/, reference: 'https://learn.microsoft.com/lifecycle/products/windows-server-2022', remedy: /newer release$/ },
      { title: '2022 on AKS, long before its end there', parts: AKS_2022, message: /; AKS retires it on 2028-06-30 \(in 578 days\)/, reference: 'https://learn.microsoft.com/lifecycle/products/windows-server-2022' },
      { title: '2022 on AKS, shortly before: its page', parts: AKS_2022, context: { asOf: new Date('2028-06-29T00:00:00Z') }, message: /AKS retires it on 2028-06-30 \(in 1 day\), its node images go on 2029-06-30$/, reference: 'https://github.com/Azure/AKS/releases/tag/2026-06-19', remedy: /^plan the move to a release that AKS supports longer$/ },
      { title: '2022 on AKS before the end of mainstream support: the user\'s date alone', parts: AKS_2022, context: { asOf: new Date('2026-09-01T00:00:00Z'), overrides: { providers: { aks: { ltsc2022: { end: '2026-10-01' } } } } }, message: /^Windows Server 2022: Microsoft's support ends on .*; AKS retires it on 2026-10-01 by the configuration \(in 30 days\)/, reference: 'https://learn.microsoft.com/windows/release-health/windows-server-release-info' },
      { title: '179 days before the end', parts: {}, context: { asOf: new Date('2034-05-19T00:00:00Z'), overrides: { releases: { ltsc2025: { mainstreamEnd: '2034-11-14' } } } }, message: /^Windows Server 2025: Microsoft's support ends on 2034-11-14 \(in 179 days\)$/ },
      { title: 'mainstream support that the user ended', parts: {}, context: { overrides: { releases: { ltsc2025: { mainstreamEnd: '2026-11-29' } } } }, message: /mainstream support ended on 2026-11-29 by the configuration; Microsoft's support ends/ },
      { title: 'on the last day', parts: server(14393, 9612), context: { asOf: new Date('2027-01-12T00:00:00Z') }, message: /Microsoft's support ends on 2027-01-12 \(today\)/ },
    ],
    good: [
      { title: '2025', parts: {} },
      { title: 'exactly 180 days before the end', parts: {}, context: { asOf: new Date('2034-05-18T00:00:00Z'), overrides: { releases: { ltsc2025: { mainstreamEnd: '2034-11-14' } } } } },
      { title: 'the last day of mainstream support', parts: SERVER_2022, context: { asOf: new Date('2026-10-13T12:00:00Z') } },
      { title: 'what is past support already', parts: SERVER_2019, context: { asOf: new Date('2030-01-01') } },
    ],
  },
  'kubernetes-untested-release': {
    bad: [
      { title: '2019 on 1.37', parts: SERVER_2019, context: { serverVersion: 'v1.37.0' }, message: /^Windows Server 2019 is not among the Windows versions that Kubernetes lists for nodes of 1\.37 \(missing since 1\.37 at the latest\)$/ },
      { title: '2016 on any', parts: server(14393, 9612), context: { serverVersion: 'v1.14.0' }, message: /^Windows Server 2016 .* 1\.14/ },
      { title: '20H2, told by the kubelet alone', parts: server(19042, 1889, { kubeletVersion: 'v1.26.1' }), context: { serverVersion: null }, message: /20H2 is not among/, reference: 'https://github.com/kubernetes/kubernetes/pull/112924' },
    ],
    good: [
      { title: '2019 on 1.36', parts: SERVER_2019 },
      { title: '20H2 on 1.25', parts: server(19042, 1889), context: { serverVersion: 'v1.25.16' } },
      { title: '2022 on 1.37', parts: SERVER_2022, context: { serverVersion: 'v1.37.0' } },
      { title: 'no version known', parts: { ...SERVER_2019, nodeInfo: { ...SERVER_2019.nodeInfo, kubeletVersion: '' } }, context: { serverVersion: null } },
      { title: 'a client of the same build', parts: { ...SERVER_2019, nodeInfo: { ...SERVER_2019.nodeInfo, osImage: 'Windows 10 Pro' } }, context: { serverVersion: 'v1.37.0' } },
    ],
  },
  'evaluation-edition': {
    bad: [{ title: 'Evaluation', parts: { nodeInfo: { osImage: 'Windows Server 2025 Standard Evaluation' } }, message: /^the edition is Standard Evaluation, which runs out 180 days/ }],
    good: [{ title: 'Datacenter', parts: {} }, { title: 'no osImage', parts: { nodeInfo: { osImage: '' } } }, { title: 'a word that only begins alike', parts: { nodeInfo: { osImage: 'Windows Server 2025 Evaluations' } } }],
  },
  'os-label-differs': {
    bad: [
      { title: 'missing', parts: { labels: { 'kubernetes.io/os': null } }, message: /^the label kubernetes\.io\/os is missing/ },
      { title: 'another', parts: { labels: { 'kubernetes.io/os': 'linux' } }, message: /^the label kubernetes\.io\/os says "linux", the node runs Windows/ },
      { title: 'in another case', parts: { labels: { 'kubernetes.io/os': 'Windows' } }, message: /says "Windows"/ },
      { title: 'from kubelet 1.18 on', parts: { labels: { 'kubernetes.io/os': null }, nodeInfo: { kubeletVersion: 'v1.18.0' } }, message: /missing/ },
    ],
    good: [
      { title: 'windows', parts: {} },
      { title: 'missing on kubelet 1.17', parts: { labels: { 'kubernetes.io/os': null }, nodeInfo: { kubeletVersion: 'v1.17.9' } } },
      { title: 'missing, kubelet unknown', parts: { labels: { 'kubernetes.io/os': null }, nodeInfo: { kubeletVersion: '' } } },
    ],
  },
  'os-sku-differs': {
    bad: [
      { title: '2019 on 2025', parts: { labels: { 'kubernetes.azure.com/os-sku': 'Windows2019' } }, message: /^the label kubernetes\.azure\.com\/os-sku says Windows2019, which is build 17763; the node's is 26100$/ },
      { title: '2022 on 23H2', parts: { ...server(25398, 2330), labels: { 'node.kubernetes.io/windows-build': '10.0.25398', 'kubernetes.azure.com/os-sku': 'Windows2022' } }, message: /build 20348; the node's is 25398/ },
    ],
    good: [
      { title: '2025', parts: { labels: { 'kubernetes.azure.com/os-sku': 'Windows2025' } } },
      { title: 'the Annual Channel', parts: { ...server(25398, 2330), labels: { 'node.kubernetes.io/windows-build': '10.0.25398', 'kubernetes.azure.com/os-sku': 'WindowsAnnual' } } },
      { title: 'a SKU without a version', parts: { labels: AKS } },
      { title: 'a word of every object', parts: { labels: { 'kubernetes.azure.com/os-sku': 'constructor' } } },
      { title: 'an unknown build', parts: { labels: { 'node.kubernetes.io/windows-build': null, 'kubernetes.azure.com/os-sku': 'Windows2019' }, nodeInfo: { kernelVersion: '' } } },
    ],
  },
  'runtime-too-old': {
    bad: [{ title: '1.5', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.5.18' } }, message: /^containerd 1\.5\.18 runs no HostProcess containers; they need 1\.6 or newer$/ }],
    good: [{ title: '1.6 from its first candidate on', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.6.0-rc.1' } } }, { title: '2.0', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.0.0' } } }, { title: 'Docker', parts: { nodeInfo: { containerRuntimeVersion: 'docker://1.5.0' } } }],
  },
  'autoscaler-candidate': {
    bad: [{ title: 'the taint', parts: taints({ key: 'DeletionCandidateOfClusterAutoscaler', value: '1764500000', effect: 'PreferNoSchedule' }), message: /holds the node for unneeded/ }],
    good: [{ title: 'no such taint', parts: {} }, { title: 'a node that it is removing', parts: taints({ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }) }],
  },
  'revision-bound': {
    bad: [
      { title: '2016', parts: server(14393, 9612), message: /^on Windows Server 2016 only images of the host's own revision are sure to start: those of 14393\.9612$/ },
      { title: '2016 without a revision', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.14393' }, nodeInfo: { kernelVersion: '' } }, message: /the revision is not known$/ },
    ],
    good: [{ title: '2019', parts: SERVER_2019 }],
  },
  'disk-pressure-unproven': {
    bad: [{ title: 'Docker and False', parts: { ...conditions({ type: 'DiskPressure', status: 'False' }), nodeInfo: { containerRuntimeVersion: 'docker://20.10.9' } }, message: /^DiskPressure False is no proof of free space here/ }],
    good: [
      { title: 'containerd', parts: conditions({ type: 'DiskPressure', status: 'False' }) },
      { title: 'Docker and True', parts: { ...conditions({ type: 'DiskPressure', status: 'True' }), nodeInfo: { containerRuntimeVersion: 'docker://20.10.9' } } },
      { title: 'Docker and no such condition', parts: { nodeInfo: { containerRuntimeVersion: 'docker://20.10.9' } } },
    ],
  },
  'runtime-exact-match': {
    bad: [{ title: '1.7.5 on 2025', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.5' } }, message: /containerd 1\.7\.5 takes images of build 26100 only/ }],
    good: [{ title: '1.7.6 on 2025', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.6' } } }, { title: '1.6.14 on 2022, which runs its own build only anyway', parts: { ...SERVER_2022, nodeInfo: { ...SERVER_2022.nodeInfo, containerRuntimeVersion: 'containerd://1.6.14' } } }],
  },
  'runtime-past-support': {
    bad: [
      { title: '1.7 with a suffix', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.20+azure' } }, message: /^containerd 1\.7\.20\+azure: line 1\.7 reached its end of life on 2026-09-30$/, remedy: /to a supported line \(2\.4 until 2027-05-16, 2\.3 until 2028-04-30, 2\.0 until 2027-03-31\), or set the date/ },
      { title: '2.2', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.2.5' } }, message: /line 2\.2 reached its end of life on 2026-11-06/ },
      { title: '2.1', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.1.6' } }, message: /2026-07-03/ },
      { title: 'the day after the end', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.7.20' } }, context: { asOf: new Date('2026-10-01T00:00:00Z') }, message: /2026-09-30$/, remedy: /\(2\.4 until 2027-05-16, 2\.3 until 2028-04-30, 2\.2 until 2026-11-06, 2\.0 until/ },
      { title: 'a day without any supported line in the table', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.3.4' } }, context: { asOf: new Date('2030-01-01T00:00:00Z') }, message: /2028-04-30$/, remedy: /to a supported line, or set/ },
      { title: 'on a day before the newest lines came out', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://1.6.39' } }, context: { asOf: new Date('2026-04-30T00:00:00Z') }, message: /2025-08-23$/, remedy: /\(2\.3 until 2028-04-30, 2\.2 until/ },
      { title: 'by the user\'s date', parts: { nodeInfo: { containerRuntimeVersion: 'containerd://2.3.4' } }, context: { overrides: { containerd: { '2.3': '2026-11-29' } } }, message: /on 2026-11-29 by the configuration$/ },
      { title: 'on a provider that maintains it', parts: { labels: AKS, nodeInfo: { containerRuntimeVersion: 'containerd://1.7.20+azure' } }, severity: 'info', message: /2026-09-30$/, remedy: /^AKS maintains the runtime of its nodes; watch for a newer node image$/ },
      { title: 'on a cloud whose machines are one\'s own', parts: { spec: { providerID: 'aws:///x' }, nodeInfo: { containerRuntimeVersion: 'containerd://1.7.20' } }, message: /2026-09-30$/ },
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
      { title: 'no taint', parts: { spec: { taints: [] } }, message: /^no taint keeps Linux pods/, remedy: /in the kubelet configuration of the pool \(registerWithTaints\): taints set by hand are lost on scale-out; .* DaemonSets of agents/ },
      { title: 'no taint on AKS', parts: { labels: AKS, spec: { taints: [] } }, message: /^no taint/, remedy: /^set the taint os=windows:NoSchedule in the AKS node pool \(az aks nodepool update --node-taints\)/ },
      { title: 'no taint on a provider without a page of its own', parts: { spec: { taints: [], providerID: 'vsphere://x' } }, message: /^no taint/, remedy: /registerWithTaints/ },
      ...[
        'karpenter.sh/disrupted', 'karpenter.sh/unregistered', 'node.cilium.io/agent-not-ready', 'node.cluster.x-k8s.io/uninitialized', 'node.cloudprovider.kubernetes.io/uninitialized',
        'ToBeDeletedByClusterAutoscaler', 'DeletionCandidateOfClusterAutoscaler', 'ebs.csi.aws.com/agent-not-ready', 'efs.csi.aws.com/agent-not-ready', 'node.kubernetes.io/not-ready',
        'node.kubernetes.io/unreachable', 'node.kubernetes.io/memory-pressure', 'node.kubernetes.io/disk-pressure', 'node.kubernetes.io/pid-pressure', 'node.kubernetes.io/network-unavailable', 'node.kubernetes.io/out-of-service',
      ].map((key): BadSample => ({ title: `${key} alone`, parts: { spec: { taints: [{ key, effect: 'NoSchedule' }] } }, message: new RegExp(`\\(${key.replaceAll('.', '\\.')} will pass\\)$`) })),
      { title: 'a preference only', parts: { spec: { taints: [{ key: 'os', value: 'windows', effect: 'PreferNoSchedule' }] } }, message: /^no taint/ },
      { title: 'a cordon only', parts: { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } }, message: /\(node\.kubernetes\.io\/unschedulable will pass\)$/ },
    ],
    good: [{ title: 'any key of the operator\'s', parts: { spec: { taints: [{ key: 'sku', value: 'windows', effect: 'NoSchedule' }] } } }, { title: 'NoExecute', parts: { spec: { taints: [{ key: 'team', effect: 'NoExecute' }] } } }, { title: 'a key that only begins like a lifecycle taint', parts: { spec: { taints: [{ key: 'node.kubernetes.io/not-ready-for-us', effect: 'NoSchedule' }] } } }],
  },
  'build-label-missing': {
    bad: [{ title: 'no label', parts: { labels: { 'node.kubernetes.io/windows-build': null } }, message: /is missing.*; the kubelet would set it to 10\.0\.26100$/ }],
    good: [{ title: 'the label', parts: {} }],
  },
  'build-label-differs': {
    bad: [
      { title: 'another build', parts: { labels: { 'node.kubernetes.io/windows-build': '10.0.20348' } }, message: /says 10\.0\.20348, the kernel is 10\.0\.26100\.33650/, remedy: /^restart the kubelet, which overwrites the label; do not remove it/ },
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
      ...['RebootScheduled', 'RedeployScheduled', 'FreezeScheduled', 'PreemptScheduled', 'TerminateScheduled'].map((type): BadSample => ({ title: type, parts: conditions({ type, status: 'True' }), message: new RegExp(`: the cloud reports ${type}$`) })),
      { title: 'Karpenter', parts: taints({ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }), message: /: Karpenter is replacing it$/ },
      { title: 'Karpenter before 1.0', parts: taints({ key: 'karpenter.sh/disruption', value: 'disrupting', effect: 'NoSchedule' }), message: /: Karpenter is replacing it$/ },
      { title: 'a machine that is off', parts: taints({ key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' }), message: /: its machine is shut down$/ },
      { title: 'out of service', parts: taints({ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }), message: /: it was declared out of service$/ },
      { title: 'the kubelet\'s own word', parts: { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' }] } }, message: /: the node is shutting down$/ },
    ],
    good: [{ title: 'a mere candidate', parts: taints({ key: 'DeletionCandidateOfClusterAutoscaler', effect: 'PreferNoSchedule' }) }, { title: 'no event scheduled', parts: conditions({ type: 'VMEventScheduled', status: 'False', reason: 'NoVMEventScheduled' }) }],
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
      for (const { title, parts, context, message, severity, reference, remedy } of samples?.bad ?? []) {
        it(`is found: ${title}`, () => {
          const found = issuesOf(parts, context).filter((issue) => issue.id === kind.id);
          assert.equal(found.length, 1, issuesOf(parts, context).map((issue) => issue.id).join(' '));
          assert.match(found[0]?.message ?? '', message);
          assert.equal(found[0]?.severity, severity ?? kind.severity);
          assert.deepEqual(found[0]?.facts, kind.facts);
          if (reference !== undefined) assert.equal(found[0]?.reference, reference);
          if (remedy !== undefined) assert.match(found[0]?.remedy ?? '', remedy);
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

  it('covers NOD-001 to NOD-009, and the HostProcess number of nodes', () => {
    const facts = new Set(kinds.flatMap((kind) => [...kind.facts]));
    assert.deepEqual([...facts].toSorted(), ['HPC-013', 'NOD-001', 'NOD-002', 'NOD-003', 'NOD-004', 'NOD-005', 'NOD-006', 'NOD-007', 'NOD-008', 'NOD-009']);
  });

  for (const kind of kinds) {
    it(`${kind.id} is kebab-case and has an https reference`, () => {
      assert.match(kind.id, /^[a-z]+(-[a-z]+)*$/);
      assert.match(kind.reference, /^https:\/\//);
    });
  }
});
