import assert from 'node:assert/strict';
import { collectPodEvidence, type PodOwner } from '../../../../src/domain/check/pod-evidence-collector.ts';
import { podEvidenceOfObjects } from '../../../../src/domain/check/pod-evidence-of-objects.ts';
import { explainSymptom, SYMPTOM_KINDS } from '../../../../src/domain/check/symptoms/symptom-kinds.ts';

type Fields = Readonly<Record<string, unknown>>;

const owner: PodOwner = { kind: 'Deployment', namespace: 'shop', name: 'web', templateContainers: new Set(['web']) };
const pod = (name: string, status: Fields, spec: Fields = {}): Fields => ({ metadata: { name, namespace: 'shop' }, spec: { nodeName: 'win-0', containers: [{ name: 'web', image: 'web:1' }], ...spec }, status });
const waiting = (reason: string, message = '', more: Fields = {}): Fields => ({ phase: 'Pending', containerStatuses: [{ name: 'web', image: 'web:1', state: { waiting: { reason, message } }, ...more }] });
const event = (name: string, reason: string, message: string, more: Fields = {}): Fields => ({ involvedObject: { kind: 'Pod', namespace: 'shop', name, ...more }, type: 'Warning', reason, message });
const noMatch = 'failed to pull and unpack image "web:1": no match for platform in manifest sha256:4f2c: not found';
const healthy = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [{ name: 'web', state: { running: {} }, lastState: { terminated: { reason: 'Error', exitCode: 1 } } }] };

function gather(pods: readonly Fields[], events: readonly Fields[] = []): ReturnType<ReturnType<typeof collectPodEvidence>['evidenceOf']> {
  const collector = collectPodEvidence({ ownerOf: () => owner });
  collector.addPods(pods);
  collector.addEvents(events);
  return collector.evidenceOf('Deployment', 'shop', 'web');
}

