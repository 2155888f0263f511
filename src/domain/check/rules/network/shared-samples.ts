/** Pieces of the samples of rules on the network: a Service and a Deployment for Windows that it selects. */
import { sampleDeployment, sampleNode, TAINTED, TOLERATING } from '../scheduling/shared-samples.ts';

export const WEB = sampleDeployment({ spec: TOLERATING });

/** With further lines of spec, indented by two. */
export function sampleService(spec: string): string {
  return `apiVersion: v1
kind: Service
metadata:
  name: iis
spec:
  selector:
    app: iis
  ports:
  - port: 80
${spec}
`;
}

/** A Linux and a Windows node of a provider, told by one of its labels. */
export function clusterOf(label: string, build = '10.0.20348'): string {
  return [sampleNode({ os: 'linux', labels: `    ${label}` }), sampleNode({ taints: TAINTED, labels: `    ${label}`, build })].join('---\n');
}

/** A DaemonSet as far as its name and its arguments tell of a plugin. */
export function sampleDaemonSet(name: string, os: 'windows' | 'linux', args = '[]'): string {
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
        image: registry.example.com/network/${name}:1.0.0
        args: ${args}
`;
}
