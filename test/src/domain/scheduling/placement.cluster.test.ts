/** kube-scheduler as the oracle: generated pods on generated nodes, each pair tried for real and compared with our answer. */
import assert from 'node:assert/strict';
import { factTable } from '../../../../src/domain/kubernetes/fact-table.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { arrayAt, isRecord, nameOf, stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { placeWorkload, type Obstacle } from '../../../../src/domain/scheduling/placement.ts';
import { workloadsOf } from '../../../../src/domain/workload/workload.ts';
import { ApiError, forEachBounded } from '../../../cluster/api-client.ts';
import { eventually } from '../../../cluster/start.ts';
import { useCluster } from '../../../cluster/use-cluster.ts';
import { seededRandom, testSeed, type Random } from '../../../support/random.ts';

const NODE_SHAPES = 7;
const POD_SHAPES = 200;
const NAMESPACE = 'placement';
/** Stands for the node's own name in a pod shape. */
const SELF = 'self';

type Fields = Record<string, unknown>;

interface Pair {
  readonly node: KubeObject;
  readonly pod: KubeObject;
}

const RUNTIME_CLASSES: readonly KubeObject[] = [
  { metadata: { name: 'plain' }, handler: 'h' },
  { metadata: { name: 'windows' }, handler: 'h', scheduling: { nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ key: 'os', operator: 'Equal', value: 'windows', effect: 'NoSchedule' }] } },
  { metadata: { name: 'fast' }, handler: 'h', overhead: { podFixed: { cpu: '250m', memory: '64Mi' } }, scheduling: { nodeSelector: { disk: 'ssd' } } },
].map((one) => ({ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', ...one }));

describe('placement against kube-scheduler', function () {
  this.timeout(180_000);
  // Without controllers and kwok nobody but the test changes a node.
  const cluster = useCluster({ with: ['scheduler'] });
  const seed = testSeed();

  it(`agrees on every pair of pod and node (seed ${seed})`, async () => {
    const started = Date.now();
    const { api } = cluster();
    const pairs = generatePairs(seededRandom(seed));
    await cluster().deleteNodes();
    await cluster().createNamespace(NAMESPACE);
    for (const runtimeClass of RUNTIME_CLASSES) await api.create('/apis/node.k8s.io/v1/runtimeclasses', runtimeClass);
    const loaded = await cluster().loadNodes(pairs.map(({ node }) => node));
    // Nodes reach the scheduler in the order of their making: once it has used the last, it knows all.
    await cluster().loadNodes([{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'last' }, status: { allocatable: { pods: '1' } } }]);
    await api.create(`/api/v1/namespaces/${NAMESPACE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'last' }, spec: pinned({ containers: [{ name: 'c', image: 'i' }] }, 'last') });
    await eventually('the scheduler to use the last node', 60, async () => stringAt(await api.get(`/api/v1/namespaces/${NAMESPACE}/pods/last`), 'spec', 'nodeName'));

    const refused = new Map<string, string>();
    await forEachBounded(pairs, 32, async ({ node, pod }) => {
      const spec = pinned(pod['spec'] as Fields, nameOf(node)); // generated as a map
      await api.create(`/api/v1/namespaces/${NAMESPACE}/pods`, { ...pod, metadata: { name: nameOf(pod) }, spec }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        refused.set(nameOf(pod), error.message);
      });
    });

    const decided = (pod: KubeObject): boolean => stringAt(pod, 'spec', 'nodeName') !== undefined || conditionReason(pod) !== null;
    const pods = await eventually('the scheduler to decide on every pod', 120, async () => {
      const items = await listPods(api);
      return items.every(decided) ? items : undefined;
    });
    const boundTo = new Map(pods.map((pod) => [nameOf(pod), stringAt(pod, 'spec', 'nodeName') ?? null]));
    const reasons = new Map(pods.map((pod) => [nameOf(pod), conditionReason(pod)]));

    const nodes = loaded.map((node) => describeNode(node, { asOf: new Date('2026-11-30T00:00:00Z'), serverVersion: 'v1.37.2' }));
    const table = factTable(new Map(nodes.map((node) => [node.name, node])), true);
    const runtimeClasses = factTable(new Map(RUNTIME_CLASSES.map((one) => [nameOf(one), one])), true);
    const differences: string[] = [];
    let explained = 0;
    const counts = { fits: 0, unschedulable: 0, gated: 0, refused: 0 };
    for (const { node, pod } of pairs) {
      const [workload] = workloadsOf(pod);
      assert.ok(workload);
      const placement = placeWorkload(workload, table, runtimeClasses);
      const obstacles = placement.nodes.find((one) => one.node.name === nameOf(node))?.obstacles ?? [];
      const ours = obstacles.some(({ text }) => text.includes('the API server refuses')) ? 'refused' : obstacles.some(({ kind }) => kind === 'scheduling-gate') ? 'gated' : obstacles.length > 0 ? 'unschedulable' : 'fits';
      const reason = reasons.get(nameOf(pod)) ?? null;
      const theirs = refused.has(nameOf(pod)) ? 'refused' : boundTo.get(nameOf(pod)) === nameOf(node) ? 'fits' : reason === 'SchedulingGated' ? 'gated' : 'unschedulable';
      counts[theirs] += 1;
      assert.equal(placement.candidates.some(({ name }) => name === nameOf(node)), obstacles.length === 0, 'candidates and obstacles tell the same');
      const why = messageOf(pods, pod);
      const unexplained = theirs === 'unschedulable' ? reasonsIn(why).filter((kinds) => !obstacles.some(({ kind }) => kinds.includes(kind))) : [];
      if (theirs === 'unschedulable' && reasonsIn(why).length > 0) explained += 1;
      if (ours !== theirs || unexplained.length > 0) differences.push(`${nameOf(pod)}: ours ${ours} (${obstacles.map(({ text }) => text).join('; ')}), theirs ${theirs} (${refused.get(nameOf(pod)) ?? why})\n${JSON.stringify(pod['spec'])}\n${JSON.stringify({ ...node, metadata: { labels: node.metadata?.['labels'] } })}`);
    }
    process.stdout.write(`      ${pairs.length} pairs: ${counts.fits} fit, ${counts.unschedulable} do not (${explained} with a reason that was compared), ${counts.gated} gated, ${counts.refused} refused by the API server; ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
    assert.equal(differences.length, 0, `${differences.length} of ${pairs.length} pairs differ; the first:\n${differences.slice(0, 5).join('\n')}`);
    assert.ok(pairs.length >= 1000 && counts.fits > pairs.length / 10 && counts.unschedulable > pairs.length / 5 && counts.refused > 0 && counts.gated > 0, 'every answer occurs');
    await api.delete(`/api/v1/namespaces/${NAMESPACE}/pods?gracePeriodSeconds=0`);
    await cluster().deleteNodes();
  });
});

async function listPods(api: { get(path: string): Promise<KubeObject> }): Promise<readonly KubeObject[]> {
  return arrayAt(await api.get(`/api/v1/namespaces/${NAMESPACE}/pods`), 'items').filter(isRecord);
}

function scheduledCondition(pod: KubeObject): unknown {
  return arrayAt(pod, 'status', 'conditions').find((condition) => stringAt(condition, 'type') === 'PodScheduled');
}

function conditionReason(pod: KubeObject): string | null {
  return stringAt(scheduledCondition(pod), 'reason') ?? null;
}

function messageOf(pods: readonly KubeObject[], pod: KubeObject): string {
  const found = pods.find((one) => nameOf(one) === nameOf(pod));
  return found === undefined ? 'gone' : stringAt(scheduledCondition(found), 'message') ?? 'bound';
}

/** What the scheduler says of a node, with the kinds of obstacle that we call it. */
const REASONS: readonly (readonly [text: string, kinds: readonly Obstacle['kind'][]])[] = [
  ['1 node(s) were unschedulable', ['unschedulable']],
  ['1 node(s) had untolerated taint', ['taint']],
  ["1 node(s) didn't match Pod's node affinity/selector", ['node-selector', 'node-affinity', 'runtime-class']],
  ['1 Insufficient', ['resources']],
  ['1 Too many pods', ['pod-count']],
];

/** The first obstacle of its one node, as the scheduler gives it. Where the pin did not narrow the search, 1401 others are counted too. */
function reasonsIn(message: string): readonly (readonly Obstacle['kind'][])[] {
  return REASONS.flatMap(([text, kinds]) => (message.includes(`available: ${text}`) || message.includes(`, ${text}`) ? [kinds] : []));
}

/** The spec with metadata.name ANDed into every term of its required affinity. An empty term matches nothing and stays empty. */
function pinned(spec: Fields, node: string): Fields {
  const pin = { key: 'metadata.name', operator: 'In', values: [node] };
  const affinity = isRecord(spec['affinity']) ? spec['affinity'] : {};
  const required = arrayAt(affinity, 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const terms = required.length === 0 ? [{ matchFields: [pin] }] : required.map((term) => (isRecord(term) && Object.keys(term).length > 0 ? { ...term, matchFields: [...arrayAt(term, 'matchFields'), pin] } : term));
  return { ...spec, affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } };
}

/** Every pod shape with every node shape, each pair on a node of its own, so that no pod takes another's room. */
function generatePairs(random: Random): readonly Pair[] {
  const nodes = Array.from({ length: NODE_SHAPES }, (_, index) => nodeShape(random, index));
  return Array.from({ length: POD_SHAPES }, (_pod, podIndex) => {
    const spec = podShape(random);
    return nodes.map((shape, nodeIndex): Pair => {
      const name = `n${nodeIndex}-p${podIndex}`;
      const labels = { ...shape.labels, 'kubernetes.io/hostname': name };
      return {
        node: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: shape.spec, status: shape.status },
        pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${podIndex}-n${nodeIndex}` }, spec: JSON.parse(JSON.stringify(spec).replaceAll(`"${SELF}"`, `"${name}"`)) as Fields },
      };
    });
  }).flat();
}

function some<Item>(random: Random, items: readonly Item[], percent: number): readonly Item[] {
  return items.filter(() => random.chance(percent));
}

/** The first shapes are plain, so that many pairs fit. */
function nodeShape(random: Random, index: number): { labels: Fields; spec: Fields; status: Fields } {
  const isPlain = index < 3;
  const labels: Fields = { 'kubernetes.io/os': random.pick(['windows', 'windows', 'linux']) };
  if (labels['kubernetes.io/os'] === 'windows') labels['node.kubernetes.io/windows-build'] = random.pick(['10.0.17763', '10.0.20348', '10.0.26100']);
  if (isPlain || random.chance(70)) labels['disk'] = random.pick(['ssd', 'ssd', 'hdd', '']);
  if (isPlain || random.chance(60)) labels['tier'] = random.pick(['1', '5', '10', '007', 'high', '9223372036854775808']);
  if (random.chance(30)) labels['gpu'] = '';
  const taints = some(random, [
    { key: 'os', value: 'windows', effect: 'NoSchedule' }, { key: 'os', value: 'Windows', effect: 'NoExecute' }, { key: 'dedicated', value: 'web', effect: 'PreferNoSchedule' },
    { key: 'dedicated', effect: 'NoSchedule' }, { key: 'dedicated', value: 'db', effect: 'NoExecute' }, { key: 'node.kubernetes.io/not-ready', effect: random.pick(['NoExecute', 'NoSchedule']) },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }, { key: 'os', value: 'windows', effect: 'PreferNoSchedule' },
  ], isPlain ? 0 : 9);
  const allocatable: Fields = { cpu: random.pick(['2', '4', '1900m', '0.5']), memory: random.pick(['4Gi', '8388608Ki', '1G', '512Mi']), pods: isPlain ? '110' : random.pick(['110', '30', '1', '0']) };
  if (random.chance(75)) allocatable['ephemeral-storage'] = random.pick(['20Gi', '0', '127Gi']);
  if (random.chance(40)) allocatable['example.com/gpu'] = random.pick(['0', '1', '4']);
  if (random.chance(40)) allocatable['hugepages-2Mi'] = random.pick(['0', '64Mi']);
  return { labels, spec: { taints, ...(isPlain || random.chance(80) ? {} : { unschedulable: true }) }, status: { allocatable, capacity: allocatable } };
}

function podShape(random: Random): Fields {
  const spec: Fields = { terminationGracePeriodSeconds: 0 };
  if (random.chance(25)) {
    const entries = some(random, [['kubernetes.io/os', random.pick(['windows', 'linux'])], ['disk', random.pick(['ssd', 'hdd', ''])], ['tier', random.pick(['1', '5'])], ['kubernetes.io/hostname', random.pick([SELF, 'other'])]] as const, 30);
    spec['nodeSelector'] = Object.fromEntries(entries);
  }
  if (random.chance(40)) spec['affinity'] = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: Array.from({ length: 1 + random.below(3) }, () => termShape(random)) } } };
  const tolerations = Array.from({ length: random.chance(60) ? 1 + random.below(4) : 0 }, () => tolerationShape(random));
  if (random.chance(8)) tolerations.push({ operator: 'Exists' });
  spec['tolerations'] = tolerations;
  if (random.chance(14)) spec['runtimeClassName'] = random.pick(['plain', 'windows', 'fast', 'fast', 'absent']);
  if (random.chance(4)) spec['schedulingGates'] = [{ name: 'example.com/wait' }];
  if (random.chance(10)) podLevelShape(random, spec);
  else {
    spec['containers'] = Array.from({ length: 1 + random.below(2) }, (_, index) => ({ name: `c${index}`, image: 'i', ...(random.chance(45) ? { resources: resourcesShape(random) } : {}) }));
    if (random.chance(25)) spec['initContainers'] = Array.from({ length: 1 + random.below(3) }, (_, index) => ({ name: `i${index}`, image: 'i', ...(random.chance(45) ? { restartPolicy: 'Always' } : {}), resources: resourcesShape(random) }));
  }
  return spec;
}

/** spec.resources, which must not be below what the containers ask for. */
function podLevelShape(random: Random, spec: Fields): void {
  const own = random.chance(50) ? { resources: { requests: { cpu: '100m', memory: '64Mi' } } } : {};
  spec['containers'] = [{ name: 'c0', image: 'i', ...own }];
  const amounts = { cpu: random.pick(['1', '3', '8']), memory: random.pick(['256Mi', '2Gi', '16Gi']) };
  spec['resources'] = random.chance(50) ? { limits: amounts } : { requests: amounts };
}

function resourcesShape(random: Random): Fields {
  const requests: Fields = {};
  const limits: Fields = {};
  if (random.chance(60)) (random.chance(70) ? requests : limits)['cpu'] = random.pick(['0', '100m', '250m', '0.5', '0.5', '1', '1.1', '2', '1e1']);
  if (random.chance(60)) (random.chance(70) ? requests : limits)['memory'] = random.pick(['1', '100Mi', '300M', '512Mi', '0.5Gi', '1Gi', '1.5Gi', '5e9', '1000000Ki']);
  if (random.chance(20)) requests['ephemeral-storage'] = random.pick(['1Gi', '20Gi', '30G']);
  if (random.chance(8)) limits['example.com/gpu'] = random.pick(['0', '1', '2']);
  if (random.chance(6)) {
    limits['hugepages-2Mi'] = random.pick(['32Mi', '64Mi', '66Mi']);
    requests['memory'] = '64Mi';
    delete limits['memory'];
  }
  return { requests, limits };
}

function termShape(random: Random): Fields {
  if (random.chance(6)) return {};
  const term: Fields = {};
  if (random.chance(85)) term['matchExpressions'] = Array.from({ length: 1 + random.below(2) }, () => expressionShape(random));
  if (term['matchExpressions'] === undefined || random.chance(20)) term['matchFields'] = [{ key: 'metadata.name', operator: random.pick(['In', 'In', 'NotIn']), values: [random.pick([SELF, SELF, 'other'])] }];
  return term;
}

function expressionShape(random: Random): Fields {
  const key = random.pick(['kubernetes.io/os', 'disk', 'tier', 'tier', 'gpu', 'node.kubernetes.io/windows-build', 'absent']);
  const operator = key === 'tier' && random.chance(60) ? random.pick(['Gt', 'Lt']) : random.pick(['In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
  if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator };
  // A bound that is no number is taken by the API server; the scheduler then leaves the term out.
  if (operator === 'Gt' || operator === 'Lt') return { key, operator, values: [random.pick(['0', '1', '5', '6', '007', 'many', '9223372036854775807'])] };
  return { key, operator, values: some(random, ['windows', 'linux', 'ssd', 'hdd', '', '1', '10.0.20348', '10.0.17763'], 40).concat(random.pick(['ssd', 'windows'])) };
}

function tolerationShape(random: Random): Fields {
  const key = random.pick(['os', 'os', 'dedicated', 'dedicated', 'node.kubernetes.io/unschedulable', 'node.kubernetes.io/not-ready', 'other']);
  const effect = random.pick(['', 'NoSchedule', 'NoSchedule', 'NoExecute', 'PreferNoSchedule']);
  const rest = random.chance(45) ? { operator: 'Exists' } : { ...(random.chance(50) ? { operator: 'Equal' } : {}), value: random.pick(['windows', 'Windows', 'web', 'db', '']) };
  return { key, ...rest, ...(effect === '' ? {} : { effect }) };
}
