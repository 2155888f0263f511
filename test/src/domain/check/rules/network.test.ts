import assert from 'node:assert/strict';
import { factsOfSample } from '../../../../support/check-sample.ts';
import { itJudges, judgeCase, windowsNode, windowsPod, type RuleCase } from '../../../../support/rule-case.ts';
import { RULES } from '../../../../../src/domain/check/rules/index.ts';
import { policyEngineOf } from '../../../../../src/domain/check/rules/network/shared-cni.ts';
import type { NotEvaluated, Finding } from '../../../../../src/domain/check/finding.ts';
import { runObjectRules } from '../../../../../src/domain/check/run-rules.ts';

type Fields = Readonly<Record<string, unknown>>;

const hostProcess = { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } };
const labelled = (labels: Fields, spec: Fields = {}): Fields => ({ ...windowsPod(spec), metadata: { name: 'web', labels } });
const service = (spec: Fields): Fields => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ...spec } });
const policy = (podSelector: unknown): Fields => ({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'web' }, spec: { podSelector } });
const daemonSet = (name: string, command: readonly string[] = []): Fields => ({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name, namespace: 'kube-system' }, spec: { template: { spec: { containers: [{ name: 'x', image: 'x', command }] } } } });
const web = labelled({ app: 'web' });
const eksNode = { ...windowsNode('win-0'), metadata: { name: 'win-0', labels: { 'kubernetes.io/os': 'windows', 'eks.amazonaws.com/nodegroup': 'a' } } };
const oldNode = { ...windowsNode('win-0'), status: { nodeInfo: { operatingSystem: 'windows', kernelVersion: '10.0.17763.8389' } } };
const flannel = daemonSet('kube-flannel-ds');
const affinityPath = ['spec.sessionAffinity'];
const ping = (...command: readonly string[]): Fields => windowsPod({}, { livenessProbe: { exec: { command } } });
const probe = ['spec.containers[0].livenessProbe.exec.command'];

