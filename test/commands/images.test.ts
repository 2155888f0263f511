import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterReader } from '../../src/app/ports.ts';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../src/errors.ts';
import { PROJECT_ROOT } from '../../src/tooling/source-commands.ts';
import { fakeCluster, type FakeCluster, type FakeClusterParts, forbidden, rawNode } from '../support/fake-cluster.ts';
import { failure, answeringRegistry, type AnsweringRegistry, index, manifest } from '../support/answering-registry.ts';
import { assertGolden } from '../support/golden.ts';
import { runCommand, type RunOptions, type RunResult } from '../support/run-command.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const SAMPLE = join(PROJECT_ROOT, 'src', 'sample', 'sample-cluster.json');
const ESCAPE = '\u001B';
const [V2019, V2022, V2025] = ['windows/10.0.17763.8389', 'windows/10.0.20348.5386', 'windows/10.0.26100.33158'];

const nodes = [
  rawNode('linux-0', { os: 'linux' }),
  rawNode('w19', { kernelVersion: '10.0.17763.8389', runtime: 'containerd://1.7.28' }),
  rawNode('w22', { images: [{ names: ['registry.example/shop/sized@sha256:11', 'registry.example/shop/sized:4'], sizeBytes: 104_857_600 }] }),
  rawNode('w25-old', { kernelVersion: '10.0.26100.32995', runtime: 'containerd://2.0.4+azure' }),
  rawNode('w25-new', { kernelVersion: '10.0.26100.32995', runtime: 'containerd://2.1.6' }),
];

interface PodParts {
  readonly os?: 'windows' | 'linux' | null;
  readonly hostProcess?: boolean;
  readonly secrets?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

function spec(image: string, { os = 'windows', hostProcess, secrets, more }: PodParts = {}): Record<string, unknown> {
  return {
    ...(os === null ? {} : { os: { name: os }, nodeSelector: { 'kubernetes.io/os': os } }), tolerations: [{ operator: 'Exists' }],
    ...(hostProcess === true ? { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } } : {}),
    ...(secrets === undefined ? {} : { imagePullSecrets: secrets.map((name) => ({ name })) }),
    containers: [{ name: 'main', image }], ...more,
  };
}

function deployment(name: string, image: string, parts: PodParts & { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> } = {}): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: parts.namespace ?? 'default', labels: parts.labels ?? {} }, spec: { template: { metadata: {}, spec: spec(image, parts) } } };
}

