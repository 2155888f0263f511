/**
 * JUnit's XML as CI systems read it (https://github.com/testmoapp/junitxml, read 2026-11-30; there is no official schema): a suite per
 * object, a case per rule that has something to say of it. Severity below --fail-on passes with its text as output.
 */
import type { CheckedWorkload, CheckReport, PlacedFinding, PlacedSuppression } from '../app/check-report.ts';
import type { UnreadableDocument } from '../app/ports.ts';
import type { NotEvaluated } from '../domain/check/finding.ts';
import type { ObjectRef } from '../domain/kubernetes/object-ref.ts';
import { formatFieldPath } from '../domain/kubernetes/field-path.ts';
import { compareSeverity, type Severity } from '../domain/severity.ts';
import { relativePath } from './artifact-uri.ts';
import { visibleControlsInLines } from './terminal-text.ts';
import { EFFECT_WORDS, objectKey, placeText, sentence, subjectText, UNREADABLE_DOCUMENT, untoldDocuments, workloadText } from './views/check-texts.ts';

export interface JunitOptions {
  /** Findings of this severity and worse are failures. */
  readonly failOn: Severity | 'none';
  readonly root: string | null;
}

interface Suite {
  readonly object: ObjectRef;
  file: string | null;
  workload: CheckedWorkload | null;
  readonly findings: PlacedFinding[];
  readonly suppressed: PlacedSuppression[];
  readonly notEvaluated: NotEvaluated[];
}

type Outcome = 'passed' | 'failed' | 'error' | 'skipped';

interface Case {
  readonly outcome: Outcome;
  readonly xml: string;
}

