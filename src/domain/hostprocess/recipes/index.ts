/** The recipes that `kubectl win hostprocess run` knows. */
import type { Recipe } from './recipe.ts';

export const RECIPES = [
  {
    id: 'node-facts', version: 1, schemaVersion: 1,
    summary: 'Updates, last boot, pending restart, room on disks, image cache, state of services',
    parameters: [],
    timeoutSeconds: 180,
  },
  {
    id: 'logs', version: 1, schemaVersion: 1,
    summary: 'Events of the services of a node, its log files, and the last lines of those that matter',
    parameters: [
      { name: 'minutes', default: 60, minimum: 1, maximum: 43_200, summary: 'how far back' },
      { name: 'events', default: 200, minimum: 1, maximum: 5_000, summary: 'newest events of each log' },
      { name: 'lines', default: 100, minimum: 0, maximum: 2_000, summary: 'last lines of each file, at most 256 KiB' },
    ],
    timeoutSeconds: 300,
  },
  {
    id: 'hns', version: 1, schemaVersion: 1,
    summary: 'Networks, endpoints and load balancers of the Host Network Service',
    parameters: [],
    timeoutSeconds: 180,
  },
  {
    id: 'images', version: 1, schemaVersion: 1,
    summary: 'All images that the container runtime holds, with tags, digests and sizes',
    parameters: [],
    timeoutSeconds: 180,
  },
  {
    id: 'hotfixes', version: 1, schemaVersion: 1,
    summary: 'Installed updates, what Windows Update has tried, and the policy for it',
    parameters: [{ name: 'entries', default: 50, minimum: 0, maximum: 1_000, summary: 'newest entries of the history' }],
    timeoutSeconds: 180,
  },
] as const satisfies readonly Recipe[];

/** The one that other commands use. */
export const NODE_FACTS: Recipe = RECIPES[0];

export type RecipeId = (typeof RECIPES)[number]['id'];

export function findRecipe(id: string): Recipe | undefined {
  return RECIPES.find((recipe) => recipe.id === id);
}
