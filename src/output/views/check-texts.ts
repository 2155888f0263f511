/** Words that all formats of a CheckReport share. */
import type { CheckedWorkload, CheckReport, PlacedFinding } from '../../app/check-report.ts';
import type { UnreadableDocument } from '../../app/ports.ts';
import { SUPPRESSION_PREFIX } from '../../domain/check/control/suppress.ts';
import type { Effect, Finding, NotEvaluated } from '../../domain/check/finding.ts';
import type { ObjectRef } from '../../domain/kubernetes/object-ref.ts';
import { refText } from '../../domain/kubernetes/object-ref.ts';
import { groupOf } from '../../domain/kubernetes/resource.ts';
import { someOf } from '../../domain/some-of.ts';
import { compareSeverity, type Severity } from '../../domain/severity.ts';
import type { PodVerdict } from '../../domain/verdict/pod-verdict.ts';
import { counted } from '../counted.ts';
import type { CellTone } from '../view.ts';

/** Stands where a rule's id stands, for documents that could not be read (GEN-001). */
export const UNREADABLE_DOCUMENT = 'unreadable-document';

export const SEVERITY_TONES = { error: 'bad', warning: 'warning', info: 'muted' } as const satisfies Readonly<Record<Severity, CellTone>>;

export const EFFECT_WORDS = {
  'rejected': 'refused by the API server',
  'cannot-run': 'cannot run',
  'may-fail': 'may fail',
  'ignored': 'ignored on Windows',
  'advice': 'advice',
} as const satisfies Readonly<Record<Effect, string>>;

const VERDICT_WORDS = {
  'runs': 'runs',
  'runs-down-level': 'runs down-level',
  'fails-at-pull': 'fails at pull',
  'fails-at-start': 'fails at start',
  'rejected': 'refused by the API server',
  'refused-by-kubelet': 'refused by the kubelet',
  'fields-ignored': 'runs with fields ignored',
  'unknown': 'not known whether it runs',
} as const satisfies Readonly<Record<PodVerdict['verdict'], string>>;

const OS_WORDS = { windows: 'Windows', linux: 'Linux', either: 'either OS', contradictory: 'contradictory OS' } as const satisfies Readonly<Record<CheckedWorkload['os'], string>>;

/** `Windows; fails at pull on 1 node, runs on 3 nodes`: nodes of one verdict together, whatever its reasons. */
export function workloadText({ os, verdicts }: CheckedWorkload): string {
  const nodes = new Map<PodVerdict['verdict'], number>();
  for (const one of verdicts) nodes.set(one.verdict, (nodes.get(one.verdict) ?? 0) + one.nodes.length);
  const words = [...nodes].map(([verdict, count]) => `${VERDICT_WORDS[verdict]}${count === 0 ? '' : ` on ${counted(count, 'node')}`}`);
  return [OS_WORDS[os], ...(words.length === 0 ? [] : [words.join(', ')])].join('; ');
}

/** `deployment/web in namespace shop`; for what concerns the cluster as a whole, `the cluster`; for a document without an object, `a document`. */
export function objectText(ref: ObjectRef): string {
  if (isNoObject(ref)) return 'a document';
  if (ref.kind === 'Cluster' && ref.apiVersion === null && ref.name === '') return 'the cluster';
  return refText(ref, { withNamespace: true });
}

/** What findings are grouped under: their object, or the file of a document without one. */
export function subjectText({ object, place }: { readonly object: ObjectRef; readonly place: { readonly file: string } | null }): string {
  return isNoObject(object) && place !== null ? place.file : objectText(object);
}

/** `deployment/web in namespace shop: ` before a message that stands alone; '' where there is no object to name. */
export function objectLead(object: ObjectRef, field = ''): string {
  return isNoObject(object) ? '' : `${objectText(object)}${field === '' ? '' : ` ${field}`}: `;
}