const cases: readonly RuleCase[] = [
  { name: 'HostProcess pods have the network of the node', rule: 'host-network-without-host-process', object: windowsPod(hostProcess), paths: [] },
  { name: 'null is unset', rule: 'host-network-without-host-process', object: windowsPod({ hostNetwork: null }), paths: [] },
  { name: 'text is no boolean', rule: 'host-network-without-host-process', object: windowsPod({ hostNetwork: 'true' }), paths: [] },
  { name: 'Linux pods have it too', rule: 'host-network-without-host-process', object: windowsPod({ os: { name: 'linux' }, nodeSelector: null, hostNetwork: true }), paths: [] },
  { name: 'contradictory pods are told of that first', rule: 'host-network-without-host-process', object: windowsPod({ nodeSelector: { 'kubernetes.io/os': 'linux' }, hostNetwork: true }), paths: [] },
  { name: 'of HostProcess pods it is the resolver of the host', rule: 'dns-policy-host-net', object: windowsPod({ ...hostProcess, dnsPolicy: 'ClusterFirstWithHostNet' }), paths: [] },
  { name: 'an empty list of options', rule: 'dns-options-ignored', object: windowsPod({ dnsConfig: { options: [] } }), paths: [] },
  { name: 'options that are no objects', rule: 'dns-options-ignored', object: windowsPod({ dnsConfig: { options: ['ndots'] } }), paths: ['spec.dnsConfig.options'] },
  { name: 'hostPort 0 is none', rule: 'host-port-on-windows', object: windowsPod({}, { ports: [{ containerPort: 80, hostPort: 0 }] }), paths: [] },
  { name: 'HostProcess pods own the ports', rule: 'host-port-on-windows', object: windowsPod(hostProcess, { ports: [{ containerPort: 80, hostPort: 80 }] }), paths: [] },
  { name: 'one finding for all ports', rule: 'host-port-on-windows', object: windowsPod({}, { ports: [{ containerPort: 80, hostPort: 80 }, { containerPort: 81, hostPort: 81 }] }), paths: ['spec.containers[0].ports[0].hostPort'] },
  { name: 'TCP', rule: 'sctp-port', object: windowsPod({}, { ports: [{ containerPort: 80, protocol: 'TCP' }, { containerPort: 81 }] }), paths: [] },

  ...['localhost', '127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '::1', 'db', 'db.shop.svc.cluster.local', 'db.shop.svc', '%DB%', '$env:DB', '100.64.0.1'].map((target) => ({ name: `${target} is not outside`, rule: 'ping-to-outside', object: ping('ping', '-n', '1', target), paths: [] })),
  ...['8.8.8.8', 'www.example.com', '172.32.0.1'].map((target) => ({ name: `${target} is outside`, rule: 'ping-to-outside', object: ping('ping', '-n', '1', target), paths: probe })),
  { name: 'in a command line of cmd', rule: 'ping-to-outside', object: ping('cmd', '/c', 'C:\\Windows\\System32\\ping.exe -n 1 8.8.8.8 > nul'), paths: probe },
  { name: 'another word that holds it', rule: 'ping-to-outside', object: ping('mapping', 'www.example.com'), paths: [] },
  { name: 'a command that is no list', rule: 'ping-to-outside', object: windowsPod({}, { command: 'ping 8.8.8.8' }), paths: [] },

  { name: 'false on the pod beats true on the namespace', rule: 'service-mesh-injection', object: labelled({ 'sidecar.istio.io/inject': 'false' }), cluster: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { 'istio-injection': 'enabled' } } }], paths: [] },
  { name: 'a revision on the namespace', rule: 'service-mesh-injection', object: windowsPod(), cluster: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { 'istio.io/rev': '1-29' } } }], paths: ['metadata.labels'] },
  { name: 'disabled on the namespace beats a revision', rule: 'service-mesh-injection', object: windowsPod(), cluster: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { 'istio.io/rev': '1-29', 'istio-injection': 'disabled' } } }], paths: [] },
  { name: 'HostProcess pods are not injected into', rule: 'service-mesh-injection', object: { ...windowsPod(hostProcess), metadata: { name: 'x', labels: { 'sidecar.istio.io/inject': 'true' } } }, paths: [] },

  { name: 'an old node, and a Service that meets its pods', rule: 'session-affinity-old-windows', object: service({ sessionAffinity: 'ClientIP' }), cluster: [web, oldNode], paths: affinityPath },
  { name: 'a Service for other pods', rule: 'session-affinity-old-windows', object: service({ sessionAffinity: 'ClientIP', selector: { app: 'other' } }), cluster: [web, oldNode], paths: [] },
  { name: 'a Service without a selector', rule: 'session-affinity-old-windows', object: service({ sessionAffinity: 'ClientIP', selector: null }), cluster: [web, oldNode], paths: [] },
  { name: 'pods of another namespace', rule: 'session-affinity-old-windows', object: { ...service({ sessionAffinity: 'ClientIP' }), metadata: { name: 'web', namespace: 'shop' } }, cluster: [web, oldNode], paths: [] },
  { name: 'Windows pods and no nodes', rule: 'session-affinity-old-windows', object: service({ sessionAffinity: 'ClientIP' }), cluster: [web], paths: [], notEvaluated: ['nodes not known: whether the pods of the Service land on nodes older than Windows Server 2022'] },
  { name: 'nothing about DSR', rule: 'local-traffic-policy-without-dsr', object: service({ externalTrafficPolicy: 'Local' }), cluster: [web, windowsNode('win-0')], paths: [], notEvaluated: ['DaemonSets not known: whether kube-proxy on the Windows nodes runs with DSR'] },
  { name: 'a kube-proxy with DSR', rule: 'local-traffic-policy-without-dsr', object: service({ externalTrafficPolicy: 'Local' }), cluster: [web, windowsNode('win-0'), daemonSet('kube-proxy-windows', ['kube-proxy.exe', '--enable-dsr'])], paths: [] },
  { name: 'Linux pods only', rule: 'local-traffic-policy-without-dsr', object: service({ externalTrafficPolicy: 'Local' }), cluster: [labelled({ app: 'web' }, { os: null, nodeSelector: { 'kubernetes.io/os': 'linux' } }), windowsNode('win-0')], paths: [] },
  { name: 'dual stack that falls back', rule: 'ipv6-for-windows-pods', object: service({ ipFamilyPolicy: 'PreferDualStack' }), cluster: [web, eksNode], paths: [] },
  { name: 'dual stack that is required', rule: 'ipv6-for-windows-pods', object: service({ ipFamilyPolicy: 'RequireDualStack' }), cluster: [web, eksNode], paths: ['spec.ipFamilyPolicy'] },

  { name: 'an empty selector selects all of the namespace', rule: 'network-policy-not-enforced', object: policy({}), cluster: [web, flannel], paths: ['spec.podSelector'] },
  { name: 'expressions that leave the pods out', rule: 'network-policy-not-enforced', object: policy({ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }), cluster: [web, flannel], paths: [] },
  { name: 'expressions that take them in', rule: 'network-policy-not-enforced', object: policy({ matchExpressions: [{ key: 'app', operator: 'Exists' }, { key: 'tier', operator: 'DoesNotExist' }] }), cluster: [web, flannel], paths: ['spec.podSelector'] },
  { name: 'policies do not hold for HostProcess pods anywhere', rule: 'network-policy-not-enforced', object: policy({}), cluster: [labelled({ app: 'web' }, hostProcess), flannel], paths: [] },
  { name: 'an unknown plugin', rule: 'network-policy-not-enforced', object: policy({}), cluster: [web, daemonSet('own-cni')], paths: [], notEvaluated: ['DaemonSets not known: whether the network plugin enforces the policy on Windows nodes'] },
  { name: 'Linux pods only', rule: 'network-policy-not-enforced', object: policy({}), cluster: [labelled({}, { os: null, nodeSelector: { 'kubernetes.io/os': 'linux' } }), flannel], paths: [] },
];

