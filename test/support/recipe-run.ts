/** Recipes in a cluster in memory: nodes print what they are told to. */
import type { RecipeOptions } from '../../src/app/run-recipe.ts';
import type { KeptOutput } from '../../src/domain/hostprocess/fold.ts';
import { findRecipe, type RecipeId } from '../../src/domain/hostprocess/recipes/index.ts';
import type { Recipe } from '../../src/domain/hostprocess/recipes/recipe.ts';
import { type KeptOutputs, NONCE, sign, type PlayCommand } from './exec-cluster.ts';
import { recipeOutput } from './recipe-outputs.ts';

export function recipeOf(id: RecipeId): Recipe {
  const recipe = findRecipe(id);
  if (recipe === undefined) throw new Error(id);
  return recipe;
}

/** Every node prints the document of the recipe; those of `others` print that text. */
export function printsRecipe(id: RecipeId, others: Readonly<Record<string, string>> = {}): PlayCommand {
  return async ({ node, out, err }) => {
    await err(sign('start 42'));
    await out(others[node] ?? recipeOutput(id));
    await err(sign('end 0'));
    return 0;
  };
}

/** What a node got before its stdin. */
export async function bytesOf(stdin: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stdin ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function recipeOptions(id: RecipeId, more: Partial<RecipeOptions> = {}): RecipeOptions {
  return {
    recipe: recipeOf(id), text: `# ${id}\n`, parameters: {},
    run: 'ab12c', targets: [], pools: [], releases: [], all: true,
    objects: { origin: 'test', image: 'registry.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} },
    anchor: 'auto', namespace: { given: 'ops', configured: null }, parallel: 10, batchSize: null, batchPauseSeconds: 0, maxFailures: null, timeoutSeconds: 180, startTimeoutSeconds: 300, dryRun: 'none',
    describe: { asOf: new Date('2026-11-30T12:00:00Z'), overrides: {}, poolLabels: [] }, confirm: async () => true, newNonce: () => NONCE, signal: new AbortController().signal, ...more,
  };
}

export function keptOf(outputs: KeptOutputs, node: string): { readonly stdout: KeptOutput | null; readonly stderr: KeptOutput | null } {
  const streams = outputs.byNode.get(node);
  if (streams === undefined || !outputs.ends.has(node)) return { stdout: null, stderr: null };
  const kept = (text: string): KeptOutput => ({ text, base64: null, isTruncated: false, sizeBytes: text.length, digest: text });
  return { stdout: kept(streams.out()), stderr: kept(streams.err()) };
}
