/**
 * The objects that samples of rules are made of: pods, workloads, nodes and volumes that no rule has anything to say of, to which a rule
 * adds the lines that it is about. Each builder gives the YAML of one whole object, as docs/checks.md shows it.
 */

/** Lines of YAML, as one text or one by one; the indentation that they share does not count, the builder puts them where they belong. */
export type SampleLines = string | readonly string[];

export interface SamplePod {
  readonly name?: string;
  /** Lines in metadata. */
  readonly metadata?: SampleLines;
  /** spec.os.name; null leaves it out. */
  readonly osName?: string | null;
  /** Lines in spec.nodeSelector; null leaves it out. */
  readonly nodeSelector?: SampleLines | null;
  /** Lines in the pod spec. */
  readonly spec?: SampleLines;
  /** Lines in the securityContext of the pod. */
  readonly podSecurity?: SampleLines;
  readonly image?: string;
  /** Lines in the container. */
  readonly container?: SampleLines;
  /** Lines in the securityContext of the container. */
  readonly containerSecurity?: SampleLines;
  /** Lines in the resources of the container; '' leaves them out. */
  readonly resources?: SampleLines;
  /** Lines of further containers. */
  readonly containers?: SampleLines;
}

/** The build of Windows Server 2022, which the images of samples are of. */
export const PINNED = `kubernetes.io/os: windows
node.kubernetes.io/windows-build: 10.0.20348`;

/** The resources of a container that reserves all the memory that it may use, with further limits. */
export const memoryOf = (quantity: string, ...limits: readonly string[]): readonly string[] => ['requests:', `  memory: ${quantity}`, 'limits:', `  memory: ${quantity}`, ...indent(limits, 2)];

/** A pod for Windows: os.name, a pinned build, and as much memory reserved as it may use. */
export function samplePod(pod: SamplePod = {}): string {
  return `apiVersion: v1
kind: Pod
${templateOf(pod, true)}`;
}

/** A pod for Linux. */
export function sampleLinuxPod(pod: SamplePod = {}): string {
  return samplePod({ name: 'web', osName: 'linux', nodeSelector: 'kubernetes.io/os: linux', image: 'registry.k8s.io/e2e-test-images/agnhost:2.53', resources: '', ...pod });
}

export interface SampleHostProcessPod extends SamplePod {
  /** Lines in windowsOptions of the pod; '' writes null. Default: hostProcess and a user. */
  readonly windowsOptions?: SampleLines;
  /** A flow list. */
  readonly command?: string;
  readonly hostNetwork?: boolean;
}

/** A HostProcess pod of an agent on the node. */
export function sampleHostProcessPod({
  windowsOptions = ['hostProcess: true', "runAsUserName: 'NT AUTHORITY\\Local service'"], command = "['powershell.exe', '-Command', 'Get-Service']", hostNetwork = true, ...pod
}: SampleHostProcessPod = {}): string {
  return samplePod({
    name: 'agent', nodeSelector: 'kubernetes.io/os: windows', image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', resources: memoryOf('100Mi'), ...pod,
    spec: [...(hostNetwork ? ['hostNetwork: true'] : []), ...linesOf(pod.spec)],
    podSecurity: [...linesOf(pod.podSecurity), ...(linesOf(windowsOptions).length === 0 ? ['windowsOptions: null'] : under('windowsOptions', windowsOptions))],
    container: [`command: ${command}`, ...linesOf(pod.container)],
  });
}

/** An object that makes such pods, with further lines in its own spec. */
export function sampleWorkload(kind: 'DaemonSet' | 'Deployment', pod: SamplePod = {}, spec: SampleLines = ''): string {
  const { name = 'iis' } = pod;
  return `apiVersion: apps/v1
kind: ${kind}
metadata:
  name: ${name}
spec:
${indented(spec, 2)}  selector:
    matchLabels:
      app: ${name}
  template:
${indented(templateOf({ ...pod, metadata: ['labels:', `  app: ${name}`, ...linesOf(pod.metadata)] }, false), 4)}`;
}

