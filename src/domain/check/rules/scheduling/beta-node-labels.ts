import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import type { FieldEdit } from '../../finding.ts';
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, isRecord, stringAt, valueAt } from '../../../kubernetes/object.ts';

/** Deprecated labels and what stands in their place; https://kubernetes.io/docs/reference/labels-annotations-taints/, read 2026-11-30. */
const REPLACEMENTS = new Map<string, string | null>([
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  // set by hand after Microsoft's guide of 2017; the kubelet sets node.kubernetes.io/windows-build, with other values
  ['beta.kubernetes.io/osbuild', null],
]);

interface BetaLabel {
  readonly key: string;
  readonly path: FieldPath;
  readonly edits: readonly FieldEdit[];
}

/** Windows pods that are pinned by labels of the time before Kubernetes 1.14. */
export const betaNodeLabels = defineWorkloadRule({
  id: 'beta-node-labels',
  facts: ['SCH-005'],
  severity: 'warning',
  effect: 'advice',
  os: 'windows',
  summary: 'Windows pod selected by deprecated beta labels',
  rationale: 'beta.kubernetes.io/os and beta.kubernetes.io/arch are deprecated since Kubernetes 1.14. Kubelets still set them beside the stable labels; a platform that drops them leaves the pod Pending.',
  remediation: 'Use kubernetes.io/os, kubernetes.io/arch and node.kubernetes.io/windows-build.',
  reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#beta-kubernetes-io-os',
  asOf: '2026-11-30',
  messages: { deprecated: 'the label {key} is deprecated', replaced: 'the label {key} is deprecated: {replacement} takes its place' },
  samples: {
    bad: [
      { path: 'spec.nodeSelector[beta.kubernetes.io/os]', yaml: samplePod({ nodeSelector: 'beta.kubernetes.io/os: windows\nnode.kubernetes.io/windows-build: 10.0.20348' }) },
      { path: 'spec.nodeSelector[beta.kubernetes.io/arch]', yaml: samplePod({ nodeSelector: 'kubernetes.io/os: windows\nbeta.kubernetes.io/arch: amd64\nnode.kubernetes.io/windows-build: 10.0.20348' }) },
    ],
    good: [{ yaml: samplePod({ nodeSelector: 'kubernetes.io/os: windows\nkubernetes.io/arch: amd64\nnode.kubernetes.io/windows-build: 10.0.20348' }) }],
  },
  * check({ workload }) {
    const { spec, specPath } = workload;
    for (const { key, path, edits } of [...ofSelector(spec, specPath), ...ofAffinity(spec, specPath)]) {
      const replacement = REPLACEMENTS.get(key) ?? null;
      yield {
        messageId: replacement === null ? 'deprecated' : 'replaced', data: { key, replacement: replacement ?? '' }, path,
        ...(replacement === null
          ? { remediation: 'Select the build by node.kubernetes.io/windows-build, whose value is 10.0.<build>.' }
          // kubelets set both labels to the same value
          : { fix: { title: `replace ${key} by ${replacement}`, edits, isSafe: true } }),
      };
    }
  },
});

function ofSelector(spec: Readonly<Record<string, unknown>>, specPath: FieldPath): readonly BetaLabel[] {
  const selector = spec['nodeSelector'];
  if (!isRecord(selector)) return [];
  return Object.entries(selector).flatMap(([key, value]) => {
    const replacement = REPLACEMENTS.get(key);
    if (replacement === undefined || value === null) return [];
    const path = [...specPath, 'nodeSelector', key];
    const hasStable = replacement !== null && selector[replacement] !== undefined && selector[replacement] !== null;
    const removal: FieldEdit = { op: 'remove', path };
    return [{ key, path, edits: hasStable || replacement === null ? [removal] : [removal, { op: 'set', path: [...specPath, 'nodeSelector', replacement], value }] }];
  });
}

function ofAffinity(spec: Readonly<Record<string, unknown>>, specPath: FieldPath): readonly BetaLabel[] {
  const found: BetaLabel[] = [];
  const collect = (holder: unknown, path: FieldPath): void => {
    for (const [index, expression] of arrayAt(holder, 'matchExpressions').entries()) {
      const key = stringAt(expression, 'key') ?? '';
      const place = [...path, 'matchExpressions', index, 'key'];
      if (REPLACEMENTS.has(key)) found.push({ key, path: place, edits: [{ op: 'set', path: place, value: REPLACEMENTS.get(key) }] });
    }
  };
  const affinity = ['affinity', 'nodeAffinity'] as const;
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const holder = valueAt(spec, ...affinity);
  for (const [index, term] of arrayAt(holder, required, 'nodeSelectorTerms').entries()) collect(term, [...specPath, ...affinity, required, 'nodeSelectorTerms', index]);
  for (const [index, term] of arrayAt(holder, preferred).entries()) collect(valueAt(term, 'preference'), [...specPath, ...affinity, preferred, index, 'preference']);
  return found;
}
