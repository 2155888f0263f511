import type { CheckFacts } from '../../facts.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleWorkload } from '../../samples.ts';
import { evidenceOf, type InjectedContainer } from '../../../workload/pod-evidence.ts';
import type { Confidence } from '../../../image/image-platforms.ts';
import { samplePodOf } from './shared-samples.ts';

/** Containers that webhooks put into pods and that exist for Linux only, with what keeps them out of a pod. All read 2026-11-30. */
const INJECTORS: readonly { readonly of: string; readonly container: RegExp; readonly remedy: string; readonly reference: string }[] = [
  { of: 'Istio', container: /^istio-(proxy|init|validation)$/, remedy: 'Set the label sidecar.istio.io/inject to "false" in the pod template.', reference: 'https://github.com/istio/istio/issues/39788' },
  { of: 'Linkerd', container: /^linkerd-(proxy|init|network-validator)$/, remedy: 'Set the annotation linkerd.io/inject to disabled in the pod template.', reference: 'https://github.com/linkerd/linkerd2/issues/3298' },
  { of: 'Vault', container: /^vault-agent(-init)?$/, remedy: 'Set the annotation vault.hashicorp.com/agent-inject to "false" in the pod template.', reference: 'https://developer.hashicorp.com/vault/docs/platform/k8s/injector/annotations' },
  { of: 'Datadog', container: /^datadog-(lib|init)/, remedy: 'Set the label admission.datadoghq.com/enabled to "false" in the pod template.', reference: 'https://docs.datadoghq.com/containers/cluster_agent/admission_controller/' },
  { of: 'Consul', container: /^consul-(dataplane|connect-inject-init)$/, remedy: 'Set the annotation consul.hashicorp.com/connect-inject to "false" in the pod template.', reference: 'https://developer.hashicorp.com/consul/docs/k8s/annotations-and-labels' },
];

/** A webhook put a Linux container into the pods of a Windows workload. */
export const injectedLinuxContainer = defineWorkloadRule({
  id: 'injected-linux-container',
  facts: ['C57'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'Linux container that a webhook injected into Windows pods',
  rationale: 'Admission webhooks add sidecars and init containers to pods without looking at their OS. A Linux image has no variant for a Windows node ("no match for platform in manifest"), and an init container that never ends keeps all the others from starting. The template shows nothing of it, only the pods do.',
  remediation: 'Exclude the pods from the webhook, by its own annotation or by its objectSelector.',
  reference: 'https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-objectselector',
  asOf: '2026-11-30',
  messages: {
    image: 'the {list} {name} is in the pods, but not in the template, and its image {image} is for Linux',
    known: 'the {list} {name} of {of} is in the pods, but not in the template: it exists for Linux only',
  },
  samples: {
    bad: [{ path: 'spec.template.spec', severity: 'warning', yaml: sampleWorkload('Deployment'), cluster: samplePodOf('iis', 'waiting: {reason: PodInitializing}', '  initContainers:\n  - name: istio-init\n    image: registry.example.com/istio/proxyv2:1.29.1\n') }],
    good: [{ yaml: sampleWorkload('Deployment'), cluster: samplePodOf('iis', 'waiting: {reason: ContainerCreating}', '  initContainers:\n  - name: warm-up\n    image: registry.example.com/shop/warm-up:1.4.0\n') }],
  },
  * check({ workload, os }, facts) {
    if (os.os !== 'windows') return;
    const { ref, specPath, containers } = workload;
    const evidence = evidenceOf(ref, facts.pods);
    const own = new Set(containers.map(({ name }) => name));
    for (const injected of evidence?.injected ?? []) {
      // others build proxies for Windows under the same names: what runs is not for Linux only
      if (own.has(injected.name) || injected.hasRun) continue;
      const isFailing = evidence?.symptoms.some(({ container }) => container === injected.name) === true;
      const injector = INJECTORS.find(({ container }) => container.test(injected.name));
      const confidence = linuxConfidence(injected, facts);
      if (confidence === null && injector === undefined) continue;
      const list = injected.list === 'initContainers' ? 'init container' : 'container';
      yield {
        messageId: confidence === null ? 'known' : 'image', container: injected.name, path: specPath,
        // a name alone proves nothing
        ...(confidence === null && !isFailing ? { severity: 'warning', effect: 'may-fail' } : {}),
        confidence: isFailing ? 'observed' : confidence ?? 'unknown',
        data: { list, name: injected.name, image: injected.image, of: injector?.of ?? '' },
        ...(injector === undefined ? {} : { remediation: injector.remedy, reference: injector.reference }),
        nodes: evidence?.nodes.slice(0, 10) ?? [],
      };
    }
  },
});

/** How sure it is that an image holds nothing for Windows; null when it is not known. */
function linuxConfidence({ image }: InjectedContainer, { images }: CheckFacts): Confidence | null {
  const { platforms, os, confidence } = images.platformsOf(image);
  if (platforms.length > 0) return platforms.every((platform) => platform.os === 'linux') ? confidence : null;
  return os === 'linux' ? confidence : null;
}
