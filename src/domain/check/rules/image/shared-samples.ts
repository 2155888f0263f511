/** Pieces of the samples of rules on images: pods and nodes that no rule has anything else to say of. */

interface ImageSample {
  readonly image: string;
  /** Lines of nodeSelector below kubernetes.io/os; '' for none. */
  readonly pin?: string;
  readonly os?: 'windows' | 'linux';
  readonly hostProcess?: boolean;
  /** A second container's image. */
  readonly second?: string;
  readonly kind?: 'Pod' | 'DaemonSet';
}

/** YAML of a pod; `pin` defaults to the build of Windows Server 2022. */
export function imageSample({ image, pin = 'node.kubernetes.io/windows-build: 10.0.20348', os = 'windows', hostProcess = false, second, kind = 'Pod' }: ImageSample): string {
  const spec = [
    'os:', `  name: ${os}`,
    'nodeSelector:', `  kubernetes.io/os: ${os}`, ...(pin === '' ? [] : [`  ${pin}`]),
    ...(hostProcess ? ['hostNetwork: true', 'securityContext:', '  windowsOptions:', '    hostProcess: true', '    runAsUserName: NT AUTHORITY\\Local service'] : []),
    'containers:', ...containerOf('app', image), ...(second === undefined ? [] : containerOf('second', second)),
  ];
  return kind === 'Pod'
    ? `apiVersion: v1\nkind: Pod\nmetadata:\n  name: app\nspec:\n${indented(spec, 2)}`
    : `apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: app\nspec:\n  selector:\n    matchLabels:\n      app: app\n  template:\n    metadata:\n      labels:\n        app: app\n    spec:\n${indented(spec, 6)}`;
}

function containerOf(name: string, image: string): readonly string[] {
  return [`- name: ${name}`, `  image: ${JSON.stringify(image)}`, '  resources:', '    requests:', '      memory: 1Gi', '    limits:', '      memory: 1Gi'];
}

function indented(lines: readonly string[], spaces: number): string {
  return lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');
}

interface NodeSample {
  readonly build: number;
  readonly revision?: number;
  /** Of containerd. */
  readonly runtime?: string;
  readonly name?: string;
}

/** YAML of a Linux node and Windows nodes. */
export function nodesSample(...nodes: readonly NodeSample[]): string {
  return [nodeOf('linux-0', 'linux', '6.8.0-1030-generic', '2.3.4', ''), ...nodes.map(({ build, revision = 5386, runtime = '2.3.4', name = `win-${build}` }) => nodeOf(name, 'windows', `10.0.${build}.${revision}`, runtime, `\n    node.kubernetes.io/windows-build: 10.0.${build}`))].join('---\n');
}

function nodeOf(name: string, os: string, kernel: string, runtime: string, label: string): string {
  return `apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels:
    kubernetes.io/os: ${os}
    kubernetes.io/arch: amd64
    kubernetes.io/hostname: ${name}${label}
spec: {}
status:
  allocatable: {cpu: '8', memory: 30Gi, pods: '110', ephemeral-storage: 200Gi}
  capacity: {cpu: '8', memory: 32Gi, pods: '110', ephemeral-storage: 250Gi}
  conditions:
  - type: Ready
    status: 'True'
  nodeInfo:
    operatingSystem: ${os}
    architecture: amd64
    kernelVersion: ${kernel}
    osImage: ${os === 'windows' ? 'Windows Server Datacenter' : 'Ubuntu 24.04.3 LTS'}
    kubeletVersion: v1.36.2
    containerRuntimeVersion: containerd://${runtime}
`;
}
