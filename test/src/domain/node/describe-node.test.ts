import assert from 'node:assert/strict';
import { type DescribeNodeContext, describeNode } from '../../../../src/domain/node/describe-node.ts';
import { judgeCluster } from '../../../../src/domain/node/judge-cluster.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { describeCases, readCaseNodes, readNodeExpectations } from '../../../support/cases.ts';
import { seededRandom, testSeed } from '../../../support/random.ts';

const AS_OF = new Date('2026-11-30T12:00:00Z');
const CONTEXT: DescribeNodeContext = { serverVersion: null, asOf: AS_OF };

function describeWith(nodeInfo: Readonly<Record<string, unknown>>, labels: Readonly<Record<string, string>> = {}, context: Partial<DescribeNodeContext> = {}): WindowsNode {
  return describeNode({ metadata: { name: 'win-1', labels }, status: { nodeInfo: { operatingSystem: 'windows', ...nodeInfo } } }, { ...CONTEXT, ...context });
}

function messagesOf(node: WindowsNode): string {
  return node.issues.map((issue) => issue.message).join('\n');
}

describeCases('the expectations about real nodes', (folder) => {
  const judged = new Map<string, readonly WindowsNode[]>();
  /** With no server version known, as the score runs, and on a fixed day. */
  function nodesOf(file: string, serverVersion: string | null = null): readonly WindowsNode[] {
    const key = `${file} ${serverVersion}`;
    const known = judged.get(key) ?? judgeCluster(readCaseNodes(folder, file).map((raw) => describeNode(raw, { serverVersion, asOf: AS_OF })), { asOf: AS_OF, complete: true });
    judged.set(key, known);
    return known;
  }
  function nodeOf(file: string, name: string, serverVersion: string | null = null): WindowsNode {
    return nodesOf(file, serverVersion).find((node) => node.name === name) ?? assert.fail(`${file} has no ${name}`);
  }

  for (const { file, nodes } of readNodeExpectations(folder)) {
    for (const want of nodes) {
      it(`${file} ${want.name}`, () => {
        const node = nodeOf(file, want.name);
        assert.equal(node.os, want.os);
        if (want.os !== 'linux') {
          assert.deepEqual([node.build, node.revision, node.release, node.ready], [want.build, want.revision, want.release, want.ready]);
        }
        const facts = new Set(node.issues.flatMap((issue) => issue.facts));
        for (const must of want.must.filter(isNumber)) assert.ok(must.split('|').some((fact) => facts.has(fact)), `${must} is not among ${[...facts].join(' ')}`);
        for (const mustNot of want.mustNot.filter(isNumber)) assert.ok(!facts.has(mustNot), `${mustNot} reported`);
      });
    }
  }

  it('1803 and 2004 are called SAC releases, never LTSC', () => {
    const node = nodeOf('acsengine-1803-two-nodes.yaml', '00000k8s9000');
    assert.deepEqual([node.product, node.channel], ['Windows Server, version 1803', 'SAC']);
    assert.match(messagesOf(node), /version 1803 \(Semi-Annual Channel\): Microsoft's support ended on 2019-11-12/);
    const newer = nodeOf('aksengine-2004-sac-docker.yaml', '0000k8s00000000');
    assert.match(messagesOf(newer), /version 2004 \(Semi-Annual Channel\): Microsoft's support ended on 2021-12-14/);
    assert.deepEqual(newer.canRun, ['2004']);
  });

  it('two Windows nodes without kubernetes.io/os are found', () => {
    assert.equal(nodesOf('acsengine-beta-labels-only.yaml').filter((node) => node.os === 'windows').length, 2);
  });

  it('kernel 6.2 is called an artefact; build 9200 and the leading zero lead nowhere', () => {
    const node = nodeOf('acsengine-kernel-6.2-getversion.yaml', '00000k8s9010');
    assert.match(messagesOf(node), /kernelVersion 6\.2\.09200\.192 is an artefact of kubelets before 1\.9\.x/);
    assert.deepEqual([node.build, node.product], [null, null]);
    assert.doesNotMatch(messagesOf(node), /build 9200/);
  });

  it('DiskPressure False is no proof of free space, and no disk pressure either', () => {
    const node = nodeOf('aks-1.19-disk-full-no-pressure.json', 'akswin000001');
    assert.match(messagesOf(node), /DiskPressure False is no proof of free space/);
    assert.ok(!node.issues.some((issue) => issue.id === 'resource-pressure'));
  });

  it('vendors\' suffixes do not hide the containerd version', () => {
    assert.deepEqual(nodeOf('aks-1.26-2022-containerd-1.6.14.yaml', 'akswin000000').containerRuntime, { name: 'containerd', version: '1.6.14+azure', supportEnd: '2025-08-23' });
    assert.match(messagesOf(nodeOf('rke2-1.26-2022-unknown-runtime.yaml', 'win-node-1')), /containerd 1\.6\.14\+unknown: line 1\.6 reached its end of life/);
    assert.doesNotMatch(messagesOf(nodeOf('rke2-1.26-2022-unknown-runtime.yaml', 'win-node-1')), /unknown runtime/i);
  });

  it('a Windows node without kernelVersion and label has no build; osImage is named as no proof', () => {
    const node = nodeOf('aks-docs-node-access-no-kernel.yaml', 'aksnpwin000000');
    assert.deepEqual([node.build, node.product, node.canRun], [null, null, null]);
    assert.match(messagesOf(node), /the Windows build is unknown: the node reports no kernelVersion; osImage says "Windows Server 2022 Datacenter", which is no proof/);
  });

  it('17763 is Windows Server 2019 although osImage has no year; an empty runtime is unknown', () => {
    const node = nodeOf('aks-docs-rdp-1.12-datacenter-docker.yaml', 'aksnpwin000000');
    assert.deepEqual([node.product, node.osImage, node.containerRuntime], ['Windows Server 2019', 'Windows Server Datacenter', null]);
  });

  it('revisions are numbers: 4061 is older than 33296, and both are whole', () => {
    const [old, recent] = [nodeOf('aks-vhd-2025-26100.4061.json', 'aksnpwin000000'), nodeOf('aks-vhd-2025-26100.33296.json', 'aksnpwin000000')];
    assert.ok((old.revision ?? 0) < (recent.revision ?? 0));
    assert.equal(recent.revision, 33296);
    const together = judgeCluster([recent, old], { asOf: AS_OF, complete: false });
    assert.deepEqual(together.map((node) => node.issues.filter((issue) => issue.id === 'pool-revisions-differ').length), [0, 1]);
  });

  it('2025 runs the images of 2022 as well; 2022 its own only', () => {
    assert.deepEqual(nodeOf('aks-vhd-2025-26100.33296.json', 'aksnpwin000000').canRun, ['ltsc2025', 'ltsc2022']);
    assert.deepEqual(nodeOf('aks-vhd-2022-20348.5499-gen1.yaml', 'aksnpwin000000').canRun, ['ltsc2022']);
  });

  it('23H2 is the Annual Channel although osImage says 2022, and AKS retired it', () => {
    for (const file of ['aks-vhd-23h2-25398.1009.yaml', 'aks-vhd-23h2-25398.2330.json']) {
      const node = nodeOf(file, 'aksnpwin000000');
      assert.equal(node.osImage, 'Windows Server 2022 Datacenter');
      assert.deepEqual([node.product, node.channel, node.canRun], ['Windows Server, version 23H2', 'AC', ['ltsc2022']]);
      assert.match(messagesOf(node), /version 23H2 \(Annual Channel\).*AKS retired it on 2026-05-15/);
    }
  });

  it('AKS\' dates for 2022 are no error while it is supported', () => {
    const node = nodeOf('aks-vhd-2022-20348.5499-gen1.yaml', 'aksnpwin000000');
    assert.deepEqual(node.issues.filter((issue) => issue.facts.includes('NOD-002')).map((issue) => issue.severity), ['info']);
    assert.deepEqual([node.support.mainstreamEnd, node.support.extendedEnd, node.support.providerEnd, node.support.daysLeft], ['2026-10-13', '2031-10-14', '2028-06-30', 578]);
    assert.deepEqual([node.support.lastDay, node.support.lastDayOf], ['2028-06-30', 'provider']);
    assert.deepEqual([node.support.microsoftSource, node.support.microsoftAsOf], ['https://learn.microsoft.com/lifecycle/products/windows-server-2022', '2026-11-30']);
    assert.deepEqual([node.support.providerSource, node.support.providerAsOf], ['https://github.com/Azure/AKS/releases/tag/2026-06-19', '2026-11-30']);
  });

  it('an unreachable node is neither Ready nor not', () => {
    const node = nodeOf('onprem-mixed-2016-2019-2022-unreachable.json', 'winsrv16');
    assert.deepEqual([node.ready, node.status], [null, 'NotReady']);
    assert.match(messagesOf(node), /whether the node is Ready is Unknown \(NodeStatusUnknown\)/);
    assert.equal(new Set(nodesOf('onprem-mixed-2016-2019-2022-unreachable.json').map((each) => each.build)).size, 3);
  });

  it('NotReady and SchedulingDisabled are shown in kubectl\'s words', () => {
    assert.equal(nodeOf('capz-1.25-notready-linux-behind.yaml', 'capz-conf-00000').status, 'NotReady');
    assert.equal(nodeOf('kubespray-win-beta-label.yaml', 'winnode01').status, 'Ready,SchedulingDisabled');
  });

  it('a pre-release kubelet with build metadata is version 1.23; Evaluation is an edition', () => {
    const node = nodeOf('devtools-1.23-evaluation-rc.yaml', 'winw1', 'v1.30.0');
    assert.match(messagesOf(node), /kubelet 1\.23 is 7 minor versions behind the API server 1\.30/);
    assert.deepEqual([node.product, node.edition], ['Windows Server 2019', 'Standard Evaluation']);
  });

  it('the label is evidence where there is no kernelVersion', () => {
    assert.equal(nodeOf('eks-1.21-eksctl-2019.yaml', 'ip-192-0-2-31.eu-west-2.compute.internal').buildEvidence, 'label');
  });

  it('the missing taint is a warning, not an error', () => {
    const node = nodeOf('eks-1.21-eksctl-2019.yaml', 'ip-192-0-2-31.eu-west-2.compute.internal');
    assert.deepEqual(node.issues.filter((issue) => issue.facts.includes('NOD-005')).map((issue) => issue.severity), ['warning']);
  });

  it('allocatable ephemeral-storage 0 is named', () => {
    assert.match(messagesOf(nodeOf('eks-2019-preview-beta-labels.json', 'ip-192-0-2-40.us-east-2.compute.internal')), /ephemeral-storage is 0: pods that request ephemeral-storage never fit/);
  });

  it('a Linux kernel is no Windows build, and Linux nodes are not judged', () => {
    for (const node of nodesOf('eks-docs-linux-only-and-fargate.yaml')) assert.deepEqual([node.os, node.build, node.issues], ['linux', null, []]);
  });

  it('the runtime is nodeInfo\'s, not a condition\'s of the problem detector', () => {
    const [node] = nodesOf('gke-linux-cos-full-node.json');
    assert.deepEqual([node?.os, node?.containerRuntime?.name], ['linux', 'docker']);
  });

  it('each node has its own runtime', () => {
    const runtimes = nodesOf('kubeadm-1.19-containerd-1.4.yaml').map((node) => [node.name, node.containerRuntime?.name]);
    assert.deepEqual(runtimes, [['controller-0', 'docker'], ['worker-win-2', 'containerd']]);
  });

  it('with a 1.29 server, 1.28 and 1.27 are fine, 1.26 is allowed for the last time', () => {
    const skew = ['ip-c0000251', 'ip-c0000252', 'ip-c0000253', 'ip-c0000254'].map((name) => nodeOf('rke2-calico-four-minors.json', name, 'v1.29.2+rke2r1').issues.filter((issue) => issue.id.startsWith('kubelet-')).map((issue) => issue.id));
    assert.deepEqual(skew, [[], [], [], ['kubelet-at-skew-limit']]);
    assert.ok(nodeOf('rke2-calico-four-minors.json', 'ip-c0000254', 'v1.30.0').issues.some((issue) => issue.id === 'kubelet-skew'));
  });
});

function isNumber(word: string): boolean {
  return /^[A-Z]{3}-\d{3}/.test(word);
}

describe('describeNode', () => {
  const osCases: readonly (readonly [title: string, node: unknown, os: string | null, evidence: string | null])[] = [
    ['nodeInfo', { status: { nodeInfo: { operatingSystem: 'windows' } }, metadata: { labels: { 'kubernetes.io/os': 'linux' } } }, 'windows', 'nodeInfo'],
    ['nodeInfo in another case', { status: { nodeInfo: { operatingSystem: 'Windows' } } }, 'windows', 'nodeInfo'],
    ['kubernetes.io/os', { metadata: { labels: { 'kubernetes.io/os': 'windows' } } }, 'windows', 'label'],
    ['beta.kubernetes.io/os', { metadata: { labels: { 'beta.kubernetes.io/os': 'linux' } } }, 'linux', 'label'],
    ['the build label', { metadata: { labels: { 'node.kubernetes.io/windows-build': '10.0.20348' } } }, 'windows', 'label'],
    ['os-sku', { metadata: { labels: { 'kubernetes.azure.com/os-sku': 'Windows2022' } } }, 'windows', 'label'],
    ['a Linux os-sku', { metadata: { labels: { 'kubernetes.azure.com/os-sku': 'AzureLinux' } } }, 'linux', 'label'],
    ['osImage at last', { status: { nodeInfo: { osImage: 'Windows Server 2022 Datacenter' } } }, 'windows', 'osImage'],
    ['an unknown operatingSystem', { status: { nodeInfo: { operatingSystem: 'plan9' } } }, null, null],
    ['nothing', {}, null, null],
  ];
  for (const [title, node, os, evidence] of osCases) {
    it(`decides the OS by ${title}`, () => {
      const described = describeNode(node, CONTEXT);
      assert.deepEqual([described.os, described.osEvidence], [os, evidence]);
    });
  }

  const builds: readonly (readonly [kernelVersion: unknown, label: string | null, build: number | null, revision: number | null])[] = [
    ['10.0.20348.5386', null, 20348, 5386],
    ['10.0.26100.32995', '10.0.26100', 26100, 32995],
    ['10.0.17763', null, 17763, null],
    ['10.0.17763.1234 (WinBuild.160101.0800)', null, 17763, 1234],
    ['10.0.20348.0005', null, 20348, 5],
    ['10.0.20348.5.6', null, null, null],
    ['10.0.203480000.1', null, null, null],
    ['6.2.09200.192', null, null, null],
    ['6.2.09200.192', '10.0.17763', 17763, null],
    ['10.0.09200.1', null, null, null],
    ['', '10.0.17763', 17763, null],
    ['', '10.0.20348.825', 20348, null],
    ['', '20348', null, null],
    [20348, null, null, null],
    ['5.15.0-1057-azure', null, null, null],
  ];
  for (const [kernelVersion, label, build, revision] of builds) {
    it(`kernel ${JSON.stringify(kernelVersion)} and label ${label} give ${build}.${revision}`, () => {
      const node = describeWith({ kernelVersion }, label === null ? {} : { 'node.kubernetes.io/windows-build': label });
      assert.deepEqual([node.build, node.revision], [build, revision]);
    });
  }

  const editions: readonly (readonly [osImage: string, edition: string | null])[] = [
    ['Windows Server 2022 Datacenter', 'Datacenter'], ['Windows Server Datacenter', 'Datacenter'], ['Windows Server 2019 Standard Evaluation', 'Standard Evaluation'],
    ['Windows Server 2022 Datacenter Azure Edition', 'Datacenter Azure Edition'], ['Windows 10 Enterprise', 'Enterprise'], ['Windows Server 2012', null], ['Ubuntu 22.04', null],
  ];
  for (const [osImage, edition] of editions) it(`the edition of ${osImage} is ${edition}`, () => assert.equal(describeWith({ osImage }).edition, edition));

  it('marks Windows 11 as a client, whatever it calls itself, and leaves its patch age open', () => {
    const node = describeWith({ osImage: 'Windows 10 Pro', kernelVersion: '10.0.26100.9445' });
    assert.deepEqual([node.product, node.channel, node.release, node.patch.month, node.support.daysLeft], ['Windows 11, version 24H2', 'client', null, null, null]);
    assert.match(messagesOf(node), /is a client: untested and unsupported/);
    assert.deepEqual(node.canRun, ['ltsc2025', 'ltsc2022']);
  });

  const canRun: readonly (readonly [title: string, build: number, runtime: string, osImage: string, releases: readonly string[]])[] = [
    ['2025 with an exact matcher', 26100, 'containerd://1.7.5', 'Windows Server', ['ltsc2025']],
    ['23H2 with an exact matcher, which has no base images of its own', 25398, 'containerd://1.7.5', 'Windows Server', []],
    ['23H2', 25398, 'containerd://1.7.6', 'Windows Server', ['ltsc2022']],
    ['Windows 11 25H2, where images of 2025 fail', 26200, 'containerd://2.0.4', 'Windows 11 Pro', ['ltsc2022']],
    ['Windows 11 25H2 with a matcher that wants 2025', 26200, 'containerd://2.2.5', 'Windows 11 Pro', []],
    ['Windows 11 25H2 with 2.3.5', 26200, 'containerd://2.3.5', 'Windows 11 Pro', ['ltsc2022']],
    ['a client that is older than any server of its matcher', 19045, 'containerd://2.3.5', 'Windows 10 Pro', []],
    ['2016', 14393, 'containerd://1.6.0', 'Windows Server', ['ltsc2016']],
    ['an unknown runtime', 26100, '', 'Windows Server', ['ltsc2025', 'ltsc2022']],
  ];
  for (const [title, build, containerRuntimeVersion, osImage, releases] of canRun) {
    it(`can run ${releases.join(' and ') || 'nothing'}: ${title}`, () => assert.deepEqual(describeWith({ kernelVersion: `10.0.${build}.1`, osImage, containerRuntimeVersion }).canRun, releases));
  }

  it('dates the runtime by the table or by the user, and none but containerd', () => {
    const end = (containerRuntimeVersion: string, context: Partial<DescribeNodeContext> = {}) => describeWith({ containerRuntimeVersion }, {}, context).containerRuntime?.supportEnd;
    assert.equal(end('containerd://2.4.1'), '2027-05-16');
    assert.equal(end('containerd://1.7.20', { overrides: { containerd: { '1.7': '2027-06-30' } } }), '2027-06-30');
    assert.equal(end('containerd://1.7.20', { overrides: { containerd: { '1.7': null } } }), null);
    assert.deepEqual(['containerd://9.9.9', 'containerd://new', 'docker://20.10.9'].map((text) => end(text)), [null, null, null]);
  });

  it('says when a revision is newer than the table, and what the table ends with', () => {
    const patch = (revision: number) => describeWith({ kernelVersion: `10.0.20348.${revision}` }).patch;
    assert.deepEqual(patch(5761), {
      month: '2026-10', monthsBehind: 0, newerThanTable: false, newestRevision: 5761, newestFrom: 'table',
      tableMonth: '2026-10', source: 'https://www.cve.org/CVERecord?id=CVE-2026-85939', asOf: '2026-11-30',
    });
    assert.deepEqual([patch(5762).month, patch(5762).newerThanTable, patch(5762).newestFrom, patch(5762).newestRevision], [null, true, 'cluster', 5762]);
    assert.equal(patch(5760).newerThanTable, false);
    assert.equal(describeWith({ kernelVersion: '10.0.20348' }).patch.newerThanTable, false);
    assert.deepEqual(describeWith({ kernelVersion: '10.0.29999.1' }).patch, { month: null, monthsBehind: null, newerThanTable: false, newestRevision: null, newestFrom: null, tableMonth: null, source: null, asOf: null });
  });

  it('does not call the user\'s dates Microsoft\'s or the provider\'s', () => {
    const releases = { ltsc2019: { extendedEnd: '2032-01-09' } };
    const { support } = describeWith({ kernelVersion: '10.0.17763.1' }, {}, { overrides: { releases } });
    assert.deepEqual([support.lastDay, support.lastDayOf, support.microsoftSource, support.microsoftAsOf], ['2032-01-09', 'microsoft', null, null]);
    const mainstream = describeWith({ kernelVersion: '10.0.17763.1' }, {}, { overrides: { releases: { ltsc2019: { mainstreamEnd: '2027-01-01' } } } }).support;
    assert.deepEqual([mainstream.lastDay, mainstream.microsoftAsOf], ['2029-01-09', '2026-11-30']);
    const labels = { 'kubernetes.azure.com/os-sku': 'Windows2019' };
    const aks = describeWith({ kernelVersion: '10.0.17763.1' }, labels, { overrides: { providers: { aks: { ltsc2019: { end: '2028-01-01' } } } } }).support;
    assert.deepEqual([aks.lastDay, aks.lastDayOf, aks.providerSource, aks.providerAsOf], ['2028-01-01', 'provider', null, null]);
    const without = describeWith({ kernelVersion: '10.0.17763.1' }, labels, { overrides: { providers: { aks: { ltsc2019: { end: null } } } } }).support;
    assert.deepEqual([without.providerEnd, without.lastDay, without.lastDayOf], [null, '2029-01-09', 'microsoft']);
  });

  it('the last day of a channel without extended support is that of mainstream', () => {
    const { support } = describeWith({ kernelVersion: '10.0.19041.1' });
    assert.deepEqual([support.extendedEnd, support.lastDay, support.lastDayOf], [null, '2021-12-14', 'microsoft']);
    const unknown = describeWith({ kernelVersion: '10.0.29999.1' }).support;
    assert.deepEqual([unknown.lastDay, unknown.lastDayOf, unknown.daysLeft], [null, null, null]);
  });

  it('Microsoft\'s day is named where the provider\'s is the same', () => {
    const overrides = { providers: { aks: { ltsc2022: { end: '2031-10-14' } } } };
    assert.equal(describeWith({ kernelVersion: '10.0.20348.1' }, { 'kubernetes.azure.com/os-sku': 'Windows2022' }, { overrides }).support.lastDayOf, 'microsoft');
  });

  it('a node without a list of images is not one with none', () => {
    const count = (status: unknown) => describeNode({ metadata: { name: 'a' }, status }, CONTEXT).imageCount;
    assert.deepEqual([count({}), count({ images: null }), count({ images: 'x' }), count({ images: [] }), count({ images: [{}, { names: ['a'] }] })], [null, null, null, 0, 2]);
  });

  it('judges support on the as-of day and with the user\'s dates', () => {
    const nodeInfo = { kernelVersion: '10.0.20348.5499' };
    const ids = (context: Partial<DescribeNodeContext>) => describeWith(nodeInfo, {}, context).issues.filter((issue) => issue.facts.includes('NOD-002')).map((issue) => issue.id);
    assert.deepEqual(ids({ asOf: new Date('2025-01-01') }), []);
    assert.deepEqual(ids({ asOf: new Date('2026-10-13T23:00:00Z') }), []);
    assert.deepEqual(ids({ asOf: new Date('2026-10-14') }), ['support-ending']);
    assert.deepEqual(ids({ asOf: new Date('2031-10-14') }), ['support-ending']);
    assert.deepEqual(ids({ asOf: new Date('2031-10-15') }), ['past-support']);
    assert.deepEqual(ids({ overrides: { releases: { ltsc2022: { extendedEnd: '2026-11-01' } } } }), ['past-support']);
  });

  it('counts the days left to whichever end comes first', () => {
    const labels = { 'kubernetes.azure.com/os-sku': 'Windows2022' };
    assert.equal(describeWith({ kernelVersion: '10.0.20348.1' }).support.daysLeft, 1779);
    assert.equal(describeWith({ kernelVersion: '10.0.20348.1' }, labels).support.daysLeft, 578);
    assert.equal(describeWith({ kernelVersion: '10.0.19041.1' }).support.daysLeft, -1812);
  });

  it('reads what kubectl shows', () => {
    const node = describeNode({
      metadata: { name: 'win-1', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-02T03:04:05Z', labels: { agentpool: 'win' } },
      spec: { unschedulable: true, taints: [{ key: 'os', value: 'windows', effect: 'NoSchedule' }, { key: 'x', effect: 'NoExecute' }, 'odd', { value: 'y' }] },
      status: {
        addresses: [{ type: 'Hostname', address: 'win-1' }, { type: 'InternalIP', address: '192.0.2.7' }, { type: 'InternalIP', address: '192.0.2.8' }],
        conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady' }, { type: 'Ready', status: 'True', reason: 'KubeletReady' }, 5],
        capacity: { cpu: '4', memory: '16Gi', pods: 110 }, allocatable: { cpu: '3900m' },
        nodeInfo: { operatingSystem: 'windows', architecture: 'amd64', kubeletVersion: 'v1.34.9', containerRuntimeVersion: 'containerd://2.0.4+azure' },
        images: Array.from({ length: 50 }, (_, index) => ({ names: [`example.com/image:${index}`] })),
      },
    }, CONTEXT);
    assert.deepEqual([node.name, node.uid, node.resourceVersion, node.createdAt, node.internalIP, node.status, node.ready], ['win-1', 'u', '7', '2026-01-02T03:04:05Z', '192.0.2.7', 'Ready,SchedulingDisabled', true]);
    assert.deepEqual(node.taints, [{ key: 'os', value: 'windows', effect: 'NoSchedule' }, { key: 'x', value: null, effect: 'NoExecute' }]);
    assert.deepEqual([node.capacity, node.allocatable], [{ cpu: '4', memory: '16Gi' }, { cpu: '3900m' }]);
    assert.deepEqual([node.imageCount, node.imagesTruncated, node.pool, node.unschedulable, node.architecture], [50, true, 'win', true, 'amd64']);
    assert.deepEqual(node.containerRuntime, { name: 'containerd', version: '2.0.4+azure', supportEnd: '2027-03-31' });
  });

  it('a node without status is unknown in every respect', () => {
    const node = describeNode({ metadata: { name: 'bare' } }, CONTEXT);
    assert.deepEqual([node.status, node.ready, node.os, node.kubeletVersion, node.containerRuntime], ['Unknown', null, null, null, null]);
    assert.deepEqual(node.issues.map((issue) => issue.id), ['os-unknown']);
  });

  const seed = testSeed();
  it(`never throws, whatever the JSON (KUBECTL_WIN_SEED=${seed})`, () => {
    const random = seededRandom(seed);
    const keys = ['metadata', 'spec', 'status', 'nodeInfo', 'labels', 'annotations', 'taints', 'conditions', 'images', 'names', 'addresses', 'capacity', 'allocatable', 'operatingSystem', 'osImage', 'kernelVersion', 'kubeletVersion', 'containerRuntimeVersion', 'memory', 'ephemeral-storage', 'type', 'status', 'reason', 'key', 'effect', 'kubernetes.io/os', 'node.kubernetes.io/windows-build', 'kubernetes.azure.com/os-sku', '__proto__', 'constructor'];
    const leaves: readonly unknown[] = ['windows', 'linux', '10.0.20348.1', '10.0.99999.1', '6.2.09200.192', 'containerd://1.6.0', 'docker://x', '://', 'v1.20.0', '', null, true, 0, -1, 1e308, 'Ready', 'True', 'NoSchedule', '\u0000\u001b[31m', '9'.repeat(400), 'registry.k8s.io/pause:3.6', 'Windows 11'];
    const value = (depth: number): unknown => {
      if (depth === 0 || random.chance(25)) return random.pick(leaves);
      if (random.chance(30)) return Array.from({ length: random.below(4) }, () => value(depth - 1));
      return Object.fromEntries(Array.from({ length: random.below(5) }, () => [random.pick(keys), value(depth - 1)]));
    };
    const typical = (): unknown => ({
      metadata: { name: value(0), labels: value(2), annotations: value(2) }, spec: { taints: value(3), unschedulable: value(0), providerID: value(0) },
      status: { nodeInfo: { operatingSystem: 'windows', kernelVersion: value(1), osImage: value(1), kubeletVersion: value(1), containerRuntimeVersion: value(1) }, conditions: value(3), images: value(3), capacity: value(2), allocatable: value(2) },
    });
    let windows = 0;
    for (let round = 0; round < 1000; round += 1) {
      const raw = round % 2 === 0 ? typical() : value(5);
      const described = describeNode(raw, { serverVersion: random.pick([null, 'v1.30.0', 'junk', '']), asOf: AS_OF, poolLabels: ['labels'] });
      const [judged] = judgeCluster([described], { asOf: AS_OF, complete: true });
      if (judged?.os === 'windows') windows += 1;
      JSON.stringify(judged);
    }
    assert.ok(windows > 400, String(windows));
  });
});
