/** Judges object by object, and gathers the report. Of an object nothing stays behind but what is reported. */
import type { CheckedWorkload, CheckReport, FindingPlace, PlacedFinding, PlacedSuppression } from '../check-report.ts';
import type { FilePlace, ManifestObject, SourceDescription, UnreadableDocument } from '../ports.ts';
import { controlFindings, type FindingControl } from '../../domain/check/control/control-findings.ts';
import { fingerprintOf } from '../../domain/check/control/fingerprint.ts';
import { suppressionsOf, SUPPRESSION_PREFIX, unknownRulesIn } from '../../domain/check/control/suppress.ts';
import type { CheckFacts, SelectableWorkload } from '../../domain/check/facts.ts';
import type { Finding, NotEvaluated } from '../../domain/check/finding.ts';
import { judgeObject, subjectsOf, type RuleSet } from '../../domain/check/judge-object.ts';
import { selectableWorkloadOf } from '../../domain/check/selectable-workload.ts';
import { NO_OBJECT, runClusterRules, runManifestRules } from '../../domain/check/run-rules.ts';
import type { WorkloadSubject } from '../../domain/check/rule.ts';
import { refOf, refText } from '../../domain/kubernetes/object-ref.ts';
import { someOf } from '../../domain/some-of.ts';
import { formatFieldPath } from '../../domain/kubernetes/field-path.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { bySeverity } from '../../domain/severity.ts';
import { ownerKey } from '../../domain/workload/owner.ts';
import type { OsEvidence } from '../../domain/workload/target-os.ts';
import { nodeNames } from '../../domain/node/node-names.ts';
import type { WorkloadVisitor } from '../workloads/workload-visitor.ts';
import { findingsByTemplate } from '../../domain/verdict/findings-by-template.ts';
import { verdictsOf } from '../../domain/verdict/pod-verdict.ts';

export interface JudgeOptions {
  readonly rules: RuleSet;
  readonly control: FindingControl;
  /** Ids and numbers of all rules in lower case, whether they run or not: what annotations may name. */
  readonly ruleNames: ReadonlySet<string>;
  /** Gives the command that applies the fixes of a finding to a live object; null where nobody will see it: then their edits are not kept either. */
  readonly patchCommandOf: ((finding: Finding, object: KubeObject) => string | null) | null;
  /** Asks outside for what the rules will want to know of objects. */
  readonly prepare?: WorkloadVisitor['prepare'];
  /** Called with each manifest object and the findings that stand. */
  readonly onManifest?: (manifest: ManifestObject, findings: readonly Finding[]) => void;
}

/** Lists of evidence that are kept to be shared. */
const KEPT_EVIDENCE = 10_000;

/** Longest line that is kept for a snippet, in characters. */
const SNIPPET_LIMIT = 400;

export class Judge implements WorkloadVisitor {
  readonly #options: JudgeOptions;
  readonly #workloads: CheckedWorkload[] = [];
  readonly #findings: PlacedFinding[] = [];
  readonly #notEvaluated: NotEvaluated[] = [];
  readonly #suppressed: PlacedSuppression[] = [];
  readonly #unreadable: UnreadableDocument[] = [];
  readonly #selectable = new Map<string, SelectableWorkload>();
  readonly #evidence = new Map<string, readonly OsEvidence[]>();
  /** Words of annotations that name no rule, and the objects that have them. */
  readonly #strangeWords = new Map<string, { readonly meant: string | null; readonly objects: Set<string> }>();
  #objects = 0;
  #facts: CheckFacts;

  constructor(facts: CheckFacts, options: JudgeOptions) {
    this.#options = options;
    // the table is filled while workloads are read; rules that need it whole run on objects that come after them
    this.#facts = { ...facts, workloads: { isComplete: facts.nodes?.isComplete === true, get: (key) => this.#selectable.get(key), values: () => this.#selectable.values(), get size() { return selectable.size; } } };
    const selectable = this.#selectable;
  }

  /** Replaces what is known of pods, which is gathered before workloads are judged. */
  setPods(pods: CheckFacts['pods']): void {
    this.#facts = { ...this.#facts, pods };
  }

  /** Makes a workload known to the rules on Services and NetworkPolicies, before they run. */
  introduce(object: KubeObject): readonly WorkloadSubject[] {
    const subjects = subjectsOf(object, this.#facts);
    for (const subject of subjects) this.#note(subject);
    return subjects;
  }

  /** What the rules will ask for is asked before. */
  prepare(objects: readonly KubeObject[], subjects: readonly (readonly WorkloadSubject[])[]): Promise<void> | null {
    return this.#options.prepare?.(objects, subjects) ?? null;
  }

  visit(object: KubeObject, subjects: readonly WorkloadSubject[]): void {
    this.#judge(object, null, subjects);
  }

  #judge(object: KubeObject, manifest: ManifestObject | null, subjects: readonly WorkloadSubject[]): void {
    this.#objects++;
    const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
    judgeObject(object, subjects, this.#options.rules, this.#facts, outcome);
    this.#take(object, outcome, manifest, subjects.map(({ workload }) => workload.template.metadata));
    const findings = findingsByTemplate(subjects, outcome.findings);
    for (const [index, subject] of subjects.entries()) {
      const { workload, os, placement } = subject;
      this.#workloads.push({
        object: workload.ref, templatePath: formatFieldPath(workload.template.path), os: os.os, osEvidence: this.#shared(os.evidence),
        candidates: placement === null ? null : nodeNames(placement.windowsCandidates),
        verdicts: verdictsOf(subject, findings[index] ?? [], this.#facts),
      });
    }
  }

