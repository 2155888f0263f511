import assert from 'node:assert/strict';
import { type NodePods, countPods, isHostProcessPod } from '../../../../src/domain/node/node-pods.ts';

const count = (...pods: unknown[]): ReadonlyMap<string, NodePods> => {
  const byNode = new Map<string, NodePods>();
  countPods(pods, byNode);
  return byNode;
};

const daemonPod = (name: string, image: string, ready = true) => ({
  metadata: { name: 'p', namespace: 'kube-system', ownerReferences: [{ kind: 'DaemonSet', name: `${name}-windows` }] },
  spec: { nodeName: 'win-0', securityContext: { windowsOptions: { hostProcess: true } }, containers: [{ name, image }] },
  status: { phase: 'Running', containerStatuses: [{ name, ready }] },
});

describe('countPods', () => {
  it('leaves out pods that have ended and pods without a node', () => {
    const pods = count({ spec: {}, status: {} }, { spec: { nodeName: 'a' }, status: { phase: 'Failed' } }, { spec: { nodeName: 'a' }, status: { phase: 'Pending' } });
    assert.equal(pods.get('a')?.total, 1);
    assert.equal(pods.size, 1);
  });

  it('names the agents of a node with role and version', () => {
    const pods = count(
      daemonPod('kube-proxy', 'sigwindowstools/kube-proxy:v1.36.3-calico-hostprocess'),
      daemonPod('calico-node', 'docker.io/calico/windows:v3.30.0', false),
      daemonPod('azuredisk', 'mcr.microsoft.com/oss/kubernetes-csi/azuredisk-csi:v1.33.2-windows-hp'),
      daemonPod('tool', 'registry.example.com:5000/tool'),
      { metadata: {}, spec: { nodeName: 'win-0', containers: [{ name: 'kube-proxy', image: 'x:1' }] }, status: {} },
    );
    assert.deepEqual(pods.get('win-0')?.agents.map(({ role, name, version, ready }) => [role, name, version, ready]), [
      ['kube-proxy', 'kube-proxy-windows', 'v1.36.3-calico-hostprocess', true],
      ['cni', 'calico-node-windows', 'v3.30.0', false],
      ['csi', 'azuredisk-windows', 'v1.33.2-windows-hp', true],
      ['host-process', 'tool-windows', null, true],
    ]);
    assert.deepEqual([pods.get('win-0')?.total, pods.get('win-0')?.hostProcess], [5, 4]);
  });

  it('knows an agent by its image where its names say nothing, and never by the registry', () => {
    const pods = count(daemonPod('windows', 'docker.io/calico/windows:v3'), daemonPod('win', 'csi.example.com:5000/tool:1'));
    assert.deepEqual(pods.get('win-0')?.agents.map(({ role, container }) => [role, container]), [['cni', 'windows'], ['host-process', 'win']]);
  });

  it('adds up requests as the scheduler does', () => {
    const container = (cpu: string, memory: string, more = {}) => ({ name: 'c', resources: { requests: { cpu, memory } }, ...more });
    const pods = count(
      { spec: { nodeName: 'a', containers: [container('250m', '512Mi'), container('1', '1Gi')] } },
      { spec: { nodeName: 'a', containers: [container('100m', '128Mi')], initContainers: [container('2', '64Mi'), container('500m', '64Mi', { restartPolicy: 'Always' })], overhead: { cpu: '10m' } } },
      { spec: { nodeName: 'a', containers: [{ name: 'none' }, 'no container'] } },
    );
    // second pod: max(100m + 500m sidecar, 2) + 10m; its memory: max(128Mi + 64Mi, 64Mi)
    assert.deepEqual(pods.get('a')?.requested, { cpuCores: 3.26, memoryBytes: (512 + 1024 + 192) * 2 ** 20 });
  });

  it('tells image failures, and those for another Windows build', () => {
    const waiting = (reason: string, message: string) => ({ image: 'app:1', state: { waiting: { reason, message } } });
    const pods = count({
      metadata: { name: 'web', namespace: 'shop' }, spec: { nodeName: 'a', containers: [] },
      status: {
        containerStatuses: [
          waiting('ErrImagePull', 'failed to pull and unpack image "app:1": no match for platform in manifest: not found'),
          waiting('ImagePullBackOff', 'Back-off pulling image "app:1"'),
          waiting('CrashLoopBackOff', 'back-off 5m0s restarting'),
          { image: 'old:1', state: { waiting: { reason: 'CreateContainerError' } }, lastState: { terminated: { message: 'hcs::CreateComputeSystem x: The container operating system does not match the host operating system.' } } },
        ],
      },
    });
    assert.deepEqual(pods.get('a')?.imageFailures, [
      { pod: 'shop/web', image: 'app:1', reason: 'ErrImagePull', otherBuild: true },
      { pod: 'shop/web', image: 'app:1', reason: 'ImagePullBackOff', otherBuild: false },
      { pod: 'shop/web', image: 'old:1', reason: 'CreateContainerError', otherBuild: true },
    ]);
  });

  it('survives anything that is no pod', () => {
    assert.equal(count(null, 3, 'x', [], {}, { spec: { nodeName: 7 } }, { spec: { nodeName: 'a', containers: 'no' }, status: [] }).get('a')?.total, 1);
  });
});

describe('isHostProcessPod', () => {
  it('by pod or by container', () => {
    const asked = { securityContext: { windowsOptions: { hostProcess: true } } };
    assert.equal(isHostProcessPod({ spec: asked }), true);
    assert.equal(isHostProcessPod({ spec: { containers: [{}, asked] } }), true);
    assert.equal(isHostProcessPod({ spec: { containers: [{ securityContext: { windowsOptions: { hostProcess: 'true' } } }] } }), false);
  });
});
