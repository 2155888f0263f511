import assert from 'node:assert/strict';
import type { ClusterReader } from '../../src/app/ports.ts';
import { ClusterError } from '../../src/errors.ts';
import { ExecCluster, NONCE } from '../support/exec-cluster.ts';
import { type FakeClusterParts, fakeCluster, forbidden, rawNode } from '../support/fake-cluster.ts';
import { assertGolden } from '../support/golden.ts';
import { type RunOptions, runCommand } from '../support/run-command.ts';
import { RECIPE_OUTPUTS } from '../support/recipe-outputs.ts';
import { printsRecipe } from '../support/recipe-run.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const images = [
  { names: ['mcr.microsoft.com/windows/servercore@sha256:11', 'mcr.microsoft.com/windows/servercore:ltsc2022'], sizeBytes: 2_040_109_466 },
  { names: ['registry.k8s.io/pause:3.10.2'], sizeBytes: 300_000 },
];
const nodes = [
  rawNode('linux-0', { os: 'linux', kubeletVersion: 'v1.37.2', pool: 'system' }),
  rawNode('akswin000000', { pool: 'win22', images }),
  rawNode('akswin000001', { pool: 'win22', kernelVersion: '10.0.20348.5139', ready: false, taints: [] }),
  rawNode('akswin25000000', { pool: 'win25', kernelVersion: '10.0.26100.32995', kubeletVersion: 'v1.37.2', images: images.slice(0, 1), labels: { tier: 'web' } }),
  rawNode('old', { kernelVersion: '10.0.17763.8389', kubeletVersion: 'v1.33.1', runtime: 'containerd://1.7.5' }),
];
const pods = [
  { metadata: { name: 'a', namespace: 'kube-system', ownerReferences: [{ kind: 'DaemonSet' }] }, spec: { nodeName: 'akswin000000', containers: [{ name: 'kube-proxy', image: 'sigwindowstools/kube-proxy:v1.36.3', resources: { requests: { cpu: '100m', memory: '100Mi' } } }] }, status: { phase: 'Running', containerStatuses: [{ name: 'kube-proxy', ready: true }] } },
  { metadata: { name: 'b', namespace: 'shop' }, spec: { nodeName: 'akswin000000', containers: [] }, status: { phase: 'Pending', containerStatuses: [{ image: 'web:1', state: { waiting: { reason: 'ErrImagePull', message: 'no match for platform in manifest: not found' } } }] } },
];

const run = (argv: readonly string[], parts: FakeClusterParts = {}, options: RunOptions = {}) =>
  runCommand(['nodes', ...argv], { reader: fakeCluster({ objects: { nodes, pods }, ...parts }), ...options });
const names = (stdout: string): string[] => stdout.split('\n').slice(1).filter(Boolean).map((line) => line.split(/ {2,}/)[0] ?? '');

