import { containerName, containersText } from '../../../workload/container-names.ts';
import { booleanAt } from '../../../kubernetes/object.ts';
import type { FieldEdit } from '../../finding.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';

const OPTION = ['securityContext', 'windowsOptions', 'hostProcess'] as const;

/** Some containers are HostProcess and some are not, or pod and container contradict each other. */
export const hostProcessMixed = defineWorkloadRule({
  id: 'host-process-mixed',
  facts: ['HPC-002', 'C25', 'C26'],
  severity: 'error',
  effect: 'rejected',
  os: 'any',
  summary: 'HostProcess and other containers in one pod',
  rationale: 'Either all containers of a pod are HostProcess containers or none, init and ephemeral ones included: "If pod contains any hostProcess containers then all containers must be HostProcess containers". A container may repeat the pod\'s hostProcess, but not contradict it: "pod hostProcess value must be identical if both are specified".',
  remediation: 'Set hostProcess once in the pod\'s securityContext.windowsOptions, and move what must stay isolated to a pod of its own.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#limitations',
  asOf: '2026-11-30',
  since: '1.22',
  messages: {
    mixed: 'the API server refuses the pod: all containers of a pod have to be HostProcess containers or none (they are: {hostProcess}; they are not: {isolated})',
    contradiction: 'the API server refuses the pod: hostProcess is {own} for container {name} and {pod} for the pod',
  },
  samples: {
    bad: [
      { yaml: sampleHostProcessPod({ windowsOptions: ["runAsUserName: 'NT AUTHORITY\\Local service'"], containerSecurity: ['windowsOptions:', '  hostProcess: true'], spec: ['initContainers:', '- name: init', '  image: mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', "  command: ['powershell.exe', '-Command', 'Get-Date']", '  resources:', '    requests:', '      memory: 100Mi', '    limits:', '      memory: 100Mi'] }), path: 'spec' },
    ],
    good: [{ yaml: sampleHostProcessPod() }, { yaml: sampleHostProcessPod({ containerSecurity: ['windowsOptions:', '  hostProcess: true'] }) }],
  },
  * check({ workload }) {
    const pod = booleanAt(workload.spec, ...OPTION);
    for (const container of workload.containers) {
      const own = booleanAt(container.fields, ...OPTION);
      if (pod === undefined || own === undefined || own === pod) continue;
      const path = [...container.path, ...OPTION];
      yield {
        messageId: 'contradiction',
        data: { own: String(own), pod: String(pod), name: containerName(container) },
        path,
        container: container.name,
        fix: { title: `remove hostProcess from container ${containerName(container)}`, edits: [{ op: 'remove', path }], isSafe: false },
      };
    }
    const hostProcess = workload.containers.filter((container) => container.isHostProcess);
    const isolated = workload.containers.filter((container) => !container.isHostProcess);
    if (hostProcess.length === 0 || isolated.length === 0) return;
    const edits: readonly FieldEdit[] = [
      { op: 'set', path: [...workload.specPath, ...OPTION], value: true },
      ...isolated.filter(({ fields }) => booleanAt(fields, ...OPTION) === false).map(({ path }) => ({ op: 'remove', path: [...path, ...OPTION] }) as const),
    ];
    yield {
      messageId: 'mixed',
      data: { hostProcess: containersText(hostProcess), isolated: containersText(isolated) },
      path: workload.specPath,
      // It gives the isolated containers the rights of the host.
      fix: { title: 'make all containers HostProcess containers', edits, isSafe: false },
    };
  },
});
