/** The table of a CheckReport on a terminal: a block per object or per rule, with the line of the file, the remedy, and what could not be judged. */
import type { CheckedWorkload, CheckReport, PlacedFinding } from '../../app/check-report.ts';
import type { UnreadableDocument } from '../../app/ports.ts';
import { formatFieldPath } from '../../domain/kubernetes/field-path.ts';
import { compareSeverity } from '../../domain/severity.ts';
import { wrapText } from '../boxed.ts';
import { paint } from '../colour.ts';
import { counted } from '../counted.ts';
import { renderSnippet } from '../snippet.ts';
import { cellText, visibleControls } from '../terminal-text.ts';
import { isAscii, textWidthFor, type TextWidth } from '../text-width.ts';
import type { CellTone } from '../view.ts';
import { someOf } from '../../domain/some-of.ts';
import { EFFECT_WORDS, findingsByObject, objectKey, placeText, SEVERITY_TONES, subjectText, UNREADABLE_DOCUMENT, untoldDocuments, workloadText } from './check-texts.ts';

export interface CheckBlocksOptions {
  /** Of the terminal. */
  readonly columns: number;
  readonly colour: boolean;
  /** Also field, container, nodes, evidence, confidence, numbers, patch and reference. */
  readonly wide: boolean;
  readonly groupBy: 'object' | 'rule';
}

/** Narrower terminals get lines that their terminal breaks. */
const SMALLEST_WIDTH = 40;
const INDENT = '    ';

type Layout = CheckBlocksOptions & { readonly width: TextWidth };

/** The blocks as text, one chunk each. */
export async function renderCheckBlocks(report: CheckReport, options: CheckBlocksOptions): Promise<Iterable<string>> {
  const width = await textWidthFor(textsOf(report));
  const layout: Layout = { ...options, columns: Math.max(SMALLEST_WIDTH, options.columns), width };
  return blocks(report, layout);
}

/** What may hold characters that are not one column wide. */
function* textsOf({ findings, unreadable }: CheckReport): Iterable<string> {
  for (const { message, remedy, place, object } of findings) {
    for (const text of [message, remedy, place?.lineText ?? '', place?.file ?? '', object.name]) if (!isAscii(text)) yield text;
  }
  for (const { message, file } of unreadable) for (const text of [message, file]) if (!isAscii(text)) yield text;
}

function* blocks(report: CheckReport, layout: Layout): Iterable<string> {
  let isFirst = true;
  const all = layout.groupBy === 'object' ? objectBlocks(report, layout) : ruleBlocks(report, layout);
  for (const block of unreadableBlocks(untoldDocuments(report), layout)) {
    yield `${isFirst ? '' : '\n'}${block}`;
    isFirst = false;
  }
  for (const block of all) {
    yield `${isFirst ? '' : '\n'}${block}`;
    isFirst = false;
  }
}

function* unreadableBlocks(documents: readonly UnreadableDocument[], layout: Layout): Iterable<string> {
  for (const document of documents) {
    yield [
      cellText(placeText(document)),
      `  ${tinted('error', 'bad', layout)}  ${UNREADABLE_DOCUMENT}  ${tinted('not judged', 'muted', layout)}`,
      ...paragraph(document.message, layout),
      ...document.suggestions.flatMap((suggestion) => paragraph(suggestion, layout, 'fix: ')),
      '',
    ].join('\n');
  }
}

function* objectBlocks(report: CheckReport, layout: Layout): Iterable<string> {
  const workloads = new Map(report.workloads.map((workload): [string, CheckedWorkload] => [objectKey(workload.object, null), workload]));
  for (const findings of findingsByObject(report.findings)) {
    const [first] = findings;
    const { object } = first;
    const workload = workloads.get(objectKey(object, null));
    const heading = headingLines(cellText(subjectText(first)), workload === undefined ? '' : `(${cellText(workloadText(workload))})`, layout);
    yield `${[...heading, ...findings.flatMap((finding) => findingLines(finding, layout))].join('\n')}\n`;
  }
}

/** An object and what becomes of it: in one line, or the second part below where the terminal is too narrow. */
function headingLines(subject: string, outcome: string, layout: Layout): readonly string[] {
  if (outcome !== '' && layout.width(`${subject} ${outcome}`) <= layout.columns) return [`${subject}${tinted(` ${outcome}`, 'muted', layout)}`];
  return [...wrapText(subject, layout.columns, layout.width).split('\n'), ...(outcome === '' ? [] : wrapText(outcome, layout.columns - 2, layout.width).split('\n').map((line) => tinted(`  ${line}`, 'muted', layout)))];
}

/** Severity, rule and what comes of it; the last in lines of its own where the terminal is too narrow. */
function findingHead({ severity, rule }: PlacedFinding, outcome: string, indent: string, layout: Layout): readonly string[] {
  const lead = `${indent}${tinted(severity, SEVERITY_TONES[severity], layout)}  ${cellText(rule)}`;
  if (layout.width(`${indent}${severity}  ${cellText(rule)}  ${outcome}`) <= layout.columns) return [`${lead}  ${tinted(outcome, 'muted', layout)}`];
  return [lead, ...wrapText(outcome, layout.columns - INDENT.length, layout.width).split('\n').map((line) => `${INDENT}${tinted(line, 'muted', layout)}`)];
}

