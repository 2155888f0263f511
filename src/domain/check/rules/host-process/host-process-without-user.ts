import { containersText } from '../../../workload/container-names.ts';
import { stringMapAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';

const INHERIT = 'microsoft.com/hostprocess-inherit-user';
const CONTAINER_USERS = ['containeruser', 'containeradministrator'];

/** A HostProcess container that names no user of the host. */
export const hostProcessWithoutUser = defineWorkloadRule({
  id: 'host-process-without-user',
  facts: ['HPC-004', 'C26'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'host-process',
  summary: 'HostProcess container without a user of the host',
  rationale: 'The API server does not ask for runAsUserName, the runtime does: without it the image\'s USER is taken, and where that is empty the container fails to start, "failed to create user process token: empty username or group name passed". ContainerUser and ContainerAdministrator exist inside isolated containers alone: "failed to logon user".',
  remediation: 'Set windowsOptions.runAsUserName to a service account (NT AUTHORITY\\Local service, NT AUTHORITY\\NetworkService, NT AUTHORITY\\SYSTEM) or to a local group of the node.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#choosing-a-user-account',
  asOf: '2026-11-30',
  messages: {
    missing: 'no runAsUserName for HostProcess {containers}: an image without a USER of the host fails to start',
    inside: 'HostProcess {containers} run as {user}, a user that exists in isolated containers alone',
  },
  samples: {
    bad: [
      { yaml: sampleHostProcessPod({ windowsOptions: ['hostProcess: true'] }), path: 'spec.securityContext.windowsOptions.runAsUserName' },
      { yaml: sampleHostProcessPod({ windowsOptions: ['hostProcess: true', 'runAsUserName: ContainerUser'] }), path: 'spec.securityContext.windowsOptions.runAsUserName' },
    ],
    good: [{ yaml: sampleHostProcessPod() }, { yaml: sampleHostProcessPod({ windowsOptions: ['hostProcess: true'], metadata: ['annotations:', `  ${INHERIT}: 'true'`] }) }],
  },
  * check({ workload }) {
    if (stringMapAt(workload.template.metadata, 'annotations')[INHERIT] === 'true') return;
    const path = [...workload.specPath, 'securityContext', 'windowsOptions', 'runAsUserName'];
    // Whose user it should be is the author's to say; the least of the three service accounts is where to begin.
    const fix = { title: 'run as NT AUTHORITY\\Local service', edits: [{ op: 'set', path, value: 'NT AUTHORITY\\Local service' }], isSafe: false } as const;
    const nameless = workload.containers.filter(({ isHostProcess, runAsUserName }) => isHostProcess && runAsUserName === null);
    if (nameless.length > 0) yield { messageId: 'missing', data: { containers: containersText(nameless) }, path, fix, confidence: 'unknown' };
    const inside = workload.containers.filter(({ isHostProcess, runAsUserName }) => isHostProcess && CONTAINER_USERS.includes(runAsUserName?.toLowerCase() ?? ''));
    if (inside.length > 0) yield { messageId: 'inside', data: { containers: containersText(inside), user: inside[0]?.runAsUserName ?? '' }, path, fix };
  },
});
