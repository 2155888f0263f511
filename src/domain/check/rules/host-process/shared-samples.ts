/** HostProcess pods that nothing is wrong with, for the samples of rules on a single field. */

interface HostProcessSample {
  /** Lines in the pod spec. */
  readonly spec?: readonly string[];
  /** Lines in the pod's securityContext, beside windowsOptions. */
  readonly pod?: readonly string[];
  /** Lines in the pod's windowsOptions. Default: hostProcess and a user. */
  readonly windowsOptions?: readonly string[];
  /** Lines in the container's securityContext. */
  readonly container?: readonly string[];
  /** Lines in the container. */
  readonly containerFields?: readonly string[];
  /** Lines in the pod's metadata. */
  readonly metadata?: readonly string[];
  readonly image?: string;
  readonly command?: string;
  readonly hostNetwork?: boolean;
}

const indent = (lines: readonly string[], spaces: number): string => lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');

/** YAML of a HostProcess pod. */
export function hostProcessPodSample({
  spec = [], pod = [], windowsOptions = ['hostProcess: true', "runAsUserName: 'NT AUTHORITY\\Local service'"], container = [], containerFields = [], metadata = [],
  image = 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', command = "['powershell.exe', '-Command', 'Get-Service']", hostNetwork = true,
}: HostProcessSample): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: agent
${indent(metadata, 2)}spec:
  os:
    name: windows
${hostNetwork ? '  hostNetwork: true\n' : ''}  nodeSelector:
    kubernetes.io/os: windows
${indent(spec, 2)}  securityContext:
${indent(pod, 4)}${windowsOptions.length === 0 ? '    windowsOptions: null\n' : `    windowsOptions:\n${indent(windowsOptions, 6)}`}  containers:
  - name: agent
    image: ${image}
    command: ${command}
${indent(containerFields, 4)}${container.length === 0 ? '' : `    securityContext:\n${indent(container, 6)}`}    resources:
      requests:
        memory: 100Mi
      limits:
        memory: 100Mi
`;
}

/** YAML of a Windows node. */
export function windowsNodeSample(options: { readonly build: '17763' | '20348' | '26100'; readonly containerd: string; readonly kubelet?: string }): string {
  const product = { 17763: 'Windows Server 2019 Datacenter', 20348: 'Windows Server 2022 Datacenter', 26100: 'Windows Server 2025 Datacenter' }[options.build];
  return `apiVersion: v1
kind: Node
metadata:
  name: win-1
  labels:
    kubernetes.io/os: windows
    kubernetes.io/arch: amd64
    kubernetes.io/hostname: win-1
    node.kubernetes.io/windows-build: 10.0.${options.build}
status:
  allocatable:
    cpu: '4'
    memory: 16Gi
    pods: '110'
  capacity:
    cpu: '4'
    memory: 16Gi
    pods: '110'
  conditions:
  - type: Ready
    status: 'True'
  nodeInfo:
    architecture: amd64
    containerRuntimeVersion: containerd://${options.containerd}
    kernelVersion: 10.0.${options.build}.5499
    kubeletVersion: ${options.kubelet ?? 'v1.36.2'}
    operatingSystem: windows
    osImage: ${product}
`;
}
