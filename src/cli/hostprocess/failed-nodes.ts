/** The file of --failed-of. */
import { arrayAt, isRecord, numberAt, stringAt, valueAt } from '../../domain/kubernetes/object.ts';
import { InputError, UsageError } from '../../errors.ts';
import type { CommandContext } from '../context.ts';
import { parseInput, placeOf, readInputText } from '../read-input.ts';

export interface FailedNodes {
  readonly nodes: readonly string[];
  /** Of the report; null where it names none. */
  readonly kubeContext: string | null;
}

/** Names of nodes that have no exit code 0 in an ExecReport, in its order. Throws InputError. */
export async function readFailedNodes(file: string, context: CommandContext): Promise<FailedNodes> {
  const place = placeOf(file);
  const text = await readInputText(file, context);
  const report = await reportOf(text, place);
  // of half a file nothing is known, least of all that nothing has failed
  if (report.items.length === 0) throw new InputError(place, 'names no node');
  const nodes = report.items.flatMap((item) => {
    const node = stringAt(item, 'node') ?? '';
    if (node === '') throw new InputError(place, 'has an item without a node');
    return numberAt(item, 'exitCode') === 0 && (valueAt(item, 'error') ?? null) === null ? [] : [node];
  });
  return { nodes: [...new Set(nodes)], kubeContext: stringAt(report.head, 'metadata', 'context') ?? null };
}

/** Throws UsageError for the report of another context, where other nodes may go by the same names. */
export function requireSameContext({ kubeContext }: FailedNodes, context: string | null): void {
  if (kubeContext === null || context === null || kubeContext === context) return;
  throw new UsageError(`--failed-of is a report of the context ${kubeContext}, and this is ${context}`, { suggestions: [`--context=${kubeContext}`] });
}

async function reportOf(text: string, place: { readonly file: string }): Promise<{ readonly head: unknown; readonly items: readonly unknown[] }> {
  const lines = linesOf(text);
  // the last line of jsonl is the report without its items; a run that was killed has none
  if (lines !== null) return { head: lines.find(isReport) ?? null, items: lines.filter((line) => !isReport(line)) };
  const document = await parseInput(text, place);
  if (!isReport(document)) throw new InputError(place, 'is no ExecReport and no RecipeReport', { suggestions: ['--failed-of reads what -o json, yaml or jsonl of kubectl win hostprocess exec and run has printed'] });
  return { head: document, items: arrayAt(document, 'items') };
}

function isReport(value: unknown): boolean {
  return ['ExecReport', 'RecipeReport'].includes(stringAt(value, 'kind') ?? '');
}

/** Objects of JSON lines; null where it is something else. */
function linesOf(text: string): readonly unknown[] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return null;
  try {
    const values = lines.map((line) => JSON.parse(line) as unknown);
    return values.every((value) => isRecord(value) && (isReport(value) ? !('items' in value) : 'node' in value)) ? values : null;
  } catch {
    return null;
  }
}
