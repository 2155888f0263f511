/** What `kubectl win check` prints of a report, in every format. */
import type { CheckReport, PlacedFinding } from '../../app/check-report.ts';
import type { UnreadableDocument } from '../../app/ports.ts';
import type { Rule } from '../../domain/check/rule.ts';
import { formatFieldPath } from '../../domain/kubernetes/field-path.ts';
import type { Severity } from '../../domain/severity.ts';
import { renderGithub } from '../github.ts';
import { renderJunit } from '../junit.ts';
import { renderSarif } from '../sarif.ts';
import { visibleControls } from '../terminal-text.ts';
import type { Column, View } from '../view.ts';
import { renderCheckBlocks } from './check-blocks.ts';
import { checkDocument } from './check-document.ts';
import type { DocumentOptions } from './document-metadata.ts';
import { renderCheckHtml } from './check-html.ts';
import { renderCheckMarkdown } from './check-markdown.ts';
import { findingsToRead, messageAndRemedy, objectKey, objectName, placeText, SEVERITY_TONES, summaryLine, UNREADABLE_DOCUMENT, untoldDocuments } from './check-texts.ts';

export interface CheckViewOptions extends DocumentOptions {
  /** Rules that were run: SARIF lists them all. */
  readonly rules: readonly Rule[];
  /** --fail-on: what JUnit counts as a failure. */
  readonly failOn: Severity | 'none';
  /** Width of the terminal that the table goes to; null for a pipe or file, which gets a line per finding. */
  readonly terminal: { readonly columns: number } | null;
  /** What the blocks on a terminal are made of: objects with their findings, or rules with their objects. */
  readonly groupBy: 'object' | 'rule';
  /** Folder that file names in reports for other programs are relative to; null leaves them as they are. */
  readonly root: string | null;
}

/** A line of the table: a finding, or a document that could not be read. */
export type CheckRow =
  | { readonly kind: 'finding'; readonly finding: PlacedFinding }
  | { readonly kind: 'unreadable'; readonly document: UnreadableDocument };

/** The report as a view. On a terminal the table is blocks with snippets; elsewhere it is one line per finding, unreadable documents first. */
export function checkView(report: CheckReport, options: CheckViewOptions): View<CheckRow> {
  const { terminal } = options;
  return {
    columns: CHECK_COLUMNS,
    items: [
      ...untoldDocuments(report).map((document): CheckRow => ({ kind: 'unreadable', document })),
      ...findingsToRead(report.findings).map((finding): CheckRow => ({ kind: 'finding', finding })),
    ],
    document: () => checkDocument(report, options),
    listField: 'findings',
    nameOf: (row) => (row.kind === 'finding' ? objectName(row.finding.object) : row.document.file),
    emptyMessage: summaryLine(report),
    renderings: {
      ...(terminal === null ? {} : {
        table: ({ colour = false }) => renderCheckBlocks(report, { ...terminal, colour, wide: false, groupBy: options.groupBy }),
        wide: ({ colour = false }) => renderCheckBlocks(report, { ...terminal, colour, wide: true, groupBy: options.groupBy }),
      }),
      name: () => objectNames(report.findings),
      markdown: () => renderCheckMarkdown(report),
      html: () => renderCheckHtml(report, options),
      sarif: () => renderSarif(report, options),
      junit: () => renderJunit(report, options),
      github: () => renderGithub(report, options),
    },
  };
}

/** Every object that something was found of, once, in the order of the findings. */
function* objectNames(findings: readonly PlacedFinding[]): Iterable<string> {
  const seen = new Set<string>();
  for (const { object } of findings) {
    const key = objectKey(object, null);
    if (seen.has(key) || object.name === '') continue;
    seen.add(key);
    yield `${visibleControls(objectName(object))}\n`;
  }
}

function ofFinding(value: (finding: PlacedFinding) => string): (row: CheckRow) => string {
  return (row) => (row.kind === 'finding' ? value(row.finding) : '');
}

/**
 * The first six columns hold no blanks in what Kubernetes accepts as names, so that awk counts the same in table and wide; the
 * message, which does, comes last.
 */
const CHECK_COLUMNS: readonly Column<CheckRow>[] = [
  { header: 'SEVERITY', value: (row) => (row.kind === 'finding' ? row.finding.severity : 'error'), tone: (row) => (row.kind === 'finding' ? SEVERITY_TONES[row.finding.severity] : 'bad') },
  { header: 'EFFECT', value: (row) => (row.kind === 'finding' ? row.finding.effect : 'unreadable') },
  { header: 'RULE', value: (row) => (row.kind === 'finding' ? row.finding.rule : UNREADABLE_DOCUMENT) },
  { header: 'NAMESPACE', value: ofFinding(({ object }) => object.namespace ?? '') },
  { header: 'OBJECT', value: ofFinding(({ object }) => objectName(object)) },
  { header: 'WHERE', value: (row) => (row.kind === 'unreadable' ? placeText(row.document) : row.finding.place === null ? formatFieldPath(row.finding.path) : placeText(row.finding.place)) },
  { header: 'FIELD', wide: true, value: ofFinding(({ path }) => formatFieldPath(path)) },
  { header: 'CONTAINER', wide: true, value: ofFinding(({ container }) => container ?? '') },
  { header: 'NODES', wide: true, value: ofFinding(({ nodes }) => nodes.join(',')) },
  { header: 'CONFIDENCE', wide: true, value: ofFinding(({ confidence }) => confidence) },
  { header: 'FACTS', wide: true, value: (row) => (row.kind === 'finding' ? row.finding.facts.join(',') : 'GEN-001') },
  { header: 'REFERENCE', wide: true, value: ofFinding(({ reference }) => reference) },
  { header: 'EVIDENCE', wide: true, value: ofFinding(({ evidence }) => evidence.join('; ').replaceAll(/\s*[\r\n]\s*/g, ' ')) },
  { header: 'MESSAGE', value: (row) => (row.kind === 'finding' ? messageAndRemedy(row.finding) : [row.document.message, ...row.document.suggestions].join('; ')) },
];
