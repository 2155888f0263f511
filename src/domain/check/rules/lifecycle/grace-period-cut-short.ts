import { isRecord, numberAt, valueAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** Seconds that Windows gives processes to end, from the registry of the image; and what Kubernetes writes where no grace period is set. */
const WINDOWS_SECONDS = 5;
const KUBERNETES_SECONDS = 30;

/** A grace period of its own, of which Windows grants five seconds. */
export const gracePeriodCutShort = defineWorkloadRule({
  id: 'grace-period-cut-short',
  facts: ['LIF-002', 'C48'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Of the grace period Windows grants five seconds by default',
  rationale: 'At the end of a pod its process gets CTRL_SHUTDOWN_EVENT, and Windows ends it 5 seconds later, whatever terminationGracePeriodSeconds says. The 5 seconds are in the registry of the image (WaitToKillServiceTimeout) and can be raised when it is built. Time that a preStop hook takes comes before and is not cut.',
  remediation: 'Handle CTRL_SHUTDOWN_EVENT and raise WaitToKillServiceTimeout in the image, or let a preStop hook wait.',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#compatibility-v1-pod',
  asOf: '2026-11-30',
  messages: {
    cut: 'terminationGracePeriodSeconds is {seconds}, but Windows ends the process 5 seconds after CTRL_SHUTDOWN_EVENT unless the image raises WaitToKillServiceTimeout',
    hostProcess: 'terminationGracePeriodSeconds is {seconds}, but a HostProcess container is ended 5 seconds after CTRL_SHUTDOWN_EVENT',
  },
  samples: {
    bad: [{ path: 'spec.terminationGracePeriodSeconds', yaml: samplePod({ spec: 'terminationGracePeriodSeconds: 120' }) }],
    good: [{ yaml: samplePod({ spec: 'terminationGracePeriodSeconds: 30' }) }, {
      yaml: samplePod({
        spec: 'terminationGracePeriodSeconds: 120',
        container: `
          lifecycle:
            preStop:
              exec:
                command: [powershell, -Command, Start-Sleep -Seconds 60]`,
      }),
    }],
  },
  * check({ workload }) {
    const seconds = numberAt(workload.spec, 'terminationGracePeriodSeconds');
    // 30 is what every stored pod has, so nobody need have asked for it
    if (seconds === undefined || seconds <= WINDOWS_SECONDS || seconds === KUBERNETES_SECONDS) return;
    const containers = workload.containers.filter(({ list }) => list === 'containers');
    if (containers.some((container) => isRecord(valueAt(container.fields, 'lifecycle', 'preStop')))) return;
    yield {
      messageId: workload.isHostProcess ? 'hostProcess' : 'cut', data: { seconds }, path: [...workload.specPath, 'terminationGracePeriodSeconds'], confidence: 'unknown',
      // a shorter one than the default was hardly chosen for the sake of a long end
      ...(seconds < KUBERNETES_SECONDS ? { severity: 'info', effect: 'advice' } : {}),
    };
  },
});
