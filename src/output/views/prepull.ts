/** The table and the PrepullReport document of `kubectl win prepull`. */
import type { PrepullItem } from '../../app/prepull/prepull-report.ts';
import { estimateByNode } from '../../domain/prepull/pull-estimate.ts';
import { pulledContent } from '../../domain/prepull/pulled-content.ts';
import { remedyOf } from '../../domain/prepull/remedies.ts';
import { jsonLine } from '../json.ts';
import { visibleControls } from '../terminal-text.ts';
import { durationText } from '../../domain/duration-text.ts';
import { sizeText } from '../size-text.ts';
import type { CellTone, Column, View } from '../view.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';
import { messageOf, reasonOf, sizeOf, variantOf, variantText, type CountedPrepull } from './prepull-texts.ts';

const UNKNOWN = '<unknown>';
const SHORT_DIGEST = 'sha256:'.length + 12;

const RESULT_TONES: Readonly<Record<PrepullItem['result'], CellTone>> = { pulled: 'good', present: 'good', skipped: 'muted', failed: 'bad', refused: 'bad', pending: 'plain' };

/** `selection`: the flags that choose nodes, as they were typed; '' for none. */
export function prepullView(counted: CountedPrepull, options: DocumentOptions, selection = ''): View<PrepullItem> {
  const { report } = counted;
  return {
    columns: columnsOf(report.run),
    items: report.items,
    document: () => prepullDocument(counted, options),
    nameOf: ({ node }) => `node/${node}`,
    emptyMessage: `No Windows nodes found to pull onto${selection === '' ? '' : ` that match ${visibleControls(selection)}`}`,
    // a node per image, and each once
    renderings: { name: () => [...new Set(report.items.map(({ node }) => node))].map((node) => `node/${visibleControls(node)}\n`) },
  };
}

function columnsOf(run: string | null): readonly Column<PrepullItem>[] {
  return [
    { header: 'NODE', value: ({ node }) => node },
    { header: 'IMAGE', value: ({ image }) => image },
    { header: 'ACTION', value: ({ action }) => action, tone: ({ action }): CellTone => (action === 'refuse' ? 'bad' : action === 'unknown' ? 'warning' : 'plain') },
    { header: 'RESULT', value: ({ result }) => result, tone: ({ result }) => RESULT_TONES[result] },
    { header: 'VARIANT', value: variantText },
    { header: 'SIZE', value: (item) => (sizeOf(item) === null ? UNKNOWN : sizeText(sizeOf(item) ?? 0)), sortKey: (item) => (sizeOf(item) === null ? null : -(sizeOf(item) ?? 0)) },
    { header: 'TIME', value: ({ outcome }) => (outcome === null || outcome.seconds === null ? '' : durationText(outcome.seconds)) },
    { header: 'REASON', value: reasonOf },
    { header: 'EVIDENCE', wide: true, value: ({ confidence }) => confidence, tone: ({ confidence }): CellTone => (confidence === 'tag' || confidence === 'unknown' ? 'warning' : 'plain') },
    { header: 'MESSAGE', wide: true, value: messageOf },
    { header: 'REMEDY', wide: true, value: (item) => remedyOf(reasonOf(item)) ?? '' },
    { header: 'DIGEST', wide: true, value: (item) => (item.outcome?.digest ?? variantOf(item)?.digest ?? UNKNOWN).slice(0, SHORT_DIGEST) },
    { header: 'RUN', wide: true, value: () => run ?? '' },
  ];
}

function prepullDocument({ report, summary }: CountedPrepull, options: DocumentOptions): Record<string, unknown> {
  const { source, serverVersion, run, namespace, phase, items, notes } = report;
  return {
    apiVersion: 'kubectl-win/v1alpha1',
    kind: 'PrepullReport',
    metadata: documentMetadata(options, { source: source.source, context: source.context, serverVersion }),
    run, namespace, phase,
    summary: { ...summary },
    nodes: estimateByNode(items).map((estimate) => ({ ...estimate })),
    items: items.map(prepullItemDocument),
    notes: [...notes],
  };
}

/** `-o jsonl`: a line per item, as it ends. */
export function prepullItemLine(item: PrepullItem): string {
  return jsonLine(prepullItemDocument(item));
}

/** `-o jsonl`: the last line, the report without its items. */
export function prepullLastLine(counted: CountedPrepull, options: DocumentOptions): string {
  const { items: _, ...rest } = prepullDocument(counted, options);
  return jsonLine(rest);
}

export function prepullItemDocument(item: PrepullItem): Record<string, unknown> {
  return {
    node: item.node, image: item.image, variant: variantOf(item), variants: [...item.variants], action: item.action, result: item.result, isolation: item.isolation,
    reason: reasonOf(item), message: messageOf(item), remedy: remedyOf(reasonOf(item)), confidence: item.confidence, evidence: [...item.evidence], seconds: item.outcome?.seconds ?? null, sizeBytes: sizeOf(item),
    digest: item.outcome?.digest ?? null, registryDigest: item.registryDigest, content: pulledContent(item),
  };
}
