import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../src/cli/base-command.ts';
import { recipeFlags } from '../../src/cli/hostprocess/recipe-flags.ts';

export default class HostprocessRun extends BaseCommand<typeof HostprocessRun> {
  static override summary = 'Run a recipe on Windows nodes: facts, logs, network state, images or hotfixes, as data';
  static override description = `Run one of the program's own scripts on Windows nodes, on one or on many, and print what it has read there as data.

 A recipe reads: it changes nothing on the node and opens no connection. Each is a PowerShell script with a version that prints a JSON document of a known schema; --list shows them, --show-script prints one, docs/recipes.md describes them. What cannot be read on a node is null in its document, and named among its problems; the rest stands.

 Nodes are given by name, by a pod on them (pod/NAME, pod/NAMESPACE/NAME), by labels (-l, --pool, --release), or all with --all. More than 5 are asked about, unless --yes. The table has a line per node, -o json one RecipeReport with all documents, -o jsonl a line per node as it ends; --to writes each document to a folder, and with the recipe logs the log files, too. The exit code is 1 when a node failed.

 It reaches nodes as hostprocess exec does, through a HostProcess pod on each that is removed again, and takes the same rights. The script goes by stdin and stands in no audit log and on no disk of the node. With --via=kubelet the recipe logs makes no pod and asks the kubelets for what they give of logs (NodeLogQuery, which has to be switched on there).`;

  static override examples = [
    '# What there is, and what runs on nodes\nkubectl win hostprocess run --list\nkubectl win hostprocess run node-facts --show-script',
    '# Updates, last boot, pending restart and room of all nodes\nkubectl win hostprocess run node-facts --all --yes',
    '# Events and last log lines of the node of a pod, of the last ten minutes\nkubectl win hostprocess run logs pod/web-7d4b9 -n shop --param minutes=10 -o json',
    '# All of that and the log files themselves, in a folder\nkubectl win hostprocess run logs --pool npwin --param minutes=120 --to bundle',
    '# Logs without a pod, where kubelets give them\nkubectl win hostprocess run logs win-1 --via=kubelet -o json',
    '# Which images does a pool hold?\nkubectl win hostprocess run images --pool npwin -o jsonpath=\'{range .items[*]}{.node}{"\\t"}{.data.images[*].tags[*]}{"\\n"}{end}\'',
    '# Once more on those nodes that failed\nkubectl win hostprocess run hns --all --yes -o json > hns.json\nkubectl win hostprocess run hns --failed-of hns.json',
  ];

  static override usage = 'hostprocess run RECIPE (NODE... | -l SELECTOR | --pool POOL | --all) [flags] [options]';
  static override args = { RECIPE: Args.string({ description: 'Name of a recipe, then NODE, node/NAME, or pod/NAME for the node of a pod; several can be given', multiple: true }) };
  static override flags = recipeFlags;

  async run(): Promise<number> {
    const { printRecipe, printRecipes, printScript } = await import('../../src/cli/hostprocess/print-recipe.ts');
    if (this.flags.list) return printRecipes(this);
    if (this.flags['show-script']) return printScript(this);
    const { readRecipeRequest } = await import('../../src/cli/hostprocess/recipe-request.ts');
    return printRecipe(this, readRecipeRequest(this.words, this.flags, await this.formatFile()));
  }
}
