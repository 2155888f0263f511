/** `CheckReport` of docs/schemas: what -o json and -o yaml promise (product.md §4). */
import type { CheckedWorkload, CheckReport, PlacedFinding } from '../../app/check-report.ts';
import type { Fix } from '../../domain/check/finding.ts';
import { CHECK_REPORT_VERSION } from '../../domain/check/control/baseline.ts';
import { fingerprintOf } from '../../domain/check/control/fingerprint.ts';
import { formatFieldPath } from '../../domain/kubernetes/field-path.ts';
import { documentMetadata, type DocumentOptions } from './document-metadata.ts';


/** The document; its lists are made item by item as they are read, each time anew. */
export function checkDocument(report: CheckReport, options: DocumentOptions): Record<string, unknown> {
  return {
    apiVersion: CHECK_REPORT_VERSION,
    kind: 'CheckReport',
    metadata: documentMetadata(options, { ...report.source, serverVersion: report.serverVersion }),
    summary: { ...report.summary },
    workloads: mapped(report.workloads, workloadDocument),
    findings: mapped(report.findings, findingDocument),
    notEvaluated: mapped(report.notEvaluated, ({ rule, object, reason }) => ({ rule, object, reason })),
    suppressed: mapped(report.suppressed, ({ by, reason, finding }) => ({ by, reason, finding: findingDocument(finding) })),
    unreadable: mapped(report.unreadable, ({ file, line, column, message, suggestions }) => ({ file, line, column, message, suggestions })),
    notes: [...report.notes],
  };
}

/** One finding as it stands in `findings`. */
export function findingDocument(finding: PlacedFinding): Record<string, unknown> {
  const { place } = finding;
  return {
    rule: finding.rule,
    facts: finding.facts,
    severity: finding.severity,
    effect: finding.effect,
    object: finding.object,
    container: finding.container,
    path: formatFieldPath(finding.path),
    file: place?.file ?? null,
    line: place?.line ?? null,
    column: place?.column ?? null,
    message: finding.message,
    nodes: finding.nodes,
    confidence: finding.confidence,
    evidence: finding.evidence,
    remedy: finding.remedy,
    reference: finding.reference,
    fingerprint: fingerprintOf(finding, place?.file ?? null),
    fix: finding.fix === null ? null : fixDocument(finding.fix),
    patchCommand: finding.patchCommand,
  };
}

function fixDocument({ title, isSafe, edits }: Fix): Record<string, unknown> {
  return { title, isSafe, edits: edits.map((edit) => ({ op: edit.op, path: formatFieldPath(edit.path), ...('value' in edit ? { value: edit.value ?? null } : {}) })) };
}

function workloadDocument({ object, templatePath, os, osEvidence, candidates, verdicts }: CheckedWorkload): Record<string, unknown> {
  return {
    object, templatePath, os, candidates,
    osEvidence: osEvidence.map(({ path, ...rest }) => ({ ...rest, path: path === null ? null : formatFieldPath(path) })),
    verdicts: verdicts.map(({ verdict, nodes, because, errorTexts = [] }) => ({ verdict, nodes, because, errorTexts })),
  };
}

/** A list that makes each item when it is asked for, so that a hundred thousand of them never are in memory at once. */
function mapped<From>(items: readonly From[], make: (item: From) => unknown): Iterable<unknown> {
  return {
    * [Symbol.iterator]() {
      for (const item of items) yield make(item);
    },
  };
}