function runningPod(name: string, image: string, node: string, owner: string | null, imageId = ''): KubeObject {
  return {
    apiVersion: 'v1', kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { 'pod-template-hash': 'abc' }, ...(owner === null ? {} : { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${owner}-abc`, controller: true }] }) },
    spec: { ...spec(image), nodeName: node }, status: { phase: 'Running', containerStatuses: [{ name: 'main', image, imageID: imageId, state: { running: {} } }] },
  };
}

const deployments = [
  deployment('both', 'registry.example/shop/both:1'),
  deployment('single', 'registry.example/shop/single:1'),
  deployment('wrong-tag', 'registry.example/shop/web:ltsc2019'),
  deployment('linux-only', 'registry.example/shop/tool:1'),
  deployment('gone', 'registry.example/shop/gone:ltsc2022'),
  deployment('agent', 'registry.example/ops/agent:1', { hostProcess: true }),
  deployment('sized', 'registry.example/shop/sized:4'),
  deployment('seen', 'registry.example/shop/seen:1'),
  deployment('nobody', 'registry.example/shop/nobody:1', { more: { initContainers: [{ name: 'setup', image: 'registry.example/shop/both:1' }] } }),
  deployment('bad', 'Nginx:1'), deployment('template', '${IMAGE}'),
  deployment('linux', 'docker.io/library/nginx:1.29', { os: 'linux' }),
];
const pods = [runningPod('seen-abc-1', 'registry.example/shop/seen:1', 'w22', 'seen', `registry.example/shop/seen@sha256:${'5'.repeat(64)}`)];

const answers = {
  'registry.example/shop/both:1': index(['linux/amd64', V2022, V2025], { sizes: [1, 2_000_000_000, 2_100_000_000] }),
  'registry.example/shop/single:1': manifest(V2022, { size: 300_000_000 }),
  'registry.example/shop/web:ltsc2019': index([V2022]),
  'registry.example/shop/tool:1': index(['linux/amd64', 'linux/arm64']),
  'registry.example/shop/gone:ltsc2022': failure('Unauthorized', 'registry.example answered 401 Unauthorized', ['docker login registry.example']),
  'registry.example/ops/agent:1': manifest(V2019),
  'registry.example/shop/sized:4': failure('Timeout', 'registry.example did not answer within 10 s'),
  'registry.example/shop/seen:1': failure('Timeout', 'registry.example did not answer within 10 s'),
  'registry.example/shop/nobody:1': failure('Forbidden', 'registry.example answered 403 Forbidden'),
};

interface JsonItem {
  readonly image: string;
  readonly evidence: string;
  readonly isMissing: boolean;
  readonly shape: string;
  readonly digest: string | null;
  readonly platforms: readonly { readonly osVersion: string | null; readonly sizeBytes: number | null }[];
  readonly notes: readonly string[];
  readonly registryFailure: { readonly reason: string } | null;
  readonly sizeBytes: number | null;
  readonly sizeFrom: string | null;
  readonly releases: readonly string[] | null;
  readonly runsOn: readonly string[] | null;
  readonly landsOn: readonly string[] | null;
  readonly failsWhereUsed: readonly string[] | null;
  readonly unknownOn: readonly string[] | null;
  readonly judgement: string;
  readonly verdicts: readonly { readonly verdict: string; readonly isolation: string; readonly nodes: readonly string[]; readonly entries: readonly string[]; readonly errorTexts: readonly { readonly reason: string; readonly message: string }[] }[];
  readonly workloads: readonly { readonly object: { readonly kind: string; readonly name: string }; readonly containers: readonly string[] }[] | null;
}

interface Run extends RunResult {
  readonly cluster: FakeCluster;
  readonly registry: AnsweringRegistry;
}

async function run(argv: readonly string[], parts: FakeClusterParts = {}, options: RunOptions & { readonly registry?: AnsweringRegistry } = {}): Promise<Run> {
  const cluster = fakeCluster({ objects: { nodes, deployments, pods }, ...parts });
  const registry = options.registry ?? answeringRegistry(answers);
  const result = await runCommand(['images', ...argv], { reader: cluster, ports: { openRegistry: async () => registry }, ...options, env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: 'auto', ...options.env } });
  return { ...result, cluster, registry };
}

function itemsOf({ stdout, stderr }: RunResult): ReadonlyMap<string, JsonItem> {
  assert.notEqual(stdout, '', stderr);
  const document = JSON.parse(stdout) as { readonly items: readonly JsonItem[] };
  assertMatchesSchema('ImageReport', document);
  return new Map(document.items.map((item) => [item.image.replace(/^registry\.example\/\w+\//, ''), item]));
}

async function items(argv: readonly string[], parts: FakeClusterParts = {}, options: RunOptions & { readonly registry?: AnsweringRegistry } = {}): Promise<ReadonlyMap<string, JsonItem>> {
  return itemsOf(await run([...argv, '-o', 'json'], parts, options));
}

async function item(name: string, argv: readonly string[] = [], parts: FakeClusterParts = {}, options: RunOptions & { readonly registry?: AnsweringRegistry } = {}): Promise<JsonItem> {
  const found = (await items(argv, parts, options)).get(name);
  assert.ok(found !== undefined, `${name} is not shown`);
  return found;
}

const entriesOn = ({ verdicts }: JsonItem, node: string): readonly string[] | undefined => verdicts.find(({ nodes: names }) => names.includes(node))?.entries;

describe('kubectl win images', function () {
  this.timeout(20_000);

  describe('prints', () => {
    for (const [scenario, argv] of [
      ['table.txt', []], ['wide.txt', ['-o', 'wide']], ['list.json', ['-o', 'json']], ['list.yaml', ['-o', 'yaml']], ['name.txt', ['-o', 'name']],
      ['table.csv', ['-o', 'csv']], ['table.md', ['-o', 'markdown']], ['all-os.txt', ['--all-os']],
      ['custom-columns.txt', ['-o', 'custom-columns=IMAGE:.image,HOW:.evidence,BUILDS:.platforms[*].build']], ['jsonpath.txt', ['-o', 'jsonpath={range .items[*]}{.image}{" "}{.runsOn}{"\\n"}{end}']],
    ] as const) {
      it(scenario, async () => {
        const { stdout, stderr, exitCode } = await run(argv);
        assert.equal(exitCode, 0, stderr);
        assertGolden(`images/${scenario}`, stdout);
      });
    }

    it('sandbox images', async () => {
      const { stdout } = await runCommand(['images', '--inventory', SAMPLE, '--sandbox', '-n', 'kiosk', '-o', 'wide'], { env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: undefined } });
      assertGolden('images/sandbox.txt', stdout);
    });

    it('notes and a summary on stderr', async () => assertGolden('images/notes.txt', (await run([])).stderr));

    it('documents that match the committed schema', async () => {
      for (const argv of [[], ['--all-os'], ['--images=tags'], ['--images=off'], ['-A', '--sort-by', 'size'], ['registry.example/shop/both:1']]) assert.ok((await items(argv)).size > 0);
    });

    it('colour on a terminal only, and no control character of others', async () => {
      assert.ok(!(await run([])).stdout.includes(ESCAPE));
      assert.ok((await run([], {}, { isTerminal: true, env: { TERM: 'xterm' } })).stdout.includes(`${ESCAPE}[`));
      const evil = `registry.example/a${ESCAPE}[2J:1`;
      const registry = answeringRegistry({ 'registry.example/b:1': failure('ServerError', `registry.example said ${ESCAPE}[31mno`) });
      for (const format of ['', 'wide', 'name', 'json', 'yaml', 'jsonpath={.items[*].image}']) {
        const { stdout, stderr } = await run(['-o', format], { objects: { nodes, deployments: [deployment('x', evil), deployment('y', 'registry.example/b:1')] } }, { registry, isTerminal: true, env: { TERM: 'xterm', NO_COLOR: '1' } });
        assert.ok(!stdout.includes(ESCAPE) && !stderr.includes(ESCAPE), format);
      }
    });

    it('no headers, no footer', async () => {
      const { stdout, stderr } = await run(['--no-headers', '--images=tags']);
      assert.ok(!stdout.startsWith('IMAGE'));
      assert.equal(stderr, '');
    });

    it('the largest first', async () => {
      const { stdout, registry } = await run(['--sort-by', 'size', '-o', 'name']);
      assert.deepEqual(stdout.split('\n').slice(0, 3), ['registry.example/shop/both:1', 'registry.example/shop/single:1', 'registry.example/shop/sized:4']);
      assert.ok(registry.asked.every(({ sizes }) => sizes));
      assert.equal((await run(['--sort-by', '{.nothing}'])).exitCode, 2);
      // where there is nothing to sort, too, and before anything is read
      for (const by of ['bogus', '{.nothing}']) {
        const { stdout, stderr, exitCode, cluster } = await run(['--sort-by', by], { objects: { nodes } });
        assert.deepEqual([stdout, exitCode, cluster.calls], ['', 2, []], stderr);
      }
    });

    const SHOWN = ['csv', 'markdown', '', 'wide'] as const;
    it('how many of the nodes that pods can land on fail, the worst first', async () => {
      const pinned = deployment('pinned', 'registry.example/shop/web:ltsc2019', { more: { nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.17763' } } });
      const parts = { objects: { nodes, deployments: [...deployments.filter(({ metadata }) => ['agent', 'linux-only', 'nobody', 'single'].includes(String((metadata as { name?: unknown }).name))), pinned] } };
      const { stdout } = await run(['--sort-by', 'fails'], parts);
      assert.deepEqual(stdout.split('\n').slice(0, -1).map((line) => line.split(/ {2,}/)[4]), ['FAILS-WHERE-USED', '4/4', '1/1', '1/4', '1/4', '<unknown>', '<none>']);
      for (const format of SHOWN) assert.match((await run(['-o', format], parts)).stdout, /FAILS-WHERE-USED/);
      const { landsOn, failsWhereUsed } = await item('web:ltsc2019', [], parts);
      assert.deepEqual([landsOn, failsWhereUsed], [['w19'], ['w19']]);
    });

    it('problems alone with --problems, and counts all', async () => {
      const parts = { objects: { nodes, deployments: deployments.filter(({ metadata }) => ['agent', 'linux-only', 'nobody'].includes(String((metadata as { name?: unknown }).name))) } };
      assert.equal((await run(['--problems', '-o', 'name'], parts)).stdout, 'registry.example/shop/both:1\nregistry.example/shop/nobody:1\nregistry.example/shop/tool:1\n');
      for (const format of SHOWN) assert.ok(!(await run(['--problems', '-o', format], parts)).stdout.includes('ops/agent'), format);
      assert.match((await run(['--problems'], parts)).stderr, /^3 images for Windows: 2 by registry, 1 unknown; 1 without Windows; of 4 Windows nodes: 1 runs on all, /m);
      assert.deepEqual([...(await items(['--problems'], parts)).keys()], ['both:1', 'nobody:1', 'tool:1']);
      const none = await run(['--problems'], { objects: { nodes, deployments: deployments.filter(({ metadata }) => String((metadata as { name?: unknown }).name) === 'agent') } });
      assert.deepEqual([none.stdout, none.stderr.split('\n')[0]], ['', 'No problems found: 1 image looked at']);
    });

    it('how many nodes of a release fail where its nodes differ, in wide', async () => {
      const mixed = [rawNode('w25-1.7', { kernelVersion: '10.0.26100.1', runtime: 'containerd://1.7.5' }), rawNode('w25-2.1', { kernelVersion: '10.0.26100.1', runtime: 'containerd://2.1.6' })];
      const { stdout } = await run(['-o', 'wide'], { objects: { nodes: mixed, deployments: [deployment('wrong-tag', 'registry.example/shop/web:ltsc2019'), deployment('tag', 'registry.example/shop/gone:ltsc2019')] } }, { registry: answeringRegistry({ ...answers, 'registry.example/shop/gone:ltsc2019': failure('Timeout', 'late') }) });
      assert.match(stdout, /shop\/web:ltsc2019 .* ltsc2025\(1\/2\):fails-at-pull /);
      assert.match(stdout, /shop\/gone:ltsc2019 .* ltsc2025:fails /);
    });

    it('namespaces of users where there are several, and with -A', async () => {
      const two = [deployment('a', 'registry.example/shop/both:1'), deployment('b', 'registry.example/shop/both:1', { namespace: 'shop' })];
      assert.match((await run(['-A'], { objects: { nodes, deployments: two } })).stdout, / default\/deployment\/a,\+1\n/);
      assert.match((await run(['-A'], { objects: { nodes, deployments: two.slice(1) } })).stdout, / shop\/deployment\/b\n/);
      assert.match((await run([], { objects: { nodes, deployments: two } })).stdout, / deployment\/a\n/);
      assert.match((await run(['-A', '--fail-on=fail'], { objects: { nodes, deployments: two } })).stderr, /^--fail-on: .*both:1 \(on w19, default\/deployment\/a,\+1\)$/m);
    });

    it('short digests in the table alone', async () => {
      const image = `registry.example/signing@sha256:${'9f3c2b7a4d1e'.padEnd(64, '0')}`;
      const parts = { objects: { nodes, deployments: [deployment('a', image)] } };
      assert.match((await run([], parts)).stdout, /^registry\.example\/signing@sha256:9f3c2b7a4d1e /m);
      for (const format of ['wide', 'name', 'csv', 'markdown', 'json']) assert.ok((await run(['-o', format], parts)).stdout.includes(image), format);
    });
  });

  describe('knows images', () => {
    it('by their registry: an index whose entry hangs on the containerd of each node', async () => {
      const { evidence, shape, runsOn, verdicts, platforms, sizeBytes, sizeFrom, releases, ...both } = await item('both:1');
      assert.deepEqual([evidence, shape, runsOn, releases], ['registry', 'index', ['w22', 'w25-old', 'w25-new'], ['ltsc2022', 'ltsc2025']]);
      assert.deepEqual(platforms.map(({ osVersion }) => osVersion), [null, '10.0.20348.5386', '10.0.26100.33158']);
      assert.deepEqual([sizeBytes, sizeFrom], [2_100_000_000, 'registry']);
      assert.deepEqual(entriesOn({ verdicts } as JsonItem, 'w25-old'), ['10.0.20348.5386']);
      assert.deepEqual(entriesOn({ verdicts } as JsonItem, 'w25-new'), ['10.0.26100.33158', '10.0.20348.5386']);
      assert.deepEqual(verdicts[0]?.errorTexts, [{ reason: 'ErrImagePull', message: 'failed to pull and unpack image "registry.example/shop/both:1": no match for platform in manifest' }]);
      assert.deepEqual(both.failsWhereUsed, ['w19']);
      assert.deepEqual(both.workloads?.map(({ object, containers }) => `${object.name} ${containers.join()}`), ['both main', 'nobody setup']);
    });

    it('a single manifest fails at the start, not at the pull', async () => {
      const { verdicts, runsOn } = await item('single:1');
      assert.equal(verdicts[0]?.verdict, 'fails-at-start');
      assert.deepEqual(verdicts[0]?.errorTexts.map(({ reason }) => reason), ['StartError']);
      assert.deepEqual(runsOn, ['w22', 'w25-old', 'w25-new']);
    });

    it('an index without Windows runs nowhere', async () => {
      const { runsOn, judgement, releases } = await item('tool:1');
      assert.deepEqual([runsOn, judgement, releases], [[], 'fails-everywhere', []]);
      assert.match((await run([])).stdout, /shop\/tool:1 +<none> +registry +0\/4 nodes/);
    });

    it('against their tag, which is said', async () => assert.deepEqual((await item('web:ltsc2019')).notes, ['ltsc2019 in the tag names build 10.0.17763, and the registry holds 10.0.20348']));

    it('by their tag where the registry does not tell', async () => {
      const { evidence, registryFailure, notes, runsOn } = await item('gone:ltsc2022');
      assert.deepEqual([evidence, registryFailure?.reason, runsOn], ['tag', 'Unauthorized', ['w22', 'w25-old', 'w25-new']]);
      assert.deepEqual(notes, ['registry.example answered 401 Unauthorized']);
    });

    it('as not found, where their registry has no such image: runs nowhere that is known, whatever the tag says', async () => {
      const missing = { objects: { nodes, deployments: [deployment('typo', 'registry.example/shop/typo:ltsc2022')] } };
      const { isMissing, evidence, runsOn, judgement, registryFailure } = await item('typo:ltsc2022', [], missing);
      assert.deepEqual([isMissing, evidence, runsOn, judgement, registryFailure?.reason], [true, 'unknown', null, 'unknown', 'NotFound']);
      const { stdout, stderr, exitCode } = await run(['--fail-on=unknown'], missing);
      assert.match(stdout, /shop\/typo:ltsc2022 +<unknown> +not-found +<unknown> +<unknown> +<unknown> +deployment\/typo\n/);
      assert.match(stderr, /^note: registry\.example\/shop\/typo:ltsc2022 was not found: registry\.example has no registry\.example\/shop\/typo:ltsc2022$/m);
      assert.match(stderr, /^0 images for Windows; 1 not found; of 4 Windows nodes: 1 not known; 1 not known where their pods can land$/m);
      assert.match(stderr, /^--fail-on: of 1 image it is not known whether it runs where its pods can land: registry\.example\/shop\/typo:ltsc2022 \(on w19, not found, deployment\/typo\)$/m);
      assert.deepEqual([exitCode, (await run(['--fail-on=fail'], missing)).exitCode, (await run(['registry.example/shop/typo:ltsc2022', '--fail-on=unknown'])).exitCode], [1, 0, 1]);
      assert.equal((await item('both:1')).isMissing, false);
    });

    it('by what runs', async () => {
      const { evidence, runsOn, judgement, digest } = await item('seen:1');
      assert.deepEqual([evidence, runsOn?.includes('w22'), judgement, digest], ['observed', true, 'unknown', `sha256:${'5'.repeat(64)}`]);
    });

    it('not at all, with the reason', async () => {
      const { evidence, runsOn, unknownOn, judgement, registryFailure } = await item('nobody:1');
      assert.deepEqual([evidence, runsOn, unknownOn, judgement, registryFailure?.reason], ['unknown', null, ['w19', 'w22', 'w25-old', 'w25-new'], 'unknown', 'Forbidden']);
    });

    it('of HostProcess containers, which run on other builds than their own', async () => {
      const { runsOn, verdicts } = await item('agent:1');
      assert.deepEqual(runsOn, ['w19', 'w22', 'w25-old', 'w25-new']);
      assert.deepEqual(verdicts.map(({ isolation }) => isolation), ['host-process']);
    });

    it('of containers of both kinds, which is said', async () => {
      const both = [deployment('a', 'registry.example/ops/agent:1'), deployment('b', 'registry.example/ops/agent:1', { hostProcess: true })];
      const { runsOn, verdicts, notes } = await item('agent:1', [], { objects: { nodes, deployments: both } });
      assert.deepEqual([...new Set(verdicts.map(({ isolation }) => isolation))].toSorted(), ['host-process', 'process']);
      assert.deepEqual(runsOn, ['w19']);
      assert.match(notes.join(), /HostProcess containers use it, and others/);
    });

    it('that are no references', async () => {
      const known = await items([]);
      assert.deepEqual(known.get('Nginx:1')?.verdicts.map(({ verdict, errorTexts }) => [verdict, errorTexts]), [['fails-at-pull', [{ reason: 'InvalidImageName', message: 'Failed to apply default image tag "Nginx:1": couldn\'t parse image name "Nginx:1"' }]]]);
      assert.equal(known.get('${IMAGE}')?.judgement, 'fails-everywhere');
      assert.ok((await run([])).registry.asked.every(({ image }) => image !== 'Nginx:1' && image !== '${IMAGE}'));
    });

    it('under two spellings, as two rows with one digest', async () => {
      const both = [deployment('a', 'nginx:1'), deployment('b', 'docker.io/library/nginx:1')];
      const known = await items([], { objects: { nodes, deployments: both } }, { registry: answeringRegistry({ 'nginx:1': index([V2022]), 'docker.io/library/nginx:1': index([V2022]) }) });
      assert.deepEqual([...known].map(([image, { digest }]) => [image, digest]), [...known.keys()].map((image) => [image, known.get('nginx:1')?.digest]));
      assert.equal(known.size, 2);
    });

    it('R147: as they run, where that is not what the template says: sidecars and older revisions', async () => {
      const old = runningPod('web-abc-1', 'registry.example/shop/web:0', 'w22', 'web');
      const { workloads } = await item('web:0', [], { objects: { nodes, deployments: [deployment('web', 'registry.example/shop/both:1')], pods: [old] } });
      assert.deepEqual(workloads?.map(({ object: { kind, name } }) => `${kind}/${name}`), ['Deployment/web']);
      const withSelector = await items(['-l', 'app=other'], { objects: { nodes, deployments: [deployment('x', 'registry.example/shop/both:1', { labels: { app: 'other' } })], pods: [old] } });
      assert.deepEqual([...withSelector.keys()], ['both:1']);
    });
  });

  describe('sizes', () => {
    it('come from the nodes where no registry tells', async () => {
      const { sizeBytes, sizeFrom } = await item('sized:4');
      assert.deepEqual([sizeBytes, sizeFrom], [104_857_600, 'nodes']);
    });

    it('are asked for where they are shown', async () => {
      assert.deepEqual(new Set((await run([])).registry.asked.map(({ sizes }) => sizes)), new Set([false]));
      assert.deepEqual(new Set((await run(['-o', 'wide'])).registry.asked.map(({ sizes }) => sizes)), new Set([true]));
    });
  });

  describe('asks registries', () => {
    const asked = async (argv: readonly string[], options?: RunOptions): Promise<readonly string[]> => (await run(argv, {}, options)).registry.asked.map(({ image }) => image);

    it('for the images of Windows workloads, once each', async () => {
      const all = await asked([]);
      assert.equal(new Set(all).size, all.length);
      assert.ok(!all.includes('docker.io/library/nginx:1.29'));
      assert.ok(!(await asked(['--all-os'])).includes('docker.io/library/nginx:1.29'));
      assert.ok((await asked(['--all-os', '--images=registry'])).includes('docker.io/library/nginx:1.29'));
    });

    it('for nothing with --images=tags and off, nor of a recording', async () => {
      for (const argv of [['--images=tags'], ['--images=off'], ['--inventory', 'x.json']]) assert.deepEqual(await asked(argv), []);
      assert.ok((await asked(['--inventory', 'x.json', '--images=registry'])).length > 0);
    });

    it('anew with --refresh, and believing them for a while without', async () => {
      const seen: boolean[] = [];
      const openRegistry = async ({ refresh }: { readonly refresh: boolean }) => {
        seen.push(refresh);
        return answeringRegistry(answers);
      };
      for (const argv of [[], ['--refresh'], ['--refresh=false']]) await run(argv, {}, { ports: { openRegistry } });
      await runCommand(['check', '--refresh'], { reader: fakeCluster({ objects: { nodes, deployments } }), ports: { openRegistry }, env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: 'auto' } });
      assert.deepEqual(seen, [false, true, false, true]);
    });

    it('and says whom it waits for, once and on a terminal alone', async () => {
      const slow = (): AnsweringRegistry => {
        const registry = answeringRegistry(answers);
        return { ...registry, lookUp: async (image, options) => sleep(3_300).then(() => registry.lookUp(image, options)) };
      };
      const only = { objects: { nodes, deployments: deployments.slice(0, 1) } };
      const [terminal, pipe] = await Promise.all([run([], only, { registry: slow(), isTerminal: true, env: { TERM: 'xterm' } }), run([], only, { registry: slow() })]);
      assert.match(terminal.stderr, /^waiting for registry\.example to tell of 1 image: 15 s for each at most \(--request-timeout\); --images=tags asks no registry\n/);
      assert.ok(!terminal.stdout.includes('waiting') && !pipe.stderr.includes('waiting'));
    });

    const SECRET = JSON.stringify({ auths: {} });
    const secrets = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull', namespace: 'b' }, data: { '.dockerconfigjson': Buffer.from(SECRET).toString('base64') } }];
    const closed = (): AnsweringRegistry => answeringRegistry({ 'registry.example/shop/private:1': (texts) => (texts.length > 0 ? index([V2022]) : failure('Unauthorized', 'registry.example answered 401 Unauthorized')) });

    it('with the secrets of a second user where those of the first do not do', async () => {
      const two = [deployment('a', 'registry.example/shop/private:1', { namespace: 'a' }), deployment('b', 'registry.example/shop/private:1', { namespace: 'b', secrets: ['pull'] })];
      const registry = closed();
      assert.equal((await item('private:1', ['-A'], { objects: { nodes, deployments: two, secrets } }, { registry })).evidence, 'registry');
      assert.deepEqual(registry.asked.map(({ secrets: texts }) => texts), [[], [SECRET]]);
    });

    it('without any secret where --pull-secrets=false says so', async () => {
      const both = [deployment('b', 'registry.example/shop/private:1', { namespace: 'b', secrets: ['pull'] }), deployment('a', 'registry.example/shop/private:1', { namespace: 'a' })];
      const { stdout, stderr, exitCode, cluster } = await run(['-A', '--pull-secrets=false'], { objects: { nodes, deployments: both, secrets } }, { registry: closed() });
      assert.match(stdout, /private:1 +<unknown> +unknown /);
      assert.match(stderr, /^note: registry\.example\/shop\/private:1 is judged without a registry: registry\.example answered 401 Unauthorized$/m);
      assert.deepEqual([exitCode, cluster.calls.filter((call) => /secrets|serviceaccounts/.test(call))], [0, []]);
    });

    it('without secrets that do not exist, which is said', async () => {
      const one = [deployment('b', 'registry.example/shop/private:1', { namespace: 'other', secrets: ['nope'] })];
      assert.match((await run(['-A'], { objects: { nodes, deployments: one } }, { registry: closed() })).stderr, /^note: secret nope of the namespace other does not exist$/m);
    });

    it('without secrets that may not be read, which is said', async () => {
      const one = [deployment('b', 'registry.example/shop/private:1', { namespace: 'b', secrets: ['pull'] })];
      const { stderr, exitCode } = await run(['-A'], { objects: { nodes, deployments: one }, errors: { 'get secrets': forbidden('get', 'secrets') } }, { registry: closed() });
      assert.match(stderr, /^note: secrets of the namespace b may not be read: registries that want imagePullSecrets were asked without$/m);
      assert.match(stderr, /^note: registry\.example\/shop\/private:1 is judged without a registry: registry\.example answered 401 Unauthorized$/m);
      assert.equal(exitCode, 0);
    });
  });

  describe('of IMAGE arguments', () => {
    const IMAGE = 'registry.example/shop/both:1';
    it('shows them on the nodes of the cluster, in their order, each once', async () => {
      const { stdout, exitCode, cluster } = await run(['registry.example/shop/single:1', IMAGE, IMAGE]);
      assert.equal(exitCode, 0);
      assert.deepEqual(stdout.split('\n').slice(1, -1).map((line) => line.split(/ {2,}/).slice(0, 4)), [
        ['registry.example/shop/single:1', 'ltsc2022', 'registry', '3/4 nodes'], [IMAGE, 'ltsc2022,ltsc2025', 'registry', '3/4 nodes'],
      ]);
      assert.ok(!cluster.calls.some((call) => call.startsWith('list deployments')));
      assert.equal((await item('both:1', [IMAGE])).workloads, null);
    });

    for (const [what, reader] of [
      ['is not configured', async () => Promise.reject(new ClusterError('no configuration has been provided', { reason: 'NoConfiguration' }))],
      ['cannot be reached', async () => fakeCluster({ errors: { version: new ClusterError('Unable to connect to the server: no route to host', { reason: 'Unreachable' }) } })],
      ['breaks off', async () => fakeCluster({ errors: { 'list nodes': new ClusterError('Unable to connect to the server: gone', { reason: 'ConnectionLost' }) } })],
    ] as const) {
      it(`shows the releases that run them where the cluster ${what}`, async () => {
        const openReader = async () => ({ reader: await reader() as ClusterReader, writer: null, recordedAt: null, notes: [] });
        const { stdout, stderr, exitCode } = await runCommand(['images', IMAGE], { ports: { openReader, openRegistry: async () => answeringRegistry(answers) }, env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: 'auto' } });
        assert.equal(exitCode, 0, stderr);
        assert.match(stdout, /both:1 +ltsc2022,ltsc2025 +registry +ltsc2022,ltsc2025 +<unknown> +\S+ +<none>\n/);
        assert.equal(stderr.match(/^note: nodes are not known: /gm)?.length, 1);
        const saved = await runCommand(['images', IMAGE, '--images=tags', '--save', '/nowhere/x.json'], { ports: { openReader }, env: { HOME: '/nowhere' } });
        assert.notEqual(saved.exitCode, 0);
      });
    }

    it('goes on where the cluster is silent', async () => {
      const never = (): Promise<never> => new Promise(() => undefined);
      const silent = (parts: Partial<ClusterReader>): RunOptions => ({ ports: { openReader: async () => ({ reader: { ...fakeCluster({ objects: { nodes } }), ...parts }, recordedAt: null, writer: null, notes: [] }), openRegistry: async () => answeringRegistry(answers) }, env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: 'auto' } });
      for (const parts of [{ serverVersion: never }, { list: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) }] satisfies readonly Partial<ClusterReader>[]) {
        const { stdout, stderr, exitCode } = await runCommand(['images', IMAGE, '--request-timeout=100ms'], silent(parts));
        assert.match(stdout, / registry +ltsc2022,ltsc2025 /);
        assert.match(stderr, /^note: nodes are not known: the API server did not answer within 0\.1 s \(--request-timeout\)$/m);
        assert.equal(exitCode, 0);
      }
    });

    it('goes on where nodes may not be listed', async () => {
      const { stdout, stderr, exitCode } = await run([IMAGE], { errors: { 'list nodes': forbidden('list', 'nodes') } });
      assert.match(stdout, / registry +ltsc2022,ltsc2025 /);
      assert.match(stderr, /^note: not allowed to list nodes/m);
      assert.equal(exitCode, 0);
    });

    it('uses the secrets of the namespace that is named', async () => {
      const serviceaccounts = [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'b' }, imagePullSecrets: [{ name: 'pull' }] }];
      const secrets = [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull', namespace: 'b' }, data: { '.dockerconfigjson': Buffer.from('{}').toString('base64') } }];
      const registry = (): AnsweringRegistry => answeringRegistry({ [IMAGE]: (texts) => (texts.length > 0 ? index([V2022]) : failure('Unauthorized', 'no')) });
      assert.equal((await item('both:1', ['-n', 'b', IMAGE], { objects: { nodes, serviceaccounts, secrets } }, { registry: registry() })).evidence, 'registry');
      assert.equal((await item('both:1', [IMAGE], { objects: { nodes, serviceaccounts, secrets } }, { registry: registry() })).evidence, 'unknown');
    });

    it('takes the HostProcess base image for what it is', async () => {
      const base = 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0';
      const { verdicts, runsOn } = await item(base, [base, '--images=tags']);
      assert.deepEqual([verdicts.map(({ isolation }) => isolation), runsOn?.length], [['host-process'], 4]);
    });
  });

  describe('of files', () => {
    let folder: string;
    let file: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'kubectl-win-images-'));
      file = join(folder, 'web.json');
      await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [deployment('web', 'registry.example/shop/both:1'), deployment('tag', 'registry.example/shop/web:ltsc2019')] }));
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it('needs no cluster', async () => {
      const result = await run(['-f', file]);
      assert.deepEqual([result.readerOptions, result.exitCode], [[], 0]);
      assert.match(result.stdout, /both:1 +ltsc2022,ltsc2025 +registry +ltsc2022,ltsc2025 +<unknown> +\S+ +deployment\/web\n/);
      assert.match(result.stderr, /^2 images for Windows: 2 by registry; of ltsc2019, ltsc2022, ltsc2025: 2 fail on some$/m);
    });

    it('judges by a cluster or a recording, and by the nodes among the manifests', async () => {
      assert.deepEqual((await item('both:1', ['-f', file, '--live'])).runsOn, ['w22', 'w25-old', 'w25-new']);
      assert.deepEqual((await item('web:ltsc2019', ['-f', file, '--inventory', 'x'])).runsOn, ['w19']);
      const dump = join(folder, 'dump.json');
      await writeFile(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...nodes, ...pods, deployment('sized', 'registry.example/shop/sized:4')] }));
      const known = await items(['-f', dump]);
      assert.deepEqual([known.get('sized:4')?.sizeFrom, known.get('seen:1')?.evidence], ['nodes', 'observed']);
    });

    it('says which imagePullSecrets a registry that refuses was not shown', async () => {
      const closed = join(folder, 'closed.json');
      await writeFile(closed, JSON.stringify(deployment('private', 'registry.example/shop/gone:ltsc2022', { secrets: ['regcred'] })));
      const note = /^note: the pods' imagePullSecrets \(regcred\) are not read (.*): a registry that refused was asked without them$/m;
      assert.equal(note.exec((await run(['-f', closed])).stderr)?.[1], 'without --live');
      for (const argv of [['--live'], ['--pull-secrets=false'], ['--images=tags']]) assert.doesNotMatch((await run(['-f', closed, ...argv])).stderr, /are not read/);
    });

    it('does not say that there is nothing where it could not be read', async () => {
      const broken = join(folder, 'nothing.yaml');
      await writeFile(broken, 'kind: [\n');
      for (const [argv, options] of [[['-f', broken], {}], [['-f', join(folder, 'missing.yaml')], {}], [['-f', '-'], { stdin: 'a: b: c\n' }], [['-f', '-'], { stdin: '' }]] as const) {
        const { stdout, stderr, exitCode } = await run(argv, {}, options);
        assert.deepEqual([stdout, exitCode], ['', 2], stderr);
        assert.match(stderr, /^error: /);
      }
    });

    it('names what could not be read, and shows the rest', async () => {
      const broken = join(folder, 'broken.yaml');
      await writeFile(broken, 'kind: [\n');
      const { stdout, stderr, exitCode } = await run(['-f', `${file},${broken}`]);
      assert.match(stdout, /both:1/);
      assert.match(stderr, /^error: .*broken\.yaml:\d+/m);
      assert.equal(exitCode, 2);
    });
  });

  describe('says', () => {
    it('that there is nothing', async () => {
      const none = await run([], { objects: { nodes } });
      assert.deepEqual([none.stdout, none.stderr, none.exitCode], ['', 'No images found in default namespace.\n', 0]);
      assert.equal((await run(['-A'], { objects: { nodes } })).stderr, 'No images found\n');
      assert.equal((await run(['-n', 'shop'], { objects: { nodes } })).stderr, 'No images found in shop namespace.\n');
      const linux = await run([], { objects: { nodes, deployments: deployments.slice(-1) } });
      assert.deepEqual([linux.stdout, linux.stderr, linux.exitCode], ['', 'No images of Windows workloads found in default namespace (1 other image not shown; --all-os shows them)\n', 0]);
    });

    it('what it could not see', async () => {
      const { stdout, stderr, exitCode } = await run([], { errors: { 'list nodes': forbidden('list', 'nodes'), 'list pods': forbidden('list', 'pods') } });
      assert.match(stdout, /both:1 +ltsc2022,ltsc2025 +registry +ltsc2022,ltsc2025 /);
      assert.match(stderr, /^note: not allowed to list (?:nodes, pods|pods, nodes): what needs them was not evaluated$/m);
      assert.equal(exitCode, 0);
    });

    it('that the cluster refuses everything', async () => {
      const { stdout, exitCode } = await run([], { errors: { version: new ClusterError('Unable to connect to the server: no', { reason: 'Unreachable' }) } });
      assert.deepEqual([stdout, exitCode], ['', 3]);
    });
  });

  it('reads no more of a cluster than it needs', async () => {
    const { cluster } = await run([]);
    for (const plural of ['namespaces', 'persistentvolumeclaims', 'persistentvolumes', 'csinodes', 'storageclasses', 'serviceaccounts', 'events']) assert.ok(!cluster.calls.includes(`list ${plural}`), plural);
    assert.equal(cluster.calls.filter((call) => call === 'list daemonsets').length, 1);
  });

  it('shows the sample cluster', async () => {
    const { stdout, stderr, exitCode } = await runCommand(['images', '--inventory', SAMPLE], { env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: undefined } });
    assert.equal(exitCode, 0, stderr);
    assertGolden('images/sample.txt', stdout);
  });

  describe('--fail-on', () => {
    const only = (...names: readonly string[]): FakeClusterParts => ({ objects: { nodes, deployments: deployments.filter(({ metadata }) => names.includes(String((metadata as { name?: unknown }).name))) } });
    for (const [failOn, names, exitCode] of [
      ['none', ['linux-only', 'nobody'], 0], ['fail', ['linux-only'], 1], ['fail', ['both'], 1], ['fail', ['nobody'], 1], ['fail', ['agent', 'seen'], 0], ['unknown', ['agent', 'seen'], 1], ['unknown', ['agent'], 0],
      ['fail', ['linux'], 0], ['unknown', ['linux'], 1],
    ] as const) {
      it(`${failOn} gives ${exitCode} for ${names.join(' and ')}`, async () => {
        const { stderr, exitCode: actual } = await run(['--fail-on', failOn], only(...names));
        assert.equal(actual, exitCode, stderr);
        assert.equal(/^--fail-on: /m.test(stderr), exitCode === 1);
      });
    }

    it('looks at the nodes that pods are on: a sidecar that only its pod has', async () => {
      const web = deployment('web', 'registry.example/shop/both:1', { more: { nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.20348' } } });
      const pod = runningPod('web-abc-1', 'registry.example/shop/both:1', 'w22', 'web');
      const waiting = { ...pod, spec: { ...spec('registry.example/shop/both:1'), nodeName: 'w22', containers: [{ name: 'main', image: 'registry.example/shop/both:1' }, { name: 'mesh', image: 'registry.example/mesh/proxy:1' }] }, status: { phase: 'Pending' } };
      const registry = (): AnsweringRegistry => answeringRegistry({ ...answers, 'registry.example/mesh/proxy:1': index([V2019]) });
      const parts = { objects: { nodes, deployments: [web], pods: [waiting] } };
      const { exitCode, stderr } = await run(['--fail-on', 'fail'], parts, { registry: registry() });
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, /^--fail-on: 1 image fails where its pods can land: registry\.example\/mesh\/proxy:1 \(on w22, deployment\/web\)$/m);
      assert.deepEqual((await item('proxy:1', [], parts, { registry: registry() })).failsWhereUsed, ['w22']);
    });

    it('leaves sandbox images out, which may be there and in no use', async () => {
      const old = rawNode('w22', { images: [{ names: ['registry.example/pause:1'], sizeBytes: 5 }] });
      const registry = answeringRegistry({ ...answers, 'registry.example/pause:1': index([V2019]) });
      for (const failOn of ['fail', 'unknown']) {
        const { stdout, exitCode, stderr } = await run(['--sandbox', '--fail-on', failOn], { objects: { nodes: [old], deployments: [deployment('agent', 'registry.example/ops/agent:1', { hostProcess: true })] } }, { registry });
        assert.equal(exitCode, 0, stderr);
        assert.match(stdout, /registry\.example\/pause:1 +ltsc2019 +registry +0\/1 nodes +<unknown> +1Ki +sandbox/);
      }
    });

    it('looks at the nodes that pods can land on', async () => {
      const pinned = deployment('pinned', 'registry.example/shop/both:1', { more: { nodeSelector: { 'kubernetes.io/os': 'windows', 'node.kubernetes.io/windows-build': '10.0.20348' } } });
      const { exitCode, stderr } = await run(['--fail-on', 'fail'], { objects: { nodes, deployments: [pinned] } });
      assert.equal(exitCode, 0, stderr);
    });
  });

  describe('refuses', () => {
    for (const [argv, message] of [
      [['a', '-f', 'x'], 'when paths, URLs, or stdin is provided as resource input, you may not specify image arguments as well'],
      [['a', '-l', 'x=y'], '-l selects workloads; it cannot be used with image arguments'],
      [['a', '-A'], '-A is for workloads; it cannot be used with image arguments'],
      [['a', '--all-os'], '--all-os is for workloads'],
      [['a', '--live'], '--live is for -f'],
      [['a', '--sandbox'], '--sandbox shows the sandbox images of nodes'],
      [['-f', 'x', '-A'], '-A is for objects of a cluster; it cannot be used with -f'],
      [['-f', 'x', '-l', 'a=b'], '-l selects objects of a cluster; it cannot be used with -f'],
      [['-R'], '-R needs a folder in -f'],
      [['--live'], '--live says what the manifests of -f are judged against'],
      [['-f', 'x', '--live', '--inventory', 'y'], '--live and --inventory cannot be used together'],
      [['-f', '-', '--inventory', '-'], '-f - and --inventory - cannot be used together: standard input is read once'],
      [['--save', 'x', '--inventory', 'y'], '--save and --inventory cannot be used together'],
      [['-l', '=,'], ''],
      [['deploy/web'], '"deploy/web" names a workload, and kubectl win images takes images'],
      [[''], 'an image has no empty name'],
      [['--fail-on', 'some'], 'fail-on'],
      [['--images', 'guess'], 'images'],
      [['-o', 'go-template={{.}}'], 'unable to match a printer suitable for the output format'],
    ] as const) {
      it(argv.join(' ') || 'nothing', async () => {
        const { stdout, stderr, exitCode } = await run(argv);
        assert.equal(exitCode, 2, stderr);
        assert.ok(stderr.startsWith('error: ') && stderr.includes(message), stderr);
        assert.equal(stdout, '');
      });
    }
  });
});
