import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { factTable, type FactTable } from '../../../../src/domain/kubernetes/fact-table.ts';
import type { PodEvidenceSource, PodSymptom } from '../../../../src/domain/workload/pod-evidence.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import type { ImagePlatforms, ImagePlatformSource } from '../../../../src/domain/image/image-platforms.ts';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { arrayAt, isRecord, nameOf, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { targetOsOf, type TargetOs, type TargetOsFacts, type WorkloadOs } from '../../../../src/domain/workload/target-os.ts';
import { workloadsOf } from '../../../../src/domain/workload/workload.ts';
import { describeCases } from '../../../support/cases.ts';
import { rawNode } from '../../../support/fake-cluster.ts';

/** Images that say their OS in so many words, to keep image names out of these tests. */
const IMAGES: ImagePlatformSource = {
  platformsOf(image): ImagePlatforms {
    const systems = image.split('+').filter((word) => word === 'windows' || word === 'linux');
    const platforms = systems.length < 2 ? [] : systems.map((os) => ({ os, architecture: 'amd64', osVersion: null, digest: null, sizeBytes: null }));
    return { shape: 'unknown', confidence: 'tag', platforms, os: systems[0] ?? null, because: 'the test says so' };
  },
};

const NODES: FactTable<WindowsNode> = nodesOf([
  rawNode('win-1', { labels: { 'kubernetes.io/hostname': 'win-1', agentpool: 'pool-w' } }), rawNode('win-2', { labels: { agentpool: 'mixed' } }),
  rawNode('linux-1', { os: 'linux', labels: { 'kubernetes.io/hostname': 'linux-1', agentpool: 'mixed', disk: 'ssd' } }),
]);

function nodesOf(nodes: readonly KubeObject[]): FactTable<WindowsNode> {
  return factTable(new Map(nodes.map((node) => [nameOf(node), describeNode(node, { asOf: new Date('2026-11-30T00:00:00Z'), serverVersion: null })])), true);
}

function runtimeClasses(...items: readonly (readonly [name: string, fields: object])[]): FactTable<KubeObject> {
  return factTable(new Map(items.map(([name, fields]) => [name, { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name }, ...fields }])), true);
}

const NOTHING: TargetOsFacts = { nodes: null, runtimeClasses: null, images: IMAGES };

function targetOf(spec: object, facts: Partial<TargetOsFacts> = {}): TargetOs {
  const [workload] = workloadsOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'windows-app', namespace: 'windows' }, spec: { template: { spec: { containers: [{ name: 'windows', image: 'x' }], ...spec } } } });
  assert.ok(workload);
  return targetOsOf(workload, { ...NOTHING, ...facts });
}

const expression = (key: string, operator: string, ...values: readonly string[]): object => ({ key, operator, ...(values.length === 0 ? {} : { values }) });
const terms = (...list: readonly (readonly object[])[]): object => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: list.map((matchExpressions) => ({ matchExpressions })) } } } });
const containers = (...list: readonly object[]): object => ({ containers: list.map((fields, index) => ({ name: `c${index}`, ...fields })) });

interface OsCase {
  readonly name: string;
  readonly spec: object;
  readonly os: WorkloadOs;
  readonly pinned?: 'windows' | 'linux';
  readonly facts?: Partial<TargetOsFacts>;
}

