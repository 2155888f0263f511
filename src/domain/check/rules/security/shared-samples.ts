/** Pods for Windows that nothing is wrong with, for the samples of rules on a single field. */

interface PodSample {
  /** Lines in the pod spec. */
  readonly spec?: readonly string[];
  /** Lines in the pod's securityContext. */
  readonly pod?: readonly string[];
  /** Lines in the container's securityContext. */
  readonly container?: readonly string[];
  /** Lines in the container. */
  readonly containerFields?: readonly string[];
  /** Lines in the pod's metadata. */
  readonly metadata?: readonly string[];
  /** spec.os.name; null leaves it out. Default: windows. */
  readonly osName?: string | null;
}

const indent = (lines: readonly string[], spaces: number): string => lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');
const under = (key: string, lines: readonly string[] | undefined, spaces: number): string => (lines === undefined || lines.length === 0 ? '' : `${' '.repeat(spaces)}${key}:\n${indent(lines, spaces + 2)}`);

/** YAML of a pod with os.name, a pinned build, and a memory limit that equals the request. */
export function windowsPodSample({ spec = [], pod, container, containerFields = [], metadata = [], osName = 'windows' }: PodSample): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: iis
${indent(metadata, 2)}spec:
${osName === null ? '' : `  os:\n    name: ${osName}\n`}  nodeSelector:
    kubernetes.io/os: windows
    node.kubernetes.io/windows-build: 10.0.20348
${indent(spec, 2)}${under('securityContext', pod, 2)}  containers:
  - name: iis
    image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022
${indent(containerFields, 4)}${under('securityContext', container, 4)}    resources:
      requests:
        memory: 1Gi
      limits:
        memory: 1Gi
`;
}
