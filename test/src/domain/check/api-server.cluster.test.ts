/**
 * The API server as oracle: what it refuses because of the OS, and where, must be what check reports as rejected, in both
 * directions. Every field of a PodSpec, as the server's own OpenAPI document lists them, is set one at a time.
 */
import assert from 'node:assert/strict';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { arrayAt, isRecord, stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { factsOfObjects } from '../../../../src/domain/check/facts-of-objects.ts';
import type { CheckFacts } from '../../../../src/domain/check/facts.ts';
import type { Finding, NotEvaluated } from '../../../../src/domain/check/finding.ts';
import { judgeObject, ruleSetOf, subjectsOf } from '../../../../src/domain/check/judge-object.ts';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { problemsOfRunAsUserName } from '../../../../src/domain/windows/run-as-user-name.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { forEachBounded } from '../../../cluster/api-client.ts';
import type { TestCluster } from '../../../cluster/start.ts';
import { useCluster } from '../../../cluster/use-cluster.ts';
import { seededRandom, testSeed, type Random } from '../../../support/random.ts';

type Json = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];
type OsName = 'windows' | 'linux' | null;

const SYSTEMS: readonly OsName[] = ['windows', 'linux', null];
const IN_FLIGHT = 24;
const PODS = '/api/v1/namespaces/default/pods';
/** What every creation with ephemeral containers is told, beside what is wrong with them. */
const NOT_ON_CREATE = 'spec.ephemeralContainers';

interface Refusal {
  readonly field: string;
  readonly message: string;
}

/** A field, the value it gets, and the object around it. */
interface Case {
  readonly path: Path;
  readonly value: unknown;
}

const rules = ruleSetOf(RULES);
const facts: CheckFacts = factsOfObjects([], { kubernetesVersion: 'v1.37.2', asOf: new Date('2026-11-30T00:00:00Z'), images: TAG_PLATFORMS, completeness: () => 'none' });

function findingsOf(object: KubeObject): readonly Finding[] {
  const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
  judgeObject(object, subjectsOf(object, facts), rules, facts, outcome);
  return outcome.findings;
}

/** Fields that check reports as refused: the finding's own, and the others that its fix removes for the same reason. */
function rejectedFields(object: KubeObject): ReadonlySet<string> {
  return new Set(findingsOf(object).filter(({ effect }) => effect === 'rejected').flatMap(({ path, fix }) => {
    const removed = fix !== null && fix.edits.every(({ op }) => op === 'remove') ? fix.edits.map((edit) => formatFieldPath(edit.path)) : [];
    return removed.includes(formatFieldPath(path)) ? removed : [formatFieldPath(path)];
  }));
}

/** What a server refuses on a dry run; null when it cannot read the object or an admission plugin refuses it before. */
async function refusalsOf(cluster: TestCluster, object: KubeObject, at: string = PODS, method = 'POST'): Promise<readonly Refusal[] | null> {
  const { status, text } = await cluster.api.send(method, `${at}?dryRun=All`, object);
  if (status < 300) return [];
  const answer = JSON.parse(text) as Json;
  if (status !== 422) {
    assert.ok(status === 400 || status === 403, `${status} ${text} for ${JSON.stringify(object)}`);
    return null;
  }
  return arrayAt(answer, 'details', 'causes').map((cause) => ({ field: stringAt(cause, 'field') ?? '', message: stringAt(cause, 'message') ?? '' }));
}

