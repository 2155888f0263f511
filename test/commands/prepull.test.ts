import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { nameOf, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../src/errors.ts';
import { answeringRegistry, index, type AnsweringRegistry } from '../support/answering-registry.ts';
import { PipeClosed } from '../../src/cli/context.ts';
import { realPorts } from '../../src/cli/wiring.ts';
import { LoopbackRegistry } from '../src/adapters/registry/loopback-registry.ts';
import { casesOrSkip, readCaseNodes } from '../support/cases.ts';
import { forbidden, rawNode } from '../support/fake-cluster.ts';
import { assertGolden } from '../support/golden.ts';
import { kruiseCluster, type KruiseClusterParts } from '../support/kruise-cluster.ts';
import { imagesOfJobs, pullingCluster, type PullFate, type PullingCluster, type PullingClusterParts } from '../support/pulling-cluster.ts';
import { runCommand, type RunOptions, type RunResult } from '../support/run-command.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const ESCAPE = '\u001B';
const [WEB, API] = ['registry.example/shop/web:4.2', 'registry.example/shop/api:ltsc2022'];
const [V2019, V2022, V2025] = ['windows/10.0.17763.8389', 'windows/10.0.20348.5386', 'windows/10.0.26100.33158'];
const gib = (count: number): number => Math.round(count * 2 ** 30);

const nodes = [
  rawNode('linux-0', { os: 'linux' }),
  rawNode('win-1', { pool: 'npwin' }),
  rawNode('win-2', { pool: 'npwin', images: [{ names: [API], sizeBytes: 400_000_000 }] }),
  rawNode('win-3', { pool: 'npold', kernelVersion: '10.0.17763.8389', runtime: 'containerd://1.7.28' }),
];
const answers = {
  [WEB]: index([V2019, V2022, V2025], { sizes: [gib(1.5), gib(1.9), gib(2)] }),
  [API]: index([V2022], { sizes: [gib(0.4)] }),
};
const deployment: KubeObject = {
  apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' },
  spec: { template: { metadata: {}, spec: {
    os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows', 'kubernetes.azure.com/agentpool': 'npwin' }, tolerations: [{ operator: 'Exists' }],
    serviceAccountName: 'web', imagePullSecrets: [{ name: 'shop-registry' }], containers: [{ name: 'main', image: WEB }],
  } } },
};

interface Run extends RunResult {
  readonly cluster: PullingCluster;
  readonly registry: AnsweringRegistry;
}

async function run(argv: readonly string[], parts: PullingClusterParts = {}, options: RunOptions & { readonly registry?: AnsweringRegistry; readonly isInventory?: boolean } = {}): Promise<Run> {
  const cluster = pullingCluster({ objects: { nodes, deployments: [deployment] }, ...parts });
  const registry = options.registry ?? answeringRegistry(answers);
  const namespace = argv.includes('-n') ? argv[argv.indexOf('-n') + 1] ?? '' : 'default';
  const result = await runCommand(['prepull', ...argv], {
    reader: { ...cluster.reader, namespace: options.isInventory === true ? null : namespace }, ...(options.isInventory === true ? {} : { writer: cluster.writer }), clock: cluster.clock, ...options,
    ports: { openRegistry: async () => registry, sleep: cluster.sleep, createRunId: () => 'a1b2c3' }, env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: 'auto', ...options.env },
  });
  return { ...result, cluster, registry };
}

interface Report {
  readonly run: string | null;
  readonly namespace: string | null;
  readonly phase: string;
  readonly summary: Readonly<Record<string, number>>;
  readonly items: readonly { readonly node: string; readonly image: string; readonly variant: { readonly build: number } | null; readonly action: string; readonly result: string; readonly reason: string; readonly message: string; readonly seconds: number | null; readonly sizeBytes: number | null; readonly digest: string | null; readonly registryDigest: string | null; readonly content: string | null; readonly isolation: string; readonly confidence: string }[];
  readonly notes: readonly string[];
}

function reportOf({ stdout, stderr }: RunResult): Report {
  assert.notEqual(stdout, '', stderr);
  const document = JSON.parse(stdout) as Report;
  assertMatchesSchema('PrepullReport', document);
  return document;
}

/** Lines of notes that every run of this cluster has. */
const lines = (stderr: string): readonly string[] => stderr.split('\n').filter((line) => line !== '' && !line.startsWith('note: the free space'));
const writesOf = ({ cluster }: Run, verb: string): readonly string[] => cluster.writes.filter((write) => write.startsWith(`${verb} `));
const fates = (table: Readonly<Record<string, PullFate>>) => (node: string, image: string): PullFate => table[`${node} ${image}`] ?? table[node] ?? { seconds: 192, sizeBytes: gib(1.9) };
const NO_AUTH: PullFate = { waiting: 'ErrImagePull', message: 'failed to pull and unpack image: pull access denied, repository does not exist or may require authorization' };