  /** Judges an object of a file, its problems as a document first. */
  visitManifest(manifest: ManifestObject, subjects: readonly WorkloadSubject[]): void {
    for (const problem of manifest.problems) {
      const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
      runManifestRules(this.#options.rules.manifest, [problem], refOf(manifest.object), outcome);
      this.#take(manifest.object, outcome, manifest, subjects.map(({ workload }) => workload.template.metadata), problem.place);
    }
    this.#judge(manifest.object, manifest, subjects);
  }

  /** A document that could not be read: it is listed, and an error as well. */
  unreadable(document: UnreadableDocument): void {
    this.#unreadable.push(document);
    const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
    runManifestRules(this.#options.rules.manifest, [document], NO_OBJECT, outcome);
    const { file, line, column } = document;
    const place = { file, line, column, lineText: '', length: column === null ? 0 : 1 };
    // there is no object to tell it from others
    const identify = (finding: Finding): string => fingerprintOf(finding, file);
    const placed = (finding: Finding): PlacedFinding => ({ ...finding, place, patchCommand: null });
    const { standing, suppressed } = controlFindings(outcome.findings, NO_SUPPRESSIONS, this.#options.control, identify);
    for (const finding of standing) this.#findings.push(placed(finding));
    for (const suppression of suppressed) this.#suppressed.push({ ...suppression, finding: placed(suppression.finding) });
  }

  /** The rules on the cluster as a whole; after all else. */
  visitCluster(): void {
    const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
    runClusterRules(this.#options.rules.cluster, this.#facts, outcome);
    this.#take({}, outcome, null, []);
  }

  finish(source: SourceDescription, serverVersion: string | null, notes: readonly string[]): CheckReport {
    const count = (severity: Finding['severity']): number => this.#findings.reduce((sum, finding) => sum + Number(finding.severity === severity), 0);
    return {
      source, serverVersion, notes: [...notes, ...this.#strangeNotes()],
      workloads: this.#workloads, findings: this.#findings, notEvaluated: this.#notEvaluated, suppressed: this.#suppressed, unreadable: this.#unreadable,
      summary: {
        objects: this.#objects, workloads: this.#workloads.length, windowsWorkloads: this.#workloads.filter(({ os }) => os === 'windows').length,
        errors: count('error'), warnings: count('warning'), infos: count('info'),
        notEvaluated: this.#notEvaluated.length, suppressed: this.#suppressed.length, unreadable: this.#unreadable.length,
      },
    };
  }

  #take(object: KubeObject, outcome: { readonly findings: Finding[]; readonly notEvaluated: NotEvaluated[] }, manifest: ManifestObject | null, templates: readonly Readonly<Record<string, unknown>>[], place: FilePlace | null = null): void {
    const suppressions = suppressionsOf(object, templates, this.#facts.asOf);
    for (const [word, meant] of unknownRulesIn(suppressions, this.#options.ruleNames)) {
      const known = this.#strangeWords.get(word) ?? { meant, objects: new Set() };
      this.#strangeWords.set(word, known);
      known.objects.add(refText(refOf(object), { withNamespace: true }));
    }
    const { standing, suppressed } = controlFindings(bySeverity(outcome.findings), suppressions, this.#options.control);
    const placed = (finding: Finding): PlacedFinding => ({
      ...finding, place: manifest === null ? null : placeOf(finding, manifest, place),
      patchCommand: manifest === null && finding.fix !== null ? this.#options.patchCommandOf?.(finding, object) ?? null : null,
      fix: manifest === null && finding.fix !== null && this.#options.patchCommandOf === null ? { ...finding.fix, edits: [] } : finding.fix,
    });
    for (const finding of standing) this.#findings.push(placed(finding));
    if (manifest !== null && standing.length > 0) this.#options.onManifest?.(manifest, standing);
    for (const suppression of suppressed) this.#suppressed.push({ ...suppression, finding: placed(suppression.finding) });
    for (const one of outcome.notEvaluated) this.#notEvaluated.push(one);
  }

  #strangeNotes(): readonly string[] {
    return [...this.#strangeWords].map(([word, { meant, objects }]) => {
      const guess = meant === null ? 'kubectl win check --list shows all' : `did you mean ${/^[a-z]+-\d+$/.test(meant) ? meant.toUpperCase() : meant}?`;
      return `the annotation ${SUPPRESSION_PREFIX}${word} of ${someOf([...objects], 3)} suppresses nothing, for no rule has this id or number; ${guess}`;
    });
  }

  #note(subject: WorkloadSubject): void {
    const { workload, os, placement } = subject;
    // no selector that meets it alone is a matter of Windows
    if (os.os === 'linux' && os.pinned === 'linux') return;
    const { ref } = workload;
    const windowsNodes = placement === null ? null : nodeNames(placement.windowsCandidates);
    // an object may have several templates; a Pod's is the object itself
    this.#selectable.set(`${ownerKey(ref.kind ?? '', ref.namespace ?? 'default', ref.name)}#${formatFieldPath(workload.template.path)}`, { ...selectableWorkloadOf(subject), windowsNodes });
  }

  /** One list for all equal ones: most workloads are told by the same few fields. */
  #shared(evidence: readonly OsEvidence[]): readonly OsEvidence[] {
    const key = JSON.stringify(evidence);
    const known = this.#evidence.get(key);
    if (known !== undefined) return known;
    if (this.#evidence.size < KEPT_EVIDENCE) this.#evidence.set(key, evidence);
    return evidence;
  }
}

const NO_SUPPRESSIONS = { reasons: new Map<string, string>(), void: new Map<string, string>() };

/** Where a finding stands in its file, with the line as it is there. */
export function placeOf(finding: Finding, manifest: ManifestObject, known: FilePlace | null = null): FindingPlace {
  const place = known ?? manifest.locate(finding.path);
  return { ...place, lineText: manifest.lineText(place.line).slice(0, SNIPPET_LIMIT) };
}
