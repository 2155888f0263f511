import assert from 'node:assert/strict';
import { itJudges, judgeCase, windowsNode, windowsPod, type RuleCase } from '../../../../support/rule-case.ts';

const IIS = 'mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022';
const withResources = (resources: unknown, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => windowsPod({}, { resources, ...more });
const limit = 'spec.containers[0].resources.limits.memory';
const request = 'spec.containers[0].resources.requests.memory';

const cases: readonly RuleCase[] = [
  { name: 'none of them is none', rule: 'huge-pages', object: withResources({ limits: { 'hugepages-2Mi': '0', memory: '1Gi' }, requests: null }), paths: [] },
  { name: 'init containers ask too', rule: 'huge-pages', object: windowsPod({ initContainers: [{ name: 'i', resources: { requests: { 'hugepages-1Gi': '1Gi' } } }] }), paths: ['spec.initContainers[0].resources.requests.hugepages-1Gi'] },

  { name: 'even empty with os.name windows', rule: 'pod-level-resources', object: windowsPod({ resources: {} }), paths: ['spec.resources'] },
  { name: 'null is unset', rule: 'pod-level-resources', object: windowsPod({ resources: null }), paths: [] },
  { name: 'without os.name the kubelet refuses amounts', rule: 'pod-level-resources', object: windowsPod({ os: null, resources: { requests: { cpu: '1' } } }), paths: ['spec.resources'] },
  { name: 'without os.name nothing looks at an empty one', rule: 'pod-level-resources', object: windowsPod({ os: null, resources: { requests: {} } }), paths: [] },
  { name: 'servers before 1.34 drop it', rule: 'pod-level-resources', object: windowsPod({ resources: { limits: { memory: '1Gi' } } }), kubernetesVersion: '1.33', paths: [] },

  { name: 'a limit alone is the request as well', rule: 'memory-not-reserved', object: withResources({ limits: { memory: '1Gi' } }), paths: [] },
  { name: 'equal in other units', rule: 'memory-not-reserved', object: withResources({ limits: { memory: '1Gi' }, requests: { memory: '1024Mi' } }), paths: [] },
  { name: 'a request below the limit', rule: 'memory-not-reserved', object: withResources({ limits: { memory: '1Gi' }, requests: { memory: '512Mi' } }), paths: [request] },
  { name: 'numbers are bytes', rule: 'memory-not-reserved', object: withResources({ limits: { memory: 2000 }, requests: { memory: 1000 } }), paths: [request] },
  { name: 'nothing at all', rule: 'memory-not-reserved', object: windowsPod(), paths: [limit] },
  { name: 'null is nothing', rule: 'memory-not-reserved', object: withResources({ limits: { memory: null } }), paths: [limit] },
  { name: 'texts that are no quantities are another matter', rule: 'memory-not-reserved', object: withResources({ limits: { memory: 'much' }, requests: { memory: '1Gi' } }), paths: [] },
  { name: 'init containers end before the others start', rule: 'memory-not-reserved', object: windowsPod({ initContainers: [{ name: 'i' }] }, { resources: { limits: { memory: '1Gi' } } }), paths: [] },
  { name: 'sidecars do not', rule: 'memory-not-reserved', object: windowsPod({ initContainers: [{ name: 's', restartPolicy: 'Always' }] }, { resources: { limits: { memory: '1Gi' } } }), paths: ['spec.initContainers[0].resources.limits.memory'] },
  { name: 'two containers without a limit are one finding', rule: 'memory-not-reserved', object: windowsPod({ containers: [{ name: 'a' }, { name: 'b' }] }), paths: [limit] },
  { name: 'a Linux pod has its killer', rule: 'memory-not-reserved', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { nodeSelector: { 'kubernetes.io/os': 'linux' }, containers: [{ name: 'x' }] } }, paths: [] },

  { name: 'a quarter of a core for IIS', rule: 'cpu-limit-slows-start', object: withResources({ limits: { cpu: 0.25 } }, { image: IIS }), paths: ['spec.containers[0].resources.limits.cpu'] },
  { name: 'a thousand thousandths', rule: 'cpu-limit-slows-start', object: withResources({ limits: { cpu: '1000m' } }, { image: IIS }), paths: [] },
  { name: '.NET of the own registry', rule: 'cpu-limit-slows-start', object: withResources({ limits: { cpu: '500m' } }, { image: 'registry.example.com:5000/dotnet/aspnet:9.0' }), paths: ['spec.containers[0].resources.limits.cpu'] },
  ...['registry.example.com/fluent-bit:2-ltsc2022', 'mcr.microsoft.com/windows/servercore:ltsc2022', 'registry.example.com/kiisu/web:1', null].map((image) => ({ name: `${String(image)} need not be slow`, rule: 'cpu-limit-slows-start', object: withResources({ limits: { cpu: '100m' } }, { image }), paths: [] })),

  { name: 'an empty policy is none', rule: 'resize-policy-ignored', object: windowsPod({}, { resizePolicy: [] }), paths: [] },
  { name: 'the field is newer than 1.26', rule: 'resize-policy-ignored', object: windowsPod({}, { resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }), kubernetesVersion: '1.26', paths: [] },
  { name: 'an empty list of claims is none', rule: 'resource-claims', object: windowsPod({ resourceClaims: [] }), paths: [] },

  { name: 'a limit is the request where there is none', rule: 'memory-request-below-base', object: withResources({ limits: { memory: '128Mi' } }, { image: IIS }), paths: [limit] },
  { name: 'enough', rule: 'memory-request-below-base', object: withResources({ requests: { memory: '300Mi' } }, { image: IIS }), paths: [] },
  { name: 'nothing said', rule: 'memory-request-below-base', object: withResources({}, { image: IIS }), paths: [] },
  ...['mcr.microsoft.com/dotnet/aspnet:9.0-nanoserver-ltsc2022', 'registry.example.com/web:ltsc2022', 'mcr.microsoft.com/windows/nanoserver:ltsc2022'].map((image) => ({ name: `${image} is not known to be Server Core`, rule: 'memory-request-below-base', object: withResources({ requests: { memory: '64Mi' } }, { image }), paths: [] })),
  ...['mcr.microsoft.com/windows/servercore:ltsc2022', 'mcr.microsoft.com/dotnet/framework/aspnet:4.8.1', 'openjdk:21-windowsservercore-ltsc2022', 'mcr.microsoft.com/windows/server:ltsc2022', 'mcr.microsoft.com/windows:1809'].map((image) => ({ name: `${image} is Server Core or more`, rule: 'memory-request-below-base', object: withResources({ requests: { memory: '64Mi' } }, { image }), paths: [request] })),
  { name: 'HostProcess containers have no base of their own', rule: 'memory-request-below-base', object: windowsPod({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }, { image: IIS, resources: { requests: { memory: '64Mi' } } }), paths: [] },

  { name: 'whole thousands of thousandths', rule: 'fractional-bytes', object: withResources({ limits: { memory: '1073741824000m' } }), paths: [] },
  { name: 'Mi, M and fractions of Gi', rule: 'fractional-bytes', object: withResources({ limits: { memory: '0.1Gi' }, requests: { memory: '100M' } }), paths: [] },
  { name: 'thousandths of a core are fine', rule: 'fractional-bytes', object: withResources({ limits: { cpu: '100m' } }), paths: [] },
  { name: 'both amounts are one slip', rule: 'fractional-bytes', object: withResources({ limits: { memory: '800m' }, requests: { memory: '300m', 'ephemeral-storage': '1500m' } }), paths: [limit] },

  { name: 'one node is large enough', rule: 'resources-beyond-nodes', object: withResources({ requests: { memory: '20Gi' } }), cluster: [windowsNode('small'), windowsNode('large', { memory: '60Gi' })], paths: [] },
  { name: 'none is', rule: 'resources-beyond-nodes', object: withResources({ requests: { memory: '80Gi' } }), cluster: [windowsNode('small'), windowsNode('large', { memory: '60Gi' })], paths: [request] },
  { name: 'nodes are not known', rule: 'resources-beyond-nodes', object: withResources({ requests: { memory: '80Gi' } }), paths: [], notEvaluated: ['nodes not known: whether a Windows node is large enough for the pod'] },
  { name: 'a pod that asks for nothing fits anywhere', rule: 'resources-beyond-nodes', object: windowsPod(), paths: [], notEvaluated: [] },
  { name: 'something else rules the nodes out as well', rule: 'resources-beyond-nodes', object: windowsPod({ nodeSelector: { 'kubernetes.io/os': 'windows', pool: 'x' } }, { resources: { requests: { memory: '80Gi' } } }), cluster: [windowsNode('small')], paths: [] },
];