const CASES: readonly OsCase[] = [
  { name: 'nothing', spec: {}, os: 'either' },
  // what pins
  { name: 'nodeSelector kubernetes.io/os', spec: { nodeSelector: { 'kubernetes.io/os': 'windows' } }, os: 'windows', pinned: 'windows' },
  { name: 'nodeSelector kubernetes.io/os with a capital, which no node has', spec: { nodeSelector: { 'kubernetes.io/os': 'Windows' } }, os: 'windows', pinned: 'windows' },
  { name: 'nodeSelector beta.kubernetes.io/os', spec: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }, os: 'linux', pinned: 'linux' },
  { name: 'nodeSelector windows-build', spec: { nodeSelector: { 'node.kubernetes.io/windows-build': '10.0.20348' } }, os: 'windows', pinned: 'windows' },
  { name: 'nodeSelector os-sku of Windows', spec: { nodeSelector: { 'kubernetes.azure.com/os-sku': 'Windows2022' } }, os: 'windows', pinned: 'windows' },
  ...['Ubuntu', 'Ubuntu2404', 'AzureLinux', 'CBLMariner', 'AzureContainerLinux'].map((sku): OsCase => ({ name: `nodeSelector os-sku ${sku}`, spec: { nodeSelector: { 'kubernetes.azure.com/os-sku': sku } }, os: 'linux', pinned: 'linux' })),
  { name: 'nodeSelector os-sku of a new name', spec: { nodeSelector: { 'kubernetes.azure.com/os-sku': 'Fancy' } }, os: 'either' },
  { name: 'nodeSelector GKE distribution', spec: { nodeSelector: { 'cloud.google.com/gke-os-distribution': 'cos' } }, os: 'linux', pinned: 'linux' },
  { name: 'nodeSelector GKE version of Windows', spec: { nodeSelector: { 'cloud.google.com/gke-windows-os-version': '2022' } }, os: 'windows', pinned: 'windows' },
  { name: 'nodeSelector control plane, which is never Windows', spec: { nodeSelector: { 'node-role.kubernetes.io/control-plane': '' } }, os: 'linux', pinned: 'linux' },
  { name: 'nodeSelector of a machine type that tells nothing', spec: { nodeSelector: { 'karpenter.k8s.aws/instance-family': 'm5', 'kubernetes.io/arch': 'amd64' } }, os: 'either' },
  { name: 'nodeSelector with null', spec: { nodeSelector: { 'kubernetes.io/os': null } }, os: 'either' },
  { name: 'affinity In windows', spec: terms([expression('kubernetes.io/os', 'In', 'windows')]), os: 'windows', pinned: 'windows' },
  { name: 'affinity In both', spec: terms([expression('kubernetes.io/os', 'In', 'windows', 'linux')]), os: 'either' },
  { name: 'affinity NotIn linux', spec: terms([expression('kubernetes.io/os', 'NotIn', 'linux')]), os: 'windows', pinned: 'windows' },
  { name: 'affinity NotIn windows', spec: terms([expression('kubernetes.io/os', 'NotIn', 'windows')]), os: 'linux', pinned: 'linux' },
  { name: 'affinity NotIn os-sku of Windows, which leaves others', spec: terms([expression('kubernetes.azure.com/os-sku', 'NotIn', 'Windows2022')]), os: 'either' },
  { name: 'affinity Exists os', spec: terms([expression('kubernetes.io/os', 'Exists')]), os: 'either' },
  { name: 'affinity Exists windows-build', spec: terms([expression('node.kubernetes.io/windows-build', 'Exists')]), os: 'windows', pinned: 'windows' },
  { name: 'affinity DoesNotExist windows-build', spec: terms([expression('node.kubernetes.io/windows-build', 'DoesNotExist')]), os: 'linux', pinned: 'linux' },
  { name: 'affinity NotIn windows-build, which Linux nodes meet too', spec: terms([expression('node.kubernetes.io/windows-build', 'NotIn', '10.0.17763')]), os: 'either' },
  { name: 'affinity DoesNotExist control plane', spec: terms([expression('node-role.kubernetes.io/control-plane', 'DoesNotExist')]), os: 'either' },
  { name: 'affinity with every term for Linux', spec: terms([expression('node-role.kubernetes.io/control-plane', 'Exists')], [expression('node-role.kubernetes.io/controlplane', 'Exists')]), os: 'linux', pinned: 'linux' },
  { name: 'affinity with one term that leaves it open', spec: terms([expression('kubernetes.io/os', 'In', 'windows')], [expression('disk', 'In', 'ssd')]), os: 'either' },
  { name: 'affinity with a term for each OS', spec: terms([expression('kubernetes.io/os', 'In', 'windows')], [expression('kubernetes.io/os', 'In', 'linux')]), os: 'either' },
  { name: 'affinity with an empty term, which matches nothing', spec: terms([], [expression('kubernetes.io/os', 'In', 'windows')]), os: 'windows', pinned: 'windows' },
  { name: 'affinity with a term that contradicts itself', spec: terms([expression('kubernetes.io/os', 'In', 'windows'), expression('kubernetes.io/os', 'In', 'linux')], [expression('kubernetes.io/os', 'In', 'linux')]), os: 'linux', pinned: 'linux' },
  { name: 'affinity with one term alone, which contradicts itself', spec: terms([expression('kubernetes.io/os', 'In', 'windows'), expression('kubernetes.io/os', 'In', 'linux')]), os: 'contradictory' },
  { name: 'selector against affinity', spec: { nodeSelector: { 'kubernetes.io/os': 'windows' }, ...terms([expression('kubernetes.io/os', 'In', 'linux')]) }, os: 'contradictory' },
  { name: 'RuntimeClass that selects Windows', spec: { runtimeClassName: 'w' }, facts: { runtimeClasses: runtimeClasses(['w', { handler: 'h', scheduling: { nodeSelector: { 'kubernetes.io/os': 'windows' } } }]) }, os: 'windows', pinned: 'windows' },
  { name: 'RuntimeClass with a handler of Windows', spec: { runtimeClassName: 'w' }, facts: { runtimeClasses: runtimeClasses(['w', { handler: 'runhcs-wcow-process' }]) }, os: 'windows' },
  { name: 'RuntimeClass with a handler of Linux', spec: { runtimeClassName: 'g' }, facts: { runtimeClasses: runtimeClasses(['g', { handler: 'runsc' }]) }, os: 'linux' },
  { name: 'RuntimeClass that is not known, whatever its name', spec: { runtimeClassName: 'windows-2022' }, os: 'either' },
  { name: 'nodeName of a known node', spec: { nodeName: 'win-1' }, facts: { nodes: NODES }, os: 'windows', pinned: 'windows' },
  { name: 'nodeName of an unknown node', spec: { nodeName: 'win-9' }, facts: { nodes: NODES }, os: 'either' },
  { name: 'nodeName offline', spec: { nodeName: 'win-1' }, os: 'either' },
  { name: 'hostname of a known node', spec: { nodeSelector: { 'kubernetes.io/hostname': 'linux-1' } }, facts: { nodes: NODES }, os: 'linux', pinned: 'linux' },
  { name: 'metadata.name of a known node', spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [expression('metadata.name', 'In', 'win-1')] }] } } } }, facts: { nodes: NODES }, os: 'windows', pinned: 'windows' },
  { name: 'pool whose nodes run Windows', spec: { nodeSelector: { agentpool: 'pool-w' } }, facts: { nodes: NODES }, os: 'windows', pinned: 'windows' },
  { name: 'pool with nodes of both', spec: { nodeSelector: { agentpool: 'mixed' } }, facts: { nodes: NODES }, os: 'either' },
  { name: 'label that happens to be on Linux nodes only', spec: { nodeSelector: { disk: 'ssd' } }, facts: { nodes: NODES }, os: 'either' },
  // what binds
  { name: 'os.name windows', spec: { os: { name: 'windows' } }, os: 'windows' },
  { name: 'os.name linux with a Windows image', spec: { os: { name: 'linux' }, ...containers({ image: 'windows' }) }, os: 'linux' },
  { name: 'os.name of another system', spec: { os: { name: 'darwin' } }, os: 'either' },
  { name: 'os.name against the selector', spec: { os: { name: 'linux' }, nodeSelector: { 'kubernetes.io/os': 'windows' } }, os: 'contradictory', pinned: 'windows' },
  { name: 'HostProcess', spec: { securityContext: { windowsOptions: { hostProcess: true } } }, os: 'windows' },
  { name: 'HostProcess on Linux nodes', spec: { securityContext: { windowsOptions: { hostProcess: true } }, nodeSelector: { 'kubernetes.io/os': 'linux' } }, os: 'contradictory', pinned: 'linux' },
  { name: 'windowsOptions of a container', spec: containers({ securityContext: { windowsOptions: { gmsaCredentialSpecName: 'x' } } }), os: 'windows' },
  { name: 'windowsOptions that are empty or null', spec: { securityContext: { windowsOptions: {} }, ...containers({ securityContext: { windowsOptions: { runAsUserName: null } } }) }, os: 'either' },
  // what hints
  { name: 'an image for Windows', spec: containers({ image: 'windows' }), os: 'windows' },
  { name: 'an image for Windows in an init container', spec: { initContainers: [{ name: 'i', image: 'windows' }] }, os: 'windows' },
  { name: 'an image for Windows in an ephemeral container', spec: { ephemeralContainers: [{ name: 'd', image: 'windows' }] }, os: 'either' },
  { name: 'an image for both', spec: containers({ image: 'windows+linux' }), os: 'either' },
  { name: 'images that disagree', spec: containers({ image: 'windows' }, { image: 'linux' }), os: 'either' },
  { name: 'an image for Windows on a Linux selector', spec: { nodeSelector: { 'kubernetes.io/os': 'linux' }, ...containers({ image: 'windows' }) }, os: 'linux', pinned: 'linux' },
  { name: 'an image for Windows with fields for Linux', spec: { securityContext: { runAsUser: 0 }, ...containers({ image: 'windows', command: ['/bin/sh'] }) }, os: 'windows' },
  ...['cyclonus.exe', 'powershell', 'PowerShell.exe', 'cmd', 'C:\\app\\run', 'c:/app/run', '%CONTAINER_SANDBOX_MOUNT_POINT%/run', 'start.ps1'].map((program): OsCase => ({ name: `the command ${program}`, spec: containers({ command: [program] }), os: 'windows' })),
  ...['pwsh', 'dotnet', '/csi-driver', 'windows-machine-config-operator', '/cmd', 'app --windows'].map((program): OsCase => ({ name: `the command ${program}, which either can have`, spec: containers({ command: [program] }), os: 'either' })),
  ...['sh', 'bash', '/bin/sh', '/usr/local/bin/app', '/usr/sbin/nginx'].map((program): OsCase => ({ name: `the command ${program}`, spec: containers({ command: [program] }), os: 'linux' })),
  { name: 'an argument with .exe', spec: containers({ args: ['app.exe', '--x'] }), os: 'windows' },
  { name: 'an argument cmd, which may be any word', spec: containers({ args: ['cmd'] }), os: 'either' },
  { name: 'a script that speaks of Windows', spec: containers({ command: ['/bin/bash'], args: ['-c', 'kubectl get nodes -l kubernetes.io/os=windows'] }), os: 'linux' },
  { name: 'a preference for Windows', spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [expression('kubernetes.io/os', 'In', 'windows')] } }] } } }, os: 'windows' },
  { name: 'a host folder with a drive', spec: { volumes: [{ name: 'v', hostPath: { path: 'C:\\data' } }] }, os: 'windows' },
  { name: 'a named pipe', spec: { volumes: [{ name: 'v', hostPath: { path: '\\\\.\\pipe\\containerd' } }] }, os: 'windows' },
  { name: 'a host folder of Linux', spec: { volumes: [{ name: 'v', hostPath: { path: '/proc' } }] }, os: 'linux' },
  { name: 'a host folder that both can have', spec: { volumes: [{ name: 'v', hostPath: { path: '/var/log/app' } }] }, os: 'either' },
  { name: 'a privileged container', spec: containers({ securityContext: { privileged: true } }), os: 'linux' },
  { name: 'fields of Linux that are null or false', spec: { hostPID: false, securityContext: { seccompProfile: null }, ...containers({ securityContext: { capabilities: null, privileged: false } }) }, os: 'either' },
  // what does not decide
  { name: 'a toleration of the taint on Windows nodes', spec: { tolerations: [{ key: 'os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' }] }, os: 'either' },
  { name: 'a toleration of everything', spec: { tolerations: [{ operator: 'Exists' }] }, os: 'either' },
  { name: 'that toleration on a privileged pod', spec: { tolerations: [{ key: 'os', value: 'Windows' }], ...containers({ securityContext: { privileged: true } }) }, os: 'linux' },
  { name: 'fields of other types', spec: { nodeSelector: ['x'], affinity: 'x', tolerations: {}, securityContext: 7, volumes: [null, 'x'], runtimeClassName: 3, nodeName: {}, os: 'windows', containers: [{ command: 'cmd', args: { a: 1 }, image: 9, volumeMounts: 'x' }] }, os: 'either' },
];

