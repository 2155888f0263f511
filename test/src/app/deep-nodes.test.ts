import assert from 'node:assert/strict';
import { deepFactsOf, deepNodes, nodesToAsk } from '../../../src/app/deep-nodes.ts';
import type { RecipeItem, RecipeReport } from '../../../src/app/hostprocess/recipe-report.ts';
import { notBegun } from '../../../src/domain/hostprocess/outcome.ts';
import type { RecipeDocument } from '../../../src/domain/hostprocess/recipes/read-output.ts';
import { describeNode } from '../../../src/domain/node/describe-node.ts';
import { ExecCluster, KeptOutputs } from '../../support/exec-cluster.ts';
import { rawNode } from '../../support/fake-cluster.ts';
import { keptOf, printsRecipe, recipeOptions } from '../../support/recipe-run.ts';
import { RECIPE_OUTPUTS } from '../../support/recipe-outputs.ts';

describe('what nodes say of themselves', () => {
  it('is asked of Windows nodes alone', () => {
    const described = [rawNode('win-1'), rawNode('lin-1', { os: 'linux' }), { metadata: { name: 'bare' } }].map((raw) => describeNode(raw, { serverVersion: null, asOf: new Date(0) }));
    assert.deepEqual(nodesToAsk(described), ['win-1']);
  });

  it('is asked of the nodes that are named, and of no other', async () => {
    const cluster = new ExecCluster(['win-1', 'win-2', 'win-3']);
    cluster.playCommand = printsRecipe('node-facts');
    const outputs = new KeptOutputs();
    const { targets: _t, selector: _s, pools: _p, releases: _r, all: _a, parameters: _x, ...options } = recipeOptions('node-facts');
    let report: RecipeReport | null = null;
    const parts = { reader: cluster.reader, writer: cluster.writer, exec: cluster.exec, records: null, clock: cluster.clock, streamsOf: outputs.streamsOf, outputsOf: (node: string) => keptOf(outputs, node) };
    for await (const _step of deepNodes(['win-3', 'win-1'], options, parts, (one) => { report = one; }));
    const facts = deepFactsOf((report as RecipeReport | null)?.items ?? []);
    assert.deepEqual([...facts.keys()].toSorted((a, b) => a.localeCompare(b)), ['win-1', 'win-3']);
    assert.equal(facts.get('win-1')?.facts?.lastBootAt, '2026-10-14T03:02:11Z');
    assert.equal(cluster.callsOf('exec').length, 2);
  });

  const item = (parts: Partial<RecipeItem>): RecipeItem => ({ node: 'win-1', pod: 'p', outcome: { exitCode: 0, error: null, pid: 1, durationSeconds: 1 }, data: null, stderr: null, ...parts });
  const reasons: readonly [string, RecipeItem, string | null][] = [
    ['not an error where there is a document', item({ data: RECIPE_OUTPUTS['node-facts'] as RecipeDocument }), null],
    ['that of the run', item({ outcome: notBegun({ reason: 'NotReady', message: 'no heartbeat' }) }), 'NotReady: no heartbeat'],
    ['the exit code of the script', item({ outcome: { exitCode: 5, error: null, pid: 1, durationSeconds: 1 } }), 'Unknown: the recipe ended with exit code 5'],
    ['that it was not asked', item({ outcome: null }), 'Unknown: it was not asked'],
  ];
  for (const [name, one, expected] of reasons) {
    it(`has as its reason ${name}`, () => {
      const { error, facts } = deepFactsOf([one]).get('win-1') ?? assert.fail();
      assert.deepEqual([error === null ? null : `${error.reason}: ${error.message}`, facts === null], [expected, expected !== null]);
    });
  }
});
