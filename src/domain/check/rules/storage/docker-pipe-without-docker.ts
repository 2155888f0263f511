import { stringAt } from '../../../kubernetes/object.ts';
import { someOf } from '../../../some-of.ts';
import { isNamedPipe } from '../../../windows/paths.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleNode, samplePod, withVolumes } from '../../samples.ts';
import { volumesOf } from './shared-volumes.ts';

const mounting = (pipe: string): string => samplePod(withVolumes({ pipe: ['hostPath:', `  path: ${pipe}`] }, ['pipe', `mountPath: ${pipe}`]));
const DOCKER = mounting('\\\\.\\pipe\\docker_engine');

/** Docker's pipe on nodes whose pods containerd runs. */
export const dockerPipeWithoutDocker = defineWorkloadRule({
  id: 'docker-pipe-without-docker',
  facts: ['VOL-010', 'C43'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The pipe of Docker on nodes that run containerd',
  rationale: 'Docker opens the pipe \\\\.\\pipe\\docker_engine. Nodes that run their pods with containerd have it only where somebody has set up Docker beside it; the pipe of containerd is \\\\.\\pipe\\containerd-containerd, and it does not speak the API of Docker.',
  remediation: 'Do without Docker: use what speaks to containerd (\\\\.\\pipe\\containerd-containerd), or build images elsewhere.',
  reference: 'https://kubernetes.io/docs/tasks/administer-cluster/migrating-from-dockershim/check-if-dockershim-removal-affects-you/',
  asOf: '2026-11-30',
  messages: { none: 'hostPath {path} of volume {volume} is the pipe of Docker, but {nodes} with containerd, whose pipe is \\\\.\\pipe\\containerd-containerd' },
  samples: {
    bad: [{ yaml: DOCKER, cluster: sampleNode(), path: 'spec.volumes[0].hostPath.path' }],
    good: [{ yaml: DOCKER }, { yaml: mounting('\\\\.\\pipe\\containerd-containerd'), cluster: sampleNode() }],
  },
  * check({ workload, placement }, facts) {
    if (workload.osName === 'linux') return; // it contradicts itself; its paths are meant for Linux
    for (const volume of volumesOf(workload)) {
      const path = stringAt(volume.fields, 'hostPath', 'path') ?? '';
      if (!isNamedPipe(path) || !/\\docker_engine$/i.test(path)) continue;
      if (placement === null || facts.areNodesAssumed === true) {
        yield { notEvaluated: 'nodes', about: 'whether nodes run containerd, where there is no pipe of Docker' };
        continue;
      }
      const names = placement.windowsCandidates.filter(({ containerRuntime }) => containerRuntime?.name === 'containerd').map(({ name }) => name);
      if (names.length === 0) continue;
      yield {
        messageId: 'none', data: { path, volume: volume.name, nodes: names.length === 1 ? `node ${someOf(names, 3)} runs its pods` : `nodes ${someOf(names, 3)} run their pods` },
        path: [...volume.path, 'hostPath', 'path'], nodes: names,
        // Docker may run beside containerd
        confidence: 'unknown',
      };
    }
  },
});
