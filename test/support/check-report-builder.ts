/** Reports of check for tests of what prints them. */
import type { CheckedWorkload, CheckReport, FindingPlace, PlacedFinding } from '../../src/app/check-report.ts';
import type { UnreadableDocument } from '../../src/app/ports.ts';
import type { NotEvaluated } from '../../src/domain/check/finding.ts';
import { defineWorkloadRule, type Rule } from '../../src/domain/check/rule.ts';
import type { ObjectRef } from '../../src/domain/kubernetes/object-ref.ts';

export const WEB: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
export const LOGS: ObjectRef = { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'kube-system', name: 'logs' };

/** Text that steers terminals, reorders, ends XML, Markdown and HTML, and is no Unicode. */
export const HOSTILE_TEXT = '\u001b[31mred\u001b[0m \u202egnp.exe\u0000\r\n::error::x]]>--><script>alert(1)</script>|`*_[a](b)@team %0A \ud800\ufffe é 漢字';

export function findingOf(parts: Partial<PlacedFinding> = {}): PlacedFinding {
  return {
    rule: 'run-as-user-on-windows',
    facts: ['SEC-004'],
    severity: 'error',
    effect: 'rejected',
    object: WEB,
    container: null,
    path: ['spec', 'template', 'spec', 'securityContext', 'runAsUser'],
    message: 'securityContext.runAsUser cannot be set for a Windows pod',
    nodes: [],
    confidence: 'proven',
    evidence: [],
    remedy: 'Remove it; windowsOptions.runAsUserName names the user on Windows.',
    reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/',
    fix: null,
    place: null,
    patchCommand: null,
    ...parts,
  };
}

export function placeOf(parts: Partial<FindingPlace> = {}): FindingPlace {
  return { file: 'deploy/web.yaml', line: 21, column: 9, lineText: '        runAsUser: 1000', length: 9, ...parts };
}

export function workloadOf(parts: Partial<CheckedWorkload> = {}): CheckedWorkload {
  return {
    object: WEB,
    templatePath: 'spec.template',
    os: 'windows',
    osEvidence: [
      { os: 'windows', source: 'os-name', strength: 'binds', path: ['spec', 'template', 'spec', 'os', 'name'], text: 'os.name windows' },
      { os: 'windows', source: 'running-pod', strength: 'pins', path: null, text: 'a pod runs on win-1' },
    ],
    candidates: ['win-1', 'win-2', 'win-3'],
    verdicts: [{ verdict: 'rejected', nodes: [], because: 'securityContext.runAsUser is refused for Windows pods' }],
    ...parts,
  };
}

export function unreadableOf(parts: Partial<UnreadableDocument> = {}): UnreadableDocument {
  return { file: 'deploy/broken.yaml', line: 3, column: 7, message: 'mapping values are not allowed here', suggestions: ['quote the value'], ...parts };
}

/** A report with these parts, and a summary that counts them. */
export function reportOf(parts: Partial<Omit<CheckReport, 'summary'>> = {}): CheckReport {
  const findings = parts.findings ?? [];
  const workloads = parts.workloads ?? [];
  const count = (severity: PlacedFinding['severity']): number => findings.filter((finding) => finding.severity === severity).length;
  return {
    source: { source: 'files', context: null, location: 'deploy' },
    serverVersion: null,
    workloads, findings,
    notEvaluated: [], suppressed: [], unreadable: [], notes: [],
    ...parts,
    summary: {
      objects: workloads.length + 1, workloads: workloads.length, windowsWorkloads: workloads.filter(({ os }) => os === 'windows').length,
      errors: count('error'), warnings: count('warning'), infos: count('info'),
      notEvaluated: (parts.notEvaluated ?? []).length, suppressed: (parts.suppressed ?? []).length, unreadable: (parts.unreadable ?? []).length,
    },
  };
}

const NOT_KNOWN: readonly NotEvaluated[] = [
  { rule: 'image-build-mismatch', object: WEB, reason: 'nodes not known: whether the image starts on the nodes' },
  { rule: 'image-build-mismatch', object: LOGS, reason: 'nodes not known: whether the image starts on the nodes' },
  { rule: 'gmsa-crd-missing', object: WEB, reason: 'CustomResourceDefinitions not known' },
];

