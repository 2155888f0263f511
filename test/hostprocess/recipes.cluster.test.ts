/** Recipes through a real API server to nodes that are played: the stand-in knows each script by its hash and prints what is laid down for it. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadRecipe } from '../../src/adapters/hostprocess/load-recipe.ts';
import { RECIPES } from '../../src/domain/hostprocess/recipes/index.ts';
import { nothingLeft } from '../cluster/played-runs.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { recipeOutput, RECIPE_OUTPUTS } from '../support/recipe-outputs.ts';
import { runCommand, type RunResult } from '../support/run-command.ts';
import { assertMatchesSchema } from '../support/schema.ts';
import { loadPlayedNodes, PLAYED_CLUSTER, recordsOf, requestsSince } from './played-cluster.ts';

const NAMESPACE = 'recipes';
const NODES = ['recipes-1', 'recipes-2', 'recipes-3'];

interface Report {
  readonly run: string;
  readonly items: readonly { readonly node: string; readonly result: string; readonly data: unknown; readonly error: { readonly reason: string; readonly message: string } | null; readonly fetched: { readonly files: number; readonly fetchedFiles: number; readonly left: readonly { readonly path: string; readonly result: string }[] } | null }[];
}

describe('recipes on nodes', function () {
  this.timeout(120_000);
  const recordFolder = mkdtempSync(join(tmpdir(), 'kubectl-win-recipes-'));
  const cluster = useCluster({ ...PLAYED_CLUSTER, recordFolder });

  before('three Windows nodes and one of Linux', async () => {
    await mkdir(join(recordFolder, 'recipes'));
    for (const { id } of RECIPES) await writeFile(join(recordFolder, 'recipes', `${id}.json`), recipeOutput(id));
    await cluster().createNamespace(NAMESPACE);
    await loadPlayedNodes(cluster(), NODES);
    await cluster().loadNodes([rawNode('recipes-linux', { os: 'linux' })]);
  });
  after(() => rm(recordFolder, { recursive: true, force: true }));

  const run = (...argv: readonly string[]): Promise<RunResult> => runCommand([...argv, '-n', NAMESPACE, '--kubeconfig', cluster().kubeconfig], { env: { HOME: '/nowhere' }, clock: { now: () => new Date() } });

  for (const recipe of RECIPES) {
    it(`${recipe.id} arrives as it is, and its document comes back, from each node`, async () => {
      const mark = await cluster().auditMark();
      const parameters = recipe.parameters.flatMap(({ name, minimum }) => ['--param', `${name}=${minimum}`]);
      const { stdout, stderr, exitCode } = await run('hostprocess', 'run', recipe.id, ...NODES, ...parameters, '-o', 'json');
      assert.equal(exitCode, 0, stderr);
      const report = JSON.parse(stdout) as Report;
      assertMatchesSchema('RecipeReport', report);
      assert.deepEqual(report.items.map(({ node, data }) => [node, data]), NODES.map((node) => [node, RECIPE_OUTPUTS[recipe.id]]));
      const records = await recordsOf(cluster(), report.run);
      assert.deepEqual(records.map(({ kind, name, arguments: given, isFramed, problem }) => [kind, name, JSON.parse(given ?? 'null'), isFramed, problem]), NODES.map(() => ['named', `${recipe.id}.v${recipe.version}`, Object.fromEntries(recipe.parameters.map(({ name, minimum }) => [name, minimum])), true, '']));
      // nothing of it stands in a request, whole or encoded
      const [, , line = ''] = (await loadRecipe(recipe)).split('\n').slice(-4);
      const asked = JSON.stringify(await requestsSince(cluster(), mark));
      for (const text of [line, Buffer.from(line).toString('base64').slice(4, 40), Buffer.from(line, 'utf16le').toString('base64').slice(4, 40)]) assert.ok(!asked.includes(text), text);
      await nothingLeft(cluster(), NAMESPACE, 20);
    });
  }

  it('logs --to brings the log files that have changed, in the same pod, and goes on where an earlier run has stopped', async () => {
    const to = join(recordFolder, 'bundle');
    const texts = new Map([['k/kubelet.err.log', randomBytes(300_000)], ['var/log/kube-proxy.log', Buffer.from('proxy\n')]]);
    for (const [name, bytes] of texts) {
      await mkdir(dirname(join(recordFolder, 'C', name)), { recursive: true });
      await writeFile(join(recordFolder, 'C', name), bytes);
    }
    const file = (path: string, changedAt: Date, sizeBytes: number): unknown => ({ path, sizeBytes, changedAt: changedAt.toISOString(), lastLines: null });
    const now = new Date();
    const files = [
      ...[...texts].map(([name, { length }]) => file(`C:\\${name.replaceAll('/', '\\')}`, now, length)), file('C:\\k\\gone.log', now, 3), file('C:\\k\\old.log', new Date(0), 9), file('C:\\..\\..\\etc\\passwd', now, 1),
    ];
    await writeFile(join(recordFolder, 'recipes', 'logs.json'), `${JSON.stringify({ ...RECIPE_OUTPUTS.logs, takenAt: now.toISOString(), files })}\n`);
    const bundle = async (): Promise<Report['items'][number]> => {
      const { stdout, stderr, exitCode } = await run('hostprocess', 'run', 'logs', 'recipes-1', '--to', to, '-o', 'json');
      assert.equal(exitCode, 1, stderr);
      const report = JSON.parse(stdout) as Report;
      assertMatchesSchema('RecipeReport', report);
      // the recipe and the files, in one pod
      assert.equal(new Set((await recordsOf(cluster(), report.run)).map(({ pod }) => pod)).size, 1);
      return report.items[0] ?? assert.fail();
    };
    const first = await bundle();
    assert.deepEqual([first.error?.reason, first.fetched?.files, first.fetched?.fetchedFiles, first.fetched?.left.map(({ path, result }) => [path, result])], ['OutputUnreadable', 3, 2, [['C/k/gone.log', 'failed']]]);
    assert.match(first.error?.message ?? '', /^not all log files are there: 1 file not copied \(C\/k\/gone\.log: .+\)$/);
    for (const [name, bytes] of texts) assert.ok(bytes.equals(await readFile(join(to, 'recipes-1', 'C', name))), name);
    assert.deepEqual((await readdir(join(to, 'recipes-1'))).toSorted(), ['C', 'logs.json']);
    await rm(join(to, 'recipes-1', 'C', 'k', 'kubelet.err.log'));
    await writeFile(join(to, 'recipes-1', 'C', 'k', 'kubelet.err.log.kubectl-win-part'), texts.get('k/kubelet.err.log')?.subarray(0, 200_000) ?? '');
    assert.equal((await bundle()).fetched?.fetchedFiles, 2);
    assert.ok(texts.get('k/kubelet.err.log')?.equals(await readFile(join(to, 'recipes-1', 'C', 'k', 'kubelet.err.log'))));
    await nothingLeft(cluster(), NAMESPACE, 20);
  });

  it('nodes --deep asks the Windows nodes, shows all, and leaves nothing behind', async () => {
    const { stdout, stderr, exitCode } = await run('nodes', '--deep', '--all-os', '-o', 'json', ...NODES, 'recipes-linux');
    assert.equal(exitCode, 0, stderr);
    const list = JSON.parse(stdout) as { readonly items: readonly { readonly name: string; readonly deep: { readonly lastBootAt: string } | null; readonly deepError: unknown }[] };
    assertMatchesSchema('WindowsNodeList', list);
    assert.deepEqual(list.items.map(({ name, deep, deepError }) => [name, deep?.lastBootAt ?? null, deepError]), [...NODES.map((name) => [name, '2026-10-14T03:02:11Z', null]), ['recipes-linux', null, null]]);
    await nothingLeft(cluster(), NAMESPACE, 20);
  });

  it('what a node prints is neutralised in a table, and kept as it is in JSON', async () => {
    await writeFile(join(recordFolder, 'recipes', 'images.json'), `\u001b[2Jnot a document\u001b]0;title\u0007\n`);
    const { stdout, stderr, exitCode } = await run('hostprocess', 'run', 'images', 'recipes-1');
    assert.equal(exitCode, 1);
    assert.ok(!`${stdout}${stderr}`.includes('\u001b'), stderr);
    assert.match(stderr, /OutputUnreadable: recipe images has printed no document/);
  });
});
