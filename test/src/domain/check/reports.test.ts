/** Public reports that a checker could have prevented, by their number in ../shared/cases/reports.md: one manifest each, and the rules that find it. */
import assert from 'node:assert/strict';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { judgeSample } from '../../../support/check-sample.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ReportCase {
  readonly objects: readonly Fields[];
  readonly cluster?: readonly Fields[];
  readonly images?: Readonly<Record<string, readonly string[]>>;
  /** Rules that must find it, `rule` or `rule@severity`. */
  readonly must?: readonly string[];
  readonly mustNot?: readonly string[];
}

const SERVER_CORE = 'mcr.microsoft.com/windows/servercore';
const NANO = 'mcr.microsoft.com/windows/nanoserver';

/** A Windows node of a build (`20348` or `20348.825`). */
function windows(build: string, options: { readonly runtime?: string; readonly taints?: readonly Fields[]; readonly kubelet?: string; readonly labels?: Fields } = {}): Fields {
  const label = `10.0.${build.split('.')[0] ?? ''}`;
  return {
    apiVersion: 'v1', kind: 'Node',
    metadata: { name: `win-${build}`, labels: { 'kubernetes.io/os': 'windows', 'kubernetes.io/arch': 'amd64', 'node.kubernetes.io/windows-build': label, ...options.labels } },
    spec: { taints: options.taints ?? [] },
    status: { nodeInfo: { operatingSystem: 'windows', architecture: 'amd64', kernelVersion: `10.0.${build}`, kubeletVersion: options.kubelet ?? 'v1.37.1', containerRuntimeVersion: options.runtime ?? 'containerd://2.1.4' } },
  };
}
const LINUX: Fields = {
  apiVersion: 'v1', kind: 'Node', metadata: { name: 'linux', labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } },
  status: { nodeInfo: { operatingSystem: 'linux', architecture: 'amd64', kernelVersion: '6.8.0', kubeletVersion: 'v1.37.1', containerRuntimeVersion: 'containerd://2.1.4' } },
};
const TAINT = { key: 'os', value: 'windows', effect: 'NoSchedule' };
const SELECT = { nodeSelector: { 'kubernetes.io/os': 'windows' } };

