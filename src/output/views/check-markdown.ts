/** A CheckReport as a comment of a pull request: the counts, a table of the findings, and what was not judged in folds below it. */
import type { CheckReport } from '../../app/check-report.ts';
import { formatFieldPath } from '../../domain/kubernetes/field-path.ts';
import { linkTarget, markdownText } from '../markdown.ts';
import { someOf } from '../../domain/some-of.ts';
import { EFFECT_WORDS, findingsToRead, groupNotEvaluated, objectText, placeText, sentence, summaryLine, UNREADABLE_DOCUMENT, untoldDocuments } from './check-texts.ts';

export function* renderCheckMarkdown(report: CheckReport): Iterable<string> {
  yield `### kubectl win check\n\n${text(summaryLine(report))}\n`;
  const unreadable = untoldDocuments(report);
  if (unreadable.length + report.findings.length > 0) yield `\n${row(['Severity', 'Rule', 'Object', 'Where', 'What and what to do'])}${row(['---', '---', '---', '---', '---'])}`;
  for (const document of unreadable) yield row(['error', UNREADABLE_DOCUMENT, ' ', text(placeText(document)), text([sentence(document.message), ...document.suggestions].join(' '))]);
  for (const { severity, effect, rule, reference, object, place, path, message, remedy } of findingsToRead(report.findings)) {
    const target = linkTarget(reference);
    yield row([
      `${severity}<br>${EFFECT_WORDS[effect]}`, target === null ? text(rule) : `[${text(rule)}](${target})`, text(objectText(object)),
      text(place === null ? formatFieldPath(path) : placeText(place)), text(`${sentence(message)}\n${remedy}`),
    ]);
  }
  yield* fold('not evaluated', report.notEvaluated.length, groupNotEvaluated(report.notEvaluated).map(({ rule, reason, objects }) => `${rule} for ${someOf(objects.map(objectText), 5)}: ${reason}`));
  yield* fold('suppressed', report.suppressed.length, report.suppressed.map(({ finding, by, reason }) => `${finding.rule} of ${objectText(finding.object)}, by ${by}${reason === '' ? '' : `: ${reason}`}`));
  yield* fold('not seen', report.notes.length, report.notes);
}

function* fold(title: string, count: number, items: readonly string[]): Iterable<string> {
  if (count === 0) return;
  yield `\n<details><summary>${count} ${title}</summary>\n\n`;
  for (const item of items) yield `- ${text(item)}\n`;
  yield '\n</details>\n';
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

/** Text of others in a comment: it shows as itself, and calls nobody (`@team` would send mails). */
function text(of: string): string {
  return markdownText(of).replaceAll(/(?<![\w/])@(?=\w)/g, '@<!-- -->');
}