/** The document: unreadable documents as one suite of errors, then the objects in the order in which they occur. */
export function* renderJunit(report: CheckReport, options: JunitOptions): Iterable<string> {
  const suites = suitesOf(report);
  const unreadable = unreadableCases(untoldDocuments(report), options);
  const total = suites.reduce((sum, suite) => addCounts(sum, countOutcomes(casesOf(suite, options))), countOutcomes(unreadable));
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="kubectl win check"${countAttributes(total)}>\n`;
  if (unreadable.length > 0) yield* suiteXml('unreadable documents', unreadable, '');
  // the cases are made anew, so that the text of all suites never is in memory at once
  for (const suite of suites) yield* suiteXml(suiteName(suite, options), casesOf(suite, options), `${suite.file === null ? '' : ` file="${xmlAttribute(relativePath(suite.file, options.root))}"`}`, suite.workload);
  yield '</testsuites>\n';
}

/** Suites by object; in files, an object of the same name in another file is another one. */
function suitesOf(report: CheckReport): readonly Suite[] {
  const suites = new Map<string, Suite>();
  const suiteOf = (object: ObjectRef, file: string | null): Suite => {
    const key = objectKey(object, file);
    const suite = suites.get(key) ?? { object, file, workload: null, findings: [], suppressed: [], notEvaluated: [] };
    suites.set(key, suite);
    return suite;
  };
  // what stands without a file belongs to the object wherever it was found
  const byObject = new Map<string, Suite>();
  const anySuiteOf = (object: ObjectRef): Suite => byObject.get(objectKey(object, null)) ?? suiteOf(object, null);
  for (const finding of report.findings) {
    const suite = suiteOf(finding.object, finding.place?.file ?? null);
    suite.findings.push(finding);
    byObject.set(objectKey(finding.object, null), suite);
  }
  for (const suppression of report.suppressed) {
    const suite = suiteOf(suppression.finding.object, suppression.finding.place?.file ?? null);
    suite.suppressed.push(suppression);
    byObject.set(objectKey(suppression.finding.object, null), suite);
  }
  for (const question of report.notEvaluated) anySuiteOf(question.object).notEvaluated.push(question);
  for (const workload of report.workloads) anySuiteOf(workload.object).workload ??= workload;
  return [...suites.values()];
}

function suiteName({ object, file }: Suite, { root }: JunitOptions): string {
  return subjectText({ object, place: file === null ? null : { file: relativePath(file, root) } });
}

function casesOf({ object, file, findings, suppressed, notEvaluated }: Suite, options: JunitOptions): readonly Case[] {
  const classname = [object.namespace, object.kind, object.name].filter((part) => part !== null && part !== '').join('.') || relativePath(file ?? '', options.root);
  const rules = [...new Set([...findings.map(({ rule }) => rule), ...suppressed.map(({ finding }) => finding.rule), ...notEvaluated.map(({ rule }) => rule)])];
  if (rules.length === 0) return [{ outcome: 'passed', xml: `    <testcase name="no findings" classname="${xmlAttribute(classname)}"/>\n` }];
  return rules.map((rule) => ruleCase(rule, classname, {
    found: findings.filter((finding) => finding.rule === rule).toSorted(compareSeverity),
    suppressed: suppressed.filter(({ finding }) => finding.rule === rule),
    notEvaluated: notEvaluated.filter((question) => question.rule === rule),
  }, options));
}

function ruleCase(rule: string, classname: string, of: { readonly found: readonly PlacedFinding[]; readonly suppressed: readonly PlacedSuppression[]; readonly notEvaluated: readonly NotEvaluated[] }, options: JunitOptions): Case {
  const [worst] = of.found;
  const place = worst?.place ?? null;
  const start = `    <testcase name="${xmlAttribute(rule)}" classname="${xmlAttribute(classname)}"${place === null ? '' : ` file="${xmlAttribute(relativePath(place.file, options.root))}"${place.line === null ? '' : ` line="${place.line}"`}`}>\n`;
  const asides = [...of.suppressed.map(({ by, reason }) => `suppressed by ${by}${reason === '' ? '' : `: ${reason}`}`), ...of.notEvaluated.map(({ reason }) => `not evaluated: ${reason}`)];
  const end = '    </testcase>\n';
  if (worst === undefined) return { outcome: 'skipped', xml: `${start}      <skipped message="${xmlAttribute(asides.join('; '))}"/>\n${end}` };
  const text = xmlText([...of.found.map((finding) => findingText(finding, options)), ...asides].join('\n\n'));
  if (options.failOn === 'none' || compareSeverity(worst, { severity: options.failOn }) > 0) return { outcome: 'passed', xml: `${start}      <system-out>${text}</system-out>\n${end}` };
  return { outcome: 'failed', xml: `${start}      <failure type="${xmlAttribute(worst.effect)}" message="${xmlAttribute(worst.message)}">${text}</failure>\n${end}` };
}

function findingText(finding: PlacedFinding, options: JunitOptions): string {
  const field = formatFieldPath(finding.path);
  return [
    `${finding.severity}: ${sentence(finding.message)}`,
    `effect: ${EFFECT_WORDS[finding.effect]}`,
    ...(finding.place === null ? [] : [`at ${placeText({ ...finding.place, file: relativePath(finding.place.file, options.root) })}`]),
    ...(field === '' ? [] : [`field: ${field}`]),
    ...(finding.nodes.length === 0 ? [] : [`nodes: ${finding.nodes.join(', ')}`]),
    ...finding.evidence.map((one) => `seen: ${one}`),
    `fix: ${finding.remedy}`,
    `see: ${finding.reference}`,
  ].join('\n');
}

function unreadableCases(documents: readonly UnreadableDocument[], options: JunitOptions): readonly Case[] {
  return documents.map(({ file, line, column, message, suggestions }) => {
    const path = relativePath(file, options.root);
    return {
      outcome: 'error',
      xml: `    <testcase name="${xmlAttribute(placeText({ file: path, line, column }))}" classname="${xmlAttribute(path)}" file="${xmlAttribute(path)}"${line === null ? '' : ` line="${line}"`}>\n      <error type="${UNREADABLE_DOCUMENT}" message="${xmlAttribute(message)}">${xmlText([message, ...suggestions].join('\n'))}</error>\n    </testcase>\n`,
    };
  });
}

function* suiteXml(name: string, cases: readonly Case[], attributes: string, workload: CheckedWorkload | null = null): Iterable<string> {
  yield `  <testsuite name="${xmlAttribute(name)}"${attributes}${countAttributes(countOutcomes(cases))}>\n`;
  if (workload !== null) yield `    <properties>\n      <property name="os" value="${xmlAttribute(workload.os)}"/>\n      <property name="verdict" value="${xmlAttribute(workloadText(workload))}"/>\n    </properties>\n`;
  for (const { xml } of cases) yield xml;
  yield '  </testsuite>\n';
}

type Counts = Readonly<Record<'tests' | 'failures' | 'errors' | 'skipped', number>>;

function countOutcomes(cases: readonly Case[]): Counts {
  const count = (outcome: Outcome): number => cases.filter((each) => each.outcome === outcome).length;
  return { tests: cases.length, failures: count('failed'), errors: count('error'), skipped: count('skipped') };
}

function addCounts(a: Counts, b: Counts): Counts {
  return { tests: a.tests + b.tests, failures: a.failures + b.failures, errors: a.errors + b.errors, skipped: a.skipped + b.skipped };
}

function countAttributes({ tests, failures, errors, skipped }: Counts): string {
  return ` tests="${tests}" failures="${failures}" errors="${errors}" skipped="${skipped}"`;
}

/** As xmlText, for attributes, whose line breaks a reader would take for blanks. */
function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('\n', '&#10;');
}

/**
 * Text in elements. XML 1.0 has no place for most controls, lone surrogates and U+FFFE/U+FFFF, not even escaped
 * (https://www.w3.org/TR/xml/#charsets, read 2026-11-30): they are shown as on a terminal.
 */
function xmlText(text: string): string {
  return visibleControlsInLines(text.replaceAll('\r\n', '\n'))
    .replaceAll(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
