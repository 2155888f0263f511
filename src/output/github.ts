/**
 * GitHub's workflow commands: each finding becomes an annotation of the pull request
 * (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands, read 2026-11-30). GitHub shows ten errors, ten warnings
 * and ten notices of a step (https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md, read 2026-11-30), so the worst come first.
 */
import type { CheckReport, PlacedFinding } from '../app/check-report.ts';
import { formatFieldPath } from '../domain/kubernetes/field-path.ts';
import { compareSeverity, type Severity } from '../domain/severity.ts';
import { relativePath } from './artifact-uri.ts';
import { visibleControls } from './terminal-text.ts';
import { messageAndRemedy, objectLead, summaryLine, UNREADABLE_DOCUMENT, untoldDocuments } from './views/check-texts.ts';

export interface GithubOptions {
  /** Folder of the checkout: annotations need names relative to it. */
  readonly root: string | null;
}

const COMMANDS = { error: 'error', warning: 'warning', info: 'notice' } as const satisfies Readonly<Record<Severity, string>>;

/** One command a line: unreadable documents, findings by severity, and a notice with the counts. */
export function* renderGithub(report: CheckReport, { root }: GithubOptions): Iterable<string> {
  for (const { file, line, column, message } of untoldDocuments(report)) {
    yield command('error', { file: relativePath(file, root), line, col: column, title: UNREADABLE_DOCUMENT }, message);
  }
  for (const finding of report.findings.toSorted(compareSeverity)) yield annotation(finding, root);
  if (report.unreadable.length + report.findings.length + report.notEvaluated.length + report.suppressed.length > 0) yield command('notice', { title: 'kubectl win' }, summaryLine(report));
}

function annotation(finding: PlacedFinding, root: string | null): string {
  const { place } = finding;
  const field = formatFieldPath(finding.path);
  return command(COMMANDS[finding.severity], {
    file: place === null ? null : relativePath(place.file, root),
    line: place?.line ?? null,
    col: place?.column ?? null,
    endColumn: place === null || place.column === null || place.length < 1 ? null : place.column + place.length,
    title: finding.rule,
  }, `${objectLead(finding.object, field)}${messageAndRemedy(finding)}`);
}

function command(name: string, properties: Readonly<Record<string, string | number | null>>, text: string): string {
  const given = Object.entries(properties).flatMap(([key, value]) => (value === null ? [] : [`${key}=${property(String(value))}`]));
  return `::${name} ${given.join(',')}::${data(text)}\n`;
}

// https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts (escapeData, escapeProperty), read 2026-11-30
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r\n', '\n').split('\n').map(visibleControls).join('%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
