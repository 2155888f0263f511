import assert from 'node:assert/strict';
import type { CheckFacts } from '../../../../../src/domain/check/facts.ts';
import type { Finding, NotEvaluated } from '../../../../../src/domain/check/finding.ts';
import { judgeObject, ruleSetOf, subjectsOf } from '../../../../../src/domain/check/judge-object.ts';
import type { Sample } from '../../../../../src/domain/check/rule.ts';
import { IMAGE_RULES } from '../../../../../src/domain/check/rules/image/index.ts';
import { imageSample, nodesSample } from '../../../../../src/domain/check/rules/image/shared-samples.ts';
import { buildPinOf } from '../../../../../src/domain/check/rules/image/shared-build-pin.ts';
import { movingTagOf } from '../../../../../src/domain/check/rules/image/shared-moving-tags.ts';
import { NO_PLATFORMS } from '../../../../../src/domain/image/no-platforms.ts';
import { parseReference } from '../../../../../src/domain/image/reference.ts';
import { formatFieldPath } from '../../../../../src/domain/kubernetes/field-path.ts';
import type { KubeObject } from '../../../../../src/domain/kubernetes/object.ts';
import { workloadsOf } from '../../../../../src/domain/workload/workload.ts';
import { factsOfSample, judgeSample } from '../../../../support/check-sample.ts';

const LTSC2022 = 'mcr.microsoft.com/windows/servercore:ltsc2022';
const MIXED = nodesSample({ build: 17763 }, { build: 20348 }, { build: 26100 });

async function judged(object: KubeObject, cluster?: string, more: Partial<CheckFacts> = {}): Promise<{ readonly findings: readonly Finding[]; readonly notEvaluated: readonly NotEvaluated[] }> {
  const facts = { ...await factsOfSample({ yaml: 'apiVersion: v1\nkind: ConfigMap\n', ...(cluster === undefined ? {} : { cluster }) }), ...more };
  const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
  judgeObject(object, subjectsOf(object, facts), ruleSetOf(IMAGE_RULES), facts, outcome);
  return outcome;
}

async function rulesOf(sample: Sample): Promise<readonly string[]> {
  const { findings } = await judgeSample(sample, IMAGE_RULES);
  return findings.map(({ rule, severity }) => `${rule} ${severity}`).toSorted();
}

function pod(spec: Readonly<Record<string, unknown>>): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'app', namespace: 'shop' }, spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, ...spec } };
}

describe('the rule on retired names', () => {
  it('offers a new name where its tags are those of the old one, and only tells it elsewhere', async () => {
    const fixOf = async (image: string): Promise<readonly unknown[]> => {
      const { findings } = await judgeSample({ yaml: imageSample({ image, pin: '' }) }, IMAGE_RULES);
      return findings.filter(({ rule }) => rule === 'image-name-retired').flatMap(({ fix, remedy }) => (fix === null ? [remedy] : fix.edits.map((edit) => ('value' in edit ? edit.value : null))));
    };
    assert.deepEqual(await fixOf('microsoft/windowsservercore:1803'), ['mcr.microsoft.com/windows/servercore:1803']);
    assert.deepEqual(await fixOf('microsoft/dotnet-framework:4.7.2-sdk'), ['Use mcr.microsoft.com/dotnet/framework/runtime.']);
    assert.deepEqual(await fixOf('microsoft/powershell:nanoserver'), ['Use mcr.microsoft.com/dotnet/sdk.']);
  });
});