/** Texts as kubelets and runtimes write them, from the issues that the kinds link to. */
const texts: readonly { readonly reason: string; readonly message: string; readonly kind: string | null }[] = [
  { reason: 'ErrImagePull', message: noMatch, kind: 'no-matching-platform' },
  { reason: 'Failed', message: 'Failed to pull image "x": no matching manifest for windows/amd64 10.0.17763 in the manifest list entries', kind: 'no-matching-platform' },
  { reason: 'FailedCreatePodSandBox', message: 'Failed to create pod sandbox: failed to pull image "pause:3.6": no match for platform in manifest', kind: 'sandbox-image-of-another-build' },
  { reason: 'FailedCreatePodSandBox', message: 'hcs::CreateComputeSystem 36fe: The container operating system does not match the host operating system.', kind: 'sandbox-image-of-another-build' },
  { reason: 'StartError', message: 'hcs::CreateComputeSystem 9c3f: The container operating system does not match the host operating system.: unknown', kind: 'image-of-another-build' },
  { reason: 'RunContainerError', message: 'encountered an error during CreateContainer: The operating system of the container does not match the operating system of the host. (0xc0370101)', kind: 'image-of-another-build' },
  { reason: 'StartError', message: 'hcs::CreateComputeSystem 1: failed (0xc0370106)', kind: 'image-revision-newer' },
  { reason: 'StartError', message: 'hcs::CreateComputeSystem 1: The request is not supported.', kind: 'compute-system-failed' },
  { reason: 'FailedMount', message: 'MountVolume.SetUp failed for volume "token": chown c:\\var\\lib\\kubelet\\pods\\1\\token: not supported by windows', kind: 'chown-not-supported' },
  { reason: 'FailedMount', message: 'MountVolume.SetUp failed for volume "nfs": only cifs mount is supported now, fstype: "nfs"', kind: 'only-cifs-mounts' },
  { reason: 'FailedMount', message: 'MountVolume.SetUp failed for volume "cm": configmap "cm" not found', kind: null },
  { reason: 'CreateContainerConfigError', message: 'container\'s runAsUserName (ContainerAdministrator) which will be regarded as root identity and will break non-root policy', kind: 'regarded-as-root' },
  { reason: 'CreateContainerConfigError', message: 'secret "x" not found', kind: null },
  { reason: 'PodOSNotSupported', message: 'Failed to admit pod as the OS field doesn\'t match node OS', kind: 'pod-os-not-supported' },
  { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message: '', kind: 'pod-os-label-differs' },
  { reason: 'PodLevelResourcesNotSupported', message: '', kind: 'refused-by-kubelet' },
  { reason: 'StartError', message: 'failed to create containerd task: hcs::System::CreateProcess web: The system cannot find the file specified.: unknown', kind: 'executable-not-found' },
  { reason: 'CreateContainerError', message: 'failed to generate container spec: no command specified', kind: 'no-command' },
  { reason: 'ErrImagePull', message: 'failed to resolve reference: unexpected status from HEAD request: 401 Unauthorized', kind: 'pull-refused' },
  { reason: 'ErrImagePull', message: 'rpc error: code = NotFound desc = failed to resolve reference "x:9": x:9: not found', kind: 'image-not-found' },
  { reason: 'Failed', message: 'Error: secret "x" not found', kind: null },
  { reason: 'ErrImagePull', message: 'dial tcp 192.0.2.1:443: i/o timeout', kind: null },
  { reason: 'ErrImageNeverPull', message: 'Container image "x" is not present with pull policy of Never', kind: 'image-never-pulled' },
  { reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.', kind: 'disk-full' },
  { reason: 'ErrImagePull', message: 'failed to extract layer: There is not enough space on the disk.', kind: 'disk-full' },
  { reason: 'Error', message: 'exit code 3221225781', kind: 'missing-library' },
  { reason: 'Error', message: 'exit code 1', kind: null },
  { reason: 'FailedCreatePodSandBox', message: 'plugin type="win-overlay" name="flannel" failed (add): hcnCreateEndpoint failed in Win32', kind: 'network-setup-failed' },
  { reason: 'StartError', message: 'failed to create user process token: failed to logon user: Access is denied.', kind: 'host-process-logon-failed' },
  { reason: 'FailedScheduling', message: '0/3 nodes are available', kind: 'unschedulable' },
  { reason: 'Unhealthy', message: 'Readiness probe failed', kind: null },
];

describe('the translation of symptoms', () => {
  for (const { reason, message, kind } of texts) {
    it(`takes ${reason} ${message.slice(0, 60)} for ${kind ?? 'nothing that it knows'}`, () => assert.equal(explainSymptom(reason, message)?.id ?? null, kind));
  }

  it('has kinds with ids of their own, sentences and a page each', () => {
    assert.equal(new Set(SYMPTOM_KINDS.map(({ id }) => id)).size, SYMPTOM_KINDS.length);
    for (const { happened, why, remedy, reference } of SYMPTOM_KINDS) {
      assert.doesNotMatch(happened, /\.$/);
      assert.match(why, /\.$/);
      assert.match(remedy, /^[A-Z].*\.$/);
      assert.match(reference, /^https:/);
    }
  });
});

describe('the evidence of pods', () => {
  it('counts pods and nodes, and complains of none that is well, whatever its containers ended with before', () => {
    assert.deepEqual(gather([pod('a', healthy), pod('b', { phase: 'Succeeded' }, { nodeName: 'win-1' })]), { pods: 2, symptoms: [], injected: [], nodes: ['win-0', 'win-1'] });
  });

  it('knows nothing of a workload without pods', () => {
    assert.equal(collectPodEvidence({ ownerOf: () => owner }).evidenceOf('Deployment', 'shop', 'other'), null);
  });

  it('leaves out pods that nobody asks about', () => {
    const collector = collectPodEvidence({ ownerOf: () => null });
    collector.addPods([pod('a', waiting('ErrImagePull', noMatch))]);
    assert.equal(collector.evidenceOf('Deployment', 'shop', 'web'), null);
  });

  it('forgets what nobody will ask about again, and nothing else', () => {
    const collector = collectPodEvidence({ ownerOf: (one) => ({ kind: 'Deployment', namespace: 'shop', name: String(((one as Fields)['metadata'] as Fields)['name']), templateContainers: null }) });
    collector.addPods([pod('web', waiting('ErrImagePull', noMatch)), pod('api', waiting('ErrImagePull', noMatch))]);
    collector.forget('Deployment', 'shop', 'web');
    assert.equal(collector.evidenceOf('Deployment', 'shop', 'web'), null);
    assert.equal(collector.evidenceOf('Deployment', 'shop', 'api')?.pods, 1);
  });

  it('makes one symptom of what many pods have', () => {
    const evidence = gather(Array.from({ length: 25 }, (_, index) => pod(`web-${index}`, waiting('ErrImagePull', noMatch), { nodeName: `win-${index}` })));
    assert.equal(evidence?.symptoms.length, 1);
    assert.deepEqual([evidence?.symptoms[0]?.pods, evidence?.symptoms[0]?.nodes.length, evidence?.nodes.length], [25, 10, 10]);
    assert.deepEqual([evidence?.symptoms[0]?.container, evidence?.symptoms[0]?.image], ['web', 'web:1']);
  });

  it('counts a pod once whose status and events say the same', () => {
    const evidence = gather([pod('a', waiting('ImagePullBackOff', `Back-off pulling image "web:1": ErrImagePull: ${noMatch}`))], [
      event('a', 'Failed', noMatch, { fieldPath: 'spec.containers{web}' }), event('a', 'Failed', noMatch), event('a', 'BackOff', 'Back-off pulling image "web:1"'),
    ]);
    assert.deepEqual(evidence?.symptoms.map(({ pods }) => pods), [1]);
  });

  it('takes from events what the status does not tell', () => {
    const message = 'MountVolume.SetUp failed: chown c:\\token: not supported by windows';
    const evidence = gather([pod('a', waiting('ContainerCreating'))], [event('a', 'FailedMount', message), event('a', 'FailedMount', message)]);
    assert.deepEqual(evidence?.symptoms.map(({ reason, pods, container }) => [reason, pods, container]), [['FailedMount', 1, null]]);
  });

  it('reads events of events.k8s.io', () => {
    const evidence = gather([pod('a', waiting('ContainerCreating'))], [{ regarding: { kind: 'Pod', namespace: 'shop', name: 'a' }, type: 'Warning', reason: 'FailedMount', note: 'only cifs mount is supported now' }]);
    assert.deepEqual(evidence?.symptoms.map(({ message }) => message), ['only cifs mount is supported now']);
  });

  it('passes by events of healthy pods, of other objects, of normal life, and of what it cannot explain', () => {
    const evidence = gather([pod('a', healthy), pod('b', waiting('ContainerCreating'))], [
      event('a', 'Failed', noMatch), event('c', 'Failed', noMatch), { ...event('b', 'Failed', noMatch), type: 'Normal' },
      event('b', 'Unhealthy', 'Readiness probe failed'), { ...event('b', 'Failed', noMatch), involvedObject: { kind: 'Node', name: 'b' } },
    ]);
    assert.deepEqual(evidence?.symptoms, []);
  });

  it('tells of a crash loop how the container ended', () => {
    const evidence = gather([pod('a', waiting('CrashLoopBackOff', 'back-off 5m0s', { lastState: { terminated: { reason: 'Error', exitCode: 3221225781 } } }))]);
    assert.deepEqual(evidence?.symptoms.map(({ reason, message }) => [reason, message]), [['Error', 'exit code 3221225781']]);
  });

  it('reads the reason of the pod and of its scheduling', () => {
    const evidence = gather([
      pod('a', { phase: 'Failed', reason: 'PodOSNotSupported', message: 'Failed to admit pod' }),
      pod('b', { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/2 nodes' }] }, { nodeName: undefined }),
    ]);
    assert.deepEqual(evidence?.symptoms.map(({ reason, nodes }) => [reason, nodes]), [['PodOSNotSupported', ['win-0']], ['Unschedulable', []]]);
  });

  it('keeps a bounded number of symptoms and the beginning of each message', () => {
    const evidence = gather(Array.from({ length: 100 }, (_, index) => pod(`p${index}`, waiting(`Reason${index}`, 'x'.repeat(10_000)))));
    assert.equal(evidence?.symptoms.length, 20);
    assert.equal(evidence?.symptoms[0]?.message.length, 600);
  });

  it('finds containers that the template does not have', () => {
    const evidence = gather([pod('a', healthy, { initContainers: [{ name: 'istio-init', image: 'istio/proxyv2:1' }], containers: [{ name: 'web', image: 'web:1' }, { name: 'istio-proxy', image: 'istio/proxyv2:1' }] })]);
    assert.deepEqual(evidence?.injected, [{ name: 'istio-init', image: 'istio/proxyv2:1', list: 'initContainers', hasRun: false }, { name: 'istio-proxy', image: 'istio/proxyv2:1', list: 'containers', hasRun: false }]);
  });

  it('remembers that an injected container has run in one of the pods', () => {
    const spec = { containers: [{ name: 'web', image: 'web:1' }, { name: 'proxy', image: 'proxy:1' }] };
    const ready = { ...healthy, containerStatuses: [{ name: 'proxy', ready: true, state: { running: {} } }] };
    assert.deepEqual(gather([pod('a', waiting('ContainerCreating'), spec), pod('b', ready, spec), pod('c', waiting('ContainerCreating'), spec)])?.injected.map(({ hasRun }) => hasRun), [true]);
  });

  it('takes nothing for injected where the template is not known', () => {
    const collector = collectPodEvidence({ ownerOf: () => ({ ...owner, templateContainers: null }) });
    collector.addPods([pod('a', healthy)]);
    assert.deepEqual(collector.evidenceOf('Deployment', 'shop', 'web')?.injected, []);
  });

  it('survives pods and events of any shape', () => {
    const odd = [null, 5, 'x', [], {}, { status: [] }, { metadata: 5, spec: { containers: [null, 'x'] }, status: { containerStatuses: [null, { state: 'x' }], conditions: {} } }];
    const collector = collectPodEvidence({ ownerOf: () => owner });
    collector.addPods(odd);
    collector.addEvents(odd);
    assert.equal(collector.evidenceOf('Deployment', 'shop', 'web')?.pods, odd.length);
  });

  it('judges a pod of a Deployment through it, though its ReplicaSet is not there', () => {
    const template = { spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const evidence = podEvidenceOfObjects([
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' }, spec: { template } },
      { apiVersion: 'v1', kind: 'Pod', ...pod('web-5d-x', waiting('ErrImagePull', noMatch), { initContainers: [{ name: 'i', image: 'i' }] }), metadata: { name: 'web-5d-x', namespace: 'shop', labels: { 'pod-template-hash': '5d' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d', controller: true }] } },
    ]);
    assert.deepEqual(evidence?.evidenceOf('Deployment', 'shop', 'web')?.injected.map(({ name }) => name), ['i']);
    assert.equal(evidence?.evidenceOf('ReplicaSet', 'shop', 'web-5d'), null);
  });

  it('is nothing where no pod has a status', () => assert.equal(podEvidenceOfObjects([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }]), null));
});