/** Of files and the cluster, with everything that a report can hold. */
export function sampleReport(): CheckReport {
  const fix = { title: 'remove runAsUser', edits: [{ op: 'remove', path: ['spec', 'template', 'spec', 'securityContext', 'runAsUser'] }], isSafe: true } as const;
  return reportOf({
    serverVersion: 'v1.37.2',
    workloads: [workloadOf(), workloadOf({ object: LOGS, os: 'either', osEvidence: [], candidates: null, verdicts: [
      { verdict: 'runs', nodes: ['win-1', 'win-2'], because: 'the image has the build of the node' },
      { verdict: 'fails-at-pull', nodes: ['win-3'], because: 'no manifest for windows/amd64 10.0.26100' },
    ] })],
    findings: [
      findingOf({ place: placeOf(), fix }),
      findingOf({
        rule: 'memory-limit-missing', facts: ['RES-001', 'RES-002'], severity: 'warning', effect: 'may-fail', container: 'web', path: ['spec', 'template', 'spec', 'containers', 0, 'resources'],
        message: 'container web has no memory limit', remedy: 'Set a memory limit that is equal to the request.', place: placeOf({ line: 14, column: 11, lineText: '          resources: {}', length: 9 }),
        fix: { title: 'set limits.memory', edits: [{ op: 'set', path: ['spec', 'template', 'spec', 'containers', 0, 'resources', 'limits', 'memory'], value: '1Gi' }], isSafe: false },
      }),
      findingOf({
        rule: 'image-build-mismatch', facts: ['IMG-001'], severity: 'error', effect: 'cannot-run', object: LOGS, container: 'agent', path: ['spec', 'template', 'spec', 'containers', 0, 'image'],
        message: 'logs:1.2-ltsc2022 is for build 20348 and does not start on win-3 (build 26100)', nodes: ['win-3'], confidence: 'tag', evidence: ['tag ltsc2022 names build 20348'],
        remedy: 'Use an image for build 26100, or select nodes of build 20348.', reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
        patchCommand: "kubectl patch daemonset logs -n kube-system --type=json -p '[]'",
      }),
      findingOf({ rule: 'os-name-missing', facts: ['OS-001'], severity: 'info', effect: 'advice', object: LOGS, path: ['spec', 'template', 'spec', 'os', 'name'], message: 'the pod does not say its OS', remedy: 'Set spec.os.name.' }),
    ],
    notEvaluated: NOT_KNOWN,
    suppressed: [
      { finding: findingOf({ rule: 'host-path-on-windows', severity: 'warning', effect: 'may-fail', place: placeOf({ line: 30 }) }), by: 'annotation', reason: 'only on nodes with this folder' },
      { finding: findingOf({ rule: 'os-name-missing', severity: 'warning', object: LOGS }), by: 'baseline', reason: '' },
    ],
    unreadable: [unreadableOf()],
    notes: ['not allowed to list events in namespace shop'],
  });
}

/** What others can put into names, files and messages. */
export function hostileReport(): CheckReport {
  const object: ObjectRef = { apiVersion: null, kind: null, namespace: HOSTILE_TEXT, name: HOSTILE_TEXT };
  const finding = findingOf({
    object, container: HOSTILE_TEXT, message: HOSTILE_TEXT, remedy: HOSTILE_TEXT, evidence: [HOSTILE_TEXT], nodes: [HOSTILE_TEXT], path: ['metadata', 'labels', HOSTILE_TEXT, 0],
    place: placeOf({ file: `a b/#${HOSTILE_TEXT}.yaml`, lineText: `\t  ${HOSTILE_TEXT}: 1`, column: 4, length: 12 }), reference: 'javascript:alert(1)', patchCommand: HOSTILE_TEXT,
    fix: { title: HOSTILE_TEXT, isSafe: true, edits: [{ op: 'set', path: ['metadata', HOSTILE_TEXT], value: { a: [null, HOSTILE_TEXT] } }, { op: 'append', path: [], value: undefined }] },
  });
  return reportOf({
    source: { source: 'cluster', context: HOSTILE_TEXT, location: HOSTILE_TEXT },
    workloads: [workloadOf({ object, os: 'contradictory', candidates: [], osEvidence: [], verdicts: [] })],
    findings: [finding, findingOf({ object: { ...object, namespace: null, name: '' }, path: [], reference: '', remedy: '', message: '' })],
    notEvaluated: [{ rule: 'x', object, reason: HOSTILE_TEXT }],
    suppressed: [{ finding, by: 'configuration', reason: HOSTILE_TEXT }],
    unreadable: [unreadableOf({ file: HOSTILE_TEXT, line: null, column: null, message: HOSTILE_TEXT, suggestions: [HOSTILE_TEXT] })],
    notes: [HOSTILE_TEXT],
  });
}

/** Two rules, so that no rule that comes later changes what is compared. */
export const SAMPLE_RULES: readonly Rule[] = [
  defineWorkloadRule({
    id: 'run-as-user-on-windows', facts: ['SEC-004'], severity: 'warning', effect: 'ignored', os: 'windows', isolation: 'process', summary: 'runAsUser is set in a Windows pod',
    rationale: 'Windows has no numeric users. The API server refuses `securityContext.runAsUser` where spec.os.name is windows, and the kubelet ignores it elsewhere.', remediation: 'Remove it; windowsOptions.runAsUserName names the user on Windows.',
    reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility', asOf: '2026-11-30', since: '1.25', needs: ['nodes'],
    messages: { set: '{field} cannot be set' },
    samples: { bad: [{ yaml: '\nkind: Pod\nspec:\n  securityContext:\n    runAsUser: 1000\n', cluster: 'kind: Node\n', kubernetesVersion: '1.36' }], good: [{ yaml: '\nkind: Pod\nspec: {}\n' }] },
    * check() {},
  }),
  defineWorkloadRule({
    id: 'image-build-mismatch', facts: ['IMG-001', 'C1'], severity: 'error', effect: 'cannot-run', os: 'any', summary: 'Image is for another build | than the nodes',
    rationale: 'Process isolation needs the build of the host.', remediation: 'Use an image for the build.', reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility', asOf: '2026-11-30', until: '1.99',
    messages: { other: 'x' }, samples: { bad: [{ yaml: 'kind: Pod # ``` \n' }], good: [{ yaml: 'kind: Pod\n' }] },
    * check() {},
  }),
];