describe('the rules on resources', () => {
  itJudges(cases);

  const effects: readonly { readonly os: unknown; readonly effect: string; readonly isSafe: boolean }[] = [{ os: { name: 'windows' }, effect: 'rejected', isSafe: true }, { os: undefined, effect: 'cannot-run', isSafe: false }];
  for (const { os, effect, isSafe } of effects) {
    it(`pod-level-resources: ${effect} with os ${JSON.stringify(os)}`, async () => {
      const { findings } = await judgeCase({ rule: 'pod-level-resources', object: windowsPod({ os, resources: { limits: { memory: '1Gi' } } }) });
      assert.deepEqual(findings.map((finding) => [finding.severity, finding.effect, finding.fix?.isSafe]), [['error', effect, isSafe]]);
    });
  }

  it('gives the resources of a pod to its only container', async () => {
    const { findings } = await judgeCase({ rule: 'pod-level-resources', object: windowsPod({ resources: { limits: { memory: '1Gi' } } }) });
    assert.deepEqual(findings[0]?.fix?.edits, [{ op: 'set', path: ['spec', 'containers', 0, 'resources'], value: { limits: { memory: '1Gi' } } }, { op: 'remove', path: ['spec', 'resources'] }]);
  });

  it('removes them where it is not clear whose they are', async () => {
    const { findings } = await judgeCase({ rule: 'pod-level-resources', object: windowsPod({ resources: { limits: { memory: '1Gi' } }, containers: [{ name: 'a' }, { name: 'b' }] }) });
    assert.deepEqual(findings[0]?.fix?.edits, [{ op: 'remove', path: ['spec', 'resources'] }]);
    assert.equal(findings[0].fix.isSafe, false);
    const limits = { limits: { memory: '1Gi' } };
    const own = await judgeCase({ rule: 'pod-level-resources', object: windowsPod({ resources: limits, containers: [{ name: 'a', resources: limits }, { name: 'b', resources: limits }] }) });
    assert.equal(own.findings[0]?.fix?.isSafe, true);
  });

  it('raises no request above what the largest node has', async () => {
    const fixOn = async (...memory: readonly string[]): Promise<readonly (string | null)[]> => {
      const { findings } = await judgeCase({
        rule: 'memory-not-reserved', object: withResources({ limits: { memory: '20Gi' }, requests: { memory: '1Gi' } }), cluster: memory.map((one, index) => windowsNode(`w${index}`, { memory: one })),
      });
      return findings.map(({ fix, remedy }) => (fix === null ? remedy : fix.title));
    };
    assert.deepEqual(await fixOn('14Gi', '30Gi'), ['set the memory request to the limit']);
    assert.deepEqual(await fixOn('14Gi', '16Gi'), ['Lower resources.limits.memory first: no Windows node that the pod can land on has more than 16Gi; then set requests.memory to the same value.']);
  });

  it('warns of a missing limit, and advises where the request is below it', async () => {
    const severityOf = async (resources: Readonly<Record<string, unknown>>): Promise<readonly string[]> => (await judgeCase({ rule: 'memory-not-reserved', object: withResources(resources) })).findings.map(({ severity }) => severity);
    assert.deepEqual(await severityOf({ requests: { memory: '1Gi' } }), ['warning']);
    assert.deepEqual(await severityOf({ limits: { memory: '2Gi' }, requests: { memory: '1Gi' } }), ['info']);
  });

  it('takes half a core for advice on Nano Server alone', async () => {
    const severityOf = async (cpu: string, image: string): Promise<readonly string[]> => (await judgeCase({ rule: 'cpu-limit-slows-start', object: withResources({ limits: { cpu } }, { image }) })).findings.map(({ severity }) => severity);
    const ofNano = 'mcr.microsoft.com/dotnet/aspnet:9.0-nanoserver-ltsc2022';
    assert.deepEqual(await severityOf('500m', ofNano), ['info']);
    assert.deepEqual(await severityOf('499m', ofNano), ['warning']);
    assert.deepEqual(await severityOf('500m', IIS), ['warning']);
  });

  it('takes no limit from a request that is a slip', async () => {
    const { findings } = await judgeCase({ rule: 'memory-not-reserved', object: withResources({ requests: { memory: '300m' } }) });
    assert.deepEqual(findings.map(({ fix }) => fix), [null]);
  });

  it('writes fractions with Mi', async () => {
    const { findings } = await judgeCase({ rule: 'fractional-bytes', object: withResources({ limits: { memory: '800m' } }) });
    assert.deepEqual(findings[0]?.fix?.edits, [{ op: 'set', path: ['spec', 'containers', 0, 'resources', 'limits', 'memory'], value: '800Mi' }]);
  });
});
