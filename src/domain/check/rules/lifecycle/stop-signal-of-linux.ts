import { containerName } from '../../../workload/container-names.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** A stop signal that Windows does not have. */
export const stopSignalOfLinux = defineWorkloadRule({
  id: 'stop-signal-of-linux',
  facts: ['LIF-001', 'C51'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  summary: 'The stop signal is not one of Windows',
  rationale: 'lifecycle.stopSignal is alpha: API servers drop it unless the feature gate ContainerStopSignals is on (1.33 and later). With the gate a Windows pod may have SIGTERM or SIGKILL only: "Unsupported value: …: supported values: "SIGKILL", "SIGTERM"", and a pod without spec.os.name none at all.',
  remediation: 'Remove lifecycle.stopSignal, or use SIGTERM or SIGKILL with spec.os.name windows.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/validation/validation.go',
  asOf: '2026-11-30',
  since: '1.33',
  messages: {
    unsupported: 'lifecycle.stopSignal of container {container}: Unsupported value: "{signal}": supported values: "SIGKILL", "SIGTERM"; without the feature gate ContainerStopSignals it is dropped',
    noOs: 'lifecycle.stopSignal of container {container}: Forbidden: may not be set for containers with empty `spec.os.name`; without the feature gate ContainerStopSignals it is dropped',
  },
  samples: {
    bad: [{
      path: 'spec.containers[0].lifecycle.stopSignal',
      yaml: samplePod({
        container: `
          lifecycle:
            stopSignal: SIGINT`,
      }),
    }],
    good: [{
      yaml: samplePod({
        container: `
          lifecycle:
            stopSignal: SIGTERM`,
      }),
    }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const signal = stringAt(container.fields, 'lifecycle', 'stopSignal');
      if (signal === undefined || workload.osName === 'linux') continue;
      const isSupported = signal === 'SIGTERM' || signal === 'SIGKILL';
      if (isSupported && workload.osName === 'windows') continue;
      const path = [...container.path, 'lifecycle', 'stopSignal'];
      yield {
        messageId: isSupported ? 'noOs' : 'unsupported', data: { container: containerName(container), signal }, container: container.name, path,
        fix: { title: 'remove lifecycle.stopSignal', edits: [{ op: 'remove', path }], isSafe: true },
      };
    }
  },
});
