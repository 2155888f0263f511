/** Nodes on which a command came to the same, as groups. */
import type { ExecError, ExecOutcome } from './outcome.ts';

/** What a command wrote to one of its streams, as far as it was kept. */
export interface KeptOutput {
  /** null where the bytes are not UTF-8; then they are in `base64`. */
  readonly text: string | null;
  readonly base64: string | null;
  /** More came than was kept. */
  readonly isTruncated: boolean;
  /** All that came. */
  readonly sizeBytes: number;
  /** SHA-256 of all that came, so that what was not kept is compared, too. */
  readonly digest: string;
}

export interface FoldableItem {
  readonly node: string;
  /** null: not begun, or not ended. */
  readonly outcome: Pick<ExecOutcome, 'exitCode' | 'error'> | null;
  /** null where a stream was not captured: a terminal has one for both. */
  readonly stdout: KeptOutput | null;
  readonly stderr: KeptOutput | null;
}

export interface ExecGroup {
  /** In the order of the items. */
  readonly nodes: readonly string[];
  readonly outcome: Pick<ExecOutcome, 'exitCode' | 'error'> | null;
  readonly stdout: KeptOutput | null;
  readonly stderr: KeptOutput | null;
}

/**
 * Items are equal that have exit code, error and every byte of both outputs in common; how long they took does not count, and of messages not
 * the name of their own node. The largest group first, of equal ones that whose first node comes first.
 */
export function foldItems(items: readonly FoldableItem[]): readonly ExecGroup[] {
  const groups = new Map<string, { readonly first: FoldableItem; readonly nodes: string[] }>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: item, nodes: [item.node] });
    else group.nodes.push(item.node);
  }
  return [...groups.values()].map(({ first, nodes }): ExecGroup => ({
    nodes, stdout: first.stdout, stderr: first.stderr,
    outcome: first.outcome === null ? null : { exitCode: first.outcome.exitCode, error: nodes.length === 1 ? first.outcome.error : errorOfAll(first) },
  })).toSorted((a, b) => b.nodes.length - a.nodes.length);
}

function keyOf(item: FoldableItem): string {
  const { outcome, stdout, stderr } = item;
  const error = errorOfAll(item);
  return JSON.stringify([outcome === null, outcome?.exitCode ?? null, error?.reason ?? null, error?.message ?? null, stdout?.digest ?? null, stderr?.digest ?? null]);
}

function errorOfAll({ node, outcome }: FoldableItem): ExecError | null {
  if (outcome === null || outcome.error === null) return null;
  const { reason, message, remedy } = outcome.error;
  // names as a whole: node-1 is not in node-12 or in node-1.example, and the full stop behind it is not its own
  return { reason, message: message.replaceAll(/[\w-]+(?:\.[\w-]+)*/g, (word) => (word === node ? '<node>' : word)), ...(remedy === undefined ? {} : { remedy }) };
}
