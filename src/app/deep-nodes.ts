/** `kubectl win nodes --deep`: what nodes say of themselves, by recipe node-facts. */
import { readNodeFacts, type NodeFacts } from '../domain/hostprocess/recipes/node-facts.ts';
import type { ExecError } from '../domain/hostprocess/outcome.ts';
import type { WindowsNode } from '../domain/node/windows-node.ts';
import type { ExecStep } from './exec-on-nodes.ts';
import type { RecipeItem, RecipeReport } from './hostprocess/recipe-report.ts';
import { runRecipe, type RecipeCluster, type RecipeOptions } from './run-recipe.ts';

export interface DeepFacts {
  /** null: not known, and `error` says why. */
  readonly facts: NodeFacts | null;
  readonly error: ExecError | null;
}

export type DeepOptions = Omit<RecipeOptions, 'targets' | 'selector' | 'pools' | 'releases' | 'all' | 'parameters'>;

/** Nodes that can be asked: all that are not known to be of another system. */
export function nodesToAsk(nodes: readonly WindowsNode[]): readonly string[] {
  return nodes.filter(({ os }) => os === 'windows').map(({ name }) => name);
}

/** Asks the nodes; `onReport` gets the report at the end. Throws as runRecipe does. */
export function deepNodes(names: readonly string[], options: DeepOptions, cluster: RecipeCluster, onReport: (report: RecipeReport) => void): AsyncGenerator<ExecStep, void, undefined> {
  return runRecipe({ ...options, targets: names.map((name) => ({ kind: 'node', name })), pools: [], releases: [], all: false, parameters: {} }, cluster, onReport);
}

/** By node. */
export function deepFactsOf(items: readonly RecipeItem[]): ReadonlyMap<string, DeepFacts> {
  return new Map(items.map(({ node, data, outcome }) => [node, {
    facts: data === null ? null : readNodeFacts(data),
    error: data !== null ? null : outcome?.error ?? { reason: 'Unknown', message: outcome === null ? 'it was not asked' : `the recipe ended with exit code ${outcome.exitCode ?? 'unknown'}` },
  }]));
}
