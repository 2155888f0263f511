import assert from 'node:assert/strict';
import { itJudges, judgeCase, windowsNode, windowsPod, type RuleCase } from '../../../../support/rule-case.ts';

const mounts = (...volumeMounts: readonly unknown[]): Readonly<Record<string, unknown>> => ({ volumeMounts });
const hostPath = (path: unknown, type?: unknown): Readonly<Record<string, unknown>> => ({ volumes: [{ name: 'v', hostPath: { path, ...(type === undefined ? {} : { type }) } }] });
const claim = (spec: Readonly<Record<string, unknown>>): unknown => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', namespace: 'default' }, spec });
const storageClass = (name: string, provisioner: string, more: Readonly<Record<string, unknown>> = {}): unknown => ({ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner, ...more });
const csiNode = (name: string, ...drivers: readonly string[]): unknown => ({ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec: { drivers: drivers.map((driver) => ({ name: driver, nodeID: name })) } });
const usesClaim = windowsPod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
const claimName = 'spec.volumes[0].persistentVolumeClaim.claimName';
const twoSubPaths = windowsPod({ volumes: [{ name: 'v', emptyDir: {} }] }, mounts({ name: 'v', mountPath: 'C:\\a', subPath: 'a' }, { name: 'v', mountPath: 'C:\\b', subPathExpr: '$(POD)' }));