/** An agent that a network or storage driver, or Kubernetes itself, runs on each node of an OS. */
export function sampleAgent(name: string, os: 'windows' | 'linux', { args = '', status = '' }: { readonly args?: string; readonly status?: string } = {}): string {
  return `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: ${name}
  namespace: kube-system
spec:
  selector:
    matchLabels:
      k8s-app: ${name}
  template:
    metadata:
      labels:
        k8s-app: ${name}
    spec:
      nodeSelector:
        kubernetes.io/os: ${os}
      containers:
      - name: ${name}
        image: registry.example.com/kube-system/${name}:1.0.0
${args === '' ? '' : `        args: ${args}\n`}${status === '' ? '' : `status: ${status}\n`}`;
}

export interface SampleNode {
  readonly name?: string;
  readonly os?: 'windows' | 'linux';
  /** Further labels. */
  readonly labels?: SampleLines;
  /** Flow list: `[{key: os, value: windows, effect: NoSchedule}]`. */
  readonly taints?: string;
  /** Of Windows: 10.0.20348. */
  readonly build?: string;
  readonly revision?: number;
  readonly containerd?: string;
  readonly kubelet?: string;
  readonly unschedulable?: boolean;
}

/** Names of the builds that samples use. */
const PRODUCTS: Readonly<Record<string, string>> = { '10.0.17763': 'Windows Server 2019 Datacenter', '10.0.20348': 'Windows Server 2022 Datacenter', '10.0.26100': 'Windows Server 2025 Datacenter' };

/** A node that is ready, for Windows where nothing else is said. */
export function sampleNode({
  os = 'windows', name = os === 'windows' ? 'win-0' : 'linux-0', labels = '', taints = '', build = '10.0.20348', revision = 5386, containerd = '2.3.4', kubelet = 'v1.36.2', unschedulable = false,
}: SampleNode = {}): string {
  const [kernel, image] = os === 'windows' ? [`${build}.${revision}`, PRODUCTS[build] ?? 'Windows Server Datacenter'] : ['6.8.0-1030-generic', 'Ubuntu 24.04.3 LTS'];
  const ownLabels = [...(os === 'windows' ? [`node.kubernetes.io/windows-build: ${build}`] : []), ...linesOf(labels)];
  const spec = [...(taints === '' ? [] : [`taints: ${taints}`]), ...(unschedulable ? ['unschedulable: true'] : [])];
  return `apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels:
    kubernetes.io/os: ${os}
    kubernetes.io/arch: amd64
    kubernetes.io/hostname: ${name}
${indented(ownLabels, 4)}${indented(under('spec', spec), 0)}status:
  allocatable: {cpu: '8', memory: 30Gi, pods: '110', ephemeral-storage: 200Gi}
  capacity: {cpu: '8', memory: 32Gi, pods: '110', ephemeral-storage: 250Gi}
  conditions:
  - type: Ready
    status: 'True'
  nodeInfo:
    operatingSystem: ${os}
    architecture: amd64
    kernelVersion: ${kernel}
    osImage: ${image}
    kubeletVersion: ${kubelet}
    containerRuntimeVersion: containerd://${containerd}
`;
}

/** Objects one after another. */
export function sampleList(...objects: readonly string[]): string {
  return objects.join('---\n');
}

/** The taint of upstream's guide. */
export const TAINTED = '[{key: os, value: windows, effect: NoSchedule}]';

/** A Linux node and a Windows node that is tainted as upstream's guide has it. */
export const SAMPLE_CLUSTER = sampleList(sampleNode({ os: 'linux' }), sampleNode({ taints: TAINTED }));

/** The same with a Windows node that anything can land on. */
export const OPEN_CLUSTER = sampleList(sampleNode({ os: 'linux' }), sampleNode());

/** What lets a pod onto the nodes of SAMPLE_CLUSTER; lines of a pod spec. */
export const TOLERATING = `tolerations:
- key: os
  operator: Equal
  value: windows
  effect: NoSchedule`;

/** A Service that selects the pods of a workload `iis`, with further lines of its spec. */
export function sampleService(spec: SampleLines): string {
  return object('v1', 'Service', ['metadata:', '  name: iis', ...under('spec', ['selector:', '  app: iis', 'ports:', '- port: 80', ...linesOf(spec)])]);
}

export function sampleNamespace(name: string, label: string): string {
  return object('v1', 'Namespace', ['metadata:', `  name: ${name}`, '  labels:', `    ${label}`]);
}

