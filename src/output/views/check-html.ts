/** A CheckReport as one page that needs nothing else: no script, no picture, no font from anywhere. */
import type { CheckReport } from '../../app/check-report.ts';
import { formatFieldPath } from '../../domain/kubernetes/field-path.ts';
import { escapeHtml } from '../html.ts';
import { linkTarget } from '../markdown.ts';
import type { DocumentOptions } from './document-metadata.ts';
import { someOf } from '../../domain/some-of.ts';
import { EFFECT_WORDS, findingsByObject, groupNotEvaluated, objectKey, objectText, placeText, sentence, SEVERITY_TONES, subjectText, summaryLine, untoldDocuments, workloadText } from './check-texts.ts';

const STYLE = 'body{font:14px/1.5 sans-serif;margin:2em auto;max-width:90em;padding:0 1em}table{border-collapse:collapse;width:100%}th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left;vertical-align:top}h2{font-size:1.1em;margin:1.5em 0 .4em}code,pre{font:12px/1.4 monospace}pre{background:#f6f6f6;margin:.3em 0;padding:.3em .6em;overflow-x:auto}.bad{background:#f8d7da}.warning{background:#fff3cd}.muted{color:#666}';

export function* renderCheckHtml(report: CheckReport, options: DocumentOptions): Iterable<string> {
  yield `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width"><title>kubectl win check</title><style>${STYLE}</style></head>\n<body>\n<h1>kubectl win check</h1>\n`;
  const facts = [report.source.context === null ? report.source.location : `context ${report.source.context}`, report.serverVersion === null ? '' : `Kubernetes ${report.serverVersion}`, `judged as of ${options.asOf.toISOString().slice(0, 10)}`, `made ${options.generatedAt.toISOString()} by version ${options.toolVersion}`];
  yield `<p>${escapeHtml(summaryLine(report))}</p>\n<p class="muted">${escapeHtml(facts.filter((fact) => fact !== '').join('; '))}</p>\n`;
  yield* list('Unreadable', untoldDocuments(report).map((document) => `${placeText(document)}: ${[sentence(document.message), ...document.suggestions].join(' ')}`), 'bad');
  const workloads = new Map(report.workloads.map((workload) => [objectKey(workload.object, null), workload]));
  for (const findings of findingsByObject(report.findings)) {
    const workload = workloads.get(objectKey(findings[0].object, null));
    yield `<h2>${escapeHtml(subjectText(findings[0]))}${workload === undefined ? '' : ` <small class="muted">${escapeHtml(workloadText(workload))}</small>`}</h2>\n<table>\n<thead><tr><th>Severity</th><th>Rule</th><th>Where</th><th>What and what to do</th></tr></thead>\n<tbody>\n`;
    for (const { severity, effect, rule, facts: numbers, reference, place, path, message, remedy, evidence, nodes, confidence } of findings) {
      const target = linkTarget(reference);
      const field = formatFieldPath(path);
      yield `<tr><td class="${SEVERITY_TONES[severity]}">${severity}<br>${escapeHtml(EFFECT_WORDS[effect])}</td>`
        + `<td>${target === null ? escapeHtml(rule) : `<a href="${escapeHtml(target)}" rel="noreferrer">${escapeHtml(rule)}</a>`}<br><small class="muted">${escapeHtml(numbers.join(', '))}</small></td>`
        + `<td>${place === null ? '' : `${escapeHtml(placeText(place))}<br>`}<code>${escapeHtml(field)}</code>${place === null || place.lineText.trim() === '' ? '' : `<pre>${escapeHtml(place.lineText.trim())}</pre>`}</td>`
        + `<td>${escapeHtml(sentence(message))}<br>${escapeHtml(remedy)}${[...evidence.map((one) => `seen: ${one}`), ...(nodes.length === 0 ? [] : [`nodes: ${nodes.join(', ')}`]), ...(confidence === 'proven' ? [] : [`confidence: ${confidence}`])].map((one) => `<br><small class="muted">${escapeHtml(one)}</small>`).join('')}</td></tr>\n`;
    }
    yield '</tbody>\n</table>\n';
  }
  yield* list('Not evaluated', groupNotEvaluated(report.notEvaluated).map(({ rule, reason, objects }) => `${rule} for ${someOf(objects.map(objectText), 20)}: ${reason}`));
  yield* list('Suppressed', report.suppressed.map(({ finding, by, reason }) => `${finding.rule} of ${objectText(finding.object)}, by ${by}${reason === '' ? '' : `: ${reason}`}`));
  yield* list('Not seen', report.notes);
  yield '</body>\n</html>\n';
}

function* list(title: string, items: readonly string[], tone = ''): Iterable<string> {
  if (items.length === 0) return;
  yield `<h2>${escapeHtml(title)}</h2>\n<ul>\n`;
  for (const item of items) yield `<li${tone === '' ? '' : ` class="${tone}"`}>${escapeHtml(item)}</li>\n`;
  yield '</ul>\n';
}