const cases: readonly RuleCase[] = [
  { name: 'medium null is none', rule: 'empty-dir-in-memory', object: windowsPod({ volumes: [{ name: 'v', emptyDir: { medium: null } }, { name: 'w', emptyDir: null }, 'x', { name: 'y', emptyDir: { medium: 5 } }] }), paths: [] },
  { name: 'medium HugePages cannot be mounted at all', rule: 'empty-dir-in-memory', object: windowsPod({ volumes: [{ name: 'v', emptyDir: { medium: 'HugePages-2Mi' } }] }), paths: ['spec.volumes[0].emptyDir.medium'] },
  { name: 'a Linux pod may use memory', rule: 'empty-dir-in-memory', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { os: { name: 'linux' }, volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }], containers: [{ name: 'x' }] } }, paths: [] },
  {
    name: 'the path of a CronJob is whole', rule: 'empty-dir-in-memory', paths: ['spec.jobTemplate.spec.template.spec.volumes[0].emptyDir.medium'],
    object: { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'x' }, spec: { jobTemplate: { spec: { template: { spec: { os: { name: 'windows' }, volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }], containers: [{ name: 'x' }] } } } } } },
  },
  { name: 'init containers have volumes too', rule: 'raw-block-device', object: windowsPod({ initContainers: [{ name: 'i', volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }] }), paths: ['spec.initContainers[0].volumeDevices'] },
  { name: 'an empty list of devices is none', rule: 'raw-block-device', object: windowsPod({}, { volumeDevices: [] }), paths: [] },
  { name: 'HostProcess pods have no propagation either', rule: 'mount-propagation-ignored', object: windowsPod({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }, mounts({ name: 'v', mountPath: 'C:\\x', mountPropagation: 'Bidirectional' })), paths: ['spec.containers[0].volumeMounts[0].mountPropagation'] },

  { name: 'a claim of which nothing is known stays open', rule: 'volume-kind-of-linux', object: usesClaim, paths: [], notEvaluated: ['PersistentVolumeClaims not known: whether Windows can mount claim data'] },
  { name: 'a claim that does not exist is another matter', rule: 'volume-kind-of-linux', object: usesClaim, cluster: [{ ...(claim({}) as object), metadata: { name: 'other', namespace: 'default' } }], paths: [], notEvaluated: [] },
  { name: 'a claim of another namespace is another one', rule: 'volume-kind-of-linux', object: { ...usesClaim, metadata: { name: 'web', namespace: 'shop' } }, cluster: [claim({ volumeName: 'pv' }), { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' }, spec: { nfs: {} } }], paths: [], notEvaluated: [] },
  { name: 'iSCSI in the pod', rule: 'volume-kind-of-linux', object: windowsPod({ volumes: [{ name: 'v', iscsi: { iqn: 'x' } }, { name: 'w', nfs: null }, { name: 'd', azureDisk: { diskName: 'd' } }] }), paths: ['spec.volumes[0].iscsi'] },
  { name: 'an NFS volume behind a claim', rule: 'volume-kind-of-linux', object: usesClaim, cluster: [claim({ volumeName: 'pv' }), { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' }, spec: { nfs: { server: 's' } } }], paths: [claimName], notEvaluated: [] },
  { name: 'an in-tree provisioner of Linux behind a template', rule: 'volume-kind-of-linux', object: usesClaim, cluster: [claim({ storageClassName: 'g' }), storageClass('g', 'kubernetes.io/glusterfs')], paths: [claimName], notEvaluated: [] },
  { name: 'a provisioner that may make anything stays open', rule: 'volume-kind-of-linux', object: usesClaim, cluster: [claim({ storageClassName: 'n' }), storageClass('n', 'cluster.local/nfs-subdir-external-provisioner')], paths: [], notEvaluated: ['PersistentVolumes not known: whether Windows can mount claim data by cluster.local/nfs-subdir-external-provisioner'] },
  { name: 'local volumes and hand-made ones are fine', rule: 'volume-kind-of-linux', object: usesClaim, cluster: [claim({ storageClassName: '' })], paths: [], notEvaluated: [] },

  { name: 'the driver of the default class is missing', rule: 'csi-driver-not-on-node', object: usesClaim, cluster: [windowsNode('w'), csiNode('w', 'smb.csi.k8s.io'), claim({}), storageClass('gp3', 'ebs.csi.aws.com', { metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } })], paths: [claimName] },
  { name: 'the driver is there', rule: 'csi-driver-not-on-node', object: usesClaim, cluster: [windowsNode('w'), csiNode('w', 'ebs.csi.aws.com'), claim({ storageClassName: 'c' }), storageClass('c', 'kubernetes.io/aws-ebs')], paths: [], notEvaluated: [] },
  { name: 'a node without CSINode has no driver where all are known', rule: 'csi-driver-not-on-node', object: windowsPod({ volumes: [{ name: 'v', csi: { driver: 'x.csi.example.com' } }] }), cluster: [windowsNode('w'), csiNode('linux-1', 'x.csi.example.com')], paths: ['spec.volumes[0].csi'] },
  { name: 'without CSINodes it stays open', rule: 'csi-driver-not-on-node', object: windowsPod({ volumes: [{ name: 'v', csi: { driver: 'x.csi.example.com' } }] }), cluster: [windowsNode('w')], paths: [], notEvaluated: ['CSINodes not known: whether the Windows nodes have the CSI driver: driver x.csi.example.com of volume v'] },
  { name: 'without nodes it stays open', rule: 'csi-driver-not-on-node', object: windowsPod({ volumes: [{ name: 'v', csi: { driver: 'x.csi.example.com' } }] }), paths: [], notEvaluated: ['nodes not known: whether the Windows nodes have the CSI driver: driver x.csi.example.com of volume v'] },
  { name: 'a provisioner that is no CSI driver is none', rule: 'csi-driver-not-on-node', object: usesClaim, cluster: [windowsNode('w'), csiNode('w'), claim({ storageClassName: 'n' }), storageClass('n', 'rancher.io/local-path')], paths: [], notEvaluated: [] },
  { name: 'before the migration in-tree disks need no driver', rule: 'csi-driver-not-on-node', object: windowsPod({ volumes: [{ name: 'v', azureDisk: { diskName: 'd' } }] }), cluster: [windowsNode('w'), csiNode('w')], kubernetesVersion: '1.22', paths: [] },
  { name: 'after the migration they do', rule: 'csi-driver-not-on-node', object: windowsPod({ volumes: [{ name: 'v', azureDisk: { diskName: 'd' } }] }), cluster: [windowsNode('w'), csiNode('w')], kubernetesVersion: '1.30', paths: ['spec.volumes[0].azureDisk'] },
  {
    name: 'the claim template of a StatefulSet', rule: 'csi-driver-not-on-node', paths: ['spec.volumeClaimTemplates[0].spec.storageClassName'],
    object: { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' }, spec: { template: { spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'db' }] } }, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { storageClassName: 'c' } }, null] } },
    cluster: [windowsNode('w'), csiNode('w'), storageClass('c', 'efs.csi.aws.com')],
  },
  {
    name: 'a generic ephemeral volume', rule: 'csi-driver-not-on-node', paths: ['spec.volumes[0].ephemeral.volumeClaimTemplate.spec.storageClassName'],
    object: windowsPod({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'c' } } } }] }), cluster: [windowsNode('w'), csiNode('w'), storageClass('c', 'efs.csi.aws.com')],
  },

  { name: 'modes of items and projected sources', rule: 'file-mode-ignored', object: windowsPod({ volumes: [{ name: 'v', secret: { defaultMode: 420, items: [{ key: 'a', path: 'a', mode: 256 }] } }, { name: 'w', projected: { sources: [{ configMap: { items: [{ key: 'a', path: 'a', mode: 420 }] } }, { secret: { items: [{ mode: 256 }] } }, null] } }, { name: 'x', configMap: { defaultMode: '0400' } }] }), paths: ['spec.volumes[0].secret.items[0].mode', 'spec.volumes[1].projected.sources[1].secret.items[0].mode'] },

  { name: 'old kubelets where the pod can land', rule: 'sub-path-blocks-termination', object: twoSubPaths, cluster: [windowsNode('w', { kubelet: 'v1.34.2' })], kubernetesVersion: '1.37', paths: ['spec.containers[0].volumeMounts[1].subPathExpr'] },
  { name: 'new kubelets only', rule: 'sub-path-blocks-termination', object: twoSubPaths, cluster: [windowsNode('w', { kubelet: 'v1.37.0' })], kubernetesVersion: '1.37', paths: [], notEvaluated: [] },
  { name: 'neither kubelets nor server known', rule: 'sub-path-blocks-termination', object: twoSubPaths, paths: [], notEvaluated: ['Kubernetes version not known: whether the kubelets can end a pod with several subPath mounts'] },
  { name: 'one in each of two containers leaves none open', rule: 'sub-path-blocks-termination', object: windowsPod({ containers: ['a', 'b'].map((name) => ({ name, ...mounts({ name: 'v', mountPath: 'C:\\a', subPath: 'a' }) })) }), kubernetesVersion: '1.30', paths: [], notEvaluated: [] },
  { name: 'an empty subPath is none', rule: 'sub-path-blocks-termination', object: windowsPod({}, mounts({ name: 'v', mountPath: 'C:\\a', subPath: '' }, { name: 'v', mountPath: 'C:\\b', subPath: 'b' })), kubernetesVersion: '1.30', paths: [], notEvaluated: [] },

  { name: 'roots of C: in any spelling, and no other drive', rule: 'mount-path-is-drive', object: windowsPod({}, mounts(...['C:', 'c:\\', 'C:/', '/', '\\', 'D:', 'C:\\x', 'C:x', '\\\\.\\pipe\\x', '.', '', null].map((mountPath) => ({ name: 'v', mountPath })))), paths: [0, 1, 2, 3, 4].map((index) => `spec.containers[0].volumeMounts[${index}].mountPath`) },
  { name: 'another drive where containerd cannot mount one', rule: 'mount-path-is-drive', object: windowsPod({}, mounts({ name: 'v', mountPath: 'D:' }, { name: 'v', mountPath: 'E:\\' })), cluster: [windowsNode('w', { runtime: 'containerd://1.6.4' })], paths: ['spec.containers[0].volumeMounts[0].mountPath'] },
  { name: 'another drive where it can', rule: 'mount-path-is-drive', object: windowsPod({}, mounts({ name: 'v', mountPath: 'D:' })), cluster: [windowsNode('w', { runtime: 'containerd://1.6.5' }), windowsNode('d', { runtime: 'docker://20.10.9' })], paths: [] },
  { name: 'HostProcess pods mount nothing over C:', rule: 'mount-path-is-drive', object: windowsPod({ securityContext: { windowsOptions: { hostProcess: true } } }, mounts({ name: 'v', mountPath: 'C:' })), paths: [] },

  ...['/proc', '/sys/fs/cgroup', '/dev/', '/etc', '/etc/passwd', '/var/run/docker.sock', '/run/containerd/containerd.sock', '/var/run/crio/crio.sock', '/var/lib/docker/containers', '/usr/share/zoneinfo', '/lib/modules', '\\proc'].map((path) => ({ name: `${path} is Linux`, rule: 'linux-host-path', object: windowsPod(hostPath(path)), paths: ['spec.volumes[0].hostPath.path'] })),
  ...['//var/run/docker.sock', '//etc/ssl', '\\proc'].map((path) => ({ name: `${path} is of Linux`, rule: 'linux-host-path', object: windowsPod(hostPath(path)), paths: ['spec.volumes[0].hostPath.path'] })),
  ...['\\\\proc\\x', '//server/share', '/', '/k', '/var/log/x', '/var/run/azure-vnet', '\\var\\lib\\kubelet', '/etc/kubernetes', '/etc/cni/net.d', '/opt/x', 'C:\\etc', 'C:/proc', '\\\\.\\pipe\\docker_engine', '//./pipe/docker_engine', '/development', '/procs', null, 5, ''].map((path) => ({ name: `${String(path)} is fine`, rule: 'linux-host-path', object: windowsPod(hostPath(path)), paths: [] })),
  ...['Socket', 'CharDevice', 'BlockDevice'].map((type) => ({ name: `type ${type} is one of Linux`, rule: 'host-path-type-of-linux', object: windowsPod(hostPath('C:\\x', type)), paths: ['spec.volumes[0].hostPath.type'] })),
  ...['', null, 'Directory', 'FileOrCreate'].map((type) => ({ name: `type ${String(type)} is fine`, rule: 'host-path-type-of-linux', object: windowsPod(hostPath('C:\\x', type)), paths: [] })),

  { name: 'the fsType of a StorageClass, in either spelling', rule: 'linux-file-system', object: usesClaim, cluster: [claim({ storageClassName: 'c' }), storageClass('c', 'kubernetes.io/azure-disk', { parameters: { fsType: 'ext4' } })], paths: [claimName] },
  { name: 'NTFS is fine', rule: 'linux-file-system', object: usesClaim, cluster: [claim({ storageClassName: 'c' }), storageClass('c', 'disk.csi.azure.com', { parameters: { fsType: 'NTFS' } })], paths: [] },
  { name: 'ext4 of an azureDisk is what the API server wrote', rule: 'linux-file-system', object: windowsPod({ volumes: [{ name: 'v', azureDisk: { diskName: 'd', fsType: 'ext4' } }] }), paths: [] },

  { name: 'a projected secret, but not a token', rule: 'secret-on-disk', object: windowsPod({ volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }, { name: 's', projected: { sources: [{ configMap: {} }, { secret: { name: 's' } }] } }] }), paths: ['spec.volumes[1].projected.sources[1].secret'] },
  { name: 'emptyDirs count as ephemeral storage', rule: 'ephemeral-storage-beyond-container-disk', object: windowsPod({ volumes: [{ name: 'v', emptyDir: {} }] }, { resources: { limits: { 'ephemeral-storage': '100Gi' } } }), paths: [] },
  { name: 'a request alone', rule: 'ephemeral-storage-beyond-container-disk', object: windowsPod({}, { resources: { requests: { 'ephemeral-storage': 107374182400 }, limits: null } }), paths: ['spec.containers[0].resources.requests.ephemeral-storage'] },

  { name: 'three spellings of one folder', rule: 'mount-paths-collide', object: windowsPod({}, mounts({ name: 'a', mountPath: 'C:\\Data' }, { name: 'b', mountPath: '/data' }, { name: 'c', mountPath: 'c:/DATA/' })), paths: ['spec.containers[0].volumeMounts[1].mountPath', 'spec.containers[0].volumeMounts[2].mountPath'] },
  { name: 'the same text in two containers', rule: 'mount-paths-collide', object: windowsPod({ initContainers: [{ name: 'i', volumeMounts: [{ name: 'a', mountPath: 'C:\\a' }] }] }, mounts({ name: 'a', mountPath: 'C:\\a' })), paths: [] },
  { name: 'case in two containers', rule: 'mount-paths-collide', object: windowsPod({ initContainers: [{ name: 'i', volumeMounts: [{ name: 'a', mountPath: 'C:\\a' }] }] }, mounts({ name: 'a', mountPath: 'c:/A' })), paths: ['spec.containers[0].volumeMounts[0].mountPath'] },
  { name: 'different volumes in two containers', rule: 'mount-paths-collide', object: windowsPod({ initContainers: [{ name: 'i', volumeMounts: [{ name: 'b', mountPath: 'C:\\a' }] }] }, mounts({ name: 'a', mountPath: 'c:/A' })), paths: [] },
  { name: '/csi beside C:\\csi in two containers', rule: 'mount-paths-collide', object: windowsPod({ initContainers: [{ name: 'i', volumeMounts: [{ name: 'a', mountPath: '/csi' }] }] }, mounts({ name: 'a', mountPath: 'C:\\csi' })), paths: [] },
  { name: 'pipes are another rule\'s', rule: 'mount-path-not-absolute', object: windowsPod({}, mounts({ name: 'p', mountPath: '\\\\\\\\.\\\\pipe\\\\x' }, { name: 'q', mountPath: '\\\\.\\pipe\\x' })), paths: [] },

  ...['//./pipe/x', '\\\\\\\\.\\\\pipe\\\\x', '\\\\.\\PIPE\\x', '\\\\./pipe/x', 'npipe:////./pipe/x'].map((path) => ({ name: `${path} is no pipe`, rule: 'pipe-path-misspelt', object: windowsPod(hostPath(path), mounts({ name: 'v', mountPath: path })), paths: ['spec.volumes[0].hostPath.path'] })),
  ...['\\\\.\\pipe\\x', 'C:\\pipe\\x', '/pipe/x', '//server/share', null, 5].map((path) => ({ name: `${String(path)} is no misspelt pipe`, rule: 'pipe-path-misspelt', object: windowsPod(hostPath(path), mounts({ name: 'v', mountPath: path })), paths: [] })),
  { name: 'where a pipe is mounted', rule: 'pipe-path-misspelt', object: windowsPod(hostPath('\\\\.\\pipe\\x'), mounts({ name: 'v', mountPath: '//./pipe/x' })), paths: ['spec.containers[0].volumeMounts[0].mountPath'] },

  { name: 'containerd on all nodes', rule: 'docker-pipe-without-docker', object: windowsPod(hostPath('\\\\.\\pipe\\docker_engine')), cluster: [windowsNode('w')], paths: ['spec.volumes[0].hostPath.path'] },
  { name: 'docker on all nodes', rule: 'docker-pipe-without-docker', object: windowsPod(hostPath('\\\\.\\pipe\\docker_engine')), cluster: [windowsNode('d', { runtime: 'docker://24.0.9' })], paths: [] },
  { name: 'nodes that are not known', rule: 'docker-pipe-without-docker', object: windowsPod(hostPath('\\\\.\\pipe\\docker_engine')), paths: [], notEvaluated: ['nodes not known: whether nodes run containerd, where there is no pipe of Docker'] },
  { name: 'another pipe', rule: 'docker-pipe-without-docker', object: windowsPod(hostPath('\\\\.\\pipe\\my_docker_engine')), cluster: [windowsNode('w')], paths: [] },
];