describe('targetOsOf', () => {
  for (const { name, spec, os, pinned, facts } of CASES) {
    it(`${name}: ${os}${pinned === undefined ? '' : `, pinned to ${pinned}`}`, () => {
      const target = targetOf(spec, facts);
      assert.deepEqual([target.os, target.pinned], [os, pinned ?? null]);
    });
  }

  it('names the field and the values of each evidence', () => {
    const { evidence } = targetOf({ os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, ...terms([expression('kubernetes.azure.com/os-sku', 'In', 'Windows2019', 'Windows2022')]), ...containers({ securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } } }) });
    assert.deepEqual(evidence.map(({ strength, source, text, path }) => [strength, source, text, formatFieldPath(path ?? [])]), [
      ['pins', 'node-selector', 'nodeSelector kubernetes.io/os=windows', 'spec.template.spec.nodeSelector[kubernetes.io/os]'],
      ['pins', 'node-affinity', 'nodeAffinity kubernetes.azure.com/os-sku In [Windows2019, Windows2022]', 'spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]'],
      ['binds', 'os-name', 'os.name windows', 'spec.template.spec.os.name'],
      ['binds', 'windows-options', 'windowsOptions.runAsUserName', 'spec.template.spec.containers[0].securityContext.windowsOptions'],
    ]);
  });

  it('says where hints come from, and that a toleration is one', () => {
    const { evidence } = targetOf({ tolerations: [{ key: 'node.kubernetes.io/os', value: 'windows' }], ...containers({ image: 'windows', command: ['cmd.exe'] }, { image: 'windows' }) });
    assert.deepEqual(evidence.map(({ strength, text, path }) => [strength, text, formatFieldPath(path ?? [])]), [
      ['hint', 'image windows: the test says so', 'spec.template.spec.containers[0].image'],
      ['hint', 'command cmd.exe', 'spec.template.spec.containers[0].command[0]'],
      ['hint', 'toleration node.kubernetes.io/os=windows', 'spec.template.spec.tolerations[0]'],
    ]);
  });

  it('says of a node or a pool what it runs', () => {
    assert.equal(targetOf({ nodeSelector: { agentpool: 'pool-w' } }, { nodes: NODES }).evidence[0]?.text, 'nodeSelector agentpool=pool-w, which runs Windows');
    assert.equal(targetOf({ nodeName: 'linux-1' }, { nodes: NODES }).evidence[0]?.text, 'node linux-1 runs Linux');
  });

  it('follows pods that run without trouble, and none that have any', () => {
    const pods = (symptoms: readonly PodSymptom[]): PodEvidenceSource => ({ evidenceOf: (kind, namespace, name) => (`${kind} ${namespace}/${name}` === 'Deployment windows/windows-app' ? { pods: 1, symptoms, injected: [], nodes: ['win-1'] } : null) });
    const symptom: PodSymptom = { reason: 'ErrImagePull', message: 'no match for platform in manifest', container: null, image: null, nodes: ['win-1'], pods: 1 };
    assert.equal(targetOf({}, { nodes: NODES, pods: pods([]) }).os, 'windows');
    assert.equal(targetOf({}, { nodes: NODES, pods: pods([symptom]) }).os, 'either');
  });
});

