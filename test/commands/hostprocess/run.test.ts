import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeLogs, PodLogs } from '../../../src/app/ports.ts';
import { PipeClosed } from '../../../src/cli/context.ts';
import { loadRecipe } from '../../../src/adapters/hostprocess/load-recipe.ts';
import { ExecCluster, NONCE, sign } from '../../support/exec-cluster.ts';
import { forbidden, rawNode } from '../../support/fake-cluster.ts';
import { assertGolden } from '../../support/golden.ts';
import { memoryRuns } from '../../support/local-runs.ts';
import { assertMatchesRecipeSchema } from '../../support/recipe-schema.ts';
import { recipeOutput, RECIPE_OUTPUTS } from '../../support/recipe-outputs.ts';
import { bytesOf, printsRecipe, recipeOf } from '../../support/recipe-run.ts';
import { runCommand, type RunOptions, type RunResult } from '../../support/run-command.ts';
import { assertMatchesSchema } from '../../support/schema.ts';

const ESCAPE = '\u001b';

/** win-2 has nothing to say, win-3 prints something else, and lin-1 is no Windows node. */
function cluster(): ExecCluster {
  const made = new ExecCluster(['win-1', 'win-2', 'win-3']);
  made.objects['nodes'] = [...made.objects['nodes'] ?? [], rawNode('lin-1', { os: 'linux' })];
  made.playCommand = printsRecipe('node-facts', {
    'win-2': `${JSON.stringify({ recipe: 'node-facts', schemaVersion: 1, takenAt: '2026-11-30T12:00:00Z', computerName: null, operatingSystem: null, lastBootAt: null, pendingReboot: null, hotfixes: null, disks: null, imageCache: null, services: null, problems: [{ part: 'disks', message: `access${ESCAPE}[2J denied` }] })}\n`,
    'win-3': 'pwned\n',
  });
  return made;
}

async function run(argv: readonly string[], { of = cluster(), ...options }: RunOptions & { readonly of?: ExecCluster } = {}): Promise<RunResult & { readonly cluster: ExecCluster }> {
  const { reader, writer, exec, clock } = of;
  const ports = { sleep: (milliseconds: number, signal: AbortSignal) => clock.sleep(milliseconds, signal), createRunId: () => 'a1b2c3', createNonce: () => NONCE, ...options.ports };
  return { ...await runCommand(['hostprocess', 'run', ...argv], { reader, writer, exec, clock, ...options, ports }), cluster: of };
}

const ALL = ['win-1', 'win-2', 'win-3', 'lin-1', '-n', 'ops'];

describe('kubectl win hostprocess run', () => {
  for (const [scenario, argv] of [['table.txt', []], ['wide.txt', ['-o', 'wide']], ['report.json', ['-o', 'json']], ['lines.jsonl', ['-o', 'jsonl', '--parallel=1']]] as const) {
    it(`prints ${scenario}`, async () => {
      const { stdout, exitCode } = await run(['node-facts', ...ALL, ...argv]);
      assert.equal(exitCode, 1);
      assert.ok(!stdout.includes(ESCAPE));
      if (scenario === 'report.json') assertMatchesSchema('RecipeReport', JSON.parse(stdout));
      assertGolden(`hostprocess/run/${scenario}`, stdout);
    });
  }

  it('says below what failed, and leaves nothing behind', async () => {
    const { stderr, cluster: { jobs, pods } } = await run(['node-facts', ...ALL]);
    assert.match(stderr, /^win-3 {2}OutputUnreadable: recipe node-facts has printed no document, but "pwned"\n(?:.*\n)*lin-1 {2}NotWindows: /m);
    assert.match(stderr, /^note: on 1 node not all could be read; -o wide and -o json say what\n4 nodes: 2 succeeded, 1 failed, 1 refused\n$/m);
    assert.deepEqual([jobs.size, pods.size], [0, 0]);
  });

  it('names other outputs only where they would say more', async () => {
    const notes = async (argv: readonly string[]): Promise<readonly string[]> => (await run([...argv, '-n', 'ops'])).stderr.split('\n').filter((line) => line.startsWith('note: '));
    const incomplete = 'note: on 1 node not all could be read';
    assert.deepEqual([await notes(['node-facts', 'win-2']), await notes(['node-facts', 'win-2', '-o', 'wide']), await notes(['node-facts', 'win-1'])], [[`${incomplete}; -o wide and -o json say what`], [incomplete], []]);
    const of = (): ExecCluster => Object.assign(cluster(), { playCommand: printsRecipe('logs') });
    const logs = async (argv: readonly string[]): Promise<boolean> => (await run(['logs', 'win-1', '-n', 'ops', ...argv], { of: of() })).stderr.includes('note: -o json prints the events and lines of logs, and --to DIR writes them to files, with the log files themselves\n');
    assert.deepEqual([await logs([]), await logs(['-o', 'json']), await logs(['--dry-run'])], [true, false, false]);
  });

  it('ends with 0 where every node has a document', async () => assert.equal((await run(['node-facts', 'win-1'])).exitCode, 0));

  it('ends with 1 for a document that cannot be read, also of one node, and with no code of the script', async () => {
    assert.equal((await run(['node-facts', 'win-3'])).exitCode, 1);
    const of = cluster();
    of.playCommand = async ({ err }) => {
      await err(`${sign('start 42')}it broke\n${sign('end 77')}`);
      return 77;
    };
    assert.equal((await run(['node-facts', 'win-1'], { of })).exitCode, 1);
  });

  it('says the last lines that a script wrote to stderr before it failed, made harmless', async () => {
    const of = cluster();
    of.playCommand = async ({ err }) => {
      await err(`${sign('start 42')}one\r\ntwo\r\n\r\nAccess${ESCAPE}[2J denied\n${'x'.repeat(500)}\r\n${sign('end 1')}`);
      return 1;
    };
    const { stderr } = await run(['node-facts', 'win-1', '-n', 'ops'], { of });
    assert.equal(stderr, `run a1b2c3 in namespace ops: 1 node\nwin-1  exit code 1\nwin-1  two\nwin-1  Access^[[2J denied\nwin-1  ${'x'.repeat(400)}...\n1 node: 1 failed\n`);
  });

  it('sends the script of the recipe with its parameters', async () => {
    const of = cluster();
    let sent = '';
    of.playCommand = async (command) => {
      sent = (await bytesOf(command.request.stdin)).subarray(4).toString('utf8');
      return printsRecipe('logs')(command);
    };
    const { stdout } = await run(['logs', 'win-1', '--param', 'minutes=5', '--param=lines=0', '-o', 'json'], { of });
    const { recipe } = JSON.parse(stdout) as { readonly recipe: unknown };
    assert.deepEqual(recipe, { id: 'logs', version: 1, schemaVersion: 1, parameters: { minutes: 5, events: 200, lines: 0 } });
    assert.ok(sent.includes(`a='{"minutes":5,"events":200,"lines":0}'`));
    assert.ok(sent.includes((await loadRecipe(recipeOf('logs'))).replaceAll("'", "''")));
  });

  it('gives the recipe the time that it is known to take, or that of --timeout', async () => {
    const deadlineOf = async (argv: readonly string[]): Promise<unknown> => (JSON.parse((await run([...argv, 'win-1', '--dry-run=client', '-o', 'json'])).stdout) as { readonly spec: { readonly activeDeadlineSeconds: number } }).spec.activeDeadlineSeconds;
    assert.deepEqual([await deadlineOf(['hns']), await deadlineOf(['logs']), await deadlineOf(['logs', '--timeout=20m'])], [540, 660, 1560]);
  });

  describe('asks', () => {
    const of = (): ExecCluster => {
      const made = new ExecCluster(['a', 'b', 'c', 'd', 'e', 'f']);
      made.playCommand = printsRecipe('hns');
      return made;
    };

    it('before more nodes than are asked about, and runs after a yes', async () => {
      const { stderr, exitCode } = await run(['hns', '--all'], { of: of(), answer: () => 'y' });
      assert.match(stderr, /Run on 6 Windows nodes \(a, b, c, d, e and 1 more\) as NT AUTHORITY\\SYSTEM: the recipe hns\nGo on\? \[y\/N\] /);
      assert.equal(exitCode, 0);
    });

    it('and creates nothing after a no, or where nobody can be asked', async () => {
      const declined = await run(['hns', '--all'], { of: of(), answer: () => 'n' });
      assert.deepEqual([declined.exitCode, declined.stdout, declined.cluster.callsOf('create').length], [1, '', 0]);
      const mute = await run(['hns', '--all'], { of: of() });
      assert.deepEqual([mute.exitCode, mute.cluster.callsOf('create').length], [2, 0]);
    });

    it('nothing with --yes', async () => assert.equal((await run(['hns', '--all', '--yes'], { of: of() })).exitCode, 0));
  });

  describe('--dry-run=client', () => {
    it('prints the plan, and creates nothing', async () => {
      const { stdout, exitCode, cluster: { calls } } = await run(['hns', ...ALL, '--dry-run=client', '-o', 'jsonl']);
      assert.deepEqual([exitCode, calls.filter(({ verb }) => verb !== 'list' && verb !== 'get')], [1, []]);
      assert.deepEqual(stdout.trimEnd().split('\n').map((line) => (JSON.parse(line) as { readonly result?: string }).result), ['pending', 'pending', 'pending', 'refused', undefined]);
    });

    it('prints the very objects, which hold nothing of the script', async () => {
      const { stdout } = await run(['hns', 'win-1', '--dry-run=client', '-o', 'yaml', '-n', 'ops', '--reason', 'slow DNS']);
      assertGolden('hostprocess/run/objects.yaml', stdout);
      assert.doesNotMatch(stdout, /Get-Hns|hns/);
    });
  });

  it('--via=logs reads the document from the log of the pod that ran the recipe, and never execs', async () => {
    const of = cluster();
    of.missingRights.push('get pods/exec', 'create pods/exec');
    of.playNode = (pod) => pod.status(2, { phase: 'Succeeded', containerStatuses: [{ name: 'hostprocess', state: { terminated: { exitCode: 0, reason: 'Completed' } } }] });
    const read: string[] = [];
    const podLogs: PodLogs = {
      read: async ({ pod }) => {
        read.push(pod);
        return (async function* log() {
          yield Buffer.from(`${sign('start 42')}${recipeOutput('hns')}${sign('end 0')}`);
        })();
      },
    };
    const { stdout, stderr, exitCode } = await run(['hns', 'win-1', '--via=logs', '-o', 'json'], { of, podLogs });
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual((JSON.parse(stdout) as { readonly items: readonly { readonly data: unknown }[] }).items[0]?.data, RECIPE_OUTPUTS.hns);
    assert.deepEqual([read.length, of.callsOf('exec').length, of.jobs.size], [1, 0, 0]);
    assert.match(stderr, /^note: --via=logs: the command stands in the pod and its output in the log/m);
  });

  it('--to writes the document of each node, and none where nothing came', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-run-'));
    try {
      const to = join(folder, 'facts');
      const { stdout, exitCode } = await run(['node-facts', ...ALL, '--to', to, '-o', 'name']);
      assert.deepEqual([exitCode, stdout.split('\n').length], [1, 5]);
      assert.deepEqual((await readdir(to, { recursive: true })).toSorted(), ['win-1', 'win-1/node-facts.json', 'win-2', 'win-2/node-facts.json']);
      assert.deepEqual(JSON.parse(await readFile(join(to, 'win-1', 'node-facts.json'), 'utf8')), RECIPE_OUTPUTS['node-facts']);
      // once more it goes over what is there
      assert.equal((await run(['node-facts', 'win-1', '--to', to])).exitCode, 0);
      const planned = await run(['node-facts', 'win-1', '--to', join(folder, 'none'), '--dry-run=client']);
      assert.deepEqual([planned.exitCode, (await readdir(folder)).length], [0, 1]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('--to writes nothing outside of its folder, whatever a node is called', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-run-'));
    try {
      const of = new ExecCluster(['..']);
      of.playCommand = printsRecipe('hns');
      const { exitCode, stdout } = await run(['hns', '--all', '--to', join(folder, 'a'), '-o', 'name'], { of });
      assert.deepEqual([exitCode, stdout], [2, 'node/..\n']);
      assert.deepEqual((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json')), []);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  describe('--via=kubelet', () => {
    const nodeLogs: NodeLogs = {
      query: async (node, { query }) => (async function* log() {
        yield Buffer.from(node === 'win-2' ? '<!doctype html>\n' : `${query?.[0]} on ${node}${ESCAPE}[2J\n`);
      })(),
    };

    it('asks kubelets for logs, creates nothing, and says what one does not give', async () => {
      const { stdout, stderr, exitCode, cluster: { calls } } = await run(['logs', 'win-1', 'win-2', 'lin-1', '--via=kubelet'], { nodeLogs });
      assert.deepEqual([exitCode, calls.filter(({ verb }) => verb !== 'list' && verb !== 'get')], [1, []]);
      assertGolden('hostprocess/run/kubelet.txt', stdout);
      assert.match(stderr, /^win-2 {2}NotSupported: its kubelet answers no queries for logs: [^]*^win-2: Set it to true\. /m);
    });

    it('prints documents of the recipe', async () => {
      const { stdout } = await run(['logs', 'win-1', '--via=kubelet', '-o', 'json'], { nodeLogs });
      const report = JSON.parse(stdout) as { readonly run: unknown; readonly items: readonly { readonly data: unknown }[] };
      assertMatchesSchema('RecipeReport', report);
      assertMatchesRecipeSchema('logs', report.items[0]?.data);
      assert.equal(report.run, null);
      const lines = (await run(['logs', 'win-1', '--via=kubelet', '-o', 'jsonl'], { nodeLogs })).stdout.trimEnd().split('\n');
      assert.deepEqual([lines.length, (JSON.parse(lines[0] ?? '') as { readonly node: string }).node], [2, 'win-1']);
    });

    it('prints the line of a node when its kubelet has answered, whatever others do', async () => {
      const { promise: isAnswered, resolve } = Promise.withResolvers<void>();
      const slow: NodeLogs = {
        query: async (node, parts, options) => {
          if (node === 'win-2' && parts['query']?.[0] === 'kube-proxy') resolve();
          else if (node === 'win-1') await isAnswered;
          return nodeLogs.query(node === 'win-2' ? 'win-3' : node, parts, options);
        },
      };
      const { stdout } = await run(['logs', 'win-1', 'win-2', 'lin-1', '--via=kubelet', '-o', 'jsonl'], { nodeLogs: slow });
      const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { readonly node?: string; readonly data?: unknown });
      assert.deepEqual(lines.map(({ node }) => node), ['win-2', 'win-1', 'lin-1', undefined]);
      assert.deepEqual(lines.slice(0, 3).map(({ data }) => data !== null), [true, true, false]);
    });

    it('is planned without a question to a node', async () => {
      const { stdout, exitCode } = await run(['logs', 'win-1', '--via=kubelet', '--dry-run=client', '-o', 'json']);
      assert.deepEqual([exitCode, (JSON.parse(stdout) as { readonly phase: string }).phase], [0, 'planned']);
    });
  });

  it('takes the failed nodes of its own report', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubectl-win-run-'));
    try {
      const file = join(folder, 'report.json');
      await writeFile(file, (await run(['node-facts', 'win-1', 'win-3', '-o', 'json'])).stdout);
      const of = cluster();
      of.playCommand = printsRecipe('node-facts');
      const { stdout } = await run(['node-facts', '--failed-of', file, '-o', 'name'], { of });
      assert.equal(stdout, 'node/win-3\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('keeps a record of the run until its end', async () => {
    const localRuns = memoryRuns();
    const of = cluster();
    let during = 0;
    of.playCommand = async (command) => {
      during = localRuns.runs.size;
      return printsRecipe('hns')(command);
    };
    await run(['hns', 'win-1'], { of, localRuns });
    assert.deepEqual([during, localRuns.runs.size], [1, 0]);
  });

  it('refuses a document that is longer than --max-output', async () => {
    const { stdout, stderr } = await run(['node-facts', 'win-1', '--max-output=100', '-o', 'json']);
    assert.match(stderr, new RegExp(`has printed ${recipeOutput('node-facts').length} bytes, more than are kept \\(--max-output\\)`));
    assert.equal((JSON.parse(stdout) as { readonly items: readonly { readonly data: unknown }[] }).items[0]?.data, null);
  });

  describe('--list', () => {
    for (const [scenario, argv] of [['list.txt', []], ['list.json', ['-o', 'json']]] as const) {
      it(`prints ${scenario}`, async () => {
        const { stdout } = await run(['--list', ...argv]);
        if (scenario === 'list.json') assertMatchesSchema('RecipeList', JSON.parse(stdout));
        assertGolden(`hostprocess/run/${scenario}`, stdout);
      });
    }

    it('takes the name of one', async () => assert.equal((await run(['--list', 'hns', '-o', 'name'])).stdout, 'recipe/hns\n'));
  });

  it('--show-script prints what nodes run', async () => assert.equal((await run(['images', '--show-script'])).stdout, await loadRecipe(recipeOf('images'))));

  const refused: readonly [readonly string[], RegExp][] = [
    [[], /^error: no recipe is named\n/], [['--show-script'], /^error: no recipe is named\n/], [['--list', 'x'], /^error: there is no recipe "x"\n/],
    [['node-fact', 'win-1'], /^error: there is no recipe "node-fact"\ndid you mean node-facts\?\n/],
    [['hns'], /^error: no node is named: /], [['hns', 'win-1', '--all'], /^error: --all and names of nodes cannot be used together/],
    [['hns', 'pod/'], /^error: "pod\/" .*\nNODE, node\/NAME, pod\/NAME or pod\/NAMESPACE\/NAME, behind the name of the recipe\n/],
    [['hns', 'win-1', '--param', 'minutes=1'], /^error: invalid argument for "--param" flag: recipe hns takes no parameters\n/],
    [['hns', 'win-1', '--batch-pause=1m'], /^error: --batch-pause needs --batch-size/],
    [['hns', '--failed-of=-', '--inventory=-', '--dry-run=client'], /standard input is read once/],
    [['hns', 'win-1', '--inventory', 'x.json'], /^error: --inventory can be planned for, and nothing be run on its nodes\n/],
    [['hns', 'win-1', '--via=kubelet'], /^error: --via=kubelet reads logs alone, not hns\n/], [['hns', 'win-1', '-o', 'sarif'], /^error: unable to match a printer/],
  ];
  for (const [argv, message] of refused) {
    it(`refuses ${argv.join(' ') || 'nothing'}`, async () => {
      const { stderr, exitCode, stdout } = await run(argv);
      assert.deepEqual([exitCode, stdout], [2, '']);
      assert.match(stderr, message);
    });
  }

  it('is interrupted with what it had', async () => {
    const stop = new AbortController();
    const of = cluster();
    of.playCommand = async (command) => {
      if (command.node === 'win-1') return printsRecipe('node-facts')(command);
      stop.abort(new Error('Ctrl-C'));
      await command.wait(600);
      return 0;
    };
    const { stdout, exitCode } = await run(['node-facts', 'win-1', 'win-2', '--parallel=1', '-o', 'json'], { of, signal: stop.signal });
    const report = JSON.parse(stdout) as { readonly phase: string; readonly items: readonly { readonly result: string }[] };
    assert.deepEqual([exitCode, report.phase, report.items[0]?.result], [130, 'interrupted', 'succeeded']);
  });

  it('is no success where the reader of its output leaves in the middle', async () => {
    const stop = new AbortController();
    const of = cluster();
    of.playCommand = async (command) => {
      stop.abort(new PipeClosed('stdout was closed'));
      await command.wait(600);
      return 0;
    };
    const { stderr, exitCode, cluster: { jobs } } = await run(['node-facts', 'win-1', '-o', 'jsonl'], { of, signal: stop.signal });
    assert.deepEqual([exitCode, jobs.size], [130, 0]);
    assert.match(stderr, /^error: interrupted: standard output was closed$/m);
  });

  it('says what it may not do before anything is created', async () => {
    const of = cluster();
    of.missingRights.push('create pods/exec', 'get pods/exec');
    const { stderr, exitCode, cluster: { calls } } = await run(['hns', 'win-1'], { of });
    assert.equal(exitCode, 3);
    assert.match(stderr, /pods\/exec/);
    assert.deepEqual(calls.filter(({ verb }) => verb === 'create'), []);
  });

  it('reads no cluster that cannot be read', async () => {
    const of = cluster();
    of.onCall = ({ verb }) => (verb === 'list' ? forbidden('list', 'nodes') : null);
    assert.equal((await run(['hns', '--all'], { of })).exitCode, 3);
  });
});