describe('the rules on the network', () => {
  itJudges(cases);

  it('ask for the workloads only where a selector and the field are there', async () => {
    const facts = await factsOfSample({ yaml: JSON.stringify(windowsPod()) });
    const rules = RULES.filter((rule) => rule.scope === 'object');
    const asked = (object: Fields): readonly string[] => {
      const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
      runObjectRules(rules, object, facts, outcome);
      return outcome.notEvaluated.map(({ rule }) => rule);
    };
    assert.deepEqual(asked(service({})), []);
    assert.deepEqual(asked(service({ selector: {}, sessionAffinity: 'ClientIP', externalTrafficPolicy: 'Local', ipFamilies: ['IPv6'] })), []);
    assert.deepEqual(asked(service({ type: 'ExternalName', sessionAffinity: 'ClientIP' })), []);
    assert.deepEqual(asked(service({ sessionAffinity: 'ClientIP', externalTrafficPolicy: 'Local', ipFamilies: ['IPv6'] })).toSorted(), ['ipv6-for-windows-pods', 'local-traffic-policy-without-dsr', 'session-affinity-old-windows']);
  });

  it('count the endpoints of all workloads of a Service that has Windows pods', async () => {
    const of = (name: string, replicas: number): Fields => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec: { replicas, template: { metadata: { labels: { app: 'web' } }, spec: windowsPod()['spec'] } } });
    assert.deepEqual((await judgeCase({ rule: 'too-many-endpoints', object: service({}), cluster: [of('a', 600), of('b', 424)] })).paths, []);
    assert.deepEqual((await judgeCase({ rule: 'too-many-endpoints', object: service({}), cluster: [of('a', 600), of('b', 425)] })).paths, ['spec.selector']);
  });

  const engines: readonly { readonly daemonSets: readonly string[]; readonly isEnforced: boolean | null | undefined }[] = [
    { daemonSets: ['aws-node', 'calico-node-windows'], isEnforced: true },
    { daemonSets: ['aws-node'], isEnforced: false },
    { daemonSets: ['antrea-agent', 'antrea-agent-windows'], isEnforced: true },
    { daemonSets: ['azure-npm', 'azure-npm-win'], isEnforced: false },
    { daemonSets: ['calico-node'], isEnforced: null },
    { daemonSets: ['kube-flannel-ds-windows-amd64'], isEnforced: false },
    { daemonSets: ['metrics'], isEnforced: undefined },
  ];
  for (const { daemonSets, isEnforced } of engines) {
    it(`take ${daemonSets.join(' and ')} for a plugin that ${isEnforced === true ? 'enforces' : isEnforced === false ? 'does not enforce' : 'may enforce'} policies on Windows`, async () => {
      const facts = await factsOfSample({ yaml: JSON.stringify(web), cluster: daemonSets.map((name) => JSON.stringify(daemonSet(name))).join('\n---\n') });
      assert.equal(policyEngineOf(facts)?.isEnforced, isEnforced);
    });
  }

  it('take Azure NPM on Windows as supported until 30 September 2026', async () => {
    const facts = await factsOfSample({ yaml: JSON.stringify(web), cluster: JSON.stringify(daemonSet('azure-npm-win')) });
    assert.equal(policyEngineOf({ ...facts, asOf: new Date('2026-09-29T12:00:00Z') })?.isEnforced, true);
    assert.equal(policyEngineOf({ ...facts, asOf: new Date('2026-09-30T00:00:00Z') })?.isEnforced, false);
    const { findings } = await judgeCase({ rule: 'network-policy-not-enforced', object: policy({}), cluster: [web, daemonSet('azure-npm-win')] });
    assert.deepEqual(findings.map(({ effect }) => effect), ['may-fail']);
    assert.match(findings[0]?.message ?? '', /no support on Windows nodes since 2026-09-30/);
  });
});