function pod(spec: Fields, metadata: Fields = {}): Fields {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', ...metadata }, spec };
}
/** A pod for Windows of an image. */
function windowsPod(image: string, spec: Fields = {}, container: Fields = {}): Fields {
  return pod({ ...SELECT, containers: [{ name: 'web', image, ...container }], ...spec });
}
/** How a container ends whose image is newer than its host. */
const ENDED = { phase: 'Running', containerStatuses: [{ name: 'web', restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } }, lastState: { terminated: { exitCode: 128, reason: 'StartError', message: 'hcs::System::Start web: The virtual machine or container exited unexpectedly. (0xc0370106)' } } }] };
/** A pod with a share mounted. */
function share(mountPath: string): Fields {
  return windowsPod(`${SERVER_CORE}:ltsc2022`, { volumes: [{ name: 'share', azureFile: { secretName: 'share', shareName: 'files' } }] }, { volumeMounts: [{ name: 'share', mountPath }] });
}
/** A Linux agent that nothing keeps from Windows nodes. */
function agent(kind: 'DaemonSet' | 'Deployment', name: string, image: string, spec: Fields = {}): Fields {
  return { apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'kube-system' }, spec: { selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image }], ...spec } } } };
}
const onBuild = (image: string, build: string, images?: ReportCase['images']): ReportCase => ({ objects: [windowsPod(image)], cluster: [LINUX, windows(build)], ...(images === undefined ? {} : { images }), must: ['image-build-mismatch@error'] });
const stray = (kind: 'DaemonSet' | 'Deployment', name: string, image: string, spec?: Fields): ReportCase => ({ objects: [agent(kind, name, image, spec)], cluster: [LINUX, windows('20348')], must: ['linux-pod-on-windows-nodes'] });
const hostProcess = (spec: Fields, container: Fields = {}): Fields => pod({ ...SELECT, hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } }, containers: [{ name: 'agent', image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', ...container }], ...spec });

const CASES: readonly (readonly [string, ReportCase])[] = [
  ['R001: image and host of different builds', onBuild(`${SERVER_CORE}:ltsc2022`, '17763.5000')],
  ['R008: an image that was retagged from microsoft/nanoserver:latest', { objects: [windowsPod('registry.example.com/nanoserver:latest')], cluster: [LINUX, windows('18363.1')], must: ['image-tag-latest'] }],
  ['R012: builds before Server 2022 match exactly', onBuild(`${SERVER_CORE}:1709`, '17134.1')],
  ['R013: an index without an entry for Server 2022', onBuild('registry.example.com/plugin:1', '20348.825', { 'registry.example.com/plugin:1': ['linux', 'windows/10.0.17763.5000'] })],
  ['R016: containers of one pod on different builds, one of a tag that moves', {
    objects: [pod({ ...SELECT, containers: [{ name: 'jnlp', image: `${SERVER_CORE}:ltsc2019` }, { name: 'build', image: `${SERVER_CORE}:ltsc2022` }] }), windowsPod('mcr.microsoft.com/dotnet/framework/sdk:4.8')],
    cluster: [LINUX, windows('17763.5000'), windows('20348.825')], must: ['containers-need-different-builds', 'image-builds-unknown'],
  }],
  ['R020: an init container of another build', { objects: [pod({ ...SELECT, initContainers: [{ name: 'config', image: `${NANO}:1809` }], containers: [{ name: 'exporter', image: `${NANO}:ltsc2022` }] })], cluster: [LINUX, windows('20348.825')], must: ['image-build-mismatch'] }],
  ['R022: an image newer than the patches of its host', { objects: [windowsPod(`${SERVER_CORE}:10.0.26100.3194`)], cluster: [LINUX, windows('26100.2894')], must: ['image-revision-newer'], mustNot: ['image-build-mismatch'] }],
  ['R024: a gap of revisions that pods were seen to end of is a warning, no error', { objects: [{ ...windowsPod(`${SERVER_CORE}:10.0.26100.3194`), status: ENDED }], cluster: [LINUX, windows('26100.2894')], must: ['image-revision-newer@warning'] }],
  ['R026: image and host on different sides of the update of February 2020', { objects: [windowsPod(`${SERVER_CORE}:10.0.17763.1039`)], cluster: [LINUX, windows('17763.973')], must: ['image-revision-newer'] }],
  ['R027: an image of 1909 on Server 2019', onBuild(`${SERVER_CORE}:1909`, '17763.5000')],
  ['R033: an official image without an entry for Server 2022', onBuild('golang:1.17', '20348.1', { 'golang:1.17': ['linux', 'windows/10.0.17763.2114', 'windows/10.0.14393.4583'] })],
  ['R036: a HostProcess image in an index', { objects: [hostProcess({}, { image: 'registry.example.com/hpc:1' })], cluster: [LINUX, windows('20348.825', { runtime: 'containerd://1.6.8' })], images: { 'registry.example.com/hpc:1': ['windows/10.0.17763.5000'] }, must: ['host-process-image-refused'] }],
  ['R037: an attestation in an index is no platform', { objects: [windowsPod('registry.example.com/test:1')], cluster: [LINUX, windows('17763.5000')], images: { 'registry.example.com/test:1': ['windows/10.0.20348.825', 'unknown'] }, must: ['image-build-mismatch'] }],
  ['R038: an image of Server 2022 on Server 2019', onBuild(`${SERVER_CORE}:ltsc2022`, '17763.5000')],
  ['R040: an image of 1809 on 1803', onBuild(`${NANO}:1809`, '17134.1')],
  ['R041: an entry of an index without os.version', { objects: [windowsPod('registry.example.com/hand:1')], cluster: [LINUX, windows('20348.825')], images: { 'registry.example.com/hand:1': ['linux', 'windows'] }, must: ['image-builds-unknown'] }],
  ['R043: an index of 1809 and 1903 on a newer host', onBuild('registry.example.com/csi:v0.10.0', '20348.825', { 'registry.example.com/csi:v0.10.0': ['linux', 'windows/10.0.17763.5000', 'windows/10.0.18362.1'] })],
  ['R046: coredns on a Windows node', stray('Deployment', 'coredns', 'registry.k8s.io/coredns/coredns:v1.12.0')],
  ['R048: the agents of a chart without any selector', { objects: [agent('DaemonSet', 'node-agent', 'otel/opentelemetry-collector:0.1'), agent('Deployment', 'collector', 'otel/opentelemetry-collector:0.1')], cluster: [LINUX, windows('20348')], must: ['linux-pod-on-windows-nodes'] }],
  ['R050: kube-proxy on Windows nodes', stray('DaemonSet', 'kube-proxy', 'registry.k8s.io/kube-proxy:v1.37.1')],
  ['R052: affinity to Linux is a pin, too', {
    objects: [agent('DaemonSet', 'kube-flannel-ds', 'flannel/flannel:v0.27.0', { tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }], affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] }] } } } })],
    cluster: [LINUX, windows('20348')], mustNot: ['linux-pod-on-windows-nodes', 'daemon-set-tolerates-everything'],
  }],
  ['R053: an agent that tolerates everything', { objects: [agent('DaemonSet', 'cilium', 'quay.io/cilium/cilium:v1.16.0', { tolerations: [{ operator: 'Exists' }] })], cluster: [LINUX, windows('20348', { taints: [TAINT] })], must: ['daemon-set-tolerates-everything'] }],
  ['R054: an agent without affinity', stray('DaemonSet', 'kvisor', 'castai/kvisor:1')],
  ['R055: a DaemonSet of the pause image', stray('DaemonSet', 'kuberhealthy', 'gcr.io/google-containers/pause:0.8.0')],
  ['R056: a DaemonSet that reads systemd\'s logs', stray('DaemonSet', 'sonobuoy-systemd-logs', 'sonobuoy/systemd-logs:v0.4')],
  ['R057: the node problem detector', stray('DaemonSet', 'node-problem-detector', 'registry.k8s.io/node-problem-detector/node-problem-detector:v0.8.19')],
  ['R058: metricbeat as its sample has it', stray('DaemonSet', 'metricbeat', 'docker.elastic.co/beats/metricbeat:8.15.0')],
  ['R059: node-exporter on nodes whose taint keeps nothing away', { objects: [agent('DaemonSet', 'node-exporter', 'quay.io/prometheus/node-exporter:v1.8.2', { tolerations: [{ effect: 'NoSchedule', operator: 'Exists' }] })], cluster: [LINUX, windows('20348', { taints: [TAINT] })], must: ['daemon-set-tolerates-everything'] }],
  ['R061: kube-state-metrics, which the selector of its chart does not reach', stray('Deployment', 'kube-state-metrics', 'registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.13.0')],
  ['R062: a Linux agent that fails on a Windows node with chown', stray('DaemonSet', 'newrelic-infra', 'newrelic/infrastructure-k8s:2')],
  ['R065: metrics-server on a Windows node', stray('Deployment', 'metrics-server', 'registry.k8s.io/metrics-server/metrics-server:v0.7.2')],
  ['R066: the agent of Container Insights', stray('DaemonSet', 'cloudwatch-agent', 'amazon/cloudwatch-agent:1.3')],
  ['R071: a taint sku=windows', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`)], cluster: [LINUX, windows('20348', { taints: [{ key: 'sku', value: 'windows', effect: 'NoSchedule' }] })], must: ['windows-taint-not-tolerated'] }],
  ['R071: nodes without a taint, as AKS makes them', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`)], cluster: [LINUX, windows('20348')], mustNot: ['windows-taint-not-tolerated'] }],
  ['R072: a taint whose value has a capital W', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { tolerations: [{ key: 'os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' }] })], cluster: [LINUX, windows('20348', { taints: [{ ...TAINT, value: 'Windows' }] })], must: ['windows-taint-not-tolerated'] }],
  ['R079: a DaemonSet whose selector no node meets', { objects: [agent('DaemonSet', 'csi-win', `${NANO}:ltsc2022`, { nodeSelector: { 'kubernetes.io/os': 'windows', 'agentpool-of': 'nobody' } })], cluster: [LINUX, windows('20348')], must: ['selector-matches-no-node'] }],
  ['R080: a selector on the label of old nodes', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { nodeSelector: { 'beta.kubernetes.io/os': 'windows' } })], cluster: [LINUX, windows('20348')], must: ['beta-node-labels'] }],
  ['R082: build pods without the toleration', { objects: [windowsPod('jenkins/inbound-agent:windowsservercore-ltsc2022')], cluster: [LINUX, windows('20348', { taints: [TAINT] })], must: ['windows-taint-not-tolerated'] }],
  ['R083: runAsUser, which makes the kubelet chown the token', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { securityContext: { runAsUser: 1000 }, volumes: [{ name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }] })], must: ['run-as-user-on-windows'] }],
  ['R086: runAsUser of a tool, and no pin to Linux', { objects: [pod({ securityContext: { runAsUser: 1000 }, containers: [{ name: 'sonobuoy', image: 'sonobuoy/sonobuoy:v0.57' }] })], cluster: [LINUX, windows('20348')], must: ['linux-pod-on-windows-nodes'] }],
  ['R088: spec.os.name keeps the kubelet from chown', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { volumes: [{ name: 'azure-identity-token', projected: { sources: [{ serviceAccountToken: { path: 'azure-identity-token' } }] } }] })], must: ['os-name-missing'] }],
  ['R091: a Deployment for Windows without a selector', { objects: [agent('Deployment', 'web', `${SERVER_CORE}:ltsc2022`, { securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } } })], cluster: [LINUX, windows('20348')], must: ['os-selector-missing'] }],
  ['R092: runAsNonRoot stops nobody from being ContainerAdministrator', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { securityContext: { runAsNonRoot: true } })], must: ['run-as-non-root-without-user'] }],
  ['R093: runAsNonRoot beside ContainerAdministrator', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { securityContext: { runAsNonRoot: true, windowsOptions: { runAsUserName: 'ContainerAdministrator' } } })], must: ['non-root-container-administrator'] }],
  ['R094: a policy against ContainerAdministrator', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { securityContext: { windowsOptions: { runAsUserName: 'ContainerAdministrator' } } })], must: ['container-administrator'] }],
  ['R096: the fields of the restricted profile beside spec.os.name', {
    objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { os: { name: 'windows' } }, { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } } })],
    must: ['allow-privilege-escalation-on-windows@error', 'capabilities-on-windows@error', 'seccomp-profile-on-windows@error'],
  }],
  ['R100: a mount at D: before containerd takes drives', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { volumes: [{ name: 'data', emptyDir: {} }] }, { volumeMounts: [{ name: 'data', mountPath: 'D:' }] })], cluster: [LINUX, windows('20348', { runtime: 'containerd://1.6.4' })], must: ['mount-path-is-drive'] }],
  ['R100: a mount at D: from containerd 1.6.14 on', { objects: [windowsPod(`${SERVER_CORE}:ltsc2022`, { volumes: [{ name: 'data', emptyDir: {} }] }, { volumeMounts: [{ name: 'data', mountPath: 'D:' }] })], cluster: [LINUX, windows('20348', { runtime: 'containerd://1.6.14' })], mustNot: ['mount-path-is-drive'] }],
  ['R103: a share at a path without a drive, which Windows takes', { objects: [share('/mnt/azure')], mustNot: ['mount-path-not-absolute', 'mount-path-is-drive'] }],
  ['R103: a share over the whole drive of the container', { objects: [share('C:')], must: ['mount-path-is-drive'] }],
  ['R104: HostProcess containers beside others', { objects: [hostProcess({ containers: [{ name: 'a', image: 'a:1' }, { name: 'b', image: 'b:1', securityContext: { windowsOptions: { hostProcess: false } } }] })], must: ['host-process-mixed@error'] }],
  ['R106: a HostProcess pod without hostNetwork', { objects: [hostProcess({ hostNetwork: false })], must: ['host-process-without-host-network@error'] }],
  ['R107: mounts of HostProcess containers before containerd 1.7', { objects: [hostProcess({ volumes: [{ name: 'config', configMap: { name: 'config' } }] }, { volumeMounts: [{ name: 'config', mountPath: '/etc/config' }] })], cluster: [LINUX, windows('20348', { runtime: 'containerd://1.6.20' })], must: ['host-process-mount-path-relocated'] }],
  ['R117: a host name for gMSA, which builds since Server 2019 do not need', { objects: [windowsPod(`${SERVER_CORE}:ltsc2019`, { hostname: 'webapp1', securityContext: { windowsOptions: { gmsaCredentialSpecName: 'webapp1' } } })], cluster: [LINUX, windows('17763.5000')], must: ['gmsa-hostname'] }],
  ['R118: the annotation that gMSA once was', { objects: [pod({ ...SELECT, containers: [{ name: 'web', image: `${SERVER_CORE}:ltsc2019` }] }, { annotations: { 'pod.alpha.windows.kubernetes.io/gmsa-credential-spec-name': 'webapp' } })], must: ['retired-windows-annotation'] }],
];

describe('reports that check could have prevented', () => {
  for (const [title, { objects, cluster, images, must = [], mustNot = [] }] of CASES) {
    it(title, async () => {
      const { findings } = await judgeSample({
        yaml: objects.map((object) => JSON.stringify(object)).join('\n---\n'), kubernetesVersion: '1.37',
        ...(cluster === undefined ? {} : { cluster: cluster.map((object) => JSON.stringify(object)).join('\n---\n') }), ...(images === undefined ? {} : { images }),
      });
      const found = new Set(findings.flatMap(({ rule, severity }) => [rule, `${rule}@${severity}`]));
      const shown = findings.map(({ rule, severity }) => `${rule}@${severity}`).join(', ');
      for (const rule of must) assert.ok(found.has(rule), `${rule} is missing among ${shown}`);
      for (const rule of mustNot) assert.ok(!found.has(rule), `${rule} is among ${shown}`);
    });
  }

  it('names rules that exist', () => {
    const ids = new Set(RULES.map(({ id }) => id));
    assert.deepEqual(CASES.flatMap(([, { must = [], mustNot = [] }]) => [...must, ...mustNot]).map((rule) => rule.split('@')[0] ?? '').filter((rule) => !ids.has(rule)), []);
  });
});
