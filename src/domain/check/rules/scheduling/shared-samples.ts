/** Pieces of the samples of rules: a pod for Windows and nodes that no rule has anything to say of. */

export interface SamplePod {
  readonly metadata?: string;
  readonly osName?: string | null;
  /** Lines of nodeSelector; null for none. */
  readonly nodeSelector?: string | null;
  /** Further lines of the pod spec, indented by two. */
  readonly spec?: string;
  readonly image?: string;
  /** Further lines of the container, indented by four. */
  readonly container?: string;
}

const PINNED = `    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348`;

export function samplePod({ metadata = '', osName = 'windows', nodeSelector = PINNED, spec = '', image = 'mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022', container = '' }: SamplePod = {}): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: iis
${line(metadata)}spec:
${line(osName === null ? '' : `  os:\n    name: ${osName}`)}${line(nodeSelector === null ? '' : `  nodeSelector:\n${nodeSelector}`)}${line(spec)}  containers:
  - name: iis
    image: ${image}
    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
${line(container)}`;
}

/** The same pod as the template of an object of another kind. */
export function sampleDeployment(pod: SamplePod = {}): string {
  const [, template = ''] = samplePod(pod).split('metadata:\n  name: iis\n');
  const indented = template.trimEnd().split('\n').map((text) => `    ${text}`).join('\n');
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: iis
spec:
  selector:
    matchLabels:
      app: iis
  template:
    metadata:
      labels:
        app: iis
${indented}
`;
}

export interface SampleNode {
  readonly name?: string;
  readonly os?: 'windows' | 'linux';
  /** Further labels, indented by four. */
  readonly labels?: string;
  /** Flow list: `[{key: os, value: windows, effect: NoSchedule}]`. */
  readonly taints?: string;
  readonly build?: string;
  readonly unschedulable?: boolean;
}

export function sampleNode({ os = 'windows', name = os === 'windows' ? 'win-0' : 'linux-0', labels = '', taints = '[]', build = '10.0.20348', unschedulable = false }: SampleNode = {}): string {
  return `apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels:
    kubernetes.io/os: ${os}
    kubernetes.io/arch: amd64
    kubernetes.io/hostname: ${name}
${line(os === 'windows' ? `    node.kubernetes.io/windows-build: ${build}` : '')}${line(labels)}spec:
  taints: ${taints}
  unschedulable: ${unschedulable}
status:
  allocatable: {cpu: '8', memory: 30Gi, pods: '110', ephemeral-storage: 200Gi}
  capacity: {cpu: '8', memory: 32Gi, pods: '110', ephemeral-storage: 250Gi}
  conditions:
  - type: Ready
    status: 'True'
  nodeInfo:
    operatingSystem: ${os}
    architecture: amd64
    kernelVersion: ${os === 'windows' ? `${build}.5386` : '6.8.0'}
    osImage: ${os === 'windows' ? 'Windows Server 2022 Datacenter' : 'Ubuntu 24.04.3 LTS'}
    kubeletVersion: v1.36.2
    containerRuntimeVersion: containerd://2.3.4
`;
}

export const TAINTED = '[{key: os, value: windows, effect: NoSchedule}]';

/** A Linux node and a Windows node that is tainted as upstream's guide has it. */
export const SAMPLE_CLUSTER = [sampleNode({ os: 'linux' }), sampleNode({ taints: TAINTED })].join('---\n');

/** The same with a Windows node that anything can land on. */
export const OPEN_CLUSTER = [sampleNode({ os: 'linux' }), sampleNode()].join('---\n');

/** What lets a pod onto the nodes of SAMPLE_CLUSTER; of a pod spec, indented by two. */
export const TOLERATING = `  tolerations:
  - key: os
    operator: Equal
    value: windows
    effect: NoSchedule`;

function line(text: string): string {
  return text === '' ? '' : `${text}\n`;
}
