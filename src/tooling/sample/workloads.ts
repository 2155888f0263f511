import { metadata, numberOf } from './values.ts';
import type { Json, JsonMap } from './values.ts';

/** A workload of the sample cluster, from which its object, its pods and its events are made. */
export interface SampleWorkload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'CronJob' | 'ReplicaSet' | 'Pod';
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly ageDays: number;
  readonly podSpec: JsonMap;
  readonly images: readonly string[];
  readonly on: readonly string[];
  readonly state: PodState;
  readonly schedule: string | null;
  readonly annotations: Readonly<Record<string, string>>;
}

/** running: on the nodes named. The other states are what goes wrong, with the events that kubelets and schedulers write. */
export type PodState = 'running' | 'no-match' | 'os-mismatch' | 'pending' | 'no-gmsa' | 'pull-secret' | 'os-rejected' | 'not-shown';

interface Options {
  readonly kind?: SampleWorkload['kind'];
  readonly replicas?: number;
  readonly select?: Readonly<Record<string, string>> | null;
  readonly tolerate?: readonly JsonMap[] | null;
  readonly container?: JsonMap;
  readonly pod?: JsonMap;
  readonly init?: string;
  readonly on?: readonly string[];
  readonly state?: PodState;
  readonly schedule?: string;
  readonly port?: number | null;
  readonly cpu?: string;
  readonly memory?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const WINDOWS = { 'kubernetes.io/os': 'windows' };
const LINUX = { 'kubernetes.io/os': 'linux' };
const BUILD_2019 = { ...WINDOWS, 'node.kubernetes.io/windows-build': '10.0.17763' };
const BUILD_2022 = { ...WINDOWS, 'node.kubernetes.io/windows-build': '10.0.20348' };
const BUILD_2025 = { ...WINDOWS, 'node.kubernetes.io/windows-build': '10.0.26100' };
const TOLERATE_OS = [{ key: 'os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' }];
const TOLERATE_GKE = [{ key: 'node.kubernetes.io/os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' }];
const TOLERATE_ALL = [{ operator: 'Exists' }];
const REGISTRY = 'contoso.azurecr.io';
const MCR = 'mcr.microsoft.com';

const W19 = (...indexes: number[]): string[] => indexes.map((index) => `aksw19${String(index).padStart(6, '0')}`);
const W22 = (...indexes: number[]): string[] => indexes.map((index) => `aksw22${String(index).padStart(6, '0')}`);
const W25 = (...indexes: number[]): string[] => indexes.map((index) => `aksw25${String(index).padStart(6, '0')}`);
const APPS = (...indexes: number[]): string[] => indexes.map((index) => `aks-apps-20914437-vmss00000${index}`);
const SYSTEM = (...indexes: number[]): string[] => indexes.map((index) => `aks-system-31749412-vmss00000${index}`);
const EKS_WINDOWS = ['ip-10-40-0-37.eu-west-1.compute.internal', 'ip-10-40-16-78.eu-west-1.compute.internal', 'ip-10-40-32-119.eu-west-1.compute.internal', 'ip-10-40-0-160.eu-west-1.compute.internal'];
const GKE_WINDOWS = ['gke-mixed-prod-win-ltsc2022-7d1c39aa-4k2x', 'gke-mixed-prod-win-ltsc2022-7d1c39aa-q8zt'];
const SOME_AKS_WINDOWS = [...W19(0, 2), ...W22(0, 1, 4), ...W25(0, 1, 4)];

function workload(namespace: string, name: string, image: string, options: Options = {}): SampleWorkload {
  const kind = options.kind ?? 'Deployment';
  const job = kind === 'Job' || kind === 'CronJob';
  const port = options.port === undefined ? (job ? null : 8080) : options.port;
  const container: JsonMap = {
    name: name.split('-').at(-1) ?? name,
    image,
    ...(port === null ? {} : { ports: [{ containerPort: port }] }),
    resources: { requests: { cpu: options.cpu ?? '250m', memory: options.memory ?? '512Mi' }, limits: { memory: options.memory ?? '512Mi' } },
    ...options.container,
  };
  const podSpec: JsonMap = {
    ...(options.init === undefined ? {} : { initContainers: [{ name: 'prepare', image: options.init, resources: { requests: { cpu: '100m', memory: '128Mi' } } }] }),
    containers: [container],
    ...(options.select == null ? {} : { nodeSelector: options.select }),
    ...(options.tolerate == null ? {} : { tolerations: options.tolerate }),
    restartPolicy: job ? 'Never' : 'Always',
    dnsPolicy: 'ClusterFirst',
    ...options.pod,
  };
  return {
    kind, namespace, name,
    replicas: options.replicas ?? 2,
    ageDays: 20 + numberOf(`age ${namespace}/${name}`, 400),
    podSpec,
    images: [image, ...(options.init === undefined ? [] : [options.init])],
    on: options.on ?? [],
    state: options.state ?? (options.on === undefined ? 'not-shown' : 'running'),
    schedule: options.schedule ?? null,
    annotations: options.annotations ?? {},
  };
}

const windows22 = (namespace: string, name: string, image: string, options: Options = {}): SampleWorkload =>
  workload(namespace, name, image, { select: BUILD_2022, tolerate: TOLERATE_OS, ...options });
const windows19 = (namespace: string, name: string, image: string, options: Options = {}): SampleWorkload =>
  workload(namespace, name, image, { select: BUILD_2019, tolerate: TOLERATE_OS, ...options });
const windows25 = (namespace: string, name: string, image: string, options: Options = {}): SampleWorkload =>
  workload(namespace, name, image, { select: BUILD_2025, tolerate: TOLERATE_OS, ...options });
const linux = (namespace: string, name: string, image: string, options: Options = {}): SampleWorkload =>
  workload(namespace, name, image, { select: LINUX, ...options });

/** A HostProcess DaemonSet as it should be. */
const hostProcess = (namespace: string, name: string, image: string, options: Options = {}): SampleWorkload =>
  workload(namespace, name, image, {
    kind: 'DaemonSet', select: WINDOWS, tolerate: TOLERATE_ALL, port: null, cpu: '50m', memory: '150Mi', ...options,
    pod: { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } }, ...options.pod },
  });