describe('check against a real API server', function () {
  this.timeout(20 * 60_000);
  // These admission plugins refuse pods for objects that this cluster does not have, before anything is validated.
  const cluster = useCluster({ apiServerArgs: ['--disable-admission-plugins=TaintNodesByCondition,RuntimeClass,Priority,ServiceAccount'] });
  const refusals = (object: KubeObject, at?: string, method?: string): Promise<readonly Refusal[] | null> => refusalsOf(cluster(), object, at, method);

  it('agrees on every field of a PodSpec, set one at a time to zero, empty and typical values, for three systems', async () => {
    const document = await cluster().api.get('/openapi/v3/api/v1');
    const cases = casesOfSchema(document, 'io.k8s.api.core.v1.PodSpec');
    assert.ok(cases.length >= 1000, `${cases.length} cases`);
    const differences: string[] = [];
    let asked = 0;
    let unreadable = 0;
    let osRefusals = 0;
    await forEachBounded(cases, IN_FLIGHT, async (one) => {
      const objects = SYSTEMS.map((os) => podWith(one, os));
      const answers = await Promise.all(objects.map((object) => refusals(object)));
      asked += objects.length;
      if (answers.includes(null)) {
        unreadable += 1;
        return;
      }
      const fields = answers.map((answer) => new Set((answer ?? []).map(({ field }) => field)));
      for (const [index, object] of objects.entries()) {
        const server = fields[index] ?? new Set();
        const ours = rejectedFields(object);
        // What is refused whatever the OS is nobody's concern here; nor what only stays unsaid for one OS because a field above is refused.
        const forThisOs = [...server].filter((field) => !fields.every((others) => [...others].some((other) => field === other || field.startsWith(`${other}.`) || field.startsWith(`${other}[`))));
        osRefusals += forThisOs.length;
        for (const field of forThisOs) if (!ours.has(field)) differences.push(`${describeCase(one, SYSTEMS[index] ?? null)}: the server refuses ${field}, check does not say so`);
        for (const field of ours) if (!server.has(field)) differences.push(`${describeCase(one, SYSTEMS[index] ?? null)}: check says that ${field} is refused, the server takes it`);
      }
    });
    process.stdout.write(`      ${cases.length} cases, ${asked} dry runs, ${osRefusals} refusals because of the OS, ${unreadable} cases that it did not come to validate\n`);
    assert.deepEqual(differences.toSorted(), []);
    assert.ok(osRefusals > 100, 'the server refused something because of the OS');
  });

  it('agrees on every combination of hostProcess, hostNetwork and os.name', async () => {
    const option = [undefined, true, false] as const;
    const objects: KubeObject[] = [];
    for (const os of SYSTEMS) {
      for (const pod of option) for (const first of option) for (const second of option) for (const init of [null, ...option]) for (const ephemeral of [null, ...option]) for (const hostNetwork of [undefined, true]) {
        objects.push(hostProcessPod({ os, pod, containers: [first, second], init, ephemeral, hostNetwork }));
      }
    }
    const differences: string[] = [];
    await forEachBounded(objects, IN_FLIGHT, async (object) => {
      const answer = await refusals(object);
      compare(object, new Set((answer ?? []).map(({ field }) => field).filter((field) => field !== NOT_ON_CREATE)), differences);
    });
    process.stdout.write(`      ${objects.length} HostProcess combinations\n`);
    assert.deepEqual(differences.slice(0, 20), []);
  });

  const seed = testSeed();
  it(`agrees on the user names around every limit (KUBECTL_WIN_SEED=${seed})`, async () => {
    const names = userNames(seededRandom(seed));
    const differences: string[] = [];
    await forEachBounded(names, IN_FLIGHT, async (name) => {
      const object = podWith({ path: ['securityContext', 'windowsOptions', 'runAsUserName'], value: name }, 'windows');
      const answer = await refusals(object);
      compare(object, new Set((answer ?? []).map(({ field }) => field)), differences);
      const server = (answer ?? []).map(({ message }) => message.slice(message.indexOf('": runAsUserName') + 3)).toSorted();
      const ours = problemsOfRunAsUserName(name).toSorted();
      if (server.join('\n') !== ours.join('\n')) differences.push(`${JSON.stringify(name)}: ${JSON.stringify(server)} and not ${JSON.stringify(ours)}`);
    });
    process.stdout.write(`      ${names.length} user names, ${names.filter((name) => problemsOfRunAsUserName(name).length > 0).length} of them refused\n`);
    assert.deepEqual(differences.slice(0, 20), []);
  });

  it(`agrees on gMSA credential specs by name and contents (KUBECTL_WIN_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    const label = (length: number): string => 'a'.repeat(length);
    const names = [
      '', 'a', 'A', '0', '-', '.', 'a.', '.a', 'a.b', 'a..b', 'a-b', 'a-', '-a', 'a_b', 'a b', 'WebApp1', 'contoso\\webapp1', 'webapp1$', 'é', 'a.-b', 'a-.b', 'a\n', label(253), label(254), `${label(63)}.${label(64)}`, `${label(126)}.${label(126)}`, `${label(126)}.${label(127)}`,
      ...Array.from({ length: 150 }, () => Array.from({ length: random.below(8) }, () => random.pick(['a', 'b', '0', '-', '.', 'A', '_'])).join('')),
    ];
    const contents = ['', ' ', '{}', 'x'.repeat(64 * 1024 - 1), 'x'.repeat(64 * 1024), 'x'.repeat(64 * 1024 + 1), 'é'.repeat(32 * 1024), `${'é'.repeat(32 * 1024)}x`];
    const differences: string[] = [];
    const options = ['securityContext', 'windowsOptions'] as const;
    const objects = SYSTEMS.flatMap((os) => [
      ...names.map((name) => podWith({ path: [...options, 'gmsaCredentialSpecName'], value: name }, os)),
      ...contents.map((text) => podWith({ path: ['containers', 0, ...options, 'gmsaCredentialSpec'], value: text }, os)),
    ]);
    await forEachBounded(objects, IN_FLIGHT, async (object) => {
      compare(object, new Set((await refusals(object) ?? []).map(({ field }) => field)), differences);
    });
    process.stdout.write(`      ${objects.length} credential specs\n`);
    assert.deepEqual(differences.slice(0, 20), []);
  });

  it('agrees on pod templates of every kind, paths included', async () => {
    const cases: readonly Case[] = [
      { path: ['hostPID'], value: true }, { path: ['hostUsers'], value: true }, { path: ['shareProcessNamespace'], value: false },
      { path: ['securityContext', 'runAsUser'], value: 0 }, { path: ['securityContext', 'supplementalGroups'], value: [] }, { path: ['securityContext', 'sysctls'], value: [] },
      { path: ['containers', 0, 'securityContext'], value: { capabilities: {}, readOnlyRootFilesystem: false, privileged: null } },
      { path: ['initContainers', 0, 'securityContext'], value: { procMount: 'Default', seccompProfile: { type: 'RuntimeDefault' } } },
      { path: ['securityContext', 'windowsOptions'], value: { runAsUserName: 'a\\b\\c', gmsaCredentialSpecName: 'A' } },
      { path: ['securityContext', 'windowsOptions'], value: { hostProcess: true } },
      { path: ['os'], value: {} }, { path: ['os'], value: { name: 'Windows' } },
    ];
    const differences: string[] = [];
    let asked = 0;
    for (const { object, at } of TEMPLATES) {
      for (const os of SYSTEMS) {
        for (const one of cases) {
          const { metadata, spec } = podWith(one, os);
          const owner = object({ metadata: { labels: { app: 'x' }, name: metadata?.['name'] }, spec });
          const answer = await refusals(owner, at);
          asked += 1;
          compare(owner, new Set((answer ?? []).map(({ field }) => field)), differences);
        }
      }
    }
    process.stdout.write(`      ${asked} templates\n`);
    assert.deepEqual(differences, []);
  });

  it('agrees on ephemeral containers that are added to a pod', async () => {
    const created = new Map<OsName, KubeObject>();
    for (const os of SYSTEMS) {
      const pod = podWith({ path: ['terminationGracePeriodSeconds'], value: 0 }, os);
      created.set(os, await cluster().api.create(PODS, { ...pod, metadata: { name: `ephemeral-${os ?? 'unset'}` } }));
    }
    const contexts: readonly Json[] = [
      { capabilities: { drop: ['ALL'] } }, { readOnlyRootFilesystem: true }, { allowPrivilegeEscalation: false }, { runAsUser: 1000, runAsGroup: 0 }, { seLinuxOptions: {} },
      { seccompProfile: { type: 'RuntimeDefault' } }, { appArmorProfile: { type: 'RuntimeDefault' } }, { windowsOptions: {} }, { windowsOptions: { runAsUserName: 'a\\b\\c' } }, { runAsNonRoot: true }, {},
    ];
    const differences: string[] = [];
    for (const [os, pod] of created) {
      for (const securityContext of contexts) {
        const object = { ...pod, apiVersion: 'v1', kind: 'Pod', spec: { ...(pod['spec'] as Json), ephemeralContainers: [{ name: 'debug', image: 'x', securityContext }] } };
        const answer = await refusals(object, `${PODS}/ephemeral-${os ?? 'unset'}/ephemeralcontainers`, 'PUT');
        assert.notEqual(answer, null);
        compare(object, new Set((answer ?? []).map(({ field }) => field)), differences);
      }
    }
    for (const os of created.keys()) await cluster().api.delete(`${PODS}/ephemeral-${os ?? 'unset'}`);
    assert.deepEqual(differences, []);
  });
});

describe('check against a real API server with ContainerStopSignals', function () {
  this.timeout(20 * 60_000);
  // Alpha and off by default in 1.37, when the server drops the field unseen: check therefore calls it ignored.
  const cluster = useCluster({ apiServerArgs: ['--feature-gates=ContainerStopSignals=true'] });

  it('names every stop signal that the server would refuse in a pod for Windows, and no other', async () => {
    const differences: string[] = [];
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGRTMIN+1', 'sigterm', 'x']) {
      for (const os of ['windows', null] as const) {
        const pod = podWith({ path: ['containers', 0, 'lifecycle', 'stopSignal'], value: signal }, os);
        const object = { ...pod, spec: { ...(pod['spec'] as Json), nodeSelector: { 'kubernetes.io/os': 'windows' } } };
        const server = (await refusalsOf(cluster(), object) ?? []).map(({ field }) => field);
        const ours = findingsOf(object).filter(({ facts: numbers }) => numbers.includes('LIF-001')).map(({ path }) => formatFieldPath(path));
        if (server.join(' ') !== ours.join(' ')) differences.push(`${signal} with os ${os ?? 'unset'}: the server refuses [${server.join(' ')}], check names [${ours.join(' ')}]`);
      }
    }
    assert.deepEqual(differences, []);
  });
});

function compare(object: KubeObject, server: ReadonlySet<string>, differences: string[]): void {
  const ours = rejectedFields(object);
  const [mine, theirs] = [[...ours].toSorted().join(' '), [...server].toSorted().join(' ')];
  if (mine !== theirs) differences.push(`${JSON.stringify(object).slice(0, 600)}: the server refuses [${theirs}], check says [${mine}]`);
}

/** A pod that nothing is wrong with, and one field of its spec set. */
function podWith({ path, value }: Case, os: OsName): KubeObject {
  const base: Json = { ...(os === null ? {} : { os: { name: os } }), containers: [{ name: 'a', image: 'x' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: setAt(base, path, value, '') as Json };
}

/** Items that a list needs to be looked into at all. */
const ITEMS: Readonly<Record<string, Json>> = {
  containers: { name: 'a', image: 'x' }, initContainers: { name: 'i', image: 'x' }, ephemeralContainers: { name: 'e', image: 'x' },
  volumes: { name: 'v' }, volumeMounts: { name: 'v', mountPath: '/v' }, env: { name: 'E' }, ports: { containerPort: 80 },
};

function setAt(container: unknown, path: Path, value: unknown, list: string): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items = Array.isArray(container) ? [...container as readonly unknown[]] : [];
    items[step] = setAt(items[step] ?? ITEMS[list] ?? {}, rest, value, '');
    return items;
  }
  const fields = isRecord(container) ? container : {};
  return { ...fields, [step]: setAt(fields[step], rest, value, step) };
}

function describeCase({ path, value }: Case, os: OsName): string {
  return `spec.${formatFieldPath(path)} = ${JSON.stringify(value)} with os ${os ?? 'unset'}`;
}

/** Values of a kind of field that mean something, besides `x` and 1. */
const TYPICAL: Readonly<Record<string, readonly unknown[]>> = {
  appArmorProfile: [{ type: 'RuntimeDefault' }, { type: 'Unconfined' }], seccompProfile: [{ type: 'RuntimeDefault' }, { type: 'Localhost', localhostProfile: 'p.json' }],
  fsGroupChangePolicy: ['Always', 'OnRootMismatch'], supplementalGroupsPolicy: ['Merge', 'Strict'], seLinuxChangePolicy: ['MountOption', 'Recursive'], procMount: ['Default', 'Unmasked'],
  supplementalGroups: [[1, 2]], sysctls: [[{ name: 'kernel.shm_rmid_forced', value: '0' }]], capabilities: [{ drop: ['ALL'] }, { add: ['NET_ADMIN'] }],
  stopSignal: ['SIGTERM', 'SIGKILL', 'SIGUSR1', 'SIGRTMIN+1'], dnsPolicy: ['Default', 'ClusterFirstWithHostNet'], restartPolicy: ['Always', 'Never'], imagePullPolicy: ['Always', 'Never'],
  medium: ['Memory', 'HugePages'], mountPropagation: ['None', 'Bidirectional'], recursiveReadOnly: ['Disabled', 'Enabled'], runtimeClassName: ['windows-2022'], terminationMessagePath: ['C:\\log'],
  mountPath: ['C:\\data', '/data', 'C:'], workingDir: ['C:\\app'], runAsUserName: ['ContainerUser', 'NT AUTHORITY\\SYSTEM'], resources: [{ limits: { memory: '1Gi' } }, { requests: { cpu: '1' } }],
  limits: [{ memory: '1Gi' }, { 'hugepages-2Mi': '2Mi' }], requests: [{ cpu: '1' }], nodeSelector: [{ 'kubernetes.io/os': 'linux' }, { 'kubernetes.io/os': 'windows' }],
  hostname: ['web'], subdomain: ['web'], schedulerName: ['default-scheduler'], serviceAccountName: ['default'], name: ['windows', 'linux'], type: ['RuntimeDefault', 'Socket'],
};

/** Cases from an OpenAPI document: each field empty, zero and with typical values; lists get one item. */
function casesOfSchema(document: unknown, root: string): readonly Case[] {
  const schemas = (document as { readonly components: { readonly schemas: Readonly<Record<string, Json>> } }).components.schemas;
  const cases: Case[] = [];
  const resolve = (schema: unknown): { readonly name: string; readonly schema: Json } => {
    const reference = stringAt(schema, '$ref') ?? stringAt(arrayAt(schema, 'allOf')[0], '$ref');
    const name = reference?.slice(reference.lastIndexOf('/') + 1) ?? '';
    return { name, schema: schemas[name] ?? (schema as Json) };
  };
  const visit = (path: Path, reference: unknown, ancestors: readonly string[]): void => {
    const { name, schema } = resolve(reference);
    const field = String(path.findLast((step) => typeof step === 'string') ?? '');
    const isItem = typeof path.at(-1) === 'number';
    const add = (...values: readonly unknown[]): void => { for (const value of values) cases.push({ path, value }); };
    if (path.length > 0 && !isItem) add(...(TYPICAL[field] ?? []).filter((value) => fits(value, schema)));
    const { properties, items, additionalProperties, type } = schema;
    if (isRecord(properties)) {
      if (path.length > 0) add(isItem ? ITEMS[field] ?? {} : {});
      if (ancestors.includes(name)) return;
      for (const [key, property] of Object.entries(properties)) visit([...path, key], property, [...ancestors, name]);
    } else if (items !== undefined) {
      add([]);
      visit([...path, 0], items, ancestors);
    } else if (additionalProperties !== undefined) {
      add({}, { a: stringAt(additionalProperties, 'type') === 'string' || !isRecord(additionalProperties) ? 'x' : '1' });
    } else if (type === 'boolean') add(true, false);
    else if (type === 'integer' || type === 'number') add(0, 1);
    else if (type === 'string') add('', 'x');
    else add({}, '1', 1);
  };
  visit([], { $ref: `#/components/schemas/${root}` }, []);
  return cases;
}

function fits(value: unknown, { properties, items, type, additionalProperties }: Json): boolean {
  if (Array.isArray(value)) return items !== undefined;
  if (isRecord(value)) return properties !== undefined || additionalProperties !== undefined;
  return type === typeof value;
}

function hostProcessPod({ os, pod, containers, init, ephemeral, hostNetwork }: {
  readonly os: OsName; readonly pod: boolean | undefined; readonly containers: readonly (boolean | undefined)[];
  /** null: no such container. */
  readonly init: boolean | undefined | null; readonly ephemeral: boolean | undefined | null; readonly hostNetwork: boolean | undefined;
}): KubeObject {
  const context = (hostProcess: boolean | undefined): Json => (hostProcess === undefined ? {} : { securityContext: { windowsOptions: { hostProcess } } });
  return {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' },
    spec: {
      ...(os === null ? {} : { os: { name: os } }),
      ...(hostNetwork === undefined ? {} : { hostNetwork }),
      ...context(pod),
      ...(init === null ? {} : { initContainers: [{ name: 'i', image: 'x', ...context(init) }] }),
      containers: containers.map((own, index) => ({ name: `c${index}`, image: 'x', ...context(own) })),
      ...(ephemeral === null ? {} : { ephemeralContainers: [{ name: 'e', image: 'x', ...context(ephemeral) }] }),
    },
  };
}

/** Names around every limit of the server's, and random ones of the characters that count. */
function userNames(random: Random): readonly string[] {
  const label = (length: number): string => 'd'.repeat(length);
  const domains = ['', 'CONTOSO', 'NT AUTHORITY', 'contoso.com', '.', '.a', 'a.', 'a.b', 'a..b', '-a', 'a-', label(15), label(16), label(63), label(64), `${label(63)}.${label(63)}`, `${label(63)}.${label(64)}`, `${label(63)}.${label(63)}.${label(63)}.${label(63)}`, `${label(63)}.${label(63)}.${label(63)}.${label(62)}`, 'é', 'é'.repeat(15), 'é'.repeat(16), '😀'.repeat(15), '😀'.repeat(16), 'a b', ' ', 'a/b', 'a:b', 'a*b', 'a?b', 'a"b', 'a<b', 'a>b', 'a|b', 'a_b', 'a@b'];
  const users = ['', 'web', 'SYSTEM', 'Local service', '.', ' ', '. .', '.a', 'u'.repeat(104), 'u'.repeat(105), 'é'.repeat(52), 'é'.repeat(53), ...Array.from('"/:;|=,+*?<>@[]%$&\'`~!#(){}^-_', (character) => `a${character}b`), 'a\u0000b', 'a\tb', 'a\nb', 'a\u007fb', 'a\u0085b', 'a\u2028b', '用户'];
  const alphabet = ['a', 'B', '0', '.', ' ', '-', '\\', '@', 'é', ':', '\n', '"'];
  return [
    ...users, ...domains.flatMap((domain) => ['web', '', '...'].map((user) => `${domain}\\${user}`)), ...users.map((user) => `CONTOSO\\${user}`),
    'a\\b\\c', '\\', '\\\\', '\\\\a', 'NT AUTHORITY\\\\SYSTEM',
    ...Array.from({ length: 400 }, () => Array.from({ length: random.below(9) }, () => random.pick(alphabet)).join('')),
  ];
}

const selector = { matchLabels: { app: 'x' } };
const TEMPLATES: readonly { readonly at: string; readonly object: (template: Json) => KubeObject }[] = [
  { at: '/apis/apps/v1/namespaces/default/deployments', object: (template) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: { selector, template } }) },
  { at: '/apis/apps/v1/namespaces/default/replicasets', object: (template) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'x' }, spec: { selector, template } }) },
  { at: '/apis/apps/v1/namespaces/default/statefulsets', object: (template) => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'x' }, spec: { serviceName: 'x', selector, template } }) },
  { at: '/apis/apps/v1/namespaces/default/daemonsets', object: (template) => ({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'x' }, spec: { selector, template } }) },
  { at: '/apis/batch/v1/namespaces/default/jobs', object: (template) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'x' }, spec: { template: withNever(template) } }) },
  { at: '/apis/batch/v1/namespaces/default/cronjobs', object: (template) => ({ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'x' }, spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: withNever(template) } } } }) },
  { at: '/api/v1/namespaces/default/replicationcontrollers', object: (template) => ({ apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'x' }, spec: { selector: { app: 'x' }, template } }) },
  { at: '/api/v1/namespaces/default/podtemplates', object: (template) => ({ apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'x' }, template }) },
];

function withNever(template: Json): Json {
  return { ...template, spec: { ...(template['spec'] as Json), restartPolicy: 'Never' } };
}