/** As kubectl names objects with -o name: `pod/web`, `deployment.apps/web`; '' for what is no object. */
export function objectName(ref: ObjectRef): string {
  if (isNoObject(ref)) return '';
  const { apiVersion, kind, name } = ref;
  const group = groupOf(apiVersion);
  return `${(kind ?? 'object').toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
}

function isNoObject({ kind, name }: ObjectRef): boolean {
  return kind === null && name === '';
}

/** Equal for findings about the same object of the same file. */
export function objectKey(object: ObjectRef, file: string | null): string {
  return JSON.stringify([file, object.apiVersion, object.kind, object.namespace, object.name]);
}

/** `deploy/web.yaml:21:11`; what is not known is left out. */
export function placeText({ file, line, column }: Pick<UnreadableDocument, 'file' | 'line' | 'column'>): string {
  return [file, ...(line === null ? [] : [line, ...(column === null ? [] : [column])])].join(':');
}

/** Documents that could not be read and of which no finding tells: where a rule does, the finding is shown in their place. */
export function untoldDocuments({ findings, unreadable }: Pick<CheckReport, 'findings' | 'unreadable'>): readonly UnreadableDocument[] {
  if (unreadable.length === 0) return [];
  const told = new Set(findings.flatMap(({ rule, place }) => (rule === UNREADABLE_DOCUMENT && place !== null ? [JSON.stringify([place.file, place.line])] : [])));
  return unreadable.filter(({ file, line }) => !told.has(JSON.stringify([file, line])));
}

/** A message as a sentence: the first letter stays as it is, for it may be a field's name. */
export function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/**
 * Findings by object, those about one object worst first. Objects of files come in the order in which they first occur, as the
 * files have them; those of a cluster, whose order says nothing, worst first.
 */
export function findingsByObject<Of extends PlacedFinding>(findings: readonly Of[]): readonly (readonly [Of, ...Of[]])[] {
  const groups = new Map<string, [Of, ...Of[]]>();
  for (const finding of findings) {
    const key = objectKey(finding.object, finding.place?.file ?? null);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  for (const group of groups.values()) group.sort(compareSeverity);
  return areOfFiles(findings) ? [...groups.values()] : [...groups.values()].toSorted(([one], [other]) => compareSeverity(one, other));
}

/** Findings in the order in which people read them: as they are in files, and those of a cluster by object, worst first. */
export function findingsToRead(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  return areOfFiles(findings) ? findings : findingsByObject(findings).flat();
}

function areOfFiles(findings: readonly PlacedFinding[]): boolean {
  return findings.some(({ place }) => place !== null);
}

/** Questions without an answer of one rule and reason, over all objects that have them. */
export interface NotEvaluatedGroup {
  readonly rule: string;
  readonly reason: string;
  readonly objects: readonly ObjectRef[];
}

export function groupNotEvaluated(notEvaluated: readonly NotEvaluated[]): readonly NotEvaluatedGroup[] {
  const groups = new Map<string, { rule: string; reason: string; objects: ObjectRef[] }>();
  for (const { rule, reason, object } of notEvaluated) {
    const key = JSON.stringify([rule, reason]);
    const group = groups.get(key) ?? { rule, reason, objects: [] };
    groups.set(key, group);
    group.objects.push(object);
  }
  return [...groups.values()].toSorted((a, b) => b.objects.length - a.objects.length);
}

/** Questions by what was missing (`nodes`, `image platforms`), the most frequent first. */
export function countMissingFacts(notEvaluated: readonly NotEvaluated[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { reason } of notEvaluated) {
    const fact = missingFactOf(reason);
    counts.set(fact, (counts.get(fact) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([, a], [, b]) => b - a));
}

function missingFactOf(reason: string): string {
  return reason.split(' not known')[0] ?? reason;
}

/**
 * The line below a report (stderr): `4 errors, 12 warnings, 3 infos in 120 workloads (31 Windows); 7 not evaluated (nodes: 5, pods: 2);
 * 2 suppressed; 1 unreadable`. Where nothing was looked at it says so, in kubectl's words: `no findings` would sound like good news.
 */
export function summaryLine({ summary, notEvaluated }: Pick<CheckReport, 'summary' | 'notEvaluated'>): string {
  const missing = [...countMissingFacts(notEvaluated)].map(([fact, count]) => `${fact}: ${count}`).join(', ');
  const others = summary.objects - summary.workloads;
  const found = summary.errors + summary.warnings + summary.infos === 0 ? 'No findings' : [counted(summary.errors, 'error'), counted(summary.warnings, 'warning'), counted(summary.infos, 'info')].join(', ');
  if (summary.objects === 0 && found === 'No findings' && summary.unreadable === 0) return 'No resources found';
  return [
    `${found} in ${counted(summary.workloads, 'workload')} (${summary.windowsWorkloads} Windows)${others > 0 ? ` and ${counted(others, 'other object')}` : ''}`,
    ...(summary.notEvaluated > 0 ? [`${summary.notEvaluated} not evaluated${missing === '' ? '' : ` (${missing})`}`] : []),
    ...(summary.suppressed > 0 ? [`${summary.suppressed} suppressed`] : []),
    ...(summary.unreadable > 0 ? [`${summary.unreadable} unreadable`] : []),
  ].join('; ');
}

/**
 * What the counts of the summary line stand for, for stderr below a table: a line per fact that was missing, with the rules that
 * needed it, and per suppression by annotation, in force or not, at most `most` of each; then how many findings --fix mends.
 * `fixed`: which fixes were just done, so that what is left of them was refused with a reason.
 */
export function reportNotes(report: Pick<CheckReport, 'source' | 'findings' | 'notEvaluated' | 'suppressed'>, { most = 10, fixed = 'none' }: { readonly most?: number; readonly fixed?: 'none' | 'safe' | 'all' } = {}): readonly string[] {
  const missing = countMissingFacts(report.notEvaluated);
  const known = report.suppressed.filter(({ by }) => by === 'baseline').length;
  const inFiles = report.findings.filter(({ fix, place }) => fix !== null && place !== null);
  const safe = inFiles.filter(({ fix }) => fix?.isSafe === true).length;
  return [
    ...limited([...missing].map(([fact, count]) => `not evaluated, ${fact} not known: ${counted(count, 'question')} (${someOf(rulesWithout(fact, report.notEvaluated), 3)})`), most, 'not evaluated'),
    ...(missing.has('nodes') && report.source.source === 'files' ? ['--live or --inventory judges files against the nodes of a cluster'] : []),
    ...limited(report.suppressed.flatMap(({ finding, by, reason }) => (by === 'baseline' ? [] : [`suppressed by ${by}: ${finding.rule} of ${objectText(finding.object)}${reason === '' ? '' : `: ${reason}`}`])), most, 'suppressed'),
    ...(known === 0 ? [] : [`${counted(known, 'finding')} of the baseline left out`]),
    ...limited(report.findings.flatMap(({ rule, object, evidence }) => evidence.filter((text) => text.startsWith(`the annotation ${SUPPRESSION_PREFIX}`)).map((text) => `not suppressed: ${rule} of ${objectText(object)}: ${text}`)), most, 'not suppressed'),
    ...(safe === 0 || fixed !== 'none' ? [] : [`${counted(safe, 'finding')} can be fixed by --fix`]),
    ...(safe === inFiles.length || fixed === 'all' ? [] : [`${counted(inFiles.length - safe, 'finding')} can be fixed by --fix=all, which may change what runs`]),
  ];
}

function rulesWithout(fact: string, notEvaluated: readonly NotEvaluated[]): readonly string[] {
  return [...new Set(notEvaluated.flatMap(({ rule, reason }) => (missingFactOf(reason) === fact ? [rule] : [])))];
}

function limited(lines: readonly string[], most: number, what: string): readonly string[] {
  return lines.length <= most ? lines : [...lines.slice(0, most), `${what}: and ${lines.length - most} more like these; -o json has them all`];
}

/** Message and remedy in one line: `… is ignored; fix: Remove it.` */
export function messageAndRemedy({ message, remedy }: Pick<Finding, 'message' | 'remedy'>): string {
  const text = remedy === '' ? message : `${message.trim()}; fix: ${remedy.trim()}`;
  // no expression for the blanks around line breaks: it would try each blank of a hostile text anew
  return text.split(/[\r\n]/).map((line) => line.trim()).filter((line) => line !== '').join(' ');
}
