/**
 * SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html, read 2026-11-30), in the subset
 * that GitHub's code scanning reads (https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support, read 2026-11-30).
 */
import { fingerprintOf } from '../domain/check/control/fingerprint.ts';
import { createHash } from 'node:crypto';
import type { CheckReport, FindingPlace, PlacedFinding, PlacedSuppression } from '../app/check-report.ts';
import type { UnreadableDocument } from '../app/ports.ts';
import type { Rule } from '../domain/check/rule.ts';
import { formatFieldPath } from '../domain/kubernetes/field-path.ts';
import type { ObjectRef } from '../domain/kubernetes/object-ref.ts';
import type { Severity } from '../domain/severity.ts';
import { artifactUri } from './artifact-uri.ts';
import { renderJson } from './json.ts';
import { linkTarget } from './markdown.ts';
import { visibleControlsInLines } from './terminal-text.ts';
import { someOf } from '../domain/some-of.ts';
import { EFFECT_WORDS, groupNotEvaluated, objectLead, objectText, sentence, UNREADABLE_DOCUMENT, untoldDocuments } from './views/check-texts.ts';

export interface SarifOptions {
  /** Rules that were run. */
  readonly rules: readonly Rule[];
  readonly generatedAt: Date;
  readonly toolVersion: string;
  readonly root: string | null;
}

const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Readonly<Record<Severity, string>>;
/** What GitHub calls a rule's severity. */
const PROBLEM_SEVERITIES = { error: 'error', warning: 'warning', info: 'recommendation' } as const satisfies Readonly<Record<Severity, string>>;
const ROOT_ID = 'SRCROOT';

/**
 * The log: every rule that was run, a result per finding (suppressed ones too) and unreadable document, and what could not be
 * evaluated as notifications. Results are made one by one.
 */
export function renderSarif(report: CheckReport, options: SarifOptions): Iterable<string> {
  const indexes = new Map(options.rules.map(({ id }, index) => [id, index]));
  const context: ResultContext = { root: options.root, fingerprints: new Map(), indexOf: (rule) => indexes.get(rule) ?? null, unreadableIndex: indexes.get(UNREADABLE_DOCUMENT) ?? options.rules.length };
  return renderJson({
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'kubectl-win', semanticVersion: options.toolVersion, informationUri: 'https://github.com/kubectl-win/kubectl-win', rules: [...ruleDescriptors(options.rules)] } },
      invocations: [{ executionSuccessful: true, endTimeUtc: options.generatedAt.toISOString(), toolExecutionNotifications: [...notifications(report, context)] }],
      originalUriBaseIds: { [ROOT_ID]: { description: { text: 'The folder in which kubectl win check was run.' } } },
      columnKind: 'utf16CodeUnits',
      results: lazy(() => results(report, context)),
    }].values(),
  });
}

interface ResultContext {
  readonly root: string | null;
  /** How often a fingerprint occurred so far. */
  readonly fingerprints: Map<string, number>;
  indexOf(rule: string): number | null;
  readonly unreadableIndex: number;
}

function lazy(items: () => Iterable<unknown>): Iterable<unknown> {
  return { [Symbol.iterator]: () => items()[Symbol.iterator]() };
}

