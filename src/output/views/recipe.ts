/** The table and the RecipeReport document of `kubectl win hostprocess run`. */
import type { FetchedFiles } from '../../app/hostprocess/fetch-files.ts';
import type { RecipeItem, RecipeReport } from '../../app/hostprocess/recipe-report.ts';
import type { Recipe } from '../../domain/hostprocess/recipes/recipe.ts';
import { durationText } from '../../domain/duration-text.ts';
import { jsonLine } from '../json.ts';
import { counted } from '../counted.ts';
import { sizeText } from '../size-text.ts';
import type { CellTone, View } from '../view.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';
import { execSummary, resultCell, resultOf, type ExecResult } from './exec-texts.ts';
import { recipeSummary } from './recipe-texts.ts';

const RESULT_TONES: Readonly<Record<ExecResult, CellTone>> = { succeeded: 'good', failed: 'bad', refused: 'bad', skipped: 'muted', pending: 'plain' };

export function recipeView(report: RecipeReport, options: DocumentOptions): View<RecipeItem> {
  return {
    columns: [
      { header: 'NODE', value: ({ node }) => node },
      { header: 'RESULT', value: (item) => resultCell(item, report.phase), tone: (item) => RESULT_TONES[resultOf(item)] },
      { header: 'TIME', value: ({ outcome, pod }) => (outcome === null || pod === null ? '' : durationText(outcome.durationSeconds)), sortKey: ({ outcome }) => outcome?.durationSeconds ?? null },
      { header: 'PROBLEMS', value: problemsText, tone: ({ data }): CellTone => ((data?.problems.length ?? 0) === 0 ? 'plain' : 'warning'), sortKey: ({ data }) => data?.problems.length ?? null },
      { header: 'SUMMARY', value: summaryText },
      { header: 'MESSAGE', wide: true, value: ({ outcome, data }) => outcome?.error?.message ?? data?.problems.map(({ part, message }) => `${part}: ${message}`).join('; ') ?? '' },
      { header: 'POD', wide: true, value: ({ pod }) => pod ?? '' },
      { header: 'RUN', wide: true, value: () => report.run ?? '' },
    ],
    items: report.items,
    document: () => recipeDocument(report, options),
    nameOf: ({ node }) => `node/${node}`,
    emptyMessage: 'No Windows nodes found to run on',
  };
}

function problemsText({ data }: RecipeItem): string {
  return data === null ? '' : String(data.problems.length);
}

function summaryText({ data, outcome, fetched = null }: RecipeItem): string {
  if (data === null) return outcome?.error?.reason ?? '';
  return [recipeSummary(data), ...(fetched === null ? [] : [`${fetched.totals.doneFiles} of ${counted(fetched.totals.files, 'file')} fetched, ${sizeText(fetched.totals.doneBytes)}`])].filter((part) => part !== '').join('; ');
}

function recipeDocument(report: RecipeReport, options: DocumentOptions): Record<string, unknown> {
  const { source, serverVersion, run, namespace, phase, recipe, parameters, items, notes } = report;
  return {
    apiVersion: 'kubectl-win/v1alpha1', kind: 'RecipeReport',
    metadata: documentMetadata(options, { source: source.source, context: source.context, serverVersion }),
    run, namespace, phase,
    recipe: { ...recipe, parameters },
    summary: execSummary(items),
    items: items.map(recipeItemDocument),
    notes: [...notes],
  };
}

/** `-o jsonl`: a line per node, as it ends. */
export function recipeItemLine(item: RecipeItem): string {
  return jsonLine(recipeItemDocument(item));
}

/** `-o jsonl`: the last line, the report without its items. */
export function recipeLastLine(report: RecipeReport, options: DocumentOptions): string {
  const { items: _, ...rest } = recipeDocument(report, options);
  return jsonLine(rest);
}

function recipeItemDocument(item: RecipeItem): Record<string, unknown> {
  const { node, pod, outcome, data, stderr, fetched = null } = item;
  return { node, pod, result: resultOf(item), exitCode: outcome?.exitCode ?? null, error: outcome?.error ?? null, data, stderr, durationSeconds: outcome?.durationSeconds ?? null, fetched: fetched === null ? null : fetchedDocument(fetched) };
}

function fetchedDocument({ left, totals }: FetchedFiles): Record<string, unknown> {
  return { files: totals.files, fetchedFiles: totals.doneFiles, fetchedBytes: totals.doneBytes, left: left.map(({ path, result, message }) => ({ path, result, message })) };
}

/** What `--list` prints. */
export function recipeListView(recipes: readonly Recipe[]): View<Recipe> {
  return {
    columns: [
      { header: 'NAME', value: ({ id }) => id },
      { header: 'VERSION', value: ({ version }) => String(version) },
      { header: 'PARAMETERS', value: ({ parameters }) => parameters.map(({ name, default: value }) => `${name}=${value}`).join(',') },
      { header: 'READS', value: ({ summary }) => summary },
    ],
    items: recipes,
    document: () => ({
      apiVersion: 'kubectl-win/v1alpha1', kind: 'RecipeList',
      items: recipes.map(({ id, version, schemaVersion, summary, parameters, timeoutSeconds }) => ({ id, version, schemaVersion, summary, parameters: parameters.map((parameter) => ({ ...parameter })), timeoutSeconds })),
    }),
    nameOf: ({ id }) => `recipe/${id}`,
    emptyMessage: 'No recipes',
  };
}
