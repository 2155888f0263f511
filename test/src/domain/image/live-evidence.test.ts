import assert from 'node:assert/strict';
import { LiveImageEvidence, type SeenNode } from '../../../../src/domain/image/live-evidence.ts';

const DIGEST_A = `sha256:${'a'.repeat(64)}`;
const DIGEST_B = `sha256:${'b'.repeat(64)}`;
const NODES: Readonly<Record<string, SeenNode>> = {
  win2016: { os: 'windows', build: 14393 }, win2019: { os: 'windows', build: 17763 }, win2022: { os: 'windows', build: 20348 }, win2025: { os: 'windows', build: 26100 },
  mystery: { os: 'windows', build: null }, linux: { os: 'linux', build: null },
};

interface PodParts {
  readonly node?: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly state?: unknown;
  readonly lastState?: unknown;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly container?: Readonly<Record<string, unknown>>;
  readonly list?: 'init';
}

function pod({ node = 'win2022', image = 'registry.example/web:1.4', imageID = `registry.example/web@${DIGEST_A}`, state = { running: {} }, lastState = {}, spec = {}, container = {}, list }: PodParts): unknown {
  const one = { name: 'web', image, ...container };
  const status = { name: 'web', image: 'sha256:0', imageID, state, lastState };
  return {
    kind: 'Pod', metadata: { name: 'p' }, spec: { nodeName: node, ...(list === 'init' ? { initContainers: [one], containers: [] } : { containers: [one] }), ...spec },
    status: list === 'init' ? { initContainerStatuses: [status] } : { containerStatuses: [status] },
  };
}

function seen(...pods: readonly unknown[]): LiveImageEvidence {
  const evidence = new LiveImageEvidence();
  evidence.addPods(pods, (name) => NODES[name]);
  return evidence;
}

describe('what running pods prove of their images', () => {
  it('tells the very build on a node before Windows Server 2025, and no build on one that runs older images too', () => {
    const on2022 = seen(pod({})).evidenceOf('registry.example/web:1.4');
    assert.equal(on2022?.confidence, 'observed');
    assert.deepEqual([on2022?.seenOn, on2022?.platforms.map(({ osVersion }) => osVersion), on2022?.isPartial, on2022?.digest], [[20348], ['10.0.20348'], true, DIGEST_A]);
    const on2025 = seen(pod({ node: 'win2025' })).evidenceOf('registry.example/web:1.4');
    assert.deepEqual([on2025?.seenOn, on2025?.platforms], [[26100], []]);
    assert.match(on2025?.because ?? '', /^containers of it were seen running on build 10\.0\.26100$/);
  });

  it('gathers builds over pods, ascending, and says where the name hides several images', () => {
    const both = seen(pod({ node: 'win2022' }), pod({ node: 'win2019', imageID: `registry.example/web@${DIGEST_B}` })).evidenceOf('registry.example/web:1.4');
    assert.deepEqual(both?.seenOn, [17763, 20348]);
    assert.equal(both?.digest, null);
    assert.deepEqual(both?.notes, ['running containers have 2 different images under this name']);
  });

  it('knows an image by another spelling of its name, and a digest under any name', () => {
    const evidence = seen(pod({ image: 'web', imageID: `docker-pullable://web@${DIGEST_A}` }));
    assert.deepEqual(evidence.evidenceOf('docker.io/library/web:latest')?.seenOn, [20348]);
    assert.deepEqual(evidence.evidenceOf(`mirror.example/x@${DIGEST_A}`)?.seenOn, [20348]);
    assert.equal(evidence.evidenceOf('docker.io/library/web:1.0'), null);
    assert.equal(evidence.evidenceOf(`mirror.example/x@${DIGEST_B}`), null);
  });

  it('gives the same answer until more is seen', () => {
    const evidence = seen(pod({}));
    const first = evidence.evidenceOf('registry.example/web:1.4');
    evidence.addPods([pod({})], (name) => NODES[name]);
    assert.equal(evidence.evidenceOf('registry.example/web:1.4'), first);
    evidence.addPods([pod({ imageID: `registry.example/web@${DIGEST_B}` })], (name) => NODES[name]);
    assert.equal(evidence.evidenceOf('registry.example/web:1.4')?.digest, null);
    assert.deepEqual(evidence.digestsOn('registry.example/web:1.4', 20348), [DIGEST_A, DIGEST_B]);
    assert.deepEqual(evidence.digestsOn('registry.example/web:1.4', 17763), []);
  });

  for (const [title, parts] of [
    ['a container that waits', { state: { waiting: { reason: 'ErrImagePull' } } }],
    ['a container that could not start', { state: { terminated: { exitCode: 128, reason: 'StartError' } } }],
    ['a pod of a Linux node', { node: 'linux' }],
    ['a pod of a node that is not known', { node: 'gone' }],
    ['a pod that is not bound yet', { node: '' }],
    ['a node whose build is not known', { node: 'mystery' }],
    ['a HostProcess container', { container: { securityContext: { windowsOptions: { hostProcess: true } } } }],
    ['a container of a HostProcess pod', { spec: { securityContext: { windowsOptions: { hostProcess: true } } } }],
    ['a container with an invalid image', { image: 'Nginx:1', imageID: '' }],
  ] as const satisfies readonly (readonly [string, PodParts])[]) {
    it(`takes nothing from ${title}`, () => {
      const evidence = seen(pod(parts));
      assert.equal(evidence.isEmpty, true);
      assert.equal(evidence.evidenceOf('registry.example/web:1.4'), null);
    });
  }

  for (const [title, parts] of [
    ['a container that ran to its end', { state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    ['a container that ran before it failed', { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: { exitCode: 1, reason: 'Error' } } }],
    ['an init container', { list: 'init', state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    ['a container without a digest', { imageID: 'sha256:0123' }],
    ['a container that is no HostProcess container in spite of its pod', { spec: { securityContext: { windowsOptions: { hostProcess: true } } }, container: { securityContext: { windowsOptions: { hostProcess: false } } } }],
  ] as const satisfies readonly (readonly [string, PodParts])[]) {
    it(`believes ${title}`, () => {
      assert.deepEqual(seen(pod(parts)).evidenceOf('registry.example/web:1.4')?.seenOn, [20348]);
    });
  }

  it('stands any shape of a pod', () => {
    for (const one of [null, 7, {}, { spec: { nodeName: 'win2022', containers: 'x' }, status: { containerStatuses: [null, 5, {}] } }]) assert.equal(seen(one).isEmpty, true);
  });
});