/**
 * The volumes of a pod by name, and what its container mounts of them, with the lines that stand below each name:
 * `samplePod(withVolumes({ data: 'emptyDir: {}' }, ['data', 'mountPath: C:\\data']))`.
 */
export function withVolumes(
  volumes: Readonly<Record<string, SampleLines>>, ...mounts: readonly (readonly [volume: string, lines: SampleLines])[]
): { readonly spec: readonly string[]; readonly container: readonly string[] } {
  const listed = ([name, lines]: readonly [string, SampleLines]): readonly string[] => [`- name: ${name}`, ...indent(linesOf(lines), 2)];
  return { spec: ['volumes:', ...Object.entries(volumes).flatMap(listed)], container: mounts.length === 0 ? [] : ['volumeMounts:', ...mounts.flatMap(listed)] };
}

/** For withVolumes: a volume `data` of the claim of sampleClaim. */
export const CLAIMED = { data: 'persistentVolumeClaim:\n  claimName: data' };

/** The claim `data` in namespace default. */
export function sampleClaim(spec: SampleLines): string {
  return object('v1', 'PersistentVolumeClaim', ['metadata:', '  name: data', '  namespace: default', ...under('spec', spec)]);
}

export function sampleVolume(name: string, spec: SampleLines): string {
  return object('v1', 'PersistentVolume', ['metadata:', `  name: ${name}`, ...under('spec', spec)]);
}

export function sampleStorageClass(name: string, provisioner: string, parameters: SampleLines = ''): string {
  return object('storage.k8s.io/v1', 'StorageClass', ['metadata:', `  name: ${name}`, `provisioner: ${provisioner}`, ...under('parameters', parameters)]);
}

/** What the CSI drivers of a node have registered. */
export function sampleCsiNode(name: string, ...drivers: readonly string[]): string {
  return object('storage.k8s.io/v1', 'CSINode', ['metadata:', `  name: ${name}`, ...under('spec', ['drivers:', ...drivers.flatMap((driver) => [`- name: ${driver}`, `  nodeID: ${name}`])])]);
}

function object(apiVersion: string, kind: string, lines: readonly string[]): string {
  return indented([`apiVersion: ${apiVersion}`, `kind: ${kind}`, ...lines], 0);
}

/** metadata and spec of a pod, which has no name where it is a template. */
function templateOf({
  name = 'iis', metadata, osName = 'windows', nodeSelector = PINNED, spec, podSecurity,
  image = 'mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022', container, containerSecurity, resources = memoryOf('1Gi'), containers,
}: SamplePod, isNamed: boolean): string {
  return indented([
    ...under('metadata', [...(isNamed ? [`name: ${name}`] : []), ...linesOf(metadata)]),
    'spec:',
    ...indent([
      ...(osName === null ? [] : under('os', `name: ${osName}`)),
      ...(nodeSelector === null ? [] : under('nodeSelector', nodeSelector)),
      ...linesOf(spec),
      ...under('securityContext', podSecurity),
      'containers:',
      `- name: ${name}`,
      ...indent([`image: ${image}`, ...under('resources', resources), ...linesOf(container), ...under('securityContext', containerSecurity)], 2),
      ...linesOf(containers),
    ], 2),
  ], 0);
}

/** A key with lines below it, or nothing. */
function under(key: string, lines: SampleLines | undefined): readonly string[] {
  const below = linesOf(lines);
  return below.length === 0 ? [] : [`${key}:`, ...indent(below, 2)];
}

function indent(lines: readonly string[], spaces: number): readonly string[] {
  return lines.map((line) => `${' '.repeat(spaces)}${line}`);
}

/** As text, each line ended. */
function indented(lines: SampleLines, spaces: number): string {
  return indent(linesOf(lines), spaces).map((line) => `${line}\n`).join('');
}

/** Without the indentation that they share, and without empty ones. */
function linesOf(lines: SampleLines = ''): readonly string[] {
  const all = (typeof lines === 'string' ? lines.split('\n') : lines).filter((line) => line.trim() !== '');
  const shared = Math.min(...all.map((line) => line.length - line.trimStart().length));
  return all.map((line) => line.slice(shared));
}
