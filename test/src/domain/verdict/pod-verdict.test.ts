import assert from 'node:assert/strict';
import type { Finding } from '../../../../src/domain/check/finding.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { subjectsOf } from '../../../../src/domain/check/judge-object.ts';
import { nodesSample } from '../../../../src/domain/check/rules/image/shared-samples.ts';
import { findingsByTemplate } from '../../../../src/domain/verdict/findings-by-template.ts';
import { verdictsOf, type PodVerdict } from '../../../../src/domain/verdict/pod-verdict.ts';
import { factsOfSample } from '../../../support/check-sample.ts';

const CLUSTER = nodesSample({ build: 17763 }, { build: 20348 }, { build: 26100 });

function finding(values: Partial<Finding>): Finding {
  return {
    rule: 'x', facts: ['VOL-001'], severity: 'warning', effect: 'may-fail', object: { apiVersion: 'v1', kind: 'Pod', namespace: null, name: 'app' }, container: null, path: ['spec'],
    message: 'something is wrong', nodes: [], confidence: 'proven', evidence: [], remedy: '', reference: '', fix: null, ...values,
  };
}

function pod(image: string, more: Readonly<Record<string, unknown>> = {}, metadata: Readonly<Record<string, unknown>> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'app', ...metadata }, spec: { nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'app', image }], ...more } };
}

async function verdicts(object: KubeObject, findings: readonly Finding[] = [], cluster: string | undefined = CLUSTER): Promise<readonly PodVerdict[]> {
  const facts = await factsOfSample({ yaml: 'apiVersion: v1\nkind: ConfigMap\n', ...(cluster === undefined ? {} : { cluster }) });
  const [subject] = subjectsOf(object, facts);
  assert.ok(subject !== undefined);
  return verdictsOf(subject, findings, facts);
}

function short(all: readonly PodVerdict[]): readonly string[] {
  return all.map(({ verdict, nodes }) => `${verdict} ${nodes.join(',')}`);
}

const LTSC2022 = 'mcr.microsoft.com/windows/servercore:ltsc2022';

describe('the verdict on a pod', () => {
  for (const [title, object, expected] of [
    ['an image of one build', pod(LTSC2022), ['fails-at-pull win-17763', 'runs-down-level win-26100', 'runs win-20348']],
    ['an image whose tag is not known to be an index', pod('x:1-ltsc2022'), ['fails-at-start win-17763', 'runs-down-level win-26100', 'runs win-20348']],
    ['an image that nothing is known of', pod('x:1'), ['unknown win-17763,win-20348,win-26100']],
    ['a guess', pod('x/curl:1803'), ['unknown win-17763,win-20348,win-26100']],
    ['a HostProcess pod on the base image', pod('mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }), ['runs win-17763,win-20348,win-26100']],
    ['a HostProcess pod with an index of one build', pod(LTSC2022, { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }), ['fails-at-pull win-17763', 'runs win-20348,win-26100']],
    ['a placeholder', pod('${IMAGE}'), ['fails-at-pull win-17763,win-20348,win-26100']],
    ['os.name linux on Windows nodes', pod(LTSC2022, { os: { name: 'linux' } }), ['refused-by-kubelet win-17763,win-20348,win-26100']],
    ['os.name windows without a selector', pod(LTSC2022, { os: { name: 'windows' }, nodeSelector: {} }), ['refused-by-kubelet linux-0', 'fails-at-pull win-17763', 'runs-down-level win-26100', 'runs win-20348']],
    ['a label for another OS', pod(LTSC2022, {}, { labels: { 'kubernetes.io/os': 'linux' } }), ['refused-by-kubelet win-17763,win-20348,win-26100']],
    ['the worst of several images', pod(LTSC2022, { nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.20348' }, initContainers: [{ name: 'i', image: 'x:1' }] }), ['unknown win-20348']],
    ['an ephemeral container of another build', pod(LTSC2022, { nodeSelector: { 'node.kubernetes.io/windows-build': '10.0.20348' }, ephemeralContainers: [{ name: 'debug', image: 'x:ltsc2025' }] }), ['runs win-20348']],
    ['no candidate', pod(LTSC2022, { nodeSelector: { 'kubernetes.io/os': 'windows', pool: 'none' } }), []],
    ['no image', pod('', { containers: [{ name: 'a' }, null] }), ['unknown win-17763,win-20348,win-26100']],
  ] as const) {
    it(title, async () => {
      const found = await verdicts(object);
      assert.deepEqual(short(found), expected);
      for (const { because } of found) assert.doesNotMatch(because, /undefined|\[object|null/);
    });
  }

  it('what the API server refuses is refused everywhere', async () => {
    const [only, ...more] = await verdicts(pod(LTSC2022), [finding({ effect: 'rejected', message: 'hostIPC cannot be set' }), finding({ effect: 'rejected' })]);
    assert.deepEqual(only, { verdict: 'rejected', nodes: [], because: 'the API server refuses it: hostIPC cannot be set, and 1 more' });
    assert.deepEqual(more, []);
  });

  it('it runs where fields are ignored, and says so', async () => {
    const found = await verdicts(pod(LTSC2022), [finding({ effect: 'ignored', message: 'runAsUser is ignored' })]);
    assert.deepEqual(short(found), ['fails-at-pull win-17763', 'fields-ignored win-20348,win-26100']);
    assert.equal(found[1]?.because, 'it runs, but runAsUser is ignored');
  });

  it('what cannot run on some nodes does not run there', async () => {
    const found = await verdicts(pod(LTSC2022), [finding({ effect: 'cannot-run', nodes: ['win-20348'], message: 'no such device' })]);
    assert.deepEqual(short(found), ['fails-at-pull win-17763', 'fails-at-start win-20348', 'runs-down-level win-26100']);
  });

  it('findings on where it lands and on images are no second reason', async () => {
    const found = await verdicts(pod('x:1'), [finding({ effect: 'cannot-run', facts: ['SCH-007'] }), finding({ effect: 'cannot-run', facts: ['IMG-001', 'C11'] })]);
    assert.deepEqual(short(found), ['unknown win-17763,win-20348,win-26100']);
  });

  it('without nodes it is not known for Windows pods, and not asked for others', async () => {
    assert.deepEqual(short(await verdicts(pod(LTSC2022), [], '')), ['unknown ']);
    assert.deepEqual(await verdicts(pod('nginx', { nodeSelector: { 'kubernetes.io/os': 'linux' } }), [], ''), []);
  });

  it('a Linux image that can land on Windows nodes fails there', async () => {
    assert.deepEqual(short(await verdicts(pod('nginx', { nodeSelector: {} }))), ['fails-at-pull win-17763,win-20348,win-26100']);
    assert.deepEqual(await verdicts(pod('nginx', { nodeSelector: { 'kubernetes.io/os': 'linux' } })), []);
  });

  it('one template of an object does not answer for another', async () => {
    const template = { spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.20348' }, containers: [{ name: 'a', image: LTSC2022 }] } };
    const object: KubeObject = { apiVersion: 'example.com/v1', kind: 'Twin', metadata: { name: 'twin' }, spec: { first: template, second: template } };
    const facts = await factsOfSample({ yaml: 'apiVersion: v1\nkind: ConfigMap\n', cluster: CLUSTER });
    const subjects = subjectsOf(object, facts);
    const findings = findingsByTemplate(subjects, [finding({ effect: 'rejected', path: ['spec', 'second', 'spec', 'hostIPC'] })]);
    const found = subjects.map((subject, index) => short(verdictsOf(subject, findings[index] ?? [], facts)));
    assert.deepEqual(found, [['runs win-20348'], ['rejected ']]);
  });
});
