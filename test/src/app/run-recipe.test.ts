import assert from 'node:assert/strict';
import type { ExecStep } from '../../../src/app/exec-on-nodes.ts';
import type { RecipeReport } from '../../../src/app/hostprocess/recipe-report.ts';
import { runRecipe, type RecipeOptions } from '../../../src/app/run-recipe.ts';
import type { RecipeId } from '../../../src/domain/hostprocess/recipes/index.ts';
import { ExecCluster, KeptOutputs } from '../../support/exec-cluster.ts';
import { bytesOf, keptOf, printsRecipe, recipeOptions } from '../../support/recipe-run.ts';
import { RECIPE_OUTPUTS } from '../../support/recipe-outputs.ts';

async function run(cluster: ExecCluster, id: RecipeId, options: Partial<RecipeOptions> = {}): Promise<{ readonly report: RecipeReport; readonly steps: readonly ExecStep[] }> {
  const outputs = new KeptOutputs();
  const steps: ExecStep[] = [];
  let report: RecipeReport | null = null;
  const parts = { reader: cluster.reader, writer: cluster.writer, exec: cluster.exec, records: null, clock: cluster.clock, streamsOf: outputs.streamsOf, outputsOf: (node: string) => keptOf(outputs, node) };
  for await (const step of runRecipe(recipeOptions(id, options), parts, (one) => { report = one; })) steps.push(step);
  return { report: report ?? assert.fail('no report'), steps };
}

describe('a recipe on nodes', () => {
  it('sends its script by stdin, with its parameters, and nothing of it in the request', async () => {
    const cluster = new ExecCluster(['win-1']);
    let [argv, stdin]: [readonly string[], Buffer] = [[], Buffer.alloc(0)];
    const print = printsRecipe('logs');
    cluster.playCommand = async (command) => {
      argv = command.request.command;
      stdin = await bytesOf(command.request.stdin);
      return print(command);
    };
    await run(cluster, 'logs', { text: '# secret-ish text\n', parameters: { minutes: 5 } });
    const sent = stdin.subarray(4).toString('utf8');
    assert.equal(stdin.readUInt32LE(0), stdin.length - 4);
    assert.ok(sent.includes('# secret-ish text') && sent.includes(`m='logs.v1'`) && sent.includes(`a='{"minutes":5}'`));
    assert.ok(!Buffer.from(argv.at(-1) ?? '', 'base64').toString('utf16le').includes('secret-ish'));
  });

  it('brings the document of each node', async () => {
    const cluster = new ExecCluster(['win-1', 'win-2']);
    cluster.playCommand = printsRecipe('hns');
    const { report } = await run(cluster, 'hns');
    assert.deepEqual([report.phase, report.recipe, report.items.map(({ node, data }) => [node, data])], ['succeeded', { id: 'hns', version: 1, schemaVersion: 1 }, [['win-1', RECIPE_OUTPUTS.hns], ['win-2', RECIPE_OUTPUTS.hns]]]);
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('has failed where a node ends well and prints no document', async () => {
    const cluster = new ExecCluster(['win-1', 'win-2']);
    cluster.playCommand = printsRecipe('hns', { 'win-2': 'something else' });
    const { report } = await run(cluster, 'hns');
    assert.deepEqual([report.phase, report.items.map(({ outcome }) => outcome?.error?.reason ?? null)], ['failed', [null, 'OutputUnreadable']]);
  });

  it('is planned without a node being asked', async () => {
    const cluster = new ExecCluster(['win-1']);
    const { report, steps } = await run(cluster, 'images', { dryRun: 'client' });
    assert.deepEqual([report.phase, report.items.map(({ data, outcome }) => [data, outcome])], ['planned', [[null, null]]]);
    const planned = steps.find((step) => step.type === 'planned');
    assert.equal(planned?.objects.length, 1);
    assert.equal(cluster.callsOf('create').length, 0);
  });

  it('reports what it had when it was interrupted', async () => {
    const cluster = new ExecCluster(['win-1', 'win-2']);
    const stop = new AbortController();
    cluster.playCommand = async (command) => {
      if (command.node === 'win-1') return printsRecipe('images')(command);
      command.wait(600).catch(() => undefined);
      stop.abort(new Error('Ctrl-C'));
      await command.wait(600);
      return 0;
    };
    const outputs = new KeptOutputs();
    let report: RecipeReport | null = null;
    const parts = { reader: cluster.reader, writer: cluster.writer, exec: cluster.exec, records: null, clock: cluster.clock, streamsOf: outputs.streamsOf, outputsOf: (node: string) => keptOf(outputs, node) };
    await assert.rejects(async () => {
      for await (const _ of runRecipe(recipeOptions('images', { signal: stop.signal, parallel: 1 }), parts, (one) => { report = one; }));
    }, /Ctrl-C/);
    assert.equal((report as RecipeReport | null)?.phase, 'interrupted');
    assert.deepEqual((report as RecipeReport | null)?.items[0]?.data, RECIPE_OUTPUTS.images);
  });
});