describe('rules on images', () => {
  for (const [title, sample, expected] of [
    ['without nodes a build is compared with nothing', { yaml: imageSample({ image: LTSC2022, pin: '' }) }, []],
    ['an image with security updates only is noted once their end is less than three years away', { yaml: imageSample({ image: 'x/app:1-nanoserver-ltsc2019', pin: 'node.kubernetes.io/windows-build: 10.0.17763' }) }, ['base-image-past-support info']],
    ['an image that says nothing is said to be unknown and no more', { yaml: imageSample({ image: 'x/app:1' }), cluster: nodesSample({ build: 20348 }) }, ['image-builds-unknown info']],
    ['latest is not told twice', { yaml: imageSample({ image: 'x/app' }), cluster: nodesSample({ build: 20348 }) }, ['image-tag-latest info']],
    ['a placeholder is not told twice', { yaml: imageSample({ image: '${IMAGE}' }), cluster: MIXED }, ['image-reference-invalid error']],
    ['a mismatch with the selector is told once where nodes are known', { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2025' }), cluster: MIXED }, ['image-build-mismatch error']],
    ['and by the selector alone where they are not', { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2025' }) }, ['image-contradicts-build-pin warning']],
    ['an image that fits nowhere is not said to fit some', { yaml: imageSample({ image: 'x/app:1-windows-1903', pin: '' }), cluster: MIXED }, ['base-image-past-support warning', 'image-build-mismatch error']],
    ['an image of all builds needs no pin', { yaml: imageSample({ image: 'x/app:1', pin: '' }), cluster: MIXED, images: { 'x/app:1': ['linux', 'windows/10.0.17763.1', 'windows/10.0.20348.1', 'windows/10.0.26100.1'] } }, []],
    ['two builds that one image can serve are only mentioned', { yaml: imageSample({ image: 'x/app:1', pin: '' }), cluster: nodesSample({ build: 20348 }, { build: 26100 }) }, ['build-pin-missing info', 'image-builds-unknown info']],
    ['a HostProcess pod needs no build pin', { yaml: imageSample({ image: 'x/app:1', pin: '', hostProcess: true }), cluster: MIXED }, ['image-builds-unknown info']],
    ['a HostProcess pod with an index of one build, on some nodes', { yaml: imageSample({ image: 'mcr.microsoft.com/windows/nanoserver:ltsc2022', pin: '', hostProcess: true }), cluster: MIXED }, ['host-process-image-refused warning']],
    ['a HostProcess pod whose image may be a single one', { yaml: imageSample({ image: 'x/app:1-nanoserver-ltsc2019', pin: '', hostProcess: true }), cluster: nodesSample({ build: 20348 }) }, ['base-image-past-support info']],
    ['an ltsc2022 image on version 23H2, which has none of its own', { yaml: imageSample({ image: LTSC2022, pin: 'node.kubernetes.io/windows-build: 10.0.25398' }), cluster: nodesSample({ build: 25398 }) }, []],
    ['an old containerd on Windows Server 2025', { yaml: imageSample({ image: LTSC2022, pin: '' }), cluster: nodesSample({ build: 26100, runtime: '1.7.5' }) }, ['runtime-refuses-image error']],
    ['a guessed build is worth a warning', { yaml: imageSample({ image: 'x/curl:1803', pin: '' }), cluster: nodesSample({ build: 20348 }) }, ['image-build-mismatch warning']],
    ['Linux pods keep their tags', { yaml: imageSample({ image: 'x/app:latest', os: 'linux', pin: '' }), cluster: MIXED }, []],
    ['a Linux pod with microsoft/ in its image', { yaml: imageSample({ image: 'microsoft/azure-cli', os: 'linux', pin: '' }) }, []],
    ['a digest of a Windows base is unknown', { yaml: imageSample({ image: `${LTSC2022}@sha256:${'0123456789abcdef'.repeat(4)}` }) }, ['image-builds-unknown info']],
  ] as const) {
    it(title, async () => assert.deepEqual(await rulesOf(sample), expected));
  }

  it('say once what several containers share, and name them all', async () => {
    const { findings } = await judged(pod({
      initContainers: [{ name: 'setup', image: LTSC2022 }], containers: [{ name: 'a', image: LTSC2022 }, { name: 'b', image: LTSC2022 }], ephemeralContainers: [{ name: 'debug', image: LTSC2022 }],
    }), nodesSample({ build: 17763 }));
    const [found, ...more] = findings.filter(({ rule }) => rule === 'image-build-mismatch');
    assert.deepEqual(more, []);
    assert.equal(formatFieldPath(found?.path ?? []), 'spec.initContainers[0].image');
    assert.match(found?.message ?? '', /of init container setup, containers a and b and ephemeral container debug fits none/);
    assert.deepEqual(found?.nodes, ['win-17763']);
    assert.equal(found?.confidence, 'tag');
  });

  it('point into the template of a CronJob', async () => {
    const object: KubeObject = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'c' }, spec: { jobTemplate: { spec: { template: { spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'a' }, { name: 'b', image: 'x/app:latest' }] } } } } } };
    const { findings } = await judged(object);
    assert.deepEqual(findings.map(({ path }) => formatFieldPath(path)), ['spec.jobTemplate.spec.template.spec.containers[1].image']);
  });

  it('take odd fields for what they are', async () => {
    for (const containers of [null, 'x', {}, [], [null], ['x'], [{ image: null }], [{ image: 7 }], [{ image: {} }], [{ name: 'a', image: '' }]]) {
      const { findings } = await judged(pod({ containers, initContainers: containers, ephemeralContainers: null, nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': 7 } }), MIXED);
      assert.deepEqual(findings, [], JSON.stringify(containers));
    }
  });

  it('say that nodes are missing only where a build is known', async () => {
    const known = await judged(pod({ containers: [{ name: 'a', image: LTSC2022 }] }));
    assert.deepEqual(known.notEvaluated.map(({ rule, reason }) => `${rule}: ${reason}`), ['image-build-mismatch: nodes not known: whether they can run the image\'s build']);
    assert.deepEqual((await judged(pod({ containers: [{ name: 'a', image: 'x/app:1' }] }))).notEvaluated, []);
    assert.deepEqual((await judged(pod({ containers: [{ name: 'a', image: LTSC2022 }] }), MIXED)).notEvaluated, []);
  });

  it('with --images=off leave builds alone, and say that they did', async () => {
    const { findings, notEvaluated } = await judged(pod({ containers: [{ name: 'a', image: LTSC2022 }, { name: 'b', image: 'x/app:latest' }] }), MIXED, { images: NO_PLATFORMS });
    assert.deepEqual(findings.map(({ rule }) => rule), ['image-tag-latest']);
    assert.deepEqual(notEvaluated.map(({ reason }) => reason), ['image platforms not known: which builds of Windows its images hold']);
  });

  it('look at nodes that lack only room or are cordoned, where no other is left', async () => {
    const object = pod({ containers: [{ name: 'a', image: LTSC2022, resources: { limits: { 'directx.microsoft.com/display': 1 } } }] });
    assert.ok((await judged(object, nodesSample({ build: 17763 }))).findings.some(({ rule }) => rule === 'image-build-mismatch'));
    const elsewhere = pod({ nodeSelector: { pool: 'none' }, containers: [{ name: 'a', image: LTSC2022 }] });
    assert.ok(!(await judged(elsewhere, nodesSample({ build: 17763 }))).findings.some(({ rule }) => rule === 'image-build-mismatch'));
  });

  it('say where an image does not run, when it is not known where it does', async () => {
    const cluster = `${nodesSample({ build: 17763 }, { build: 20348, name: 'unknown' })}`.replace(/kernelVersion: 10\.0\.20348\.5386/, 'kernelVersion: ""').replace('node.kubernetes.io/windows-build: 10.0.20348', 'x: y');
    const found = (await judged(pod({ containers: [{ name: 'a', image: LTSC2022 }] }), cluster)).findings.find(({ rule }) => rule === 'image-fits-some-nodes');
    assert.match(found?.message ?? '', /does not fit nodes of build 10\.0\.17763, on which the pod can land/);
    assert.equal(found?.fix, null);
  });

  it('do not ask to give up a digest for a tag', async () => {
    const remedyOf = async (image: string, spec: Readonly<Record<string, unknown>> = {}): Promise<string | undefined> => (await judged(pod({ containers: [{ name: 'a', image }], ...spec }))).findings.find(({ rule }) => rule === 'image-builds-unknown')?.remedy;
    assert.match(await remedyOf('x/app:1') ?? '', /use a tag that names the release/);
    assert.match(await remedyOf(`x/app@sha256:${'0'.repeat(64)}`) ?? '', /^Look into what the digest is.*keep the pod on nodes of that build/);
    const pinned = { nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.20348' } };
    assert.match(await remedyOf(`x/app@sha256:${'0'.repeat(64)}`, pinned) ?? '', /see that it holds the build that the pod asks for \(nodeSelector node\.kubernetes\.io\/windows-build=10\.0\.20348\)\.$/);
  });

  it('do not ask for a release in the tag of a HostProcess image', async () => {
    const { findings } = await judgeSample({ yaml: imageSample({ image: 'x/app:1', pin: '', hostProcess: true }) }, IMAGE_RULES);
    assert.deepEqual(findings.map(({ rule, remedy }) => [rule, /a tag that names/.test(remedy)]), [['image-builds-unknown', false]]);
  });

  it('blame the label of a node that names another build than it runs', async () => {
    const cluster = nodesSample({ build: 17763 }, { build: 20348 }).replace('node.kubernetes.io/windows-build: 10.0.17763', 'node.kubernetes.io/windows-build: 10.0.20348');
    const found = (await judged(pod({ nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.20348' }, containers: [{ name: 'a', image: LTSC2022 }] }), cluster)).findings.find(({ rule }) => rule === 'image-fits-some-nodes');
    assert.match(found?.message ?? '', /in spite of its nodeSelector node\.kubernetes\.io\/windows-build=10\.0\.20348: the label names another build/);
    assert.deepEqual([found?.remedy, found?.fix], ['Correct the label node.kubernetes.io/windows-build of these nodes.', null]);
  });

  it('tell a single image of another build as a failure at start', async () => {
    const images: CheckFacts['images'] = { platformsOf: () => ({ shape: 'manifest', confidence: 'registry', os: null, because: 'the config says 10.0.17763.1', platforms: [{ os: 'windows', architecture: 'amd64', osVersion: '10.0.17763.1', digest: null, sizeBytes: null }] }) };
    const [found] = (await judged(pod({ containers: [{ name: 'a', image: 'x/app:1' }] }), nodesSample({ build: 20348 }), { images })).findings;
    assert.deepEqual([found?.rule, found?.confidence], ['image-build-mismatch', 'registry']);
    assert.deepEqual(found?.facts, ['IMG-001', 'IMG-006']);
  });

  it('warn of a newer revision once its error was seen', async () => {
    const object = pod({ containers: [{ name: 'a', image: 'mcr.microsoft.com/windows/servercore:10.0.20348.5499' }] });
    const cluster = nodesSample({ build: 20348, revision: 5386 });
    const severityOf = async (message: string): Promise<string | undefined> => {
      const symptoms = [{ reason: 'Failed', message, container: 'a', image: null, nodes: [], pods: 1 }];
      const pods: CheckFacts['pods'] = { evidenceOf: (kind, namespace, name) => (`${kind} ${namespace}/${name}` === 'Pod shop/app' ? { pods: 1, symptoms, injected: [], nodes: [] } : null) };
      return (await judged(object, cluster, { pods })).findings.find(({ rule }) => rule === 'image-revision-newer')?.severity;
    };
    assert.equal(await severityOf('failed to start: (0xC0370106)'), 'warning');
    assert.equal(await severityOf('failed to start: (0xc0370101)'), 'info');
  });

  it('Server 2016 needs equal revisions', async () => {
    const object = (revision: number): KubeObject => pod({ containers: [{ name: 'a', image: `mcr.microsoft.com/windows/servercore:10.0.14393.${revision}` }] });
    const cluster = nodesSample({ build: 14393, revision: 100 });
    assert.ok((await judged(object(99), cluster)).findings.some(({ rule, message }) => rule === 'image-revision-newer' && message.includes('needs an equal revision')));
    assert.ok(!(await judged(object(100), cluster)).findings.some(({ rule }) => rule === 'image-revision-newer'));
  });

  for (const [title, sample, value] of [
    ['the node\'s base image', { yaml: imageSample({ image: 'mcr.microsoft.com/windows/nanoserver:1809', pin: '' }), cluster: nodesSample({ build: 20348 }) }, 'mcr.microsoft.com/windows/nanoserver:ltsc2022'],
    ['a selector for the image\'s build', { yaml: imageSample({ image: LTSC2022, pin: '' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }) }, '10.0.20348'],
    ['the image\'s build in the selector', { yaml: imageSample({ image: 'x/app:ltsc2019' }) }, '10.0.17763'],
    ['the name at mcr.microsoft.com', { yaml: imageSample({ image: 'microsoft/iis:windowsservercore-ltsc2022' }) }, 'mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022'],
  ] as const) {
    it(`offer ${title}, and call no such change safe`, async () => {
      const { findings } = await judgeSample(sample, IMAGE_RULES);
      const [fix, ...more] = findings.flatMap((finding) => (finding.fix === null ? [] : [finding.fix]));
      assert.deepEqual(more, []);
      assert.equal(fix?.isSafe, false);
      assert.deepEqual(fix.edits.map((edit) => (edit.op === 'set' ? edit.value : edit.op)), [value]);
      const [edit] = fix.edits;
      assert.match(formatFieldPath(edit?.path ?? []), /^spec\.(containers\[0\]\.image|nodeSelector\[node\.kubernetes\.io\/windows-build\])$/);
    });
  }

  it('offer no other base for an image that was built on one', async () => {
    const { findings } = await judgeSample({ yaml: imageSample({ image: 'x/app:1-nanoserver-1809', pin: '' }), cluster: nodesSample({ build: 20348 }) }, IMAGE_RULES);
    assert.deepEqual(findings.filter(({ fix }) => fix !== null), []);
  });
});

describe('the build that a pod selects', () => {
  const pinOf = (spec: Readonly<Record<string, unknown>>): readonly number[] | null => {
    const [workload] = workloadsOf({ kind: 'Pod', apiVersion: 'v1', spec: { containers: [{ name: 'a' }], ...spec } });
    assert.ok(workload !== undefined);
    return buildPinOf(workload, null)?.builds ?? null;
  };
  const affinity = (...terms: readonly unknown[]): Readonly<Record<string, unknown>> => ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } });
  const term = (key: string, operator: string, ...values: readonly string[]): unknown => ({ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['windows'] }, { key, operator, values }] });

  for (const [title, spec, expected] of [
    ['by the kubelet\'s label', { nodeSelector: { 'node.kubernetes.io/windows-build': '10.0.20348' } }, [20348]],
    ['by AKS\'s', { nodeSelector: { 'kubernetes.azure.com/os-sku': 'Windows2022' } }, [20348]],
    ['by AKS\'s that says what was chosen', { nodeSelector: { 'kubernetes.azure.com/os-sku-effective': 'Windows2025' } }, [26100]],
    ['by GKE\'s', { nodeSelector: { 'cloud.google.com/gke-windows-os-version': '2019' } }, [17763]],
    ['by affinity', affinity(term('kubernetes.azure.com/os-sku', 'In', 'Windows2025', 'Windows2022')), [20348, 26100]],
    ['by every term', affinity(term('node.kubernetes.io/windows-build', 'In', '10.0.20348'), term('kubernetes.azure.com/os-sku', 'In', 'Windows2019')), [17763, 20348]],
    ['not by one term of several', affinity(term('node.kubernetes.io/windows-build', 'In', '10.0.20348'), term('pool', 'In', 'x')), null],
    ['not by NotIn', affinity(term('kubernetes.azure.com/os-sku', 'NotIn', 'Windows2022')), null],
    ['not by a value of no release', { nodeSelector: { 'kubernetes.azure.com/os-sku': 'Ubuntu' } }, null],
    ['not by the OS', { nodeSelector: { 'kubernetes.io/os': 'windows' } }, null],
    ['not by null', { nodeSelector: null, affinity: null }, null],
    ['not by a number', { nodeSelector: { 'node.kubernetes.io/windows-build': 20348 } }, null],
  ] as const) {
    it(title, () => assert.deepEqual(pinOf(spec), expected));
  }
});

describe('words of rules on images', () => {
  it('tell moving tags from others', () => {
    const kinds = ['a', 'a:latest', 'a:latest-windows-hp', 'a:1-latest', 'a:canary', 'a:v1-nightly', 'a:main', 'a:dev-windows', 'a:1.0-dev.3', 'a:nightly-20240101', 'a:latestish', 'a:developer', 'a:v1', 'a:edgex', `a@sha256:${'ab'.repeat(32)}`, '${A}'].map((image) => movingTagOf(parseReference(image))?.kind ?? null);
    assert.deepEqual(kinds, ['none', 'latest', 'latest', 'latest', 'moving', 'moving', 'moving', 'moving', null, null, null, null, null, null, null, null]);
  });
});
