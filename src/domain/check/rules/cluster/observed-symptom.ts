import { defineWorkloadRule } from '../../rule.ts';
import { sampleWorkload } from '../../samples.ts';
import { explainSymptom, type SymptomKind } from '../../symptoms/symptom-kinds.ts';
import { evidenceOf, type PodSymptom } from '../../../workload/pod-evidence.ts';
import type { CheckFacts } from '../../facts.ts';
import type { Severity } from '../../../severity.ts';
import { namesText } from '../scheduling/shared-placement.ts';
import { samplePodOf } from './shared-samples.ts';

/** Kinds that are passed on in short: nothing about them is of Windows. */
const BRIEF: ReadonlySet<string> = new Set(['pull-refused', 'image-not-found', 'invalid-image-name', 'image-never-pulled', 'unschedulable']);

/** Pods of the workload are in trouble, and what kubelet and runtime say of it is translated. */
export const observedSymptom = defineWorkloadRule({
  id: 'observed-symptom',
  facts: ['C17'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'any',
  summary: 'Pods that fail in a way that Windows explains',
  rationale: 'The texts of containerd, HCS and the kubelet say what failed, not why: "no match for platform in manifest" is a Linux image or one for another build of Windows, 0xc0370101 an image for another build that was pulled all the same, "chown … not supported by windows" a Linux pod on a Windows node.',
  remediation: 'Do what the finding says of the symptom.',
  reference: 'https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/',
  asOf: '2026-11-30',
  messages: { seen: '{pods}: {happened} ({reason})' },
  samples: {
    bad: [
      {
        path: 'spec.template.spec.containers[0].image', yaml: sampleWorkload('Deployment'),
        cluster: samplePodOf('iis', 'waiting: {reason: ErrImagePull, message: \'failed to pull and unpack image "mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2022": no match for platform in manifest sha256:4f2c: not found\'}'),
      },
      {
        path: 'spec.template.spec.containers[0]', yaml: sampleWorkload('Deployment'),
        cluster: samplePodOf('iis', 'waiting: {reason: CreateContainerConfigError, message: "container\'s runAsUserName (ContainerAdministrator) which will be regarded as root identity and will break non-root policy"}'),
      },
      { path: 'spec.template.spec', severity: 'info', yaml: sampleWorkload('Deployment'), cluster: `${samplePodOf('iis', '')}
  conditions:
  - {type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/2 nodes are available: 2 Insufficient memory.'}` },
    ],
    good: [{ yaml: sampleWorkload('Deployment'), cluster: samplePodOf('iis', 'waiting: {reason: ContainerCreating}') }],
  },
  * check({ workload, os }, facts) {
    const { ref, containers, specPath } = workload;
    const evidence = evidenceOf(ref, facts.pods);
    for (const symptom of evidence?.symptoms ?? []) {
      const kind = explainSymptom(symptom.reason, symptom.message);
      if (kind === null) continue;
      const isOfWindows = os.os === 'windows' || os.os === 'contradictory' || (kind.isWindows && isOnWindows(symptom, facts));
      if (!isOfWindows) continue;
      const container = containers.find(({ name }) => name === symptom.container);
      const isOfImage = /image|platform|pull/.test(kind.id) && kind.id !== 'sandbox-image-of-another-build';
      yield {
        messageId: 'seen', severity: severityOf(kind), effect: BRIEF.has(kind.id) ? 'may-fail' : 'cannot-run', confidence: 'observed',
        data: { pods: `${symptom.pods} ${symptom.pods === 1 ? 'pod' : 'pods'}${symptom.nodes.length === 0 ? '' : ` on ${namesText(symptom.nodes)}`}`, happened: kind.happened, reason: symptom.reason },
        path: container === undefined ? specPath : isOfImage ? [...container.path, 'image'] : container.path,
        ...(symptom.container === null ? {} : { container: symptom.container }),
        nodes: symptom.nodes, evidence: [kind.why, ...(symptom.message === '' ? [] : [`${symptom.reason}: ${symptom.message}`])],
        remediation: kind.remedy, reference: kind.reference,
      };
    }
  },
});

function severityOf(kind: SymptomKind): Severity {
  if (kind.isWindows) return 'error';
  return BRIEF.has(kind.id) ? 'info' : 'warning';
}

/** Linux pods fail on Linux nodes with some of the same texts; those are no concern of ours. */
function isOnWindows({ nodes }: PodSymptom, facts: CheckFacts): boolean {
  return nodes.some((name) => facts.nodes?.get(name)?.os === 'windows');
}