function* ruleDescriptors(rules: readonly Rule[]): Iterable<unknown> {
  for (const rule of rules) {
    yield {
      id: rule.id,
      name: rule.id.replaceAll(/(?:^|-)([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase()),
      shortDescription: { text: sentence(rule.summary) },
      fullDescription: { text: rule.rationale },
      help: { text: `${rule.rationale}\n\nFix: ${rule.remediation}\n\n${rule.reference}`, markdown: `${rule.rationale}\n\n**Fix:** ${rule.remediation}\n\n[Reference](${linkTarget(rule.reference) ?? ''}), read ${rule.asOf}` },
      helpUri: rule.reference,
      defaultConfiguration: { level: LEVELS[rule.severity] },
      properties: { 'tags': ['kubernetes', 'windows', rule.effect], 'facts': rule.facts, 'precision': 'high', 'problem.severity': PROBLEM_SEVERITIES[rule.severity] },
    };
  }
  if (!rules.some(({ id }) => id === UNREADABLE_DOCUMENT)) yield UNREADABLE_DESCRIPTOR;
}

/** Where the rule itself was left out: documents that cannot be read are results, for viewers do not show notifications. */
const UNREADABLE_DESCRIPTOR = {
  id: UNREADABLE_DOCUMENT,
  name: 'UnreadableDocument',
  shortDescription: { text: 'A document could not be read.' },
  fullDescription: { text: 'The document is no YAML or JSON that kubectl would take, so nothing in it was judged. The other documents were.' },
  help: { text: 'Mend the document at the place that is named.' },
  defaultConfiguration: { level: 'error' },
  properties: { 'tags': ['kubernetes'], 'facts': ['GEN-001'], 'precision': 'high', 'problem.severity': 'error' },
} as const;

function* results(report: CheckReport, context: ResultContext): Iterable<unknown> {
  for (const document of untoldDocuments(report)) yield unreadableResult(document, context);
  for (const finding of report.findings) yield findingResult(finding, null, context);
  for (const suppression of report.suppressed) yield findingResult(suppression.finding, suppression, context);
}

function findingResult(finding: PlacedFinding, suppression: PlacedSuppression | null, context: ResultContext): Record<string, unknown> {
  const { place } = finding;
  const ruleIndex = context.indexOf(finding.rule);
  const field = formatFieldPath(finding.path);
  const logicalLocation = { ...logicalLocationOf(finding.object), ...(field === '' ? {} : { properties: { field: shown(field) } }) };
  return {
    ruleId: finding.rule,
    ...(ruleIndex === null ? {} : { ruleIndex }),
    level: LEVELS[finding.severity],
    message: { text: shown(`${objectLead(finding.object)}${sentence(finding.message)} ${finding.remedy}`.trimEnd()) },
    locations: [{
      ...(place === null ? {} : { physicalLocation: { artifactLocation: artifactLocation(place.file, context), ...regionOf(place) } }),
      logicalLocations: [logicalLocation],
    }],
    partialFingerprints: { 'objectField/v1': countedHash(fingerprintOf(finding, place?.file ?? null), place?.file ?? '', context) },
    ...(suppression === null ? { suppressions: [] } : { suppressions: [{ kind: suppression.by === 'annotation' ? 'inSource' : 'external', status: 'accepted', justification: shown(suppression.reason === '' ? `${suppression.by}, without a reason` : `${suppression.by}: ${suppression.reason}`) }] }),
    properties: {
      facts: finding.facts,
      effect: finding.effect,
      effectText: EFFECT_WORDS[finding.effect],
      confidence: finding.confidence,
      ...(finding.container === null ? {} : { container: shown(finding.container) }),
      nodes: finding.nodes.map(shown),
      evidence: finding.evidence.map(shown),
      reference: finding.reference,
    },
  };
}

function unreadableResult({ file, line, column, message }: UnreadableDocument, context: ResultContext): Record<string, unknown> {
  return {
    ruleId: UNREADABLE_DOCUMENT,
    ruleIndex: context.unreadableIndex,
    level: 'error',
    message: { text: shown(sentence(message)) },
    locations: [unreadableLocation({ file, line, column }, context)],
    partialFingerprints: { 'objectField/v1': countedHash(JSON.stringify([UNREADABLE_DOCUMENT, file]), file, context) },
    suppressions: [],
  };
}

function unreadableLocation({ file, line, column }: Pick<UnreadableDocument, 'file' | 'line' | 'column'>, context: ResultContext): Record<string, unknown> {
  return { physicalLocation: { artifactLocation: artifactLocation(file, context), ...regionOf({ line, column, length: 0 }) } };
}

/** Nothing where the file as a whole is meant. */
function regionOf({ line, column, length }: Pick<FindingPlace, 'line' | 'column' | 'length'>): { readonly region?: Readonly<Record<string, number>> } {
  if (line === null) return {};
  return { region: { startLine: line, ...(column === null ? {} : { startColumn: column, ...(length < 1 ? {} : { endColumn: column + length }) }) } };
}

function* notifications(report: CheckReport, context: ResultContext): Iterable<unknown> {
  for (const document of report.unreadable) {
    yield { level: 'error', descriptor: { id: UNREADABLE_DOCUMENT }, message: { text: shown(sentence(document.message)) }, locations: [unreadableLocation(document, context)] };
  }
  for (const { rule, reason, objects } of groupNotEvaluated(report.notEvaluated)) {
    const index = context.indexOf(rule);
    yield {
      level: 'note',
      descriptor: { id: 'not-evaluated' },
      associatedRule: { id: rule, ...(index === null ? {} : { index }) },
      message: { text: shown(`Not evaluated for ${someOf(objects.map(objectText), 5)}: ${sentence(reason)}`) },
      properties: { objects: objects.length },
    };
  }
  for (const note of report.notes) yield { level: 'note', descriptor: { id: 'not-seen' }, message: { text: shown(sentence(note)) } };
}

function artifactLocation(file: string, { root }: ResultContext): Record<string, unknown> {
  const { uri, isRelative } = artifactUri(file, root);
  return { uri, ...(isRelative ? { uriBaseId: ROOT_ID } : {}) };
}

/** `shop/Deployment/web`. */
function logicalLocationOf({ namespace, kind, name }: ObjectRef): Record<string, unknown> {
  return { name: shown(name === '' ? (kind ?? 'object') : name), fullyQualifiedName: shown([namespace, kind, name].filter((part) => part !== null && part !== '').join('/')), kind: 'resource' };
}

/**
 * From the finding's fingerprint, so that an alert stays the same one when lines move; equal ones of a file are told apart by their order. GitHub's
 * own primaryLocationLineHash is left to its upload action, which warns of every one that it did not make:
 * https://github.com/github/codeql-action/blob/main/src/fingerprints.ts, read 2026-11-30
 */
function countedHash(identity: string, file: string, { fingerprints }: ResultContext): string {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  const key = `${file}\0${hash}`;
  const count = (fingerprints.get(key) ?? 0) + 1;
  fingerprints.set(key, count);
  return `${hash}:${count}`;
}

/** Viewers show the text as it is; what could reorder or hide a part of it becomes visible. */
function shown(text: string): string {
  return visibleControlsInLines(text.replaceAll('\r\n', '\n'));
}