describe('kubectl win nodes', () => {
  describe('prints', () => {
    for (const [scenario, argv] of [
      ['table.txt', []], ['wide.txt', ['-o', 'wide']], ['list.json', ['-o', 'json']], ['list.yaml', ['-o', 'yaml']], ['name.txt', ['-o', 'name']],
      ['table.csv', ['-o', 'csv']], ['table.md', ['-o', 'markdown']], ['page.html', ['-o', 'html']], ['metrics.prom', ['-o', 'prometheus']],
      ['issues.txt', ['--show-issues']], ['groups-pool.txt', ['--group-by', 'pool']], ['groups-release.txt', ['--group-by', 'release', '-o', 'wide']],
      ['images.txt', ['--show-images']], ['agents.txt', ['--show-agents']], ['all-os.txt', ['--all-os', '-L', 'tier', '--show-labels']],
      ['custom-columns.txt', ['-o', 'custom-columns=NAME:.metadata.name,BUILD:.build,ISSUES:.issues[*].id']], ['jsonpath.txt', ['-o', 'jsonpath={range .items[*]}{.name}{" "}{.release}{"\\n"}{end}']],
    ] as const) {
      it(scenario, async () => {
        const { stdout, exitCode } = await run(argv);
        assert.equal(exitCode, 0);
        assertGolden(`nodes/${scenario}`, stdout);
      });
    }

    it('documents that match the committed schema', async () => {
      for (const argv of [['-o', 'json'], ['-o', 'json', '--all-os', '--show-agents'], ['-o', 'json', '--group-by', 'pool'], ['-o', 'json', '--show-images']]) {
        const document: unknown = JSON.parse((await run(argv)).stdout);
        assertMatchesSchema('WindowsNodeList', document);
      }
    });

    it('what does not belong to the result on stderr', async () => {
      const { stderr } = await run([]);
      assert.match(stderr, /^note: the updates known for builds 26100, 20348 end with 2026-10: [^\n]*\n4 Windows nodes: 1 ltsc2025, 2 ltsc2022, 1 ltsc2019; 2 with errors, 1 with warnings; 1 Linux node not shown\n$/);
      assert.equal((await run(['-o', 'json'])).stderr, '');
      assert.doesNotMatch((await run(['--no-headers'])).stderr, /Windows nodes/);
    });

    it('no label where an object has a member of that name', async () => {
      const { stdout, exitCode } = await run(['-L', 'toString', '-L', '__proto__', '-o', 'csv']);
      assert.equal(exitCode, 0);
      assert.doesNotMatch(stdout, /native code|object Object/);
    });

    it('colour on a terminal only', async () => {
      assert.ok(!(await run([])).stdout.includes('\u001b'));
      assert.ok((await run([], {}, { isTerminal: true, env: { TERM: 'xterm' } })).stdout.includes('\u001b['));
      assert.ok(!(await run([], {}, { isTerminal: true, env: { TERM: 'xterm', NO_COLOR: '' } })).stdout.includes('\u001b'));
    });
  });

  describe('chooses', () => {
    for (const [argv, expected] of [
      [['--pool', 'win22'], ['akswin000000', 'akswin000001']],
      [['--pool=win22,win25', '--release', 'ltsc2025'], ['akswin25000000']],
      [['--issue', 'NOD-005'], ['akswin000001']],
      [['--issue', 'not-ready', '--issue', 'runtime'], ['akswin000001', 'old']],
      [['node/old', 'no/akswin000000'], ['old', 'akswin000000']],
      [['--sort-by', 'build'], ['old', 'akswin000001', 'akswin000000', 'akswin25000000']],
      [['--sort-by', '{.kubeletVersion}'], ['old', 'akswin000000', 'akswin000001', 'akswin25000000']],
    ] as const) {
      it(argv.join(' '), async () => assert.deepEqual(names((await run(argv)).stdout), expected));
    }

    for (const alias of ['node', 'no']) {
      it(`under the name of ${alias}`, async () => {
        const { stdout } = await runCommand([alias, '-o', 'name'], { reader: fakeCluster({ objects: { nodes } }) });
        assert.equal(stdout.split('\n')[0], 'node/akswin000000');
      });
    }

    it('hands selectors to the server', async () => {
      const cluster = fakeCluster({ objects: { nodes } });
      await runCommand(['nodes', '-l', 'a=b'], { reader: cluster });
      assert.ok(cluster.calls.includes('list nodes -l a=b'));
    });
  });

  it('sorts groups by their own columns in documents too', async () => {
    const groups = async (sortBy: string): Promise<unknown> => {
      const { stdout, stderr, exitCode } = await run(['--group-by', 'pool', '--sort-by', sortBy, '-o', 'json']);
      assert.equal(exitCode, 0, stderr);
      return (JSON.parse(stdout) as { groups: { key: string }[] }).groups.map(({ key }) => key);
    };
    assert.deepEqual(await groups('nodes'), ['win25', null, 'win22']);
  });

  describe('says', () => {
    it('that there is nothing', async () => {
      const none = await run([], { objects: {} });
      assert.deepEqual([none.stdout, none.stderr, none.exitCode], ['', 'No resources found\n', 0]);
      const linux = await run([], { objects: { nodes: nodes.slice(0, 1) } });
      assert.deepEqual([linux.stdout, linux.stderr, linux.exitCode], ['', 'No Windows nodes found (1 Linux node not shown; --all-os shows them)\n', 0]);
    });

    it('that a named node runs Linux', async () => {
      const { stdout, stderr, exitCode } = await run(['linux-0', 'old']);
      assert.deepEqual(names(stdout), ['old']);
      assert.match(stderr, /^error: node "linux-0" runs Linux, not Windows$/m);
      assert.equal(exitCode, 2);
    });

    it('that a named node is not there', async () => {
      for (const argv of [['nobody'], ['nobody', '-o', 'json'], ['nobody', '-o', 'name']]) {
        assert.deepEqual(await run(argv).then(({ stdout, stderr, exitCode }) => [stdout, stderr, exitCode]), ['', 'Error from server (NotFound): nodes "nobody" not found\n', 3]);
      }
      const { stdout, exitCode } = await run(['nobody', 'old', '-o', 'name']);
      assert.deepEqual([stdout, exitCode], ['node/old\n', 3]);
    });

    it('what it could not see', async () => {
      const { stdout, stderr, exitCode } = await run(['-o', 'wide'], { errors: { 'list pods': forbidden('list', 'pods') } });
      assert.match(stderr, /note: pods may not be listed in all namespaces/);
      assert.match(stdout, /PODS +REQUESTED/);
      assert.match(stdout, /<unknown>/);
      assert.equal(exitCode, 0);
    });
  });

  describe('--fail-on', () => {
    for (const [words, exitCode] of [
      ['none', 0], ['eol', 1], ['ending', 1], ['taint', 1], ['patch', 1], ['skew', 1], ['warning', 1], ['error', 1], ['not-ready', 1], ['NOD-003', 1], ['label', 0], ['label,taint', 1],
    ] as const) {
      it(`${words} gives ${exitCode}`, async () => assert.equal((await run(['--fail-on', words])).exitCode, exitCode));
    }
    it('looks at the shown nodes only', async () => assert.equal((await run(['--fail-on', 'taint,eol,error', '--pool', 'win25'])).exitCode, 0));
    it('says why', async () => {
      const { stderr } = await run(['--fail-on', 'taint,runtime', '--no-headers']);
      assert.match(stderr, /^--fail-on: no-isolating-taint on 1 node$/m);
    });
    it('does not pass where it cannot judge', async () => {
      const { stderr, exitCode } = await run(['--fail-on', 'skew'], { version: null });
      assert.match(stderr, /^--fail-on: skew could not be judged on 4 nodes/m);
      assert.equal(exitCode, 1);
    });
    it('does not pass where it judged nothing', async () => {
      const { stderr, exitCode } = await run(['--fail-on', 'eol', '--pool', 'nobody']);
      assert.match(stderr, /^No nodes match the flags\n--fail-on: no node was judged$/m);
      assert.equal(exitCode, 1);
    });
    it('names a word that does not exist, and a near one', async () => {
      const { stderr, exitCode } = await run(['--fail-on', 'pach']);
      assert.match(stderr, /^error: invalid argument "pach" for "--fail-on" flag: no issue, class or severity has this name\ndid you mean patch\?\nvalid: error, warning, info, eol/);
      assert.equal(exitCode, 2);
    });
  });

  describe('refuses', () => {
    for (const [argv, message] of [
      [['a', '-l', 'x=y'], 'name cannot be provided when a selector is specified'],
      [['a', 'b', '-w'], 'watch is only supported on individual resources and resource collections - 2 resources were found'],
      [['pod/a'], '"pod/a" is no node: kubectl win nodes takes NAME or node/NAME'],
      [['a/b/c'], 'arguments in resource/name form may not have more than one slash'],
      [['--inventory', '-', '--compare', '-'], '--inventory - and --compare - cannot be used together: standard input is read once'],
      [['-w', '--save', 'f'], '--watch and --save cannot be used together'],
      [['--watch', '--inventory', 'f'], '--watch needs a cluster; an inventory does not change'],
      [['--fail-on', 'unchanged'], '--fail-on=unchanged needs --compare'],
      [['--compare', 'f', '--group-by', 'pool'], '--compare and --group-by cannot be used together'],
      [['--contexts', 'a', '--context', 'b'], '--contexts and --context cannot be used together'],
      [['-o', 'go-template={{.}}'], 'unable to match a printer suitable for the output format "go-template={{.}}", allowed formats are: csv,'],
      [['--sort-by', 'nothing'], 'couldn\'t find any field with path "{.nothing}" in the list of objects'],
      [['--group-by', 'zone'], 'zone'],
    ] as const) {
      it(argv.join(' '), async () => {
        const { stdout, stderr, exitCode } = await run(argv);
        assert.equal(exitCode, 2, stderr);
        assert.ok(stderr.startsWith('error: ') && stderr.includes(message), stderr);
        assert.equal(stdout, '');
      });
    }
  });

  describe('--compare', () => {
    const recorded = (isComplete: boolean): ClusterReader => fakeCluster({ isComplete, objects: { nodes: [nodes[1], { ...rawNode('akswin000001', { pool: 'win22', kernelVersion: '10.0.20348.4000' }) }, rawNode('gone')].filter((node) => node !== undefined) }, source: 'files' });
    const compare = (argv: readonly string[], isComplete = true) => {
      const now = fakeCluster({ objects: { nodes } });
      return runCommand(['nodes', '--compare', 'before.json', ...argv], {
        ports: { openReader: async ({ inventory }) => ({ reader: inventory.length > 0 ? recorded(isComplete) : now, writer: null, recordedAt: null, notes: [] }) },
      });
    };
    it('prints what changed', async () => assertGolden('nodes/comparison.txt', (await compare(['-o', 'wide'])).stdout));
    it('adds the comparison to the document', async () => {
      const document = JSON.parse((await compare(['-o', 'json'])).stdout) as { kind: string; comparison: { name: string; change: string }[] };
      assertMatchesSchema('WindowsNodeList', document);
      assert.deepEqual(document.comparison.map(({ name, change }) => `${name} ${change}`), ['akswin000000 unchanged', 'akswin000001 changed', 'akswin25000000 added', 'old added', 'gone removed']);
    });
    it('a recording that may hold only some nodes cannot tell which are new', async () => {
      const { stdout, stderr } = await compare([], false);
      assert.deepEqual(names(stdout), ['akswin000000', 'akswin000001', 'gone']);
      assert.match(stderr, /^note: .* may hold only some nodes of the cluster, so nodes that it does not hold were left out of the comparison$/m);
    });
    it('is a gate', async () => {
      assert.equal((await compare(['--fail-on', 'unchanged'])).exitCode, 1);
      assert.equal((await compare(['--fail-on', 'unchanged', 'akswin000001'])).exitCode, 0);
    });
  });

  describe('--contexts', () => {
    const openReader = (errors: Readonly<Record<string, Error>> = {}) => ({
      openReader: async ({ connection }: { connection: { context?: string | undefined } }) => {
        const context = connection.context ?? '';
        const error = errors[context];
        if (error !== undefined) throw error;
        const cluster: ClusterReader = fakeCluster({ objects: { nodes: context === 'a' ? nodes.slice(0, 2) : nodes.slice(3) }, version: context === 'a' ? 'v1.36.0' : 'v1.37.2' });
        return { reader: { ...cluster, description: { ...cluster.description, context } }, writer: null, recordedAt: null, notes: [] };
      },
    });
    it('shows several clusters in one list', async () => {
      const { stdout, stderr } = await runCommand(['nodes', '--contexts', 'a,b'], { ports: openReader() });
      assertGolden('nodes/contexts.txt', stdout);
      assert.match(stderr, /^3 Windows nodes: 1 ltsc2025, 1 ltsc2022, 1 ltsc2019; 2 with warnings; 1 Linux node not shown$/m);
      const document = JSON.parse((await runCommand(['nodes', '--contexts', 'a,b', '-o', 'json'], { ports: openReader() })).stdout) as { metadata: { context: null }; items: { name: string; context: string; serverVersion: string }[] };
      assertMatchesSchema('WindowsNodeList', document);
      assert.equal(document.metadata.context, null);
      assert.deepEqual(document.items.map(({ name, context, serverVersion }) => `${context} ${name} ${serverVersion}`), ['a akswin000000 v1.36.0', 'b akswin25000000 v1.37.2', 'b old v1.37.2']);
    });
    it('one that fails does not hide the others', async () => {
      const { stdout, stderr, exitCode } = await runCommand(['nodes', '--contexts', 'a,b'], { ports: openReader({ b: new ClusterError('Unable to connect to the server: no route', { reason: 'Unreachable' }) }) });
      assert.deepEqual(names(stdout), ['a']);
      assert.match(stderr, /^Unable to connect to the server: no route$/m);
      assert.equal(exitCode, 3);
    });
  });

  describe('-w', () => {
    const events = [{ type: 'MODIFIED' as const, object: rawNode('akswin000000', { pool: 'win22', ready: false, resourceVersion: '9' }) }, { type: 'ADDED' as const, object: rawNode('akswin-with-a-much-longer-name', { pool: 'win22' }) }];
    it('prints rows for changes under the same headers', async () => assertGolden('nodes/watch.txt', (await run(['-w'], { events })).stdout));
    it('--watch-only leaves the list out', async () => assert.deepEqual(names((await run(['--watch-only', '--no-headers'], { events })).stdout), ['akswin-with-a-much-longer-name']));
    it('prints documents one by one', async () => {
      const { stdout } = await run(['--watch-only', '-o', 'json'], { events });
      assert.deepEqual([...stdout.matchAll(/"kind": "WindowsNode"/g)].length, 2);
    });
  });

  describe('--deep', () => {
    /** exec-3 does not answer with a document; lin-1 is not asked. */
    const asked = (): ExecCluster => {
      const cluster = new ExecCluster(['exec-1', 'exec-2', 'exec-3']);
      cluster.objects['nodes'] = [...cluster.objects['nodes'] ?? [], rawNode('lin-1', { os: 'linux' })];
      cluster.playCommand = printsRecipe('node-facts', {
        'exec-2': `${JSON.stringify({ ...RECIPE_OUTPUTS['node-facts'], hotfixes: null, disks: [], pendingReboot: { isPending: false, reasons: [] }, imageCache: null, problems: [{ part: 'hotfixes', message: 'access denied' }] })}\n`,
        'exec-3': 'something else\n',
      });
      return cluster;
    };
    const runDeep = async (argv: readonly string[], { of = asked(), ...options }: RunOptions & { readonly of?: ExecCluster } = {}) => {
      const { reader, writer, exec, clock } = of;
      const ports = { sleep: (milliseconds: number, signal: AbortSignal) => clock.sleep(milliseconds, signal), createRunId: () => 'a1b2c3', createNonce: () => NONCE };
      return { ...await runCommand(['nodes', '--deep', ...argv], { reader, writer, exec, clock, ports, ...options }), cluster: of };
    };

    for (const [scenario, argv] of [['deep.txt', []], ['deep-all-os.txt', ['--all-os', '--sort-by', 'booted']], ['deep.json', ['--all-os', '-o', 'json']]] as const) {
      it(`prints ${scenario}`, async () => {
        const { stdout, exitCode } = await runDeep(argv);
        assert.equal(exitCode, 1);
        if (scenario === 'deep.json') assertMatchesSchema('WindowsNodeList', JSON.parse(stdout));
        assertGolden(`nodes/${scenario}`, stdout);
      });
    }

    it('says what failed and what is not known, and leaves nothing behind', async () => {
      const { stderr, cluster } = await runDeep([]);
      assert.match(stderr, /^exec-3 {2}OutputUnreadable: recipe node-facts has printed no document, but "something else"$/m);
      assert.match(stderr, /^note: 1 node could not read all of it; -o json says why$/m);
      assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
    });

    it('asks those nodes alone that are shown', async () => {
      const { cluster, exitCode } = await runDeep(['exec-1']);
      assert.deepEqual([exitCode, cluster.callsOf('exec').length], [0, 1]);
    });

    it('asks before many nodes, and shows the list without their facts after a no', async () => {
      const of = new ExecCluster(['a', 'b', 'c', 'd', 'e', 'f']);
      const { stdout, stderr, exitCode } = await runDeep([], { of, answer: () => 'n' });
      assert.match(stderr, /Run on 6 Windows nodes \(a, b, c, d, e and 1 more\) as NT AUTHORITY\\SYSTEM: the recipe node-facts\nGo on\? \[y\/N\] The nodes were not asked\n/);
      assert.deepEqual([exitCode, of.callsOf('create').length, stdout.split('\n').length], [1, 0, 8]);
      assert.match(stdout, /^a .*<unknown> /m);
    });

    it('creates nothing for many nodes where nobody can be asked, but with --yes', async () => {
      const of = (): ExecCluster => new ExecCluster(['a', 'b', 'c', 'd', 'e', 'f']);
      const mute = await runDeep([], { of: of() });
      assert.deepEqual([mute.exitCode, mute.cluster.callsOf('create').length], [2, 0]);
      assert.equal((await runDeep(['--yes'], { of: of() })).cluster.callsOf('create').length, 6);
    });

    it('shows the list with the reason where pods may not be created', async () => {
      const of = asked();
      of.missingRights.push('create jobs', 'create pods');
      const { stdout, stderr, exitCode } = await runDeep(['exec-1', '-o', 'json'], { of });
      assert.equal(exitCode, 3);
      assert.match(stderr, /^error: /m);
      const [item] = (JSON.parse(stdout) as { readonly items: readonly { readonly deep: unknown; readonly deepError: { readonly reason: string } }[] }).items;
      assert.deepEqual([item?.deep, item?.deepError.reason], [null, 'Forbidden']);
    });

    for (const argv of [['--watch'], ['--inventory', 'x.json'], ['--contexts', 'a'], ['--save', 'x.json'], ['--compare', 'x.json'], ['--group-by', 'pool'], ['--show-images'], ['-o', 'prometheus']]) {
      it(`is refused with ${argv.join(' ')}`, async () => {
        const { stderr, exitCode } = await runDeep(argv);
        assert.equal(exitCode, 2);
        assert.match(stderr, /^error: --deep and .* cannot be used together$/m);
      });
    }

    for (const argv of [['--yes'], ['--image', 'a/b:c'], ['--timeout', '1m'], ['--pull-secret', 'a']]) {
      it(`is needed for ${argv.join(' ')}`, async () => {
        const { stderr, exitCode } = await run(argv);
        assert.equal(exitCode, 2);
        assert.match(stderr, /^error: --[a-z-]+ needs --deep$/m);
      });
    }
  });
});
