import { containersText } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod, sampleNode } from '../../samples.ts';
import { isContainerdBefore } from '../../../node/host-process-runtime.ts';
import { windowsNodesOf } from './shared-host-process-nodes.ts';

const GROUP = ['hostProcess: true', 'runAsUserName: agents'];

/** A local group as user, where containerd does not know them yet. */
export const hostProcessLocalGroup = defineWorkloadRule({
  id: 'host-process-local-group',
  facts: ['HPC-012'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Local group as user of a HostProcess container on containerd before 1.7',
  rationale: 'From containerd 1.7 on, a runAsUserName that is the name of a local group makes the runtime create a user in that group for the container. Before, the name is taken for a user and the logon fails.',
  remediation: 'Update containerd on these nodes to 1.7 or later, or use a service account.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#choosing-a-user-account',
  asOf: '2026-11-30',
  messages: { old: '{containers} run as {user}, which can only be a local group, and {nodes} have containerd before 1.7' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ windowsOptions: GROUP }), cluster: sampleNode({ build: '10.0.20348', containerd: '1.6.28' }), path: 'spec.securityContext.windowsOptions.runAsUserName' }],
    good: [{ yaml: sampleHostProcessPod({ windowsOptions: GROUP }), cluster: sampleNode({ build: '10.0.20348', containerd: '2.0.4' }) }],
  },
  * check(subject, facts) {
    const { workload } = subject;
    const inGroup = workload.containers.filter(({ isHostProcess, runAsUserName }) => isHostProcess && runAsUserName !== null && runAsUserName !== '' && !runAsUserName.includes('\\')
      && !['containeruser', 'containeradministrator', 'system', 'localsystem', 'local service', 'localservice', 'networkservice', 'network service'].includes(runAsUserName.toLowerCase()));
    const [first] = inGroup;
    if (first === undefined) return;
    const nodes = facts.areNodesAssumed === true ? null : windowsNodesOf(subject);
    if (nodes === null) {
      yield { notEvaluated: 'nodes', about: `whether nodes have a containerd that takes local groups such as ${first.runAsUserName ?? ''}` };
      return;
    }
    const old = nodes.filter((node) => isContainerdBefore(node, 1, 7) === true);
    if (old.length === 0) return;
    yield {
      messageId: 'old',
      data: { containers: containersText(inGroup), user: first.runAsUserName ?? '', nodes: old.length === 1 ? `node ${old[0]?.name ?? ''}` : `${old.length} nodes` },
      path: [...workload.specPath, 'securityContext', 'windowsOptions', 'runAsUserName'],
      nodes: old.map(({ name }) => name),
    };
  },
});
