import { defineWorkloadRule } from '../../rule.ts';
import { containerMountsOf } from './shared-container-mounts.ts';
import { hostProcessPodSample } from './shared-samples.ts';

const isPipe = (path: string): boolean => /^[\\/]{2}\.[\\/]pipe[\\/]/i.test(path);

/** A named pipe mounted into a HostProcess container. */
export const hostProcessNamedPipeMount = defineWorkloadRule({
  id: 'host-process-named-pipe-mount',
  facts: ['HPC-005'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Named pipe mounted into a HostProcess container',
  rationale: 'A HostProcess container sees the pipes of the host as they are, and mounting one fails: "named pipe mounts not supported for job containers - interact with the pipe directly".',
  remediation: 'Remove the mount and its volume; open the pipe by its path, \\\\.\\pipe\\NAME.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#limitations',
  asOf: '2026-11-30',
  messages: { pipe: 'container {container} mounts the named pipe {pipe}, which fails in a HostProcess container' },
  samples: {
    bad: [{
      yaml: hostProcessPodSample({ containerFields: ['volumeMounts:', '- name: pipe', "  mountPath: '\\\\.\\pipe\\containerd-containerd'"], spec: ['volumes:', '- name: pipe', '  hostPath:', "    path: '\\\\.\\pipe\\containerd-containerd'"] }),
      path: 'spec.containers[0].volumeMounts[0]',
    }],
    good: [{ yaml: hostProcessPodSample({}) }],
  },
  * check({ workload }) {
    for (const { container, mountPath, hostPath, path } of containerMountsOf(workload)) {
      const pipe = hostPath !== null && isPipe(hostPath) ? hostPath : isPipe(mountPath) ? mountPath : null;
      if (!container.isHostProcess || pipe === null) continue;
      yield { messageId: 'pipe', data: { container: container.name, pipe }, path, container: container.name, fix: { title: 'remove the mount of the pipe', edits: [{ op: 'remove', path }], isSafe: false } };
    }
  },
});