const gmsa = (credentialSpec: string): JsonMap => ({ securityContext: { windowsOptions: { gmsaCredentialSpecName: credentialSpec } } });

/** The workloads of the sample cluster: first those that are as they should be, then those with something wrong. */
export function sampleWorkloads(): readonly SampleWorkload[] {
  return [
    // Windows Server 2022, in order.
    windows22('shop', 'storefront', `${REGISTRY}/shop/storefront:2026.11.3-ltsc2022`, { replicas: 4, on: W22(0, 1, 2, 3), pod: { os: { name: 'windows' } } }),
    windows22('shop', 'catalog-api', `${REGISTRY}/shop/catalog-api:4.18.2-ltsc2022`, { replicas: 3, on: W22(0, 1, 5), pod: { os: { name: 'windows' } } }),
    windows22('shop', 'basket-api', `${REGISTRY}/shop/basket-api:4.11.0-ltsc2022`, { on: W22(0, 3), pod: { os: { name: 'windows' } } }),
    windows22('shop', 'checkout-web', `${REGISTRY}/shop/checkout-web:7.0.1-nanoserver-ltsc2022`, { replicas: 3, on: W22(1, 2, 3), pod: { os: { name: 'windows' } } }),
    windows22('shop', 'search-indexer', `${REGISTRY}/shop/search-indexer:3.2.9-ltsc2022`, { on: W22(0, 2), memory: '2Gi' }),
    windows22('orders', 'order-intake', `${REGISTRY}/orders/intake:12.4.0-ltsc2022`, { replicas: 3, on: W22(0, 1, 3), pod: { os: { name: 'windows' } } }),
    windows22('orders', 'order-router', `${REGISTRY}/orders/router:12.4.0-ltsc2022`, { on: W22(1, 3) }),
    windows22('orders', 'edi-gateway', `${REGISTRY}/orders/edi-gateway:2.7.5-ltsc2022`, { on: W22(2, 3), container: { securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } } } }),
    windows22('orders', 'invoice-printer', `${REGISTRY}/orders/invoice-printer:1.9.3-ltsc2022`, { on: W22(0, 1) }),
    windows22('reporting', 'report-viewer', `${REGISTRY}/reporting/viewer:5.6.1-ltsc2022`, { on: W22(2, 3), memory: '1Gi' }),
    windows22('reporting', 'report-scheduler', `${REGISTRY}/reporting/scheduler:5.6.1-ltsc2022`, { on: W22(0, 1) }),
    windows22('reporting', 'nightly-export', `${REGISTRY}/reporting/export:5.6.0-ltsc2022`, { kind: 'CronJob', schedule: '15 2 * * *' }),
    windows22('reporting', 'month-end-close', `${REGISTRY}/reporting/export:5.6.0-ltsc2022`, { kind: 'CronJob', schedule: '0 4 1 * *' }),
    windows22('media', 'thumbnailer', `${REGISTRY}/media/thumbnailer:3.0.4-ltsc2022`, { on: W22(1, 3), memory: '1Gi' }),
    windows22('media', 'transcoder', `${REGISTRY}/media/transcoder:6.2.0-ltsc2022`, { on: W22(2, 5), cpu: '2', memory: '3Gi' }),
    windows22('ci', 'build-agent', 'docker.io/jenkins/inbound-agent:3283.v92c105e0f819-1-jdk21-windowsservercore-ltsc2022', { kind: 'StatefulSet', replicas: 2, on: W22(1, 2), port: null, cpu: '1', memory: '2Gi' }),
    windows22('media', 'encoder-queue', `${REGISTRY}/media/encoder-queue:2.2.0-ltsc2022`, { kind: 'StatefulSet', replicas: 3, on: W22(0, 1, 3), pod: { os: { name: 'windows' } } }),
    // On the pools that look like EKS and GKE.
    workload('edge', 'kiosk-api', 'public.ecr.aws/contoso/kiosk-api:2.9.0-ltsc2022', { replicas: 4, select: { ...BUILD_2022, 'eks.amazonaws.com/nodegroup': 'win2022-core' }, on: EKS_WINDOWS, pod: { os: { name: 'windows' } } }),
    workload('edge', 'label-printer', 'public.ecr.aws/contoso/label-printer:1.4.4-ltsc2022', { select: { ...BUILD_2022, 'eks.amazonaws.com/nodegroup': 'win2022-core' }, on: EKS_WINDOWS.slice(0, 2) }),
    workload('edge', 'scanner-hub', 'public.ecr.aws/contoso/scanner-hub:3.3.1-ltsc2022', { select: { ...BUILD_2022, 'eks.amazonaws.com/nodegroup': 'win2022-core' }, on: EKS_WINDOWS.slice(2, 4) }),
    workload('edge', 'forecast-ui', 'europe-west4-docker.pkg.dev/contoso/edge/forecast-ui:1.12.0-ltsc2022', { select: { ...BUILD_2022, 'cloud.google.com/gke-nodepool': 'win-ltsc2022' }, tolerate: TOLERATE_GKE, on: GKE_WINDOWS }),
    workload('edge', 'forecast-worker', 'europe-west4-docker.pkg.dev/contoso/edge/forecast-worker:1.12.0-ltsc2022', { select: { ...BUILD_2022, 'cloud.google.com/gke-nodepool': 'win-ltsc2022' }, tolerate: TOLERATE_GKE, on: GKE_WINDOWS }),
    // On the machines in the data centre.
    windows22('factory', 'line-monitor', 'harbor.dc1.contoso.example/factory/line-monitor:9.1.0-ltsc2022', { on: ['dc1-win22-01', 'dc1-win22-02'] }),
    windows22('factory', 'opc-bridge', 'harbor.dc1.contoso.example/factory/opc-bridge:4.0.2-ltsc2022', { on: ['dc1-win22-01', 'dc1-win22-02'] }),
    windows19('factory', 'plc-logger', 'harbor.dc1.contoso.example/factory/plc-logger:2.3.0-ltsc2019', { on: ['dc1-win19-01'], replicas: 1 }),
    // Windows Server 2025, in order.
    windows25('payments', 'card-api', `${REGISTRY}/payments/card-api:3.4.0-ltsc2025`, { replicas: 4, on: W25(0, 1, 2, 3), pod: { os: { name: 'windows' } } }),
    windows25('payments', 'fraud-scoring', `${REGISTRY}/payments/fraud-scoring:1.22.7-ltsc2025`, { replicas: 3, on: W25(0, 1, 3), pod: { os: { name: 'windows' } }, memory: '2Gi' }),
    windows25('payments', 'settlement', `${REGISTRY}/payments/settlement:3.4.0-ltsc2025`, { on: W25(2, 4), pod: { os: { name: 'windows' } } }),
    windows25('payments', 'settlement-run', `${REGISTRY}/payments/settlement:3.4.0-ltsc2025`, { kind: 'CronJob', schedule: '*/30 * * * *' }),
    windows25('payments', 'ledger-archive', `${REGISTRY}/payments/ledger-archive:1.3.1-nanoserver-ltsc2025`, { kind: 'StatefulSet', replicas: 2, on: W25(0, 1), pod: { os: { name: 'windows' } } }),
    windows25('shop', 'recommendations', `${REGISTRY}/shop/recommendations:0.31.0-ltsc2025`, { on: W25(1, 3), pod: { os: { name: 'windows' } } }),
    windows25('shop', 'loyalty-api', `${REGISTRY}/shop/loyalty-api:2.2.0-ltsc2025`, { on: W25(0, 4) }),
    // Images of many releases in one tag.
    workload('shop', 'iis-landing', `${MCR}/windows/servercore/iis:windowsservercore-ltsc2025`, { select: BUILD_2025, tolerate: TOLERATE_OS, on: W25(2, 3), port: 80 }),
    workload('shop', 'aspnet-samples', `${MCR}/dotnet/samples:aspnetapp`, { select: WINDOWS, tolerate: TOLERATE_OS, on: [...W22(0), ...W25(1)] }),
    workload('shop', 'price-api', `${REGISTRY}/shop/price-api:6.0.0`, { select: WINDOWS, tolerate: TOLERATE_OS, replicas: 3, on: [...W19(0), ...W22(1), ...W25(2)], pod: { os: { name: 'windows' } } }),
    workload('sandbox', 'pause-probe', 'registry.k8s.io/pause:3.10.1', { select: WINDOWS, tolerate: TOLERATE_OS, on: [...W22(0), ...W25(0)], port: null, cpu: '10m', memory: '32Mi' }),
    // Windows 2022 images on Windows Server 2025 hosts: down-level, as the 2025 pool allows.
    windows25('orders', 'returns-api', `${REGISTRY}/orders/returns-api:8.8.1-ltsc2022`, { on: W25(0, 2), pod: { os: { name: 'windows' } } }),
    windows25('orders', 'shipping-labels', `${REGISTRY}/orders/shipping-labels:3.3.0-ltsc2022`, { replicas: 3, on: W25(1, 3, 4) }),
    windows25('reporting', 'dashboard', `${REGISTRY}/reporting/dashboard:5.6.1-ltsc2022`, { on: W25(0, 3) }),
    windows25('media', 'caption-service', `${REGISTRY}/media/captions:1.7.0-ltsc2022`, { on: W25(2, 4) }),
    windows25('ci', 'test-runner', `${MCR}/dotnet/framework/sdk:4.8.1-windowsservercore-ltsc2022`, { on: W25(1), replicas: 1, port: null, cpu: '2', memory: '4Gi' }),
    // Windows Server 2019: runs, but the pool is past its end.
    windows19('erp', 'ledger', `${REGISTRY}/erp/ledger:8.4.2-ltsc2019`, { replicas: 3, on: W19(0, 1, 2) }),
    windows19('erp', 'stock-service', `${REGISTRY}/erp/stock:8.4.2-ltsc2019`, { on: W19(0, 3) }),
    windows19('erp', 'pricing-batch', `${REGISTRY}/erp/pricing:8.3.0-ltsc2019`, { kind: 'CronJob', schedule: '0 */6 * * *' }),
    windows19('erp', 'document-store', `${REGISTRY}/erp/documents:8.4.0-1809`, { kind: 'StatefulSet', replicas: 2, on: W19(1, 2) }),
    windows19('erp', 'soap-bridge', `${MCR}/dotnet/framework/wcf:4.8-windowsservercore-ltsc2019`, { on: W19(0, 1), port: 808 }),
    windows19('identity', 'badge-sync', `${REGISTRY}/identity/badge-sync:3.0.0-ltsc2019`, { on: W19(2), replicas: 1, pod: gmsa('badge-sync') }),
    // Group managed service accounts.
    windows22('identity', 'intranet', `${REGISTRY}/identity/intranet:5.1.0-ltsc2022`, { on: W22(0, 1), pod: gmsa('intranet-web') }),
    windows22('identity', 'directory-proxy', `${REGISTRY}/identity/directory-proxy:2.0.7-ltsc2022`, { on: W22(2, 3), pod: gmsa('directory-proxy') }),
    windows22('identity', 'hr-portal', `${REGISTRY}/identity/hr-portal:11.2.0-ltsc2022`, { state: 'no-gmsa', on: W22(1), pod: gmsa('hr-portal') }),
    windows25('identity', 'file-gateway', `${REGISTRY}/identity/file-gateway:1.0.3-ltsc2025`, { on: W25(0, 2), pod: { ...gmsa('file-gateway'), os: { name: 'windows' } } }),
    // HostProcess, in order.
    hostProcess('kube-system', 'csi-azuredisk-node-win', `${MCR}/oss/v2/kubernetes-csi/azuredisk-csi:v1.34.5-windows-hp`, { on: SOME_AKS_WINDOWS }),
    hostProcess('kube-system', 'csi-azurefile-node-win', `${MCR}/oss/v2/kubernetes-csi/azurefile-csi:v1.34.4-windows-hp`),
    hostProcess('kube-system', 'cloud-node-manager-windows', `${MCR}/oss/v2/kubernetes/azure-cloud-node-manager:v1.34.13-windows-hpc-1`),
    hostProcess('monitoring', 'windows-exporter', 'ghcr.io/prometheus-community/windows-exporter:0.31.8', { on: [...W22(0, 1, 5), ...W25(0, 1), 'dc1-win22-01', 'dc1-win25-01'], container: { ports: [{ containerPort: 9182, hostPort: 9182, name: 'metrics' }] } }),
    hostProcess('kube-system', 'kube-proxy-windows', 'docker.io/sigwindowstools/kube-proxy:v1.34.2-calico-hostprocess', { on: ['dc1-win19-01', 'dc1-win22-01', 'dc1-win22-02', 'dc1-win25-01'] }),
    hostProcess('kube-system', 'calico-node-windows', 'docker.io/calico/node-windows:v3.29.4', { on: ['dc1-win19-01', 'dc1-win22-01', 'dc1-win22-02', 'dc1-win25-01'] }),
    // Linux, in order.
    linux('kube-system', 'coredns', `${MCR}/oss/v2/kubernetes/coredns:v1.12.1`, { on: SYSTEM(0, 1), tolerate: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }], port: 53, cpu: '100m', memory: '170Mi' }),
    linux('kube-system', 'metrics-server', `${MCR}/oss/v2/kubernetes/metrics-server:v0.7.2-8`, { on: SYSTEM(0, 2), tolerate: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }], cpu: '100m', memory: '150Mi' }),
    linux('kube-system', 'konnectivity-agent', `${MCR}/oss/v2/kubernetes/apiserver-network-proxy/agent:v0.30.3-hotfix.20240819`, { on: SYSTEM(1, 2), tolerate: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }] }),
    linux('kube-system', 'kube-proxy', `${MCR}/oss/kubernetes/kube-proxy:v1.34.9`, { kind: 'DaemonSet', tolerate: TOLERATE_ALL, on: [...SYSTEM(0, 1), ...APPS(0, 1)], port: null, pod: { hostNetwork: true } }),
    linux('kube-system', 'csi-azuredisk-node', `${MCR}/oss/v2/kubernetes-csi/azuredisk-csi:v1.34.5`, { kind: 'DaemonSet', tolerate: TOLERATE_ALL, port: null, container: { securityContext: { privileged: true } } }),
    linux('kube-system', 'azure-cni-networkmonitor', `${MCR}/containernetworking/networkmonitor:v1.1.8`, { kind: 'DaemonSet', tolerate: TOLERATE_ALL, port: null, pod: { hostNetwork: true } }),
    linux('ingress-nginx', 'ingress-nginx-controller', 'registry.k8s.io/ingress-nginx/controller:v1.13.3', { replicas: 3, on: APPS(0, 1, 2), port: 443, memory: '256Mi' }),
    linux('monitoring', 'prometheus', 'quay.io/prometheus/prometheus:v3.7.2', { kind: 'StatefulSet', replicas: 2, on: APPS(1, 3), port: 9090, memory: '4Gi' }),
    linux('monitoring', 'grafana', 'docker.io/grafana/grafana:12.2.1', { on: APPS(2), replicas: 1, port: 3000 }),
    linux('monitoring', 'kube-state-metrics', 'registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.17.0', { on: APPS(4), replicas: 1, container: { securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsUser: 65_534, capabilities: { drop: ['ALL'] } } } }),
    linux('monitoring', 'node-exporter', 'quay.io/prometheus/node-exporter:v1.10.2', { kind: 'DaemonSet', tolerate: TOLERATE_ALL, on: APPS(0, 1, 2), port: 9100, pod: { hostNetwork: true, hostPID: true } }),
    linux('gitops', 'source-controller', 'ghcr.io/fluxcd/source-controller:v1.7.3', { on: APPS(0), replicas: 1 }),
    linux('gitops', 'kustomize-controller', 'ghcr.io/fluxcd/kustomize-controller:v1.7.2', { on: APPS(1), replicas: 1 }),
    linux('gitops', 'helm-controller', 'ghcr.io/fluxcd/helm-controller:v1.4.3', { on: APPS(2), replicas: 1 }),
    linux('identity', 'gmsa-webhook', 'registry.k8s.io/gmsa-webhook/k8s-gmsa-webhook:v0.12.1', { on: APPS(3, 4) }),
    linux('orders', 'rabbitmq', 'docker.io/library/rabbitmq:4.1.4-management', { kind: 'StatefulSet', replicas: 3, on: APPS(0, 2, 4), port: 5672, memory: '1Gi' }),
    linux('shop', 'redis', 'docker.io/library/redis:8.2.2-alpine', { kind: 'StatefulSet', replicas: 1, on: APPS(3), port: 6379 }),
    linux('payments', 'vault-agent', 'docker.io/hashicorp/vault:1.20.4', { on: APPS(1, 4) }),
    linux('kube-system', 'aws-node', '602401143452.dkr.ecr.eu-west-1.amazonaws.com/amazon-k8s-cni:v1.20.4-eksbuild.2', { kind: 'DaemonSet', tolerate: TOLERATE_ALL, port: null, pod: { hostNetwork: true } }),
    linux('kube-system', 'fluentbit-gke', 'gke.gcr.io/fluent-bit:v1.8.1200-gke.54', { kind: 'DaemonSet', tolerate: TOLERATE_ALL, port: null }),
    linux('kube-system', 'calico-node', 'docker.io/calico/node:v3.29.4', { kind: 'DaemonSet', tolerate: TOLERATE_ALL, port: null, pod: { hostNetwork: true } }),
    linux('batch', 'pg-backup', 'docker.io/library/postgres:17.6', { kind: 'CronJob', schedule: '30 1 * * *' }),
    linux('batch', 'certificate-check', 'docker.io/curlimages/curl:8.16.0', { kind: 'CronJob', schedule: '0 7 * * 1' }),

    // Wrong release for the nodes it is sent to.
    windows22('erp', 'tax-engine', `${REGISTRY}/erp/tax-engine:8.4.2-ltsc2019`, { state: 'no-match', on: W22(3) }),
    windows25('erp', 'archive-reader', `${REGISTRY}/erp/archive-reader:7.9.0-ltsc2019`, { state: 'no-match', on: W25(1) }),
    windows19('shop', 'gift-cards', `${REGISTRY}/shop/gift-cards:1.3.0-ltsc2022`, { state: 'no-match', on: W19(1) }),
    windows22('media', 'subtitle-import', `${REGISTRY}/media/subtitle-import:2.0.0-ltsc2025`, { state: 'os-mismatch', on: W22(0) }),
    workload('reporting', 'cube-refresh', `${REGISTRY}/reporting/cube:4.1.0-ltsc2019`, { kind: 'Job', replicas: 1, select: WINDOWS, tolerate: TOLERATE_OS, state: 'no-match', on: W25(4) }),
    workload('sandbox', 'hello-1903', 'mcr.microsoft.com/windows/nanoserver:1903', { select: WINDOWS, tolerate: TOLERATE_OS, replicas: 1, state: 'no-match', on: W22(2), port: null }),
    windows22('ci', 'legacy-agent', 'docker.io/jenkins/inbound-agent:jdk11-windowsservercore-ltsc2019', { state: 'no-match', on: W22(1), replicas: 1, port: null }),
    hostProcess('monitoring', 'log-shipper-win', 'docker.io/grafana/alloy:v1.18.1-windowsservercore-ltsc2022', { init: `${MCR}/windows/nanoserver:1809`, on: W22(0, 1, 3) }),
    // No build in the selector although the cluster has five.
    workload('orders', 'customs-forms', `${REGISTRY}/orders/customs-forms:2.1.0-ltsc2022`, { select: WINDOWS, tolerate: TOLERATE_OS, on: W22(1, 2) }),
    workload('orders', 'address-check', `${REGISTRY}/orders/address-check:1.1.9-ltsc2022`, { select: { 'beta.kubernetes.io/os': 'windows' }, tolerate: TOLERATE_OS, on: W22(0, 3) }),
    workload('shop', 'mailer', `${REGISTRY}/shop/mailer:3.9.0`, { select: { 'kubernetes.azure.com/os-sku': 'Windows2022' }, tolerate: TOLERATE_OS, on: W22(1, 5) }),
    // Windows images without any Windows selector.
    workload('shop', 'coupon-api', `${REGISTRY}/shop/coupon-api:1.2.0-ltsc2022`, { tolerate: TOLERATE_OS, on: W22(2), replicas: 1 }),
    workload('reporting', 'pdf-render', `${REGISTRY}/reporting/pdf-render:2.8.0-ltsc2022`, { state: 'no-match', on: APPS(2), replicas: 1 }),
    workload('media', 'photo-import', `${REGISTRY}/media/photo-import:1.0.0-ltsc2022`, { tolerate: TOLERATE_OS, pod: { os: { name: 'windows' } }, state: 'os-rejected', on: APPS(0), replicas: 1 }),
    workload('sandbox', 'servercore-shell', `${MCR}/windows/servercore:ltsc2022`, { kind: 'Pod', replicas: 1, tolerate: TOLERATE_OS, on: W22(2), port: null, container: { command: ['powershell', '-Command', 'Start-Sleep -Seconds 86400'] } }),
    // Selector without the toleration.
    workload('payments', 'reconciler', `${REGISTRY}/payments/reconciler:1.4.2-ltsc2025`, { select: BUILD_2025, state: 'pending', replicas: 1 }),
    workload('edge', 'inventory-sync', 'europe-west4-docker.pkg.dev/contoso/edge/inventory-sync:0.9.0-ltsc2022', { select: { ...BUILD_2022, 'cloud.google.com/gke-nodepool': 'win-ltsc2022' }, tolerate: TOLERATE_OS, state: 'pending', replicas: 1 }),
    workload('erp', 'fax-server', `${REGISTRY}/erp/fax-server:1.0.0-ltsc2016`, { select: { ...WINDOWS, 'node.kubernetes.io/windows-build': '10.0.14393' }, tolerate: TOLERATE_OS, state: 'pending', replicas: 1 }),
    // Fields that only Linux has.
    windows22('shop', 'review-api', `${REGISTRY}/shop/review-api:2.5.0-ltsc2022`, { on: W22(0, 2), container: { securityContext: { runAsUser: 1000, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } } } }),
    windows22('orders', 'webhook-relay', `${REGISTRY}/orders/webhook-relay:1.6.3-ltsc2022`, { on: W22(1, 3), pod: { securityContext: { fsGroup: 2000, seccompProfile: { type: 'RuntimeDefault' } } } }),
    windows22('media', 'live-ingest', `${REGISTRY}/media/live-ingest:4.4.0-ltsc2022`, { on: W22(0, 1), pod: { hostNetwork: true } }),
    windows22('ci', 'artifact-cache', `${REGISTRY}/ci/artifact-cache:0.8.0-ltsc2022`, { on: W22(2), replicas: 1, pod: { shareProcessNamespace: true, volumes: [{ name: 'cache', emptyDir: { medium: 'Memory', sizeLimit: '2Gi' } }] }, container: { volumeMounts: [{ name: 'cache', mountPath: 'C:\\cache' }] } }),
    windows25('payments', 'pin-pad', `${REGISTRY}/payments/pin-pad:2.0.0-ltsc2025`, { on: W25(2, 3), container: { securityContext: { privileged: true } } }),
    windows22('reporting', 'data-loader', `${REGISTRY}/reporting/data-loader:5.0.0-ltsc2022`, { on: W22(1), replicas: 1, container: { volumeDevices: [{ name: 'raw', devicePath: '/dev/xvda' }] }, pod: { volumes: [{ name: 'raw', persistentVolumeClaim: { claimName: 'data-loader-raw' } }] } }),
    windows22('shop', 'image-proxy', `${REGISTRY}/shop/image-proxy:1.1.1-ltsc2022`, { on: W22(0, 3), container: { securityContext: { runAsNonRoot: true, windowsOptions: { runAsUserName: 'ContainerAdministrator' } } } }),
    windows22('orders', 'tracking-api', `${REGISTRY}/orders/tracking-api:2.2.0-ltsc2022`, { on: W22(2, 3), pod: { dnsPolicy: 'ClusterFirstWithHostNet' } }),
    windows22('media', 'gallery', `${REGISTRY}/media/gallery:1.9.9-ltsc2022`, { on: W22(0, 1), container: { volumeMounts: [{ name: 'config', mountPath: '/app/appsettings.json', subPath: 'appsettings.json' }] }, pod: { volumes: [{ name: 'config', configMap: { name: 'gallery-config', defaultMode: 256 } }] } }),
    windows22('ci', 'docker-builder', `${REGISTRY}/ci/docker-builder:2.0.0-ltsc2022`, { on: W22(3), replicas: 1, pod: { volumes: [{ name: 'docker', hostPath: { path: '\\\\.\\pipe\\docker_engine' } }] }, container: { volumeMounts: [{ name: 'docker', mountPath: '\\\\.\\pipe\\docker_engine' }] } }),
    // HostProcess with something missing.
    workload('monitoring', 'perf-collector', `${REGISTRY}/monitoring/perf-collector:0.4.0`, { kind: 'DaemonSet', select: WINDOWS, tolerate: TOLERATE_OS, port: null, pod: { securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } } } }),
    workload('kube-system', 'disk-cleaner', `${MCR}/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0`, { kind: 'DaemonSet', select: WINDOWS, tolerate: TOLERATE_ALL, port: null, pod: { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }, container: { command: ['powershell.exe', '-File', '%CONTAINER_SANDBOX_MOUNT_POINT%\\clean.ps1'] } }),
    // DaemonSets for Linux that tolerate everything and select nothing.
    workload('monitoring', 'promtail', 'docker.io/grafana/promtail:3.5.7', { kind: 'DaemonSet', tolerate: TOLERATE_ALL, state: 'no-match', on: [...W19(0), ...W22(1), ...W25(2)], port: 3101 }),
    workload('monitoring', 'beyla', 'docker.io/grafana/beyla:3.25.0', { kind: 'DaemonSet', tolerate: TOLERATE_ALL, port: null, pod: { hostPID: true }, container: { securityContext: { privileged: true } } }),
    workload('sandbox', 'image-puller', 'docker.io/library/busybox:1.37.0', { kind: 'DaemonSet', port: null, state: 'no-match', on: [...W19(3), ...W22(2), ...EKS_WINDOWS.slice(0, 1)], container: { command: ['sleep', 'infinity'] } }),
    // Linux workloads without a selector: they land on Windows nodes that have no taint.
    workload('edge', 'telemetry-relay', 'docker.io/library/nginx:1.29.3', { replicas: 3, on: ['ip-10-40-64-37.eu-west-1.compute.internal', 'ip-10-40-80-78.eu-west-1.compute.internal'], port: 80 }),
    workload('edge', 'cache', 'docker.io/library/memcached:1.6.39', { replicas: 1, state: 'no-match', on: EKS_WINDOWS.slice(1, 2), port: 11211 }),
    workload('gitops', 'notification-controller', 'ghcr.io/fluxcd/notification-controller:v1.7.4', { replicas: 1, on: APPS(3) }),
    workload('gitops', 'image-reflector-controller', 'ghcr.io/fluxcd/image-reflector-controller:v1.0.3', { replicas: 1, state: 'no-match', on: W19(3) }),
    workload('batch', 'cleanup', 'docker.io/library/alpine:3.22.2', { kind: 'CronJob', schedule: '0 3 * * *' }),
    workload('batch', 'import-rates', 'docker.io/library/python:3.13-slim', { kind: 'Job', replicas: 1, on: APPS(4) }),
    workload('shop', 'feature-flags', 'docker.io/library/nginx:1.29.3-alpine', { on: APPS(0, 2), port: 80 }),
    workload('payments', 'mock-bank', 'docker.io/wiremock/wiremock:3.13.1', { replicas: 1, on: APPS(1) }),
    workload('orders', 'postgres', 'docker.io/library/postgres:17.6', { kind: 'StatefulSet', replicas: 1, on: APPS(4), port: 5432, pod: { securityContext: { fsGroup: 999, runAsUser: 999 } } }),
    workload('monitoring', 'blackbox-exporter', 'quay.io/prometheus/blackbox-exporter:v0.27.0', { replicas: 1, on: ['dc1-lin-00'] }),
    // Mixed up: Windows selector, Linux image; and the other way round.
    workload('sandbox', 'echo', 'registry.k8s.io/e2e-test-images/echoserver:2.5', { select: WINDOWS, tolerate: TOLERATE_OS, replicas: 1, state: 'no-match', on: W22(0) }),
    linux('sandbox', 'iis-on-linux', `${MCR}/windows/servercore/iis:windowsservercore-ltsc2022`, { replicas: 1, state: 'no-match', on: APPS(1), port: 80 }),
    linux('sandbox', 'confused', `${REGISTRY}/sandbox/confused:0.0.1`, { replicas: 1, on: APPS(0), pod: { securityContext: { windowsOptions: { runAsUserName: 'ContainerUser' } } } }),
    // Images that say nothing about the release, floating tags, private registries without a secret.
    windows22('shop', 'newsletter', `${REGISTRY}/shop/newsletter:latest`, { on: W22(1, 3), container: { imagePullPolicy: 'Always' } }),
    windows22('reporting', 'forms', `${MCR}/dotnet/framework/aspnet:4.8`, { on: W22(2), replicas: 1, port: 80 }),
    windows22('media', 'rights-check', 'harbor.dc1.contoso.example/media/rights-check:1.2.0', { state: 'pull-secret', on: W22(1), replicas: 1 }),
    windows25('ci', 'signing', `${REGISTRY}/ci/signing@sha256:9f3c2b7a4d1e60c58fa9b0d27e314c6588c1f0a2d94e7b63a5d2c8e1f70b9346`, { on: W25(3), replicas: 1, pod: { imagePullSecrets: [{ name: 'contoso-acr' }] } }),
    windows22('sandbox', 'core-shell', `${MCR}/windows/servercore:ltsc2022`, { kind: 'Pod', replicas: 1, on: W22(3), port: null, container: { command: ['cmd', '/c', 'ping -t localhost'], resources: {} } }),
    windows22('sandbox', 'debug-2026', `${MCR}/powershell:lts-nanoserver-ltsc2022`, { kind: 'Pod', replicas: 1, on: W22(4), port: null }),
    windows19('sandbox', 'old-shell', `${MCR}/windows/servercore:1809`, { kind: 'Pod', replicas: 1, on: W19(0), port: null, pod: { volumes: [{ name: 'work', emptyDir: {} }] }, container: { volumeMounts: [{ name: 'work', mountPath: 'C:\\work' }] } }),
    windows22('sandbox', 'orphan', `${REGISTRY}/sandbox/orphan:1.0.0-ltsc2022`, { kind: 'ReplicaSet', replicas: 2, on: W22(0, 1) }),
    // Single replicas, and disruption budgets that allow none (policies.ts).
    windows22('orders', 'sequence-generator', `${REGISTRY}/orders/sequence:1.0.4-ltsc2022`, { replicas: 1, on: W22(1), annotations: { 'kubernetes.io/change-cause': 'keep at one replica: numbers must not be given twice' } }),
    windows19('erp', 'licence-server', `${REGISTRY}/erp/licence-server:4.4.0-ltsc2019`, { replicas: 1, on: W19(1), kind: 'StatefulSet' }),
    // Through a RuntimeClass, which brings selector and toleration.
    workload('media', 'wall-display', `${REGISTRY}/media/wall-display:1.1.0-ltsc2022`, { on: W22(2, 3), pod: { runtimeClassName: 'windows-2022' } }),
    workload('media', 'poster', `${REGISTRY}/media/poster:1.1.0-ltsc2019`, { on: W19(0), replicas: 1, pod: { runtimeClassName: 'windows-2019' } }),
    workload('sandbox', 'typo-class', `${REGISTRY}/sandbox/typo:1.0.0-ltsc2025`, { replicas: 1, pod: { runtimeClassName: 'windows-2052' } }),
    // A rule that is known and accepted.
    windows22('shop', 'legacy-cart', `${REGISTRY}/shop/legacy-cart:1.0.0-ltsc2019`, { replicas: 0, annotations: { 'ignore.kubectl-win/image-runs-on-nodes': 'scaled to zero until the rebuild' } }),
  ];
}