describe('kubectl win prepull', function () {
  this.timeout(20_000);

  describe('prints', () => {
    const fateOf = fates({ [`win-1 ${API}`]: { seconds: 12, sizeBytes: 400_000_000 }, [`win-2 ${WEB}`]: 'present', [`win-3 ${WEB}`]: NO_AUTH });
    for (const [scenario, argv] of [
      ['table.txt', []], ['wide.txt', ['-o', 'wide']], ['report.json', ['-o', 'json']], ['report.yaml', ['-o', 'yaml']], ['name.txt', ['-o', 'name']], ['table.csv', ['-o', 'csv']], ['table.md', ['-o', 'markdown']],
      ['custom-columns.txt', ['-o', 'custom-columns=NODE:.node,RESULT:.result,SECONDS:.seconds']], ['jsonpath.txt', ['-o', 'jsonpath={range .items[?(@.result=="failed")]}{.node}{" "}{.image}{"\\n"}{end}']],
      ['sorted.txt', ['--sort-by', 'time']],
    ] as const) {
      it(scenario, async () => {
        const { stdout, exitCode, stderr } = await run([WEB, API, ...argv], { fateOf });
        assert.equal(exitCode, 1, stderr);
        if (scenario === 'report.json') assertMatchesSchema('PrepullReport', JSON.parse(stdout));
        assertGolden(`prepull/${scenario}`, stdout);
      });
    }

    it('lines.jsonl', async () => {
      const { stdout, exitCode } = await run([WEB, API, '-o', 'jsonl'], { fateOf });
      assert.equal(exitCode, 1);
      const all = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { node: string; image: string; kind?: string; summary?: unknown });
      const { items, ...rest } = JSON.parse((await run([WEB, API, '-o', 'json'], { fateOf })).stdout) as { items: readonly { node: string; image: string }[] };
      const key = (item: { node: string; image: string }): string => `${item.node} ${item.image}`;
      assert.deepEqual(all.slice(0, -1).toSorted((a, b) => key(a).localeCompare(key(b))), items.toSorted((a, b) => key(a).localeCompare(key(b))));
      assert.deepEqual([all.at(-1)?.kind, all.at(-1)?.summary], ['PrepullReport', (rest as { summary?: unknown }).summary]);
      assertGolden('prepull/lines.jsonl', stdout);
    });

    it('progress and the sum of it on stderr', async () => assertGolden('prepull/progress.txt', (await run([WEB, API], { fateOf })).stderr));

    it('a plan', async () => {
      const { stdout, stderr } = await run([WEB, API, '--dry-run=client', '--min-free', '0%']);
      assertGolden('prepull/plan.txt', `${stdout}${stderr}`);
    });
  });

  it('leaves nothing, and says what came', async () => {
    const result = await run([WEB, '-o', 'json']);
    const report = reportOf(result);
    assert.deepEqual([result.exitCode, report.run, report.namespace, report.phase, [...result.cluster.jobs.keys()]], [0, 'a1b2c3', 'default', 'succeeded', []]);
    assert.deepEqual(report.items.map(({ node, result: outcome, variant, seconds }) => [node, outcome, variant?.build, seconds]), [['win-1', 'pulled', 20348, 192], ['win-2', 'pulled', 20348, 192], ['win-3', 'pulled', 17763, 192]]);
    assert.deepEqual([report.summary['success'], report.summary['pulled']], [1, 3]);
    assert.ok(writesOf(result, 'create').every((write) => write.startsWith('create jobs kubectl-win-prepull-a1b2c3')));
  });

  describe('shows what came', () => {
    const [ENTRY, OTHER] = ['1', '7'].map((number) => `sha256:${number.padStart(64, '0')}`) as [string, string];
    const open = answeringRegistry({ [WEB]: index(['windows/10.0.20348.1', 'windows/10.0.26100.1']) });
    // of which containerd may take either
    const either = [rawNode('win-5', { kernelVersion: '10.0.26100.32995', runtime: 'containerd://2.1.6' })];
    const came = async (digest?: string): Promise<Report> => reportOf(await run([WEB, '-o', 'json'], { objects: { nodes: either }, fateOf: () => ({ seconds: 1, sizeBytes: 1, ...(digest === undefined ? {} : { digest }) }) }, { registry: open }));
    const shown = ({ items: [item] }: Report): readonly unknown[] => [item?.variant?.build ?? null, item?.content, item?.digest === item?.registryDigest];

    it('by the digest of the index, which tells no variant', async () => assert.deepEqual(shown(await came()), [null, 'expected', true]));

    it('by the digest of an entry, which is the variant', async () => assert.deepEqual(shown(await came(ENTRY)), [20348, 'expected', false]));

    it('and says where it is something else', async () => {
      const report = await came(OTHER);
      assert.deepEqual([shown(report), report.notes.filter((note) => note.includes('content'))], [[null, 'other', false], [`${WEB}: win-5 has other content than the registry named: the tag has moved since, or a mirror of the nodes has something else`]]);
    });
  });

  describe('an image that its node does not start, of which the tag alone warned', () => {
    const IMAGE = 'ghcr.io/x/csi-proxy:v1-ltsc2019';
    const refusing: PullFate = { seconds: 5, sizeBytes: 40_000_000, startError: 'hcs::CreateComputeSystem pull: The container operating system does not match the host operating system.' };
    const daemonSet = (hostProcess: boolean): KubeObject => ({
      apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'csi', namespace: 'shop' },
      spec: { template: { metadata: {}, spec: { os: { name: 'windows' }, ...(hostProcess ? { hostNetwork: true } : {}), nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }], securityContext: { windowsOptions: { hostProcess, runAsUserName: 'NT AUTHORITY\\SYSTEM' } }, containers: [{ name: 'c', image: IMAGE }] } } },
    });
    const outcomes = async (argv: readonly string[], objects: PullingClusterParts['objects'] = {}): Promise<readonly unknown[]> => {
      const result = await run([...argv, '--images=tags', '-o', 'json'], { objects: { nodes: [rawNode('win-1')], ...objects }, fateOf: () => refusing });
      return [result.exitCode, ...reportOf(result).items.map((item) => `${item.action} ${item.result} ${item.reason} ${item.isolation}`)];
    };

    it('is pulled, and has failed', async () => {
      assert.deepEqual(await outcomes([IMAGE]), [1, 'unknown failed OsMismatch process']);
      assert.deepEqual(await outcomes(['--from', 'ds/csi', '-n', 'shop'], { daemonsets: [daemonSet(false)] }), [1, 'unknown failed OsMismatch process']);
    });

    it('is warm for HostProcess containers, which start whatever build it is of', async () => assert.deepEqual(await outcomes(['--from', 'ds/csi', '-n', 'shop'], { daemonsets: [daemonSet(true)] }), [0, 'unknown pulled Pulled host-process']));
  });

  it('P43: asks the mirror of the configuration, and lets nodes pull the very reference, by mirrors of their own', async () => {
    const mirror = await LoopbackRegistry.start();
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-mirror-'));
    try {
      mirror.index('hub/shop/web', [{ os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.5386' }], '4.2');
      const config = join(folder, 'config.yaml');
      await writeFile(config, `registries:\n  registry.example: { mirrors: ["http://${mirror.host}/hub"] }\n`);
      const cluster = pullingCluster({ objects: { nodes: [rawNode('win-1')] } });
      const result = await runCommand(['prepull', WEB, '-o', 'json'], {
        reader: { ...cluster.reader, namespace: 'default' }, writer: cluster.writer, clock: cluster.clock, ports: { openRegistry: realPorts.openRegistry, sleep: cluster.sleep, createRunId: () => 'a1b2c3' },
        env: { HOME: folder, KUBECACHEDIR: join(folder, 'cache'), KUBECTL_WIN_CONFIG: config, KUBECTL_WIN_IMAGES: 'auto' },
      });
      const [item] = reportOf(result).items;
      assert.deepEqual([item?.image, item?.confidence, item?.variant?.build, item?.result, (item?.sizeBytes ?? 0) > 0], [WEB, 'registry', 20348, 'pulled', true], result.stderr);
      assert.deepEqual([...new Set(mirror.paths.map((path) => path.replace(/sha256:.*|\?.*/, '')))], ['GET /v2/hub/shop/web/manifests/4.2', 'GET /v2/hub/shop/web/manifests/']);
      assert.deepEqual(cluster.pulledImages(), [WEB]);
    } finally {
      await mirror.close();
      await rm(folder, { recursive: true });
    }
  });

  describe('chooses nodes', () => {
    for (const [argv, names] of [
      [[], ['win-1', 'win-2', 'win-3']], [['--pool', 'npwin'], ['win-1', 'win-2']], [['--node', 'win-3,win-1'], ['win-1', 'win-3']], [['--node=node/win-2'], ['win-2']],
      [['-l', 'kubernetes.azure.com/agentpool=npold'], ['win-3']], [['--pool', 'npwin', '--node', 'win-3'], []],
    ] as const) {
      it(argv.join(' ') || 'all', async () => {
        assert.deepEqual(reportOf(await run([WEB, ...argv, '--dry-run=client', '-o', 'json'])).items.map(({ node }) => node), names);
      });
    }

    it('and fails where none matches', async () => {
      const result = await run([WEB, '--pool', 'gone']);
      assert.deepEqual([result.stdout, result.exitCode, result.cluster.writes], ['', 1, []]);
      assert.deepEqual(lines(result.stderr), ['No Windows nodes found to pull onto that match --pool=gone', '--min-success: no node matched, so nothing is warm']);
    });

    it('and names what matched none', async () => {
      assert.match((await run([WEB, '--pool=npwin,npold', '-l', 'a=b', '--node=node/win-1'])).stderr, /^No Windows nodes found to pull onto that match --pool=npwin, --pool=npold, -l a=b, --node=node\/win-1$/m);
      assert.match((await run([WEB], { objects: { nodes: [] } })).stderr, /^No Windows nodes found to pull onto$/m);
    });

    it('and refuses a name that is none', async () => {
      assert.deepEqual(await run([WEB, '--node', 'nobody']).then(({ exitCode, stdout }) => [exitCode, stdout]), [2, '']);
    });

    it('leaves cordoned ones out with --skip-cordoned alone', async () => {
      const cordoned = { ...nodes[1], spec: { unschedulable: true } } as KubeObject; // a node, cordoned
      const planned = async (...argv: string[]): Promise<readonly unknown[]> => reportOf(await run([WEB, '--dry-run=client', '-o', 'json', ...argv], { objects: { nodes: [cordoned] } })).items.map(({ action, reason }) => [action, reason]);
      assert.deepEqual([await planned(), await planned('--skip-cordoned')], [[['pull', 'NotListed']], [['refuse', 'NodeCordoned']]]);
    });
  });

  describe('of workloads', () => {
    it('pulls where their pods can land, in their namespace, as their service account', async () => {
      const { stdout, cluster } = await run(['--from', 'deploy/web', '-n', 'shop', '--dry-run=client', '-o', 'yaml']);
      const jobs = parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject & { readonly spec: { readonly template: { readonly spec: Readonly<Record<string, unknown>> } } });
      assert.deepEqual(jobs.slice(1).map(({ metadata = {}, spec }) => [metadata['namespace'], spec.template.spec['serviceAccountName'], spec.template.spec['imagePullSecrets']]), [['shop', 'web', [{ name: 'shop-registry' }]], ['shop', 'web', [{ name: 'shop-registry' }]]]);
      assert.deepEqual(cluster.writes, []);
    });

    it('says why they land on none of the nodes that were asked for', async () => {
      const { stderr, exitCode } = await run(['--from', 'deploy/web', '-n', 'shop', '--pool=npold']);
      assert.deepEqual([exitCode, lines(stderr)], [1, [
        `note: ${WEB}: pods that use it land on none of the nodes that were asked for: nodeSelector kubernetes.azure.com/agentpool=npwin: the node has npold`, 'No Windows nodes found to pull onto', '--min-success: no node matched, so nothing is warm',
      ]]);
    });

    it('takes what --service-account and --pull-secret name', async () => {
      const { stdout } = await run(['--from', 'deploy/web', '-n', 'shop', '--service-account', 'puller', '--pull-secret', 'more', '--dry-run=client', '-o', 'yaml']);
      const [, job] = parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject & { readonly spec: { readonly template: { readonly spec: Readonly<Record<string, unknown>> } } });
      assert.deepEqual([job?.spec.template.spec['serviceAccountName'], job?.spec.template.spec['imagePullSecrets']], ['puller', [{ name: 'shop-registry' }, { name: 'more' }]]);
    });

    describe('in files', () => {
      let folder: string;
      let file: string;
      before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'kubectl-win-prepull-'));
        file = join(folder, 'web.json');
        await writeFile(file, JSON.stringify(deployment));
      });
      after(() => rm(folder, { recursive: true, force: true }));

      it('runs in their namespace, unless -n says otherwise', async () => {
        assert.equal(reportOf(await run(['-f', file, '-o', 'json'])).namespace, 'shop');
      });

      it('runs where -n says, without what has a meaning in theirs alone', async () => {
        const report = reportOf(await run(['-f', file, '-n', 'ops', '-o', 'json']));
        assert.deepEqual([report.namespace, report.notes.filter((note) => note.startsWith('pulls run in'))], ['ops', ['pulls run in ops, without the service account and pull secrets that the workloads have in shop']]);
      });

      it('refuses a namespace that is none, with its place, before anything is asked', async () => {
        const evil = join(folder, 'evil.yaml');
        await writeFile(evil, `kind: ConfigMap\napiVersion: v1\nmetadata: { name: x, namespace: "not looked at" }\n---\n${JSON.stringify({ ...deployment, metadata: { name: 'web', namespace: 'shop }\nrules:\n- { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }' } })}\n`);
        const result = await run(['-f', evil], { missingRights: ['create jobs'] });
        assert.deepEqual([result.exitCode, result.stdout, result.cluster.writes], [2, '', []]);
        assert.match(result.stderr, /^error: \S+evil\.yaml:5:\d+: deployment\/web is in "shop \}\\nrules:.*", which is no name of a namespace\n-n says where pulls run, whatever the manifests say$/m);
        assert.equal((await run(['-f', evil, '-n', 'ops'])).exitCode, 0);
      });

      it('plans offline', async () => {
        const result = await run(['-f', file, '--inventory', 'x', '--dry-run=client', '-o', 'json'], { source: 'files' }, { isInventory: true });
        const report = reportOf(result);
        assert.deepEqual([report.phase, report.run, report.items.map(({ node, action }) => [node, action])], ['planned', null, [['win-1', 'unknown'], ['win-2', 'unknown']]]);
        assert.deepEqual([result.registry.asked, result.exitCode], [[], 1]);
        assert.match(result.stderr, /^--min-success: 0% of the images on nodes would be warm, and 100% are asked for: 2 not known$/m);
      });
    });
  });

  describe('of a plan of an upgrade', () => {
    const document = { apiVersion: 'kubectl-win/v1alpha1', kind: 'UpgradePlan', clusters: [{ images: [
      { image: 'registry.example/shop/web:4.1', verdict: 'retag', to: WEB }, { image: API, verdict: 'runs', to: null }, { image: 'registry.example/shop/old:1', verdict: 'rebuild', to: null },
    ] }] };

    it('pulls what its images become', async () => {
      const result = await run(['--from-plan', '-', '--pool=npwin', '-o', 'json'], {}, { stdin: JSON.stringify(document) });
      const report = reportOf(result);
      assert.deepEqual([result.exitCode, [...new Set(report.items.map(({ image }) => image))], report.notes[0]], [0, [WEB, API], 'registry.example/shop/old:1 of the plan is left out: it must be rebuilt, and the plan names no image for it yet'], result.stderr);
      assert.match(result.stderr, /^note: registry\.example\/shop\/old:1 of the plan is left out/m);
    });

    it('says which field is wrong', async () => {
      const result = await run(['--from-plan', '-'], {}, { stdin: 'kind: UpgradePlan\nimages:\n- image: a:1\n  verdict: maybe\n' });
      assert.deepEqual([result.exitCode, result.stderr], [2, 'error: stdin: images[0].verdict: has to be one of runs, retag, rebuild, unknown, and is "maybe"\n--from-plan reads an UpgradePlan, as JSON or YAML\n']);
    });
  });

  describe('--dry-run', () => {
    it('client prints the very objects as YAML', async () => {
      const result = await run([WEB, API, '--dry-run=client', '-o', 'yaml', '--timeout', '20m']);
      const jobs = parseAllDocuments(result.stdout).map((document) => document.toJS() as KubeObject);
      assert.deepEqual(jobs.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`), Array.from({ length: 5 }, () => 'batch/v1 Job'));
      assert.deepEqual(imagesOfJobs(jobs.slice(1)).toSorted(), [API, WEB, WEB, WEB]);
      assert.ok(jobs.every((job) => (job.metadata as { ownerReferences?: unknown }).ownerReferences === undefined));
      assert.ok(jobs.slice(1).every((job) => (job as unknown as { spec: { activeDeadlineSeconds: number } }).spec.activeDeadlineSeconds === 2 * 1200));
      assert.deepEqual(result.cluster.writes, []);
      assertGolden('prepull/objects.yaml', result.stdout);
    });

    it('client prints what status takes for a run that nobody follows, once it is applied', async () => {
      const jobs = parseAllDocuments((await run([WEB, '--dry-run=client', '-o', 'yaml'])).stdout).map((document) => document.toJS() as KubeObject);
      const applied = jobs.map((job, at): KubeObject => ({ ...job, metadata: { ...job.metadata, creationTimestamp: '2026-11-30T11:30:00Z', uid: `u${at}` }, status: at === 0 ? { startTime: '2026-11-30T11:30:00Z' } : { active: 1 } }));
      const cluster = pullingCluster({ jobs: applied });
      const { stdout } = await runCommand(['prepull', 'status'], { reader: cluster.reader, writer: cluster.writer, clock: cluster.clock });
      assert.match(stdout, /^a1b2c3 +default +running +0\/3 +0 +3 /m);
    });

    it('client asks for no right to write', async () => {
      const result = await run([WEB, '--dry-run'], { errors: { 'list jobs': forbidden('list', 'jobs') }, missingRights: ['create jobs'] });
      assert.equal(result.exitCode, 0, result.stderr);
    });

    it('server shows the objects to the API server and creates nothing', async () => {
      const result = await run([WEB, '--dry-run=server', '-o', 'json']);
      assert.deepEqual([result.exitCode, reportOf(result).phase, writesOf(result, 'create')], [0, 'planned', []]);
      assert.ok(writesOf(result, 'dry-run').length >= 2);
    });

    it('server says what the cluster refuses', async () => {
      const result = await run([WEB, '--dry-run=server'], { missingRights: ['create jobs'] });
      assert.deepEqual([result.exitCode, result.stdout], [3, '']);
      assert.match(result.stderr, /not allowed in the namespace default: create jobs\n(?:.*\n)*kind: Role/);
    });
  });

  describe('the gate', () => {
    const oneFails = fates({ 'win-1': NO_AUTH });
    for (const [name, argv, parts, exitCode] of [
      ['all is asked for', [WEB], { fateOf: oneFails }, 1], ['two thirds are', [WEB, '--min-success', '66%'], { fateOf: oneFails }, 0], ['67% are', [WEB, '--min-success', '67%'], { fateOf: oneFails }, 1],
      ['nothing is', [WEB, '--min-success=0%'], { fateOf: oneFails }, 0], ['one is refused', [API], {}, 1], ['one is refused in a plan', [API, '--dry-run=client'], {}, 1], ['all can be pulled', [WEB, '--dry-run=client'], {}, 0],
      ['all is there', [API, '--node', 'win-2'], {}, 0], ['nothing tells, in a plan', [WEB, '--images=off', '--dry-run=client'], {}, 1], ['nothing told, and it came', [WEB, '--images=off'], {}, 0],
    ] as const) {
      it(`gives ${exitCode} when ${name}`, async () => {
        const { exitCode: actual, stderr } = await run(argv, parts);
        assert.equal(actual, exitCode, stderr);
        assert.equal(/^--min-success: /m.test(stderr), exitCode === 1, stderr);
      });
    }
  });

  it('refuses what would leave less free than --min-free, where the disk is known', async () => {
    const parts = { objects: { nodes: nodes.slice(1, 3) }, space: { 'win-1': { availableBytes: gib(10), capacityBytes: gib(50) } } };
    const planned = async (...argv: string[]): Promise<{ readonly items: readonly unknown[]; readonly notes: readonly string[] }> => {
      const { items, notes } = reportOf(await run([WEB, '--dry-run=client', '-o', 'json', ...argv], parts));
      return { items: items.map(({ node, action, reason }) => [node, action, reason]), notes };
    };
    const byDefault = await planned();
    assert.deepEqual(byDefault.items, [['win-1', 'refuse', 'NotEnoughSpace'], ['win-2', 'pull', 'NotListed']]);
    assert.ok(byDefault.notes.some((note) => note.startsWith('the free space of 1 node is not known')), byDefault.notes.join());
    assert.deepEqual((await planned('--min-free', '5%')).items, [['win-1', 'pull', 'NotListed'], ['win-2', 'pull', 'NotListed']]);
    assert.deepEqual((await planned('--min-free=0%')).notes, []);
    const filled = async (...argv: string[]): Promise<readonly string[]> => (await planned('--min-free=5%', '--parallel=0', ...argv)).notes.filter((note) => note.startsWith('pulls fill'));
    assert.deepEqual((await Promise.all([filled(), filled('--hold=1h'), filled('--keep-warm')])).map(([note = '', more]) => [note.startsWith('pulls fill the disk of win-1 to 85%, '), note.includes('--hold'), more]), [[true, true, undefined], [true, false, undefined], [true, false, undefined]]);
  });

  it('tries again what may pass, and says so', async () => {
    const { exitCode, stderr } = await run([WEB, '--node', 'win-1'], { fateOf: (_node, _image, attempt) => (attempt === 1 ? { waiting: 'ErrImagePull', message: 'toomanyrequests: slow down' } : { seconds: 60, sizeBytes: gib(1) }) });
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /^win-1 {2}registry\.example\/shop\/web:4\.2 {2}attempt 1 failed, the next in \S+: .*slow down$/m);
    assert.match(stderr, /pulled in 60s \(1\.0Gi\)$/m);
  });

  it('R143: gives a pull 45 minutes, and says so where it is told to give less than kubelets on Windows are', async () => {
    const planned = async (...argv: string[]): Promise<{ readonly seconds: readonly number[]; readonly told: readonly string[] }> => {
      const { stdout, stderr } = await run([WEB, '--dry-run=client', '-o', 'yaml', ...argv]);
      const jobs = parseAllDocuments(stdout).map((document) => document.toJS() as { spec: { activeDeadlineSeconds: number } });
      return { seconds: [...new Set(jobs.slice(1).map(({ spec }) => spec.activeDeadlineSeconds))], told: lines(stderr).filter((line) => line.includes('--timeout')) };
    };
    assert.deepEqual(await planned(), { seconds: [2700], told: [] });
    assert.deepEqual(await planned('--timeout=30m'), { seconds: [1800], told: [] });
    assert.deepEqual(await planned('--timeout=29m'), { seconds: [1740], told: [
      'note: --timeout=29m: a pull that takes longer is ended, and not tried again; kubelets on Windows were given 30m for base images (https://github.com/openshift/windows-machine-config-bootstrapper/pull/270)',
    ] });
    // pods that stand have no deadline
    assert.deepEqual((await planned('--timeout=1m', '--keep-warm')).told, []);
    assert.equal((await run([WEB], { fateOf: () => ({ seconds: 44 * 60, sizeBytes: 1 }) })).exitCode, 0);
  });

  it('R143: tells a log of a pull that takes long, every five minutes', async () => {
    const { stderr } = await run([WEB, '--node=win-1'], { fateOf: () => ({ seconds: 11 * 60, sizeBytes: gib(1) }) });
    assert.deepEqual(lines(stderr).filter((line) => line.startsWith('win-1')), ['pulling', 'still pulling after 5m', 'still pulling after 10m', 'pulled in 11m (1.0Gi)'].map((text) => `win-1  ${WEB}  ${text}`));
    const terminal = await run([WEB, '--node=win-1'], { fateOf: () => ({ seconds: 11 * 60, sizeBytes: gib(1) }) }, { isTerminal: true, env: { TERM: 'xterm' } });
    assert.ok(!terminal.stderr.includes('still pulling'), terminal.stderr);
  });

  it('R144: pulls what the pod of the report asks for, with patience that its node has not', async function () {
    const file = join(casesOrSkip(this), 'manifests/issue-cri-dockerd-372-ping.yaml');
    const servercore = 'mcr.microsoft.com/windows/servercore:ltsc2019';
    const win2019 = rawNode('win2019-1', { kernelVersion: '10.0.17763.5820', runtime: 'docker://25.0.5', labels: { 'kubernetes.io/hostname': 'win2019-1' }, taints: [] });
    const report = reportOf(await run(['-f', file, '-o', 'json'], {
      objects: { nodes: [...nodes, win2019] }, fateOf: (_node, _image, attempt) => (attempt < 3 ? { waiting: 'ErrImagePull', message: 'rpc error: code = Canceled desc = context canceled' } : { seconds: 95, sizeBytes: gib(2) }),
    }, { registry: answeringRegistry({ [servercore]: index([V2019], { sizes: [gib(1.7)] }) }) }));
    assert.deepEqual(report.items.map(({ node, image, result, seconds }) => [node, image, result, seconds]), [['win2019-1', servercore, 'pulled', 95]]);
  });

  it('R150: makes Jobs that go, and pods that sleep only where --hold or --keep-warm asks for them', async () => {
    const made = async (...argv: string[]): Promise<unknown> => {
      const { cluster } = await run([WEB, '--parallel=0', ...argv]);
      return { kinds: [...new Set(cluster.writes.filter((write) => write.startsWith('create')).map((write) => write.split(' ')[1]))], left: [cluster.jobs.size, cluster.daemonSets.size] };
    };
    assert.deepEqual([await made(), await made('--hold=1h'), await made('--keep-warm')], [{ kinds: ['jobs'], left: [0, 0] }, { kinds: ['jobs'], left: [4, 0] }, { kinds: ['daemonsets'], left: [0, 1] }]);
    const sleeping = async (...argv: string[]): Promise<boolean> => / ping /.test((await run([WEB, ...argv, '--dry-run=client', '-o', 'yaml'])).stdout);
    assert.deepEqual([await sleeping(), await sleeping('--hold=1h'), await sleeping('--keep-warm', '--parallel=0')], [false, true, true]);
  });

  it('R154: looks at the disk itself, of a node that is full and reports no DiskPressure', async function () {
    const [full] = readCaseNodes(casesOrSkip(this), 'aks-1.19-disk-full-no-pressure.json');
    assert.ok(full !== undefined);
    const [name, registry] = [nameOf(full), answeringRegistry({ [WEB]: index([V2019], { sizes: [gib(1.5)] }) })];
    const became = async (parts: PullingClusterParts, ...argv: string[]): Promise<readonly unknown[]> => {
      const { items, notes } = reportOf(await run([WEB, '-o', 'json', ...argv], { objects: { nodes: [full] }, ...parts }, { registry }));
      return [...items.map(({ result, reason }) => `${result} ${reason}`), notes.some((note) => note.includes('--min-free was not evaluated'))];
    };
    assert.deepEqual(await became({ space: { [name]: { availableBytes: 0, capacityBytes: gib(128) } } }), ['refused NotEnoughSpace', false]);
    // what is not known is no room, and no lack of it: the pull tells
    const fateOf = (): PullFate => ({ waiting: 'ErrImagePull', message: 'failed to register layer: write C:\\ProgramData\\docker\\tmp: There is not enough space on the disk.' });
    assert.deepEqual(await became({ fateOf }), ['failed DiskFull', true]);
  });

  it('has no more pulls under way than --parallel says', async () => {
    const many = Array.from({ length: 12 }, (_, at) => rawNode(`win-${at}`));
    const at = async (...argv: string[]): Promise<number> => (await run([WEB, ...argv], { objects: { nodes: many } })).cluster.mostAtOnce();
    assert.deepEqual([await at(), await at('--parallel=3'), await at('--parallel=0')], [10, 3, 12]);
  });

  it('ends where the cluster refuses, with what to do, before anything is created', async () => {
    const refused = new ClusterError('Error from server (Forbidden): pods "x" is forbidden: violates PodSecurity "restricted:latest"', { reason: 'Forbidden', status: 403 });
    const result = await run([WEB], { refusals: { 'create pods': refused } });
    assert.deepEqual([result.exitCode, result.stdout, writesOf(result, 'create')], [3, '', []]);
    assert.match(result.stderr, /violates PodSecurity/);
  });

  describe('interrupted', () => {
    it('cleans up, prints the report, and says how to go on', async () => {
      const controller = new AbortController();
      const result = await run([WEB, '-o', 'json', '--parallel=1'], {
        fateOf: fates({ 'win-2': 'hangs' }),
        onPulling: (node) => {
          if (node === 'win-2') controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
        },
      }, { signal: controller.signal });
      const report = reportOf(result);
      assert.deepEqual([result.exitCode, report.phase, report.items.map(({ node, result: outcome }) => [node, outcome])], [130, 'interrupted', [['win-1', 'pulled'], ['win-2', 'pending'], ['win-3', 'pending']]]);
      // and not why it was to be pulled
      assert.deepEqual(report.items.map(({ reason, message }) => [reason, message]).slice(1), Array.from({ length: 2 }, () => ['Interrupted', 'the run was interrupted before it was there']));
      // its own Job keeps the record for whoever does the rest
      assert.deepEqual([...result.cluster.jobs.keys()], ['kubectl-win-prepull-a1b2c3']);
      assert.deepEqual(lines(result.stderr).slice(-4), [
        '1 image on 3 Windows nodes: 1 pulled, 2 pending; 1.9Gi pulled', 'error: interrupted', 'The same command does the rest; what is done is not repeated.',
        "What is left of this run goes by itself; at once: kubectl win prepull cleanup a1b2c3 -n default",
      ]);
    });

    it('before anything is done, says that it begins anew', async () => {
      const controller = new AbortController();
      const { stderr, cluster } = await run([WEB, '--parallel=1'], { onPulling: () => controller.abort(new DOMException('interrupted by SIGINT', 'AbortError')) }, { signal: controller.signal });
      assert.deepEqual([lines(stderr).slice(-2), cluster.jobs.size], [['error: interrupted', 'The same command begins anew; what nodes list by then is skipped.'], 0]);
    });

    it('has a line for every item', async () => {
      const controller = new AbortController();
      const { stdout } = await run([WEB, '-o', 'jsonl', '--parallel=1'], { onPulling: (node) => {
        if (node === 'win-2') controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
      } }, { signal: controller.signal });
      assert.deepEqual(stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { result?: string; phase?: string }).map(({ result, phase }) => result ?? phase), ['pulled', 'pending', 'pending', 'interrupted']);
    });

    it('by a reader of standard output that leaves, is no success, and says how to go on', async () => {
      for (const [stopsAt, words] of [['win-2', ['The same command does the rest; what is done is not repeated.', 'What is left of this run goes by itself; at once: kubectl win prepull cleanup a1b2c3 -n default']], ['win-1', ['The same command begins anew; what nodes list by then is skipped.']]] as const) {
        const controller = new AbortController();
        const result = await run([WEB, '-o', 'jsonl', '--parallel=1'], { onPulling: (node) => {
          if (node === stopsAt) controller.abort(new PipeClosed('stdout was closed'));
        } }, { signal: controller.signal });
        assert.deepEqual([result.exitCode, lines(result.stderr).slice(-1 - words.length)], [130, ['error: interrupted: standard output was closed', ...words]]);
      }
      const whilePlanning = async (argv: readonly string[]): Promise<readonly unknown[]> => {
        const controller = new AbortController();
        const registry = answeringRegistry(answers);
        const leaving = { ...registry, lookUp: async (...asked: Parameters<typeof registry.lookUp>) => {
          controller.abort(new PipeClosed('stdout was closed'));
          controller.signal.throwIfAborted();
          return registry.lookUp(...asked);
        } };
        const { exitCode, stderr, cluster } = await run([WEB, ...argv], {}, { signal: controller.signal, registry: leaving });
        return [exitCode, stderr, cluster.writes];
      };
      assert.deepEqual(await whilePlanning(['-o', 'jsonl']), [130, 'error: interrupted: standard output was closed\nNothing was begun.\n', []]);
      // a plan changes nothing
      assert.deepEqual(await whilePlanning(['--dry-run=client']), [0, '', []]);
    });

    it('by an error of the API server in the middle, says the same', async () => {
      const refusals: Record<string, Error> = {};
      const result = await run([WEB, '-o', 'json', '--parallel=1'], { refusals, onPulling: (node) => {
        if (node === 'win-2') refusals['create jobs'] = new ClusterError('error: You must be logged in to the server', { reason: 'Unauthorized', status: 401 });
      } });
      assert.deepEqual([result.exitCode, reportOf(result).phase], [3, 'interrupted'], result.stderr);
      assert.deepEqual(lines(result.stderr).slice(-3), [
        'error: You must be logged in to the server', 'The same command does the rest; what is done is not repeated.', 'What is left of this run goes by itself; at once: kubectl win prepull cleanup a1b2c3 -n default',
      ]);
    });

    it('by the cluster itself, prints the report and ends with its error', async () => {
      const result = await run([WEB, '-o', 'json'], { errors: { 'list pods': forbidden('list', 'pods') } });
      assert.deepEqual([result.exitCode, reportOf(result).phase], [3, 'interrupted']);
      assert.match(result.stderr, /^Error from server \(Forbidden\): pods is forbidden$/m);
      assert.deepEqual([...result.cluster.jobs.keys()], []);
    });

    it('before there was a plan, is that and no more', async () => {
      const controller = new AbortController();
      controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
      const result = await run([WEB], {}, { signal: controller.signal });
      assert.deepEqual([result.exitCode, result.stdout, result.stderr], [130, '', 'error: interrupted\n']);
    });
  });

  describe('--hold', () => {
    it('leaves the pods, which are removed with the Job of the run at its deadline', async () => {
      const result = await run([WEB, '--hold', '8h', '-o', 'json', '--parallel=1']);
      const report = reportOf(result);
      assert.deepEqual([result.exitCode, report.phase, result.cluster.jobs.size], [0, 'succeeded', 4], result.stderr);
      assert.ok(report.items.every(({ message }) => message === 'pulled; held for 8h'));
      assert.match(result.stderr, /^note: 3 pods of the run a1b2c3 in default hold images for 8h, and go by themselves; at once: kubectl win prepull cleanup a1b2c3 -n default$/m);
      const deadline = (result.cluster.jobs.get('kubectl-win-prepull-a1b2c3') as unknown as { spec: { activeDeadlineSeconds: number } }).spec.activeDeadlineSeconds;
      assert.ok(deadline > 28_800 + 3 * 192 && deadline < 28_800 + 3 * 200 + 60, String(deadline));
      // those that stay take no place from others
      assert.equal(result.cluster.mostAtOnce(), 3);
      const status = (await runCommand(['prepull', 'status', '-o', 'wide'], { reader: result.cluster.reader, writer: result.cluster.writer, clock: result.cluster.clock })).stdout;
      assert.match(status, /a1b2c3 +default +succeeded +3\/3 +0 +0 +0 /);
    });

    it('holds what is there, and says what cannot be held', async () => {
      const result = await run([API, '--node', 'win-1,win-2', '--hold', '1h', '-o', 'json'], { fateOf: fates({ 'win-2': 'present', 'win-1': { seconds: 3, sizeBytes: 1, hasNoShell: true } }) });
      const report = reportOf(result);
      assert.deepEqual(report.items.map(({ node, action, result: outcome, message }) => [node, action, outcome, message]), [
        ['win-1', 'pull', 'pulled', 'pulled; not held: its container does not run, which needs a shell in the image'], ['win-2', 'pull', 'present', 'it was on the node; held for 60m'],
      ]);
      assert.deepEqual([result.exitCode, result.cluster.jobs.size, report.summary['plannedBytes']], [0, 2, gib(0.4)]);
    });

    it('keeps nothing that is interrupted', async () => {
      const controller = new AbortController();
      const { cluster, exitCode } = await run([WEB, '--hold=1h', '--parallel=1'], { onPulling: (node) => {
        if (node === 'win-2') controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
      } }, { signal: controller.signal });
      assert.deepEqual([exitCode, [...cluster.jobs.keys()]], [130, ['kubectl-win-prepull-a1b2c3']]);
    });

    it('is in the objects of a dry run', async () => {
      const jobs = parseAllDocuments((await run([WEB, '--node=win-1', '--hold=1h', '--dry-run=client', '-o', 'yaml'])).stdout).map((document) => document.toJS() as { spec: { activeDeadlineSeconds: number; template: { spec: { containers: readonly { command: readonly string[]; stdin: boolean }[] } } } });
      assert.deepEqual([jobs[0]?.spec.activeDeadlineSeconds, jobs[1]?.spec.activeDeadlineSeconds], [2700 + 3600 + 120, 2700 + 3600]);
      assert.deepEqual(jobs[1]?.spec.template.spec.containers.map(({ command, stdin }) => [command, stdin]), [[['cmd.exe', '/c', 'ping -n 3601 127.0.0.1 >NUL || set /p held='], true]]);
    });
  });

  describe('--watch-nodes', () => {
    const joins = [
      { seconds: 20, node: rawNode('win-4', { pool: 'npwin' }) }, { seconds: 21, node: rawNode('win-5', { pool: 'npold', kernelVersion: '10.0.17763.8389', runtime: 'containerd://1.7.28' }) },
      { seconds: 22, node: rawNode('win-6', { pool: 'npwin', ready: false }) }, { seconds: 23, node: rawNode('win-4', { pool: 'npwin' }) }, { seconds: 9e6, node: rawNode('win-7', { pool: 'npwin' }) },
    ];
    const became = async (argv: readonly string[], parts: PullingClusterParts = {}): Promise<readonly unknown[]> => reportOf(await run([...argv, '-o', 'json'], { joins, ...parts })).items.map(({ node, result: outcome }) => `${node} ${outcome}`);

    it('pulls onto nodes that come, each once, and not without it', async () => {
      assert.deepEqual(await became([WEB, '--watch-nodes']), ['win-1 pulled', 'win-2 pulled', 'win-3 pulled', 'win-4 pulled', 'win-5 pulled']);
      assert.deepEqual(await became([WEB]), ['win-1 pulled', 'win-2 pulled', 'win-3 pulled']);
      assert.match((await run([WEB, '--watch-nodes'], { joins })).stderr, /^win-4 {2}joined: 1 pull$/m);
    });

    it('takes those that match', async () => {
      assert.deepEqual(await became([WEB, '--watch-nodes', '--pool=npwin']), ['win-1 pulled', 'win-2 pulled', 'win-4 pulled']);
      assert.deepEqual(await became([WEB, '--watch-nodes', '-l', 'kubernetes.azure.com/agentpool=npold']), ['win-3 pulled', 'win-5 pulled']);
      assert.deepEqual(await became([WEB, '--watch-nodes', '--node=win-1']), ['win-1 pulled']);
      assert.deepEqual(await became(['--from', 'deploy/web', '-n', 'shop', '--watch-nodes']), ['win-1 pulled', 'win-2 pulled', 'win-4 pulled']);
    });

    it('refuses what they cannot run, and takes nodes that were not Ready', async () => {
      assert.deepEqual(await became([API, '--watch-nodes']), ['win-1 pulled', 'win-2 skipped', 'win-3 refused', 'win-4 pulled', 'win-5 refused']);
      const objects = { nodes: [rawNode('win-1', { pool: 'npwin' }), rawNode('win-4', { pool: 'npwin', ready: false })] };
      assert.deepEqual(await became([WEB, '--watch-nodes'], { objects }), ['win-1 pulled', 'win-4 pulled', 'win-5 pulled']);
      const { stdout } = await run([WEB, '--watch-nodes', '-o', 'jsonl'], { joins, objects });
      assert.deepEqual(stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { node?: string; result?: string }).map(({ node, result: outcome }) => `${node} ${outcome}`), ['win-1 pulled', 'win-4 pulled', 'win-5 pulled', 'undefined undefined']);
    });
  });

  describe('--keep-warm', () => {
    const builds = [
      rawNode('win-1', { pool: 'npwin', labels: { 'node.kubernetes.io/windows-build': '10.0.20348' } }), rawNode('win-2', { pool: 'npwin', labels: { 'node.kubernetes.io/windows-build': '10.0.20348' } }),
      rawNode('win-3', { pool: 'npold', kernelVersion: '10.0.17763.8389', runtime: 'containerd://1.7.28', labels: { 'node.kubernetes.io/windows-build': '10.0.17763' } }),
    ];
    const parts = { objects: { nodes: builds, deployments: [deployment] } };

    it('makes a DaemonSet for the nodes of each set of images, and says how to end it', async () => {
      const result = await run([WEB, API, '--keep-warm', '-o', 'json', '--min-success=80%'], parts);
      const report = reportOf(result);
      assert.deepEqual([result.exitCode, report.phase, [...result.cluster.daemonSets.keys()], result.cluster.jobs.size], [0, 'running', ['kubectl-win-keep-warm-a1b2c3-0', 'kubectl-win-keep-warm-a1b2c3-1'], 0], result.stderr);
      assert.match(result.stderr, /^run a1b2c3 stands until kubectl win prepull cleanup a1b2c3 -n default; how far it is: kubectl win prepull status a1b2c3 -n default$/m);
      const again = (...argv: string[]): Promise<RunResult> => runCommand(['prepull', ...argv], { reader: result.cluster.reader, writer: result.cluster.writer, clock: result.cluster.clock });
      assert.match((await again('status')).stdout, /^a1b2c3 +default +standing +0\/0 +0 +0 +0s +never$/m);
      assert.deepEqual((JSON.parse((await again('status', '-o', 'json')).stdout) as { items: readonly { images: readonly string[] }[] }).items[0]?.images, [API, WEB]);
      assert.match((await again('cleanup', 'a1b2c3')).stdout, /^a1b2c3 +default +0 +2$/m);
      assert.equal(result.cluster.daemonSets.size, 0);
    });

    it('is not made twice, and names what stands besides', async () => {
      const first = await run([WEB, '--keep-warm'], parts);
      const standing = (): readonly string[] => [...first.cluster.daemonSets.keys()];
      const { reader, writer, clock } = first.cluster;
      const again = (id: string, ...argv: string[]): Promise<RunResult> => runCommand(['prepull', '--keep-warm', ...argv], {
        reader: { ...reader, namespace: 'default' }, writer, clock, ports: { openRegistry: async () => answeringRegistry(answers), createRunId: () => id }, env: { KUBECTL_WIN_IMAGES: 'auto' },
      });
      const same = await again('second', WEB, '-o', 'json', '--parallel=2');
      const report = reportOf(same);
      assert.deepEqual([same.exitCode, report.run, report.phase, report.summary['pending'], standing()], [0, 'a1b2c3', 'running', 3, ['kubectl-win-keep-warm-a1b2c3-0']], same.stderr);
      assert.match(same.stderr, new RegExp(`^note: run a1b2c3 keeps ${WEB} warm already, on the same nodes and as the same account: no second DaemonSet is made$`, 'm'));
      assert.match(same.stderr, /^run a1b2c3 stands until kubectl win prepull cleanup a1b2c3 -n default;/m);
      // as somebody else it is not the same, and the first one goes on to stand
      const other = await again('third', WEB, '--service-account=puller');
      assert.deepEqual([other.exitCode, standing()], [0, ['kubectl-win-keep-warm-a1b2c3-0', 'kubectl-win-keep-warm-third-0']], other.stderr);
      assert.match(other.stderr, new RegExp(`^note: run a1b2c3 also keeps ${WEB} warm in default, in a way that is not of this plan; where it is no longer wanted: kubectl win prepull cleanup a1b2c3 -n default$`, 'm'));
      // the set of one build stands, that of the other does not
      const part = await again('fourth', WEB, '--pool=npwin');
      assert.deepEqual(standing().slice(2), ['kubectl-win-keep-warm-fourth-0'], part.stderr);
      const both = reportOf(await again('fifth', WEB, API, '--dry-run=server', '-o', 'json'));
      assert.deepEqual([both.run, both.phase, standing().length], [null, 'planned', 3]);
    });

    it('is printed for GitOps', async () => {
      const result = await run([WEB, API, '--keep-warm', '-l', 'kubernetes.io/arch!=arm64', '--service-account=puller', '--dry-run=client', '-o', 'yaml'], parts);
      assert.deepEqual([result.exitCode, result.cluster.writes], [1, []]);
      assertGolden('prepull/keep-warm.yaml', result.stdout);
    });

    it('is for the pools where a workload can land', async () => {
      const [daemonSet, more] = parseAllDocuments((await run(['--from', 'deploy/web', '-n', 'shop', '--keep-warm', '--dry-run=client', '-o', 'yaml'], parts)).stdout).map((document) => document.toJS() as KubeObject);
      assert.equal(more, undefined);
      assert.deepEqual((daemonSet as unknown as { spec: { template: { spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: unknown } }; serviceAccountName: string } } } }).spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution, {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'node.kubernetes.io/windows-build', operator: 'In', values: ['10.0.20348'] }] }],
      });
    });

    it('leaves out what has no shell', async () => {
      const small = answeringRegistry({ [WEB]: index([V2019, V2022], { sizes: [40_000_000, 40_000_000] }) });
      const result = await run([WEB, '--keep-warm', '-o', 'json'], parts, { registry: small });
      assert.deepEqual([result.exitCode, reportOf(result).items.map(({ action, reason }) => [action, reason])[0], result.cluster.writes], [1, ['refuse', 'NoShell'], []]);
    });

    it('is made whole or not at all', async () => {
      const refusal = new ClusterError('exceeded quota', { reason: 'Forbidden', status: 403 });
      const cluster = pullingCluster(parts);
      let made = 0;
      const result = await runCommand(['prepull', WEB, API, '--keep-warm'], { reader: cluster.reader, clock: cluster.clock, writer: { ...cluster.writer, create: async (resource, object, options) => {
        if (options?.dryRun !== true && (made += 1) === 2) throw refusal;
        return cluster.writer.create(resource, object, options);
      } }, ports: { openRegistry: async () => answeringRegistry(answers), createRunId: () => 'a1b2c3' }, env: { KUBECTL_WIN_IMAGES: 'auto' } });
      assert.deepEqual([result.exitCode, cluster.daemonSets.size, made], [3, 0, 2]);
    });

    it('asks first whether it may', async () => {
      const result = await run([WEB, '--keep-warm'], { ...parts, missingRights: ['create daemonsets'] });
      assert.deepEqual([result.exitCode, result.cluster.writes], [3, []]);
      assert.match(result.stderr, /not allowed in the namespace default: create daemonsets\n-o yaml --dry-run=client prints the DaemonSets/);
      const refused = await run([WEB, '--keep-warm', '--dry-run=server'], { ...parts, refusals: { 'create pods': new ClusterError('violates PodSecurity "x"', { reason: 'Forbidden', status: 403 }) } });
      assert.deepEqual([refused.exitCode, writesOf(refused, 'create')], [3, []]);
    });

    it('is refused where nobody would hold the window', async () => {
      const { exitCode, stderr } = await run([WEB, '--keep-warm', '--parallel=2'], parts);
      assert.equal(exitCode, 2);
      assert.match(stderr, /^error: --keep-warm begins all pulls at once, 3 here[^\n]*\n--parallel=0 allows it\na run before it, without --keep-warm, pulls as many at a time as --parallel says$/m);
    });
  });

  describe('--engine=kruise', () => {
    const kruise = async (argv: readonly string[], parts: KruiseClusterParts = {}): Promise<RunResult> => {
      const cluster = kruiseCluster({ objects: { nodes, deployments: [deployment] }, ...parts });
      return runCommand(['prepull', ...argv, '--engine=kruise'], {
        reader: cluster.reader, writer: cluster.writer, clock: cluster.clock, ports: { openRegistry: async () => answeringRegistry(answers), sleep: cluster.sleep, createRunId: () => 'a1b2c3' }, env: { KUBECTL_WIN_IMAGES: 'auto' },
      });
    };

    it('lets OpenKruise pull, into the same report', async () => {
      const result = await kruise([WEB, API, '-o', 'json'], { fateOf: (node) => (node === 'win-1' ? { message: 'pull access denied' } : 90) });
      const report = reportOf(result);
      assert.deepEqual(report.items.map(({ node, image, result: outcome, reason }) => `${node} ${image === WEB ? 'web' : 'api'} ${outcome} ${reason}`), [
        'win-1 web failed Unauthorized', 'win-2 web pulled PulledOrPresent', 'win-3 web pulled PulledOrPresent', 'win-1 api failed Unauthorized', 'win-2 api skipped Present', 'win-3 api refused NoMatchForPlatform',
      ]);
      assert.deepEqual([result.exitCode, report.phase, report.notes.filter((note) => note.startsWith('OpenKruise'))], [1, 'failed', [
        'OpenKruise holds a window for each image: 5 nodes at a time for each of 2 images, up to 10 pulls (https://github.com/openkruise/kruise/issues/2208)',
      ]]);
      // it does not say what was there already
      assert.match(result.stderr, /^2 images on 3 Windows nodes: 2 pulled, 1 skipped, 2 failed, 1 refused$/m);
    });

    it('interrupted leaves nothing, and speaks of nothing that is left', async () => {
      const controller = new AbortController();
      const cluster = kruiseCluster({ objects: { nodes }, fateOf: (node) => (node === 'win-1' ? 1 : 600) });
      let looks = 0;
      const result = await runCommand(['prepull', WEB, '--engine=kruise'], {
        reader: cluster.reader, writer: cluster.writer, clock: cluster.clock, signal: controller.signal, env: { KUBECTL_WIN_IMAGES: 'auto' }, ports: { openRegistry: async () => answeringRegistry(answers), createRunId: () => 'a1b2c3', sleep: async (...parts) => {
          looks += 1;
          if (looks === 4) controller.abort(new DOMException('interrupted by SIGINT', 'AbortError'));
          await cluster.sleep(...parts);
        } },
      });
      assert.deepEqual([result.exitCode, cluster.jobs.size, lines(result.stderr).slice(-3)], [130, 0, ['1 image on 3 Windows nodes: 1 pulled, 2 pending', 'error: interrupted', 'The same command begins anew; what nodes list by then is skipped.']]);
    });

    it('says what to do where it is not installed', async () => {
      const { exitCode, stdout, stderr } = await kruise([WEB], { resources: [] });
      assert.deepEqual([exitCode, stdout], [3, '']);
      assert.match(stderr, /^error: --engine=kruise: the cluster has no imagepulljobs\.apps\.kruise\.io\n--engine=jobs needs nothing in the cluster\n/m);
    });

    it('prints its objects', async () => assertGolden('prepull/kruise.yaml', (await kruise([WEB, API, '--pull-secret=shop-registry', '--dry-run=client', '-o', 'yaml'])).stdout));

    it('is left to itself with --detach, whatever the window', async () => {
      const result = await kruise([WEB, '--detach', '--parallel=1', '-o', 'json']);
      assert.deepEqual([result.exitCode, reportOf(result).phase], [0, 'running'], result.stderr);
    });
  });

  describe('--detach', () => {
    it('begins everything, says how to ask for it, and ends', async () => {
      const result = await run([WEB, API, '--detach', '-o', 'json', '--min-success=75%']);
      const report = reportOf(result);
      assert.deepEqual([result.exitCode, report.run, report.phase, report.summary['pending'], [...result.cluster.jobs.keys()].length], [0, 'a1b2c3', 'running', 4, 5], result.stderr);
      assert.match(result.stderr, /^run a1b2c3 goes on without this program; how far it is: kubectl win prepull status a1b2c3 -n default$/m);
      assert.ok([...result.cluster.jobs.values()].slice(1).every((job) => (job as unknown as { spec: { activeDeadlineSeconds: number } }).spec.activeDeadlineSeconds === 2 * 2700));
    });

    it('goes on, which status tells', async () => {
      const { cluster } = await run([WEB, '--detach'], { fateOf: fates({ 'win-1': NO_AUTH }) });
      const status = async (): Promise<string> => (await runCommand(['prepull', 'status', 'a1b2c3'], { reader: cluster.reader, writer: cluster.writer, clock: cluster.clock })).stdout;
      assert.match(await status(), /a1b2c3 +default +running +0\/3/);
      for (let second = 0; second < 240; second += 10) await cluster.sleep(10_000, new AbortController().signal);
      assert.match(await status(), /a1b2c3 +default +running +2\/3/);
    });

    it('is refused where nobody would hold the window', async () => {
      const result = await run([WEB, '--detach', '--parallel=2']);
      assert.deepEqual([result.exitCode, result.cluster.writes], [2, []]);
      assert.match(result.stderr, /^error: --detach begins all pulls at once, 3 here, and nobody holds them to --parallel=2\n--parallel=0 allows it\nwithout --detach pulls as many at a time as --parallel says$/m);
      assert.equal((await run([WEB, '--detach', '--parallel=0'])).exitCode, 0);
    });

    it('is refused where the quota has no room for all', async () => {
      const quota: KubeObject = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few', namespace: 'default' }, spec: {}, status: { hard: { pods: '2' }, used: { pods: '0' } } } as unknown as KubeObject; // as the API server writes it
      const result = await run([WEB, '--detach'], { objects: { nodes, resourcequotas: [quota] } });
      assert.deepEqual([result.exitCode, writesOf(result, 'create')], [3, []]);
      assert.match(result.stderr, /leaves room for 2 pods, and 3 would be there at once/);
    });

    it('fails at once where the rest cannot reach --min-success', async () => {
      const { exitCode, stderr } = await run([API, '--detach']);
      assert.equal(exitCode, 1);
      assert.match(stderr, /^--min-success: 66\.6% of the images on nodes would be warm, and 100% are asked for: 1 refused$/m);
    });
  });

  describe('progress', () => {
    it('is one line that moves on a terminal, with what fails above it', async () => {
      const { stdout, stderr } = await run([WEB], { fateOf: fates({ 'win-1': NO_AUTH }) }, { isTerminal: true, env: { TERM: 'xterm' } });
      assert.match(stderr, /planning/);
      assert.match(stderr, new RegExp(`win-1 {2}${WEB} {2}failed: `));
      assert.ok(!stderr.includes(`win-2  ${WEB}`), stderr);
      assert.ok(stdout.startsWith('NODE '));
    });

    for (const [name, env] of [['in CI', { CI: 'true' }], ['on a terminal that can nothing', { TERM: 'dumb' }]] as const) {
      it(`is a line per change ${name}`, async () => {
        const { stderr } = await run([WEB], {}, { isTerminal: true, env });
        assert.match(stderr, new RegExp(`^win-2 {2}${WEB} {2}pulled in 3m12s \\(1\\.9Gi\\)$`, 'm'));
        assert.ok(!stderr.includes('planning'));
      });
    }

    for (const columns of [0, 12]) {
      it(`is a line per change on a terminal of ${columns} columns`, async () => {
        const { stderr } = await run([WEB], {}, { isTerminal: true, columns, env: { TERM: 'xterm' } });
        assert.match(stderr, /pulled in 3m12s/);
        assert.ok(!stderr.includes(ESCAPE));
      });
    }

    it('fits a narrow terminal', async () => {
      const { stderr } = await run([WEB], {}, { isTerminal: true, columns: 24, env: { TERM: 'xterm', NO_COLOR: '' } });
      const drawn = stderr.split(ESCAPE).map((part) => part.replace(/^\[\??\w+/, '')).filter((part) => /^[-\\|/] /.test(part));
      assert.ok(drawn.length > 0 && drawn.every((part) => part.length <= 24), JSON.stringify(drawn));
    });

    it('is without colour where NO_COLOR says so', async () => {
      const { stdout, stderr } = await run([WEB], {}, { isTerminal: true, env: { NO_COLOR: '1', TERM: 'xterm' } });
      assert.ok(!stdout.includes(ESCAPE));
      // movements of the cursor are no colours
      assert.ok(!stderr.includes(`${ESCAPE}[3`));
    });
  });

  describe('refuses', () => {
    for (const [argv, message] of [
      [[], 'nothing to pull: give images, manifests with -f, or a workload with --from'],
      [[WEB, '-f', 'x'], 'when paths, URLs, or stdin is provided as resource input, you may not specify image arguments as well'],
      [[WEB, '--from', 'deploy/web'], '--from takes the images of workloads; it cannot be used with image arguments'],
      [['-f', 'x', '--from', 'deploy/web'], '--from and -f cannot be used together'],
      [[WEB, '--from-plan', 'x'], '--from-plan takes the images of a plan; it cannot be used with image arguments'],
      [['-f', 'x', '--from-plan', 'x'], 'it cannot be used with -f'],
      [['--from', 'deploy/web', '--from-plan', 'x'], 'it cannot be used with --from'],
      [['--from-plan', '-', '--inventory', '-', '--dry-run=client'], 'standard input is read once'],
      [['--from-plan', '/nowhere/plan.json'], '/nowhere/plan.json: cannot be read: open /nowhere/plan.json: no such file or directory'],
      [[WEB, '-o', 'jsonl', '--sort-by', 'time'], '-o jsonl prints items as they end'],
      [[WEB, '-o', 'jsonlines'], 'allowed formats are: csv,custom-columns,custom-columns-file,html,json,jsonl,jsonpath'],
      [[WEB, '-R'], '-R needs a folder in -f'],
      [['deploy/web'], '"deploy/web" names a workload, and arguments are images'],
      [[''], 'an image has no empty name'],
      [['--from', 'web'], 'must be TYPE/NAME'],
      [['--from', 'deploy/web/x'], 'must be TYPE/NAME'],
      [[WEB, '--inventory', 'x'], '--inventory can be planned for, and nothing be pulled onto its nodes'],
      [[WEB, '--inventory', 'x', '--dry-run=server'], '--inventory can be planned for'],
      [['-f', '-', '--inventory', '-', '--dry-run=client'], 'standard input is read once'],
      [[WEB, '--as-of', '2026-01-01'], '--as-of is for a plan'],
      [[WEB, '--keep-warm', '--detach'], '--keep-warm and --detach cannot be used together'],
      [[WEB, '--keep-warm', '--hold=1h'], '--keep-warm and --hold cannot be used together'],
      [[WEB, '--keep-warm', '--node=win-1'], '--keep-warm and --node cannot be used together: it is for nodes that will come'],
      [[WEB, '--engine=kruise', '--hold=1h'], '--engine=kruise and --hold cannot be used together: OpenKruise pulls without pods'],
      [[WEB, '--engine=cri'], 'must be one of: jobs, kruise'],
      [[WEB, '--watch-nodes', '--detach'], '--watch-nodes and --detach cannot be used together: it takes a run that this program follows'],
      [[WEB, '--hold', 'x'], 'invalid argument "x" for "--hold" flag'],
      [[WEB, '--min-free', '15'], 'must be a share from 0% to 100%'],
      [[WEB, '--min-success', '101%'], 'must be a share from 0% to 100%'],
      [[WEB, '--timeout', '0'], 'must be from 1s to 168h'],
      [[WEB, '--timeout', 'soon'], 'invalid argument "soon" for "--timeout" flag'],
      [[WEB, '--parallel=-1'], 'must be at least 0'],
      [[WEB, '--dry-run=all'], 'must be one of: none, client, server'],
      [[WEB, '-o', 'go-template={{.}}'], 'unable to match a printer suitable for the output format'],
      [[WEB, '--live'], 'unknown flag: --live'],
    ] as const) {
      it(argv.join(' ') || 'nothing', async () => {
        const result = await run(argv);
        assert.equal(result.exitCode, 2, result.stderr);
        assert.ok(result.stderr.startsWith('error: ') || result.stderr.startsWith('unable'), result.stderr);
        assert.ok(result.stderr.includes(message), result.stderr);
        assert.deepEqual([result.stdout, result.cluster.writes], ['', []]);
      });
    }
  });

  describe('stands beside its commands', () => {
    it('which its help names', async () => {
      const { stdout, exitCode } = await run(['--help']);
      assert.equal(exitCode, 0);
      assert.match(stdout, /\nAvailable Commands:\n {2}cleanup {3}Remove what is left .*\n {2}status {4}Show the runs .*\n/);
      assert.match(stdout, /\nUse "kubectl win prepull <command> --help" for more information about a given command\.\n/);
    });

    it('with flags before and between the words', async () => {
      for (const argv of [['-o', 'json', 'status'], ['status', '-o', 'json'], ['-n', 'default', 'status', '-ojson']]) {
        assert.equal((JSON.parse((await run(argv)).stdout) as { kind: string }).kind, 'PrepullRunList', argv.join(' '));
      }
    });

    it('and takes an image of such a name behind --', async () => {
      assert.equal(reportOf(await run(['--dry-run=client', '--images=tags', '-o', 'json', '--', 'status'])).items[0]?.image, 'status');
    });
  });
});
