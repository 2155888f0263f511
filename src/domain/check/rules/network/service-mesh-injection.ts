import type { CheckFacts } from '../../facts.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleNamespace, samplePod } from '../../samples.ts';
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { ownValue, stringMapAt } from '../../../kubernetes/object.ts';
import type { Workload } from '../../../workload/workload.ts';

interface Injection {
  readonly mesh: string;
  readonly path: FieldPath;
  /** `sidecar.istio.io/inject=true on the pod`. */
  readonly text: string;
  /** What switches it off for one pod. */
  /** Whether nothing of the mesh runs on Windows; else others have made it do so. */
  readonly isLinuxOnly: boolean;
  readonly off: { readonly where: 'labels' | 'annotations'; readonly key: string; readonly value: string };
  readonly reference: string;
}

const ISTIO = { mesh: 'Istio', isLinuxOnly: true, off: { where: 'labels', key: 'sidecar.istio.io/inject', value: 'false' }, reference: 'https://github.com/istio/istio/issues/27893' } as const;
/** Distributions such as K2s bring a proxy for Windows of their own: https://github.com/Siemens-Healthineers/K2s/pull/3057, read 2026-11-30. */
const LINKERD = { mesh: 'Linkerd', isLinuxOnly: false, off: { where: 'annotations', key: 'linkerd.io/inject', value: 'disabled' }, reference: 'https://github.com/linkerd/linkerd2/issues/2882' } as const;

/** A webhook is told to put Linux containers into a Windows pod. */
export const serviceMeshInjection = defineWorkloadRule({
  id: 'service-mesh-injection',
  facts: ['C55'],
  severity: 'warning',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'process',
  summary: 'Windows pod that a service mesh injects its Linux proxy into',
  rationale: 'The webhooks of Istio and Linkerd do not look at the OS of the pod: they add an init container and a proxy whose images are for Linux. The pod then never starts (Init:ImagePullBackOff, "no match for platform in manifest").',
  remediation: 'Switch the injection off for this pod.',
  reference: 'https://github.com/istio/istio/issues/39788',
  asOf: '2026-11-30',
  messages: {
    injected: '{mesh} injects Linux containers into this Windows pod ({text})',
    perhaps: '{mesh} injects its proxy into this Windows pod ({text}), which is for Linux unless the cluster brings another',
  },
  samples: {
    bad: [
      { path: 'metadata.labels[sidecar.istio.io/inject]', yaml: samplePod({ metadata: 'labels:\n  sidecar.istio.io/inject: "true"' }) },
      { path: 'metadata.annotations[linkerd.io/inject]', yaml: samplePod({ metadata: 'annotations:\n  linkerd.io/inject: enabled' }) },
      { yaml: samplePod({ metadata: 'namespace: shop' }), cluster: sampleNamespace('shop', 'istio-injection: enabled') },
    ],
    good: [
      { yaml: samplePod({ metadata: 'namespace: shop\nlabels:\n  sidecar.istio.io/inject: "false"' }), cluster: sampleNamespace('shop', 'istio-injection: enabled') },
      { yaml: samplePod({ metadata: 'annotations:\n  linkerd.io/inject: disabled' }) },
    ],
  },
  * check({ workload, os }, facts) {
    if (os.os !== 'windows') return;
    for (const { mesh, path, text, off, reference, isLinuxOnly } of [istioOf(workload, facts), linkerdOf(workload, facts)].filter((one) => one !== null)) {
      const place = [...workload.template.path, 'metadata', off.where, off.key];
      yield { messageId: isLinuxOnly ? 'injected' : 'perhaps', ...(isLinuxOnly ? {} : { severity: 'info', effect: 'may-fail', confidence: 'unknown' }), data: { mesh, text }, path, reference, fix: { title: `set ${off.key} to ${off.value} on the pod`, edits: [{ op: 'set', path: place, value: off.value }], isSafe: false } };
    }
  },
});

function namespaceOf({ ref }: Workload, { namespaces }: CheckFacts): { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly annotations: Readonly<Record<string, string>> } | null {
  const name = ref.namespace ?? 'default';
  const object = namespaces?.get(name);
  return object === undefined ? null : { name, labels: stringMapAt(object, 'metadata', 'labels'), annotations: stringMapAt(object, 'metadata', 'annotations') };
}

/** https://istio.io/latest/docs/setup/additional-setup/sidecar-injection/#controlling-the-injection-policy, read 2026-11-30 */
function istioOf(workload: Workload, facts: CheckFacts): Injection | null {
  const metadata = [...workload.template.path, 'metadata'];
  for (const where of ['labels', 'annotations'] as const) {
    const value = ownValue(stringMapAt(workload.template.metadata, where), 'sidecar.istio.io/inject');
    if (value === 'true') return { ...ISTIO, path: [...metadata, where, 'sidecar.istio.io/inject'], text: 'sidecar.istio.io/inject=true on the pod' };
    if (value === 'false') return null;
  }
  const namespace = namespaceOf(workload, facts);
  if (namespace === null) return null;
  const revision = ownValue(namespace.labels, 'istio.io/rev');
  const switched = ownValue(namespace.labels, 'istio-injection');
  if (switched === 'disabled' || (switched !== 'enabled' && revision === undefined)) return null;
  return { ...ISTIO, path: [...metadata, 'labels'], text: `${switched === 'enabled' ? 'istio-injection=enabled' : `istio.io/rev=${revision ?? ''}`} on namespace ${namespace.name}` };
}

/** https://linkerd.io/2/features/proxy-injection/, read 2026-11-30 */
function linkerdOf(workload: Workload, facts: CheckFacts): Injection | null {
  const isOn = (value: string | undefined): boolean => value === 'enabled' || value === 'ingress';
  const metadata = [...workload.template.path, 'metadata'];
  const own = ownValue(stringMapAt(workload.template.metadata, 'annotations'), 'linkerd.io/inject');
  if (own !== undefined) return isOn(own) ? { ...LINKERD, path: [...metadata, 'annotations', 'linkerd.io/inject'], text: `linkerd.io/inject=${own} on the pod` } : null;
  const namespace = namespaceOf(workload, facts);
  const value = namespace === null ? undefined : ownValue(namespace.annotations, 'linkerd.io/inject');
  return namespace !== null && isOn(value) ? { ...LINKERD, path: [...metadata, 'annotations'], text: `linkerd.io/inject=${value ?? ''} on namespace ${namespace.name}` } : null;
}
