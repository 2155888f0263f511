import { defineWorkloadRule } from '../../rule.ts';
import { TOLERATING, samplePod } from '../../samples.ts';
import { nameOf, ownValue, stringAt, stringMapAt } from '../../../kubernetes/object.ts';
import { podConstraintsOf } from '../../../scheduling/pod-constraints.ts';
import { OS_LABELS } from './shared-unmet-selectors.ts';

const CLASS = (name: string, handler: string, selector: string): string => `apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata:
  name: ${name}
handler: ${handler}
scheduling:
  nodeSelector: ${selector}
`;
const WITH_CLASS = samplePod({ spec: `${TOLERATING}\nruntimeClassName: windows-2022` });

/** Handlers of runtimes for Linux containers; https://kubernetes.io/docs/concepts/containers/runtime-class/, read 2026-11-30, and the runtimes' own guides. */
const LINUX_HANDLERS = /^(runc|crun|youki|runsc|gvisor|kata(-.*)?|nvidia|nvidia-cdi|sysbox-runc|firecracker|spin|wasmtime|wasmedge|slight)$/;

/** The RuntimeClass of a Windows pod is missing, contradicts the pod, or runs nothing for Windows. */
export const runtimeClassUnusable = defineWorkloadRule({
  id: 'runtime-class-unusable',
  facts: ['SCH-008', 'C8'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'RuntimeClass that does not fit the Windows pod',
  rationale: 'The API server merges scheduling of the RuntimeClass into each pod and refuses pods whose class is missing (RuntimeClass "x" not found) or contradicts their nodeSelector (conflict: runtimeClass.scheduling.nodeSelector …). The handler has to be a runtime of the node\'s containerd: runhcs-wcow-process on Windows. Kubernetes does not support Hyper-V isolation.',
  remediation: 'Use a RuntimeClass with the handler runhcs-wcow-process whose scheduling agrees with the pod, or none.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#simplifying-with-runtimeclass',
  asOf: '2026-11-30',
  messages: {
    missing: 'the RuntimeClass {name} does not exist: the API server refuses the pods',
    conflict: 'the RuntimeClass {name} selects {key}={wanted}, the pod {key}={own}: the API server refuses the pods',
    linux: 'the RuntimeClass {name} selects {key}={wanted}, but the pod is for Windows',
    hypervisor: 'the handler {handler} of the RuntimeClass {name} stands for Hyper-V isolation, which Kubernetes does not support',
    handler: 'the handler {handler} of the RuntimeClass {name} runs Linux containers',
  },
  samples: {
    bad: [
      { yaml: WITH_CLASS, cluster: CLASS('other', 'runhcs-wcow-process', '{}'), path: 'spec.runtimeClassName', severity: 'error' },
      { yaml: WITH_CLASS, cluster: CLASS('windows-2022', 'runhcs-wcow-process', '{node.kubernetes.io/windows-build: 10.0.26100}'), path: 'spec.runtimeClassName', severity: 'error' },
      { yaml: WITH_CLASS, cluster: CLASS('windows-2022', 'runhcs-wcow-hypervisor', '{}'), path: 'spec.runtimeClassName', severity: 'warning' },
      { yaml: WITH_CLASS, cluster: CLASS('windows-2022', 'runc', '{}'), path: 'spec.runtimeClassName' },
    ],
    good: [{ yaml: WITH_CLASS, cluster: CLASS('windows-2022', 'runhcs-wcow-process', '{kubernetes.io/os: windows, node.kubernetes.io/windows-build: 10.0.20348}') }],
  },
  * check({ workload, os }, facts) {
    const name = stringAt(workload.spec, 'runtimeClassName') ?? '';
    if (name === '') return;
    const path = [...workload.specPath, 'runtimeClassName'];
    const found = facts.runtimeClasses?.get(name);
    if (found === undefined) {
      if (facts.runtimeClasses?.isComplete === true) yield { messageId: 'missing', severity: 'error', effect: 'rejected', data: { name }, path, remediation: `Create the RuntimeClass ${name}, or remove runtimeClassName.` };
      else yield { notEvaluated: 'runtimeClasses', about: `whether the RuntimeClass ${name} exists and fits the pod` };
      return;
    }
    const selector = stringMapAt(found, 'scheduling', 'nodeSelector');
    for (const [key, own] of podConstraintsOf(workload, facts.runtimeClasses).nodeSelector) {
      const wanted = ownValue(selector, key);
      if (wanted !== undefined && wanted !== own) yield { messageId: 'conflict', severity: 'error', effect: 'rejected', data: { name: nameOf(found), key, wanted, own }, path };
    }
    for (const key of OS_LABELS) {
      const wanted = ownValue(selector, key);
      const isOfWindows = os.evidence.some((one) => one.os === 'windows' && one.strength !== 'hint' && one.source !== 'node-selector');
      // with os.name set, os-name-contradicts-placement tells of it
      if (wanted === 'linux' && isOfWindows && workload.osName === null) yield { messageId: 'linux', severity: 'error', effect: 'cannot-run', data: { name: nameOf(found), key, wanted }, path };
    }
    const handler = stringAt(found, 'handler') ?? '';
    if (/hypervisor/i.test(handler)) yield { messageId: 'hypervisor', data: { name: nameOf(found), handler }, path };
    else if (LINUX_HANDLERS.test(handler)) yield { messageId: 'handler', effect: 'cannot-run', data: { name: nameOf(found), handler }, path };
  },
});