/** Object of a workload as the API server would give it. */
export function workloadObject(workload: SampleWorkload, running: number): JsonMap {
  const labels = { app: workload.name };
  const template: JsonMap = { metadata: { labels }, spec: workload.podSpec };
  const head = metadata(workload.kind, workload.namespace, workload.name, workload.ageDays, {
    generation: 1 + numberOf(`generation ${workload.namespace}/${workload.name}`, 30),
    labels,
    ...(Object.keys(workload.annotations).length === 0 ? {} : { annotations: workload.annotations }),
  });
  const selector = { matchLabels: { app: workload.name } };
  switch (workload.kind) {
    case 'Deployment':
      return object('apps/v1', 'Deployment', head, { replicas: workload.replicas, selector, strategy: { type: 'RollingUpdate' }, template },
        { replicas: workload.replicas, readyReplicas: running, availableReplicas: running, ...(running < workload.replicas ? { unavailableReplicas: workload.replicas - running } : {}) });
    case 'ReplicaSet':
      return object('apps/v1', 'ReplicaSet', head, { replicas: workload.replicas, selector, template }, { replicas: workload.replicas, readyReplicas: running });
    case 'StatefulSet':
      return object('apps/v1', 'StatefulSet', head, { replicas: workload.replicas, serviceName: workload.name, selector, template, updateStrategy: { type: 'RollingUpdate' } }, { replicas: workload.replicas, readyReplicas: running });
    case 'DaemonSet':
      return object('apps/v1', 'DaemonSet', head, { selector, template, updateStrategy: { type: 'RollingUpdate' } }, daemonSetStatus(workload));
    case 'Job':
      return object('batch/v1', 'Job', head, { parallelism: 1, completions: 1, backoffLimit: 6, template }, workload.state === 'running' ? { active: 1 } : { active: 1, ready: 0 });
    case 'CronJob':
      return object('batch/v1', 'CronJob', head, { schedule: workload.schedule ?? '0 0 * * *', concurrencyPolicy: 'Forbid', jobTemplate: { spec: { backoffLimit: 2, template } } }, {});
    case 'Pod':
      throw new Error('pods are made in pods.ts');
  }
}

/** Pods of only some nodes are recorded; the status counts all of them. */
function daemonSetStatus({ podSpec, state, name }: SampleWorkload): JsonMap {
  const os = (podSpec['nodeSelector'] as Readonly<Record<string, string>> | undefined)?.['kubernetes.io/os'];
  const desired = os === 'windows' ? 27 : os === 'linux' ? 20 : podSpec['tolerations'] === undefined ? 20 : 47;
  // Without hostNetwork the API server refuses the pods of perf-collector; without a selector the Linux image fails on Windows.
  const current = name === 'perf-collector' ? 0 : desired;
  const ready = name === 'perf-collector' ? 0 : os === 'windows' ? 26 : state === 'no-match' || os === undefined ? Math.min(desired, 20) - (podSpec['tolerations'] === undefined ? 6 : 0) : desired;
  return { desiredNumberScheduled: desired, currentNumberScheduled: current, numberReady: ready, numberUnavailable: desired - ready, numberMisscheduled: 0 };
}

function object(apiVersion: string, kind: string, head: JsonMap, spec: JsonMap, status: Json): JsonMap {
  return { apiVersion, kind, metadata: head, spec, status };
}
