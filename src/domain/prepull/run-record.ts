/**
 * What is known of a run in the annotation of its Job: the plan, and what is done. All annotations of an object share 256 KiB
 * (https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/api/validation/objectmeta.go, TotalAnnotationSizeLimitB, read 2026-11-30), so
 * names of nodes are written as what differs from the one before, and results as a letter per node.
 */
import { isRecord } from '../kubernetes/object.ts';

export interface RecordedResult {
  readonly node: string;
  readonly image: string;
  readonly result: 'pulled' | 'present' | 'failed';
  readonly reason: string | null;
  /** Under which the node has it; absent where nothing told. */
  readonly digest?: string;
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
  /** Results whose names had no room; absent: none. */
  readonly dropped?: ResultCounts;
}

export type ResultCounts = Readonly<Record<RecordedResult['result'], number>>;

export const NO_RESULTS: ResultCounts = { pulled: 0, present: 0, failed: 0 };

/** On top of others. */
export function countResults(results: readonly RecordedResult[], others: ResultCounts = NO_RESULTS): ResultCounts {
  const counts = { ...others };
  for (const { result } of results) counts[result] += 1;
  return counts;
}

/** Room for the other annotations of the Job. */
export const RECORD_LIMIT_BYTES = 240 * 1024;

const LETTERS = { pulled: 'p', present: 'h' } as const;
const NOTHING = '-';
/** Reasons of failures by their place in a list; what has no place there is a failure that does not say why. */
const REASON_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const UNTOLD = '?';
/** A letter for the length of what names share. */
const LENGTHS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** At most RECORD_LIMIT_BYTES: of more than fits there the latest results stay. */
export function writeRecord(record: RunRecord): string {
  let { results } = record;
  for (;;) {
    const cells = new Set(results.map(({ node }) => node)).size * new Set(results.map(({ image }) => image)).size;
    const text = cells > RECORD_LIMIT_BYTES ? null : writtenWhole({ ...record, results, dropped: countResults(record.results.slice(0, record.results.length - results.length), record.dropped) });
    const bytes = text === null ? cells : new TextEncoder().encode(text).length;
    if (text !== null && (bytes <= RECORD_LIMIT_BYTES || results.length === 0)) return text;
    const kept = Math.min(results.length - 1, Math.floor(results.length * (RECORD_LIMIT_BYTES / bytes) * 0.95));
    results = kept === 0 ? [] : results.slice(-kept);
  }
}

function writtenWhole(record: RunRecord): string {
  const nodes = [...new Set(record.results.map(({ node }) => node))].toSorted();
  // A row for each content of an image; what tells of none is in the first one.
  const keys = new Map<string, readonly [image: string, digest: string | null]>();
  for (const { image, digest } of record.results) if (digest !== undefined) keys.set(`${image} ${digest}`, [image, digest]);
  const firstKeys = new Map<string, string>();
  for (const [key, [image]] of keys) if (!firstKeys.has(image)) firstKeys.set(image, key);
  const keyOf = ({ image, digest, result }: RecordedResult): string => (digest !== undefined ? `${image} ${digest}` : (result === 'failed' ? firstKeys.get(image) : undefined) ?? image);
  for (const result of record.results) if (!keys.has(keyOf(result))) keys.set(keyOf(result), [result.image, null]);
  const reasons = [...new Set(record.results.flatMap(({ reason }) => (reason === null ? [] : [reason])))].slice(0, REASON_LETTERS.length);
  const nodeIndex = new Map(nodes.map((node, index) => [node, index]));
  const rows = new Map([...keys.keys()].map((key) => [key, Array.from(nodes, () => NOTHING)]));
  for (const recorded of record.results) {
    const { node, result, reason } = recorded;
    const row = rows.get(keyOf(recorded));
    if (row !== undefined) row[nodeIndex.get(node) ?? 0] = result === 'failed' ? REASON_LETTERS[reason === null ? -1 : reasons.indexOf(reason)] ?? UNTOLD : LETTERS[result];
  }
  const { startedAt, phase, planned, refused, skipped, dropped } = record;
  return JSON.stringify({
    v: 1, startedAt, phase, planned, refused, skipped, ...(isNothing(dropped) ? {} : { dropped }), nodes: sharedNames(nodes), reasons,
    images: [...keys].map(([key, [image, digest]]) => [image, rows.get(key)?.join('') ?? '', ...(digest === null ? [] : [digest])]),
  });
}

