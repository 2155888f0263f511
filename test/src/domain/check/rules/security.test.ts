import assert from 'node:assert/strict';
import { formatFieldPath } from '../../../../../src/domain/kubernetes/field-path.ts';
import type { CheckFacts } from '../../../../../src/domain/check/facts.ts';
import type { Finding, NotEvaluated } from '../../../../../src/domain/check/finding.ts';
import { judgeObject, ruleSetOf, subjectsOf } from '../../../../../src/domain/check/judge-object.ts';
import { sampleNode } from '../../../../../src/domain/check/samples.ts';
import { SECURITY_RULES } from '../../../../../src/domain/check/rules/security/index.ts';
import { LINUX_ONLY_FIELDS } from '../../../../../src/domain/check/rules/security/shared-linux-only-fields.ts';
import { factsOfSample, judgeSample, objectsOf } from '../../../../support/check-sample.ts';

interface PodOptions {
  readonly os?: 'windows' | 'linux' | null;
  readonly selects?: 'windows' | 'linux' | null;
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly containers?: readonly Readonly<Record<string, unknown>>[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const podOf = ({ os = null, selects = 'windows', spec = {}, containers = [{}], metadata = {} }: PodOptions): string => JSON.stringify({
  apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', ...metadata },
  spec: {
    ...(os === null ? {} : { os: { name: os } }), ...(selects === null ? {} : { nodeSelector: { 'kubernetes.io/os': selects } }),
    ...spec, containers: containers.map((container, index) => ({ name: `c${index}`, image: 'x', ...container })),
  },
});

async function findingsOf(options: PodOptions, kubernetesVersion?: string): Promise<readonly Finding[]> {
  const { findings } = await judgeSample({ yaml: podOf(options), ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }) }, SECURITY_RULES);
  return findings;
}

const shortly = ({ rule, severity, effect }: Finding): string => `${rule} ${severity} ${effect}`;