describe('the rules on storage', () => {
  itJudges(cases);

  it('tells nodes without the driver from those with it', async () => {
    const object = windowsPod({ volumes: [{ name: 'v', csi: { driver: 'smb.csi.k8s.io' } }] });
    const { findings } = await judgeCase({ rule: 'csi-driver-not-on-node', object, cluster: [windowsNode('w-1'), windowsNode('w-2'), csiNode('w-1', 'smb.csi.k8s.io'), csiNode('w-2')] });
    assert.deepEqual(findings.map(({ severity, effect, nodes }) => ({ severity, effect, nodes })), [{ severity: 'warning', effect: 'may-fail', nodes: ['w-2'] }]);
  });

  it('names class and driver of the volume as evidence', async () => {
    const { findings } = await judgeCase({ rule: 'csi-driver-not-on-node', object: usesClaim, cluster: [windowsNode('w'), csiNode('w'), claim({ storageClassName: 'efs' }), storageClass('efs', 'efs.csi.aws.com')] });
    assert.deepEqual(findings[0]?.evidence, ['claim data uses StorageClass efs', 'StorageClass efs is provisioned by efs.csi.aws.com']);
  });

  it('puts the pipe in the place of the socket, in the volume and all of its mounts', async () => {
    const object = windowsPod(hostPath('/run/containerd/containerd.sock', 'Socket'), mounts({ name: 'v', mountPath: '/run/containerd/containerd.sock' }, { name: 'w', mountPath: 'C:\\w' }));
    const { findings } = await judgeCase({ rule: 'linux-host-path', object });
    assert.deepEqual(findings[0]?.fix?.edits, [
      { op: 'set', path: ['spec', 'volumes', 0, 'hostPath', 'path'], value: '\\\\.\\pipe\\containerd-containerd' },
      { op: 'remove', path: ['spec', 'volumes', 0, 'hostPath', 'type'] },
      { op: 'set', path: ['spec', 'containers', 0, 'volumeMounts', 0, 'mountPath'], value: '\\\\.\\pipe\\containerd-containerd' },
    ]);
  });

  it('offers the pipe of Docker only where a node runs Docker', async () => {
    const on = async (runtime: string | null): Promise<readonly (string | null)[]> => {
      const node = { ...windowsNode('w'), status: { nodeInfo: { operatingSystem: 'windows', kernelVersion: '10.0.20348.5386', containerRuntimeVersion: runtime } } };
      const { findings } = await judgeCase({ rule: 'linux-host-path', object: windowsPod(hostPath('/var/run/docker.sock')), ...(runtime === null ? {} : { cluster: [node] }) });
      return findings.map(({ fix }) => fix?.title ?? null);
    };
    assert.deepEqual(await on('docker://24.0.9'), ['use the named pipe \\\\.\\pipe\\docker_engine']);
    assert.deepEqual(await on('containerd://2.3.4'), [null]);
    assert.deepEqual(await on(null), [null]);
  });

  it('writes the pipe in the volume and in those of its mounts that are to be one', async () => {
    const { findings } = await judgeCase({ rule: 'pipe-path-misspelt', object: windowsPod(hostPath('//./pipe/x', 'DirectoryOrCreate'), mounts({ name: 'v', mountPath: '\\\\\\\\.\\\\pipe\\\\x' }, { name: 'v', mountPath: 'C:\\x' })) });
    assert.deepEqual(findings.map(({ message, fix }) => [message, fix?.edits]), [['hostPath //./pipe/x of volume v is no named pipe: with forward slashes it is the folder C:\\pipe\\x of the node; the pipe is \\\\.\\pipe\\x', [
      { op: 'set', path: ['spec', 'volumes', 0, 'hostPath', 'path'], value: '\\\\.\\pipe\\x' },
      { op: 'remove', path: ['spec', 'volumes', 0, 'hostPath', 'type'] },
      { op: 'set', path: ['spec', 'containers', 0, 'volumeMounts', 0, 'mountPath'], value: '\\\\.\\pipe\\x' },
    ]]]);
    const hostProcess = { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } };
    const own = await judgeCase({ rule: 'pipe-path-misspelt', object: windowsPod({ ...hostProcess, ...hostPath('//./pipe/x') }) });
    assert.deepEqual(own.findings.map(({ fix, remedy }) => [fix, remedy]), [[null, 'Remove the volume and its mounts, and open the pipe by its path, \\\\.\\pipe\\x: HostProcess containers see the pipes of the node.']]);
  });

  it('offers no pipe to HostProcess containers, which cannot mount one', async () => {
    const { findings } = await judgeCase({ rule: 'linux-host-path', object: windowsPod({ ...hostPath('/var/run/docker.sock'), hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }) });
    assert.deepEqual(findings.map(({ fix }) => fix), [null]);
  });
});