function findingLines(finding: PlacedFinding, layout: Layout): readonly string[] {
  const { place } = finding;
  const where = place === null ? formatFieldPath(finding.path) : placeText(place);
  return [
    ...findingHead(finding, EFFECT_WORDS[finding.effect], '  ', layout),
    ...paragraph(finding.message, layout),
    ...(where === '' ? [] : [`${INDENT}${tinted(`at ${cellText(where)}`, 'muted', layout)}`]),
    ...(place === null || place.lineText.trim() === '' ? [] : renderSnippet(place, { columns: layout.columns - INDENT.length - 2, width: layout.width }).map((line, index) => `${INDENT}  ${index === 1 ? tinted(line, SEVERITY_TONES[finding.severity], layout) : line}`)),
    ...paragraph(`${finding.remedy}${finding.fix !== null && place !== null ? (finding.fix.isSafe ? ' (--fix does it)' : ' (--fix=all does it)') : ''}`, layout, 'fix: '),
    ...(layout.wide ? detailLines(finding, layout) : []),
  ];
}

/** What -o wide adds to a finding. */
function detailLines(finding: PlacedFinding, layout: Layout): readonly string[] {
  const details: readonly (readonly [string, string])[] = [
    ['field', finding.place === null ? '' : formatFieldPath(finding.path)],
    ['container', finding.container ?? ''],
    ['nodes', someOf(finding.nodes, 10)],
    ...finding.evidence.map((text) => ['seen', text] as const),
    ['confidence', finding.confidence],
    ['facts', finding.facts.join(', ')],
    ['patch', finding.patchCommand ?? ''],
    ['see', finding.reference],
  ];
  // links and commands stay whole, so that they can be opened and copied
  return details.filter(([, text]) => text !== '').flatMap(([name, text]) => (name === 'see' || name === 'patch' ? [`${INDENT}${name}: ${visibleControls(text)}`] : paragraph(text, layout, `${name}: `)));
}

function* ruleBlocks({ findings }: CheckReport, layout: Layout): Iterable<string> {
  const groups = new Map<string, [PlacedFinding, ...PlacedFinding[]]>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.rule, finding.severity, finding.effect, finding.remedy]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  const ordered = [...groups.values()].toSorted(([a, ...moreA], [b, ...moreB]) => compareSeverity(a, b) || moreB.length - moreA.length);
  for (const group of ordered) yield `${ruleLines(group, layout).join('\n')}\n`;
}

function ruleLines(group: readonly [PlacedFinding, ...PlacedFinding[]], layout: Layout): readonly string[] {
  const [first] = group;
  const objects = new Set(group.map(({ object, place }) => objectKey(object, place?.file ?? null)));
  const messages = new Map<string, PlacedFinding[]>();
  for (const finding of group) {
    const same = messages.get(finding.message);
    if (same === undefined) messages.set(finding.message, [finding]);
    else same.push(finding);
  }
  return [
    ...findingHead(first, `${EFFECT_WORDS[first.effect]}; ${counted(group.length, 'finding')} in ${counted(objects.size, 'object')}`, '', layout),
    ...[...messages].flatMap(([message, same]) => [
      ...paragraph(message, layout),
      ...same.flatMap(({ object, place, path, evidence }) => [
        ...subjectLines(cellText(subjectText({ object, place })), cellText(place === null ? formatFieldPath(path) : placeText(place)), layout),
        ...(layout.wide ? evidence.flatMap((text) => paragraph(text, layout, '    seen: ')) : []),
      ]),
    ]),
    ...paragraph(first.remedy, layout, 'fix: '),
    ...(layout.wide ? [`${INDENT}see: ${visibleControls(first.reference)}`] : []),
  ];
}

/** An object of a rule and the place, below it where the terminal is too narrow. */
function subjectLines(subject: string, where: string, layout: Layout): readonly string[] {
  const line = `${INDENT}  ${subject}`;
  return layout.width(`${line}  ${where}`) <= layout.columns ? [`${line}  ${tinted(where, 'muted', layout)}`] : [line, `${INDENT}    ${tinted(where, 'muted', layout)}`];
}

/** A text in lines below a finding's first, with a word in front of it and the rest indented as far. */
function paragraph(text: string, layout: Layout, lead = ''): readonly string[] {
  if (text === '') return [];
  const room = Math.max(20, layout.columns - INDENT.length - lead.length);
  const lines = text.replaceAll('\r\n', '\n').split('\n').flatMap((line) => wrapText(visibleControls(line), room, layout.width).split('\n'));
  return lines.map((line, index) => `${INDENT}${index === 0 ? lead : ' '.repeat(lead.length)}${line}`.trimEnd());
}

function tinted(text: string, tone: CellTone, { colour }: Layout): string {
  return colour ? paint(text, tone) : text;
}