describe('the rules on Linux-only fields', () => {
  const readOnly = { securityContext: { readOnlyRootFilesystem: true } };
  const cases: readonly { readonly name: string; readonly pod: PodOptions; readonly version?: string; readonly expected: readonly string[] }[] = [
    { name: 'are refused with os.name windows', pod: { os: 'windows', containers: [readOnly] }, expected: ['read-only-root-filesystem-on-windows error rejected'] },
    { name: 'are ignored without os.name', pod: { containers: [readOnly] }, expected: ['read-only-root-filesystem-on-windows warning ignored'] },
    { name: 'are ignored by API servers that do not know os.name', pod: { os: 'windows', containers: [readOnly] }, version: '1.23', expected: ['read-only-root-filesystem-on-windows warning ignored'] },
    { name: 'are refused by 1.24', pod: { os: 'windows', containers: [readOnly] }, version: '1.24', expected: ['read-only-root-filesystem-on-windows error rejected'] },
    { name: 'stay silent on Linux', pod: { selects: 'linux', containers: [readOnly], spec: { hostPID: true } }, expected: [] },
    { name: 'stay silent with os.name linux', pod: { os: 'linux', selects: null, containers: [readOnly] }, expected: [] },
    { name: 'stay silent where nothing says an OS', pod: { selects: null, containers: [readOnly], spec: { hostPID: true, securityContext: { fsGroup: 1 } } }, expected: [] },
    { name: 'count null as unset', pod: { os: 'windows', containers: [{ securityContext: { capabilities: null, runAsUser: null } }], spec: { hostUsers: null, securityContext: null } }, expected: [] },
    { name: 'do not read a securityContext of another type', pod: { os: 'windows', containers: [{ securityContext: 'none' }], spec: { securityContext: [] } }, expected: [] },
    { name: 'take false for nothing lost', pod: { containers: [{ securityContext: { privileged: false, readOnlyRootFilesystem: false } }] }, expected: ['privileged-on-windows info ignored', 'read-only-root-filesystem-on-windows info ignored'] },
    { name: 'refuse false all the same', pod: { os: 'windows', containers: [{ securityContext: { privileged: false } }] }, expected: ['privileged-on-windows error rejected'] },
    { name: 'do not count hostPID: false', pod: { os: 'windows', spec: { hostPID: false, hostIPC: false } }, expected: [] },
    { name: 'find hostPID and hostIPC one by one', pod: { os: 'windows', spec: { hostPID: true, hostIPC: true } }, expected: ['host-namespaces-on-windows error rejected', 'host-namespaces-on-windows error rejected'] },
    { name: 'do not count empty sysctls', pod: { os: 'windows', spec: { securityContext: { sysctls: [] } } }, expected: [] },
    { name: 'count empty supplementalGroups', pod: { os: 'windows', spec: { securityContext: { supplementalGroups: [] } } }, expected: ['supplemental-groups-on-windows error rejected'] },
    { name: 'know that hostUsers was dropped before 1.33', pod: { os: 'windows', spec: { hostUsers: false } }, version: '1.30', expected: ['host-users-on-windows warning ignored'] },
    { name: 'do not speak of AppArmor profiles to servers that have no such field', pod: { os: 'windows', containers: [{ securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }] }, version: '1.29', expected: [] },
    { name: 'call hostPID and privileged of a HostProcess pod advice', pod: { spec: { hostPID: true, hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }, containers: [{ securityContext: { privileged: true } }] }, expected: ['privileged-on-windows info ignored', 'host-namespaces-on-windows info ignored'] },
  ];
  for (const { name, pod, version, expected } of cases) {
    it(name, async () => {
      assert.deepEqual((await findingsOf(pod, version)).map(shortly), expected);
    });
  }

  it('are one finding for all containers, whose fix mends them all', async () => {
    const [finding, ...others] = await findingsOf({ os: 'windows', spec: { initContainers: [{ name: 'i', image: 'x', securityContext: { capabilities: { drop: ['ALL'] } } }] }, containers: [{ securityContext: { capabilities: {} } }, {}] });
    assert.equal(others.length, 0);
    assert.equal(formatFieldPath(finding?.path ?? []), 'spec.initContainers[0].securityContext.capabilities');
    assert.match(finding?.message ?? '', /in init container i and container c0: /);
    assert.deepEqual(finding?.fix?.edits.map(({ path }) => formatFieldPath(path)), ['spec.initContainers[0].securityContext.capabilities', 'spec.containers[0].securityContext.capabilities']);
    assert.equal(finding.fix.isSafe, true);
    assert.equal(finding.container, null);
  });

  it('are removed without asking only where more than an image says Windows', async () => {
    const container = { image: 'mcr.microsoft.com/windows/servercore:ltsc2022', ...readOnly };
    const isSafe = async (pod: PodOptions): Promise<readonly (boolean | undefined)[]> => (await findingsOf(pod)).map(({ fix }) => fix?.isSafe);
    assert.deepEqual(await isSafe({ selects: null, containers: [container] }), [false]);
    assert.deepEqual(await isSafe({ selects: 'windows', containers: [container] }), [true]);
    assert.deepEqual(await isSafe({ selects: null, os: 'windows', containers: [container] }), [true]);
  });

  it('are not removed without asking where the Pod Security level restricted may ask for them', async () => {
    const context = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true };
    const seccomp = { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } };
    const admitted: PodOptions = { spec: seccomp, containers: [{ securityContext: context }], metadata: { namespace: 'shop' } };
    const namespace = (level: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: ${level}}}\n`;
    const safeOnes = async (pod: PodOptions, cluster?: string): Promise<readonly string[]> => {
      const { findings } = await judgeSample({ yaml: podOf(pod), ...(cluster === undefined ? {} : { cluster }) }, SECURITY_RULES);
      return findings.flatMap(({ rule, fix }) => (fix?.isSafe === true ? [rule] : []));
    };
    const asked = ['seccomp-profile-on-windows', 'capabilities-on-windows', 'allow-privilege-escalation-on-windows'];
    const other = 'read-only-root-filesystem-on-windows';
    assert.deepEqual(await safeOnes(admitted), [other]);
    assert.deepEqual(await safeOnes(admitted, namespace('restricted')), [other]);
    assert.deepEqual(await safeOnes(admitted, namespace('baseline')), [...asked, other]);
    // with os.name nothing of it is asked for, and a pod without seccompProfile is refused anyway
    assert.deepEqual(await safeOnes({ ...admitted, os: 'windows' }), [...asked, other]);
    assert.deepEqual(await safeOnes({ ...admitted, spec: {} }), [...asked.slice(1), other]);
    assert.match((await findingsOf(admitted)).find(({ rule }) => rule === asked[0])?.remedy ?? '', /Set spec\.os\.name to windows with it/);
  });

  it('name the linters that ask for the value, and no other value', async () => {
    const evidence = async (readOnlyRootFilesystem: boolean): Promise<string> => (await findingsOf({ os: 'windows', containers: [{ securityContext: { readOnlyRootFilesystem } }] })).flatMap((finding) => finding.evidence).join(' ');
    assert.match(await evidence(true), /kube-linter no-read-only-root-fs.*Checkov CKV_K8S_22/);
    assert.equal(await evidence(false), '');
  });

  it('have a rule for every field of the table', async () => {
    const found = new Set<string>();
    for (const field of Object.values(LINUX_ONLY_FIELDS)) {
      const value = { sysctls: [{}], hostPID: true, hostIPC: true }[String(field.pod?.at(-1))] ?? {};
      const place = field.pod ?? field.container ?? [];
      const nested = place.toReversed().reduce<unknown>((inner, step) => ({ [step]: inner }), value) as Readonly<Record<string, unknown>>;
      const findings = await findingsOf({ os: 'windows', ...(field.pod === null ? { containers: [nested] } : { spec: nested }) });
      assert.deepEqual(findings.map(({ effect }) => effect), ['rejected'], formatFieldPath(place));
      found.add(formatFieldPath(findings[0]?.path ?? []));
    }
    assert.equal(found.size, Object.keys(LINUX_ONLY_FIELDS).length);
  });

  describe('on runAsUser', () => {
    const user = (runAsUser: number | undefined): Readonly<Record<string, unknown>> => (runAsUser === undefined ? {} : { securityContext: { runAsUser } });
    const tokens: readonly { readonly name: string; readonly pod: PodOptions; readonly effect: string }[] = [
      { name: 'may fail where all containers have the same user', pod: { containers: [user(0), user(0)] }, effect: 'may-fail' },
      { name: 'may fail where the pod says it for all', pod: { spec: user(1000), containers: [{}, user(1000)] }, effect: 'may-fail' },
      { name: 'is ignored where containers differ', pod: { containers: [user(1), user(2)] }, effect: 'ignored' },
      { name: 'is ignored where a container has none', pod: { containers: [user(1), {}] }, effect: 'ignored' },
      { name: 'is ignored where no token is mounted', pod: { spec: { automountServiceAccountToken: false }, containers: [user(1)] }, effect: 'ignored' },
      { name: 'may fail where a token is projected by hand', pod: { spec: { automountServiceAccountToken: false, volumes: [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] }, containers: [user(1)] }, effect: 'may-fail' },
    ];
    for (const { name, pod, effect } of tokens) {
      it(name, async () => {
        assert.deepEqual((await findingsOf(pod, '1.30')).map((finding) => `${finding.effect} ${finding.severity}`), [`${effect} warning`]);
      });
    }

    it('is ignored by kubelets from 1.31, 1.30.9 and 1.29.13 on, whichever of the nodes has an older one', async () => {
      const effectOn = async (server: string | undefined, ...kubelets: readonly string[]): Promise<string> => {
        const cluster = kubelets.map((kubelet) => sampleNode({ name: 'win-1', build: '10.0.20348', containerd: '1.7.27', kubelet }).replaceAll('win-1', `win-${kubelet}`)).join('---\n');
        const { findings } = await judgeSample({ yaml: podOf({ containers: [user(0)] }), ...(cluster === '' ? {} : { cluster }), ...(server === undefined ? {} : { kubernetesVersion: server }) }, SECURITY_RULES);
        return findings.map(({ effect }) => effect).join();
      };
      assert.equal(await effectOn(undefined), 'ignored');
      for (const version of ['1.28.15', '1.29.12', '1.30.8', '1.30']) assert.equal(await effectOn(version), 'may-fail', version);
      for (const version of ['1.29.13', '1.30.9', '1.31.0', '1.37.2']) assert.equal(await effectOn(version), 'ignored', version);
      assert.equal(await effectOn('1.30.8', 'v1.31.2'), 'ignored');
      assert.equal(await effectOn('1.31.2', 'v1.31.2', 'v1.29.4-gke.100'), 'may-fail');
    });
  });
});

describe('the rules on Windows users', () => {
  const named = (runAsUserName: string): Readonly<Record<string, unknown>> => ({ securityContext: { windowsOptions: { runAsUserName } } });
  const cases: readonly { readonly name: string; readonly pod: PodOptions; readonly expected: readonly string[] }[] = [
    { name: 'a container\'s user goes over the pod\'s', pod: { os: 'windows', spec: { securityContext: { runAsNonRoot: true, windowsOptions: { runAsUserName: 'ContainerUser' } } }, containers: [named('CONTAINERADMINISTRATOR')] }, expected: ['non-root-container-administrator error cannot-run'] },
    { name: 'a container\'s runAsNonRoot goes over the pod\'s', pod: { os: 'windows', spec: { securityContext: { runAsNonRoot: true } }, containers: [{ securityContext: { runAsNonRoot: false } }] }, expected: [] },
    { name: 'runAsNonRoot of Linux pods is enforced', pod: { selects: 'linux', spec: { securityContext: { runAsNonRoot: true } } }, expected: [] },
    { name: 'HostProcess pods are none of these rules\' business', pod: { spec: { hostNetwork: true, securityContext: { runAsNonRoot: true, windowsOptions: { hostProcess: true, runAsUserName: 'ContainerAdministrator' } } } }, expected: [] },
    { name: 'the administrator is advice', pod: { os: 'windows', containers: [named('ContainerAdministrator')] }, expected: ['container-administrator info advice'] },
    { name: 'a user name of another type is none', pod: { os: 'windows', spec: { securityContext: { windowsOptions: { runAsUserName: 5 } } } }, expected: [] },
    { name: 'an invalid name is refused on Linux too', pod: { selects: 'linux', containers: [named('a\\b\\c')] }, expected: ['run-as-user-name-invalid error rejected'] },
  ];
  for (const { name, pod, expected } of cases) {
    it(name, async () => {
      assert.deepEqual((await findingsOf(pod)).map(shortly), expected);
    });
  }

  it('offers one backslash where two were written', async () => {
    const [finding] = await findingsOf({ os: 'windows', containers: [named('NT AUTHORITY\\\\SYSTEM')] });
    assert.deepEqual(finding?.fix?.edits, [{ op: 'set', path: ['spec', 'containers', 0, 'securityContext', 'windowsOptions', 'runAsUserName'], value: 'NT AUTHORITY\\SYSTEM' }]);
    const [other] = await findingsOf({ os: 'windows', containers: [named('a\\b\\c')] });
    assert.equal(other?.fix, null);
  });
});

describe('the rule on runAsNonRoot without a user', () => {
  it('takes Nano Server for what it is: an image that names ContainerUser', async () => {
    const found = async (...images: readonly string[]): Promise<readonly string[]> => (await findingsOf({ spec: { securityContext: { runAsNonRoot: true } }, containers: images.map((image) => ({ image })) })).map(shortly);
    const core = 'mcr.microsoft.com/windows/servercore:ltsc2022';
    const nano = 'mcr.microsoft.com/dotnet/aspnet:9.0-nanoserver-ltsc2022';
    assert.deepEqual(await found(nano), ['run-as-non-root-without-user info advice']);
    assert.deepEqual(await found(core), ['run-as-non-root-without-user warning ignored']);
    assert.deepEqual(await found(nano, core), ['run-as-non-root-without-user warning ignored']);
  });
});

describe('the rules on group managed service accounts', () => {
  const gmsa: PodOptions = { os: 'windows', spec: { securityContext: { windowsOptions: { gmsaCredentialSpecName: 'webapp1' } } } };
  const definition = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: gmsacredentialspecs.windows.k8s.io}\n';
  const other = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: others.example.com}\n';

  it('say in files that they cannot know the cluster\'s credential specs and rights', async () => {
    const { findings, notEvaluated } = await judgeSample({ yaml: podOf(gmsa) }, SECURITY_RULES);
    assert.deepEqual(findings, []);
    assert.deepEqual(notEvaluated.map(({ rule }) => rule), ['gmsa-credential-spec-missing', 'gmsa-service-account-access']);
  });

  it('are silent about both for a pod without an account', async () => {
    const { notEvaluated } = await judgeSample({ yaml: podOf({ os: 'windows' }) }, SECURITY_RULES);
    assert.deepEqual(notEvaluated, []);
  });

  it('do not ask who may use what the cluster does not have', async () => {
    const { findings, notEvaluated } = await judgeSample({ yaml: podOf(gmsa), cluster: other }, SECURITY_RULES);
    assert.deepEqual(findings.map(({ rule }) => rule), ['gmsa-credential-spec-missing']);
    assert.deepEqual(notEvaluated, []);
  });

  it('do not ask for the definition where the contents stand beside the name', async () => {
    const options = { gmsaCredentialSpecName: 'webapp1', gmsaCredentialSpec: '{}' };
    const { findings } = await judgeSample({ yaml: podOf({ os: 'windows', spec: { securityContext: { windowsOptions: options } } }), cluster: other }, SECURITY_RULES);
    assert.deepEqual(findings, []);
  });

  it('ask for the objects once the definition is there', async () => {
    const { findings, notEvaluated } = await judgeSample({ yaml: podOf(gmsa), cluster: definition }, SECURITY_RULES);
    assert.deepEqual(findings, []);
    assert.ok(notEvaluated.some(({ rule }) => rule === 'gmsa-credential-spec-missing'));
  });

  it('report what an access review denies', async () => {
    const yaml = podOf({ ...gmsa, metadata: { namespace: 'shop' } });
    const asked: string[] = [];
    const facts: CheckFacts = { ...await factsOfSample({ yaml }), credentialSpecAccess: { mayUse: (...question) => { asked.push(question.join(' ')); return false; } } };
    const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
    for (const object of await objectsOf(yaml)) judgeObject(object, subjectsOf(object, facts), ruleSetOf(SECURITY_RULES), facts, outcome);
    assert.deepEqual(asked, ['shop default webapp1']);
    assert.deepEqual(outcome.findings.map(({ message }) => message), ['service account default may not use GMSACredentialSpec webapp1']);
  });

  const hostnames: readonly { readonly name: string; readonly kind: string; readonly replicas?: number; readonly hostname: string; readonly expected: readonly string[] }[] = [
    { name: 'a fixed name of one pod is advice', kind: 'Deployment', replicas: 1, hostname: 'web', expected: ['info'] },
    { name: 'a fixed name of several pods is a warning', kind: 'Deployment', replicas: 2, hostname: 'web', expected: ['warning'] },
    { name: 'a DaemonSet has several pods', kind: 'DaemonSet', hostname: 'web', expected: ['warning'] },
    { name: 'a StatefulSet names each of its pods', kind: 'StatefulSet', replicas: 3, hostname: 'web', expected: ['info'] },
    { name: 'an empty name is none', kind: 'Deployment', hostname: '', expected: [] },
  ];
  it('host names: 15 characters fit a computer name, 16 do not', async () => {
    const messageOf = async (hostname: string): Promise<string> => (await findingsOf({ ...gmsa, spec: { ...gmsa.spec, hostname } })).map(({ message }) => message).join();
    assert.doesNotMatch(await messageOf('a'.repeat(15)), /NetBIOS/);
    assert.match(await messageOf('a'.repeat(16)), /16 characters are more than the 15 of a computer name in NetBIOS/);
  });

  for (const { name, kind, replicas, hostname, expected } of hostnames) {
    it(`host names: ${name}`, async () => {
      const pod = JSON.parse(podOf({ ...gmsa, spec: { ...gmsa.spec, hostname } })) as { readonly spec: unknown };
      const yaml = JSON.stringify({ apiVersion: 'apps/v1', kind, metadata: { name: 'x' }, spec: { replicas, template: { spec: pod.spec } } });
      const { findings } = await judgeSample({ yaml }, SECURITY_RULES);
      assert.deepEqual(findings.map(({ severity }) => severity), expected);
    });
  }
});
