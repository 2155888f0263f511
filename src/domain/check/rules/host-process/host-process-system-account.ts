import { containersText } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';
import { windowsOptionsOf } from '../security/shared-windows-options.ts';

const isSystem = (name: unknown): boolean => typeof name === 'string' && /^(nt authority\\)?(local ?)?system$/i.test(name);

/** A HostProcess container with all rights on its node. */
export const hostProcessSystemAccount = defineWorkloadRule({
  id: 'host-process-system-account',
  facts: ['HPC-014', 'C27', 'C30'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  isolation: 'host-process',
  summary: 'HostProcess container that runs as SYSTEM',
  rationale: 'HostProcess containers are processes of the node without isolation, the privileged containers of Windows; as SYSTEM they have every right on it, so whoever may change the image or the pod owns the node. Local service has the fewest rights of the service accounts.',
  remediation: 'Use NT AUTHORITY\\Local service or NT AUTHORITY\\NetworkService, or a local group with the rights that the program needs, where that is enough.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#choosing-a-user-account',
  asOf: '2026-11-30',
  messages: { system: 'HostProcess as SYSTEM, with every right on the node: {containers}' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ windowsOptions: ['hostProcess: true', "runAsUserName: 'NT AUTHORITY\\SYSTEM'"] }), path: 'spec.securityContext.windowsOptions.runAsUserName' }],
    good: [{ yaml: sampleHostProcessPod() }],
  },
  * check({ workload }) {
    const containers = workload.containers.filter(({ isHostProcess, runAsUserName }) => isHostProcess && isSystem(runAsUserName));
    const places = windowsOptionsOf(workload).filter(({ fields }) => isSystem(fields['runAsUserName']));
    const [first] = places;
    if (containers.length === 0 || first === undefined) return;
    yield {
      messageId: 'system',
      data: { containers: containersText(containers) },
      path: [...first.path, 'runAsUserName'],
      fix: { title: 'run as NT AUTHORITY\\Local service', edits: places.map(({ path }) => ({ op: 'set', path: [...path, 'runAsUserName'], value: 'NT AUTHORITY\\Local service' })), isSafe: false },
    };
  },
});