/** What INDEX.md of the cases implies; every other workload of the files is for Windows. */
const LINUX = new Set([
  'aks-playground-oom-linux-pod.yaml Pod/oom-test-linux', 'capz-calico-vxlan-linux.yaml DaemonSet/calico-node', 'capz-calico-vxlan-linux.yaml Deployment/calico-kube-controllers', 'gmsa-webhook-linux.yaml Deployment/gmsa-webhook',
  'k2s-test-clients-mixed.yaml Deployment/curl-linux-svc', 'nvidia-gpu-feature-discovery-linux.yaml DaemonSet/gpu-feature-discovery', 'openshift-wmco-manager-linux.yaml Deployment/windows-machine-config-operator',
  'openshift-wmco-upgrade-checker-job-linux.yaml Job/parallel-upgrades-checker', 'sigwin-devtools-smoke-test.yaml Deployment/nginx-deployment', 'sigwin-devtools-smoke-test.yaml Pod/netshoot',
  'vsphere-csi-driver-vanilla.yaml Deployment/vsphere-csi-controller', 'vsphere-csi-driver-vanilla.yaml DaemonSet/vsphere-csi-node',
]);
/** For Linux without a pin; more than that the image may or may not tell. */
const EITHER = new Set(['issue-acs-engine-2711-metrics-server.yaml Deployment/metrics-server', 'grafana-images-by-digest-rendered.yaml Deployment/beyla-k8s-cache']);
/** Windows by what it holds, without a pin. */
const UNPINNED = new Set(['acn-cyclonus-windows-job.yaml Job/cyclonus', 'gmsa-hostname-set.yaml Deployment/gmsa-hostname', 'issue-cri-dockerd-372-ping.yaml Pod/ping', 'k8s-docs-deploy-hyperv.yaml Deployment/iis']);

