/** What is known of a run in the annotation of its Job: the plan, and what is done. Compact, since annotations end at 256 KiB. */
import { isRecord } from '../kubernetes/object.ts';

export interface RecordedResult {
  readonly node: string;
  readonly image: string;
  readonly result: 'pulled' | 'present' | 'failed';
  readonly reason: string | null;
}

export interface RunRecord {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly phase: 'running' | 'succeeded' | 'failed' | 'interrupted';
  /** What the run set out to pull, and how much of it was refused or skipped. */
  readonly planned: number;
  readonly refused: number;
  readonly skipped: number;
  readonly results: readonly RecordedResult[];
}

const LETTERS = { pulled: 'p', present: 'h', failed: 'f' } as const;

export function writeRecord(record: RunRecord): string {
  const nodes = [...new Set(record.results.map(({ node }) => node))];
  const images = [...new Set(record.results.map(({ image }) => image))];
  const nodeIndex = new Map(nodes.map((node, index) => [node, index]));
  const imageIndex = new Map(images.map((image, index) => [image, index]));
  const results = record.results.map(({ node, image, result, reason }) => [nodeIndex.get(node), imageIndex.get(image), LETTERS[result], ...(reason === null ? [] : [reason])]);
  const { startedAt, phase, planned, refused, skipped } = record;
  return JSON.stringify({ v: 1, startedAt, phase, planned, refused, skipped, nodes, images, results });
}

/** null for what no run of this program wrote. Never throws. */
export function readRecord(text: string | undefined): RunRecord | null {
  let document: unknown;
  try {
    document = JSON.parse(text ?? '');
  } catch {
    return null;
  }
  if (!isRecord(document) || document['v'] !== 1) return null;
  const { startedAt, phase, planned, refused, skipped, nodes, images, results } = document;
  if (typeof startedAt !== 'string' || !isPhase(phase) || !areTexts(nodes) || !areTexts(images) || !Array.isArray(results)) return null;
  const read = results.flatMap((row: unknown): readonly RecordedResult[] => {
    if (!Array.isArray(row)) return [];
    const [node, image, letter, reason] = row as readonly unknown[];
    const result = (Object.keys(LETTERS) as readonly (keyof typeof LETTERS)[]).find((name) => LETTERS[name] === letter);
    const nodeName = typeof node === 'number' ? nodes[node] : undefined;
    const imageName = typeof image === 'number' ? images[image] : undefined;
    return result === undefined || nodeName === undefined || imageName === undefined ? [] : [{ node: nodeName, image: imageName, result, reason: typeof reason === 'string' ? reason : null }];
  });
  const count = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);
  return { startedAt, phase, planned: count(planned), refused: count(refused), skipped: count(skipped), results: read };
}

function isPhase(value: unknown): value is RunRecord['phase'] {
  return value === 'running' || value === 'succeeded' || value === 'failed' || value === 'interrupted';
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
