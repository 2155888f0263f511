import { containerName } from '../../../workload/container-names.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { parseKubernetesVersion } from '../../../kubernetes/version.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod, withVolumes } from '../../samples.ts';
import { volumeMountsOf } from './shared-volumes.ts';

const SETTINGS = { settings: 'configMap:\n  name: settings' };
const WEB_CONFIG = ['settings', 'mountPath: C:\\inetpub\\wwwroot\\web.config\nsubPath: web.config'] as const;
const LOG = ['settings', 'mountPath: C:\\settings\\log.json\nsubPath: log.json'] as const;

/** First minor of Kubernetes 1 whose kubelet closes the handles. https://github.com/kubernetes/kubernetes/blob/v1.37.2/CHANGELOG/CHANGELOG-1.37.md, read 2026-11-30 */
const FIXED_IN = 37;

/** Several subPath mounts in one container, which keep its pod from ending on kubelets before 1.37. */
export const subPathBlocksTermination = defineWorkloadRule({
  id: 'sub-path-blocks-termination',
  facts: ['VOL-007', 'C42'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Several subPath mounts keep the pod in Terminating on kubelets before 1.37',
  rationale: 'Before 1.37 the kubelet on Windows leaves the file handles of all but the last subPath mount of a container open. With two or more of them in a container the volume cannot be cleaned up, and the deleted pod stays in Terminating until the kubelet is restarted.',
  remediation: 'Mount the whole volume once instead of several subPaths, or upgrade the kubelets to 1.37.',
  reference: 'https://github.com/kubernetes/kubernetes/pull/138367',
  asOf: '2026-11-30',
  messages: {
    nodes: 'container {container} has {count} subPath mounts, and the pod can land on kubelets before 1.37, where it can stay in Terminating',
    version: 'container {container} has {count} subPath mounts, and kubelets of {version} can leave the pod in Terminating',
  },
  samples: {
    bad: [{
      path: 'spec.containers[0].volumeMounts[1].subPath',
      kubernetesVersion: '1.36',
      yaml: samplePod(withVolumes(SETTINGS, WEB_CONFIG, LOG)),
    }],
    good: [{
      kubernetesVersion: '1.36',
      yaml: samplePod(withVolumes(SETTINGS, WEB_CONFIG)),
    }, {
      kubernetesVersion: '1.37',
      yaml: samplePod(withVolumes(SETTINGS, WEB_CONFIG, LOG)),
    }],
  },
  * check({ workload, placement }, facts) {
    // Handles are kept by container: https://github.com/kubernetes/kubernetes/pull/138367 (makeMounts), read 2026-11-30.
    const several = workload.containers.flatMap((container) => {
      const mounts = volumeMountsOf(container).flatMap(({ fields, path }) => {
        const field = ['subPath', 'subPathExpr'].find((name) => (stringAt(fields, name) ?? '') !== '');
        return field === undefined ? [] : [[...path, field]];
      });
      const [, second] = mounts;
      return second === undefined ? [] : [{ path: second, container: container.name, data: { container: containerName(container), count: mounts.length } }];
    });
    if (several.length === 0) return;
    const isOld = (text: string | null): boolean | null => {
      const version = text === null ? null : parseKubernetesVersion(text);
      return version === null ? null : version.major === 1 && version.minor < FIXED_IN;
    };
    const candidates = placement?.windowsCandidates ?? [];
    const old = candidates.filter(({ kubeletVersion }) => isOld(kubeletVersion) === true);
    if (old.length > 0) {
      const evidence = old.slice(0, 5).map(({ name, kubeletVersion }) => `node ${name} runs kubelet ${kubeletVersion ?? ''}`);
      const nodes = old.map(({ name }) => name);
      for (const found of several) yield { ...found, messageId: 'nodes', nodes, evidence };
    } else if (candidates.length === 0 || candidates.some(({ kubeletVersion }) => isOld(kubeletVersion) === null)) {
      const version = facts.kubernetesVersion;
      if (version === null) yield { notEvaluated: 'kubernetesVersion', about: 'whether the kubelets can end a pod with several subPath mounts' };
      else if (version.major === 1 && version.minor < FIXED_IN) {
        for (const found of several) yield { ...found, messageId: 'version', data: { ...found.data, version: `${version.major}.${version.minor}` } };
      }
    }
  },
});