describeCases('targetOsOf over the manifests of the cases', (folder) => {
  for (const file of readdirSync(join(folder, 'manifests')).sort()) {
    it(file, () => {
      // One file has a key twice, which is not this test's matter.
      const documents = parseAllDocuments(readFileSync(join(folder, 'manifests', file), 'utf8'), { uniqueKeys: false });
      const objects = [...documents].map((document): unknown => document.toJS()).flatMap((value) => [value, ...arrayAt(value, 'items')]).filter(isRecord);
      for (const object of objects) {
        for (const workload of workloadsOf(object)) {
          const name = `${file} ${workload.ref.kind ?? ''}/${workload.ref.name}`;
          const isLinux = LINUX.has(name) || (file.startsWith('grafana-') && file.endsWith('-rendered.yaml') && !workload.ref.name.includes('windows') && !EITHER.has(name));
          const want = EITHER.has(name) ? 'either' : isLinux ? 'linux' : 'windows';
          const target = targetOsOf(workload, { nodes: null, runtimeClasses: null, images: TAG_PLATFORMS });
          assert.ok(target.os === want || (want === 'either' && target.os === 'linux'), `${target.os}, not ${want}: ${name}: ${target.evidence.map(({ text }) => text).join('; ')}`);
          const isPinned = want === 'windows' ? !UNPINNED.has(name) : want === 'linux' && !name.includes('gpu-feature-discovery');
          assert.equal(target.pinned, isPinned ? want : null, name);
        }
      }
    });
  }
});