function isNothing(counts: ResultCounts = NO_RESULTS): boolean {
  return Object.values(counts).every((count) => count === 0);
}

/** `0` + `0` + `win-a.example`, `4` + `8` + `b`: how much of the name before is at the front and at the end, and what is between. */
function sharedNames(names: readonly string[]): string {
  let before = '';
  return names.map((name) => {
    const most = Math.min(before.length, name.length, LENGTHS.length - 1);
    let front = 0;
    while (front < most && before[front] === name[front]) front += 1;
    let end = 0;
    const mostAtEnd = Math.min(before.length - front, name.length - front, LENGTHS.length - 1);
    while (end < mostAtEnd && before[before.length - 1 - end] === name[name.length - 1 - end]) end += 1;
    before = name;
    return `${LENGTHS[front]}${LENGTHS[end]}${name.slice(front, name.length - end)}`;
  }).join(' ');
}

function readNames(text: string): readonly string[] {
  let before = '';
  return text === '' ? [] : text.split(' ').map((entry) => {
    const front = Math.max(0, LENGTHS.indexOf(entry[0] ?? '0'));
    const end = Math.max(0, LENGTHS.indexOf(entry[1] ?? '0'));
    // Names have 253 characters at most; a text that was made up may repeat itself for ever.
    before = `${before.slice(0, front)}${entry.slice(2)}${end === 0 ? '' : before.slice(-end)}`.slice(0, 253);
    return before;
  });
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
  const { startedAt, phase, planned, refused, skipped, dropped, nodes, images, reasons } = document;
  if (typeof startedAt !== 'string' || Number.isNaN(Date.parse(startedAt)) || !isPhase(phase) || typeof nodes !== 'string' || !Array.isArray(images) || !Array.isArray(reasons)) return null;
  const names = readNames(nodes);
  const results: RecordedResult[] = [];
  for (const row of images as readonly unknown[]) {
    const [image, letters, digest] = Array.isArray(row) ? (row as readonly unknown[]) : [];
    if (typeof image !== 'string' || typeof letters !== 'string') continue;
    for (let index = 0; index < letters.length; index += 1) {
      const node = names[index];
      const read = resultOf(letters[index], reasons);
      if (node !== undefined && read !== null) results.push({ node, image, ...read, ...(read.result !== 'failed' && typeof digest === 'string' ? { digest } : {}) });
    }
  }
  const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : 0);
  const unnamed: ResultCounts = isRecord(dropped) ? { pulled: count(dropped['pulled']), present: count(dropped['present']), failed: count(dropped['failed']) } : NO_RESULTS;
  return { startedAt, phase, planned: count(planned), refused: count(refused), skipped: count(skipped), results, ...(isNothing(unnamed) ? {} : { dropped: unnamed }) };
}

function resultOf(letter: string | undefined, reasons: readonly unknown[]): Pick<RecordedResult, 'result' | 'reason'> | null {
  if (letter === LETTERS.pulled) return { result: 'pulled', reason: null };
  if (letter === LETTERS.present) return { result: 'present', reason: null };
  if (letter === UNTOLD) return { result: 'failed', reason: null };
  const reason = letter === undefined || letter === '' ? undefined : reasons[REASON_LETTERS.indexOf(letter)];
  return typeof reason === 'string' ? { result: 'failed', reason } : null;
}

function isPhase(value: unknown): value is RunRecord['phase'] {
  return value === 'running' || value === 'succeeded' || value === 'failed' || value === 'interrupted';
}
